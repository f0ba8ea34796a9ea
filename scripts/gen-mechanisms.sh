#!/bin/sh
# gen-mechanisms.sh [--check] [gmmu]: the heads of docs/mechanisms/*.md, from the tables in the code. With --check it only tells
# whether they are current. A head lies between two lines that stay:
#   <!-- head designs: NAME...; options: GROUP.KEY...; counters: GROUP.NAME...; cost: PAPER... or DESIGN@GPU... -->
#   <!-- /head -->
# GROUP.* takes all of a group; a part that a mechanism lacks is left out. Options and counters are those of `gmmu list`, storage is
# that of `gmmu cost`. What stands outside of the head is written by people.
set -eu
cd "$(dirname "$0")/.."
check=
[ "${1:-}" != --check ] || { check=1; shift; }
gmmu=${1:-build/release/tools/gmmu}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$gmmu" list --markdown options >"$dir/options"
"$gmmu" list --markdown stats >"$dir/stats"
"$gmmu" list --markdown designs >"$dir/designs"

# One part of a page's first line, its words one per line.
part() { # page name
  sed -n "s/^<!-- head \(.*\) -->\$/; \1/p" "$1" | head -n 1 | tr ';' '\n' | sed -n "s/^ *$2: *//p" | tr ' ' '\n' | sed '/^$/d'
}

# Rows of a table whose key is among the words; one that names nothing is an error.
rows() { # page, words, table, what awk takes as the key of a row
  awk -F' [|] ' -v page="$1" -v key="$4" '
    function fits(k, w) { return w ~ /\*$/ ? index(k, substr(w, 1, length(w) - 1)) == 1 : k == w }
    NR == FNR { word[++n] = $0; next }
    /^\| / {
      k = $1
      sub(/^\| /, "", k)
      gsub(/`/, "", k)
      if (key == "counter") { sub(/^apps\[\]\./, "", k); k = k "." $2 }
      for (i = 1; i <= n; i++) if (fits(k, word[i])) { print; seen[i] = 1; break }
    }
    END {
      for (i = 1; i <= n; i++)
        if (!seen[i]) { printf "%s: %s names nothing\n", page, word[i] >"/dev/stderr"; bad = 1 }
      exit bad
    }' "$2" "$3"
}

# The rows of `gmmu cost --json` that are of a paper, as a table.
cost_rows() { # paper
  awk -v paper="$1" '
    function value() { v = $0; sub(/^ *"[a-z_]*": /, "", v); sub(/,$/, "", v); gsub(/^"|"$/, "", v); return v == "null" ? "" : v }
    /"gpu":/ { gpu = value() }
    /"paper":/ { mine = value() == paper }
    /"structure":/ { structure = value() }
    /"where":/ { where = value() }
    /"bytes":/ { bytes = value() }
    /"is_sum":/ { sum = value() }
    /"formula":/ { formula = value() }
    /"printed":/ { printed = value() }
    /"note":/ && mine && sum == "false" { printf "| %s | %s | %s B on `%s` | %s | %s |\n", structure, where, bytes == "" ? 0 : bytes, gpu, formula, printed }'
}

head_of() { # page
  part "$1" designs >"$dir/words"
  if [ -s "$dir/words" ]; then
    printf '| design | what |\n| --- | --- |\n'
    rows "$1" "$dir/words" "$dir/designs" name | sed 's/^| `*\([^`|]*[^`| ]\)`* |/| `--design \1` |/'
    echo
  fi
  part "$1" options >"$dir/words"
  if [ -s "$dir/words" ]; then
    printf '| option | type | default | range | unit | what |\n| --- | --- | --- | --- | --- | --- |\n'
    rows "$1" "$dir/words" "$dir/options" name
    echo
  fi
  part "$1" counters >"$dir/words"
  if [ -s "$dir/words" ]; then
    printf '| counter of | name | unit | what |\n| --- | --- | --- | --- |\n'
    rows "$1" "$dir/words" "$dir/stats" counter
    echo
  fi
  part "$1" cost >"$dir/words"
  if [ -s "$dir/words" ]; then
    printf '| storage | where | adds | how it is worked out | its paper |\n| --- | --- | --- | --- | --- |\n'
    while read -r word; do
      case $word in
      *@*) "$gmmu" cost --json --gpu "${word#*@}" --design "${word%@*}" | cost_rows "${word%@*}" ;;
      *) "$gmmu" cost --json --gpu maxwell "$word" | cost_rows "$word" ;;
      esac
    done <"$dir/words"
    echo
  fi
}

stale=0
for page in docs/mechanisms/*.md; do
  grep -q '^<!-- head .* -->$' "$page" || { echo "$page: no line <!-- head ... -->"; stale=1; continue; }
  head_of "$page" >"$dir/head"
  awk -v head="$dir/head" '
    /^<!-- \/head -->$/ { skip = 0; while ((getline line < head) > 0) print line }
    !skip
    /^<!-- head .* -->$/ { skip = 1; print "" }' "$page" >"$dir/new"
  if [ -z "$check" ]; then
    cmp -s "$dir/new" "$page" || cat "$dir/new" >"$page"
  elif ! cmp -s "$dir/new" "$page"; then
    echo "$page is not current: run scripts/gen-docs.sh"
    stale=1
  fi
done
exit $stale
