#!/bin/sh
# compare-accelsim.sh [-g gmmu] [-t kept-traces] [-r kernel,...] [-f table] [-- gmmu-run options...]
# Cycles beside Accel-Sim's on the kernels of tests/accelsim, as a table in Markdown, with the mean and the median of
# |difference|. -f: the kernels and cycles of another table (tests/accelsim/rules.tsv: worked out, not run). -t: keep the
# imported traces there, and use those that are there. -r: these rows alone. Exit status 1 if a run fails or has another number
# of warp instructions.
set -eu
here=$(realpath "$(dirname "$0")")
kernels=$here/../tests/accelsim
gmmu=$here/../build/release/tools/gmmu keep='' rows='' table=$kernels/cycles.tsv
while getopts g:t:r:f: o; do
  case $o in
  g) gmmu=$OPTARG ;;
  t) keep=$OPTARG ;;
  r) rows=$OPTARG ;;
  f) table=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
gmmu=$(realpath "$gmmu")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
traces=${keep:-$dir}
mkdir -p "$traces"

trace() { # kernel: its trace, imported
  [ -f "$traces/$1.gmt" ] && return
  python3 "$kernels/kernels.py" "$dir" "$1"
  "$gmmu" import "$dir/$1/kernelslist.g" -o "$dir/$1.part" >/dev/null
  mv "$dir/$1.part" "$traces/$1.gmt"
  rm -r "${dir:?}/$1"
}

grep -v '^#' "$table" | while read -r name sms insts cycles; do
  case ",${rows:-$name}," in *",$name,"*) ;; *) continue ;; esac
  trace "$name"
  "$gmmu" run --json --gpu qv100 --design ideal -s l1tlb.latency=0 -s l1tlb.ports=0 -s gpu.sms="$sms" "$@" "$traces/$name.gmt" >"$dir/run.json"
  awk -v name="$name" -v sms="$sms" -v insts="$insts" -v want="$cycles" '
    /^      "cycles":/ && !c { c = $2 + 0 } /^      "warp_instructions":/ && !w { w = $2 + 0 }
    END { print name, sms, w, want, c; exit w != insts }' "$dir/run.json" >>"$dir/rows" || {
    echo "compare-accelsim.sh: $name has another number of warp instructions than $insts" >&2
    exit 1
  }
done
[ -s "$dir/rows" ] || exit 1
awk '
  BEGIN { print "| kernel | SMs | warp instructions | Accel-Sim | gmmu | difference |\n| --- | --- | --- | --- | --- | --- |" }
  { d = 100 * $5 / $4 - 100; printf "| %s | %d | %d | %d | %d | %+.1f %% |\n", $1, $2, $3, $4, $5, d
    a[NR] = d < 0 ? -d : d; sum += a[NR] }
  END { # insertion sort: few rows
    for (i = 2; i <= NR; i++) for (k = i; k > 1 && a[k] < a[k - 1]; k--) { t = a[k]; a[k] = a[k - 1]; a[k - 1] = t }
    h = int((NR + 1) / 2)
    printf "\nmean %.1f %%, median %.1f %%, largest %.1f %%, %d rows\n", sum / NR, (a[h] + a[NR + 1 - h]) / 2, a[NR], NR }' "$dir/rows"
