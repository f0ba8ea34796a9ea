#!/bin/sh
# The examples of libgmmu, built against an installed tree, do what they say: test_installed.sh ROOT BUILD CC...
set -u
root=$1 build=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
check() { # NAME COMMAND...
  name=$1
  shift
  n=$((n + 1))
  if "$@" >"$work/out" 2>&1; then echo "ok $n - $name"; else echo "not ok $n - $name" && sed 's/^/# /' "$work/out"; fi
}
says() { # PATTERN PROGRAM
  LD_LIBRARY_PATH="$lib" "$2" >"$work/said" 2>&1 && grep -qE "$1" "$work/said" || { cat "$work/said"; return 1; }
}

echo 1..11
check "libraries, headers and gmmu.pc are installed" meson install -C "$build" --no-rebuild --destdir "$work/tree" --tags devel,libgmmu
pc=$(find "$work/tree" -name gmmu.pc)
lib=${pc%/pkgconfig/gmmu.pc}
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$work/tree"
for p in first epochs source manager; do
  # shellcheck disable=SC2046  # words of pkg-config
  check "$p.c is built" "$@" -std=c11 -Wall -Wextra -Werror "$root/examples/libgmmu/$p.c" -o "$work/$p" $(pkg-config --cflags --libs gmmu)
done
check "first.c counts misses" says '^20000 cycles, [1-9][0-9]* of [1-9][0-9]* look-ups miss' "$work/first"
check "epochs.c hears of every epoch" says '^cycle 5000: ' "$work/epochs"
check "epochs.c goes on" says 'libgmmu [0-9.]+, model [0-9]+: an L2 TLB of [0-9]+ entries' "$work/epochs"
check "source.c walks once for each page" says '^4800 pages, 4800 walks' "$work/source"
check "manager.c maps memory" says '^mosaic: [1-9][0-9]* actions, 4 levels' "$work/manager"
# shellcheck disable=SC2046
check "first.c is linked statically to it" "$@" "$root/examples/libgmmu/first.c" $(pkg-config --cflags gmmu) "$lib/libgmmu.a" \
  $(pkg-config --static --libs gmmu | sed 's/-lgmmu//') -o "$work/static"
