#!/bin/sh
# gen-golden.sh [BUILD]: makes tests/net/golden/*.net and tests/cli/golden/*.json anew with a build (build/release), after an
# intended change, and raises the versions of src/lab/versions.def whose results moved. Look at the difference before it goes in.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
gmmu=$build/tools/gmmu
golden=tests/cli/golden
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -r --parents tests/net/golden src/lab/versions.def "$before"
grep -v '^#' $golden/cases | while read -r name args; do
  # shellcheck disable=SC2086  # words
  "$gmmu" run --json -o "$golden/$name.json" $args
done
tests/cli/names.sh "$gmmu" >$golden/names
golden() { # program, part
  (cd "$build" && "tests/net/$1" "$2" --golden) >"$build/$2.net"
  mv "$build/$2.net" "tests/net/golden/$2.net"
}
for part in presets features random options; do golden test_machines $part; done
golden test_live live
golden test_recordings recordings
scripts/versions.sh --renew --before "$before"
