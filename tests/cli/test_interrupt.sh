#!/bin/sh
# Ctrl-C prints what is known so far; a terminal sees progress, a pipe does not.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
endless="--design sharedtlb,ideal compute:steps=1000000"

# interrupt SIGNAL ARGUMENTS...: runs gmmu, sends the signal when it listens and has worked a little, and returns
# its status. One that does not hear is killed.
interrupt() {
  signal=$1
  shift
  "$gmmu" "$@" &
  pid=$!
  for _ in $(seq 300); do # the second bit of the mask of caught signals is SIGINT
    case $(sed -n 's/^SigCgt:.*\(.\)$/\1/p' /proc/$pid/status) in [2367abef]) break ;; esac
    sleep 0.1
  done
  sleep 0.5
  kill -s "$signal" $pid
  for _ in $(seq 300); do # until it has ended: gone, or waiting for us (Z)
    case $(sed -n 's/^State:[^A-Z]*\(.\).*/\1/p' /proc/$pid/status 2>/dev/null) in Z | "") break ;; esac
    sleep 0.1
  done
  kill -9 $pid 2>/dev/null
  wait $pid
}

for s in INT TERM; do
  # shellcheck disable=SC2086  # words
  interrupt $s run $endless >"$dir/table" 2>"$dir/err"
  try "SIG$s: status 130" test $? = 130
  try "SIG$s: the table so far" grep -q "^sharedtlb (partial)  *compute " "$dir/table"
  try "SIG$s: it says that it is partial" grep -q "^PARTIAL: .*1 of 2 designs" "$dir/table"
  try "SIG$s: and that is all" sh -c "[ ! -s '$dir/err' ] && ! grep -q '^ideal' '$dir/table'"
done
# shellcheck disable=SC2086  # words
interrupt INT run --json -o "$dir/x.json" $endless
try "JSON: status 130" test $? = 130
try "JSON: valid" sh -c "'$json' <'$dir/x.json'"
try "JSON: marked as partial" grep -q '^      "partial": true' "$dir/x.json"
try "JSON: the counters add up all the same" awk '
  /"stall": \{/ { on = 1 } on && /: [0-9]/ { v = $2; sub(",", "", v); s += v } on && /\}/ { on = 0 }
  /"warp_instructions":/ && !w++ { v = $2; sub(",", "", v); s += v }
  /"slot_cycles":/ { v = $2; sub(",", "", v); all = v }
  END { exit s != all || !s }' "$dir/x.json"
interrupt INT record -o "$dir/x.gmt" compute:steps=1000000 2>"$dir/err"
try "record: status 130" test $? = 130
try "record: it says so" grep -q "^gmmu: interrupted; .*x.gmt was not written" "$dir/err"
try "record: nothing is left behind" sh -c "! ls '$dir'/x.gmt* 2>/dev/null"

# A processor ends the run in hand: each is short, and there are many.
many=1M,1M,1M,1M,1M,1M,1M,1M
interrupt INT db sample --device cpu --size $many,$many,$many,$many --accesses 40000000 --json -o "$dir/db.json"
try "db: status 130" test $? = 130
try "db: the runs so far, valid and marked" sh -c "'$json' <'$dir/db.json' && grep -q '\"partial\": true' '$dir/db.json'"
try "db: and no others" sh -c "[ \$(grep -c '\"checked\"' '$dir/db.json') -lt 32 ]"
interrupt INT reproduce fgpu/fig8 --store "$dir/fgpu.db" >"$dir/table" 2>"$dir/err"
try "a probe of reproduce: status 130" test $? = 130
try "a probe of reproduce: no row of what was not measured" sh -c "[ ! -s '$dir/table' ]"

if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  # shellcheck disable=SC2016,SC2086
  script -qec "timeout -k 30 --preserve-status -s INT 4 '$gmmu' run --cycles 2000000000 $endless >'$dir/table'" \
    /dev/null >"$dir/screen" </dev/null
  try "a terminal sees cycles, rate, share and time left" \
    grep -q "sharedtlb (1 of 2): .*cycles, .*warp instructions/s, .*%" "$dir/screen"
  try "the progress line is removed" sh -c "tail -c 20 '$dir/screen' | grep -q '\[K'"
else
  skip "a terminal sees progress" "script(1) has no pseudo-terminal to give"
fi
finish
