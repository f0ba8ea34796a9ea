#!/bin/sh
# gen-docs.sh [--check] [gmmu]: the reference pages of docs/, from the tables in the code. With --check it only
# tells whether they are current.
set -eu
cd "$(dirname "$0")/.."
check=
[ "${1:-}" != --check ] || { check=1; shift; }
gmmu=${1:-build/release/tools/gmmu}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
stale=0
for page in options:options statistics:stats applications:apps generators:generators operators:operators policies:policies dram:standards; do
  file=docs/${page%:*}.md
  { "$gmmu" list --markdown "${page#*:}"; echo; echo "_Made by \`scripts/gen-docs.sh\` from the tables in the code._"; } >"$new"
  if [ -z "$check" ]; then
    cat "$new" >"$file"
  elif ! cmp -s "$new" "$file"; then
    echo "$file is not current: run scripts/gen-docs.sh"
    stale=1
  fi
done
exit $stale
