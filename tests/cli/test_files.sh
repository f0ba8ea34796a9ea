#!/bin/sh
# Files that are none: pipes, folders, devices; and files that cannot be written to their end. Nothing waits, nothing
# is left behind. A command that waits all the same runs into the test's limit.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1
mkdir t folder tmp
mkfifo p p.gmt p.yaml p.cu p.c p.o p.db kernelslist.g t/kernel-1.traceg
chmod +x p
echo kernel-1.traceg >t/kernelslist.g
printf 'apps: [stream]\ndesigns: [ideal]\ncycles: 1000\n' >study.yaml

# ---- inputs
pipe='it is a pipe, not a regular file'
for kind in gpu design; do wants 1 "p.yaml: cannot open: $pipe" "run --$kind of a pipe" run --$kind ./p.yaml gather; done
wants 1 "p.gmt: cannot open: $pipe" "run of a pipe" run p.gmt
wants 1 "p.gmt: cannot open: $pipe" "info of a pipe" info p.gmt
wants 1 "kernelslist.g: cannot open: $pipe" "import of a pipe" import kernelslist.g -o x.gmt
wants 1 "kernel-1.traceg: cannot open: $pipe" "import of a list that names a pipe" import t/kernelslist.g -o x.gmt
for f in p.cu p.c p.o; do wants 1 "$f: cannot open: $pipe" "cc of a pipe: $f" cc $f -o x; done
wants 1 "p.yaml: cannot open: $pipe" "show of a pipe" show --gpu ./p.yaml
wants 1 "p.yaml: cannot open: $pipe" "cost of a pipe" cost --gpu ./p.yaml
wants 1 "p.yaml: cannot open: $pipe" "color with a pipe" color plan --hash p.yaml
wants 1 "p.yaml: cannot open: $pipe" "a probe of a pipe" probe tlb --device sim:./p.yaml
wants 1 "p.db: cannot open: $pipe" "export of a pipe" export p.db
wants 1 "p.db: cannot open: $pipe" "report of a pipe" report p.db -o x.html
wants 1 "p.db: cannot open: $pipe" "a study whose store is a pipe" sweep study.yaml --store p.db
wants 1 "p.db: cannot open: $pipe" "reproduce with a pipe" reproduce list --store p.db
wants 1 "cannot run ./p: " "a program that is a pipe" run -- ./p
wants 1 "cannot run ./p: " "record of a program that is a pipe" record -o x.gmt -- ./p
wants 1 "folder: cannot open: it is a folder" "a GPU that is a folder" run --gpu ./folder gather
wants 1 "/dev/null: cannot open: it is a device" "a recording that is a device" info /dev/null
(cat study.yaml >p.yaml) &
try "a study may come through a pipe" "$gmmu" sweep p.yaml --store "$dir/piped.db"
wait $!

# ---- outputs
wants 1 "p.gmt: cannot open: $pipe" "record does not replace a pipe" record -o p.gmt gather:blocks=1
try "the pipe is still there" test -p p.gmt
(cat p >seen) &
try "a table may go to a pipe" "$gmmu" run --cycles 100 -o p gather
wait $!
try "and arrives" grep -q "^native" seen

# interrupted WHEN LABEL ARGUMENTS...: SIGINT when WHEN holds of the process
interrupted() {
  when=$1 what=$2
  shift 2
  "$gmmu" "$@" >out 2>err &
  pid=$!
  await 30 listens $pid && await 30 "$when" $pid
  stop INT $pid
  try "$what: one SIGINT ends it" test $? = 130
}
# Ctrl-C while nobody reads the pipe, or clang waits for one: once is enough
interrupted listens "a run whose output nobody reads" run --cycles 100 -o p gather
if "$gmmu" cc --help >/dev/null && command -v clang >/dev/null; then
  mkfifo p.h
  printf '#include "p.h"\nint main() {}\n' >a.cu
  cp a.cu a.cpp
  for f in a.cu a.cpp; do
    TMPDIR=$dir/tmp interrupted sleeps "cc that waits for a header: $f" cc $f -o x
    try "cc $f: no temporary file is left" sh -c "[ -z \"\$(ls tmp)\" ]"
  done
fi

# ---- a limit for files, which a signal tells by default; one block has 512 or 1024 bytes
too_large() { # what, file, arguments...: a message, status 1, and nothing left
  what=$1 file=$2
  shift 2
  (ulimit -f 1 && exec "$gmmu" "$@") >/dev/null 2>"$dir/err"
  status=$?
  try "$what: a file too large is an error" sh -c "[ $status = 1 ] && grep -q '^gmmu: .*File too large' '$dir/err'"
  try "$what: nothing is left" sh -c "! ls '$file'* 2>/dev/null"
}
too_large record x.gmt record -o x.gmt gather:blocks=64,steps=64
too_large "run --json" x.json run --json -o x.json --cycles 1000 gather
too_large "run --timeline" x.json run --timeline x.json --cycles 2000 gather
too_large "run --memmap" x.svg run --memmap x.svg --cycles 2000 gather
too_large show x.yaml show -o x.yaml
(ulimit -f 1 && exec "$gmmu" list options) >big 2>err
try "standard output: a file too large is an error" sh -c "[ $? = 1 ] && grep -q '^gmmu: cannot write .*File too large' err"
(ulimit -f 1 && exec "$gmmu" sweep study.yaml --store limited.db) >/dev/null 2>err
try "sweep: a file too large is an error" sh -c "[ $? = 1 ] && grep -q '^gmmu: limited.db: ' err"
if [ -w /dev/full ]; then
  wants 1 '/dev/full: cannot write: No space left' "run to a full disk" run --cycles 100 -o /dev/full gather
  try "/dev/full is still a device" test -c /dev/full
  "$gmmu" export --json piped.db >/dev/full 2>err
  try "export to a full disk" sh -c "[ $? = 1 ] && grep -q '^gmmu: cannot write .*No space left' err"
  "$gmmu" report piped.db -o x.html >/dev/full 2>err
  try "report that cannot say what it did" sh -c "[ $? = 1 ] && grep -q '^gmmu: cannot write' err"
fi
try "no temporary file is left" sh -c "! ls | grep -E 'tmp.*[0-9]|[0-9].*tmp'"
finish
