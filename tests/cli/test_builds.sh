#!/bin/sh
# gcc and clang, -O3 and -O0, with and without sanitizers, ticking and sleeping: the same bytes.
[ -n "${GMMU_BUILDS:-}" ] || { echo "1..0 # SKIP GMMU_BUILDS is not set"; exit; }
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
grep -v '^#' "$(dirname "$0")/golden/cases" >"$dir/cases"
while read -r name args; do
  # shellcheck disable=SC2086  # words
  "$GMMU_BUILDS/release/tools/gmmu" run --json $args >"$dir/release.json"
  for build in clang debug san tick; do
    # shellcheck disable=SC2086  # words
    "$GMMU_BUILDS/$build/tools/gmmu" run --json $args >"$dir/$build.json"
    try "$name: $build is release" sh -c "[ -s '$dir/$build.json' ] && diff '$dir/release.json' '$dir/$build.json'"
  done
done <"$dir/cases"
try "the table in README.md is what the demo prints (scripts/gen-readme.sh)" \
  env GMMU="$GMMU_BUILDS/release/tools/gmmu" "$root/scripts/gen-readme.sh" --check
finish
