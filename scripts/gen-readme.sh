#!/bin/sh
# gen-readme.sh [--check]: puts the first table of the demo into README.md, between its two marks; with --check it
# only tells whether the table there is current.
set -eu
cd "$(dirname "$0")/.."
new=$(mktemp)
trap 'rm -f "$new"' EXIT
table=$(scripts/demo.sh | awk '/^design/ { on = 1 } on && /^$/ { exit } on')
awk -v table="$table" '
  /^<!-- demo -->$/ { print; print "```"; print table; print "```"; inside = 1 }
  /^<!-- \/demo -->$/ { inside = 0 }
  !inside' README.md >"$new"
if [ "${1:-}" != --check ]; then
  cat "$new" >README.md
elif ! cmp -s "$new" README.md; then
  echo "the table in README.md is not what the demo prints: run scripts/gen-readme.sh"
  exit 1
fi
