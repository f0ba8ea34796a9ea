#!/bin/sh
# A policy outside the tree: begun by `gmmu new`, built against installed headers, used like one of the tree, kept apart from
# others: test_plugin.sh ROOT GMMU JSON BUILD CC...
. "$1/tests/cli/lib.sh"
build=$4
shift 4
cd "$dir" || exit 1
export XDG_CACHE_HOME="$dir/cache" XDG_DATA_HOME="$dir/data"

meson install -C "$build" --no-rebuild --destdir "$dir/tree" --tags devel,libgmmu >install.log 2>&1 || fail "installed" "$(cat install.log)"
pc=$(find "$dir/tree" -name gmmu.pc)
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$dir/tree"
cc=$* # a command, perhaps with options
# ---- gmmu new
wants 2 'what is to be made' "new: nothing" new
wants 2 'cannot be made' "new: something else" new house
wants 2 'needs a name' "new: no name" new policy
wants 2 'is no name of a policy' "new: a bad name" new policy 'Mine;'
try "new: a folder" "$gmmu" new policy my-own
wants 1 'cannot be made' "new: the folder is there" new policy my-own
try "new: its test passes" make -C my-own CC="$*" GMMU="$gmmu" test
so=my-own/my-own.so

# ---- one of the policies
try "list names it" sh -c "'$gmmu' list policies --plugin $so | grep -q 'l2tlb.replacement=my-own'"
try "so do options" sh -c "'$gmmu' list options --plugin $so | grep -q my-own"
wants 2 'my-own' "without the plug-in there is none" run -s l2tlb.replacement=my-own stream
wants 2 'nearest: "my-own"' "with it, errors suggest it" run --plugin $so -s l2tlb.replacement=my-owm stream
GMMU_PLUGINS=$so try "the environment names it, too" sh -c "GMMU_PLUGINS=$so '$gmmu' list policies | grep -q my-own"
cat >study.yaml <<S
workloads: gather:footprint=64M
cycles: 5000
set:
  l2tlb.replacement: [lru, my-own]
S
try "a study sweeps it" "$gmmu" sweep --plugin $so --store s.db study.yaml
count() { "$gmmu" export s.db 2>/dev/null | grep -c gather; }
two=$(count)
if [ "$two" = 2 ]; then pass "two runs are in the store"; else fail "two runs are in the store" "$two"; fi

# ---- the tutorial's
awk '/^<!-- file second-chance.c/ { on = 1; next } on && /^```$/ { exit } on && !/^```c$/' "$root/docs/plugins.md" >second-chance.c
lines=$(wc -l <second-chance.c)
if [ "$lines" -gt 20 ] && [ "$lines" -lt 60 ]; then pass "the tutorial's policy has fewer than 60 lines"; else fail "the tutorial's policy has fewer than 60 lines" "$lines"; fi
# shellcheck disable=SC2046,SC2086
try "it is built" $cc -std=gnu17 -Wall -Wextra -Werror -shared -fPIC $(pkg-config --cflags gmmu) second-chance.c -o second-chance.so
try "it runs" "$gmmu" run --plugin ./second-chance.so --design sharedtlb -s l2tlb.replacement=lru,second-chance --cycles 5000 --check gather:footprint=64M

# ---- kept apart
sed -i 's/in turn"/in turn, changed"/' my-own/my-own.c
try "another version of it" make -C my-own CC="$*" GMMU="$gmmu"
try "the study once more" "$gmmu" sweep --plugin $so --store s.db study.yaml
three=$(count)
if [ "$three" = 3 ]; then pass "its runs are new, the others' are not"; else fail "its runs are new, the others' are not" "$three"; fi

# ---- what is wrong is said
wants 1 'no such plug-in' "a file that is not there" list policies --plugin ./none.so
wants 2 '--plugin needs a value' "no file" list policies --plugin
cp study.yaml text.so
wants 1 'text.so' "a file that is none" list policies --plugin ./text.so
echo 'int nothing;' >nothing.c
try "a library without one" $cc -shared -fPIC nothing.c -o nothing.so
wants 1 'no gmmu_plugin' "it is refused" list policies --plugin ./nothing.so
cat >bad.c <<C
struct { unsigned version; const char *name; const void *rows; } gmmu_plugin __attribute__((visibility("default")));
static const char *const policy[9] = {NAME, "help"};
static const struct { const char *kind; const void *row; unsigned long bytes; } rows[2] = {{KIND, policy, BYTES}};
__attribute__((constructor)) static void begin(void) { gmmu_plugin.version = VERSION, gmmu_plugin.name = "bad", gmmu_plugin.rows = rows; }
C
bad() { # PATTERN NAME VERSION KIND NAME BYTES
  $cc -w -shared -fPIC -DVERSION="$3" -DKIND="\"$4\"" -DNAME="\"$5\"" -DBYTES="$6" bad.c -o bad.so && wants 1 "$1" "$2" list policies --plugin ./bad.so
}
bad 'built for version 77' "another version" 77 replacement bad 72
bad 'no kind of policies' "a kind that is none" 1 house bad 72
bad 'headers of another gmmu' "a row of another size" 1 replacement bad 64
bad 'a replacement "lru" already' "a name that is taken" 1 replacement lru 72
bad 'lacks a function' "a row without functions" 1 replacement bad 72
bad 'needs a name' "a row with a bad name" 1 replacement 'B a d' 72
finish
