#!/bin/sh
# gmmu explain: names the cause a workload was made for, and says nothing that it does not show. With SUITE set, instead: for
# applications of the suite the named cause regains more than any other.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$dir/cache}"

value() { sed -n 's/^  "'"$1"'": "\{0,1\}\([^",]*\).*/\1/p' "$dir/json"; } # of the document's own members
# largest: the cause that regains most cycles, of the runs in the document
largest() {
  awk '/"kind"/ { cause = /"cause"/ } /"name"/ { name = $2; gsub(/[",]/, "", name) }
    /"regained_cycles"/ && cause { v = $2 + 0; if (best == "" || v > most) { best = name; most = v } } END { print best }' "$dir/json"
}

if [ -n "${SUITE:-}" ]; then
  for app in $SUITE; do
    "$gmmu" explain --causes --instructions 400000 --json "$app" >"$dir/json" || fail "$app runs"
    named=$(value cause)
    if [ "$named" = "$(largest)" ]; then pass "$app: $named"; else fail "$app: $named" "$(cat "$dir/json")"; fi
  done
  finish
  exit
fi

causes=0
every=${EVERY:-1} # under the sanitizers fewer
while IFS='|' read -r cause settings app; do
  # shellcheck disable=SC2086  # words
  "$gmmu" explain --causes --json $settings $app >"$dir/json"
  cause=$(echo "$cause" | tr -d ' ')
  if [ "$(value cause)" = "$cause" ]; then pass "named right: $cause"; else fail "named right: $cause" "$(head -20 "$dir/json")"; fi
  [ "$cause" = hidden ] || [ "$(largest)" = "$cause" ] || fail "it regains most: $cause" "$(largest)"
  # shellcheck disable=SC2086  # one blank between words
  try "docs/explain.md shows it by that command: $cause" grep -qxF "$(echo gmmu explain $settings $app)" "$root/docs/explain.md"
  causes=$((causes + 1))
done <<EOF
$(grep -v '^#' "$root/tests/cli/causes" | awk -v every="$every" 'NR % every == 0')
EOF
try "as many as there should be" test $causes = $((12 / every))

app=chase:footprint=16M,node=4K,blocks=30,warps=1,steps=32
"$gmmu" explain --html "$dir/page.html" $app >"$dir/text"
"$gmmu" explain --json -j 1 $app >"$dir/json"
try "--json is JSON" sh -c "'$json' <'$dir/json'"
try "the first word is about the cost" sh -c "head -1 '$dir/text' | grep -q '^On maxwell under native, chase takes [0-9]* cycles'"
# every whole number of the paragraph is in the table of machines, every percentage follows from its cycles
sed '/^Try next/,$d' "$dir/text" >"$dir/paragraph"
for number in $(grep -o '[0-9][0-9]* cycles\|and [0-9][0-9]*' "$dir/paragraph" | grep -o '[0-9]*'); do
  try "the table shows $number" sh -c "sed '1,/^machine/d' '$dir/text' | grep -qw $number"
done
for number in $(grep -o '[0-9]*\.[0-9] %' "$dir/paragraph" | grep -o '[0-9.]*'); do
  try "the tables show $number %" sh -c "sed '1,/^machine/d' '$dir/text' | grep -qw -e '$number'"
done
try "one job or many: the same text" test "$("$gmmu" explain -j 1 $app)" = "$(cat "$dir/text")"
try "what to try next runs" sh -c "$(sed -n '/^Try next/{n;p;}' "$dir/text" | sed "s|^ *gmmu|'$gmmu'|") >/dev/null"
try "the page has the paragraph" grep -q "What holds it back most is" "$dir/page.html"
try "and the stacks" grep -q '<rect class="seg"' "$dir/page.html"
try "a design to compare with" sh -c "'$gmmu' explain --design sharedtlb,mosaic $app | grep -q '^mosaic '"
try "a design that is explained" sh -c "'$gmmu' explain --causes --design pwcache $app | grep -q 'there is no second TLB level'"
try "walks of a fixed time" sh -c "'$gmmu' explain --gpu gem5-16 --causes $app | grep -q 'walk.fixed=1'"
try "and reads of one" sh -c "'$gmmu' explain --gpu mgpusim --causes $app | grep -q 'walk.read=1'"
try "only a part of a run" sh -c "'$gmmu' explain --causes --instructions 500 --json $app | '$json'"
wants 2 'no application' "without an application" explain
wants 2 'one application' "two applications" explain chase stream
wants 2 'no design' "a design that is not there" explain --design ideel chase
wants 2 'generator' "an application that is not there" explain chaise
wants 2 'causes' "--causes and designs" explain --causes --design native,mask chase
finish
