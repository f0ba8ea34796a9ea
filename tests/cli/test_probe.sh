#!/bin/sh
# gmmu probe hash and isolation: what they print, and that what was found can be loaded again.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Two modules of four banks and four sets.
small="--device sim:gtx1080-fgpu -s gpu.sms=4 -s mem.bytes=1G -s dram.channels=2 -s dram.banks=4 -s l2.ways=4 -s l2.bytes=4K"
module="9 13 20"
bank="9 13 20; 11 17 22; 12 18 24"
set="9 13 20; 7 15 19; 8 16 23"
probe() { # shellcheck disable=SC2086  # words
  what=$1 && shift && "$gmmu" probe "$what" $small "$@"
}

probe hash -s "map.module=$module" -s "map.bank=$bank" -s "map.set=$set" --jitter 5 --outliers 10000 \
  --save "$dir/found.yaml" --json -o "$dir/found.json"
try "--json is JSON" sh -c "'$json' <'$dir/found.json'"
try "modules" grep -q 'channels: 2' "$dir/found.yaml"
try "functions are a basis of what they were" grep -q '  module: 9 13 20$' "$dir/found.yaml"
"$gmmu" color plan --hash "$dir/found.yaml" | tail -n +2 >"$dir/plan.yaml"
"$gmmu" color plan --hash "$dir/found.json" | tail -n +2 >"$dir/plan.json"
try "a plan loads the YAML" grep -q '^module functions: 9 13 20$' "$dir/plan.yaml"
try "and the JSON, with the same result" cmp "$dir/plan.yaml" "$dir/plan.json"

functions_of() { sed -n "s/^  $1: //p" "$dir/found.yaml"; }
probe hash -s "map.module=$(functions_of module)" -s "map.bank=$(functions_of bank)" -s "map.set=$(functions_of set)" \
  --save "$dir/again.yaml" >"$dir/text"
try "a GPU with what was found has the same functions" cmp "$dir/found.yaml" "$dir/again.yaml"
try "text tells the functions" grep -q '^module functions' "$dir/text"
try "text tells the confidence" grep -q '^ways  *4 ways  *[0-9]' "$dir/text"

probe isolation -s "map.module=$module" -s "map.bank=$bank" -s "map.set=$set" --others 3 --json --plot "$dir/plot.svg" >"$dir/isolation"
try "isolation as JSON" sh -c "'$json' <'$dir/isolation'"
try "with the five cases" sh -c "[ \$(grep -c -e SCSB -e DCSB -e SCDB -e DCDB -e DM '$dir/isolation') = 5 ]"
try "and a picture" grep -q '</svg>' "$dir/plot.svg"

wants 2 "tlb, sharing, hash or isolation" "what cannot be probed" probe colour --device sim:gtx1080
wants 2 "others" "more threads than there are" probe isolation --device sim:gtx1080 --others 80
wants 2 "no memory modules" "a processor has none" probe hash --device cpu
finish
