#!/bin/sh
# Every application gives what its reference on the host gives: functionally, at size tiny (or $GMMU_APP_SIZE).
# shellcheck source-path=SCRIPTDIR/../cli source=lib.sh
. "$(dirname "$0")/../cli/lib.sh"
size=${GMMU_APP_SIZE:-tiny}
apps=$(dirname "$gmmu")/../kernels

# Two names may be one program. Those whose size is a footprint are compared whole at tiny alone.
list=$root/kernels/apps.def
[ "$size" = tiny ] || { list=$dir/apps.def && grep -v '", SCALED,\|", GRAPH,' "$root/kernels/apps.def" >"$list"; }
for app in $(sed -n 's/^APP("[^"]*", "\([^"]*\)".*/\1/p' "$list" | sort -u); do
  if [ "$size" = tiny ] && grep -q "^APP(\"$app\".*, \(SCALED\|GRAPH\)," "$list"; then
    try "$app, the least work" "$gmmu" run --functional -- "$apps/$app" --size 64K --work 1
    try "$app, the smallest footprint: verified" sh -c "'$gmmu' run --functional -- '$apps/$app' --size 64K --work 0 --seed 7 --verify | grep -qx '.*: verified'"
  fi
  try "$app, $size: verified" sh -c "'$gmmu' run --functional -- '$apps/$app' --size '$size' --verify | grep -qx '.*: verified'"
done
for app in $(sed -n 's/^APP("\([^"]*\)".*, GRAPH,.*/\1/p' "$list"); do
  try "$app, Kronecker graph: verified" sh -c "'$gmmu' run --functional -- '$apps/$app' --size tiny --graph kron --verify | grep -qx '.*: verified'"
  printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n5 5 6\n2 1\n3 1\n3 2\n4 3\n5 4\n5 3\n' >"$dir/x.mtx"
  try "$app, a file: verified" sh -c "'$gmmu' run --functional -- '$apps/$app' --input '$dir/x.mtx' --work 0 --verify | grep -qx '.*: verified'"
done
if [ "$size" = tiny ]; then # two passes of partitions, which tiny is too small for
  try "pjoin in two passes: verified" sh -c "'$gmmu' run --functional -- '$apps/pjoin' --size 40M --work 0 --seed 7 --verify | grep -qx '.*: verified'"
  mkfifo "$dir/pipe"
  timeout 20 "$gmmu" run --functional -- "$apps/bfs" --input "$dir/pipe" >"$dir/out" 2>&1
  status=$?
  try "a graph from a pipe is refused at once" test $status = 2
  try "the message says why" grep -q "not a regular file" "$dir/out"
fi
"$gmmu" run --functional -- "$apps/va" --size huge >"$dir/out" 2>&1
status=$?
try "a size there is not is refused" test $status = 2
finish
