#!/bin/sh
# deb.sh: builds the Debian packages in build/deb from what git has of this tree, and asks lintian, which must find no error.
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/deb
rm -rf "$out"
mkdir -p "$out/gmmu"
git ls-files -z | xargs -0 tar cf - | tar xf - -C "$out/gmmu"
commit=$(git describe --always --dirty --abbrev=12)
sed -i "s/fallback: 'unknown'/fallback: '$commit'/" "$out/gmmu/tools/meson.build"
cd "$out/gmmu"
if ! dpkg-buildpackage -b -us -uc >../build.log 2>&1; then
  tail -n 40 ../build.log
  exit 1
fi
cd ..
status=0
lintian --fail-on error --tag-display-limit 0 ./*.changes >lintian.log 2>&1 || status=$?
cat lintian.log
ls ./*.deb
exit $status
