#!/bin/sh
# contracts.sh OUT HEADER...: writes gmmu/contracts.h, a number of what these headers declare. A plug-in has the number of the headers that it
# was compiled with; gmmu refuses one with another number (src/lab/plugin.c).
set -eu
out=$1
shift
number=$("$(dirname "$0")/declarations.sh" "$@" | cksum | cut -d ' ' -f 1)
cat >"$out" <<END
#ifndef GMMU_CONTRACTS_H
#define GMMU_CONTRACTS_H
/* Made from the headers of plug-ins: another number means other contracts. */
#define GMMU_PLUGIN_CONTRACTS ${number}u
#endif
END
