#!/bin/sh
# The commands of docs/commands.md work when they are pasted, one after the other, in a fresh copy of the tree. One
# that takes long is ended by Ctrl-C: by then it has found its files and knows its options. One that makes a file which
# a later one reads is left to its end.
# shellcheck source-path=SCRIPTDIR/../cli source=../cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

export XDG_DATA_HOME="$dir/data" XDG_CACHE_HOME="$dir/cache"
mkdir "$dir/tree" "$dir/bin"
ln -s "$gmmu" "$dir/bin/gmmu"
for f in "$root"/*; do # what the commands read: not what a build or somebody's trial left in the tree
  case $f in */build | *.db | *.gmt) ;; *) ln -s "$f" "$dir/tree/" ;; esac
done
cd "$dir/tree" || exit 1
# shellcheck disable=SC2016  # Markdown's
awk '/^```$/ { on = !on; if (!on) exit; next } on' "$root/docs/commands.md" >"$dir/commands"
try "there are commands" test "$(grep -c '^gmmu ' "$dir/commands")" -ge 20

# What a command writes: the words behind -o, --store and the like.
written() { printf '%s\n' "$1" | grep -oE -e '(-o|--store|--output) [^ ]+' | sed 's/.* //'; }
is_needed() { # line number, command
  for f in $(written "$2"); do
    ! tail -n +$(($1 + 1)) "$dir/commands" | grep -qF -e " $f" || return 0
  done
  case $2 in *" && "*) return 0 ;; esac
  return 1
}

line=0
while IFS= read -r command; do
  line=$((line + 1))
  limit=1
  ! is_needed $line "$command" || limit=250
  PATH=$dir/bin:$PATH timeout -s INT -k 60 $limit sh -c "$command" </dev/null >"$dir/out" 2>&1
  status=$?
  name=$(printf '%s\n' "$command" | sed 's/ *# .*//')
  case $limit:$status in
  *:0 | 1:124) pass "$name" ;;
  *) fail "$name" "status $status: $(tail -n 5 "$dir/out")" ;;
  esac
done <"$dir/commands"
finish
