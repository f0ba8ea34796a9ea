#!/usr/bin/env bash
# The programs built by nvcc, with the compatibility header, run as they are: nvcc.sh GMMU FOLDER
# HEADERS NAME... Output is TAP; nothing is done where nvcc is not installed.
set -u
gmmu=$(realpath "$1") source=$2 headers=$3
shift 3
command -v nvcc >/dev/null || { echo "1..0 # SKIP no nvcc"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/headers" && cp "$headers"/gmmu_content.h "$headers"/gmmu_name.h "$dir/headers" # not those that nvcc has
n=0
for name; do
  n=$((n + 1))
  files=("$source/$name.cu")
  [ ! -f "$source/${name}_second.cu" ] || files+=("$source/${name}_second.cu")
  want=0
  case $name in bad_address | misaligned | asserting) want=1 ;; esac
  link=$(sed -n '1,2s|^/\* link: \(.*\) \*/$|\1|p' "$source/$name.cu") # what it needs beside libcudart
  case $link in *-std=*) ;; *) link="$link -std=c++17" ;; esac
  # shellcheck disable=SC2086  # a list of words on purpose
  if nvcc $link -cudart shared -arch=compute_80 -include "$headers/gmmu_compat.h" -I "$headers/stubs" -I "$dir/headers" -o "$dir/$name" "${files[@]}" >"$dir/err" 2>&1 &&
    { "$gmmu" run --functional -- "$dir/$name" >"$dir/out" 2>"$dir/err"; [ $? = $want ]; } && grep -q "^$name: PASS" "$dir/out"; then
    echo "ok $n - $name"
  else
    echo "not ok $n - $name"
    head -n 20 "$dir/err" "$dir/out" 2>/dev/null | sed 's/^/# /'
  fi
done
echo "1..$n"
