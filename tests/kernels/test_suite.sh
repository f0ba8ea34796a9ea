#!/bin/sh
# Applications by name: recorded once, replayed from then on; listed and characterised.
# shellcheck source-path=SCRIPTDIR/../cli source=lib.sh
. "$(dirname "$0")/../cli/lib.sh"
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME

"$gmmu" run --json bfs2:size=tiny >"$dir/first.json" 2>"$dir/err"
try "the first run records" sh -c "ls '$dir'/cache/gmmu/bfs2-tiny-1-*.gmt"
file=$(ls "$dir"/cache/gmmu/bfs2-tiny-1-*.gmt)
before=$(stat -c %Y.%i "$file")
"$gmmu" run --json bfs2:size=tiny >"$dir/second.json"
try "the second run finds the recording" test "$before" = "$(stat -c %Y.%i "$file")"
try "and gives the same" cmp "$dir/first.json" "$dir/second.json"
"$gmmu" run --json bfs2:size=tiny,seed=2 >"$dir/other.json"
try "another seed is another recording" test "$(ls "$dir/cache/gmmu" | wc -l)" = 2
try "and another input" sh -c "! cmp -s '$dir/first.json' '$dir/other.json'"
"$gmmu" run --json -- "$(dirname "$gmmu")/../kernels/bfs2" --size tiny >"$dir/live.json" 2>/dev/null
inst() { sed -n 's/^      "warp_instructions": \([0-9]*\).*/\1/p' "$1" | head -n 1; }
try "the recording has the instructions of the live run" test "$(inst "$dir/first.json")" = "$(inst "$dir/live.json")"
try "two applications together" "$gmmu" run bfs2:size=tiny va:size=tiny
wants 2 'size.*tiny, standard, large' "a wrong size names the right ones" run bfs2:size=huge
wants 2 'bfs2.sed.*nearest.*seed' "a wrong key names the nearest" run bfs2:sed=2

"$gmmu" characterize --size tiny --json va scp lud >"$dir/c.json"
try "characterize --json is valid" "$json" <"$dir/c.json"
try "it ran lud also on gem5-16" grep -q gem5-16 "$dir/c.json"
"$gmmu" characterize -j 1 --size tiny --json va scp lud >"$dir/c1.json"
try "one process at a time gives the same" cmp "$dir/c.json" "$dir/c1.json"
try "characterize has a row per application" sh -c "'$gmmu' characterize --size tiny va lud | grep -c '^va\|^lud' | grep -qx 3"
wants 2 'no application' "an unknown application is refused" characterize nosuch
try "list apps tells what is recorded" sh -c "'$gmmu' run --cycles 10 va:size=standard >/dev/null; '$gmmu' list apps | grep -q '^va .* yes '"
finish
