#!/bin/sh
# gmmu reproduce: what it prints, what it keeps, and that killing it loses nothing. KILLS is how often it is killed; with SHORT
# set some experiments are left out.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
kills=${KILLS:-3}
XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data
export XDG_CACHE_HOME XDG_DATA_HOME
mkdir "$dir/cache" "$dir/data"

wants 2 "what? .gmmu reproduce list" "without a name" reproduce
wants 2 'no experiment "mask/fig12"; nearest: "mask/fig1' "a wrong name" reproduce mask/fig12
wants 2 "pairs" "pairs out of range" reproduce --pairs 36 mask
try "list" sh -c "'$gmmu' reproduce list >'$dir/list'"
try "list names the rows" sh -c "[ \$(grep -c '^mask/' '$dir/list') -ge 16 ]"
try "list as JSON" sh -c "'$gmmu' reproduce --json list | tee '$dir/list.json' | '$json'"
try "JSON has as many experiments" sh -c "[ \$(grep -c '\"missing\": [0-9]' '$dir/list.json') = \$(grep -c '^[a-z0-9-]*/' '$dir/list') ]"
wants 2 "list. tells of all" "list and a name" reproduce list mask
wants 2 "list. has none" "list and a folder for results" reproduce -o x list
while read -r id rows; do
  try "$id has $rows rows or more" sh -c "grep -A 2 '\"id\": \"$id\"' '$dir/list.json' | sed -n 's/.*\"rows\": \([0-9]*\).*/\1/p' | awk -v r=$rows '{ n++; bad += \$1 < r } END { exit n != 1 || bad }'"
done <"$root/tests/cli/targets"
try "list makes no store" test ! -e "$dir/data/gmmu"
try "a dry run tells what is missing" sh -c "'$gmmu' reproduce --quick --dry-run mask/fig3 | grep -q 'are missing now'"
try "a dry run as JSON" sh -c "'$gmmu' reproduce --quick --json --dry-run mask/fig3 neidty/fig2 | tee '$dir/dry.json' | '$json'"
try "JSON names what was asked for" sh -c "grep -q '\"id\": \"neidty/fig2\"' '$dir/dry.json' && grep -q '\"seconds\": 0' '$dir/dry.json'"
wants 2 "dry-run has none" "a dry run and a folder for results" reproduce --dry-run -o x mask
for p in $(sed -n 's#^\([a-z0-9-]*\)/.*#\1#p' "$dir/list" | sort -u); do
  try "help names the paper $p" sh -c "'$gmmu' help reproduce | tr '\n' ' ' | grep -q 'PAPER is [^;]*\<$p\>[^;]*;'"
done
try "a dry run makes no store" test ! -e "$dir/data/gmmu"

echo "this is no database, and long enough to be taken for one: ........................................" >"$dir/bad.db"
wants 1 "bad.db: .*no results store" "a file that is no store" reproduce --quick --store "$dir/bad.db" mask/fig3
wants 1 "results.db" "a place that cannot be" reproduce --quick --store /dev/null/results.db mask/fig3

# gmmu run asks the same laboratory.
pair="-s gpu.sms=6 stream:footprint=256K,blocks=12 gather:footprint=1M,steps=2,blocks=12"
# shellcheck disable=SC2086  # words
{
  try "run --speedup" sh -c "'$gmmu' run --speedup --design sharedtlb,ideal $pair >'$dir/speedup'"
  try "a row per design: speed-ups, their sum, throughput, unfairness" \
    grep -q '^ideal  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*$' "$dir/speedup"
  try "the sum of the speed-ups" awk '/^sharedtlb/ && NF == 6 { n++; d = $2 + $3 - $4; exit d * d > 0.00001 } END { exit !n }' "$dir/speedup"
  try "the same from the store" sh -c "'$gmmu' run --speedup --design sharedtlb,ideal $pair | cmp - '$dir/speedup'"
  try "--split oracle" sh -c "'$gmmu' run --split oracle --speedup --json $pair | tee '$dir/oracle.json' | '$json'"
  try "JSON has the metrics" grep -q '"weighted_speedup": [0-9]' "$dir/oracle.json"
  try "--split N,N is --sms N,N" sh -c "'$gmmu' run --split 2,4 $pair >'$dir/a'; '$gmmu' run --sms 2,4 $pair | cmp - '$dir/a'"
  try "--split equal is the default" sh -c "'$gmmu' run --split equal $pair >'$dir/a'; '$gmmu' run $pair | cmp - '$dir/a'"
  try "without a complete execution there is no speed-up" \
    sh -c "'$gmmu' run --speedup --design sharedtlb --cycles 200 $pair | grep -q '^sharedtlb  *-  *-  *-  *-  *-$'"
}
# shellcheck disable=SC2086  # words
{
  try "in turns each alone has all SMs" sh -c "'$gmmu' run --speedup --json --design timeslice $pair >'$dir/turns.json' &&
    '$gmmu' run --speedup --json --sms 6 ${pair%% gather*} >'$dir/alone.json' &&
    [ \"\$(grep -m 1 ipc_alone '$dir/turns.json')\" = \"\$(grep -m 1 ipc_alone '$dir/alone.json')\" ]"
  wants 2 "run such designs apart" "turns and shares have no common speed-up" run --speedup --design sharedtlb,timeslice $pair
  wants 2 "nothing to divide" "turns have no best division" run --split oracle --design timeslice $pair
}
wants 2 "for applications, not for programs" "no speed-up of programs" run --speedup -- true
wants 2 "do not share" "more applications than SMs" run --split oracle -s gpu.sms=1 stream gather
wants 2 "no-relaunch" "--min-cycles and --no-relaunch" run --min-cycles 10 --no-relaunch stream

# A quick plan says so and judges nothing; any other does.
"$gmmu" reproduce --quick mosaic/bloat-directed --store "$dir/quick.db" >"$dir/quick.txt"
"$gmmu" reproduce --quick --json mosaic/bloat-directed --store "$dir/quick.db" -o "$dir/quick" >"$dir/quick.json"
"$gmmu" reproduce mask/storage mosaic/bloat-directed --store "$dir/quick.db" >"$dir/usual.txt"
for f in quick.txt quick.json quick/mosaic-bloat-directed.md quick/mosaic-bloat-directed.json; do
  try "a quick plan agrees with nothing: $f" sh -c "grep -q QUICK '$dir/$f' && ! grep -q agree '$dir/$f'"
done
try "a quick experiment says so first" sh -c "head -n 1 '$dir/quick.txt' | grep -q '^QUICK mosaic/bloat-directed: '"
try "another plan judges" sh -c "grep -q 'agrees' '$dir/usual.txt' && ! grep -q QUICK '$dir/usual.txt'"
try "what is planted is not judged" grep -q '^tokens, bytes  *706  *[0-9.]*  *[0-9.]*  *-  *planted: ' "$dir/usual.txt"
try "a scorecard" sh -c "'$gmmu' reproduce scorecard --store '$dir/quick.db' >'$dir/card'"
try "counts what is in the store, searched workloads apart" \
  sh -c "grep -q '^mask  *table  *the plan.s  *[1-9][0-9]* of ' '$dir/card' && grep -q '^mosaic  *table  *searched  *[1-9]' '$dir/card'"
[ -n "${SHORT:-}" ] || try "a scorecard as JSON" sh -c "'$gmmu' reproduce --json scorecard --store '$dir/quick.db' | tee '$dir/card.json' | '$json' && grep -q '\"agrees in size\": ' '$dir/card.json'"
wants 2 "counts what is in the store" "a scorecard of one experiment" reproduce scorecard mask/fig3
wants 2 "not two designs" "a swap with one design" reproduce --swap mask mask/fig3
wants 2 'report: "-" is the standard output' "a page where the tables go" reproduce --quick mask/storage --report -

# What follows from how the model is built has no verdict.
wants 2 'at: "chip" is none of table, release, measured' "an operating point that is not there" reproduce --at release,chip mask/fig3
try "operating points" sh -c "'$gmmu' reproduce --quick --at all mosaic/latency --store '$dir/at.db' -o '$dir/at' >'$dir/at.txt'"
try "stand side by side" grep -q 'paper  *table  *verdict  *release  *verdict  *measured  *verdict' "$dir/at.txt"
try "and are runs of their own" sh -c "! cmp -s '$dir/at/mosaic-latency.json' '$dir/at/mosaic-latency-release.json' && grep -q measured '$dir/at/mosaic-latency-measured.json'"
try "one of them, from the store" sh -c "'$gmmu' reproduce --quick --at release --dry-run mosaic/latency --store '$dir/at.db' | grep -q ', 0 are missing'"
if [ -z "${SHORT:-}" ]; then
  try "rows that need no applications" sh -c "'$gmmu' reproduce --quick mosaic/latency mosaic/torn >'$dir/built'"
  try "a number that was fitted is not judged" grep -q '^2 MB page  *318  *[0-9.]*  *-  *-  *mean of .*; fitted: ' "$dir/built"
  try "compaction that moved nothing is not judged" grep -q '^index up to 90 %: .* < 1 %  *-  *-  *absent  *compaction moved no page' "$dir/built"
  try "one that moved pages would be" grep -q '^CAC is not ahead of CAC-BC.*  QUICK  *pages moved at 9 of 11 points' "$dir/built"
fi

# An atlas: a map of points, a page, and any of them by hand.
try "an atlas" sh -c "'$gmmu' reproduce --quick atlas/mosaic --store '$dir/atlas.db' -o '$dir/atlas' >'$dir/atlas.txt'"
try "has 16 points" sh -c "[ \$(grep -c '^ *[0-9]*  *\(10\|50\|95\|200\)  *\(8\|16\|32\|64\)  ' '$dir/atlas.txt') = 16 ]"
try "and a page without anything from elsewhere" sh -c "grep -q '<svg' '$dir/atlas/atlas-mosaic.html' && ! grep -Eq '(src|href)=' '$dir/atlas/atlas-mosaic.html'"
line=$(sed -n 's/.*<code>gmmu \(run .*\)<\/code>.*/\1/p' "$dir/atlas/atlas-mosaic.html" | sed -n 6p)
try "a point by hand is a run of the store" sh -c "eval '$gmmu' $line >'$dir/point.json' &&
  '$gmmu' export '$dir/atlas.db' --table documents --json >'$dir/atlas.json' && grep -m 1 '\"cycles\"' '$dir/point.json'"
try "with the same instructions" sh -c "grep -m 1 '\"warp_instructions\"' '$dir/point.json' | tr -dc 0-9 | xargs -I @ grep -q @ '$dir/atlas.json'"

if [ -z "${SHORT:-}" ]; then
  # Workloads in which Mosaic's directions come out are generators and patterns of allocation.
  try "directed workloads need no applications" \
    sh -c "'$gmmu' reproduce --quick mosaic/fig13-directed mosaic/pwc-directed mosaic/bloat-directed mosaic/table2-directed >'$dir/directed'"
  try "every row of theirs has a value, or its mechanism did not act" sh -c "! grep '  absent  ' '$dir/directed' | grep -qv 'did not act'"
  try "64 allocations in a large page make it last 4.74 times as long" \
    awk '/^ *32 KB / { n++; bad = $6 < 350 || $6 > 390 } END { exit n != 1 || bad }' "$dir/directed"
  try "what Mosaic reserves falls as memory gets fuller" grep -q '^it falls as occupancy grows  *falls  *falls  ' "$dir/directed"
  try "a dry run of allocations computes none" sh -c "'$gmmu' reproduce --dry-run mosaic/table2-directed | grep -q '^0 runs are finished, 0 are missing'"
fi

if [ ! -x "$(dirname "$gmmu")/../kernels/3ds" ]; then
  try "without the applications a row says so" \
    sh -c "'$gmmu' reproduce --quick --pairs 1 mask/fig3 | grep -q 'absent  *not in this build'"
  skip "experiments" "built without the applications"
  finish
  exit 0
fi

quick="reproduce --quick --pairs 1 mask/fig3"
# shellcheck disable=SC2086  # words
{
  try "an experiment" sh -c "'$gmmu' $quick >'$dir/first'"
  try "its rows have the paper's value, ours, a ratio and a verdict" \
    grep -q '^SharedTLB below Ideal  *40.6 %  *-*[0-9.]* %  *-*[0-9.]*  *QUICK' "$dir/first"
  try "the store is where it should be" test -s "$dir/data/gmmu/results.db"
  try "nothing is missing then" sh -c "'$gmmu' $quick --dry-run | grep -q ', 0 are missing'"
  try "again: the same from the store" sh -c "'$gmmu' $quick | cmp - '$dir/first'"
  try "another store, one at a time: the same" sh -c "'$gmmu' $quick -j 1 --store '$dir/b/c.db' | cmp - '$dir/first'"
  try "JSON" sh -c "'$gmmu' $quick --json | tee '$dir/first.json' | '$json'"
  try "JSON has verdicts" grep -q '"verdict": "' "$dir/first.json"
  try "files" "$gmmu" $quick -o "$dir/folder"
  try "a JSON file" sh -c "'$json' <'$dir/folder/mask-fig3.json'"
  try "a table in Markdown" grep -q '^| SharedTLB below Ideal ' "$dir/folder/mask-fig3.md"
  try "an experiment with a class that has no pair" sh -c "'$gmmu' reproduce --quick --pairs 1 mask/fig11 >'$dir/fig11'"
  try "a row without a pair is absent" grep -q '^MASK over SharedTLB, 0-HMR  *58.7 %  *-  *-  *absent  *no value$' "$dir/fig11"
  try "the others are there" grep -q '^MASK over SharedTLB, average  *57.8 %  *-*[0-9.]* %  *-*[0-9.]*  *QUICK' "$dir/fig11"
}

# Mosaic's have workloads and a plan of their own.
mosaic="reproduce --quick --pairs 1 mosaic/fig9 mosaic/fig13 mosaic/bloat mosaic/table2"
# shellcheck disable=SC2086  # words
{
  try "Mosaic's experiments" sh -c "'$gmmu' $mosaic >'$dir/mosaic'"
  try "every row has a value, or its mechanism did not act" sh -c "! grep '  absent  ' '$dir/mosaic' | grep -qv 'did not act'"
  try "a row per number of applications" sh -c "[ \$(grep -c '^[2-5]  *1  *[0-9.]*  *[0-9.]*  *[0-9.]*  ' '$dir/mosaic') = 4 ]"
  try "2 MB pages take at least as much memory as 4 KB pages" awk '/^application  *4 KB/ { on = 1 } on && NF == 3 && $2 ~ /^[0-9.]+$/ { n++; bad += $3 < $2 } END { exit !n || bad }' "$dir/mosaic"
  try "again: the same from the store" sh -c "'$gmmu' $mosaic | cmp - '$dir/mosaic'"
}

try "partitions" sh -c "'$gmmu' reproduce --quick fgpu/fig10 >'$dir/fig10'"
try "variation of both designs" grep -q '^IC on gtx1080, CP: variation  *104.6 %  *-*[0-9.]* %  *-*[0-9.]*  *QUICK' "$dir/fig10"
try "by four co-runners" grep -q '^gtx1080-fgpu  CMP  *ic  *[0-9]*\(  *-*[0-9.]*\)\{4\}  *\(mm\|fwt\|va\|ic\)$' "$dir/fig10"
try "what colours do not part" sh -c "'$gmmu' reproduce --quick fgpu/shared >'$dir/shared'"
try "of one application, three times" sh -c "grep -c '  *sn  *\\(mm\\|fwt\\|va\\)  *-*[0-9.]*' '$dir/shared' | grep -qx 3"
try "without translation nobody is in another's way" grep -q 'ideal TLBs, less than 1 %.*at most 0.0 %' "$dir/shared"

# The paper's software in place of the dispatcher: persistent blocks, live, started again as replayed ones are.
live="run --gpu gtx1080-fgpu --design mps -s share.threads=100 --wait-for 1"
# shellcheck disable=SC2086  # words
{
  try "persistent blocks on two parts" sh -c "'$gmmu' $live --json fgpu-mm:part=0,size=tiny fgpu-va:part=1,size=tiny | tee '$dir/live.json' | '$json'"
  try "the second is started again and again" awk '/"runs": [0-9]/ { gsub(/[^0-9]/, ""); n++; bad += n == 1 ? $0 != 1 : $0 < 3 } END { exit n != 2 || bad }' "$dir/live.json"
  wants 2 "no part 2 of 2" "a part that is not there" $live fgpu-va:part=2
  wants 2 "fgpu-va.piece" "an option that is not there" $live fgpu-va:piece=2
}

# Processes of a session that still do something.
running() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v s="$1" '{ sub(/.*\) /, "") } $4 == s && $1 != "Z" { n++ } END { print n + 0 }'; }
# Waits up to 10 s for a session to end.
quiet() { [ "$(running "$1")" = 0 ]; }
ended() { await 10 quiet "$1"; }
temps() { find "$dir/empty" -name '*.gmt.tmp*' | wc -l; }

# Killed alone while its children record: they end, too, and what they leave behind goes with the next recording.
mkdir "$dir/empty"
XDG_CACHE_HOME=$dir/empty setsid "$gmmu" reproduce --pairs 1 mask/fig3 --store "$dir/empty.db" >/dev/null 2>&1 &
pid=$!
recording() { [ "$(temps)" != 0 ]; }
await 8 recording
kill -s KILL "$pid"
wait "$pid" 2>/dev/null
try "killed alone while recording, it leaves no process" ended "$pid"
try "only temporary files" sh -c "[ $(temps) -gt 0 ]"
XDG_CACHE_HOME=$dir/empty "$gmmu" run --cycles 10 histo:size=tiny >/dev/null
try "they are kept for a while" sh -c "[ $(temps) -gt 0 ]"
for f in "$dir"/empty/gmmu/*.gmt.tmp*; do # nobody has this number, whoever collects the dead and when
  mv "$f" "${f%tmp*}tmp4194305-0"
done
: >"$dir/empty/gmmu/mine.gmt.tmp$$-0"
touch -d '1 hour ago' "$dir"/empty/gmmu/*.gmt.tmp*
# shellcheck disable=SC2086  # words
try "then it goes on from there" sh -c "XDG_CACHE_HOME='$dir/empty' '$gmmu' $quick --store '$dir/empty.db' | cmp - '$dir/first'"
try "and they are swept, but for those of living processes" sh -c "[ $(temps) = 1 ] && [ -e '$dir/empty/gmmu/mine.gmt.tmp$$-0' ]"

# Killed at a random moment, with all its children or alone, in turn; then it comes to its end with the same bytes.
seed=${GMMU_SEED:-1}
killed=0
long="reproduce --quick mask/table3" # some fifty runs
# shellcheck disable=SC2086  # words
"$gmmu" $long --store "$dir/whole.db" >"$dir/whole"
for i in $(seq "$kills"); do
  # shellcheck disable=SC2086  # words
  setsid "$gmmu" $long --store "$dir/killed.db" >/dev/null 2>&1 &
  pid=$!
  sleep "$(awk -v s="$seed" -v i="$i" 'BEGIN { srand(s * 1000 + i); printf "%.2f", 0.05 + rand() * 0.6 }')"
  if [ $((i % 2)) = 0 ]; then whom=$pid; else whom=-$pid; fi
  if kill -s KILL -- "$whom" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "$pid" 2>/dev/null
  ended "$pid" || fail "killed alone, it leaves no process"
done
echo "# killed $killed of $kills times, GMMU_SEED=$seed"
try "a store survives kill -9" sh -c "'$gmmu' $long --store '$dir/killed.db' | cmp - '$dir/whole'"
try "it was killed indeed" test "$killed" -gt 0
rm -f "$dir/killed.db"

# Ctrl-C: status 130, and what was finished is kept.
setsid "$gmmu" reproduce --quick mask mosaic --store "$dir/stopped.db" >"$dir/partial" 2>"$dir/err" &
pid=$!
some_done() { [ "$("$gmmu" export "$dir/stopped.db" 2>/dev/null | wc -l)" -gt 1 ]; }
await 30 some_done
kill -INT "$pid"
wait "$pid"
try "Ctrl-C: status 130" test $? = 130
try "Ctrl-C: it says so" grep -q "^gmmu: interrupted" "$dir/err"
try "Ctrl-C: finished runs are kept" some_done
finish
