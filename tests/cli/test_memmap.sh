#!/bin/sh
# gmmu run --memmap: the picture of physical memory, read back.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# 64 MB: 32 large frames. Generators allocate what they name and a little more.
small="--gpu mosaic -s gpu.sms=4 -s mem.bytes=64M"
apps="stream:footprint=12M gather:footprint=5M"
run() { # shellcheck disable=SC2086  # words
  "$gmmu" run $small --cycles 1500 "$@" $apps
}
# cells FILE: large frame, owner, used, coalesced; a line each, with tabs
cells() {
  sed -n 's/^<g class="frame" data-frame="\([0-9]*\)" data-owner="\([^"]*\)" data-used="\([0-9]*\)".* data-coalesced="\([01]\)".*/\1\t\2\t\3\t\4/p' "$1"
}
# Tags that open are closed, in order.
is_xml() {
  tr -d '\n' <"$1" | sed 's/>[^<]*</>\n</g' | awk -F'[ >/]' '
    /^<\// { if (open[n--] != $2) bad = 1; next }
    /\/>$/ || /^<\?/ { next }
    { open[++n] = substr($1, 2) }
    END { exit bad || n != 0 || NR < 10 }'
}

run --json --design gpu-mmu,mosaic,gpu-mmu-2m >"$dir/plain.json"
run --json --design gpu-mmu,mosaic,gpu-mmu-2m --memmap "$dir/m.svg" --memmap "$dir/early.svg@333" >"$dir/mapped.json"
try "pictures do not change a run" cmp "$dir/plain.json" "$dir/mapped.json"
for d in gpu-mmu mosaic gpu-mmu-2m; do
  try "$d: the file is XML" is_xml "$dir/m-$d.svg"
  try "$d: the title names GPU, design and cycle" grep -q "Physical memory, mosaic, $d (manager [a-z-]*), cycle 1500<" "$dir/m-$d.svg"
  try "$d: a picture of another cycle" grep -q ", $d (manager [a-z-]*), cycle 333<" "$dir/early-$d.svg"
  cells "$dir/m-$d.svg" >"$dir/$d"
  try "$d: the legend's base frames are those of the cells" awk -F'\t' '
    FNR == NR { used += $3; next }
    /^<g class="legend">/ { sub(/.*: /, ""); sum += $1 }
    END { exit used == 0 || used != sum }' "$dir/$d" "$dir/m-$d.svg"
  try "$d: cells are large frames in order" awk -F'\t' 'NR > 1 && $1 <= last { bad = 1 } { last = $1 } END { exit bad || last > 31 || NR < 5 }' "$dir/$d"
done
# 12 MB and 5 MB and what else the generators allocate: 17 MB are 8.5 large frames.
try "mosaic: what is coalesced is full and has one owner" awk -F'\t' '$4 && ($3 != 512 || ($2 != "stream" && $2 != "gather")) { bad = 1 } $4 { n++ } END { exit bad || n < 6 || n > 9 }' "$dir/mosaic"
try "mosaic: nothing is mixed" sh -c "! grep -q mixed '$dir/mosaic'"
try "gpu-mmu: applications share large frames, none is coalesced" awk -F'\t' '$4 { bad = 1 } $2 == "mixed" { n++ } END { exit bad || n < 4 }' "$dir/gpu-mmu"
try "large-only: every data frame is one large page" awk -F'\t' '$2 != "page tables" && (!$4 || $3 != 512) { bad = 1 } END { exit bad }' "$dir/gpu-mmu-2m"
run --design mosaic -s mem.fragment_index=50 -s mem.fragment_occupancy=25 -s mem.cac=none --memmap "$dir/x@y.svg@900" >/dev/null
try "fragments belong to others" sh -c "[ \$(grep -c 'data-owner=\"others\" data-used=\"128\"' '$dir/x@y.svg') -ge 8 ]"
try "one design: the name as given" grep -q "cycle 900<" "$dir/x@y.svg"
cp "$dir/x@y.svg" "$dir/first"
run --design mosaic -s mem.fragment_index=50 -s mem.fragment_occupancy=25 -s mem.cac=none --memmap "$dir/x@y.svg@900" >/dev/null
try "the same run gives the same picture" cmp "$dir/first" "$dir/x@y.svg"
"$gmmu" run --design sharedtlb -s gpu.sms=2 --memmap "$dir/0.svg@0" --memmap "$dir/end.svg" compute:blocks=2,steps=4 >/dev/null
try "cycle 0: nothing is there yet" sh -c "[ -s '$dir/0.svg' ] && [ -z \"\$(grep 'class=\"frame\"' '$dir/0.svg')\" ]"
try "a program that has ended has given its memory back" sh -c "[ -s '$dir/end.svg' ] && [ -z \"\$(grep 'class=\"frame\"' '$dir/end.svg')\" ]"
"$gmmu" run --design sharedtlb -s gpu.sms=2 --cycles 100 --memmap "$dir/late.svg@101" stream >"$dir/out" 2>"$dir/err"
try "a cycle behind the end fails" test $? = 1
try "it says so, and the results are printed" sh -c "grep -q 'ended in cycle 100, before cycle 101' '$dir/err' && grep -q '^sharedtlb' '$dir/out'"
try "and there is no picture" test ! -e "$dir/late.svg"
wants 2 'is no cycle; it is FILE or FILE@CYCLE' "a cycle that is none" run --memmap out.svg@12x stream
wants 2 'is no cycle' "no cycle behind @" run --memmap out.svg@ stream
wants 2 'names no file' "no file" run --memmap @12 stream
wants 2 'there is no machine' "no machine, no picture" run --functional --memmap x.svg -- true
finish
