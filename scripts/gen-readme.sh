#!/bin/sh
# gen-readme.sh [--check]: puts into README.md, between its marks, what `gmmu explain` says of the example there, and the table
# "paper against gmmu", whose numbers are those of the pages that tell why; with --check it only tells whether both are current.
set -eu
cd "$(dirname "$0")/.."
gmmu=$(realpath "${GMMU:-build/release/tools/gmmu}")
new=$(mktemp)
trap 'rm -f "$new"' EXIT
# cell PAGE ROW N: the Nth cell of the first row in docs/PAGE.md that begins so; a row that is gone is an error
cell() {
  awk -v row="$2" -v n="$3" 'index($0, row) == 1 { found = 1; split($0, c, / *\| */); print c[n + 1]; exit }
    END { if (!found) { print "no row \"" row "\"" > "/dev/stderr"; exit 1 } }' "docs/$1.md"
}
# probed LEVEL: entries of that TLB of the K80 as docs/probes.md shows them
probed() { awk -v level="$1" '$1 == level && $2 ~ /^[0-9]+$/ { print $2; exit }' docs/probes.md; }
row() { printf '| %s | %s | %s | [why](docs/%s) |\n' "$@"; }
papers() {
  echo '| paper | its headline | gmmu | |'
  echo '| --- | --- | --- | --- |'
  row 'MASK (ASPLOS 2018)' 'weighted speed-up of two applications: MASK gains 57.8 % over SharedTLB' \
    "$(cell results/mask '| MASK over SharedTLB, average' 5) with measured latencies and 8 walkers, $(cell results/mask '| MASK over SharedTLB, average' 3) on its table's machine" \
    results/mask.md
  row 'Mosaic (MICRO 2017)' '4 KB pages 48.1 % below Ideal, 2 MB pages within 2 %' \
    "$(cell results/mosaic '| fig3: 4 KB pages below Ideal' 5) and $(cell results/mosaic '| fig3: 2 MB pages below Ideal' 5) with measured latencies and 8 walkers, \
$(cell results/mosaic '| fig3: 4 KB pages below Ideal' 3) and $(cell results/mosaic '| fig3: 2 MB pages below Ideal' 3) on its table's machine" results/mosaic.md
  row 'NeiDty' 'a translation is 5 % faster on average, 21 % for LUD' \
    "$(cell results/neidty '| `neidty` | 42' 10) %, $(cell results/neidty '| `neidty` | 42' 2) % for LUD" results/neidty.md
  row 'Fractional GPUs (RTAS 2019)' "run-time variation beside others, average / largest in %: $(cell results/fgpu '| `gtx1080` CMP' 2)" \
    "$(cell results/fgpu '| `gtx1080` CMP' 3)" results/fgpu.md
  row 'TLB-conscious operators (DaMoN 2017)' 'TLBs of a K80, found by probes: 16, 65 and about 1032 entries' \
    "$(probed L1), $(probed L2) and $(probed L3), found on the model built so" 'probes.md'
}
papers >"$new.papers"
command=$(awk '/^<!-- explain -->$/ { on = 1 } on && sub(/^\$ gmmu /, "") { print; exit }' README.md)
# shellcheck disable=SC2086  # words
{ echo '```' && echo "\$ gmmu $command" && "$gmmu" $command | awk '/^machine/ { exit } { print }' | sed '$d' && echo '```'; } >"$new.explain"
awk -v dir="$new" '
  /^<!-- (explain|papers) -->$/ { print; file = dir "." $2; while ((getline line < file) > 0) print line; inside = 1; next }
  /^<!-- \/(explain|papers) -->$/ { inside = 0 }
  !inside' README.md >"$new"
rm -f "$new.papers" "$new.explain"
if [ "${1:-}" != --check ]; then
  cat "$new" >README.md
elif ! cmp -s "$new" README.md; then
  diff README.md "$new" || true
  echo "README.md is not current: run scripts/gen-readme.sh"
  exit 1
fi
