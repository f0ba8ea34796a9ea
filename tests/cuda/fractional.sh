#!/usr/bin/env bash
# Fractional GPUs in software: fractional.sh GMMU FOLDER EXAMPLES [all|functional]
# The property program and the example, built with `gmmu cc` (and by nvcc where it is installed), without timing and
# live; what a launch costs is printed. Output is TAP.
set -u
gmmu=$(realpath "$1") source=$2 examples=$3 how=${4:-all}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
result() { # status, name
  n=$((n + 1))
  [ "$1" = 0 ] && echo "ok $n - $2" && return
  echo "not ok $n - $2"
  head -n 20 "$dir/err" "$dir/out" 2>/dev/null | sed 's/^/# /'
}
command -v clang >/dev/null || command -v clang-14 >/dev/null || { echo "1..0 # SKIP no clang"; exit 0; }
for p in "$source/fractional" "$examples/vector_add"; do
  "$gmmu" cc -Xcompiler -Wall -o "$dir/${p##*/}" "$p.cu" >"$dir/out" 2>"$dir/err"
  result $? "gmmu cc ${p##*/}.cu"
done

"$gmmu" run --functional -- "$dir/fractional" >"$dir/out" 2>"$dir/err"
result $? "the same results as plain kernels, without timing"
cp "$dir/out" "$dir/functional"
if [ "$how" = all ]; then
  for gpu in gtx1080 v100; do
    "$gmmu" run --live --gpu $gpu -o "$dir/table" -- "$dir/fractional" >"$dir/out" 2>"$dir/err" && cmp "$dir/functional" "$dir/out"
    result $? "the same results as plain kernels, on the SMs of the part, live on $gpu"
    sed "s/^/# $gpu: /" "$dir/err"
    grep -q 'persistent [1-9]' "$dir/err"
    result $? "what a launch costs on $gpu is printed"
  done
fi

# The machine gives the process SMs 0 to 3: a part elsewhere is an error, and no endless loop.
"$gmmu" run --live --gpu gtx1080 --sms 4 -o "$dir/table" -- "$dir/fractional" foreign 4 >"$dir/out" 2>"$dir/err"
result $? "a part on SMs of others is refused"
"$gmmu" run --live --gpu gtx1080 --sms 4 -o "$dir/table" -- "$dir/fractional" foreign 3 >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q 'wrong: SMs of others' "$dir/out"
result $? "and one on its own is not"

"$gmmu" run --live --gpu gtx1080 -o "$dir/table" -- "$dir/vector_add" 1 2 8192 >"$dir/out" 2>"$dir/err" &&
  grep -q '^part 1 of 2: SMs 10 to 19' "$dir/out" && grep -q '^right$' "$dir/out"
result $? "the example adds vectors on half of a GPU"
sed 's/^/# /' "$dir/out"

# Two of them at once, each block of both free to start anywhere: SMs and colours are kept to by software alone. --check
# ends the run if an L2 set or bank is used by both. A colour that is another's is refused.
two() { # part of the first, of the second, options
  first=$1 second=$2
  shift 2
  "$gmmu" run --live --gpu gtx1080 -s mem.manager=coloured -s mem.page=4K -s share.mode=threads -s share.threads=100 "$@" -o "$dir/table" \
    -- "$dir/vector_add" "$first" 2 4096 -- "$dir/vector_add" "$second" 2 4096 >"$dir/out" 2>"$dir/err"
}
if [ "$how" = all ]; then
  two 0 1 --check && [ "$(grep -c '^right$' "$dir/out")" = 2 ] && grep -q '0 to 9, page colours 0x1;' "$dir/out" &&
    grep -q '10 to 19, page colours 0x2;' "$dir/out"
  result $? "two programs, each on its SMs and in its colours"
  two 1 0 --check -s 'mem.colours=0 1; 0 1' && [ "$(grep -c '^right$' "$dir/out")" = 2 ]
  result $? "which they choose from what they are given"
  ! two 1 0 && grep -q 'fgpu_open.*invalid argument' "$dir/err"
  result $? "and from nothing else"
fi

# NVIDIA's headers are found first, ours after them.
if command -v nvcc >/dev/null; then
  nvcc -cudart shared -arch=compute_80 -isystem "$source/../../include/cuda" -o "$dir/nvcc" "$source/fractional.cu" >"$dir/out" 2>"$dir/err" &&
    "$gmmu" run --functional -- "$dir/nvcc" >"$dir/out" 2>"$dir/err" && cmp "$dir/functional" "$dir/out"
  result $? "built by nvcc: the same results"
else
  n=$((n + 1))
  echo "ok $n - built by nvcc # SKIP no nvcc"
fi
echo "1..$n"
