#!/bin/sh
# compare-accelsim.sh [gmmu [gmmu-run options...]]: cycles and speed beside Accel-Sim's on the traces it was measured on.
# Its cycles are less the 5000 of a kernel launch. Speed is worth something on a quiet machine only.
set -eu
here=$(realpath "$(dirname "$0")")
gmmu=$(realpath "${1:-$here/../build/release/tools/gmmu}")
[ $# = 0 ] || shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo kernel-1.traceg >"$dir/kernelslist.g"

row() { # trace, SMs, Accel-Sim's cycles, its warp instructions per second
  name=$1 sms=$2 cycles=$3 rate=$4
  shift 4
  start=$(date +%s%N)
  "$gmmu" run --json --gpu qv100 --design ideal -s l1tlb.latency=0 -s l1tlb.ports=0 -s gpu.sms="$sms" "$@" \
    "$dir/$name.gmt" >"$dir/run.json"
  end=$(date +%s%N)
  awk -v name="$name" -v sms="$sms" -v want=$((cycles - 5000)) -v ns=$((end - start)) -v rate="$rate" '
    /^      "cycles":/ && !c { c = $2 + 0 } /^      "warp_instructions":/ && !w { w = $2 + 0 }
    END { printf "%-11s %3d SMs  %8d cycles, Accel-Sim %8d  %+6.1f %%  %8d warp instructions, %8d/s, %5.0f x\n", name, sms,
      c, want, 100 * c / want - 100, w, w / ns * 1e9, w / ns * 1e9 / rate }' "$dir/run.json"
}

for trace in stream-20 stream-200 gather-20; do
  awk -v kind="${trace%-*}" -v iters="${trace#*-}" -f "$here/accelsim-traces.awk" >"$dir/kernel-1.traceg"
  "$gmmu" import "$dir/kernelslist.g" -o "$dir/$trace.gmt" >/dev/null
done
row stream-20 80 17602 3350 "$@"
row stream-20 30 21064 6587 "$@"
row stream-200 80 165494 2504 "$@"
row stream-200 30 174430 4774 "$@"
row gather-20 80 250451 151 "$@"
row gather-20 30 251746 233 "$@"
