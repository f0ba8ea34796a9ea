#!/bin/sh
# The libraries from outside: test_libs.sh FOLDER SOURCE. Names, versions, dependencies, documentation.
set -u
libs=$1 source=$2 n=0
check() { # NAME COMMAND...
  n=$((n + 1))
  label=$1
  shift
  if out=$("$@" 2>&1); then echo "ok $n - $label"; else
    echo "not ok $n - $label"
    printf '%s\n' "$out" | sed 's/^/# /'
  fi
}
exported() { nm -D --defined-only "$libs/$1" | sed -n 's/.* T //p' | sort -u; }
versioned() {
  exported "$1" | grep -v "@@$1\$" && return 1
  [ "$(exported "$1" | wc -l)" -gt 400 ]
}
soname() { readelf -d "$libs/$1" | grep -q "SONAME.*\[$1\]"; }
only_libc() { ! readelf -d "$libs/$1" | grep NEEDED | grep -vE '\[(libc|libpthread|libdl|ld-linux[a-z0-9-]*)\.so'; }
# Every name of NVIDIA's library, where that is installed, is in ours.
complete() {
  dir=$(mktemp -d)
  nm -D --defined-only $real | sed -n 's/.* T \([^@]*\).*/\1/p' | sort -u >"$dir/real"
  exported libcudart.so.13 | sed 's/@.*//' | sort -u >"$dir/ours"
  missing=$(comm -23 "$dir/real" "$dir/ours")
  rm -rf "$dir"
  [ -z "$missing" ] || { echo "$missing"; return 1; }
}
current() { "$source/scripts/gen-cudart-doc.sh" "$source" | diff - "$source/docs/cuda-runtime.md"; }

echo 1..11
for l in libcudart.so.11.0 libcudart.so.12 libcudart.so.13; do
  check "$l: every name has the library's version" versioned $l
  check "$l: soname" soname $l
  check "$l: needs libc only" only_libc $l
done
real=/usr/local/cuda/lib64/libcudart.so.13
if [ -e $real ]; then
  check "every name of NVIDIA's library is there" complete
else
  n=$((n + 1))
  echo "ok $n - every name of NVIDIA's library is there # SKIP it is not installed"
fi
check "docs/cuda-runtime.md lists what the source has" current
