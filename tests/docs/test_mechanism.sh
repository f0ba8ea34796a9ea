#!/bin/sh
# The patch of docs/add-a-mechanism.md: it applies to a copy of the tree, builds, and its test passes; what is left out
# of its tables is noticed. A policy that is added to the same copy compiles few files.
set -u
root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
n=0
note() { # ok|"not ok" NAME
  n=$((n + 1))
  echo "$1 $n - $2"
  [ "$1" = ok ] || sed 's/^/# /' "$tree/log" | tail -n 20
}
judge() { if "$@" >"$tree/log" 2>&1; then note ok "$what"; else note "not ok" "$what"; fi; }

echo 1..7
mkdir "$tree/gmmu"
for f in "$root"/*; do [ "${f##*/}" = build ] || cp -R "$f" "$tree/gmmu/"; done
cd "$tree/gmmu" || exit 1

# Blocks after <!-- file PATH --> make up that file, those after <!-- diff --> the patch.
take() {
  awk -v patch="$tree/patch" '
    /^```/ && on { on = 0; next }
    on { print >file; next }
    /^```/ && marked { on = 1; if (seen[file]++ && file != patch) print "" >file }
    { marked = 0 }
    /^<!-- file .* -->$/ { marked = 1; file = $3 }
    /^<!-- diff -->$/ { marked = 1; file = patch }' docs/add-a-mechanism.md
}
take
what="the page has a source, a test and a patch"
judge test -s src/tlb/next_page.c -a -s tests/machine/test_next_page.c -a -s "$tree/patch"
what="the patch is one row per table and its build lines"
judge sh -c "[ \$(grep -c '^+[^+]' '$tree/patch') = 4 ] && ! grep -q '^-[^-]' '$tree/patch'"
what="it applies"
judge patch -p1 --fuzz=1 -i "$tree/patch"

# As the release is built, so that a compiler's cache knows most of it: in a check by gcc, and ccache tells cc from gcc. Nothing
# but the test and what it needs.
if [ -n "${GMMU_BUILDS:-}" ] && command -v ccache >/dev/null; then export CC="ccache gcc"; fi
target=tests/machine/test_machine_next_page
build() { ninja -C build/release -j 2 --quiet "$@"; }
what="it builds, and its test passes"
judge sh -c "meson setup build/release -Dkernels=false && ninja -C build/release -j 2 --quiet $target && build/release/$target"

# left_out FILE: without the line of the patch there
left_out() {
  cp "$1" "$tree/kept"
  grep -v -i 'next_page' "$tree/kept" >"$1"
  build $target >"$tree/why" 2>&1 && echo built >"$tree/why"
  mv "$tree/kept" "$1"
  cat "$tree/why"
  grep -q 'error: .*next_page\|error: .*NEXT_PAGE' "$tree/why"
}
for f in src/gpu/mechanisms.def src/engine/messages.def; do
  what="without its row in ${f##*/} nothing builds"
  judge left_out $f
done

# One file, one word in the table, one in the list of files.
build $target >"$tree/log" 2>&1
sed 's/fill_all_levels/fill_none/; /^#define POLICIES/,$d; s/"all"/"none"/' src/tlb/fill.c >src/tlb/fill_none.c
sed -i 's/^#define POLICIES(X) /&X(fill_none) /' src/tlb/fill.c
sed -i "s/'fill.c',/'fill.c', 'fill_none.c',/" src/tlb/meson.build
compiled() { ninja -C build/release build.ninja && ninja -C build/release -n $target >"$tree/steps" && cat "$tree/steps" && [ "$(grep -c Compiling "$tree/steps")" -ge 2 ] && [ "$(wc -l <"$tree/steps")" -lt 40 ]; }
what="a policy is two files to compile, and less than 40 steps in all"
judge compiled
