#!/bin/sh
# The pages that people write are true as far as scripts/check-docs.sh can tell; and it can tell.
# shellcheck disable=SC2016  # backticks are Markdown's
set -u
root=$1
gmmu=$(realpath "$2")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
n=0

# judge ok|COMPLAINT NAME TREE
judge() {
  n=$((n + 1))
  got=$("$root/scripts/check-docs.sh" "$3" "$gmmu" 2>&1) && [ -z "$got" ] && got=ok
  case $got in
  ok) [ "$1" = ok ] && echo "ok $n - $2" && return ;;
  *": $1"* | *": "*" $1"*) [ "$1" != ok ] && echo "ok $n - $2" && return ;;
  esac
  echo "not ok $n - $2"
  printf '%s\n' "$got" | sed 's/^/# /'
}
# page ok|COMPLAINT NAME LINES...: of a page of these lines, in a tree with a few files
page() {
  want=$1 label=$2
  shift 2
  printf '%s\n' "$opening" "" "$@" >"$tree/docs/page.md"
  judge "$want" "$label" "$tree"
}

opening='This page is for those who test.'
echo 1..25
judge ok "what the pages name is there, and their commands work" "$root"

mkdir -p "$tree/docs" "$tree/src/tlb" "$tree/presets/gpu"
echo 'int tlb_lookup(int TLB_HIT);' >"$tree/src/tlb/tlb.c"
page ok "paths that exist" '`src/tlb/tlb.c`, src/tlb, `src/tlb/*.c`, `src/tlb/<name>.c`, build/src/none.c'
page 'src/tlb/gone.c does not' "a path that does not exist" 'see src/tlb/gone.c.'
page 'src/tlb/gone_*.c does not' "a pattern without a file" '`src/tlb/gone_*.c`'
page ok "names that exist" '`tlb_lookup()`, `TLB_HIT`, `tlb.c`, `l2tlb.entries`, `l2tlb.entries=4`, `a word`, `make`'
page 'nothing is called tlb_probe()' "a function that does not exist" '`tlb_probe()`'
page 'nothing is called TLB_HIT()' "a constant is not a function" '`TLB_HIT()`'
page 'TLB_MISS is not in' "a constant that does not exist" '`TLB_MISS`'
page 'no file is called tlb.h' "a file that does not exist" '`tlb.h`'
page 'l2tlb.size is not an option' "an option that does not exist" '`l2tlb.size`'
page ok "links that lead somewhere" '# Y of `x`' '[x](page.md#y-of-x) [x](#y-of-x) [z](https://example.org/a#b)'
page 'a link to page.md#z leads to no' "a link to a heading that is not there" '# Y' '[x](page.md#z)'
page 'a link to none.md' "a link that does not" '[x](none.md)'
page ok "commands that work; those without a mark are not run" \
  '<!-- run -->' '```sh' 'gmmu list gpus' 'true' '```' '```sh' 'false' '```'
page 'this fails: gmmu run' "a command that fails, though another follows" \
  '<!-- run -->' '```sh' 'gmmu run --gpu none stream' 'true' '```'
page 'line 4: commands without' "commands that nobody runs" '```sh' 'gmmu list gpus' '```'
page ok "and why" '<!-- not run: it needs a GPU -->' '```sh' 'gmmu probe tlb --device cuda' '```'
page ok "slow ones are run apart" '<!-- run, slow -->' '```sh' 'gmmu run --gpu none stream' '```'
page 'line 3: a paragraph of 9 lines' "a long paragraph" a b c d e f g h i
page 'line 5: the heading "# A" is there twice' "a part that is there twice" '# A' a '# A' a
page ok "one of eight lines, and a list" a b c d e f g h '' '- i' '- k' l
opening='Nobody knows for whom this is.'
page 'it does not open with whom' "a page that does not say for whom it is" '## A' 'This page is for those who come late.'
opening='This page is for those who test.'

printf '%s\n' 'noc:' '  flit: 32   # G: why' '  header: 8  # T1' >"$tree/presets/gpu/p.yaml"
guesses() { printf '%s\n' "$opening" '## Guesses in `p`' '| value | why |' "| \`$1\` | x |" >"$tree/docs/guesses.md"; }
guesses noc.flit
page ok "every guess is told of" ''
guesses noc.header
page 'p: the guess noc.flit is missing' "a guess nobody is told of" ''
page 'p: noc.header is no guess' "a guess that is none" ''
