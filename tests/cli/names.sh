#!/bin/sh
# names.sh GMMU: what users type and a later version must keep: commands, their options, settings, GPUs, designs, policies. A line each, sorted.
set -eu
export LC_ALL=C
gmmu=$1
{
  for c in $("$gmmu" --help | sed -n 's/^  \([a-z]*\)  *[a-zA-Z].*/\1/p' | grep -v -x help); do
    echo "command $c"
    "$gmmu" help "$c" | sed -n "s/^  *\(-[a-zA-Z], \)\{0,1\}\(--[a-z][a-z-]*\).*/option $c \2/p"
  done
  "$gmmu" list gpus | sed -n '/^---/,$s/^\([a-z0-9][^ ]*\) .*/gpu \1/p'
  "$gmmu" list designs | sed -n '/^---/,$s/^\([a-z0-9][^ ]*\) .*/design \1/p'
  "$gmmu" list policies | sed -n 's/.*  \([a-z0-9]*\.[a-z]*=[a-z-]*\)  .*/policy \1/p'
  "$gmmu" list --markdown options | sed -n 's/^| `\([a-z0-9_.]*\)` .*/setting \1/p'
} | sort -u
