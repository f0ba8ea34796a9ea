#!/bin/sh
# Programs of their own in all ways they can run and end; those of tests/cuda check what they compute.
# shellcheck disable=SC2016  # what runs in a shell of its own
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
if ! command -v clang >/dev/null && ! command -v clang-14 >/dev/null; then
  echo "1..0 # SKIP no clang"
  exit 0
fi
cd "$dir" || exit 1
source=$root/tests/cli/programs
try "gmmu cc builds the programs" "$gmmu" cc -o ways "$source/ways.cu"
try "and old ones" "$gmmu" cc -include gmmu_compat.h -o suite "$source/suite.cu"
small="--gpu maxwell -s gpu.sms=2"
live="--live $small"

# runs STATUS OUTPUT NAME ARGUMENTS...: gmmu ends so, and the program has printed that before all else ("": anything)
runs() {
  status=$1 output=$2 label=$3
  shift 3
  "$gmmu" "$@" >out 2>err
  got=$?
  first=$(sed -n "1,$(printf '%s\n' "$output" | wc -l)p" out)
  if [ $got = "$status" ] && { [ "$output" = "" ] || [ "$first" = "$output" ]; }; then
    pass "$label"
  else
    fail "$label" "status $got: $(cat err out)"
  fi
}

printed="before
kernel 1 thread 0
kernel 1 thread 1
between
kernel 2 thread 0
after"
for how in --functional "$live" "$small"; do
  name=${how%% *}
  [ "$how" != "$small" ] || name=recorded
  # shellcheck disable=SC2086  # words
  {
    runs 0 worked "$name: it works" run $how -- ./ways
    runs 0 worked "$name: from several threads" run $how -- ./ways threads
    runs 0 worked "$name: after resets" run $how -- ./ways reset
    runs 0 "$printed" "$name: what kernels print comes in order" run $how -- ./ways print
    runs 0 23552 "$name: malloc in kernels" run $how -- ./ways heap
    runs 0 6 "$name: a variable is the first thing a kernel uses" run $how -- ./ways variable
    runs 0 "started
11029267913437124289" "$name: a long loop without stores is no failure" run $how -- ./ways long
    for code in 700 716 719 710 702; do
      runs 1 "$code $code 0 1" "$name: error $code stays until a reset, then kernels run again" run $how -- ./ways $code
      try "$name: error $code is told to the user too" sh -c '[ "$(wc -l <err)" = 1 ] && grep -q "^gmmu: .*kernel " err'
    done
    runs 1 "" "$name: a request that makes no sense ends it" run $how -- ./ways nonsense
    try "$name: which is told" sh -c '[ "$(wc -l <err)" = 1 ] && grep -q "^gmmu: .*request number 99" err'
    try "$name: and nothing of it is left" sh -c "! kill -0 $(sed -n 's/^left //p' out) 2>/dev/null"
    runs 1 "" "$name: an end inside a request is a failure" run $how -- ./ways inside
    try "$name: which is told" grep -q "ended with status 0 in the middle of a request" err
    runs 1 "" "$name: a death in a kernel ends the kernel" run $how -- ./ways die
    try "$name: which is told" grep -q "ended with status 142 while its kernel ran" err
    runs 0 "" "$name: a program may leave a process behind" run $how -- ./ways leave
    try "$name: which ends with it" sh -c "! kill -0 $(sed -n 's/^left //p' out) 2>/dev/null"
  }
done
printf '8 4\n' >grid
seq 32 >>grid
for how in --functional "$small"; do
  # shellcheck disable=SC2086
  runs 0 "Test PASSED 3 steps" "${how%% *}: a program in the old manner" run $how -- ./suite grid out.txt 3
  try "${how%% *}: its file is there" sh -c '[ "$(wc -l <out.txt)" = 32 ]'
  mv out.txt "out${how%% *}.txt"
done
try "both files are the same" cmp ./out--functional.txt ./out--gpu.txt

# ---- ends
runs 3 "" "functional: the program's status is ours" run --functional -- ./ways status
runs 134 "" "functional: a program that crashes" run --functional -- ./ways crash
# shellcheck disable=SC2086
{
  runs 1 "" "live: a program's status is a failure" run $live -- ./ways status
  try "live: which is told" grep -q "status 3" err
  runs 1 "" "live: so is a crash" run $live -- ./ways crash
  wants 1 "ended with status 4 before it called CUDA" "live: a program that ends early" run $live -- ./ways early
  wants 1 "ended without calling CUDA" "live: a program without CUDA" run $live -- ./ways nothing
}
wants 1 "cannot run ./nowhere" "a program that is not there" run --functional -- ./nowhere
wants 2 "ended without calling CUDA" "record: a program without CUDA" record -o x.gmt -- ./ways nothing
try "and no file" test ! -e x.gmt

# ---- how often it is started
# started LABEL TIMES OPTIONS...: the program appends 12 lines to a file each time it is started
started() {
  label=$1 times=$2
  shift 2
  rm -f lines
  "$gmmu" run -o table "$@" -- ./ways lines lines >out 2>err
  got=$?
  if [ $got = 0 ] && [ "$(wc -l <lines)" = $((12 * times)) ] && [ "$(grep -c end lines)" = "$times" ]; then
    pass "$label"
  else
    fail "$label" "status $got, $(wc -l <lines) lines: $(cat err)"
  fi
}
# shellcheck disable=SC2086
{
  started "a program is started once" 1 $small
  started "under several designs, too" 1 $small --design ideal,sharedtlb,pwcache
  started "and beside an application that takes longer" 1 $small stream:steps=60
  started "and if the run goes on after it" 1 $small --min-cycles 300000
  started "live, once" 1 --live $small
  started "live, once per design" 2 --live $small --design ideal,sharedtlb
  started "live, once beside an application that takes longer" 1 --live $small stream:steps=60
  started "live, once if the run goes on after it" 1 --live $small --min-cycles 300000
}
mkdir temporary
# shellcheck disable=SC2086
TMPDIR=$dir/temporary "$gmmu" run -o table $small -- ./ways >out 2>err
try "nothing of a recording is left" test -z "$(ls temporary)"
# shellcheck disable=SC2086
TMPDIR=$dir/temporary "$gmmu" run -o table $small -- ./ways 700 >out 2>err
try "nor if it fails" test -z "$(ls temporary)"
# shellcheck disable=SC2086
TMPDIR=$dir/nowhere wants 1 "no place for a recording in .*nowhere" "a folder that is not there" run $small -- ./ways
wants 2 "live is for programs" "only programs are live" run --live stream
wants 2 "no machine to run on" "functional is not live" run --live --functional -- ./ways

# ---- several programs, several designs, JSON, recordings
# shellcheck disable=SC2086
{
  "$gmmu" run --json -o two.json $small --design sharedtlb,ideal -- ./ways -- ./ways reset >out 2>err
  try "two programs under two designs" sh -c "[ $? = 0 ] && '$json' <two.json"
  try "each prints once" sh -c '[ "$(grep -c worked out)" = 2 ]'
  try "each is there under each design" sh -c '[ "$(grep -c "\"name\": \"ways" two.json)" -ge 4 ]'
  "$gmmu" run --json -o again.json $small -- ./ways long -- ./ways >out 2>err
  try "a recording that ends first is replayed again" sh -c "[ $? = 0 ] && '$json' <again.json"
  try "and prints once" sh -c '[ "$(grep -c worked out)" = 1 ]'
}
"$gmmu" run --functional --json -o f.json -- ./ways >out 2>err
try "functional JSON" sh -c "'$json' <f.json && grep -q '\"launches\": 3' f.json"
"$gmmu" record -o ways.gmt -- ./ways >out 2>err
try "a recording" sh -c "[ $? = 0 ] && grep -q worked out"
insts=$(sed -n 's/.*"warp_instructions": \([0-9]*\).*/\1/p' f.json | head -n 1)
# shellcheck disable=SC2086
"$gmmu" run --json -o replay.json $small --no-relaunch ways.gmt
try "has the same instructions" grep -q "\"warp_instructions\": $insts," replay.json
"$gmmu" record -o bad.gmt -- ./ways 700 >out 2>err
try "a recording of a program whose kernel fails" sh -c "[ $? = 1 ] && [ ! -e bad.gmt ] && grep -q '^700 700 0 1' out"

# ---- Ctrl-C
# interrupted LABEL ARGUMENTS...: SIGINT when the program has started
interrupted() {
  what=$1
  shift
  "$gmmu" "$@" >out 2>err &
  pid=$!
  await 30 grep -q started out
  sleep 0.5
  child=$(cat "/proc/$pid/task/$pid/children")
  child="$child $(for c in $child; do cat "/proc/$c/task/$c/children"; done)" # the keeper's: the program
  stop INT $pid
  try "$what: status 130" test $? = 130
  # shellcheck disable=SC2086
  try "$what: the program is gone" sh -c "[ $(echo $child | wc -w) = 2 ] && for c in $child; do ! kill -0 \$c 2>/dev/null || exit 1; done"
}
# shellcheck disable=SC2086
{
  interrupted "Ctrl-C in a kernel" run $live -- ./ways endless
  try "the table so far" grep -q "(partial)" out
  interrupted "Ctrl-C in the host's code" run $live -- ./ways sleep
  interrupted "Ctrl-C, while it is recorded for a run" run $small -- ./ways endless
  interrupted "Ctrl-C, functional" run --functional -- ./ways endless
  interrupted "Ctrl-C, recording" record -o x.gmt -- ./ways endless
  try "no recording is left" sh -c "! ls x.gmt* 2>/dev/null"
}

# ---- what only NVIDIA's compiler makes
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -n "${NO_NVCC:-}" ]; then
  skip "what nvcc builds" "in another build's tests"
elif [ -x "$nvcc" ]; then
  arch=$("$nvcc" --list-gpu-arch | head -n 1)
  number=${arch#compute_}
  ptx="-gencode arch=$arch,code=$arch"
  # shellcheck disable=SC2086
  {
    for mode in default size speed balance none; do
      "$nvcc" --compress-mode=$mode -cudart shared $ptx -o n "$source/ways.cu" 2>err ||
        { skip "nvcc, compress mode $mode" "this nvcc has none"; continue; }
      runs 0 worked "nvcc, compress mode $mode" run --functional -- ./n
    done
    "$nvcc" -rdc=true -cudart shared $ptx -o n "$source/ways.cu" 2>err
    runs 0 worked "nvcc -rdc=true" run --functional -- ./n
    if "$nvcc" --legacy-launch-seq -cudart shared $ptx -o n "$source/ways.cu" 2>err; then
      runs 0 worked "nvcc --legacy-launch-seq" run --functional -- ./n
    else
      skip "nvcc --legacy-launch-seq" "this nvcc has none"
    fi
    "$nvcc" -cudart shared $ptx -o n "$source/managed.cu" 2>err
    for how in --functional "$live" "$small"; do
      runs 0 "8 3" "nvcc, managed variables: $how" run $how -- ./n
    done
    "$nvcc" -cudart static $ptx -o n "$source/ways.cu" 2>err
    wants 2 "link it with nvcc -cudart shared" "a static runtime is refused with one sentence" run --functional -- ./n
    "$nvcc" -cudart shared -gencode "arch=$arch,code=sm_$number" -o n "$source/ways.cu" 2>err
    "$gmmu" run --functional -- ./n >out 2>err
    try "without PTX it says how to rebuild, once" sh -c '[ "$(grep -c "^gmmu: .*PTX" err)" = 1 ]'
  }
else
  skip "what nvcc builds" "no nvcc"
fi

# What a program needs of NVIDIA's: the last line names it and says what to do. Stand-ins for the libraries are made here.
mkdir -p nv
last() { # NAME STATUS PATTERN ARGUMENTS...: gmmu ends so, and its last line matches
  label=$1 status=$2 pattern=$3
  shift 3
  LD_LIBRARY_PATH=$dir/nv "$gmmu" "$@" >both 2>&1
  got=$?
  if [ $got = "$status" ] && tail -n 1 both | grep -q "^gmmu: .*$pattern"; then pass "$label"; else fail "$label" "status $got: $(cat both)"; fi
}
echo 'int cutensorCreate(void **h) { *h = 0; return 1; }' >cutensor.c
echo 'int cuTexRefCreate(void **m) { *m = 0; return 0; }' >driver.c
clang=$(command -v clang || command -v clang-14)
"$clang" -shared -fPIC -Wl,-soname,libcutensor.so.2 cutensor.c -o nv/libcutensor.so.2
"$clang" -shared -fPIC -Wl,-soname,libcuda.so.1 driver.c -o driver.so
cat >needs.cu <<'END'
extern "C" int cutensorCreate(void **);
__global__ void k(int *p) { *p = 1; }
int main(int argc, char **) {
  void *h;
  int *p;
  if (argc > 1) cudaMalloc(&p, 4), k<<<1, 1>>>(p), cudaDeviceSynchronize();
  return cutensorCreate(&h);
}
END
cat >drives.cu <<'END'
extern "C" int cuTexRefCreate(void **);
int main() {
  void *m;
  int n;
  cudaGetDeviceCount(&n);
  return cuTexRefCreate(&m);
}
END
cat >buffers.cu <<'END'
#include <stdio.h>
extern "C" cudaError_t cudaGLUnregisterBufferObject(unsigned);
__global__ void k(int *p) { *p = 1; }
int main(int argc, char **) {
  int *p;
  cudaMalloc(&p, 4);
  k<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  return cudaGLUnregisterBufferObject(0) == cudaErrorNotSupported && argc > 1 ? 3 : 0;
}
END
try "programs that need more are built" sh -c '"$0" cc needs.cu nv/libcutensor.so.2 -o needs && "$0" cc drives.cu driver.so -Xlinker -z,lazy -o drives && "$0" cc buffers.cu -o buffers' "$gmmu"
small="-s gpu.sms=2"
cutensor='status 1: it needs cuTENSOR (libcutensor.so.2); .*kernels of the program'
# shellcheck disable=SC2086
{
  last "a program that fails in cuTENSOR" 1 "$cutensor" run $small -- ./needs kernels
  try "and the table above it is there" grep -q '^maxwell\|IPC' both
  last "a program that fails in cuTENSOR, live" 1 "$cutensor" run --live $small -- ./needs kernels
  last "a program that fails in cuTENSOR before CUDA" 1 "$cutensor" run $small -- ./needs
  try "and no table of nothing" sh -c '! grep -q IPC both'
  last "a program that fails in cuTENSOR, without timing" 1 'it needs cuTENSOR' run --functional -- ./needs kernels
  last "a program that fails in cuTENSOR, recorded" 1 'it needs cuTENSOR' record -o lib.gmt -- ./needs kernels
  last "a call of the driver that is not there" 1 'cuTexRefCreate of the driver API, of which' run $small -- ./drives
  last "calls of the runtime that are not there come last" 0 'buffers: it asked for what gmmu does not have: cudaGLUnregisterBufferObject$' run $small -- ./buffers
  try "below the table" grep -q IPC both
  last "the same, live" 0 'does not have: cudaGLUnregisterBufferObject$' run --live $small -- ./buffers
  last "calls that are not there, of a program that fails" 1 'status 3: it asked for .*: cudaGLUnregisterBufferObject$' run $small -- ./buffers fail
  last "the same, without timing" 3 'does not have: cudaGLUnregisterBufferObject$' run --functional -- ./buffers fail
  rm nv/libcutensor.so.2
  last "a library that is not installed" 1 'status 127: it needs cuTENSOR (libcutensor.so.2)' run $small -- ./needs
}

# A load a little outside: an error, unless one says otherwise.
cat >beside.cu <<'END'
#include <stdio.h>
__global__ void k(const int *p, int *q, int n) {
  for (int i = (int)threadIdx.x; i < n; i += 32) q[i] = p[i] + 1;
}
int main() {
  int h[96], *p, *q;
  cudaMalloc(&q, sizeof h);
  cudaMalloc(&p, 256); /* the last: nothing is behind it */
  cudaMemset(p, 0, 256);
  k<<<1, 32>>>(p, q, 96);
  if (cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  int sum = 0;
  for (int i = 0; i < 96; i++) sum += h[i];
  printf("%d\n", sum);
}
END
"$gmmu" cc beside.cu -o beside
last "outside is an error" 1 "kernel .*bytes past the end of 'cudaMalloc'" run --functional -- ./beside
for how in --functional "--live $small" "$small"; do
  # shellcheck disable=SC2086
  {
    runs 0 96 "--bounds=ignore $how" run --bounds=ignore $how -- ./beside
    try "--bounds=ignore says nothing $how" test ! -s err
    runs 0 96 "--bounds=warn $how" run --bounds=warn $how -- ./beside
    try "--bounds=warn names kernel, address, distance and how many $how" sh -c "grep -q \"kernel '_Z1k.*0x.*: 0 bytes past the end of 'cudaMalloc'\" err && grep -q ' 32 accesses outside' err && [ \$(wc -l <err) = 2 ]"
  }
done
try "--bounds of a recording" "$gmmu" record --bounds=ignore -o beside.gmt -- ./beside
try "which runs, and checks" "$gmmu" run --check $small beside.gmt
wants 2 '--bounds is error, warn or ignore, not "maybe"' "--bounds of something else" run --bounds=maybe -- ./beside

# ---- programs in studies, stores and explanations
export XDG_CACHE_HOME="$dir/cache"
try "gmmu cc builds the example" "$gmmu" cc -o gather "$root/examples/gather.cu"
printf 'workloads:\n  - -- ./gather 1024\ndesigns: [ideal, native]\nset:\n  l2tlb.entries: [256, 512]\n' >own.yaml
try "a study of a program" sh -c "'$gmmu' sweep --store own.db own.yaml | grep -q '4 have been run, 0 failed'"
try "it was started once" test "$(find cache/gmmu -name 'own-gather-*.gmt' | wc -l)" = 1
try "its runs have its words" sh -c "'$gmmu' export --wide own.db | grep -q -e ',-- ./gather 1024,'"
try "the command of a run works" sh -c "PATH=$(dirname "$gmmu"):$PATH; eval \"$("$gmmu" export own.db --json --query 'SELECT command FROM runs LIMIT 1' | sed -n 's/.*"command": "\(.*\)"$/\1/p')\" | '$json'"
try "run --store of a program" sh -c "'$gmmu' run --store own.db --design native -s gpu.sms=2 -- ./gather 1024 >/dev/null && [ \$('$gmmu' export own.db | wc -l) = 6 ]"
try "explain of a program names its arrays" sh -c "'$gmmu' explain --causes -- ./gather 1024 | grep -q '^cudaMalloc #2'"
printf 'workloads:\n  - -- ./gather 1024\n  - -- ./gather 2048\ndesigns: [ideal]\n' >words.yaml
try "other words are another recording" sh -c "'$gmmu' sweep --store words.db words.yaml >/dev/null && [ \$(find cache/gmmu -name 'own-gather-*.gmt' | wc -l) = 2 ]"
printf 'workloads: -- ./none 1\n' >none.yaml
wants 1 'none' "a study of a program that is not there" sweep --dry-run --store own.db none.yaml
finish
