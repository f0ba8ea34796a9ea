#!/bin/sh
# embed-presets.sh OUT FILE...: presets/<kind>/<name>.yaml as a C table of strings.
set -eu
out=$1
shift
{
  echo '/* Made by embed-presets.sh from presets/: do not edit. */'
  echo '#include "gpu/presets.h"'
  echo '#include <stddef.h>'
  echo 'const preset_t preset_all[] = {'
  for f; do
    kind=$(basename "$(dirname "$f")")
    printf '    {"%s", "%s",\n' "$kind" "$(basename "$f" .yaml)"
    sed 's/\\/\\\\/g; s/"/\\"/g; s/^/     "/; s/$/\\n"/' "$f"
    echo '    },'
  done
  echo '    {NULL, NULL, NULL},'
  echo '};'
} >"$out"
