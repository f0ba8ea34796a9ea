#!/bin/sh
# Every kind of mistake: one line on stderr, the right status, and the nearest right name.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
small="--cycles 100"
printf 'gpu:\n  sms: 2\nl2tlb:\n  entires: 4\n' >"$dir/typo.yaml"
printf 'gpu:\n  sms: 2000\n' >"$dir/range.yaml"
printf 'gpu: [1, 2\n' >"$dir/broken.yaml"
head -c 300 /dev/zero >"$dir/zero.gmt"
"$gmmu" record -o "$dir/good.gmt" compute:blocks=2,steps=2
head -c 400 "$dir/good.gmt" >"$dir/short.gmt"

wants 2 'no command' "no command"
wants 2 'unknown command "rnu"; nearest: "run"' "unknown command" rnu
wants 2 'unknown command "xyzzy"; `gmmu --help`' "unknown command, nothing near" xyzzy
wants 2 '"walk" is a group of options' "a mechanism whose name is taken" new mechanism walk
wants 2 '"lru" is a replacement policy' "a policy whose name is taken" new policy lru
try "help of help is help" "$gmmu" help help
wants 2 'gpu: "gpu" is a group of options: sms' "a group in place of an option" run -s gpu=3 stream
cp "$gmmu" "$dir/program" && wants 1 'program: a program, not a recording; programs stand behind --' "a program without --" run "$dir/program"
wants 2 'gmmu cc x.cu -o prog' "a source as an application" run x.cu
wants 2 'l1tlb: 24 TLB entries in 4 ways .* 16 or 32 do' "a TLB without sets says which" run -s l1tlb.entries=24 -s l1tlb.ways=4 stream
wants 2 'l2.bytes: 2097152 bytes over 40 slices .* 1310720 or 2621440 do' "an L2 without sets" run -s l2.slices=5 stream
wants 2 'mem.page: 5000 is not allowed' "a page of no power of two" run -s mem.page=5000 stream
wants 2 'mig divides the GPU under --design mig' "--mig without mig" run --gpu a100 --mig 3g,4g stream gather
wants 2 'mig 8g: profiles from 1g to 7g' "a profile that is none" run --gpu a100 --design mig --mig 8g stream
wants 2 'unknown command "lits"; nearest: "list"' "help of an unknown command" help lits
wants 2 'unknown option "--vresion"' "unknown option before a command" --vresion
wants 2 'run: unknown option "--desing"; nearest: "--design"' "unknown option" run --desing ideal gather
wants 2 'run: unknown option "-x"' "unknown short option" run -x gather
wants 2 'run: --design needs a value' "an option without its value" run gather --design
wants 2 'run: --json takes no value' "a flag with a value" run --json=yes gather
# A file beside what goes to the standard output cannot be that, too.
for c in "record -o - gather" "import -o - none" "run --timeline - gather" "probe tlb --plot - --device sim:p100" "probe sharing --save - --device sim:p100" "reproduce --report - mask" "reproduce -o - mask"; do
  # shellcheck disable=SC2086  # words
  wants 2 '"-" is the standard output' "no file called -: $c" $c
done
wants 2 'memmap: "-" names no file' "no picture called -" run --memmap - gather
wants 2 'run: no application' "no application" run
wants 2 'size takes up to 32 values' "db: more sizes than it has room for" db sample --device cpu --size "$(seq -s , 33)" --scope none
wants 2 'scope takes up to 32 values' "db: more scopes than it has room for" db sample --device cpu --size 1M --scope "$(seq -s , 33)"
wants 2 'run: --cycles: value "many" is not a whole number' "a number that is none" run --cycles many gather
wants 2 'run: --cycles: value 0 is outside 1 ' "a number out of range" run --cycles 0 gather
wants 2 'run: --design: an empty name' "an empty name in a list" run --design ideal,,sharedtlb gather
wants 2 'run: -s: "x" is not key=value' "a setting without =" run -s x gather
wants 2 'l2tlb.entires: .*nearest: "l2tlb.entries"' "an unknown key" run -s l2tlb.entires=4 gather
wants 2 'gpu.sms: value 2000 is outside 1 .. 1024 SMs' "a value out of range" run -s gpu.sms=2000 gather
wants 2 'sm.scheduler: .*nearest: "gto"; one of: gto, lrr' "an unknown policy" run -s sm.scheduler=gtoo gather
wants 2 'no gpu preset "maxwel"; nearest: "maxwell"' "an unknown GPU" run --gpu maxwel gather
wants 2 'no design preset "sharedtbl"; nearest: "sharedtlb"' "an unknown design" run --design ideal,sharedtbl gather
wants 2 'unknown generator "gathr"; nearest: "gather"' "an unknown generator" run gathr
wants 2 'no application or generator is called "nosuch"' "a name that is like no other" run nosuch
wants 2 'unknown application "bfs3"; nearest: "bfs2"' "an unknown application" run bfs3
wants 2 'gather.footprnt: .*nearest: "gather.footprint"' "an unknown key of a generator" run gather:footprnt=1M
wants 2 'gather.footprint: value 1 is outside 4K' "a generator's value out of range" run gather:footprint=1
wants 2 'run: --sms: 1 numbers for 2 applications' "SMs for one of two applications" run --sms 3 gather stream
wants 2 'run: --sms: value "a" is not' "SMs that are no number" run --sms a gather
wants 2 'gather .*SMs\|SMs .*30' "more SMs than there are" run --sms 20,20 gather stream
wants 2 'at most' "more applications than SMs" run -s gpu.sms=1 gather stream
wants 1 "typo.yaml:4:3: l2tlb.entires: .*nearest: \"l2tlb.entries\"" "a wrong key in a file: file, line, column" run --gpu "$dir/typo.yaml" gather
wants 1 "range.yaml:2:3: gpu.sms: value 2000 is outside" "a value out of range in a file" run --design "$dir/range.yaml" gather
wants 1 "broken.yaml:[0-9]*:[0-9]*: " "a file that is not YAML" run --gpu "$dir/broken.yaml" gather
wants 1 "none.yaml: cannot open" "a GPU file that is not there" run --gpu "$dir/none.yaml" gather
wants 1 "none.gmt: cannot open" "a trace that is not there" run "$dir/none.gmt"
wants 1 "zero.gmt: byte 0: " "a file that is no trace" run "$dir/zero.gmt"
wants 1 "short.gmt: byte [0-9]*: " "a truncated trace" run "$dir/short.gmt"
wants 1 "gather: no frames" "more data than memory" run -s mem.bytes=2M gather:footprint=64M
# shellcheck disable=SC2086  # words
wants 1 "none/out: cannot create" "an output file that cannot be" run $small -o "$dir/none/out" gather
wants 2 'list: there is no list of "stat"; nearest: "stats"' "an unknown list" list stat
wants 2 'info: no file' "info without a file" info
wants 2 'info: one file' "info of two files" info a b
wants 1 "zero.gmt: byte 0: " "info of a file that is no trace" info "$dir/zero.gmt"
wants 2 'record: no application' "record without an application" record -o "$dir/x.gmt"
wants 2 'record: no file' "record without a file" record gather
wants 2 'record: one application' "record of two applications" record -o "$dir/x.gmt" gather stream
wants 2 'unknown generator "gathr"' "record of an unknown generator" record -o "$dir/x.gmt" gathr
wants 1 "none/x.gmt: " "record to where nothing can be" record -o "$dir/none/x.gmt" gather:blocks=1
wants 2 'show: one design' "show of two designs" show --design ideal,pwcache
wants 2 'show: "maxwell": .*--gpu' "show with a bare name" show maxwell
try "a failed record leaves no file behind" sh -c "! ls '$dir'/x.gmt* 2>/dev/null"
if [ -w /dev/full ]; then
  "$gmmu" list >/dev/full 2>"$dir/err"
  status=$?
  try "a full disk is noticed" sh -c "[ $status = 1 ] && grep -q '^gmmu: cannot write' '$dir/err'"
fi
finish
