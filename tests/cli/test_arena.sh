#!/bin/sh
# gmmu arena: who wins where, from an empty store and again from a full one; stacks of designs; what is refused.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$dir/tiny.yaml" <<'END'
name: tiny
designs: [nha, marching, mosaic+marching]
workloads: ["stride:footprint=8M,lane=4K,blocks=4", "gather:footprint=4M,blocks=4 + stream:footprint=1M,blocks=4"]
seeds: [1, 2]
cycles: 2000
set: {gpu.sms: 4, walk.threads: 4}
END
arena="arena --store $dir/arena.db $dir/tiny.yaml"
# shellcheck disable=SC2086  # words
"$gmmu" $arena --html "$dir/page.html" >"$dir/first" 2>"$dir/said"
try "an arena from an empty store" grep -q '^Who wins where' "$dir/first"
try "every workload has a winner" test "$(grep -cE '^maxwell +(stride|gather).* (nha|marching|mosaic.marching) ' "$dir/first")" -eq 2
try "every mechanism has its storage" test "$(grep -cE '^maxwell +(nha|marching|mosaic.marching) .* [1-9][0-9]* +(yes|no) ' "$dir/first")" -eq 3
try "the page has both tables and the plot" sh -c "grep -q '<svg' '$dir/page.html' && test \$(grep -c '<table>' '$dir/page.html') -eq 2"
# shellcheck disable=SC2086
"$gmmu" $arena >"$dir/again"
try "from the store: the same" cmp "$dir/first" "$dir/again"
# shellcheck disable=SC2086
"$gmmu" $arena --json >"$dir/json"
try "its JSON is JSON" sh -c "'$json' <'$dir/json'"
try "with gains by seeds" grep -q '"count": 2' "$dir/json"
"$gmmu" sweep --json --store "$dir/arena.db" "$dir/tiny.yaml" >"$dir/sweep"
try "gmmu sweep finds the runs of its mechanisms" grep -q '"executed": 0' "$dir/sweep"

wants 2 "walk.policy.*marching sets an option that a design before it" "two mechanisms that claim the same" run --design nha+marching stream
wants 2 'in a stack, "nope" begins with no design' "a stack with a wrong name" run --design nha+nope stream
echo 'walk: {threads: 2}' >"$dir/mine.yaml"
try "a stack with a file" "$gmmu" run --design "mosaic+$dir/mine.yaml" --cycles 500 -s gpu.sms=2 stream
echo 'walk: {threads: 3}' >"$dir/b.yaml"
cp "$dir/mine.yaml" "$dir/a+b.yaml"
try "a file with a + in its name" "$gmmu" run --design "$dir/a+b.yaml" --cycles 500 -s gpu.sms=2 stream
wants 2 "walk.threads: .*b.yaml sets an option" "a file that claims the same" run --design "$dir/mine.yaml+$dir/b.yaml" stream
wants 2 "YAML: no --json" "a plan is no JSON" arena --plan --json
try "a stack that composes" "$gmmu" run --design mosaic+dws++ --cycles 500 -s gpu.sms=2 stream
printf 'workloads: stream\n' >"$dir/none.yaml"
wants 1 "designs: none" "a study without mechanisms" arena --store "$dir/no.db" "$dir/none.yaml"
printf 'workloads: stream + gather\ndesigns: nha\nsplit: oracle\n' >"$dir/oracle.yaml"
wants 1 "oracle" "an oracle" arena --store "$dir/no.db" "$dir/oracle.yaml"
wants 2 "is the second" "two studies" arena a.yaml b.yaml
wants 2 "without a study" "a plan with a study" arena --plan a.yaml
finish
