#!/bin/sh
# Judging can fail: in experiments that agree, the design is swapped for its baseline, and the row must stop agreeing. WANTED experiments
# must agree to begin with; of those that do, at most MISSED may go on to.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data
export XDG_CACHE_HOME XDG_DATA_HOME
mkdir "$dir/cache" "$dir/data"

# verdict EXPERIMENT ROW [OPTION...]: of row number ROW, from 0
verdict() {
  x=$1 row=$2
  shift 2
  "$gmmu" reproduce --json "$@" "$x" | sed -n 's/.*"verdict": "\(.*\)",*$/\1/p' | sed -n "$((row + 1))p"
}

agreed=0 stopped=0 seen=
# Lines of: experiment, row, design, its baseline, and the operating point unless it is the first
while read -r x row design baseline point; do
  before=$(verdict "$x" "$row" --at "${point:-table}")
  case $before in
  agrees*) ;;
  *) seen="$seen$x row $row does not agree: $before; "; continue ;;
  esac
  after=$(verdict "$x" "$row" --at "${point:-table}" --swap "$design=$baseline")
  agreed=$((agreed + 1))
  case $after in
  agrees*) seen="$seen$x row $row still $after with $baseline for $design; " ;;
  "") seen="$seen$x row $row: no verdict; " ;;
  *) stopped=$((stopped + 1)) ;;
  esac
done <"$root/tests/cli/mutations-${SET:-small}"
if [ "$agreed" -ge "${WANTED:-2}" ]; then pass "$agreed experiments agree"; else fail "$agreed experiments agree, ${WANTED:-2} wanted" "$seen"; fi
if [ $((stopped + ${MISSED:-0})) -ge "$agreed" ]; then
  pass "$stopped of $agreed stop agreeing with their baseline for the design"
else
  fail "$stopped of $agreed stop agreeing with their baseline for the design" "$seen"
fi
finish
