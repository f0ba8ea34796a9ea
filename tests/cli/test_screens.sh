#!/bin/sh
# What people see, in a terminal emulator: no line is wider than the terminal, which would break a word in its middle,
# nothing of what a file would get is lost, and the line of progress leaves nothing behind.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

if ! command -v tmux >/dev/null; then
  echo "1..0 # SKIP tmux is not installed"
  exit 0
fi
term=: terminals=0
trap '$term kill-server 2>/dev/null; rm -rf "$dir"' EXIT
export LC_ALL=C.UTF-8 XDG_DATA_HOME="$dir/data" XDG_CACHE_HOME="$dir/cache" TMUX_TMPDIR="$dir"
unset NO_COLOR TMUX

# begin COLUMNS COMMAND: in a terminal of that width, in $dir; "all done" follows its output. It does not begin on the
# first line: tmux takes what is cleared from there on for history. Each has a server of its own: one that is about to end,
# as its last session did, would take the next session with it.
begin() {
  terminals=$((terminals + 1))
  term="tmux -L gmmu-test-$$-$terminals -f /dev/null"
  printf 'trap : INT\necho\n%s; echo "all done"; cat\n' "$2" >"$dir/command" # Ctrl-C ends the command alone
  $term new-session -d -x "$1" -y 50 "cd '$dir' && PATH='$(dirname "$gmmu")':\$PATH exec sh command"
  $term set-option -g history-limit 5000 >/dev/null
}
# The screen as it is, and with the lines that the terminal broke put together again.
capture() {
  $term capture-pane -p -S - 2>"$dir/err" | sed 's/ *$//' >"$dir/screen"
  $term capture-pane -p -J -S - 2>"$dir/err" | sed 's/ *$//' >"$dir/joined"
}
# appears PATTERN: until it is on the screen; false if the terminal is gone
on_screen() {
  capture
  grep -q -e "$1" "$dir/screen" || [ -s "$dir/err" ]
}
appears() { await 120 on_screen "$1" && [ ! -s "$dir/err" ]; }
end() { $term kill-server; }

# unbroken NAME: the terminal had no line to break
unbroken() {
  broken=$(grep -E "^.{$((columns + 1)),}" "$dir/joined")
  if [ -z "$broken" ]; then pass "$1"; else fail "$1" "$broken"; fi
}
words() { tr -s ' -' '\n\n' <"$1" | grep . | sort -u; }
# whole NAME FILE: every word that is in the file is on the screen
whole() {
  words "$2" >"$dir/want"
  words "$dir/screen" >"$dir/seen"
  lost=$(comm -23 "$dir/want" "$dir/seen" | head)
  if [ -z "$lost" ]; then pass "$1"; else fail "$1" "lost or torn: $lost"; fi
}
# clean NAME: the line of progress is gone
clean() {
  left=$(grep -e ' left$' -e '[0-9] %$' -e 'instructions/s' -e '^warps. cycles' "$dir/screen")
  if [ -z "$left" ]; then pass "$1"; else fail "$1" "$left"; fi
}
# once PATTERN NAME: it is there, and no older one is above it
once() {
  count=$(grep -c -e "$1" "$dir/screen")
  if [ "$count" = 1 ]; then pass "$2"; else fail "$2" "$count times: $(cat "$dir/screen")"; fi
}

cp "$root/presets/design/sharedtlb.yaml" "$dir/shared-with-a-rather-long-name.yaml"
designs=ideal,sharedtlb,pwcache,./shared-with-a-rather-long-name.yaml
run="gmmu run --design $designs --cycles 2000 hotset chase:footprint=64M,seed=3"
"$gmmu" list designs >"$dir/designs"
(cd "$dir" && PATH=$(dirname "$gmmu"):$PATH sh -c "$run") >"$dir/run"
cat >"$dir/study.yaml" <<'END'
name: a study with a name that is not short at all
gpus: [maxwell, mosaic]
designs: [sharedtlb, mask]
workloads: [hotset + chase]
cycles: 2000
END
sed 's/cycles: .*/cycles: 1000000000/' "$dir/study.yaml" >"$dir/long.yaml"

for columns in 80 200; do
  for what in "list designs" "list" "help run" "cost mask"; do
    begin $columns "gmmu $what"
    appears '^all done' || fail "$what, $columns columns: it ends" "$(cat "$dir/screen")"
    unbroken "$what, $columns columns: no line is broken by the terminal"
    [ "$what" != "list designs" ] || whole "$what, $columns columns: every word is there, whole" "$dir/designs"
    end
  done

  begin $columns "$run"
  appears '^all done' || fail "run, $columns columns: it ends" "$(cat "$dir/screen")"
  unbroken "run, $columns columns: no line is broken by the terminal"
  whole "run, $columns columns: every word of the tables is there, whole" "$dir/run"
  clean "run, $columns columns: no progress is left"
  end

  begin $columns "gmmu run --design ./shared-with-a-rather-long-name.yaml,ideal --cycles 1000000000 hotset chase"
  appears '[0-9] %' || fail "run, $columns columns: it shows its progress" "$(cat "$dir/screen")"
  sleep 1
  capture
  once '[0-9] %' "progress, $columns columns: one line, renewed in its place"
  unbroken "progress, $columns columns: it fits the terminal"
  $term send-keys C-c
  appears '^PARTIAL' || fail "run, $columns columns: Ctrl-C ends it" "$(cat "$dir/screen")"
  clean "run, $columns columns: no progress is left after Ctrl-C"
  unbroken "run, $columns columns: what is known after Ctrl-C fits the terminal"
  end

  begin $columns "gmmu run --watch --design ./shared-with-a-rather-long-name.yaml,ideal --cycles 1000000000 hotset chase"
  appears '^warps. cycles' || fail "--watch, $columns columns: it shows a view" "$(cat "$dir/screen")"
  sleep 1
  capture
  once '^application ' "--watch, $columns columns: one view, renewed in its place"
  unbroken "--watch, $columns columns: the view fits the terminal"
  legend=$(tr -s ' \n' ' ' <"$dir/screen")
  case $legend in
  *"warps' cycles: i issue a alu t TLBs w walks f faults c caches d DRAM b barriers m moves s busy units"*)
    pass "--watch, $columns columns: the legend is whole" ;;
  *) fail "--watch, $columns columns: the legend is whole" "$(cat "$dir/screen")" ;;
  esac
  $term send-keys C-c
  appears '^PARTIAL' || fail "--watch, $columns columns: Ctrl-C ends it" "$(cat "$dir/screen")"
  clean "--watch, $columns columns: no view is left after Ctrl-C"
  end

  begin $columns "gmmu sweep -j 2 --store s$columns.db study.yaml"
  appears '^all done' || fail "sweep, $columns columns: it ends" "$(cat "$dir/screen")"
  (cd "$dir" && "$gmmu" sweep -j 2 --store "s$columns.db" study.yaml) | sed 's/[0-9]* were.*, 0 failed/0 failed/' >"$dir/sweep"
  unbroken "sweep, $columns columns: no line is broken by the terminal"
  whole "sweep, $columns columns: every word is there, whole" "$dir/sweep"
  clean "sweep, $columns columns: no progress is left"
  end

  begin $columns "gmmu sweep -j 2 --store l$columns.db long.yaml"
  appears 'of 4 runs' || fail "sweep, $columns columns: it shows its progress" "$(cat "$dir/screen")"
  sleep 1
  capture
  once 'of 4 runs' "progress of a sweep, $columns columns: one line, renewed in its place"
  unbroken "progress of a sweep, $columns columns: it fits the terminal"
  $term send-keys C-c
  appears 'interrupted' || fail "sweep, $columns columns: Ctrl-C ends it" "$(cat "$dir/screen")"
  unbroken "sweep, $columns columns: what is known after Ctrl-C fits the terminal"
  end
done
finish
