#!/bin/sh
# model-version.sh ROOT OUT DEPFILE: a hash of the sources that decide what a run measures, as a C string. Not in it:
# what makes recordings or keeps results (their contents are part of a result's key by themselves), and presets (every
# option's value is). DEPFILE tells ninja what was read, folders too, so that a new file counts.
set -eu
root=$1 out=$2 dep=$3
rooms="base engine assoc trace gen mm cache tlb walk noc dram sm gpu"
folders="$root/include/gmmu"
for room in $rooms; do folders="$folders $root/src/$room"; done
# shellcheck disable=SC2086  # words
files=$(find $folders -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort)
hash=$(for f in $files; do printf '%s\n' "${f#"$root"/}" && cat "$f"; done | sha256sum | cut -c 1-16)
{
  echo '/* Made by model-version.sh: do not edit. */'
  echo '#include "lab/hash.h"'
  echo "const char lab_model_version[] = \"$hash\";"
} >"$out"
# shellcheck disable=SC2086  # words
echo "$(basename "$out"):" $files $folders | sed 's|^[^:]*|'"$out"'|' >"$dep"
