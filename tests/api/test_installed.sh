#!/bin/sh
# The examples of libgmmu, built against an installed tree, do what they say: test_installed.sh ROOT BUILD CC...
set -u
root=$1 build=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^    \([a-z_]*\);$/\1/p' "$root/src/api/libgmmu.map" >"$work/exported"
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

check "libraries, headers and gmmu.pc are installed" meson install -C "$build" --no-rebuild --destdir "$work/tree" --tags devel,libgmmu
pc=$(find "$work/tree" -name gmmu.pc)
lib=${pc%/pkgconfig/gmmu.pc}
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$work/tree"
for p in first epochs source manager pages errors; do
  # shellcheck disable=SC2046  # words of pkg-config
  check "$p.c is built" "$@" -std=c11 -Wall -Wextra -Werror "$root/examples/libgmmu/$p.c" -o "$work/$p" $(pkg-config --cflags --libs gmmu)
done
check "first.c counts misses" says '^20000 cycles, [1-9][0-9]* of [1-9][0-9]* look-ups miss' "$work/first"
check "epochs.c hears of every epoch" says '^cycle 5000: ' "$work/epochs"
check "epochs.c goes on" says 'libgmmu [0-9.]+, model [0-9]+: an L2 TLB of [0-9]+ entries' "$work/epochs"
check "source.c walks once for each page" says '^4800 pages, 4800 walks' "$work/source"
check "source.c issues as many instructions as it says" says '^60 blocks of 128 threads, 5040 of 5040 warp instructions; the load is one of memory$' "$work/source"
check "manager.c maps memory" says '^mosaic: [1-9][0-9]* actions, 4 levels' "$work/manager"
check "pages.c walks to a page" says '^resident: 4 of 4 levels read, large, order 9, frame of a space, 512 base frames' "$work/pages"
check "pages.c pages on demand" says '^on demand: mapped before 0, when touched 1, touched so far [1-9][0-9]*; evicted, still allocated 1$' "$work/pages"
check "pages.c colours" says '^coloured: 256 of 256 pages' "$work/pages"
check "errors.c has file, line and key" says '^mine.yaml:7:3: l2tlb.ways: 12 is more than 9 [(]value out of range[)]' "$work/errors"
check "errors.c keeps the end of a text" says '^a_name.*: it failed$' "$work/errors"
# Every function that the library exports or a public header defines has an example, and all examples are run above.
inlines=$(sed -n 's/^static inline .*[ *]\([a-z_]*\)(.*/\1/p' "$root"/include/gmmu/gmmu.h "$root"/include/gmmu/mm.h "$root"/include/gmmu/err.h "$root"/include/gmmu/stream.h "$root"/include/gmmu/types.h)
check "headers define functions, too" test -n "$inlines"
for f in $(cat "$work/exported") $inlines; do
  check "$f() has an example" grep -qwE "$f" "$root"/examples/libgmmu/*.c
done
check "every function of the headers is exported" sh -c "grep -hoE '^[a-z].* \\*?(gmmu|mm|err)_[a-z_]+\\(' '$root'/include/gmmu/gmmu.h '$root'/include/gmmu/mm.h '$root'/include/gmmu/err.h | grep -oE '(gmmu|mm|err)_[a-z_]+\\(' | tr -d '(' | sort -u >'$work/public' && ! grep -vxF -f '$work/exported' '$work/public' | grep ."
# shellcheck disable=SC2046
check "first.c is linked statically to it" "$@" "$root/examples/libgmmu/first.c" $(pkg-config --cflags gmmu) "$lib/libgmmu.a" \
  $(pkg-config --static --libs gmmu | sed 's/-lgmmu//') -o "$work/static"
echo "1..$n"
