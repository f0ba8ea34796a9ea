#!/usr/bin/env bash
# Run every benchmark in build/release/bench, or only those named. A benchmark prints lines of
# name, value, unit and perhaps kind with tabs between; one that prints a table writes such lines to
# the file $BENCH_ROWS. BENCH_RECORD=1 appends them to bench/history.tsv.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release program benches >/dev/null

# The machine comes last: it is what one wants to see.
mapfile -t found < <(find build/release/bench -maxdepth 1 -name 'bench_*' -type f -executable -printf '%f\n' 2>/dev/null |
  sort | awk '$0 == "bench_machine" { last = $0; next } { print } END { if (last) print last }')
[ $# = 0 ] || found=("$@")
[ ${#found[@]} != 0 ] || { echo "no benchmarks"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BENCH_ROWS=$work/own
for name in "${found[@]}"; do
  echo "# $name"
  : >"$BENCH_ROWS"
  "build/release/bench/$name" | tee "$work/out"
  cat "$BENCH_ROWS" >>"$work/out"
  awk -F '\t' -v OFS='\t' -v bench="$name" \
    '!/^#/ && NF >= 3 { print bench, $1, $2, $3, (NF > 3 ? $4 : "host") }' "$work/out" >>"$work/rows"
done

# A figure of kind "count" is the same on every machine with the same compiler; "host" depends on the processor.
[ "${BENCH_RECORD:-0}" = 1 ] || exit 0
history=bench/history.tsv
[ -s $history ] || printf 'date\tcommit\tcompiler\tprocessor\tbenchmark\tname\tvalue\tunit\tkind\n' >$history
commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src include || echo +)
compiler=$(${CC:-cc} -dumpfullversion -dumpversion | sed "s/^/${CC:-cc} /")
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
sed "s|^|$(date -u +%F)\t$commit\t$compiler\t$cpu\t|" "$work/rows" >>$history
echo "recorded $(wc -l <"$work/rows") rows in $history"
