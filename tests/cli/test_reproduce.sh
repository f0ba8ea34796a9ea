#!/bin/sh
# gmmu reproduce: what it prints, what it keeps, and that killing it loses nothing. KILLS is how often it is killed.
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
try "list makes no store" test ! -e "$dir/data/gmmu"
try "a dry run tells what is missing" sh -c "'$gmmu' reproduce --quick --dry-run mask/fig3 | grep -q 'are missing now'"
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
    sh -c "'$gmmu' run --speedup --cycles 200 $pair | grep -q '^sharedtlb  *-  *-  *-  *-  *-$'"
}
wants 2 "for applications, not for programs" "no speed-up of programs" run --speedup -- true
wants 2 "do not share" "more applications than SMs" run --split oracle -s gpu.sms=1 stream gather
wants 2 "no-relaunch" "--min-cycles and --no-relaunch" run --min-cycles 10 --no-relaunch stream

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
    grep -q '^SharedTLB below Ideal  *40.6 %  *-*[0-9.]* %  *-*[0-9.]*  *\(agrees\|disagrees\)' "$dir/first"
  try "the store is where it should be" test -s "$dir/data/gmmu/results.db"
  try "nothing is missing then" sh -c "'$gmmu' $quick --dry-run | grep -q ', 0 are missing'"
  try "again: the same from the store" sh -c "'$gmmu' $quick | cmp - '$dir/first'"
  try "another store, one at a time: the same" sh -c "'$gmmu' $quick -j 1 --store '$dir/b/c.db' | cmp - '$dir/first'"
  try "JSON" sh -c "'$gmmu' $quick --json | tee '$dir/first.json' | '$json'"
  try "JSON has verdicts" grep -q '"verdict": "' "$dir/first.json"
  try "files" "$gmmu" $quick -o "$dir/folder"
  try "a JSON file" sh -c "'$json' <'$dir/folder/mask-fig3.json'"
  try "a table in Markdown" grep -q '^| SharedTLB below Ideal ' "$dir/folder/mask-fig3.md"
  try "rows without their design are absent, the others are there" sh -c "'$gmmu' reproduce --quick --pairs 1 mask/fig11 >'$dir/fig11'"
}

# Killed with all its children at a random moment, again and again; then it comes to its end with the same bytes.
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
  if kill -s KILL -- "-$pid" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "$pid" 2>/dev/null
done
echo "# killed $killed of $kills times, GMMU_SEED=$seed"
try "a store survives kill -9" sh -c "'$gmmu' $long --store '$dir/killed.db' | cmp - '$dir/whole'"
try "it was killed indeed" test "$killed" -gt 0
rm -f "$dir/killed.db"

# Ctrl-C: status 130, and what was finished is kept.
# shellcheck disable=SC2086  # words
setsid "$gmmu" reproduce --quick mask --store "$dir/stopped.db" >"$dir/partial" 2>"$dir/err" &
pid=$!
for _ in $(seq 100); do
  sleep 0.1
  case $("$gmmu" reproduce --quick --dry-run mask --store "$dir/stopped.db") in 0\ runs* | "") ;; *) break ;; esac
done
kill -INT "$pid"
wait "$pid"
try "Ctrl-C: status 130" test $? = 130
try "Ctrl-C: it says so" grep -q "^gmmu: interrupted" "$dir/err"
try "Ctrl-C: finished runs are kept" \
  sh -c "! '$gmmu' reproduce --quick --dry-run mask --store '$dir/stopped.db' | grep -q '^0 runs'"
finish
