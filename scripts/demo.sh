#!/bin/sh
# Two applications that share a GPU, under three designs of its translation hardware.
set -eu
cd "$(dirname "$0")/.."
gmmu=${GMMU:-build/release/tools/gmmu}
[ -x "$gmmu" ] || { echo "demo.sh: $gmmu is not there: run make first" >&2; exit 1; }
# shellcheck disable=SC2086  # two words
exec "$gmmu" run --gpu maxwell --design ideal,sharedtlb,pwcache ${DEMO_APPS:-hotset chase}
