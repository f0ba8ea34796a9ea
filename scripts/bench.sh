#!/usr/bin/env bash
# Run every benchmark in build/release/bench, or only those named. A benchmark prints lines of
# name, value and unit with tabs between. BENCH_RECORD=1 appends them to bench/history.tsv.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release >/dev/null

mapfile -t found < <(find build/release/bench -maxdepth 1 -name 'bench_*' -type f -executable -printf '%f\n' 2>/dev/null | sort)
[ $# = 0 ] || found=("$@")
[ ${#found[@]} != 0 ] || { echo "no benchmarks"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in "${found[@]}"; do
  echo "# $name"
  "build/release/bench/$name" | tee "$work/out"
  awk -F '\t' -v OFS='\t' -v bench="$name" '!/^#/ && NF >= 3 { print bench, $1, $2, $3 }' "$work/out" >>"$work/rows"
done

[ "${BENCH_RECORD:-0}" = 1 ] || exit 0
history=bench/history.tsv
[ -s $history ] || printf 'date\tcommit\tcpu\tbenchmark\tname\tvalue\tunit\n' >$history
commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src include || echo +)
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
sed "s|^|$(date -u +%F)\t$commit\t$cpu\t|" "$work/rows" >>$history
echo "recorded $(wc -l <"$work/rows") rows in $history"
