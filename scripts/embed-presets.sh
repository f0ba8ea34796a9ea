#!/bin/sh
# embed-presets.sh OUT FILE...: presets/<kind>/<name>.yaml as a C table of texts.
set -eu
out=$1
shift
{
  echo '/* Made by embed-presets.sh from presets/: do not edit. */'
  echo '#include "gpu/presets.h"'
  echo '#include <stddef.h>'
  n=0
  for f; do
    printf 'static const char text_%d[] = {\n' $n
    od -An -v -td1 "$f" | sed 's/\([0-9]\)\( \|$\)/\1,\2/g'
    echo '0};'
    n=$((n + 1))
  done
  echo 'const preset_t preset_all[] = {'
  n=0
  for f; do
    printf '    {"%s", "%s", text_%d},\n' "$(basename "$(dirname "$f")")" "$(basename "$f" .yaml)" $n
    n=$((n + 1))
  done
  echo '    {NULL, NULL, NULL},'
  echo '};'
} >"$out"
