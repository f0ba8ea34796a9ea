#!/bin/sh
# libgmmu.so exports what libgmmu.map lists, which is what the installed headers declare.
set -u
root=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
same() { # NAME FILE FILE
  n=$((n + 1))
  if diff "$2" "$3" >"$work/diff"; then echo "ok $n - $1"; else echo "not ok $n - $1" && sed 's/^/# /' "$work/diff"; fi
}
declared() { # functions and tables of a header, its comments left out
  sed -e 's|/\*.*\*/||' "$1" | awk '/\/\*/ { inside = 1 } !inside { print } /\*\// { inside = 0 }' |
    grep -oE '\b(gmmu|err|mm)_[a-z_]+(\(|\[\])' | tr -d '([]'
}

echo 1..3
sed -n 's/^    \([a-z_]*\);$/\1/p' "$root/src/api/libgmmu.map" | sort >"$work/listed"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
same "the library exports what the list names" "$work/listed" "$work/exported"
for h in err gmmu mm; do declared "$root/include/gmmu/$h.h"; done | sort -u >"$work/declared"
same "the list names what the headers declare" "$work/listed" "$work/declared"
sed -n 's/^ \([a-z_]*\)@GMMU_1 .*/\1/p' "$root/debian/libgmmu1.symbols" | sort >"$work/packaged"
same "so does the package's list" "$work/listed" "$work/packaged"
