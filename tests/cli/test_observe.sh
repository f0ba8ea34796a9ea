#!/bin/sh
# What a run can show beyond its table: observed JSON, timelines.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
run="run --design sharedtlb -s gpu.sms=2 --cycles 1500"

# shellcheck disable=SC2086  # words
{
  "$gmmu" $run --json gather:footprint=1M hotset >"$dir/plain"
  "$gmmu" $run --json --observe gather:footprint=1M hotset >"$dir/seen"
  "$gmmu" $run --json --timeline "$dir/t.json" --timeline-window 100:1000 gather:footprint=1M hotset >"$dir/shown" 2>"$dir/err"
}
try "observed: valid JSON" sh -c "'$json' <'$dir/seen'"
try "observed: walks and pages of each application" \
  sh -c "[ \$(grep -c '\"sampled_walks\"' '$dir/seen') = 2 ] && [ \$(grep -c '\"page_heat\"' '$dir/seen') = 2 ]"
# shellcheck disable=SC2016  # awk's variables
try "observed: all else is the same" awk '
  FNR == 1 { file++ }
  /"observe\./ { next }
  file == 1 { sub(/,$/, ""); plain[++n] = $0; next }
  /"(sampled_walks|page_heat|memory_map)": \{/ { skip = match($0, /[^ ]/) }
  skip { if (match($0, /[^ ]/) == skip && /\}/) skip = 0; next }
  { sub(/,$/, ""); if ($0 != plain[++m]) { print m ": " $0 " / " plain[m]; exit bad = 1 } }
  END { exit bad || m != n }' "$dir/plain" "$dir/seen"
try "a run with a timeline prints what the run prints" cmp "$dir/plain" "$dir/shown"
try "and nothing more" test ! -s "$dir/err"
try "timeline: valid JSON" sh -c "'$json' <'$dir/t.json'"
for what in warp line tlb walk l2 dram flow; do
  try "timeline: it shows $what" grep -q "\"cat\":\"$what\"" "$dir/t.json"
done
try "timeline: names of applications" grep -q '"hotset"' "$dir/t.json"
# shellcheck disable=SC2086  # words
{
  "$gmmu" $run --json --by array gather:footprint=1M hotset >"$dir/plain"
  "$gmmu" $run --json --by array --timeline "$dir/named.json" --timeline-window 100:1000 gather:footprint=1M hotset >"$dir/shown"
}
try "timeline with --by: it prints what the run prints" cmp "$dir/plain" "$dir/shown"
try "timeline with --by: valid JSON" sh -c "'$json' <'$dir/named.json'"
for what in line tlb walk l2 dram; do
  try "timeline with --by: $what has array, kernel and line" \
    grep -q "\"cat\":\"$what\".*\"array\":\"cudaMalloc #1, 1 MB\",\"kernel\":\"gather\",\"line\":\"gather, PTX line [0-9]*\"" "$dir/named.json"
done
try "timeline with --by: but for names it is the same" \
  sh -c "sed 's/,\"array\":\"[^\"]*\"//; s/,\"kernel\":\"[^\"]*\"//; s/,\"line\":\"[^\"]*\"//' '$dir/named.json' | cmp - '$dir/t.json'"
try "timeline: as many flows end as begin" sh -c \
  "[ \$(grep -c '\"ph\":\"s\"' '$dir/t.json') = \$(grep -c '\"ph\":\"f\"' '$dir/t.json') ]"

# shellcheck disable=SC2086  # words
"$gmmu" $run --timeline "$dir/t.json" --timeline-spans 1000 gather >/dev/null 2>"$dir/err"
try "a full timeline: the run is fine" test $? = 0
try "a full timeline: it says where it ends, in a line" \
  sh -c "[ \$(wc -l <'$dir/err') = 1 ] && grep -q '^gmmu: .*t.json: the timeline ends with cycle [0-9]*, .*--timeline-spans' '$dir/err'"
try "a full timeline: valid JSON, marked" sh -c "'$json' <'$dir/t.json' && grep -q '\"cut\": true' '$dir/t.json'"

for w in 5 5: :5 5:5 9:5 a:b 1:2:3 -1:5 "1: 5" 99999999999999999999:5; do
  wants 2 '--timeline-window: "'"$w"'" is no window' "window $w" run --timeline x --timeline-window "$w" gather
done
wants 2 "are for --timeline FILE" "window without a timeline" run --timeline-window 1:2 gather
wants 2 "timeline-spans" "too few spans" run --timeline x --timeline-spans 5 gather
wants 2 "one design" "timeline of several designs" run --timeline x --design ideal,sharedtlb gather
wants 2 "no machine" "timeline without a machine" run --timeline x --functional -- ./x
wants 2 "is for --json" "observe without JSON" run --observe gather
# shellcheck disable=SC2086  # words
"$gmmu" $run --timeline "$dir/late.json" --timeline-window 9000:9999 gather >/dev/null 2>"$dir/err"
try "a window behind the end: an error" \
  sh -c "[ $? = 1 ] && grep -q '^gmmu: --timeline: the run ended in cycle 1500, before' '$dir/err' && [ ! -e '$dir/late.json' ]"
# shellcheck disable=SC2086  # words
"$gmmu" $run --timeline "$dir/none/t.json" gather >/dev/null 2>"$dir/err"
try "a folder that is not there: an error" sh -c "[ $? = 1 ] && grep -q '^gmmu: .*none' '$dir/err'"

# ---- the view ----
wants 2 "no machine to watch" "watch without a machine" run --watch --functional -- ./x
# shellcheck disable=SC2086  # words
"$gmmu" $run --watch gather >"$dir/watched" 2>"$dir/err"
# shellcheck disable=SC2086  # words
"$gmmu" $run gather >"$dir/plain" 2>&1
try "watch: nothing on a pipe" test ! -s "$dir/err"
try "watch: the table is the same" cmp "$dir/plain" "$dir/watched"
# screen PATTERN COLUMNS ROWS: what a terminal of that size sees of a run that Ctrl-C ends when the pattern is there
screen() { on_terminal "$@" "'$gmmu' run --watch --design sharedtlb -s gpu.sms=3 --cycles 50000000 gather hotset:footprint=64M stream >'$dir/table'"; }
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  esc=$(printf '\033')
  progress='maxwell, sharedtlb: .*warp instructions/s, .*%, .* left'
  screen "$progress" 100 30
  try "watch: status 130 after Ctrl-C" test $? = 130
  try "watch: what is known so far is printed" grep -q '^PARTIAL' "$dir/table"
  try "watch: rate and time left" grep -q "$progress" "$dir/screen"
  for app in gather hotset stream; do
    try "watch: $app has IPC, miss rates and walks" \
      grep -Eq "^$app +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+" "$dir/screen"
  done
  try "watch: bars of stall reasons" grep -Eq "^  ($esc\\[[0-9;]+m[a-z]+)+$esc\\[0m" "$dir/screen"
  try "watch: redrawn in place" sh -c "[ \$(grep -c '$esc\\[[0-9]*A' '$dir/screen') -ge 2 ]"
  try "watch: removed at the end, colours off" sh -c "tail -c 13 '$dir/screen' | grep -q '$esc\\[[0-9]*A$esc\\[J$esc\\[0m'"
  screen '(1 more)' 44 9
  try "watch: a small terminal: no line is as wide as it" awk -v esc="$esc" '
    { gsub(esc "\\[[0-9;]*[A-Za-z]", ""); gsub("\r", ""); if (length > 43) { print; exit bad = 1 } }
    END { exit bad || !NR }' "$dir/screen"
  try "watch: a small terminal: the rest is counted" grep -q '(1 more)' "$dir/screen"
else
  skip "watch: a terminal sees the view" "script(1) has no pseudo-terminal to give"
fi
finish
