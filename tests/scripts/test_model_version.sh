#!/bin/sh
# scripts/model-version.sh hashes every room that a hashed one includes, and its hashes change with what they are of.
set -u
root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/gmmu"
for room in base gf2 engine assoc trace gen mm cache tlb walk noc dram link sm gpu ptx host cudart color probe db solver; do
  mkdir -p "$tree/src/$room" && echo "int $room;" >"$tree/src/$room/x.c"
done
n=0
tell() { # status of what was asked, name
  n=$((n + 1))
  if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2" && sed 's/^/# /' "$tree/out"; fi
}
versions() { "$root/scripts/model-version.sh" "$tree" "$tree/v.c" "$tree/v.d" && grep -E "$1" "$tree/v.c"; }
# changed WHAT FILE yes|no NAME: of the version WHAT, when the file gets a line more
changed() {
  before=$(versions "$1")
  echo "/* more */" >>"$tree/$2"
  if [ "$(versions "$1")" = "$before" ]; then got=no; else got=yes; fi
  [ $got = "$3" ]
  tell $? "$4"
}

echo 1..9
"$root/scripts/model-version.sh" --check "$root" >"$tree/out"
tell $? "what hashed rooms include is hashed"
echo '#include "gf2/gf2.h"' >"$tree/src/gpu/y.c"
"$root/scripts/model-version.sh" --check "$tree" >"$tree/out"
tell $? "a room may include another hashed one"
echo '  # include "lab/store.h"' >"$tree/src/gpu/y.c"
! "$root/scripts/model-version.sh" --check "$tree" >"$tree/out" && grep -q 'src/gpu includes lab' "$tree/out"
tell $? "a room that is not hashed is told of"
rm "$tree/src/gpu/y.c"
echo '#include "gpu/gpu.h"' >"$tree/src/host/y.c"
! "$root/scripts/model-version.sh" --check "$tree" >"$tree/out" && grep -q 'src/host includes gpu' "$tree/out"
tell $? "the recorder's rooms are a list of their own"
changed model src/gf2/x.c yes "the model's version changes with gf2"
changed model src/ptx/x.c no "and not with what records"
changed recorder src/cudart/x.c yes "the recorder's version changes with the runtime"
changed recorder src/gpu/x.c no "and not with the machine"
grep -q "src/cudart/x.c" "$tree/v.d" && grep -q "src/gf2/x.c" "$tree/v.d"
tell $? "the build is told what was read"
