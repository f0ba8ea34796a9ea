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
"$gmmu" run --live --json -- "$(dirname "$gmmu")/../kernels/bfs2" --size tiny >"$dir/live.json" 2>/dev/null
inst() { sed -n 's/^      "warp_instructions": \([0-9]*\).*/\1/p' "$1" | head -n 1; }
try "the recording has the instructions of the live run" test "$(inst "$dir/first.json")" = "$(inst "$dir/live.json")"
try "two applications together" "$gmmu" run bfs2:size=tiny va:size=tiny
wants 2 'size.*tiny, standard, large' "a wrong size names the right ones" run bfs2:size=huge
wants 2 'bfs2.sed.*nearest.*seed' "a wrong key names the nearest" run bfs2:sed=2

# Sizes by footprint, and graphs.
"$gmmu" run --json -s mem.bytes=64G gups:size=32G,work=20000 >"$dir/g.json" 2>"$dir/err"
try "32 GB run with a hundredth of that" sh -c "grep -q '\"warp_instructions\"' '$dir/g.json' && ls '$dir'/cache/gmmu/gups-32G-w20000-1-*.gmt"
wants 2 'gups.size.*64K .. 64G' "a footprint out of range is refused" run gups:size=1
try "any seed and any work of 64 bits" "$gmmu" run --design ideal gups:size=64K,seed=18446744073709551615,work=18446744073709551614
wants 2 'gup.size.*tiny, standard, large' "the papers' applications have names of sizes" run gup:size=1G
wants 2 'gups.graph' "not every application has a graph" run gups:graph=kron
wants 2 'pr.graph.*uniform, kron' "a wrong graph names the right ones" run pr:graph=mesh
printf '0 1\n1 2\n2 0\n2 3\n' >"$dir/x.el"
try "a graph from a file" "$gmmu" run "pr:input=$dir/x.el,work=0"
try "its recording is named after its content" sh -c "ls '$dir'/cache/gmmu/pr-standard-input*-w0-1-*.gmt"
printf '0 1\n1 two\n' >"$dir/y.el"
"$gmmu" run "pr:input=$dir/y.el" >"$dir/out" 2>"$dir/err"
status=$?
try "a damaged file is named with its line" sh -c "[ $status != 0 ] && grep -q 'y.el:2: a whole number is missing' '$dir/err'"
"$gmmu" run --json "pr:work=0,input=$dir/x.el" >"$dir/a.json"
"$gmmu" run --json --input "$dir/x.el" pr:work=0 >"$dir/b.json"
try "--input is the same for every graph application that names no file" cmp "$dir/a.json" "$dir/b.json"
wants 2 'no application here takes a graph' "--input needs one" run --input "$dir/x.el" gups:size=tiny
wants 2 'a comma' "a name that cannot be said is refused" run --input "$dir/x,y.el" pr
try "explain takes --input" "$gmmu" explain --causes --input "$dir/x.el" pr:work=0
"$gmmu" characterize --gpus maxwell --work 0 --json --input "$dir/x.el" pr bfs >"$dir/i.json"
try "characterize runs a graph of the user's" sh -c "grep -c '\"size\": \"a file\"' '$dir/i.json' | grep -qx 2"
wants 2 'the file gives the size' "which has no other size" characterize --sizes 1M --input "$dir/x.el" pr
wants 1 'none.el' "a file that is not there is named" run "pr:input=$dir/none.el"

"$gmmu" characterize --size tiny --json va scp lud >"$dir/c.json"
try "characterize --json is valid" "$json" <"$dir/c.json"
try "it ran lud also on gem5-16" grep -q gem5-16 "$dir/c.json"
"$gmmu" characterize -j 1 --size tiny --json va scp lud >"$dir/c1.json"
try "one process at a time gives the same" cmp "$dir/c.json" "$dir/c1.json"
try "characterize has a row per application" sh -c "'$gmmu' characterize --size tiny va lud | grep -c '^va\|^lud' | grep -qx 3"
wants 2 'no application' "an unknown application is refused" characterize nosuch
"$gmmu" characterize --gpus maxwell,qv100 --sizes tiny,1M --work 10000 --json --html "$dir/c.html" gups tc va 2>"$dir/err" >"$dir/f.json"
status=$?
try "the papers' applications have no size in bytes" sh -c "[ $status = 2 ] && grep -q 'va.size' '$dir/err'"
"$gmmu" characterize --gpus maxwell,qv100 --sizes tiny,1M --work 10000 --json --html "$dir/c.html" gups spmv >"$dir/f.json"
try "cost over footprint as JSON" "$json" <"$dir/f.json"
try "a run for each application, size and GPU" sh -c "grep -c '\"ideal_cycles\"' '$dir/f.json' | grep -qx 8"
try "the picture has a line for each application and GPU" sh -c "grep -o '<polyline' '$dir/c.html' | wc -l | grep -qx 4"
"$gmmu" characterize --gpus maxwell --sizes 1M --work 10000 --json --html "$dir/p.html" mvt hotset:blocks=4,warps=2,hot=64K >"$dir/p.json"
try "what was published stands beside it" sh -c "grep -q '\"published_l2tlb_mpki\": 40,' '$dir/p.json' && grep -q '<td>40</td><td>9</td>' '$dir/p.html' && grep -q LATPC '$dir/p.html'"
try "programs and generators have a place: DRAM bytes per walk, reuse of pages" sh -c "[ \$(grep -c '\"dram_bytes_per_walk\": [0-9]' '$dir/p.json') = 2 ] && [ \$(grep -c '\"median_reuse_distance\": [0-9]' '$dir/p.json') = 2 ]"
"$gmmu" characterize --sizes 64K --work 0 --json gups gups:seed=5 gups:size=128K >"$dir/q.json"
sed -n 's/^      "\(page_accesses\|size\)": //p' "$dir/q.json" >"$dir/q"
try "what is set with an application holds there" sh -c "sed -n 5p '$dir/q' | grep -qx '\"128K\",' && [ \"\$(sed -n 2p '$dir/q')\" != \"\$(sed -n 4p '$dir/q')\" ]"
wants 2 'no.*nosuch' "an unknown GPU is refused before anything runs" characterize --gpus nosuch gups
wants 2 'gups.size' "so is a size" characterize --sizes 1 gups
gather=gather:blocks=4,warps=2,steps=4
"$gmmu" characterize --gpus maxwell,mi210 --sizes 1M,8M --json --svg "$dir/c.svg" $gather gups >"$dir/g.json"
try "a generator has a footprint, too" sh -c "'$json' <'$dir/g.json' && grep -A1 '\"name\": \"gather\"' '$dir/g.json' | grep -q '\"size\": \"8M\"'"
alone=$("$gmmu" run --json --no-relaunch --gpu mi210 --design native $gather,footprint=8M | sed -n 's/.*"cycles": \([0-9]*\),.*/\1/p' | head -1)
try "its cycles are those of a run" grep -q "\"cycles\": $alone," "$dir/g.json"
try "the picture has a line for each application and GPU" test "$(grep -c '<polyline' "$dir/c.svg")" = 4
wants 2 'is a generator' "one that has no size" characterize gather
try "list apps tells what is recorded" sh -c "'$gmmu' run --cycles 10 va:size=standard >/dev/null; '$gmmu' list apps | grep -q '^va .* yes '"
finish
