#!/bin/sh
# What gmmu cost prints.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

"$gmmu" cost mask >"$dir/text"
sed 1d "$dir/text" >"$dir/rest"
try "a row has ours and the paper's figure" grep -q '^asid .* 576 B .* 7\.031 .*7 %$' "$dir/text"
try "what contradicts itself is said" grep -q '256-bit vector.*1426 B' "$dir/text"
"$gmmu" cost --json mask >"$dir/json"
try "--json is JSON" sh -c "'$json' <'$dir/json'"
try "with the same figures" grep -q '"bytes": 576' "$dir/json"
try "and a null where there is none" grep -q '"bytes": null' "$dir/json"
try "the GPU counts" sh -c "'$gmmu' cost --gpu fermi mask | grep -q '^tokens .* 88 bits'"
try "a setting counts" sh -c "'$gmmu' cost -s sm.warps=32 mask | grep -q '^tokens .* 72 bits'"
try "a design with all of them shows the same" sh -c "'$gmmu' cost --design mask | sed 1d | cmp - '$dir/rest'"
try "a design shows what it has" sh -c "test \$('$gmmu' cost --design sharedtlb | grep -c ' B ') = 1"
try "or that it has nothing" sh -c "'$gmmu' cost --design ideal | grep -q none"
wants 2 'cost: no paper is called "masc"; nearest: "mask"' "an unknown paper" cost masc
papers=$("$gmmu" cost no-such-paper 2>&1 | sed 's/.*one of: //; s/,//g')
try "an error names the papers" sh -c "echo ' $papers ' | grep -q ' mask .* neidty '"
for p in $papers; do try "the cost of $p" sh -c "'$gmmu' cost $p | grep -q 'mechanisms of $p'"; done
wants 2 'either a paper' "a paper and a design" cost --design ideal mask
wants 2 'one paper at a time' "two papers" cost mask mask
wants 2 'one design at a time' "two designs" cost --design ideal,sharedtlb
wants 2 'sm.warps' "a wrong setting" cost -s sm.warps=1000 mask
finish
