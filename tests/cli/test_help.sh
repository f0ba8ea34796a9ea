#!/bin/sh
# Every command tells what it does.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data
export XDG_CACHE_HOME XDG_DATA_HOME

"$gmmu" --help >"$dir/help"
commands=$(sed -n 's/^  \([a-z]*\)  *[a-zA-Z].*/\1/p' "$dir/help" | grep -v -x help)
try "the overview names the commands" test -n "$commands"
for c in $commands; do
  "$gmmu" help "$c" >"$dir/a" 2>&1 && "$gmmu" "$c" --help >"$dir/b" 2>&1
  try "help $c and $c --help are the same text" cmp "$dir/a" "$dir/b"
  try "help of $c has a usage line" grep -q "^Usage: gmmu $c" "$dir/a"
  try "help of $c fits 100 columns" awk 'length > 100 { print; bad = 1 } END { exit bad }' "$dir/a"
  # An option in the help text is one that the parser knows: it then asks for its value, or goes on.
  for o in $(sed -n 's/^ .*\(--[a-z-]*\).*/\1/p' "$dir/a" | grep -v -x -e --help); do
    case $c in arena | characterize | validate) more="no-such-name no-such-name" ;; *) more= ;; esac # or it would begin to work; one may be a value
    # shellcheck disable=SC2086  # nothing, or words
    "$gmmu" "$c" "$o" $more >"$dir/out" 2>"$dir/err" </dev/null
    try "$c knows $o" sh -c "! grep -q 'unknown option' '$dir/err'"
  done
done
"$root/tests/cli/names.sh" "$gmmu" >"$dir/names"
try "no command, option, setting, GPU, design or policy has gone (docs/stable.md)" sh -c "! LC_ALL=C comm -23 '$root/tests/cli/golden/names' '$dir/names' | grep ."
try "gmmu -h is the overview" sh -c "'$gmmu' -h | cmp - '$dir/help'"
"$gmmu" --version >"$dir/version"
try "the version stands alone on its line" grep -qx 'gmmu [0-9.]*' "$dir/version"
version=$(sed -n '1s/^gmmu //p' "$dir/version")
try "it is that of the citation" grep -qx "version: $version" "$root/CITATION.cff"
try "and of the change log" grep -qx "## $version" "$root/CHANGELOG.md"
try "and of the package" sh -c "head -n 1 '$root/debian/changelog' | grep -q '^gmmu ($version)'"
described='v[0-9][0-9.]*\|\(v[0-9][0-9.]*-[0-9]*-g\)\?[0-9a-f]\{7,\}' # a tag, or how far behind one, or none is there
try "below it the commit" grep -qx "commit \\($described\\)\\(-dirty\\)\\?\\|commit unknown" "$dir/version"
try "and the versions under which results are kept" grep -qx 'model [0-9]*, recorder [0-9]*, live [0-9]*' "$dir/version"
for c in $commands; do
  try "$c has a manual page, which is installed" sh -c "'$gmmu' help --man $c | cmp - '$(dirname "$gmmu")/pages/gmmu-$c.1'"
done
try "gmmu(1) names every command" sh -c "[ \$('$gmmu' help --man | grep -c '^.BR gmmu') = $(echo "$commands" | wc -l) ]"
offers() { # a line of the answer, the words typed
  LINE=$1
  shift
  export LINE
  try "completion of: $*" sh -c '"$0" completion words "$@" | grep -qxF -e "$LINE"' "$gmmu" "$@"
}
offers explain expl
offers --gpu run --g
offers maxwell run --gpu max
offers ideal,mask run --design ideal,ma
offers --design=mask run --design=ma
offers bfs2 run --gpu maxwell bf
offers l2tlb.entries= run -s l2tlb.ent
offers l2tlb.replacement=lru run -s l2tlb.replacement=l
offers isolation probe i
offers sim:k80 probe tlb --device sim:k
offers mask/fig11 reproduce mask/fig1
offers designs list d
offers native,mosaic+marching run --design native,mosaic+mar
offers mosaic+mask run --design mosaic+mas
offers array run --by a
offers --bounds=warn run --bounds=w
offers tiny characterize --size t
offers table,measured reproduce --at table,me
offers mi210 validate mi
offers neidty cost nei
try "the words of a program are its own" sh -c "[ -z \"\$('$gmmu' completion words run -- bf)\" ]"
# The commands of the help texts work as they stand (runs are kept short here); those of README.md: tests/docs.
for c in $commands; do "$gmmu" help "$c" | sed -n 's/^  gmmu \(.*\)/\1/p'; done | sed 's/  *#.*//' | grep -v ' -- \./' | grep -v '^arena --plan' | awk '!seen[$0]++' >"$dir/examples" # programs of the reader's own are not here; a plan takes minutes
for c in $commands; do
  try "$c has an example in its help, or in a page of the manual, that a test runs" sh -c "grep -q '^$c\\b' '$dir/examples' ||
    awk '/^<!-- run(, slow)? -->\$/ { mark = 1; next } /^\`\`\`/ { on = mark && !on; mark = 0; next } on' '$root'/README.md '$root'/docs/*.md | grep -q 'gmmu $c\\b'"
done
if [ ! -x "$(dirname "$gmmu")/../kernels/bfs2" ]; then # a build without the applications
  grep -v -e characterize -e bfs2 -e 'db .* sim:' "$dir/examples" >"$dir/fewer"
  mv "$dir/fewer" "$dir/examples"
fi
printf 'workloads: stream:footprint=64K,blocks=4\ndesigns: [sharedtlb, ideal]\nset: {gpu.sms: 4}\n' >"$dir/study.yaml" # theirs
: >"$dir/ran"
for store in runs study; do "$gmmu" sweep --store "$dir/$store.db" "$dir/study.yaml" >/dev/null 2>&1; done
while read -r line; do
  short=$(echo "$line" | sed 's/--cycles [0-9]*//; s/^run/run --cycles 500/; /--skip/s/--cycles 500 //; s/^reproduce\(.*\) -o [a-z]*/reproduce\1/; s/^reproduce\(.*\) --report [a-z.]*/reproduce\1/; s/^reproduce/reproduce --dry-run/; s/^reproduce --dry-run all/& --quick/; s/^validate/validate --no-tlb/; s/^characterize --size tiny$/& bfs2 nw/; s/^probe tlb --device sim:p100/& --bytes 256M/; s/^probe sharing/& --bytes 256M/; s/sim:a100 --designs all/sim:maxwell --designs mps/; s/sim:gtx1080-fgpu --plot/sim:gtx1080-fgpu --others 2 --plot/; s/^validate --no-tlb v100/validate --no-tlb k80/; s/gddr5 my.yaml/gddr5 -s gpu.sms=4 my.yaml/; s/maxwell,qv100 --sizes tiny,1M/maxwell,qv100 --sizes tiny/; s/^validate --no-tlb \(--.*\) k80 p100/validate \1 k80/; s/--cycles 500 \(.*\) --split oracle/--cycles 500 -s gpu.sms=4 \1 --split oracle/; s/^characterize \(.*\) --sizes 1M,4M gather:steps=4/characterize \1 --sizes 1M gather:steps=1/; s/^arena --html .*/& study.yaml/')
  ! grep -qxF -e "$short" "$dir/ran" || continue # kept short it is another example
  echo "$short" >>"$dir/ran"
  try "example: gmmu $line" sh -c "cd '$dir' && '$gmmu' $short"
done <"$dir/examples"
finish
