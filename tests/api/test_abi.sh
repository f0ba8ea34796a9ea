#!/bin/sh
# The ABI of libgmmu.so.1 is the list of declarations in src/api/libgmmu.abi. A declaration that changed or went needs a new major number, a
# new one a new minor number; scripts/abi.sh says which. Here: the list is that of the headers, and scripts/abi.sh can tell.
set -u
root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
n=0
tell() { # status, NAME
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2" && sed 's/^/# /' "$tree/out"; fi
}
abi() { "$root/scripts/abi.sh" "$tree" >"$tree/out" 2>&1; }
# changed PATTERN NAME HEADER SED: with a header edited so, abi.sh fails and says what matches the pattern
changed() {
  cp "$root"/include/gmmu/*.h "$tree/include/gmmu/"
  sed "$4" "$root/include/gmmu/$3" >"$tree/include/gmmu/$3"
  if cmp -s "$root/include/gmmu/$3" "$tree/include/gmmu/$3"; then
    echo "the edit does nothing" >"$tree/out"
    tell 1 "$2"
    return
  fi
  ! abi && grep -qE "$1" "$tree/out"
  tell $? "$2"
}
same() { # NAME HEADER SED: it holds all the same
  cp "$root"/include/gmmu/*.h "$tree/include/gmmu/"
  sed "$3" "$root/include/gmmu/$2" >"$tree/include/gmmu/$2"
  ! cmp -s "$root/include/gmmu/$2" "$tree/include/gmmu/$2" && abi
  tell $? "$1"
}

echo 1..12
mkdir -p "$tree/include/gmmu" "$tree/src/api"
cp "$root"/src/api/libgmmu.abi "$root"/src/api/meson.build "$tree/src/api/"
"$root/scripts/abi.sh" "$root" >"$tree/out" 2>&1
tell $? "the declarations are those of the list"
changed 'changed or gone.*gmmu_limits_t' "a member more in a struct" gmmu.h 's/  uint32_t wait_for;/  uint32_t wait_for, more;/'
changed 'changed or gone.*err_t' "a longer array in a struct" err.h 's/char key\[64\]/char key[65]/'
changed 'changed or gone.*gmmu_run' "another type of an argument" gmmu.h 's/int gmmu_run(gmmu_t \*m, const gmmu_limits_t/int gmmu_run(gmmu_t *m, gmmu_limits_t/'
changed 'changed or gone.*gmmu_cycles' "a function that went" gmmu.h '/^uint64_t gmmu_cycles/d'
changed 'changed or gone.*iclass_t' "another order of an enum" stream.h 's/IC_FP32,/IC_FP64_,/'
changed 'changed or gone.*GMMU_MAX_APPS' "another constant" types.h 's/GMMU_MAX_APPS 16/GMMU_MAX_APPS 32/'
changed 'new.*gmmu_more' "a new function without a new minor number" gmmu.h 's/^uint64_t gmmu_cycles/int gmmu_more(void);\n&/'
changed 'meson.build.*1[.]7' "a number that the library does not have" gmmu.h 's/GMMU_API_MINOR 0/GMMU_API_MINOR 7/'
same "a comment changes nothing" gmmu.h 's|/\* A machine:|/* A simulated machine:|'
same "nor does white space" gmmu.h 's/^int gmmu_run(gmmu_t \*m, /int gmmu_run(gmmu_t *m,\n             /'
same "nor do other headers" wire.h 's/uint32_t/uint64_t/'
