#!/bin/sh
# What a plan will take is known before: within a factor of two of the processor time it then takes, on a plan of runs
# that differ in design, length and kind, beside a store whose runs are of another size.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="$dir/cache" XDG_DATA_HOME="$dir/data"

try "a recording" "$gmmu" record -o "$dir/r.gmt" gather:footprint=16M,steps=2,blocks=120,launches=3
cat >"$dir/small.yaml" <<'END'
designs: [sharedtlb, ideal]
workloads: ["stream:footprint=64K,blocks=4 + chase:footprint=256K,steps=1,blocks=4"]
END
cat >"$dir/mixed.yaml" <<END
name: mixed
designs: [ideal, sharedtlb, pwcache, mask]
workloads:
  - stream:footprint=4M
  - chase:steps=2,footprint=32M + hotset:footprint=8M,steps=4
  - $dir/r.gmt + compute:blocks=120
min_cycles: [0, 20000]
END
number() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p"; }
# Both times are of the same machine, but its load may change in between: one of three attempts must do.
for attempt in 1 2 3; do
  "$gmmu" sweep --store "$dir/$attempt.db" "$dir/small.yaml" >/dev/null
  "$gmmu" sweep --dry-run --json --store "$dir/$attempt.db" "$dir/mixed.yaml" >"$dir/dry" 2>&1
  "$gmmu" sweep --store "$dir/$attempt.db" "$dir/mixed.yaml" >"$dir/out" 2>&1
  told=$(number processor_ms <"$dir/dry")
  took=$("$gmmu" export "$dir/$attempt.db" --query "SELECT sum(host_ms) AS ms FROM run WHERE apps LIKE '%stream:footprint=4M%' OR apps LIKE '%hotset%' OR apps LIKE '%.gmt%'" | tail -n 1)
  echo "# told $told ms, took $took ms"
  [ "${told:-0}" -gt $((2 * took)) ] || [ $((2 * ${told:-0})) -lt "$took" ] || break
done
try "all of it is estimated" sh -c "[ '$(number missing <"$dir/dry")' = 24 ] && [ '$(number unpriced <"$dir/dry")' = 0 ]"
try "the estimate is within a factor of two" test "${told:-0}" -le $((2 * took)) -a $((2 * ${told:-0})) -ge "$took"

# dry STUDY: what a dry run tells of it, beside no store
dry() {
  printf '%b' "$1" >"$dir/one.yaml"
  "$gmmu" sweep --dry-run --json -j 8 --store "$dir/none.db" "$dir/one.yaml" >"$dir/dry" 2>&1
}
dry 'workloads: ["stream:blocks=100000"]\n'
try "one run takes no less beside idle processors" test "$(number seconds <"$dir/dry")" -ge $(($(number processor_ms <"$dir/dry") / 1000))
try "a dry run runs nothing to keep" sh -c "'$gmmu' sweep --dry-run --store '$dir/none.db' '$dir/one.yaml' | grep -q '^About [0-9]* s with' && [ ! -e '$dir/none.db' ]"
dry 'workloads: ["stream:blocks=16777216,steps=1073741824"]\n'
try "work beyond all numbers is not little" test "$(number seconds <"$dir/dry")" -gt 1000000
dry "workloads: [stream]\\ncycles: [$(seq -s , 10 10 800)]\\n"
try "of many short runs none is without an estimate" sh -c "[ '$(number missing <"$dir/dry")' = 80 ] && [ '$(number unpriced <"$dir/dry")' = 0 ]"

# What is not recorded is not guessed.
if [ -x "$(dirname "$gmmu")/../kernels/bfs2" ]; then
  printf 'workloads: [bfs2]\n' >"$dir/unknown.yaml"
  "$gmmu" sweep --dry-run --store "$dir/1.db" "$dir/unknown.yaml" >"$dir/out"
  try "of what is not recorded no time is told" sh -c "grep -q '^No estimate yet for 1 of them: their applications are not recorded' '$dir/out' && ! grep -q '^About' '$dir/out'"
fi
finish
