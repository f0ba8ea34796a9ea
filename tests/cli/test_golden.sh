#!/bin/sh
# The statistics of a few small runs are those kept in golden/, to the byte; the version of gmmu that made them may be another.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
golden=$(dirname "$0")/golden
grep -v '^#' "$golden/cases" >"$dir/cases"
while read -r name args; do
  # shellcheck disable=SC2086  # words
  "$gmmu" run --json $args >"$dir/$name.json"
  try "$name is valid JSON" sh -c "'$json' <'$dir/$name.json'"
  sed "2s/\"gmmu\": \"[0-9.]*\"/$(sed -n '2s/^ *\(.*\),$/\1/p' "$dir/$name.json")/" "$golden/$name.json" >"$dir/$name.golden"
  try "$name is as before (if meant to change: scripts/gen-golden.sh)" \
    sh -c "diff '$dir/$name.golden' '$dir/$name.json'"
  # shellcheck disable=SC2086  # words
  "$gmmu" run --json --check $args | sed 's/"run.check": true/"run.check": false/' >"$dir/$name.checked"
  try "$name is the same with all checks on" cmp "$dir/$name.json" "$dir/$name.checked"
done <"$dir/cases"
for f in "$golden"/*.json; do
  name=$(basename "$f" .json)
  try "$name is a case" grep -q "^$name " "$golden/cases"
done
finish
