#!/usr/bin/env bash
# Is report/page.html what its sources make? Only where npm has put the packages: TAP.
set -u
cd "$(dirname "$0")/../../report" || exit 1
command -v node >/dev/null || { echo "1..0 # SKIP no node here"; exit 0; }
[ -d node_modules/esbuild ] || { echo "1..0 # SKIP no packages here: npm ci in report/"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r package.json package-lock.json bundle.js src "$folder"
ln -s "$PWD/node_modules" "$folder/node_modules"
if (cd "$folder" && node bundle.js >/dev/null); then echo "ok 1 - the page can be made"; else echo "not ok 1 - the page can be made"; fi
n=1
for f in page.html LICENCES.txt; do
  n=$((n + 1))
  if cmp -s "$f" "$folder/$f"; then echo "ok $n - $f is what its sources make"; else echo "not ok $n - $f is what its sources make"; fi
done
echo "1..$n"
