#!/bin/sh
# gmmu color plan: the published numbers, shares, files, and what is refused.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

"$gmmu" color plan --gpu gtx1080 --tenants 2 >"$dir/gtx1080"
"$gmmu" color plan --gpu v100 --shares 3,1 >"$dir/v100"
has() { try "$1" grep -q -e "$3" "$dir/$2"; }
has "8 modules on the GTX 1080" gtx1080 ': 8 modules, 128 banks, 1024 L2 sets$'
has "2 colours at 4 KB" gtx1080 '^ *4K  *2  *4G  *1M  *160128  *4$'
has "1 colour at 64 KB" gtx1080 '^ *64K  *1 '
has "one colour each for two tenants" gtx1080 '^ *1  *1  *1  *4G '
has "the third TLB level stays shared" gtx1080 '^  TLB of level 3 .* all SMs'
has "8 colours at 4 KB on the V100" v100 '^ *4K  *8  *2G '
has "three to one are six and two colours" v100 '^ *0  *3  *0-5  *12G '
has "small pages reach less far" v100 '^ *4K  *64K  *16M$'
has "the plan tells how to run it" v100 "mem.page=4K -s 'mem.colours=0 1 2 3 4 5; 6 7' APP"
"$gmmu" color plan --gpu v100 --json >"$dir/json"
try "--json is JSON" sh -c "'$json' <'$dir/json'"
try "as many tenants as colours, if not told" test "$(grep -c '"share"' "$dir/json")" = 8

cat >"$dir/hash.yaml" <<'EOF'
map:
  bank: 10 20; 13; 14
  set: 10 20; 7; 8; 12 15
EOF
"$gmmu" color plan --hash "$dir/hash.yaml" >"$dir/file"
has "a hash file has the modules that banks and sets share" file 'functions of .*: 2 modules, 8 banks, 16 L2 sets'
has "sizes that are not known are dashes" file '^ *4K  *1  *-  *-  *-  *2$'
try "a hash file on top of a GPU has its sizes" sh -c "'$gmmu' color plan --gpu gtx1080 --hash '$dir/hash.yaml' \
  -s map.module=none | grep -q '^ *4K  *1  *8G '"
try "-o writes a file" sh -c "'$gmmu' color plan --gpu gtx1080 -o '$dir/out.txt' && test -s '$dir/out.txt'"

wants 2 'pages of 64 KB have 1 colour; pages of 4K have enough' "too large a page" color plan --gpu gtx1080 --tenants 2 --page 64K
wants 2 'no page of 4 KB or more has enough' "too many tenants" color plan --gpu gtx1080 --tenants 3
wants 2 'map.bank: no functions' "a GPU without functions" color plan --gpu maxwell
wants 2 'not a list of numbers' "shares that are none" color plan --gpu v100 --shares 3,,1
wants 2 'not a power of two' "an odd page" color plan --gpu v100 --page 12K
wants 2 'give --gpu or --hash' "nothing to plan for" color plan
wants 2 'color plan' "another word" color paint
echo 'map: {bank: 10 x}' >"$dir/bad.yaml"
wants 1 'bad.yaml:1:.*map.bank: function 1: a bit number was expected' "a bad hash file" color plan --hash "$dir/bad.yaml"
finish
