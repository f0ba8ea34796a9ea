#!/bin/sh
# The main job in under a minute: compiles a small CUDA program, asks what translation costs it, compares three designs on it.
set -eu
root=$(realpath "$(dirname "$0")/..")
gmmu=$(realpath "${GMMU:-$root/build/release/tools/gmmu}") || gmmu=none
[ -x "$gmmu" ] || { echo "demo.sh: gmmu is not there: run make first" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
say() { printf '\n$ gmmu %s\n' "$*"; "$gmmu" "$@"; }
say cc "$root/examples/gather.cu" -o gather
say explain --causes -- ./gather 16384
say run --design ideal,native,mosaic -- ./gather 16384
