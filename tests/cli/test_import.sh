#!/bin/sh
# gmmu import: from traces to a run, whole and damaged; and Accel-Sim's cycles on one of its traces.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
to_tracez=$(realpath "$4")

head='-kernel name = k
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 0
-nregs = 16
-binary version = 70
-shmem base_addr = 0x7e0000000000
-local mem base_addr = 0x7e8000000000
-accelsim tracer version = 3
#'
block() { # number, warp 0's extra lines
  printf '#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = 4\n' "$1"
  printf '0000 ffffffff 1 R2 S2R 0 0\n0010 ffffffff 1 R8 LDG.E.64.SYS 1 R2 8 1 0x7f00000%02x000 8\n' "$1"
  printf '0020 ffffffff 1 R4 LDL 1 R1 4 1 0x10 0\n0030 ffffffff 0 BAR.SYNC 0 0\n%s' "${2:-}"
  printf 'warp = 1\ninsts = 2\n0030 ffffffff 0 BAR.SYNC 0 0\n0040 ffffffff 0 EXIT 0 0\n#END_TB\n'
}
imports() { "$gmmu" import "$dir/t/kernelslist.g" -o "$dir/t.gmt" "$@"; }
mkdir "$dir/t"
{ echo "$head"; block 0; block 1; } >"$dir/t/kernel-1.traceg"
printf 'MemcpyHtoD,0x7f0000000000,8192\nkernel-1.traceg\nMemcpyDtoH,0x7f0000000000,16\nkernel-1.traceg\n' >"$dir/t/kernelslist.g"

try "a list of two kernels" imports
try "the file is sound" "$gmmu" info --verify "$dir/t.gmt"
try "summary: kernels, blocks, instructions" sh -c "'$gmmu' import '$dir/t/kernelslist.g' -o '$dir/t.gmt' |
  grep -q '2 kernels of 2, 4 blocks, 24 warp instructions (8 access memory)'"
try "summary as JSON" sh -c "'$gmmu' import --json '$dir/t/kernelslist.g' -o '$dir/t.gmt' | '$json'"
try "it runs" "$gmmu" run --gpu qv100 -s gpu.sms=2 -s run.check=true --design ideal,sharedtlb "$dir/t.gmt"
imports >/dev/null && cp "$dir/t.gmt" "$dir/plain.gmt"
for tool in xz zstd; do
  if command -v $tool >/dev/null; then
    $tool -q -f --rm "$dir/t/kernel-1.traceg" 2>/dev/null || $tool -q -f "$dir/t/kernel-1.traceg"
    try "$tool: found beside the name in the list" imports
    try "$tool: the same file" cmp "$dir/t.gmt" "$dir/plain.gmt"
    $tool -q -d -f --rm "$dir"/t/kernel-1.traceg.* 2>/dev/null || $tool -q -d -f "$dir"/t/kernel-1.traceg.*
  else
    skip "$tool: the same file" "no $tool"
  fi
done

# ---- .tracez, and without importing
export XDG_CACHE_HOME="$dir/cache"
mkdir "$XDG_CACHE_HOME" "$dir/z"
"$to_tracez" "$dir/t/kernel-1.traceg" "$dir/z/kernel-1-ctx_0x12.tracez" 2
printf 'MemcpyHtoD,0x7f0000000000,8192\nkernel-1-ctx_0x12.tracez\nMemcpyDtoH,0x7f0000000000,16\nkernel-1-ctx_0x12.tracez\n' >"$dir/z/kernelslist.g"
try "tracez" "$gmmu" import "$dir/z/kernelslist.g" -o "$dir/t.gmt"
try "tracez: the same file" cmp "$dir/t.gmt" "$dir/plain.gmt"
stats() { "$gmmu" run --json --gpu qv100 -s gpu.sms=2 --design ideal,sharedtlb "$1" | sed 's/[^ ]*\(plain\|kernelslist\)[^ ]*//'; }
stats "$dir/plain.gmt" >"$dir/recorded"
for list in t z; do
  stats "$dir/$list/kernelslist.g" >"$dir/direct"
  try "$list/kernelslist.g runs as its import does" cmp "$dir/direct" "$dir/recorded"
done
try "and there is something to compare" grep -q '"cycles": [1-9]' "$dir/recorded"
try "one kernel of it, in its own folder" sh -c "cd '$dir/z' && '$gmmu' run --gpu qv100 -s gpu.sms=2 kernel-1-ctx_0x12.tracez | grep -q '^kernel-1-ctx_0x12 '"
try "imported once" [ "$(find "$dir/cache/gmmu" -name '*.gmt' | wc -l)" -eq 3 ]
try "record takes it, too" "$gmmu" record -o "$dir/r.gmt" "$dir/z/kernelslist.g"
try "explain, too" sh -c "'$gmmu' explain --gpu qv100 -s gpu.sms=2 --causes '$dir/z/kernelslist.g' | grep -q 'kernelslist takes'"
try "arrays are called by what is known of them" sh -c "'$gmmu' run --gpu qv100 -s gpu.sms=2 --by array '$dir/z/kernelslist.g' >'$dir/by' &&
  grep -q '^copied 0x7f0000000000 ' '$dir/by' && grep -q '^local memory 0x7e8000000000 ' '$dir/by'"
try "lines are PCs" sh -c "'$gmmu' run --gpu qv100 -s gpu.sms=2 --by line '$dir/z/kernelslist.g' | grep -q '^k, PC 0x10 *k *copied 0x7f0000000000'"
try "no warning on its own generation" sh -c "! '$gmmu' run --gpu v100 -s gpu.sms=2 '$dir/z/kernelslist.g' 2>&1 | grep machine.code"
for gpu in maxwell rtx3080; do
  try "one warning on another: $gpu" sh -c "[ \"\$('$gmmu' run --gpu $gpu -s gpu.sms=2 --design ideal,sharedtlb '$dir/t.gmt' 2>&1 >/dev/null |
    grep -c 't is machine code of Volta (sm_70), $gpu is')\" -eq 1 ]"
done
sed 's/^-shmem = 0/-shmem = 230000/;s/^-nregs = 16/-nregs = 255/;s/version = 70/version = 90/;s/(64,1,1)/(1024,1,1)/' "$dir/t/kernel-1.traceg" >"$dir/z/large.traceg"
try "a block larger than an SM runs on any GPU" "$gmmu" run --gpu maxwell -s gpu.sms=2 "$dir/z/large.traceg"
head -c 300 "$dir/z/kernel-1-ctx_0x12.tracez" >"$dir/z/cut.tracez"
wants 1 'cut.tracez: byte [0-9]*: the index is said to lie' "a cut .tracez" run "$dir/z/cut.tracez"
echo kernel-1-ctx_0x13.tracez >>"$dir/z/kernelslist.g"
wants 1 'kernelslist.g:5: a kernel of context 0x13 after those of 0x12' "two contexts in a list" import "$dir/z/kernelslist.g" -o "$dir/x.gmt"
cp "$dir/z/kernel-1-ctx_0x12.tracez" "$dir/z/kernel-1-ctx_0x13.tracez"
try "run takes each context as an application" sh -c "'$gmmu' run --gpu qv100 -s gpu.sms=2 --design ideal '$dir/z/kernelslist.g' >'$dir/contexts' &&
  grep -q '^kernelslist#1 .*kernelslist.g:context=0x12$' '$dir/contexts' && grep -q '^kernelslist#2 .*kernelslist.g:context=0x13$' '$dir/contexts'"
try "one of them by itself" sh -c "'$gmmu' run --gpu qv100 -s gpu.sms=2 --design ideal '$dir/z/kernelslist.g:context=0x13' | grep -q '^ideal *kernelslist '"
wants 2 'no kernel of context 0x14' "a context that is not there" run --gpu qv100 -s gpu.sms=2 "$dir/z/kernelslist.g:context=0x14"
try "--context takes one" sh -c "'$gmmu' import --context 0x12 '$dir/z/kernelslist.g' -o '$dir/t.gmt' | grep -q '2 kernels of 3'"
sed -i 's/kernel-1-ctx_0x12.tracez/kernel-1-ctx_0x12.trace/;$d' "$dir/z/kernelslist.g"
try "the tracer's own list finds grouped traces" "$gmmu" import "$dir/z/kernelslist.g" -o "$dir/t.gmt"

try "--kernels takes some" sh -c "'$gmmu' import --kernels 2-2 '$dir/t/kernelslist.g' -o '$dir/t.gmt' | grep -q '1 kernels of 2'"
wants 1 'not among the 2' "--kernels beyond the list" import --kernels 5- "$dir/t/kernelslist.g" -o "$dir/x.gmt"
wants 2 'numbers from 1' "--kernels must be numbers" import --kernels 0 "$dir/t/kernelslist.g" -o "$dir/x.gmt"

# ---- what is wrong in the files
{ echo "$head"; block 0; } >"$dir/t/kernel-1.traceg"
try "a missing block is noted" sh -c "'$gmmu' import '$dir/t/kernelslist.g' -o '$dir/t.gmt' | grep -q '2  thread blocks that are not'"
try "and does nothing" "$gmmu" run --gpu qv100 -s gpu.sms=2 --design ideal "$dir/t.gmt"
{ echo "$head"; block 0 '0040 1 0 FROB.X 0 0
'; block 1; } >"$dir/t/kernel-1.traceg"
try "an unknown opcode is named" sh -c "'$gmmu' import '$dir/t/kernelslist.g' -o '$dir/t.gmt' | grep -q '2  FROB.X'"
try "a wrong count is noted with its place" sh -c "'$gmmu' import '$dir/t/kernelslist.g' -o '$dir/t.gmt' |
  grep -q '2  warps with another number.*kernel-1.traceg:[0-9]'"
{ echo "$head"; block 0; block 0; } >"$dir/t/kernel-1.traceg"
wants 1 'kernel-1.traceg:[0-9]*: thread block 0,0,0 comes a second time' "a block twice" import "$dir/t/kernelslist.g" -o "$dir/x.gmt"
{ echo "$head"; block 0; } | head -n 16 >"$dir/t/kernel-1.traceg"
wants 1 'kernel-1.traceg:[0-9]*: the file ends inside thread block 0,0,0' "a cut file" import "$dir/t/kernelslist.g" -o "$dir/x.gmt"
try "nothing is left behind" sh -c "! ls '$dir'/x.gmt* 2>/dev/null"
rm "$dir/t/kernel-1.traceg"
wants 1 'kernel-1.traceg: cannot open: No such file' "a trace that is not there" import "$dir/t/kernelslist.g" -o "$dir/x.gmt"
wants 1 'No such file' "a list that is not there" import "$dir/none.g" -o "$dir/x.gmt"
: >"$dir/t/empty.g"
wants 1 'no line names a kernel' "an empty list" import "$dir/t/empty.g" -o "$dir/x.gmt"

finish
