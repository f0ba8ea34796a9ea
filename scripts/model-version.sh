#!/bin/sh
# model-version.sh ROOT OUT DEPFILE: hashes of sources, as C: of those that decide what a run measures, of those that
# decide what a recording of a program holds, and of what runs live. Not in the first: what makes recordings or keeps results (their
# contents are part of a result's key by themselves), and presets (every option's value is). DEPFILE tells ninja what
# was read, folders too, so that a new file counts.
# model-version.sh --check [ROOT]: does a hashed room include only what is hashed with it? Prints what does not hold.
set -eu
model="base gf2 color engine assoc trace gen mm cache tlb walk noc dram link sm gpu"
recorder="base ptx host cudart trace" # programs are hashed by themselves; none asks what device it has
live="base ptx db probe solver" # beside the model

check() { # rooms
  for room in $1; do
    grep -rhoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[a-z0-9_]+/' "src/$room" 2>/dev/null |
      sed 's/.*"//; s|/||' | sort -u | while read -r from; do
      case " gmmu $1 " in *" $from "*) ;; *) echo "src/$room includes $from, which is not hashed with it" ;; esac
    done
  done
}
if [ "$1" = --check ]; then
  cd "${2:-$(dirname "$0")/..}"
  bad=$(check "$model" && check "$recorder" && check "$live $model")
  [ -z "$bad" ] || { echo "$bad" && exit 1; }
  exit 0
fi

root=$1 out=$2 dep=$3
folders_of() { # rooms
  echo "$root/include/gmmu"
  for room in $1; do echo "$root/src/$room"; done
}
files_of() { # rooms
  # shellcheck disable=SC2046  # words
  find $(folders_of "$1") -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort
}
hash_of() { # rooms
  files_of "$1" | while read -r f; do printf '%s\n' "${f#"$root"/}" && cat "$f"; done | sha256sum | cut -c 1-16
}
{
  echo '/* Made by model-version.sh: do not edit. */'
  echo '#include "lab/hash.h"'
  echo "const char lab_model_version[] = \"$(hash_of "$model")\";"
  echo "const uint64_t lab_recorder_version = UINT64_C(0x$(hash_of "$recorder"));"
  echo "const uint64_t lab_live_version = UINT64_C(0x$(hash_of "$live"));"
} >"$out"
# shellcheck disable=SC2086  # words
all=$(printf '%s\n' $model $recorder $live | LC_ALL=C sort -u)
# shellcheck disable=SC2046  # words
echo "$(basename "$out"):" $(files_of "$all") $(folders_of "$all") | sed 's|^[^:]*|'"$out"'|' >"$dep"
