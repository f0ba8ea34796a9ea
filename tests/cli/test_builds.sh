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
# Traces, too; one ends because it is full, one goes through turns.
while read -r args; do
  for build in release clang debug san tick; do
    # shellcheck disable=SC2086  # words
    "$GMMU_BUILDS/$build/tools/gmmu" run --timeline "$dir/$build.timeline" $args >/dev/null 2>&1
    [ $build = release ] || try "timeline of $args: $build is release" cmp "$dir/release.timeline" "$dir/$build.timeline"
  done
done <<EOF
-s gpu.sms=2 -s dram.closed_row=true --timeline-window 90:900 --timeline-spans 3000 --cycles 1000 gather:footprint=4M tiled2d
-s gpu.sms=2 --design timeslice -s share.quantum=300 --timeline-window 100:1400 --cycles 1500 hotset stream
EOF
try "what README.md shows is current (scripts/gen-readme.sh)" \
  env GMMU="$GMMU_BUILDS/release/tools/gmmu" "$root/scripts/gen-readme.sh" --check
finish
