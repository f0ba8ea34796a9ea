#!/bin/sh
# notebooks.sh: runs every notebook of python/notebooks from its first cell to its last, against an installation in a temporary
# folder; the outputs are in build/notebooks. Needs python3-nbconvert, python3-ipykernel, python3-pandas, python3-matplotlib.
set -eu
cd "$(dirname "$0")/.."
for module in nbconvert ipykernel pandas matplotlib; do
  /usr/bin/python3 -c "import $module" 2>/dev/null || { echo "notebooks.sh: apt install python3-$module" >&2; exit 1; }
done
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
meson install -C build/release --no-rebuild --destdir "$tree" >"$tree/log"
prefix=$tree$(meson introspect build/release --buildoptions | /usr/bin/python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
pc=$(find "$prefix" -name gmmu.pc)
module=$(dirname "$(dirname "$(find "$prefix" -path '*gmmu/_library.py')")")
mkdir -p build/notebooks
export PATH="$prefix/bin:$PATH" PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$tree" PYTHONPATH="$module" \
  PYDEVD_DISABLE_FILE_VALIDATION=1 GMMU_LIBRARY="${pc%/pkgconfig/gmmu.pc}/libgmmu.so.1" XDG_CACHE_HOME="$tree/cache" HOME="$tree"
for n in python/notebooks/*.ipynb; do
  echo "$n"
  /usr/bin/python3 -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=600 --log-level=ERROR --output-dir build/notebooks "$n"
done
