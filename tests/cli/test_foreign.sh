#!/bin/sh
# Names that others chose reach no terminal as commands: escapes, C1 controls and line breaks are shown as \xNN.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1
esc=$(printf '\033') c1=$(printf '\302\233') bell=$(printf '\007')
evil="$esc]0;owned$bell$esc[2J${c1}31m"

# clean NAME STATUS PATTERN ARGUMENTS...: the status, the pattern somewhere, no control character but line breaks
clean() {
  label=$1 want=$2 pattern=$3
  shift 3
  "$gmmu" "$@" >out 2>err </dev/null
  got=$?
  if [ $got != "$want" ] || ! cat out err | grep -q -e "$pattern"; then
    fail "$label" "status $got: $(cat -v out err)"
  elif cat out err | LC_ALL=C tr -d '\n\t\040-\176' | LC_ALL=C grep -q -e "[$(printf '\001')-$(printf '\037')]" -e "$c1"; then
    fail "$label: raw bytes" "$(cat -v out err)"
  else
    pass "$label"
  fi
}
shown='\\x1b]0;owned\\x07\\x1b\[2J\\xc2\\x9b31m'

# ---- kernels of a recording
mkdir t
trace() { # what stands in the first instruction's place
  printf '%s\n' "-kernel name = k$evil" '-grid dim = (1,1,1)' '-block dim = (32,1,1)' '-shmem = 0' '-nregs = 16' \
    '-binary version = 70' '-shmem base_addr = 0x7e0000000000' '-local mem base_addr = 0x7e8000000000' \
    '-accelsim tracer version = 3' '#' '#BEGIN_TB' 'thread block = 0,0,0' 'warp = 0' 'insts = 2' \
    "$1" '0040 ffffffff 0 EXIT 0 0' '#END_TB' >t/kernel-1.traceg
}
printf 'MemcpyHtoD,0x7f0000000000,8192\nkernel-1.traceg\n' >t/kernelslist.g
trace "0000 ffffffff 0 FROB$evil 0 0"
clean "import: an unknown opcode" 0 "FROB$shown" import t/kernelslist.g -o evil.gmt
clean "info: a kernel" 0 "k$shown" info evil.gmt
clean "info --json: a kernel" 0 'k\\u001b' info --json evil.gmt
clean "info --json --verify: a kernel" 0 'u009b' info --json --verify evil.gmt
clean "run: a kernel" 0 sharedtlb run --design sharedtlb -s gpu.sms=2 --cycles 1000 evil.gmt
clean "run --json: a kernel" 0 '"apps"' run --json -s gpu.sms=2 --cycles 1000 evil.gmt
cp evil.gmt "r$evil.gmt"
clean "run: a recording's file name" 0 "r$shown" run -s gpu.sms=2 --cycles 1000 "r$evil.gmt"
clean "info: a file name" 0 "r$shown" info "r$evil.gmt"
trace "$evil"
clean "import: an error's excerpt" 1 '^gmmu: t/kernel-1.traceg:' import t/kernelslist.g -o x.gmt
printf 'kernel-%s.traceg\n' "$evil" >t/kernelslist.g
clean "import: a trace that is not there" 1 "kernel-$shown" import t/kernelslist.g -o x.gmt

# ---- what is typed, and what stands in configurations
clean "-s: a key" 2 "gpu.$shown" run -s "gpu.$evil=1" gather
clean "-s: a value" 2 "$shown" run -s "gpu.sms=$evil" gather
clean "-s: no key at all" 2 "$shown" run -s "$evil" gather
clean "an application" 2 "$shown" run "$evil"
clean "a generator's key" 2 "$shown" run "gather:$evil=1"
clean "a GPU" 2 "$shown" run --gpu "$evil" gather
clean "an option" 2 "$shown" run "--$evil"
clean "a command" 2 "$shown" "$evil"
clean "a file that is not there" 1 "$shown" info "$evil.gmt"
clean "a line break in a name forges no line" 1 '\\x0agmmu: all is well' info "x
gmmu: all is well.gmt"
printf 'gpu:\n  "%s": 1\n' '\e[2J\x9b\n' >key.yaml
clean "YAML: a key" 1 'key.yaml:2:3: gpu: a key must be printable' run --gpu ./key.yaml gather
printf 'gpu:\n  sms: "%s"\n' '\e[2J' >value.yaml
clean "YAML: a value" 1 'x1b\[2J' run --gpu ./value.yaml gather
printf 'gpu: {%s\n' "$evil" >broken.yaml
clean "YAML: a file that is none" 1 '^gmmu: ./broken.yaml:' run --gpu ./broken.yaml gather
printf 'apps: ["%s"]\ndesigns: [ideal]\n' '\e[2J' >study.yaml
clean "a study's application" 1 'study.yaml:1:8: .*control characters' sweep study.yaml --store x.db

# ---- what a results store holds
printf 'apps: [stream]\ndesigns: [ideal]\ncycles: 1000\n' >good.yaml
"$gmmu" sweep good.yaml --store runs.db >/dev/null 2>err || fail "a study" "$(cat err)"
if command -v sqlite3 >/dev/null; then
  sqlite3 runs.db "UPDATE run SET key = 'k' || char(27) || '[2J' || char(155) || '2J'"
  clean "report of a store: a key" 1 'k\\x1b\[2J\\xc2\\x9b2J' report runs.db -o r.html
  clean "export of a store: a key" 1 'k\\x1b\[2J\\xc2\\x9b2J' export runs.db
fi

# ---- a terminal: nothing of it reaches that, whatever the format
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  script -qec "'$gmmu' info evil.gmt; '$gmmu' export runs.db; '$gmmu' run -s 'gpu.$evil=1' gather" /dev/null </dev/null >screen
  try "a terminal sees no escape" sh -c "! grep -q -e '$esc' -e '$c1' screen && grep -q '$shown' screen"
else
  skip "a terminal sees no escape" "script(1) has no pseudo-terminal to give"
fi
finish
