#!/bin/sh
# What `gmmu run` and `gmmu show` print.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
tiny="-s gpu.sms=2 --cycles 2000"
# The first number of that name.
field() { sed -n "s/^ *\"$2\": \([0-9][0-9]*\),*\$/\1/p" "$1" | head -n 1; }
run() { # shellcheck disable=SC2086  # words
  "$gmmu" run $tiny "$@"
}

run --design sharedtlb,ideal gather:footprint=8M stream >"$dir/table" 2>"$dir/err"
try "nothing is said on stderr of a pipe" test ! -s "$dir/err"
rows=$(grep -c '^\(ideal\|sharedtlb\) *\(gather\|stream\) ' "$dir/table")
try "a row per design and application, in both tables" test "$rows" = 8
try "slowdowns are against ideal" grep -q "IPC under ideal over" "$dir/table"
run --design sharedtlb,pwcache gather >"$dir/table2"
try "without ideal, slowdowns are against the first" grep -q "IPC under sharedtlb over" "$dir/table2"
try "the stall stack adds up to 100" awk '
  /^Where the time/ { on = 1 }
  on && /^(ideal|sharedtlb) / { s = 0; for (i = 3; i <= NF; i++) s += $i; if (s < 99.999 || s > 100.001) bad = 1; rows++ }
  END { exit bad || rows != 4 }' "$dir/table"

run --json --design ideal,sharedtlb gather:footprint=8M stream >"$dir/a.json"
run --json --design ideal,sharedtlb gather:footprint=8M stream >"$dir/b.json"
try "the same run twice gives the same bytes" cmp "$dir/a.json" "$dir/b.json"
try "JSON is valid" sh -c "'$json' <'$dir/a.json'"
try "two runs in the document" sh -c "[ \$(grep -c '^      \"design\":' '$dir/a.json') = 2 ]"
try "they are not partial" sh -c "! grep -q '\"partial\": true' '$dir/a.json'"
try "nothing of the host in it" sh -c "! grep -i -e '/tmp' -e '/home' '$dir/a.json' && ! grep -iw -e \"\$(hostname 2>/dev/null || echo no-host-name)\" '$dir/a.json'"
try "cycles as asked" test "$(field "$dir/a.json" cycles)" = 2000
run --json -o "$dir/c.json" --design ideal,sharedtlb gather:footprint=8M stream >"$dir/out"
try "-o writes the same, and nothing on stdout" sh -c "cmp '$dir/a.json' '$dir/c.json' && [ ! -s '$dir/out' ]"
run --json --check --design ideal,sharedtlb gather:footprint=8M stream | sed 's/"run.check": true/"run.check": false/' >"$dir/d.json"
try "--check finds nothing and changes nothing" cmp "$dir/a.json" "$dir/d.json"
run --json gather gather >"$dir/twins.json"
try "two of a kind get numbers" sh -c "grep -q '\"gather#1\"' '$dir/twins.json' && grep -q '\"gather#2\"' '$dir/twins.json'"

run --json -s l2tlb.entries=1024 gather >"$dir/set.json"
try "-s overrides" test "$(field "$dir/set.json" l2tlb.entries)" = 1024
try "and is noted" grep -q '"settings": {' "$dir/set.json"
run --json --design sharedtlb -s l2tlb.entries=1024 -s l2tlb.entries=256 gather >"$dir/set2.json"
try "a key given twice is noted once" test "$(grep -c '"l2tlb.entries": "' "$dir/set2.json")" = 1
try "the last -s wins" test "$(field "$dir/set2.json" l2tlb.entries)" = 256
"$gmmu" run --json --design sharedtlb -s gpu.sms=8 --sms 2,6 --cycles 500 gather stream >"$dir/sms.json"
try "--sms" test "$(sed -n 's/^ *"sms": \([0-9]*\).*/\1/p' "$dir/sms.json" | tr '\n' ' ')" = "2 6 "
"$gmmu" run --json -s gpu.sms=2 --instructions 5000 gather >"$dir/inst.json"
got=$(field "$dir/inst.json" warp_instructions)
try "--instructions ends the run" test "$got" -ge 5000 -a "$got" -lt 5100
"$gmmu" run --json -s gpu.sms=2 compute:blocks=2,steps=4 compute:blocks=32,steps=4 >"$dir/again.json"
"$gmmu" run --json -s gpu.sms=2 --no-relaunch compute:blocks=2,steps=4 compute:blocks=32,steps=4 >"$dir/once.json"
try "a finished application is started again" test "$(field "$dir/again.json" runs)" -gt 1
try "unless --no-relaunch" test "$(field "$dir/once.json" runs)" = 1

"$gmmu" show --gpu maxwell --design pwcache -s gpu.sms=2 -o "$dir/my.yaml"
run --json --design pwcache gather | numbers /dev/stdin >"$dir/named.json"
"$gmmu" run --json --cycles 2000 --gpu "$dir/my.yaml" --design "$dir/my.yaml" gather | numbers /dev/stdin >"$dir/file.json"
same() { for f; do sed '/"gpu":/d; /"design":/d; /"settings": {/,/}/d' "$f" >"$f.same"; done; cmp "$1.same" "$2.same"; }
try "what show prints can be given back as files" same "$dir/named.json" "$dir/file.json"
run --json --gpu mosaic --design gpu-mmu gather stream >"$dir/gpu-mmu.json"
run --json --gpu mosaic --design sharedtlb gather stream >"$dir/shared.json"
try "on Mosaic's GPU sharedtlb is its baseline" same "$dir/gpu-mmu.json" "$dir/shared.json"
run --json --gpu mosaic --design mosaic gather stream >"$dir/mosaic.json"
try "and mosaic is something else" sh -c "! cmp -s '$dir/gpu-mmu.json.same' '$dir/mosaic.json'"
for d in mosaic mosaic+mask; do
  run --json --gpu maxwell --design $d stride:footprint=8M,lane=4K >"$dir/large.json"
  try "$d has entries for its large pages on any GPU" grep -q '"large_hits": [1-9]' "$dir/large.json"
done
try "show --json is valid" sh -c "'$gmmu' show --json | '$json'"
"$gmmu" show --gpu "$dir/my.yaml" --design "$dir/my.yaml" | tail -n +2 >"$dir/my2.yaml"
try "and show of that is the same again" sh -c "tail -n +2 '$dir/my.yaml' | cmp - '$dir/my2.yaml'"
for f in "$root"/presets/gpu/*.yaml; do
  name=$(basename "$f" .yaml)
  "$gmmu" show --gpu "$name" | tail -n +2 >"$dir/by-name"
  "$gmmu" show --gpu "$f" | tail -n +2 >"$dir/by-path"
  try "preset $name by name and by path is the same" cmp "$dir/by-name" "$dir/by-path"
done
wants 2 "there are 2 applications" "to wait for more applications than there are" run --wait-for 3 stream gather
# A co-runner that never ends is no reason to go on.
try "a run ends with the first application" sh -c "'$gmmu' run --wait-for 1 --json -s gpu.sms=4 stream:footprint=64K,blocks=4 gather:footprint=16M,blocks=512,steps=64 >'$dir/first.json'"
try "which has finished, the other has not" awk '/"runs": [0-9]/ { n[k++] = $2 + 0 } END { exit !(n[0] >= 1 && n[1] == 0) }' "$dir/first.json"
# Large pages in TLBs that have no entries for them: done as told, and said.
for with in 0 16; do
  run -s mem.manager=mosaic -s l2tlb.large_entries=$with stream:footprint=2M >"$dir/large$with" 2>"$dir/err$with"
done
try "large pages without TLB entries are doubted" sh -c "[ \$(wc -l <'$dir/err0') = 1 ] && grep -q '^gmmu: mem.manager=mosaic .*l1tlb.large_entries' '$dir/err0'"
try "the run is there nevertheless" grep -q "^stream  *0 .. 1" "$dir/large0"
try "with entries nothing is said" test ! -s "$dir/err16"
# Designs that do not differ.
"$gmmu" run --gpu gem5-16 --design private,sharedtlb,neidty --cycles 300 stream >"$dir/same"
try "two designs that are one machine are named" grep -q '^sharedtlb is the same machine as private on this GPU\.' "$dir/same"
try "those that differ are not" sh -c "! grep -q '^neidty is the same' '$dir/same'"
"$gmmu" run --gpu maxwell --design private,pwcache --cycles 300 stream >"$dir/same"
try "nor one machine of another GPU" sh -c "! grep -q 'same machine' '$dir/same'"
"$gmmu" run --design sharedtlb -s share.mode=space --cycles 300 stream >"$dir/same"
try "a design alone is the same as none" sh -c "! grep -q 'same' '$dir/same'"
cp "$root/presets/design/sharedtlb.yaml" "$dir/other.yaml"
printf 'share:\n  quantum: 4321\n' >>"$dir/other.yaml" # of turns, which there are none of
"$gmmu" run --design "sharedtlb,$dir/other.yaml" --cycles 300 stream >"$dir/same"
try "equal rows of machines that differ are spoken of" grep -q 'other.yaml shows the numbers of sharedtlb: nothing' "$dir/same"
try "miss rates are called so" grep -q '  L1 TLB miss %  L2 TLB miss %  ' "$dir/same"
try "and the table says which misses" grep -q '^L2 TLB miss % .* all misses, primary and merged' "$dir/same"
# Partitions.
"$gmmu" run --gpu v100 --design cp,cmp,mps --check --cycles 1500 stream stream gather gather >"$dir/parts" 2>&1
try "four applications under cp, cmp and mps, with every check" grep -q '^mps  *gather#4 ' "$dir/parts"
try "mps tells the part of each" grep -q '^SMs under mps: 25% of each of 0 .. 79, 25%' "$dir/parts"
"$gmmu" run --gpu v100 --design mps --sms 60,20 --cycles 300 stream stream >"$dir/parts" 2>&1
try "under mps --sms are parts of each SM" grep -q '^stream#1  *75% of each of 0 .. 79' "$dir/parts"
"$gmmu" run --gpu v100 --design cmp -s mem.colour_tables=false --json --cycles 2000 gather gather >"$dir/parts"
try "reads of page tables in others' colours are counted" grep -q '"foreign_reads": [1-9]' "$dir/parts"
wants 2 'mem.manager: colours follow from bit lists' "no colours without functions" run --design cmp stream stream
wants 2 'mem.page: 3 tenants, but pages of 4 KB have 2 colours' "more tenants than colours" run --gpu gtx1080 --design cmp stream stream stream

# ---- answers by default, sweeps, several at once
"$gmmu" run chase:footprint=1M,blocks=4,steps=4 >"$dir/two"
try "without --design: ideal, and the GPU as it is" sh -c "grep -q '^ideal ' '$dir/two' && grep -q '^native ' '$dir/two'"
sweep="run --json --design native -s l2tlb.entries=256,512 -s walk.threads=8,16 -s gpu.sms=2 chase:footprint=1M,blocks=4,steps=4"
# shellcheck disable=SC2086  # words
"$gmmu" $sweep >"$dir/sweep.json"
try "-s KEY=A,B: every combination" test "$(grep -c '"design": "native"' "$dir/sweep.json")" = 4
try "each with its own values" test "$(sed -n 's/^ *"walk.threads": "\([0-9]*\)".*/\1/p' "$dir/sweep.json" | tr '\n' ' ')" = "8 16 8 16 "
# shellcheck disable=SC2086  # words
try "one at a time or at once: the same bytes" sh -c "'$gmmu' $sweep -j 1 | cmp - '$dir/sweep.json'"
"$gmmu" run --gpu gem5-16 -s dram.queue=64 --design ideal,private stream:footprint=8M >"$dir/faster"
try "what beats ideal, and why" grep -q '^private beats ideal, which is no bound here: under it DRAM row hits of data fall from [0-9.]* % to [0-9.]* %' "$dir/faster"
wants 2 'more than 64 machines' "a sweep that is a study" run -s l2tlb.entries=1,2,3,4,5,6,7,8,9 -s walk.threads=1,2,3,4,5,6,7,8 chase
wants 2 'l2tlb.entries' "a wrong value in a sweep" run -s l2tlb.entries=64,no chase

# ---- a store of any run
"$gmmu" run --store "$dir/any.db" --design ideal,native -s gpu.sms=2 -s l2tlb.entries=64,128 chase:footprint=1M,blocks=4,steps=4 >/dev/null
try "--store keeps every run" test "$("$gmmu" export "$dir/any.db" --status done | wc -l)" = 5
try "export --wide: every setting a column" sh -c "'$gmmu' export --wide '$dir/any.db' | head -1 | grep -q ',gpu.sms,l2tlb.entries,'"
try "a row per run and application" test "$("$gmmu" export --wide "$dir/any.db" --design native | wc -l)" = 3
printf 'workloads: chase:footprint=1M,blocks=4,steps=4\ndesigns: [ideal, native]\nset:\n  gpu.sms: 2\n  l2tlb.entries: [64, 128]\n' >"$dir/any.yaml"
try "a study of the same finds them there" sh -c "'$gmmu' sweep --store '$dir/any.db' '$dir/any.yaml' | grep -q '4 were there, 0 have been run'"
sed -i 's/64, 128/64, 100/' "$dir/any.yaml"
"$gmmu" sweep --dry-run --store "$dir/any.db" "$dir/any.yaml" >/dev/null 2>"$dir/err"
try "--dry-run: a machine that cannot be built" sh -c "[ $? = 1 ] && grep -q 'l2tlb.entries=100: l2tlb: 100 TLB entries in 16 ways' '$dir/err'"
wants 2 'run again' "--store and --live" run --store x.db --live -- ./x
wants 2 'table of its own' "--wide and --table" export --wide --table apps x.db
try "SMs that nobody has are told of" sh -c "'$gmmu' run --gpu a100 --sms 10 --cycles 500 stream | grep -qx 'SMs 10 .. 107 of this GPU have no application and stand idle'"
try "and only these" sh -c "! '$gmmu' run --cycles 500 stream | grep -q 'stand idle'"
finish
