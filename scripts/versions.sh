#!/bin/sh
# versions.sh [--renew [--before TREE]] [ROOT]: are the numbers of src/lab/versions.def those of the goldens in tests/net/golden?
# Says what is not. --renew writes number and hash anew. What counts is the last commit, or, without a repository, the tree
# before: a number is one above that one's if a case that was in its goldens has another result now, else the same. New cases,
# new presets and new statistics change the hash alone.
set -eu
renew='' before=''
[ "${1:-}" != --renew ] || { renew=1 && shift; }
[ "${1:-}" != --before ] || { before=$(realpath "$2") && shift 2; }
cd "${1:-$(dirname "$0")/..}"
def=src/lab/versions.def
golden=tests/net/golden

goldens_of() { # version
  case $1 in
  model) echo features options presets random ;;
  recorder) echo recordings ;;
  live) echo live ;;
  esac
}
hash_of() { # version
  for part in $(goldens_of "$1"); do cat "$golden/$part.net"; done | sha256sum | cut -c 1-16
}
committed() { git show "HEAD:./$1" 2>/dev/null || cat "${before:-.}/$1" 2>/dev/null || true; }
number_of() { sed -n "s/^VERSION($1, \([0-9]*\),.*/\1/p"; }

# moved: a case of both files with the same name and contents has another result, and a statistic of both another digest.
# A new counter is in every result, but in no statistic that was there.
moved() { # before, now
  awk '
    $1 == "case" { id = $1 " " $2 " " $3; value = $4 }
    $1 == "statistic" { id = $1 " " $2; value = $3; if (NR != FNR) statistics++ }
    /^#/ { next }
    NR == FNR { before[id] = value; next }
    (id in before) && before[id] != value { changed[$1]++ }
    END { exit !(changed["case"] && (changed["statistic"] || !statistics)) }' "$1" "$2"
}
any_moved() { # version
  for part in $(goldens_of "$1"); do
    committed "$golden/$part.net" >"$tmp"
    ! moved "$tmp" "$golden/$part.net" || return 0
  done
  return 1
}

tmp=$(mktemp)
trap 'rm -f "$tmp" "$tmp.def"' EXIT
status=0
for version in model recorder live; do
  hash=$(hash_of $version) number=$(number_of $version <$def)
  if grep -q "^VERSION($version, $number, $hash)" $def; then continue; fi
  if [ -z "$renew" ]; then
    echo "$def: $version is $number, but its goldens are others now ($hash): scripts/gen-golden.sh raises the number" \
      "if a result moved"
    status=1
    continue
  fi
  was=$(committed $def | number_of $version)
  number=${was:-$number}
  ! any_moved $version || number=$((number + 1))
  sed "s/^VERSION($version, .*/VERSION($version, $number, $hash)/" $def >"$tmp.def"
  cat "$tmp.def" >$def
  echo "$def: $version is $number"
done
exit $status
