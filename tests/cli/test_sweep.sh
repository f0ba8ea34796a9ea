#!/bin/sh
# gmmu sweep and gmmu export: studies, what they keep, that killing loses and repeats nothing, and what goes wrong.
# RUNS is the number of runs of the study that is killed, KILLS how often.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=sweep_lib.sh
. "$(dirname "$0")/sweep_lib.sh"

# ---- what is refused, and where -------------------------------------------------------------------------------------
bad() { # name, pattern, text of a study
  printf '%b' "$3" >"$dir/bad.yaml"
  wants 1 "bad.yaml:$2" "$1" sweep --store "$dir/none.db" "$dir/bad.yaml"
}
wants 2 "which study" "no study" sweep
wants 2 "is the second" "two studies" sweep a.yaml b.yaml
wants 1 "nowhere.yaml" "a study that is not there" sweep "$dir/nowhere.yaml"
bad "a wrong key" '2:1: design: unknown key; nearest: "designs"' 'workloads: stream\ndesign: mask\n'
bad "a wrong size beside a generator" '2:1: unknown size "huge"' 'workloads: stream\nsizes: huge\n'
bad "a wrong design" '2:21: there is no design preset "maks"; nearest: "mask"' 'workloads: stream\ndesigns: [sharedtlb,maks]\n'
bad "a wrong GPU" '2:1: there is no gpu preset "maxwel"' 'workloads: stream\ngpus: maxwel\n'
bad "a wrong option" '2:28: l2tlb.entry: unknown option .*nearest: "l2tlb.entries"' 'workloads: stream\nset: {gpu.sms: 4, l2tlb: { entry: 4}}\n'
bad "a wrong value" '3:28: l2tlb.entries: ' 'workloads: stream\nset:\n  l2tlb.entries: [64, 128, soon]\n'
bad "a wrong application" '1:13: unknown .*nearest: "stream"' 'workloads: [gather + streem]\n'
bad "a wrong size" '2:15: .*"small"' 'workloads: 3ds\nsizes: [tiny, small]\n'
bad "a wrong division" '2:1: split: 3 shares of the SMs for 2' 'workloads: stream + gather\nsplit: 1/2/3\n'
bad "no division" '2:1: split: "half" is not' 'workloads: stream + gather\nsplit: half\n'
try "none of them made a store" test ! -e "$dir/none.db"

# ---- a study ----------------------------------------------------------------------------------------------------------
cat >"$dir/small.yaml" <<'END'
name: small
designs: [sharedtlb, ideal]
workloads: ["stream:footprint=64K,blocks=4 + gather:footprint=256K,steps=1,blocks=4"]
seeds: [1, 2]
split: [equal, 1/3]
speedup: true
set: {gpu.sms: 4}
END
small="sweep --store $dir/small.db $dir/small.yaml"
# shellcheck disable=SC2086  # words
{
  try "a dry run counts" sh -c "'$gmmu' $small --dry-run | grep -q 'small: 8 points, 16 runs: 0 are finished, 16 are missing'"
  try "and makes no store" test ! -e "$dir/small.db"
  try "a study" sh -c "'$gmmu' $small -j 2 | grep -q '8 points, 16 runs: 0 were there, 16 have been run, 0 failed'"
  try "seeds are a column of runs" sh -c "'$gmmu' export '$dir/small.db' --query 'SELECT DISTINCT seed FROM runs ORDER BY seed' | tr '\\n' ' ' | grep -qx 'seed 1 2 '"
  try "and of applications" sh -c "'$gmmu' export '$dir/small.db' --query 'SELECT DISTINCT name, seed FROM apps ORDER BY name, seed' | tr '\\n' ' ' | grep -qx 'name,seed gather,1 gather,2 stream,1 stream,2 '"
  try "again: from the store" sh -c "'$gmmu' $small | grep -q ': 16 were there, 0 have been run'"
  try "its dry run has a price" sh -c "'$gmmu' $small --dry-run --json | tee '$dir/dry.json' | '$json' && grep -q '\"unpriced\": 0' '$dir/dry.json'"
  try "its summary as JSON" sh -c "'$gmmu' $small --json | tee '$dir/s.json' | '$json' && grep -q '\"finished\": 16' '$dir/s.json'"
}

"$gmmu" export "$dir/small.db" >"$dir/small.csv"

# Designs that are one machine on a GPU are one run: said, since an export has one of the names.
printf 'designs: [sharedtlb, ideal, gpu-mmu]\ngpus: [maxwell, mosaic]\nworkloads: stream\ncycles: 300\nset: {gpu.sms: 4}\n' >"$dir/same.yaml"
for how in --dry-run -j2; do
  "$gmmu" sweep $how --store "$dir/same.db" "$dir/same.yaml" >"$dir/out"
  try "$how: designs that are the same machine are named" sh -c "grep -q '^same.yaml: 6 points, 4 runs' '$dir/out' && [ \$(grep -c '^gpu-mmu is the same machine as sharedtlb on m[a-z]*: ' '$dir/out') = 2 ] && [ \$(grep -c 'same machine' '$dir/out') = 2 ]"
done
try "in JSON, too" sh -c "'$gmmu' sweep --json --store '$dir/same.db' '$dir/same.yaml' | tee '$dir/out' | '$json' && [ \$(grep -c '\"as\": \"sharedtlb\"' '$dir/out') = 2 ]"

# ---- exports ----------------------------------------------------------------------------------------------------------
export_csv() { "$gmmu" export "$dir/small.db" "$@"; }
try "CSV: a line of names and one per run" sh -c "[ \$('$gmmu' export '$dir/small.db' | wc -l) = 17 ]"
try "sorted by key" sh -c "'$gmmu' export '$dir/small.db' | tail -n +2 | cut -d, -f1 | LC_ALL=C sort -c"
for t in runs apps counters documents; do
  try "table $t as JSON" sh -c "'$gmmu' export '$dir/small.db' --json --table $t | '$json'"
done
try "filters" sh -c "[ \$('$gmmu' export '$dir/small.db' --design ideal --app gather --gpu maxwell --status done | wc -l) = 5 ]"
try "a query" sh -c "[ \"\$('$gmmu' export '$dir/small.db' --query 'SELECT count(weighted_speedup) AS n FROM runs' | tail -n 1)\" = 8 ]"
for t in runs apps counters documents; do
  missing=
  for c in $(export_csv --host --table $t | head -n 1 | tr ',' ' '); do
    grep -q "^|[^|]*\`$c\`" "$root/docs/data.md" || missing="$missing $c"
  done
  try "docs/data.md explains every column of $t" sh -c "[ -z '$missing' ] || { echo '$missing'; exit 1; }"
done
wants 1 "a query may only read" "a query that writes" export "$dir/small.db" --query "DELETE FROM run"
wants 1 "no such column: colour" "a wrong query" export "$dir/small.db" --query "SELECT colour FROM runs"
wants 2 'nearest: "runs"' "a wrong table" export "$dir/small.db" --table run
wants 1 "none.db: there is no such results store" "no store to export" export "$dir/none.db"
try "hosts only when asked for" sh -c "! '$gmmu' export '$dir/small.db' | grep -q host_ms && '$gmmu' export '$dir/small.db' --host | head -n 1 | grep -q host_ms"
"$gmmu" report "$dir/small.db" --title "$(seq -s ' ' 400)" -o "$dir/long.html" >/dev/null
sed -n 's/.*id="gmmu-data"[^>]*>\([A-Za-z0-9+/=]*\).*/\1/p' "$dir/long.html" | base64 -d | gzip -dc >"$dir/long.json"
try "report: - is the standard output" sh -c "cd '$dir' && '$gmmu' report small.db -o - | grep -q '^<!doctype html>' && [ ! -e - ]"
try "export: - is the standard output" sh -c "cd '$dir' && '$gmmu' export small.db -o - | grep -q '^key,' && [ ! -e - ]"
try "report: its command is in it, however long" grep -q "\"command\": \"gmmu report $dir/small.db --title '1 2 .* 400' -o $dir/long.html\"" "$dir/long.json"
# The command of a row gives the row's numbers.
command=$(export_csv --query "SELECT command FROM runs WHERE apps LIKE '% + %' ORDER BY key LIMIT 1" | tail -n 1 | sed 's/^"//; s/"$//')
cycles=$(export_csv --query "SELECT cycles FROM runs WHERE apps LIKE '% + %' ORDER BY key LIMIT 1" | tail -n 1)
try "the command of a row gives its numbers" sh -c "PATH=$(dirname "$gmmu"):\$PATH; $command | grep -q '^      \"cycles\": $cycles,'"
# The speed-up is that of gmmu run.
speedup=$(export_csv --query "SELECT weighted_speedup FROM runs WHERE design = 'ideal' AND sms = '1,3' AND apps LIKE '%seed=2%' AND apps LIKE '% + %'" | tail -n 1)
try "the weighted speed-up is that of gmmu run" sh -c "'$gmmu' run --speedup --store '$dir/one.db' --design ideal -s gpu.sms=4 --sms 1,3 --json \
  stream:footprint=64K,blocks=4,seed=2 gather:footprint=256K,steps=1,blocks=4,seed=2 | grep -q '\"weighted_speedup\": $speedup'"
if command -v python3 >/dev/null; then
  try "the example in Python reads the store" sh -c "python3 '$root/docs/examples/read_store.py' '$dir/small.db' | grep -q '^ideal  *4  *[0-9.]*$'"
else
  skip "the example in Python" "no python3"
fi

# ---- failures ---------------------------------------------------------------------------------------------------------
printf 'workloads: ["stream:footprint=64K,blocks=4", "stream:footprint=64K,blocks=8"]\nsplit: [1, 8, 9]\nset: {gpu.sms: 4}\n' >"$dir/fails.yaml"
fails="sweep --store $dir/fails.db $dir/fails.yaml"
# shellcheck disable=SC2086  # words
{
  "$gmmu" $fails >"$dir/out" 2>&1
  try "a study with failures ends with status 1" test $? = 1
  try "it names them with their reasons" sh -c "[ \$(grep -c '^failed: maxwell sharedtlb: stream.*; SMs [89];' '$dir/out') = 4 ] && grep -q '^        .*SM' '$dir/out'"
  sed '/ points, /d' "$dir/out" >"$dir/first"
  "$gmmu" $fails >"$dir/out" 2>&1
  try "they are not run again by themselves" grep -q ": 6 were there, 0 have been run, 4 failed" "$dir/out"
  try "and have the same reasons" sh -c "sed '/ points, /d' '$dir/out' | cmp - '$dir/first'"
  "$gmmu" $fails --retry >"$dir/out" 2>&1
  try "but on demand" grep -q ": 2 were there, 4 have been run, 4 failed" "$dir/out"
}
try "attempts are counted" sh -c "'$gmmu' export '$dir/fails.db' --query 'SELECT group_concat(n) FROM (SELECT count(*) AS n FROM runs GROUP BY attempts)' | grep -q '2,4'"
# The process of a run is killed: that is a failure of the host.
printf 'workloads: "gather:footprint=16M"\n' >"$dir/long.yaml"
setsid "$gmmu" sweep --store "$dir/long.db" "$dir/long.yaml" >"$dir/out" 2>&1 &
pid=$!
has_child() {
  child=$(children "$1")
  [ -n "$child" ]
}
await 10 has_child "$pid"
# shellcheck disable=SC2086  # one or more
kill -s KILL $child
wait "$pid"
try "a run whose process is killed has failed" sh -c "[ $? = 1 ] && grep -q 'ended by signal 9 (Killed)' '$dir/out'"
try "its row says so" sh -c "'$gmmu' export '$dir/long.db' --status lost | grep -q 'signal 9'"

# ---- killing all ------------------------------------------------------------------------------------------------------
make_study "$runs" >"$dir/many.yaml"
begin=$(date +%s%N)
try "the whole study" sh -c "'$gmmu' sweep -j 2 --store '$dir/whole.db' '$dir/many.yaml' | grep -q ' $runs runs: 0 were there, $runs have been run, 0 failed'"
span=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { print 0.6e-9 * ns }') # a kill is to find it under way, however fast the machine is
export_all "$dir/whole.db" >"$dir/whole"
killed=0
for i in $(seq "$kills"); do
  setsid "$gmmu" sweep -j 2 --store "$dir/killed.db" "$dir/many.yaml" >/dev/null 2>&1 &
  pid=$!
  sleep "$(moment "$i" "$span")"
  if [ $((i % 2)) = 0 ]; then whom=$pid; else whom=-$pid; fi
  if kill -s KILL -- "$whom" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "$pid" 2>/dev/null
  ended "$pid" || fail "killed alone, it leaves no process"
done
echo "# killed $killed of $kills times, $(count "$dir/killed.db") runs finished by then, GMMU_SEED=$seed"
try "it was killed indeed" test "$killed" -gt 0
try "it comes to its end" sh -c "'$gmmu' sweep -j 2 --store '$dir/killed.db' '$dir/many.yaml' >/dev/null"
try "with exactly the runs it should have" sh -c "[ $(count "$dir/killed.db") = $runs ]"
export_all "$dir/killed.db" >"$dir/killed"
try "and the same bytes" cmp "$dir/whole" "$dir/killed"
try "no finished run was repeated" test "$(attempts "$dir/killed.db")" = 1

# Two at once on one store: each run is run once.
"$gmmu" sweep -j 1 --store "$dir/two.db" "$dir/many.yaml" >"$dir/one" &
pid=$!
"$gmmu" sweep -j 1 --store "$dir/two.db" "$dir/many.yaml" >"$dir/other"
try "two sweeps share a store" sh -c "wait $pid; [ \$('$gmmu' export '$dir/two.db' | wc -l) = $((runs + 1)) ]"
wait "$pid"
try "no run was run twice" test "$(attempts "$dir/two.db")" = 1
export_all "$dir/two.db" >"$dir/two"
try "with the same bytes" cmp "$dir/whole" "$dir/two"

# Ctrl-C: status 130, what was finished is told and kept.
setsid "$gmmu" sweep -j 1 --store "$dir/stopped.db" "$dir/many.yaml" >"$dir/out" 2>"$dir/err" &
pid=$!
some_done() { [ "$(count "$dir/stopped.db")" != 0 ]; }
await 30 some_done
kill -INT "$pid"
wait "$pid"
try "Ctrl-C: status 130" test $? = 130
try "Ctrl-C: it tells what there is" sh -c "grep -q 'are missing; the same command goes on' '$dir/out' && grep -q '^gmmu: interrupted' '$dir/err'"
try "Ctrl-C: finished runs are kept" test "$(count "$dir/stopped.db")" -gt 0

# On a terminal: how far, how fast, how long still.
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  printf 'workloads: ["stream:footprint=64K,blocks=4", "gather:footprint=64M,steps=4000"]\n' >"$dir/slow.yaml"
  progress='slow.yaml: 1 of 2 runs, [0-9.]* runs/min, [0-9]* %, [0-9]* [a-z]* left'
  on_terminal "$progress" 200 50 "'$gmmu' sweep -j 2 --store '$dir/slow.db' '$dir/slow.yaml'"
  try "a terminal sees progress" grep -q "$progress" "$dir/screen"
else
  skip "a terminal sees progress" "script(1) has no pseudo-terminal to give"
fi

# ---- bad stores -------------------------------------------------------------------------------------------------------
mark() { # store, user_version
  printf '\000\000\000%b' "$(printf '\\0%o' "$2")" | dd of="$1" bs=1 seek=60 conv=notrunc 2>/dev/null
}
cp "$dir/small.db" "$dir/newer.db" && mark "$dir/newer.db" 99
for c in sweep export report; do
  if [ $c = sweep ]; then set -- sweep --store "$dir/newer.db" "$dir/small.yaml"; else set -- $c "$dir/newer.db"; fi
  if [ $c = report ]; then set -- "$@" -o "$dir/page.html"; fi
  wants 1 "newer.db: written by a newer gmmu (schema 99" "$c: a store of a newer version" "$@"
done
mark "$dir/newer.db" 2
try "nothing in it was lost" sh -c "'$gmmu' export '$dir/newer.db' | cmp - '$dir/small.csv'" 
size=$(wc -c <"$dir/small.db")
cp "$dir/small.db" "$dir/bad.db"
head -c $((size / 2)) /dev/zero | tr '\0' 'Z' | dd of="$dir/bad.db" bs=4096 seek=1 conv=notrunc 2>/dev/null
wants 1 "bad.db: .*damaged" "export: a damaged store" export "$dir/bad.db"
wants 1 "bad.db: .*damaged" "report: a damaged store" report "$dir/bad.db" -o "$dir/page.html"
wants 1 "none.db: there is no such results store" "report: no store" report "$dir/none.db" -o "$dir/page.html"
try "report: none of them made a page or a store" sh -c "[ ! -e '$dir/page.html' ] && [ ! -e '$dir/none.db' ]"
wants 1 "nowhere/page.html" "report: a page in no folder" report "$dir/small.db" -o "$dir/nowhere/page.html"
mkdir "$dir/folder.html"
wants 1 "folder.html" "report: a page where a folder is" report "$dir/small.db" -o "$dir/folder.html"
wants 1 "small.db has no such run" "report: none of the runs" report "$dir/small.db" --design none -o "$dir/page.html"
wants 2 "which store" "report: of nothing" report
before=$(cksum <"$dir/bad.db")
wants 1 "bad.db: .*damaged" "sweep: a damaged store" sweep --store "$dir/bad.db" "$dir/small.yaml"
try "it stays as it is" test "$(cksum <"$dir/bad.db")" = "$before"
# A digit of a result: its run is named, left out, and run again.
LC_ALL=C sed '0,/"cycles":[0-8]/s//"cycles":9/' "$dir/small.db" >"$dir/digit.db"
names_it() { # name, command...
  label=$1
  shift
  "$gmmu" "$@" >"$dir/out" 2>"$dir/err"
  status=$?
  try "$label" sh -c "[ $status = 1 ] && grep -q '^gmmu: .*digit.db: run [0-9a-f]* is damaged and left out.*(it differs from its hash)' '$dir/err' || { cat '$dir/err'; exit 1; }"
}
names_it "export: a changed digit" export "$dir/digit.db"
try "export: the other runs are there" sh -c "[ \$(wc -l <'$dir/out') = 16 ] && ! grep -Fxvq -f '$dir/small.csv' '$dir/out'"
names_it "export: a changed digit, a query that looks into all" export "$dir/digit.db" --query "SELECT json_extract(result, '\$.cycles') FROM run"
names_it "report: a changed digit" report "$dir/digit.db" -o "$dir/digit.html"
try "report: the page has the others" sh -c "grep -q 'digit.html: 15 runs' '$dir/out' && [ -s '$dir/digit.html' ]"
"$gmmu" store check "$dir/digit.db" >"$dir/out"
try "store check: status 1 and the run" sh -c "[ $? = 1 ] && grep -q ': 15 runs are whole, 1 are damaged' '$dir/out' && [ \$(grep -c '^damaged: [0-9a-f]*: it differs' '$dir/out') = 1 ]"
try "store check: JSON" sh -c "! '$gmmu' store check --json '$dir/digit.db' >'$dir/out' && '$json' <'$dir/out' && grep -q '\"damaged\": 1,' '$dir/out'"
cp "$dir/digit.db" "$dir/mended.db"
try "sweep: it runs the damaged one again" sh -c "'$gmmu' sweep --store '$dir/digit.db' '$dir/small.yaml' 2>'$dir/err' | grep -q ': 15 were there, 1 have been run, 0 failed' && grep -q 'was damaged and counted as missing' '$dir/err'"
try "sweep: all is well then" sh -c "'$gmmu' store check '$dir/digit.db' && '$gmmu' export '$dir/digit.db' | cmp - '$dir/small.csv'"
before=$(cksum <"$dir/mended.db")
try "store repair: of a changed digit" sh -c "'$gmmu' store repair '$dir/mended.db' | grep -q 'repaired; the old file is .*mended.db.damaged' && '$gmmu' store check '$dir/mended.db'"
try "store repair: the old file is kept" test "$(cksum <"$dir/mended.db.damaged")" = "$before"
try "store repair: of one that is whole" sh -c "'$gmmu' store repair '$dir/mended.db' | grep -q 'nothing to repair' && [ ! -e '$dir/mended.db.damaged-2' ]"
# Pages, and the end of the file: refused as it is; repaired, the study goes on from what could be read.
cp "$dir/small.db" "$dir/pages.db"
awk 'BEGIN { srand(7); for (i = 0; i < 8192; i++) printf "%c", 33 + int(rand() * 90) }' | dd of="$dir/pages.db" bs=4096 seek=$((size / 4096 / 2)) conv=notrunc 2>/dev/null
head -c $((size / 3)) "$dir/small.db" >"$dir/short.db"
for bad in pages short; do
  before=$(cksum <"$dir/$bad.db")
  wants 1 "$bad.db: .*damaged.*gmmu store repair" "$bad: refused" sweep --store "$dir/$bad.db" "$dir/small.yaml"
  try "$bad: the file is as it was" test "$(cksum <"$dir/$bad.db")" = "$before"
  try "$bad: check" sh -c "! '$gmmu' store check '$dir/$bad.db' >'$dir/out' && grep -q 'SQLite calls the file malformed' '$dir/out'"
  try "$bad: repair" "$gmmu" store repair "$dir/$bad.db"
  try "$bad: the old file is kept" test "$(cksum <"$dir/$bad.db.damaged")" = "$before"
  "$gmmu" sweep --store "$dir/$bad.db" "$dir/small.yaml" >"$dir/out" 2>&1
  try "$bad: the study is whole again" sh -c "'$gmmu' export '$dir/$bad.db' | cmp - '$dir/small.csv'"
done
wants 2 "check or repair" "store: of what" store
wants 2 "check or repair, not" "store: something else" store mend "$dir/small.db"
wants 1 "there is no such results store" "store check: none" store check "$dir/none.db"
wants 1 "no results store, or it is damaged" "store check: another file" store check "$dir/small.yaml"
# A folder that may not be written: by its rights, for root by a file system that is read-only.
closed=
mkdir "$dir/closed"
if [ "$(id -u)" != 0 ]; then
  cp "$dir/small.db" "$dir/closed" && chmod -R a-w "$dir/closed" && closed=rights
elif mount -t tmpfs -o size=4m none "$dir/closed" 2>/dev/null; then
  cp "$dir/small.db" "$dir/closed" && mount -o remount,ro "$dir/closed" && closed=mount
fi
if [ -n "$closed" ]; then
  wants 1 "closed/small.db: .*may not be written; --store names another" "sweep: a store that may not be written" sweep --store "$dir/closed/small.db" "$dir/many.yaml"
  wants 1 "closed/new.db: .*cannot be opened or made there" "sweep: a folder that may not be written" sweep --store "$dir/closed/new.db" "$dir/many.yaml"
  wants 1 "closed/page.html" "report: a folder that may not be written" report "$dir/small.db" -o "$dir/closed/page.html"
  try "it can be read" sh -c "'$gmmu' export '$dir/closed/small.db' | cmp - '$dir/small.csv'"
  try "and priced" sh -c "'$gmmu' sweep --dry-run --store '$dir/closed/small.db' '$dir/small.yaml' | grep -q '16 are finished'"
else
  skip "a folder that may not be written" "root may write everywhere, and nothing can be mounted"
fi
if [ "$closed" = mount ]; then umount "$dir/closed"; else chmod -R u+w "$dir/closed"; fi

# A full disk: what was finished is kept, and the study goes on when there is room again. There is room for some of the runs.
room=$(($(wc -c <"$dir/whole.db") * 3 / 4))
full() { # command
  if [ "$(id -u)" = 0 ] && mkdir -p "$dir/disk" && mount -t tmpfs -o size=$room none "$dir/disk" 2>/dev/null; then
    store=$dir/disk/full.db
    "$@" --store "$store" "$dir/many.yaml"
    status=$?
    cp "$store" "$dir/full.db"
    umount "$dir/disk"
    return $status
  fi
  (trap '' XFSZ; ulimit -f $((room / 512)); exec "$@" --store "$dir/full.db" "$dir/many.yaml")
}
full "$gmmu" sweep -j 2 >"$dir/out" 2>"$dir/err"
try "a full disk: status 1 and a reason" sh -c "[ $? = 1 ] && grep -q 'full.db: the disk is full; what was finished before is kept' '$dir/err'"
try "a full disk: something is there" test "$(count "$dir/full.db")" -gt 0
try "then there is room again" sh -c "'$gmmu' sweep -j 2 --store '$dir/full.db' '$dir/many.yaml' >/dev/null"
export_all "$dir/full.db" >"$dir/full"
try "a full disk: nothing is lost" cmp "$dir/whole" "$dir/full"
finish
