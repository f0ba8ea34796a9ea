#!/usr/bin/env bash
# One program of this folder, from source to results: program.sh GMMU FOLDER NAME [functional|all|soak]
# Built with `gmmu cc`, run without timing and on two GPUs: every run must pass its own check and print
# the same. A program that begins with the mark "short" takes long: unless this is a soak, it runs live on one GPU and, there and
# under the sanitizers, with the argument "short". Output is TAP.
set -u
gmmu=$(realpath "$1") source=$2 name=$3 how=${4:-all}
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
# Headers that are not ours: a program that needs them is left out where they are not, and says so.
for header in $(sed -n '1,2s|^/\* needs: \(.*\) \*/$|\1|p' "$source/$name.cu"); do
  [ -e "/usr/include/$header" ] || { echo "1..0 # SKIP no <$header> (apt install libthrust-dev libcub-dev)"; exit 0; }
done
files=("$source/$name.cu")
[ ! -f "$source/${name}_second.cu" ] || files+=("$source/${name}_second.cu")
link=$(sed -n '1,2s|^/\* link: \(.*\) \*/$|\1|p' "$source/$name.cu") # what it needs beside libcudart
# clang takes most of the time of a test, and what it makes does not depend on how gmmu was built: in a check the
# sanitizers run what the release build's test has compiled, if that is there already.
shared=${GMMU_BUILDS:+$GMMU_BUILDS/programs}
if [ "$how" = functional ] && [ -n "$shared" ] && [ -x "$shared/$name" ]; then
  cp "$shared/$name" "$dir/$name"
else
  # shellcheck disable=SC2086  # a list of words on purpose
  "$gmmu" cc $link -Xcompiler -Wall -o "$dir/$name" "${files[@]}" >"$dir/out" 2>"$dir/err"
  result $? "$name: gmmu cc"
  if [ -d "$shared" ] && [ -x "$dir/$name" ]; then cp "$dir/$name" "$shared/$$" && mv "$shared/$$" "$shared/$name"; fi
fi

short='' gpus="maxwell qv100"
if [ "$how" != soak ] && sed 3q "$source/$name.cu" | grep -qx '/\* short \*/'; then short=short gpus=maxwell; fi

# Programs that provoke a fault check its code; gmmu then says what happened and returns 1.
want=0
case $name in bad_address | misaligned | asserting) want=1 ;; esac
run() { # label, options: the program passes
  label=$1
  shift
  # shellcheck disable=SC2086  # a word or none
  "$gmmu" run "$@" -- "$dir/$name" $argument >"$dir/out" 2>"$dir/err"
  status=$?
  [ $status = $want ] && grep -q "^$name: PASS" "$dir/out"
  result $? "$name: $label"
}
argument=
[ "$how" != functional ] || argument=$short
run functional --functional
cp "$dir/out" "$dir/functional"
if [ "$how" != functional ]; then
  argument=$short
  for gpu in $gpus; do
    run "live on $gpu" --live --gpu $gpu -o "$dir/table"
    cmp "$dir/functional" "$dir/out" >"$dir/err" 2>&1
    result $? "$name: $gpu prints what the functional run prints"
  done
fi
echo "1..$n"
