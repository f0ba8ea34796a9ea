#!/bin/sh
# Includes point one way: check-includes.sh [root]. Prints each include that does not, fails if any.
# A room may include itself, the public headers, and the rooms named for it here.
set -eu
cd "${1:-$(dirname "$0")/..}"

low="base gf2 color engine assoc trace gen mm ptx"
block="cache tlb walk noc dram link sm map"
around="share paging observe"
rules="base:
gf2: base
color: base gf2
solver: base gf2
engine: base
assoc: base
trace: base
gen: base
ptx: base
host: base ptx trace cuda/gmmu_content.h
cudart: base ptx
import: base trace
mm: base/err.h
cache: $low map noc dram sm
tlb: $low map cache sm
walk: $low map cache tlb dram
noc: $low
dram: $low map
link: $low
sm: $low
map: $low
share: $low $block $around gpu
paging: $low $block $around gpu
observe: $low $block $around gpu
sampling: $low $block $around gpu gpu/machine.h
cost: $low gpu gpu/machine.h
gpu: $low $block $around sampling cost
driver: base
probe: $low solver gpu observe driver
validate: $low gpu probe
db: base ptx driver
lab: $low $block $around gpu cost import host probe db kernels
repro: $low color $block $around gpu cost probe lab
explain: $low $around gpu lab
cc: base host/nvidia.h
api: base gpu lab
kernels:
tools: $low solver $block $around gpu cost host import lab repro explain cc kernels probe validate db"

# Tests, fuzzers and benchmarks link libraries: no build file of theirs names a source of src or tools.
if [ -d tests ] && grep -rnE "['/](src|tools)/[a-zA-Z0-9_/]+\.c'" --include=meson.build tests fuzz bench; then
  echo "a source of src or tools is named: link its library"
  exit 1
fi

# shellcheck disable=SC2016  # awk's variables
find include/gmmu src tools -name '*.[ch]' | LC_ALL=C sort | xargs awk -v rules="$rules" '
BEGIN {
  n = split(rules, line, "\n")
  for (i = 1; i <= n; i++) {
    m = split(line[i], word, "[: ]+")
    known[word[1]] = 1
    for (j = 2; j <= m; j++) allowed[word[1], word[j]] = 1
  }
  # The memory manager is a library of its own and sees no more of the public headers than its users.
  public_of_mm["gmmu/types.h"] = public_of_mm["gmmu/err.h"] = public_of_mm["gmmu/mm.h"] = 1
}
function complain(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, why; bad = 1 }
FNR == 1 {
  split(FILENAME, part, "/")
  room = part[1] == "src" ? part[2] : part[1] == "include" ? "public" : part[1]
  if (room != "public" && !(room in known)) complain("this room is not in the table of check-includes.sh")
}
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  header = $0
  sub(/^[^"<]*["<]/, "", header)
  sub(/[">].*/, "", header)
  slash = index(header, "/")
  from = slash ? substr(header, 1, slash - 1) : ""
  if ($0 ~ /include[ \t]*</ && from != "gmmu") next # the system
  if (from == "gmmu") {
    if (room == "mm" && !(header in public_of_mm)) complain("mm does not depend on the simulator")
  } else if (room == "public") complain("public headers include public headers only")
  else if (from == "" || from == room || (room, header) in allowed) next
  else if (header ~ /^gpu\/(machine|wiring)\.h$/) complain("outside its room the machine is opaque")
  else if (from !~ /^[a-z]/ || !(from in known)) complain("no such room")
  else if (!((room, from) in allowed)) complain("wrong direction")
}
# A block reaches others through its ports (gpu/wiring.h), never through the machine.
/(^|[^a-z_])gpu_t([^a-z_]|$)/ && room ~ /^(engine|cache|tlb|walk|noc|dram|link|sm|map|share|paging|observe)$/ {
  complain("a block does not name the machine")
}
END { exit bad }'
