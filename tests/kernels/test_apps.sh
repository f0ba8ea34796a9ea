#!/bin/sh
# Every application gives what its reference on the host gives: functionally, at size tiny (or $GMMU_APP_SIZE).
# shellcheck source-path=SCRIPTDIR/../cli source=lib.sh
. "$(dirname "$0")/../cli/lib.sh"
size=${GMMU_APP_SIZE:-tiny}
apps=$(dirname "$gmmu")/../kernels

# Two names may be one program.
for app in $(sed -n 's/^APP("[^"]*", "\([^"]*\)".*/\1/p' "$root/kernels/apps.def" | sort -u); do
  try "$app, $size: verified" sh -c "'$gmmu' run --functional -- '$apps/$app' --size '$size' --verify | grep -qx '.*: verified'"
done
"$gmmu" run --functional -- "$apps/va" --size huge >"$dir/out" 2>&1
status=$?
try "a size there is not is refused" test $status = 2
finish
