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
live="--gpu maxwell -s gpu.sms=2 --no-relaunch"

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
for how in --functional "$live"; do
  name=${how%% *}
  # shellcheck disable=SC2086  # words
  {
    runs 0 worked "$name: it works" run $how -- ./ways
    runs 0 worked "$name: from several threads" run $how -- ./ways threads
    runs 0 worked "$name: after resets" run $how -- ./ways reset
    runs 0 "$printed" "$name: what kernels print comes in order" run $how -- ./ways print
    runs 0 23552 "$name: malloc in kernels" run $how -- ./ways heap
    runs 0 "started
11029267913437124289" "$name: a long loop without stores is no failure" run $how -- ./ways long
    for code in 700 716 719 710 702; do
      runs 1 "$code $code 0 1" "$name: error $code stays until a reset, then kernels run again" run $how -- ./ways $code
      try "$name: error $code is told to the user too" sh -c '[ "$(wc -l <err)" = 1 ] && grep -q "^gmmu: .*kernel " err'
    done
  }
done
printf '8 4\n' >grid
seq 32 >>grid
for how in --functional "$live"; do
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

# ---- several programs, several designs, JSON, recordings
# shellcheck disable=SC2086
{
  "$gmmu" run --json -o two.json $live --design sharedtlb,ideal -- ./ways -- ./ways reset >out 2>err
  try "two programs under two designs" sh -c "[ $? = 0 ] && '$json' <two.json"
  try "each prints once" sh -c '[ "$(grep -c worked out)" = 2 ]'
  try "each is there under each design" sh -c '[ "$(grep -c "\"name\": \"ways" two.json)" -ge 4 ]'
  "$gmmu" run --json -o again.json --gpu maxwell -s gpu.sms=2 -- ./ways long -- ./ways >out 2>err
  try "a program that ends first is started again" sh -c "[ $? = 0 ] && '$json' <again.json"
  try "and prints once" sh -c '[ "$(grep -c worked out)" = 1 ]'
}
"$gmmu" run --functional --json -o f.json -- ./ways >out 2>err
try "functional JSON" sh -c "'$json' <f.json && grep -q '\"launches\": 3' f.json"
"$gmmu" record -o ways.gmt -- ./ways >out 2>err
try "a recording" sh -c "[ $? = 0 ] && grep -q worked out"
insts=$(sed -n 's/.*"warp_instructions": \([0-9]*\).*/\1/p' f.json | head -n 1)
# shellcheck disable=SC2086
"$gmmu" run --json -o replay.json $live ways.gmt
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
  for _ in $(seq 300); do
    grep -q started out && break
    sleep 0.1
  done
  sleep 0.5
  child=$(cat "/proc/$pid/task/$pid/children")
  kill -s INT $pid
  for _ in $(seq 300); do
    case $(sed -n 's/^State:[^A-Z]*\(.\).*/\1/p' /proc/$pid/status 2>/dev/null) in Z | "") break ;; esac
    sleep 0.1
  done
  kill -9 $pid 2>/dev/null
  wait $pid
  try "$what: status 130" test $? = 130
  # shellcheck disable=SC2086
  try "$what: the program is gone" sh -c "! kill -0 $child"
}
# shellcheck disable=SC2086
{
  interrupted "Ctrl-C in a kernel" run $live -- ./ways endless
  try "the table so far" grep -q "(partial)" out
  interrupted "Ctrl-C in the host's code" run $live -- ./ways sleep
  interrupted "Ctrl-C, functional" run --functional -- ./ways endless
  interrupted "Ctrl-C, recording" record -o x.gmt -- ./ways endless
  try "no recording is left" sh -c "! ls x.gmt* 2>/dev/null"
}

# ---- what only NVIDIA's compiler makes
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
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
    "$nvcc" -cudart static $ptx -o n "$source/ways.cu" 2>err
    wants 2 "link it with nvcc -cudart shared" "a static runtime is refused with one sentence" run --functional -- ./n
    "$nvcc" -cudart shared -gencode "arch=$arch,code=sm_$number" -o n "$source/ways.cu" 2>err
    "$gmmu" run --functional -- ./n >out 2>err
    try "without PTX it says how to rebuild, once" sh -c '[ "$(grep -c "^gmmu: .*PTX" err)" = 1 ]'
  }
else
  skip "what nvcc builds" "no nvcc"
fi
finish
