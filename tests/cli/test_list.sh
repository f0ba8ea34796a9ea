#!/bin/sh
# Lists are complete and true, and the pages of docs/ made of them are current.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

for f in "$root"/presets/*/*.yaml; do
  kind=$(basename "$(dirname "$f")") name=$(basename "$f" .yaml)
  try "list ${kind}s names $name" sh -c "'$gmmu' list ${kind}s | grep -q '^$name  *[A-Z]'"
done
"$gmmu" list policies | grep -o '[a-z0-9]*\.[a-z]*=[a-z0-9-]*' >"$dir/settings"
try "there are policies" test -s "$dir/settings"
while read -r s; do try "setting $s exists" "$gmmu" show -s "$s"; done <"$dir/settings"
for g in $("$gmmu" list generators | sed -n 's/^\([a-z0-9]*\): .*/\1/p'); do
  try "generator $g runs" "$gmmu" run --cycles 200 -s gpu.sms=1 "$g"
done
"$gmmu" list options | sed -n 's/^\([a-z0-9]*\.[a-z0-9_]*\) .*/\1/p' | sort >"$dir/listed"
"$gmmu" show --json | sed -n 's/^ *"\([a-z0-9]*\.[a-z0-9_]*\)":.*/\1/p' | sort >"$dir/shown"
try "every option is listed" cmp "$dir/listed" "$dir/shown"
# With the policies that have counters of their own.
{
  "$gmmu" run --json --observe --cycles 400 -s gpu.sms=1 -s dram.scheduler=mask -s tlb.fill=tokens -s tlb.peer=neidty -s mem.manager=coloured gather
  "$gmmu" run --json --cycles 400 -s gpu.sms=1 -s mem.paging=demand gather
  "$gmmu" run --json --cycles 400 -s gpu.sms=1 -s mem.paging=uvm gather
  "$gmmu" run --json --cycles 400 -s gpu.sms=1 -s walk.policy=nha -s l2tlb.mshr_format=intlb gather
  "$gmmu" run --json --cycles 400 -s gpu.sms=2 -s tlb.speculate=cast -s l1d.virtual=true -s noc.partitions=2 gather
  "$gmmu" run --json --design native --cycles 400 -s gpu.sms=1 -s tlb.format=star -s l2tlb.reach=16 gather
  "$gmmu" run --json --cycles 400 -s gpu.sms=1 -s tlb.victim=scratchpad -s mem.table=fs-hpt gather
  "$gmmu" run --json --design sharedtlb --cycles 400 -s gpu.sms=1 -s tlb.levels=4 -s observe.origins=true gather
  "$gmmu" run --json --design sharedtlb -s gpu.sms=1 --skip 100 --warm 100 --measure 100 --windows 2 gather 2>"$dir/warned"
} |
  sed -n 's/^ *"\([a-z0-9_]*\)": [0-9[].*/\1/p' >"$dir/keys"
missing=$("$gmmu" list stats | sed -n '5,$s/^[^ ]* *\([a-z][^ ]* *\)\{0,3\}.*/&/p' |
  awk -F '  +' '{ print $2 }' | sort -u | while read -r k; do grep -qx "$k" "$dir/keys" || echo "$k"; done)
try "every statistic listed is in the JSON" test -z "$missing"
[ -z "$missing" ] || echo "# missing: $missing"
"$gmmu" list >"$dir/all"
for s in GPUs Designs Generators Options Policies Statistics; do
  try "list without a name has $s" grep -q "^$s\." "$dir/all"
done
for s in gpus designs apps applications generators operators options policies rows standards stats statistics Statistics; do
  try "there is a list of $s" "$gmmu" list "$s"
done
# Every title that stands above a list can be asked for by that name.
sed -n 's/^\([A-Z][A-Za-z]*\)\. .*/\1/p' "$dir/all" >"$dir/titles"
missing=$(while read -r s; do "$gmmu" list "$s" >/dev/null 2>&1 || echo "$s"; done <"$dir/titles")
try "each of the $(wc -l <"$dir/titles") titles is a list's name" test "$(wc -l <"$dir/titles")" -ge 8 -a -z "$missing"
[ -z "$missing" ] || echo "# missing: $missing"
cut=$("$gmmu" list gpus designs | awk '/^name/ { on = 1; next } /^-/ { next } /^$/ { on = 0 } on && !/\.$/')
try "what GPUs and designs are is said in whole sentences" test -z "$cut"
[ -z "$cut" ] || printf '%s\n' "$cut" | sed 's/^/# cut off: /'
try "docs/ is current (scripts/gen-docs.sh makes it so)" "$root/scripts/gen-docs.sh" --check "$gmmu"
finish
