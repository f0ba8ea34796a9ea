# shellcheck shell=sh
# What the tests of studies share; sourced behind lib.sh. $gmmu and $dir come from there.
# shellcheck disable=SC2154,SC2034  # of lib.sh; used by those who source this
kills=${KILLS:-3}
runs=${RUNS:-20}
seed=${GMMU_SEED:-1}
span=$(awk -v n="$runs" 'BEGIN { print n * 0.03 }') # seconds within which a kill finds the study under way
XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data
export XDG_CACHE_HOME XDG_DATA_HOME kills
mkdir "$dir/cache" "$dir/data"

# A study of N tiny runs, N a multiple of 4.
make_study() { # N
  echo "name: many"
  echo "designs: [sharedtlb, ideal]"
  echo "workloads: [\"gather:footprint=1M,steps=2,blocks=12\", \"stream:footprint=256K,blocks=12\"]"
  echo "seeds: [$(seq -s ', ' $(($1 / 4)))]"
  echo "set: {gpu.sms: 4}"
}
# All that does not differ from host to host.
export_all() { "$gmmu" export "$1" --json --table documents; } # store
# Finished runs of a store, which may not be there yet.
count() { if [ -s "$1" ]; then "$gmmu" export "$1" --query "SELECT count(*) FROM run WHERE status = 'done'" | tail -n 1; else echo 0; fi; } # store
attempts() { "$gmmu" export "$1" --query "SELECT max(attempts) FROM run" | tail -n 1; }                                          # store
# A random moment up to so many seconds.
moment() { awk -v s="$seed" -v i="$1" -v m="$2" 'BEGIN { srand(s * 1000 + i); printf "%.3f", 0.01 + rand() * m }'; } # which, seconds
# Processes of a session that still do something; those that have a parent.
running() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v s="$1" '{ sub(/.*\) /, "") } $4 == s && $1 != "Z" { n++ } END { print n + 0 }'; }
children() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v p="$1" '{ id = $1; sub(/.*\) /, "") } $2 == p && $1 != "Z" { print id }'; }
# Waits up to 10 s for a session to end.
quiet() { [ "$(running "$1")" = 0 ]; }
ended() { await 10 quiet "$1"; }
