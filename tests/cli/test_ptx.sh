#!/bin/sh
# A .ptx file with its launch, wherever an application is named; and what is said where the launch is missing or wrong.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1
mkdir sub
cat >k.ptx <<'END'
.version 6.0
.target sm_70
.address_size 64
.visible .entry gather(.param .u64 index, .param .u64 table, .param .u64 out, .param .f32 scale, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<10>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra DONE;
  ld.param.u64 %rd1, [index];
  ld.param.u64 %rd2, [table];
  ld.param.u64 %rd3, [out];
  ld.param.f32 %f1, [scale];
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r6, [%rd5];
  mul.wide.u32 %rd6, %r6, 4;
  add.s64 %rd7, %rd2, %rd6;
  ld.global.f32 %f2, [%rd7];
  mul.f32 %f3, %f2, %f1;
  add.s64 %rd8, %rd3, %rd4;
  st.global.f32 [%rd8], %f3;
DONE:
  ret;
}
END
sed 's/gather/second/' k.ptx | sed 1,3d | cat k.ptx - >two.ptx
args=args=index:16K:1M/mem:4M/mem:16K/1.5/4096
launch=grid=16,block=256,$args

cycles() { "$gmmu" run --json --design sharedtlb "$@" 2>"$dir/err" | sed -n 's/^ *"cycles": \([0-9]*\),/\1/p' | head -1; }
own=$(cycles "k.ptx:$launch")
if [ "${own:-0}" -gt 0 ]; then pass "run takes it"; else fail "run takes it" "$(cat err)"; fi
try "the same every time" test "$(cycles "k.ptx:$launch")" = "$own"
cp k.ptx sub/
try "wherever it is" test "$(cycles "sub/k.ptx:$launch")" = "$own"
try "a kernel by its name" test "$(cycles "two.ptx:kernel=gather,$launch")" = "$own"
try "three dimensions" test "$(cycles "k.ptx:grid=4x2x2,block=256,args=index:16K:1M/mem:4M/mem:16K/1.5/1024")" -gt 0
try "another seed is another run" test "$(cycles "k.ptx:$launch,seed=2")" != "$own"
try "two launches take longer" test "$(cycles "k.ptx:$launch,launches=2")" -gt "$own"
try "it starts again" sh -c "'$gmmu' run --design sharedtlb --min-cycles 60000 k.ptx:$launch >/dev/null"
"$gmmu" run --by array --design sharedtlb "k.ptx:$launch" >by
try "its arrays have names, and the table that is gathered has the walks" sh -c "grep '^argument 2 ' by | awk '{ exit !(\$6 > 90) }'"
"$gmmu" record -o k.gmt "k.ptx:$launch" >/dev/null
try "record takes it, and the recording is the same run" test "$(cycles k.gmt)" = "$own"
try "explain takes it" sh -c "'$gmmu' explain --causes k.ptx:$launch | grep -q 'k takes [0-9]* cycles'"

printf 'designs: [sharedtlb]\nworkloads: ["k.ptx:%s", "k.ptx:%s + gather:footprint=64K"]\nseeds: [1, 2]\n' "$launch" "$launch" >s.yaml
try "a study takes it" sh -c "'$gmmu' sweep s.yaml --store s.db 2>&1 | grep -q '4 have been run, 0 failed'"
try "and knows it again" sh -c "'$gmmu' sweep s.yaml --store s.db 2>&1 | grep -q '4 were there'"
printf '// another text\n' | cat k.ptx - >k2.ptx && mv k2.ptx k.ptx
try "but not after a change" sh -c "'$gmmu' sweep s.yaml --dry-run --store s.db 2>&1 | grep -q '0 are finished'"
printf 'workloads: ["k.ptx:block=256,%s"]\n' "$args" >bad.yaml
wants 1 'bad.yaml:1:.*grid= is missing' "a study without a launch, before anything runs" sweep --dry-run --store s.db bad.yaml
printf 'workloads: ["k.ptx:%s"]\nset: {l2tlb.entries: [512, 100]}\n' "$launch" >bad.yaml
try "a machine that cannot be, before anything runs" sh -c "'$gmmu' sweep --dry-run --store s.db bad.yaml 2>&1 | grep -q 'l2tlb.entries=100: l2tlb: 100 TLB entries'"

wants 2 'grid= is missing: a PTX file does not say' "no launch" run k.ptx
wants 2 'block= is missing' "no block" run k.ptx:grid=4
wants 2 'takes 5 arguments (of 8, 8, 8, 4, 4 bytes), args= has 0' "no arguments" run k.ptx:grid=4,block=32
wants 2 'args= has 2' "too few arguments" run k.ptx:grid=4,block=32,args=1/2
wants 2 'several kernels; kernel= names one: gather, second' "which kernel" run "two.ptx:$launch"
wants 2 'no kernel "third"; it has gather' "no such kernel" run "two.ptx:kernel=third,$launch"
wants 2 'one to three numbers' "a block of none" run k.ptx:grid=4,block=0,$args
wants 2 'at most 1024 threads' "a block that is too large" run k.ptx:grid=4,block=2048,$args
wants 2 'argument 4 is an array' "an array where a number belongs" run k.ptx:grid=4,block=32,args=mem:4K/mem:4K/mem:4K/mem:4K/1
wants 2 'argument 5: .*no number of 4 bytes' "a number that is too large" run k.ptx:grid=4,block=32,args=0/0/0/1.0/99999999999
wants 2 'index:SIZE:N' "random numbers below what" run k.ptx:grid=4,block=32,args=index:4K/0/0/1.0/1
wants 2 'unknown "grd"' "an unknown key" run k.ptx:grd=4
wants 1 'cannot open' "no file" run none.ptx:grid=1,block=1
printf '.version 6.0\n.target sm_70\n.address_size 64\n.entry k() { frobnicate; }\n' >wrong.ptx
try "a wrong text, with its line" sh -c "'$gmmu' run wrong.ptx:grid=1,block=1 2>&1 | grep -q \"wrong.ptx:4:14: instruction 'frobnicate'\""
wants 1 'there is no allocation' "a kernel that reads nowhere" run --design sharedtlb k.ptx:grid=4,block=32,args=0/0/0/1.0/64
finish
