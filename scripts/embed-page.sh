#!/bin/sh
# embed-page.sh OUT FILE: the file as a C text. The assembler reads it as it is: as numbers in C its
# megabyte would take a compiler longer than all the rest of the folder.
set -eu
sum=$(cksum <"$2")
cat >"$1" <<EOF
/* Made by embed-page.sh: do not edit. A changed page ($sum) is a changed file, and compiled again. */
#include "lab/page_html.h"
__asm__(".section .rodata\n"
        ".globl page_html\n"
        ".type page_html, %object\n"
        "page_html:\n"
        ".incbin \"$2\"\n"
        ".byte 0\n"
        ".size page_html, .-page_html\n"
        ".text\n");
EOF
