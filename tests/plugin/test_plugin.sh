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
# shellcheck disable=SC2046,SC2086
for h in $(cd "$(find "$dir/tree" -type d -name rooms)" && find . -name '*.h' | sort); do
  echo "#include \"${h#./}\"" >alone.c
  try "${h#./} is compiled by itself" $cc -std=gnu17 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags gmmu) alone.c
done
# ---- gmmu new
wants 2 'what is to be made' "new: nothing" new
wants 2 'cannot be made' "new: something else" new house
wants 2 'needs a name' "new: no name" new policy
wants 2 'is no name of a policy' "new: a bad name" new policy 'Mine;'
wants 2 'is no name of a mechanism' "new: a mechanism's name begins options" new mechanism my-own
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

# ---- options and counters of policies, of every kind
# shellcheck disable=SC2046,SC2086
try "a policy of every kind is built" $cc -std=gnu17 -O2 -Wall -Wextra -Werror -shared -fPIC $(pkg-config --cflags gmmu) "$root/tests/plugin/own.c" -o own.so
other() { # SETTING GROUP EVERY: the decisions that were otherwise, of how many
  "$gmmu" run --plugin ./own.so --check --design sharedtlb -s "$1" -s "$2.every=$3" -s l2.bytes=128K --cycles 3000 --json gather:footprint=64M 2>"$dir/log" |
    sed -n "/\"$2\": {/,/}/s/.*\"\(calls\|other\)\": \([0-9]*\).*/\2/p" | tr '\n' ' '
}
for both in l2tlb.replacement=own-repl:own_repl l2.replacement=own-repl:own_repl l1d.replacement=own-repl:own_repl \
  sm.scheduler=own-sched:own_sched tlb.fill=own-fill:own_fill tlb.peer=own-peer:own_peer l2.policy=own-l2:own_l2 dram.scheduler=own-dram:own_dram \
  walk.policy=own-walk:own_walk; do
  setting=${both%:*} group=${both#*:}
  all=$(other "$setting" "$group" 1) some=$(other "$setting" "$group" 5)
  # shellcheck disable=SC2086
  if set -- $all $some && [ $# = 4 ] && [ "$1" -gt 100 ] && [ "$1" = "$2" ] && [ "$4" -gt 0 ] && [ "$4" -lt "$3" ]; then
    pass "$setting has its option and counts"
  else
    fail "$setting has its option and counts" "every: $all, one in five: $some $(cat log)"
  fi
done
try "their options are listed" sh -c "'$gmmu' list options --plugin ./own.so | grep -q 'own_walk.every .*1 .. 1000'"
try "their counters are listed" sh -c "'$gmmu' list stats --plugin ./own.so | grep -q '^own_sched .*calls' && '$gmmu' list stats --plugin ./own.so | grep -q '^apps\[\].own_l2 .*other'"
wants 2 'own_l2.every' "a policy's option has its range" run --plugin ./own.so -s own_l2.every=0 stream
try "a policy that is not used counts nothing" sh -c "! '$gmmu' run --plugin ./own.so --cycles 1000 --json stream | grep -q '\"calls\"'"
cat >own.yaml <<S
designs: sharedtlb
workloads: gather:footprint=64M
cycles: 3000
set:
  walk.policy: [fifo, own-walk]
  own_walk.every: [2, 3]
S
try "a study sweeps a policy's option" "$gmmu" sweep --plugin ./own.so --store o.db own.yaml
four=$("$gmmu" export o.db 2>/dev/null | grep -c '^[0-9a-f]\{32\},done')
if [ "$four" = 4 ]; then pass "its values are kept apart"; else fail "its values are kept apart" "$four"; fi
try "windows count it, too" sh -c "'$gmmu' run --plugin ./own.so --design sharedtlb -s walk.policy=own-walk --skip 5K --warm 1K --measure 2K --windows 2 --json gather:footprint=64M 2>/dev/null | grep -q '\"own_walk\"'"
sed 's/sizeof(options_t), .counters/2, .counters/' "$root/tests/plugin/own.c" >small.c
# shellcheck disable=SC2046,SC2086
try "a policy whose option lies outside its struct" $cc -std=gnu17 -w -shared -fPIC $(pkg-config --cflags gmmu) small.c -o small.so
wants 1 'beyond options_bytes' "it is refused" list policies --plugin ./small.so

# ---- the tutorial's policy
awk '/^<!-- file second-chance.c/ { on = 1; next } on && /^```$/ { exit } on && !/^```c$/' "$root/docs/plugins.md" >second-chance.c
lines=$(wc -l <second-chance.c)
if [ "$lines" -gt 20 ] && [ "$lines" -lt 60 ]; then pass "the tutorial's policy has fewer than 60 lines"; else fail "the tutorial's policy has fewer than 60 lines" "$lines"; fi
# shellcheck disable=SC2046,SC2086
try "it is built" $cc -std=gnu17 -Wall -Wextra -Werror -shared -fPIC $(pkg-config --cflags gmmu) second-chance.c -o second-chance.so
try "it runs" "$gmmu" run --plugin ./second-chance.so --design sharedtlb -s l2tlb.replacement=lru,second-chance --cycles 5000 --check gather:footprint=64M

# ---- the tutorial's mechanism, with options, counters and a message: one file outside the tree, in a sweep
page_file() { # NAME: the block of the tutorial that makes it
  awk -v name="<!-- file $1 -->" '$0 == name { on = 1; next } on && /^```$/ { exit } on && !/^```c$/' "$root/docs/plugins.md"
}
try "new: a mechanism's folder" "$gmmu" new mechanism nextpage
try "new: its test passes" make -C nextpage CC="$cc" GMMU="$gmmu" test
try "its storage is in cost" sh -c "'$gmmu' cost --plugin nextpage/nextpage.so nextpage | grep -q '360 B'"
try "and in that of a machine that has it" sh -c "'$gmmu' cost --plugin nextpage/nextpage.so -s nextpage.on=true | grep -q 'pages on their way'"
try "off it has none" sh -c "! '$gmmu' cost --plugin nextpage/nextpage.so | grep -q 'pages on their way'"
page_file nextpage.c >page.c
lines=$(wc -l <page.c)
if [ "$lines" -gt 20 ] && [ "$lines" -lt 60 ]; then pass "the tutorial's mechanism has fewer than 60 lines"; else fail "the tutorial's mechanism has fewer than 60 lines" "$lines"; fi
# shellcheck disable=SC2046,SC2086
try "it is built" $cc -std=gnu17 -O2 -Wall -Wextra -Werror -shared -fPIC $(pkg-config --cflags gmmu) page.c -o page.so
np=./page.so
try "a mechanism without storage passes the folder's test" sh -c "cp page.c nextpage/nextpage.c && make -C nextpage CC='$cc' GMMU='$gmmu' test"
wants 2 'tells of no storage' "and says so" cost --plugin $np nextpage
try "its options are listed" sh -c "'$gmmu' list options --plugin $np | grep -q 'nextpage.delay .*1 .. 1000'"
try "so are its counters" sh -c "'$gmmu' list stats --plugin $np | grep -q 'apps\[\].nextpage.*fetched'"
wants 2 'nextpage.delay' "a value out of its range is refused" run --plugin $np -s nextpage.delay=0 stream
wants 2 'nextpage' "without the plug-in there is no such option" run -s nextpage.on=true stream
run_it() { # ON OUT
  "$gmmu" run --plugin $np --design sharedtlb -s "nextpage.on=$1" --cycles 5000 --check --json -o "$2" stride:footprint=64M,lane=128,step=4K
}
try "off" run_it false off.json
try "on" run_it true on.json
"$gmmu" run --design sharedtlb --cycles 5000 --json -o without.json stride:footprint=64M,lane=128,step=4K
apps() { sed -n '/"apps": \[/,$p' "$1"; }
apps off.json >off.apps
apps without.json >without.apps
try "off it changes nothing" cmp off.apps without.apps
fetched=$(sed -n 's/.*"fetched": \([0-9]*\).*/\1/p' on.json)
if [ "${fetched:-0}" -gt 0 ]; then pass "on it fetches and counts"; else fail "on it fetches and counts" "$fetched"; fi
try "in windows, too" sh -c "'$gmmu' run --plugin $np --design sharedtlb -s nextpage.on=true --skip 5K --warm 1K --measure 2K --windows 2 --json stride:footprint=64M,lane=128,step=4K 2>/dev/null | grep -q '\"fetched\"'"
cat >prefetch.yaml <<S
designs: sharedtlb
workloads: stride:footprint=64M,lane=128,step=4K
cycles: 5000
set:
  nextpage.on: [false, true]
  nextpage.delay: [2, 50]
S
try "a study sweeps its options" "$gmmu" sweep --plugin $np --store n.db prefetch.yaml
stored() { "$gmmu" export n.db 2>/dev/null | grep -c '^[0-9a-f]\{32\},done'; }
four=$(stored)
try "again nothing is run" sh -c "'$gmmu' sweep --plugin $np --store n.db prefetch.yaml | grep -q ' 0 have been run'"
sed -i 's/vpn.v++/vpn.v += 2/' page.c
# shellcheck disable=SC2046,SC2086
try "another version is built" $cc -std=gnu17 -O2 -shared -fPIC $(pkg-config --cflags gmmu) page.c -o page.so
try "its study" "$gmmu" sweep --plugin $np --store n.db prefetch.yaml
six=$(stored)
if [ "$four:$six" = 4:6 ]; then pass "where it is on runs are new, where it is off they are not"; else fail "where it is on runs are new, where it is off they are not" "$four then $six"; fi
# ---- in an arena, as a design
awk "/^cat >mine.yaml/ { on = 1; next } /^END/ { on = 0 } on" "$root/docs/plugins.md" >mine.yaml
awk "/^cat >contest.yaml/ { on = 1; next } /^END/ { on = 0 } on" "$root/docs/plugins.md" | sed 's/steps=100/steps=10/; s/footprint=32M,steps=2/footprint=4M,steps=1,blocks=30/' >contest.yaml
try "it competes in an arena" "$gmmu" arena --plugin $np --json --store contest.db -o contest.json contest.yaml
try "its gain is in the table" sh -c "grep -q 'mine.yaml' contest.json"
competes=$("$gmmu" export contest.db 2>/dev/null | grep -c '^[0-9a-f]\{32\},done')
sed 's/from the miss to/between the miss and/' page.c >page2.c
# shellcheck disable=SC2046,SC2086
try "another version for the arena" $cc -std=gnu17 -O2 -shared -fPIC $(pkg-config --cflags gmmu) page2.c -o page2.so
try "it competes anew" "$gmmu" arena --plugin ./page2.so --json --store contest.db -o contest2.json contest.yaml
more=$("$gmmu" export contest.db 2>/dev/null | grep -c '^[0-9a-f]\{32\},done')
if [ "$((more - competes))" = 4 ]; then pass "only its own four runs are new"; else fail "only its own four runs are new" "$competes then $more"; fi
"$gmmu" report contest.db -o contest.html >/dev/null 2>&1
sed -n 's/.*id="gmmu-data">\([A-Za-z0-9+/=]*\).*/\1/p' contest.html | base64 -d | gunzip >contest.data
versions=$(grep -o '"plug-ins":"[0-9a-f]*"' contest.data | sort -u | wc -l)
if [ "$versions" = 2 ]; then pass "a report tells its versions apart"; else fail "a report tells its versions apart" "$versions"; fi
try "the keys of -s complete it" sh -c "'$gmmu' completion words run --plugin $np -s nextp | grep -qx 'nextpage.delay='"
try "the value of --plugin is a shared object" sh -c "[ \"\$('$gmmu' completion words run --plugin nextpage/n)\" = nextpage/nextpage.so ]"
try "or a folder" sh -c "'$gmmu' completion words run --plugin=next | grep -qx -e --plugin=nextpage/"
try "one that cannot be loaded spoils nothing" sh -c "'$gmmu' completion words run --plugin none.so --des | grep -qx -e --design"
try "so does --plugin itself" sh -c "'$gmmu' completion words run --plug | grep -qx -e --plugin"

# ---- kept apart
sed -i 's/last, in turn"/last, in turn, changed"/' my-own/my-own.c
try "another version of it" make -C my-own CC="$cc" GMMU="$gmmu"
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
#include <gmmu/contracts.h>
struct { unsigned version, contracts; const char *name; const void *rows; } gmmu_plugin __attribute__((visibility("default")));
static const char *const policy[14] = {NAME, "help"};
static const struct { const char *kind; const void *row; unsigned long bytes; } rows[2] = {{KIND, policy, BYTES}};
__attribute__((constructor)) static void begin(void) { gmmu_plugin.version = VERSION, gmmu_plugin.contracts = GMMU_PLUGIN_CONTRACTS OTHER, gmmu_plugin.name = "bad", gmmu_plugin.rows = rows; }
C
bad() { # PATTERN NAME VERSION KIND NAME BYTES [OTHER]
  # shellcheck disable=SC2046,SC2086
  $cc -w -shared -fPIC $(pkg-config --cflags gmmu) -DOTHER="${7:-}" -DVERSION="$3" -DKIND="\"$4\"" -DNAME="\"$5\"" -DBYTES="$6" bad.c -o bad.so && wants 1 "$1" "$2" list policies --plugin ./bad.so
}
bad 'built for version 77' "another version" 77 replacement bad 112
bad 'headers of another gmmu (contracts' "headers with other declarations" 3 replacement bad 112 +1
bad 'no kind of policies' "a kind that is none" 3 house bad 112
bad 'headers of another gmmu' "a row of another size" 3 replacement bad 64
bad 'a replacement "lru" already' "a name that is taken" 3 replacement lru 112
bad 'lacks a function' "a row without functions" 3 replacement bad 112
bad 'needs a name' "a row with a bad name" 3 replacement 'B a d' 112
# mechanisms whose tables lie
cat >lie.c <<C
#include "gpu/outside.h"
#include <gmmu/plugin.h>
typedef struct { uint32_t n; } o_t;
static const opt_t options[] = {{"n", OPT_U32, OFFSET, 1, 9, DEFAULT, "", "a number", NULL, NULL}, {0}};
static const stat_desc_t counters[] = {{"n", COUNTER, "times", "it happened"}, {0}};
static const mechanism_ops_t lie = {.name = NAME, .help = "lies", .options = options, .options_bytes = sizeof(o_t), .counters = counters, .counters_bytes = 8};
static const mechanism_ops_t good = {.name = "good", .help = "is fine"};
GMMU_PLUGIN("lie", GMMU_POLICY("mechanism", good), GMMU_POLICY("mechanism", lie));
C
lie() { # PATTERN NAME DEFINITIONS
  # shellcheck disable=SC2046,SC2086
  $cc -std=gnu17 -w -shared -fPIC -DOFFSET=0 -DDEFAULT=2 -DCOUNTER=0 -DNAME='"lie"' $3 $(pkg-config --cflags gmmu) lie.c -o lie.so && wants 1 "$1" "$2" list policies --plugin ./lie.so
}
lie 'beyond options_bytes' "an option outside its struct" -UOFFSET\ -DOFFSET=4
lie 'n' "a default out of its range" -UDEFAULT\ -DDEFAULT=10
lie 'beyond counters_bytes' "a counter outside its struct" -UCOUNTER\ -DCOUNTER=8
lie 'options "l2tlb" already' "a name that options have" '-UNAME -DNAME="l2tlb"'
finish
