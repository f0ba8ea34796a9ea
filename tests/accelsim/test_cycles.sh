#!/bin/sh
# Cycles beside Accel-Sim's: the rows of $ROWS (default: all) of $TABLE within $MEAN and $MEDIAN per cent on average, none above
# $MOST.
. "$1/tests/cli/lib.sh"
if ! "$1/scripts/compare-accelsim.sh" -g "$gmmu" -f "$1/tests/accelsim/$TABLE" -r "${ROWS:-}" >"$dir/table" 2>&1; then
  fail "every row runs, with as many warp instructions as there" "$(cat "$dir/table")"
  finish
  exit
fi
pass "every row runs, with as many warp instructions as there"
within() { # name, limit in per cent
  seen=$(sed -n "s/.*$1 \([0-9.]*\) %.*/\1/p" "$dir/table")
  if awk -v s="${seen:-999}" -v l="$2" 'BEGIN { exit s > l }'; then
    pass "$1 of |difference| $seen %, at most $2 %"
  else
    fail "$1 of |difference| ${seen:-none} %, at most $2 %" "$(cat "$dir/table")"
  fi
}
within mean "$MEAN"
within median "$MEDIAN"
within largest "$MOST"
finish
