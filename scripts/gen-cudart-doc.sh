#!/bin/sh
# docs/cuda-runtime.md with its lists of calls made anew from src/cudart: gen-cudart-doc.sh ROOT
# Between `<!-- calls -->` and `<!-- end -->` a table per file, between `<!-- absent -->` and `<!-- end -->`
# the names that only say so.
set -eu
cd "$1"

# Entry points that a file defines; the macros of src/cudart/rt.h declare, export and define at once.
calls() {
  tr '\n' ' ' <"$1" | grep -oE '(API|PROPERTIES|ALIAS)\(_*cu[A-Za-z0-9_]+|API_AS\([a-z_ *]+, +_*cu[A-Za-z0-9_]+' |
    sed -E 's/.*[(, *]//' | grep -vE '_pt[sd][sz]$' | LC_ALL=C sort -u
}
table() {
  echo '| file | calls |'
  echo '| --- | --- |'
  for f in src/cudart/*.c; do
    names=$(calls "$f" | sed 's/.*/`&`/' | paste -sd' ' -)
    [ -z "$names" ] || printf '| `%s` | %s |\n' "$f" "$names"
  done
}
absent() { sed -nE 's/^ROW\((.*)\)$/`\1`/p' src/cudart/absent.def | grep -vE '_pt[sd][sz]`$' | paste -sd' ' - | fold -s -w 118 | sed 's/ *$//'; }

while IFS= read -r line; do
  case $line in
  '<!-- calls -->') printf '%s\n' "$line"; table; skip=1 ;;
  '<!-- absent -->') printf '%s\n' "$line"; absent; skip=1 ;;
  '<!-- end -->') printf '%s\n' "$line"; skip= ;;
  *) [ -n "${skip-}" ] || printf '%s\n' "$line" ;;
  esac
done <docs/cuda-runtime.md
