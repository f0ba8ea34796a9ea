#!/bin/sh
# gen-pictures.sh [gmmu]: the pictures of docs/pictures that commands of docs/gallery.md draw. Needs the library of the same build, and
# python3-pandas and python3-matplotlib for those of Python.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
gmmu=$(realpath "${1:-build/release/tools/gmmu}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/run"
ln -s "$gmmu" "$dir/bin/gmmu"
awk -v dir="$dir" '
  /^```/ && on { on = 0; close(file); next }
  on { print >file }
  /^```(sh|python)$/ && marked { on = 1; file = sprintf("%s/block.%02d.%s", dir, ++n, /python/ ? "py" : "sh") }
  { marked = /^<!-- run(, slow)? -->$/ }' docs/gallery.md
cd "$dir/run"
export PATH="$dir/bin:$PATH" SOURCE_DATE_EPOCH=0 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/python" GMMU_LIBRARY="${gmmu%/*}/../src/api/libgmmu.so"
for b in "$dir"/block.*; do
  case $b in *.py) /usr/bin/python3 "$b" ;; *) sh -eu "$b" ;; esac >/dev/null
done
for f in *.svg; do
  [ -e "$root/docs/pictures/$f" ] || echo "new: docs/pictures/$f"
  cp "$f" "$root/docs/pictures/$f"
done
