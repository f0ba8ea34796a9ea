#!/usr/bin/env bash
# What libcudart has and what the headers declare are the same: exports.sh LIBRARY HEADERS ABSENT CLANG. Output is TAP.
set -u
library=$1 headers=$2 absent=$3 clang=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v nm >/dev/null || { echo "1..0 # SKIP no nm"; exit 0; }

# Names of the binary interface alone: calls that compilers write, variants of the default stream per thread, the
# launch of CUDA 6 and before, versions that newer headers put behind the old name, and the structure of CUDA 11.
internal='^__cuda|_pt[sd][zs]$|^cuda(ConfigureCall|GetDeviceProperties|SetupArgument|Launch|EventElapsedTime_v2|CreateTextureObject_v2|GmmuColours|GmmuContent|GmmuMallocAt|GmmuManaged|GmmuName|GmmuRange|GmmuSetColours|StreamGetCaptureInfo)$'
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort -u >"$dir/all"
sed -n 's/^ROW(\(.*\))$/\1/p' "$absent" | sort -u >"$dir/absent"
comm -23 "$dir/all" "$dir/absent" | grep '^cuda' | grep -Ev "$internal" >"$dir/has"

printf '#include <cuda_runtime_api.h>\n#include <cuda_gl_interop.h>\n#include <cuda_profiler_api.h>\n' >"$dir/all.c"
"$clang" -x c -E -P -isystem "$headers" "$dir/all.c" >"$dir/text" || { echo "Bail out! the headers do not compile as C"; exit 1; }
grep -oE '\bcuda[A-Z][A-Za-z0-9_]*\(' "$dir/text" | tr -d '(' | sort -u >"$dir/declared"

n=0
none() { # name of the test, file: what should not be
  n=$((n + 1))
  [ ! -s "$2" ] && echo "ok $n - $1" && return
  echo "not ok $n - $1"
  sed 's/^/# /' "$2"
}
[ "$(wc -l <"$dir/has")" -gt 150 ] && : >"$dir/few" || echo "only $(wc -l <"$dir/has") names in $library" >"$dir/few"
none "the library's names are read" "$dir/few"
comm -23 "$dir/has" "$dir/declared" >"$dir/missing"
none "every function of the library is declared" "$dir/missing"
comm -13 "$dir/all" "$dir/declared" >"$dir/invented"
none "every function that is declared is in the library" "$dir/invented"
echo "1..$n"
