#!/bin/sh
# gen-docs.sh [--check] [gmmu]: the reference pages of docs/, from the tables in the code. With --check it only
# tells whether they are current.
set -eu
cd "$(dirname "$0")/.."
check=
[ "${1:-}" != --check ] || { check=1; shift; }
gmmu=${1:-build/release/tools/gmmu}
# Whom a page is for, below its title.
opening() { # page
  case $1 in
  options) echo "This page is for looking up what can be set of a machine. It has every option with its default, range and meaning." ;;
  statistics) echo "This page is for looking up what a number means. It has every counter, with its unit and its place in the results." ;;
  applications) echo "This page is for choosing a program to run. It has every application that comes with gmmu, and the paper it is from." ;;
  generators) echo "This page is for choosing an access pattern. It has every generator with its parameters: programs whose behaviour is known exactly." ;;
  operators) echo "This page is for running database operators. It has every operator with its parameters; [db.md](db.md) explains them." ;;
  policies) echo "This page is for choosing how a block decides. It has every policy, and the option that takes its name; [plugins.md](plugins.md) adds one." ;;
  rows) echo "This page is for finding what a paper says and the experiment that repeats it, and for seeing which rows cannot be wrong. [reproduce.md](reproduce.md) runs them." ;;
  dram) echo "This page is for choosing a DRAM. It has every standard with its timing, and where the values are from." ;;
  esac
}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
stale=0
for page in options:options statistics:stats applications:apps generators:generators operators:operators policies:policies rows:rows dram:standards; do
  file=docs/${page%:*}.md
  { "$gmmu" list --markdown "${page#*:}" | sed "1{p;s|.*||;p;s|.*|$(opening "${page%:*}")|}"; echo; echo "_Made by \`scripts/gen-docs.sh\` from the tables in the code._"; } >"$new"
  if [ -z "$check" ]; then
    cat "$new" >"$file"
  elif ! cmp -s "$new" "$file"; then
    echo "$file is not current: run scripts/gen-docs.sh"
    stale=1
  fi
done
scripts/gen-mechanisms.sh ${check:+--check} "$gmmu" || stale=1
exit $stale
