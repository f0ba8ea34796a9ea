#!/bin/sh
# gen-validation.sh [--check] [--gmmu GMMU] [GPU...]: docs/validation.md, which `gmmu validate` makes. With --check it only tells
# whether the tables of the GPUs (of all, without any) are current.
set -eu
cd "$(dirname "$0")/.."
check=
gmmu=build/release/tools/gmmu
[ "${1:-}" != --check ] || { check=1; shift; }
[ "${1:-}" != --gmmu ] || { gmmu=$2; shift 2; }
page=docs/validation.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$gmmu" validate --markdown "$@" >"$dir/new"
echo '_Made by `scripts/gen-validation.sh` with `gmmu validate`._' >>"$dir/new"
if [ -z "$check" ]; then
  cp "$dir/new" $page
  exit 0
fi
section() { awk -v head="## \`$2\`" 'index($0, "## ") == 1 { on = index($0, head) == 1 } /^_Made/ { on = 0 } on' "$1"; }
stale=0
for gpu in $(sed -n 's/^## `\([^`]*\)`.*/\1/p' "$dir/new"); do
  section "$dir/new" "$gpu" >"$dir/now"
  section $page "$gpu" | diff - "$dir/now" || { echo "$page: $gpu is not current: run scripts/gen-validation.sh"; stale=1; }
done
exit $stale
