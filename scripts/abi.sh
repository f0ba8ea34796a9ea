#!/bin/sh
# abi.sh [--renew] [ROOT]: do the headers of libgmmu declare what src/api/libgmmu.abi lists? Says what changed or went (which needs a new
# major number, of the API and of the library's name) and what is new (a new minor number). --renew writes the list anew.
set -eu
here=$(realpath "$(dirname "$0")")
renew=''
[ "${1:-}" != --renew ] || { renew=1 && shift; }
cd "${1:-$here/..}"
list=src/api/libgmmu.abi
now=$(mktemp)
trap 'rm -f "$now"' EXIT
for h in err gmmu mm stream types; do
  echo "# $h.h"
  "$here/declarations.sh" include/gmmu/$h.h
done >"$now"
[ -z "$renew" ] || cp "$now" $list
status=0
say() {
  echo "$1"
  status=1
}
lines() { # FILE OTHER: the lines of FILE that OTHER lacks, but for the numbers of the version
  grep -vxF -f "$2" "$1" | grep -v '#define GMMU_API_' || true
}
gone=$(lines $list "$now") new=$(lines "$now" $list)
[ -z "$gone" ] || say "changed or gone, needs a new GMMU_API_MAJOR: $gone"
[ -z "$new" ] || say "new, needs a new GMMU_API_MINOR and scripts/abi.sh --renew: $new"
number() { sed -n "s/^#define GMMU_API_$1 \([0-9]*\).*/\1/p" include/gmmu/gmmu.h; }
version=$(number MAJOR).$(number MINOR)
grep -q "^api_version = '$version\." src/api/meson.build || say "src/api/meson.build: api_version is not $version, the number of gmmu.h"
grep -q "soversion: '$(number MAJOR)'" src/api/meson.build || say "src/api/meson.build: soversion is not $(number MAJOR)"
exit $status
