#!/bin/sh
# The numbers of src/lab/versions.def belong to the goldens of tests/net, and scripts/versions.sh raises them if a result moved,
# and only then.
set -u
root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/lab" "$tree/src/tlb" "$tree/tests/net/golden"
golden=$tree/tests/net/golden def=$tree/src/lab/versions.def
n=0
tell() { # status of what was asked, name
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2" && sed 's/^/# /' "$tree/out"; fi
}
versions() { "$root/scripts/versions.sh" "$@" "$tree" >"$tree/out" 2>&1; }
git_() { git -C "$tree" -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main "$@" >/dev/null 2>&1; }
numbers() { sed -n 's/^VERSION(\([a-z]*\), \([0-9]*\),.*/\2/p' "$def" | tr '\n' ' '; }
# start: the tree of a commit
start() {
  rm -rf "$tree/.git"
  for part in presets features random options recordings live; do
    printf '# golden\ncase one aa 11 3 4\ncase two bb 22 3 4\nstatistic hits 77\nstatistic misses 88\n' >"$golden/$part.net"
  done
  printf '# golden\ncase l2tlb.entries 00 33 512\ncase l2tlb.ways 00 44 16\n' >"$golden/options.net"
  printf 'VERSION(model, 4, x)\nVERSION(recorder, 7, x)\nVERSION(live, 2, x)\n' >"$def"
  echo 'int a;' >"$tree/src/tlb/a.c"
  versions --renew
  git_ init && git_ add -A && git_ commit -m x
}
edit() { sed "$2" "$golden/$1.net" >"$tree/edited" && mv "$tree/edited" "$golden/$1.net"; }
# wants NUMBERS NAME: the check fails, and these are the numbers after a renewal, which the check likes
wants() {
  ! versions && grep -q 'gen-golden.sh' "$tree/out" && versions --renew && [ "$(numbers)" = "$1 " ] && versions
  tell $? "$2"
}

echo 1..15
"$root/scripts/versions.sh" "$root" >"$tree/out"
tell $? "the versions of this tree are those of its goldens"
start
versions && [ "$(numbers)" = "4 7 2 " ]
tell $? "no number changes with a renewal of what is the same"
echo '/* a comment */' >>"$tree/src/tlb/a.c"
versions
tell $? "a comment in a source changes nothing"
edit presets 's/aa 11/aa 12/; s/hits 77/hits 78/' && wants "5 7 2" "a result that moved raises the model's"
versions --renew && edit presets 's/aa 12/aa 13/' && versions --renew && [ "$(numbers)" = "5 7 2 " ]
tell $? "once until it is committed"
git_ commit -am y && edit presets 's/aa 13/aa 14/; s/hits 78/hits 79/' && wants "6 7 2" "and again after that"
start && edit live 's/aa 11/aa 12/; s/hits 77/hits 78/' && wants "4 7 3" "what runs live has its own"
start && edit recordings 's/aa 11/aa 12/; s/hits 77/hits 78/' && wants "4 8 2" "recordings too"
start && echo 'case three cc 55 1 1' >>"$golden/features.net" && edit features 's/hits 77/hits 99/' &&
  wants "4 7 2" "a new case moves no result"
start && edit presets 's/aa 11/ab 12/; s/hits 77/hits 99/' && wants "4 7 2" "nor does a preset that has other values"
start && edit random 's/ 11 / 12 /; s/ 22 / 23 /' && echo 'statistic walks 99' >>"$golden/random.net" &&
  wants "4 7 2" "nor a new statistic beside those that were there"
start && echo 'case l3tlb.ways 00 55 8' >>"$golden/options.net" && wants "4 7 2" "nor a new option"
start && edit options 's/33 512/34 256/' && wants "5 7 2" "a changed default does"
start && edit presets '/case one/d' && wants "4 7 2" "a case that went moves no result"
start && rm -rf "$tree/.git" && mkdir "$tree/before" && (cd "$tree" && cp -r --parents tests src "$tree/before") &&
  edit presets 's/aa 11/aa 12/; s/hits 77/hits 78/' && versions --renew --before "$tree/before" && [ "$(numbers)" = "5 7 2 " ]
tell $? "without a repository the tree before counts"
