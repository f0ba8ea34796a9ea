#!/bin/sh
# scripts/check-includes.sh lets includes through that point down, and reports the others.
set -u
root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/gmmu" "$tree/tools"
n=0

# expect ok|bad FILE 'include line' NAME
expect() {
  n=$((n + 1))
  mkdir -p "$tree/${2%/*}"
  printf '%s\n' "$3" >"$tree/$2"
  if "$root/scripts/check-includes.sh" "$tree" >"$tree/out"; then got=ok; else got=bad; fi
  rm "$tree/$2"
  if [ $got = "$1" ] && { [ $got = ok ] || grep -q "^$2:1:" "$tree/out"; }; then
    echo "ok $n - $4"
  else
    echo "not ok $n - $4: $2 with $3 was $got"
  fi
}

echo 1..17
expect ok src/tlb/tlb.c '#include "base/opt.h"' "a block may include base"
expect ok src/tlb/tlb.c '#include "tlb/tlb.h"' "a room may include itself"
expect ok src/tlb/tlb.c '#include "tlb_private.h"' "a file beside it is the same room"
expect ok src/base/x.c '#include <stdio.h>' "the system is not checked"
expect ok tools/gmmu.c '#include "gpu/gpu.h"' "tools may include everything"
expect ok src/mm/x.c '#include "gmmu/mm.h"' "mm may include its public header"
expect bad src/base/x.c '#include "tlb/tlb.h"' "base may not include a block"
expect bad src/dram/x.c '  #  include "gpu/gpu.h"' "a block may not include the machine, however it is spelt"
expect bad src/mm/x.c '#include "base/opt.h"' "mm may not lean on base"
expect bad src/mm/x.c '#include <gmmu/stream.h>' "mm may not know warp streams"
expect bad include/gmmu/x.h '#include "base/opt.h"' "a public header may not include a private one"
expect bad src/sm/x.c '#include "../gpu/gpu.h"' "no way round through the parent directory"
expect bad src/sm/x.c '#include "nowhere/x.h"' "a room nobody knows"
expect bad src/attic/x.c '#include <stdio.h>' "a file in a room nobody knows"
expect bad tools/x.c '#include "gpu/machine.h"' "outside its room the machine is opaque"
expect bad src/probe/x.c '#include "gpu/wiring.h"' "and so is its wiring"
expect bad src/observe/stats.c 'void f(const gpu_t *g);' "what observes does not name the machine"
