#!/bin/sh
# check-docs.sh [--slow] [root [gmmu]]: do the pages that people write still speak of things that are there? Prints what does
# not hold as "page: what", fails if anything does not.
#   - paths below src/, include/, tests/, ...: each exists, or the page makes it after a line <!-- file PATH --> (a * may
#     stand for something; <x> and .../x are not checked)
#   - `name()`, `a_name`, `A_NAME` and `file.c` in backticks: each occurs in the code; `group.key` is an option
#   - links between pages lead somewhere, those with a # to a heading
#   - commands in a ```sh block after a line <!-- run --> succeed, with gmmu in the PATH; so do those after <!-- run, slow -->,
#     with --slow and alone; ```python blocks after <!-- run --> do where the library and what they import are there
#   - a block of commands without such a line has <!-- not run: WHY -->
#   - no paragraph or item of a list is longer than eight lines of 130 characters; no heading is there twice
#   - a page of docs/ opens with whom it is for, or what its reader will know or be able to do
#   - every guess of presets/gpu is in docs/guesses*.md, and what is called a guess there is marked as one
set -u
mark=run
[ "${1:-}" != --slow ] || { mark="run, slow"; shift; }
cd "${1:-$(dirname "$0")/..}" || exit 1
gmmu=$(realpath "${2:-build/release/tools/gmmu}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/run"
ln -s "$gmmu" "$dir/bin/gmmu"
ln -s "$PWD/examples" "$PWD/docs" "$dir/run/"
generated='^docs/(options|policies|dram|validation|statistics|generators|operators|applications|rows)\.md$'
pages=$(find README.md CONTRIBUTING.md docs -name '*.md' 2>/dev/null | LC_ALL=C sort | grep -vE "$generated")
tops='src|include|tests|tools|docs|scripts|presets|bench|fuzz'

say() { printf '%s: %s\n' "$1" "$2"; }

# What there is: files, words of the code, functions of the product (defined, declared, or members of a struct), options.
find src include tools tests scripts bench fuzz presets -type f 2>/dev/null | sed 's|.*/||' | sort -u >"$dir/files"
find src include tools tests scripts bench fuzz Makefile meson.build meson_options.txt -type f ! -path "*/corpus/*" -exec cat {} + 2>/dev/null >"$dir/code"
grep -aoE '[A-Za-z_][A-Za-z0-9_]*' "$dir/code" | sort -u >"$dir/words"
find src include tools -name '*.[ch]' -exec cat {} + 2>/dev/null |
  grep -aoE '^[A-Za-z#].*|\(\*[a-z_]+\)\(' | grep -oE '[A-Za-z_][A-Za-z0-9_]*\)?\(' | tr -d '()' | sort -u >"$dir/calls"
"$gmmu" list options | sed -n 's/^\([a-z0-9]*\.[a-z0-9_]*\) .*/\1/p' | sort -u >"$dir/options"
sed 's/\..*//' "$dir/options" | sort -u >"$dir/groups"

check_path() { # page path
  case $2 in *'<'* | */...*) return ;; esac
  for f in $2; do [ ! -e "$f" ] || return; done
  ! grep -qxF "<!-- file $2 -->" "$1" || return # the page makes it
  say "$1" "$2 does not exist"
}

check_word() { # page token
  case $2 in
  *[!A-Za-z0-9_.\(\)=-]*) ;;
  *'()') grep -qx "${2%()}" "$dir/calls" || say "$1" "nothing is called $2" ;;
  *=*) check_word "$1" "${2%%=*}" ;;
  *.c | *.h | *.sh | *.awk | *.yaml) grep -qx "$2" "$dir/files" || say "$1" "no file is called $2" ;;
  *.*) ! grep -qx "${2%%.*}" "$dir/groups" || grep -qx "$2" "$dir/options" || say "$1" "$2 is not an option" ;;
  *-* | *[\(\)]*) ;;
  [A-Za-z]*_*) grep -qx "$2" "$dir/words" || say "$1" "$2 is not in the code" ;;
  esac
}

check_names() { # page
  grep -oE "(^|[^A-Za-z0-9_./-])($tops)/[A-Za-z0-9_./*<>-]*" "$1" | grep -oE "($tops)/.*" | sed 's/[.]*$//' | sort -u |
    while read -r p; do check_path "$1" "$p"; done
  # shellcheck disable=SC2016  # Markdown's
  awk '/^```/ { code = !code } !code' "$1" | grep -oE '`[^`]+`' | tr -d '`' | sort -u |
    while read -r w; do check_word "$1" "$w"; done
}

# The name of each heading as links have it: small letters, what is no letter left out, a dash for spaces.
anchors() { # page
  awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ */, ""); print tolower($0) }' "$1" | sed 's/[^a-z0-9_ -]//g; s/[ -][ -]*/-/g; s/^-//; s/-$//'
}

check_links() { # page
  grep -oE '\]\([^):]*#[^)]*\)' "$1" | sed 's/^](//; s/.$//' | sort -u | while read -r to; do
    file=$(dirname "$1")/${to%%#*}
    [ "${to%%#*}" ] || file=$1
    [ ! -f "$file" ] || anchors "$file" | grep -qxF "${to#*#}" || say "$1" "a link to $to leads to no heading"
  done
  grep -oE '\]\([^)#:]+[)#]' "$1" | sed 's/^](//; s/.$//' | sort -u | while read -r to; do
    [ -e "$(dirname "$1")/$to" ] || say "$1" "a link to $to leads nowhere"
  done
}

# Blocks after <!-- run -->, each in a file $dir/block.N.sh or .py.
blocks() { # page
  rm -f "$dir"/block.*
  awk -v dir="$dir" -v mark="<!-- $mark -->" '
    /^```/ && on { on = 0; close(file); next }
    on { print >file }
    /^```(sh|python)?$/ && marked { on = 1; file = sprintf("%s/block.%02d.%s", dir, ++n, /python/ ? "py" : "sh") }
    { marked = $0 == mark }' "$1"
}

# Programs in Python need the library beside the command; one that draws needs matplotlib.
python=$(command -v /usr/bin/python3 || command -v python3)
library=$(dirname "$gmmu")/../src/api/libgmmu.so
run_block() { # file
  case $1 in
  *.sh)
    # operators on simulated GPUs are among the kernels, which not every build has
    [ -e "$(dirname "$gmmu")/../kernels/db.ptx" ] || ! grep -q 'gmmu db .*sim:' "$1" || return 0
    sh -eu "$1"
    ;;
  *.py)
    { [ -e "$library" ] && "$python" -c 'import pandas, matplotlib' 2>/dev/null; } || return 0
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/python GMMU_LIBRARY=$library "$python" "$1"
    ;;
  esac
}

check_commands() { # page
  blocks "$1"
  for b in "$dir"/block.*; do
    [ -e "$b" ] || return 0
    sum=$(cksum <"$b")
    ! grep -qxF "$sum" "$dir/ran" || continue # another page has it, too
    echo "$sum" >>"$dir/ran"
    (cd "$dir/run" && PATH=$dir/bin:$PATH run_block "$b") >"$dir/out" 2>&1 ||
      say "$1" "this fails: $(head -n 1 "$b") ... $(tail -n 1 "$dir/out")"
  done
}

# Commands that nobody runs, and paragraphs that nobody reads.
check_form() { # page
  awk -v page="$1" '
    function flush() {
      if (length(text) > 8 * 130 || lines > 8) printf "%s: line %d: a paragraph of %d lines\n", page, begin, lines
      text = ""
      lines = 0
    }
    /^```/ { flush(); code = !code; first = code; kind = $0; next }
    code && first {
      first = 0
      if ((kind == "```sh" || kind == "```") && /^(gmmu|make|for|cat|cd|nvcc|mpirun|cc|meson|scripts\/[a-z-]*\.sh) / && before !~ /^<!-- (run|not run: |diff|[a-z]+ -->)/)
        printf "%s: line %d: commands without <!-- run --> or <!-- not run: WHY -->\n", page, NR
    }
    code { next }
    /^<!-- (absent|implemented)/ { list = 1 }
    /^<!-- (end|\/)/ { list = 0 }
    list { next }
    /^#+ / && seen[$0]++ { printf "%s: line %d: the heading \"%s\" is there twice\n", page, NR, $0 }
    /^ *$/ || /^[|#<]/ { flush(); if (!/^ *$/) before = $0; next }
    /^ *([-*]|[0-9]+\.) / { flush() }
    { if (!lines) begin = NR; before = ""; text = text $0; lines++ }
    END { flush() }' "$1"
}

check_opening() { # page
  case $1 in docs/*) ;; *) return ;; esac
  awk '/^## / { exit } 1' "$1" | tr '\n' ' ' | grep -qE 'is for (those|somebody|looking)|After (it|this page) you' ||
    say "$1" "it does not open with whom it is for"
}

# group.key of every value marked "# G" in a preset
guesses() { awk '/^[a-z0-9]+:/ { sub(/:.*/, ""); group = $0 } /# G([ :]|$)/ { sub(/:.*/, ""); print group "." $1 }' "$1"; }

# The table of guesses of a preset is the one below the heading that names it in backticks.
check_guesses() {
  page=docs/guesses.md
  [ -e $page ] || return 0
  for preset in presets/gpu/*.yaml; do
    name=$(basename "$preset" .yaml)
    guesses "$preset" | sort >"$dir/marked"
    awk -v name="\`$name\`" '/^#/ { on = index($0, name) && /[Gg]uess/ } on && /^\|/ { print $0 }' docs/guesses*.md | awk -F'|' '{ print $2 }' |
      grep -oE '`[a-z0-9]+\.[a-z0-9_]+' | tr -d '`' | sort >"$dir/told"
    comm -23 "$dir/marked" "$dir/told" | while read -r k; do say $page "$name: the guess $k is missing"; done
    comm -13 "$dir/marked" "$dir/told" | while read -r k; do say $page "$name: $k is no guess"; done
  done
}

root=$PWD
: >"$dir/ran"
for page in $pages; do
  check_commands "$page"
  [ "$mark" = run ] || continue
  check_names "$page"
  check_links "$page"
  check_form "$page"
  check_opening "$page"
done >"$dir/wrong"
[ "$mark" != run ] || check_guesses >>"$dir/wrong"
cat "$dir/wrong"
[ ! -s "$dir/wrong" ]
