# The traces Accel-Sim was measured on (docs/deviations.md): C[i] = A[i] + B[i] in a grid-stride loop of 160 blocks of 256
# threads. kind=stream: coalesced; kind=gather: the loads go to 32 random lines of 256 MB each. iters=N steps.
# awk -v kind=stream -v iters=20 -f accelsim-traces.awk >kernel-1.traceg
function random(n) { # below n <= 2^21; products stay below 2^46, so they are exact in a double
  seed = seed * 16807 % 2147483647
  return int(seed / 1024) % n
}
function hex(a) { return sprintf("0x%x%08x", int(a / 4294967296), a % 4294967296) } # %x of some awks ends at 2^32
function gather(  s, l, last, a) {
  for (l = 0; l < 32; l++) {
    a = random(2097152) * 128 + random(32) * 4
    s = s (l ? " " a - last : "4 2 " hex(base + 1073741824 + a))
    last = a
  }
  return s " "
}
function stride(a) { return "4 1 " hex(a) " 4 " }
function warp(tb, w,  it, off) {
  printf "\nwarp = %d\ninsts = %d\n", w, 6 + 7 * iters
  print "0000 ffffffff 1 R1 MOV 0 0\n0010 ffffffff 1 R0 S2R 0 0\n0020 ffffffff 1 R3 S2R 0 0"
  print "0030 ffffffff 1 R0 IMAD 2 R3 R0 0\n0040 ffffffff 1 R2 IMAD.WIDE 1 R0 0"
  for (it = 0; it < iters; it++) {
    off = (it * 40960 + tb * 256 + w * 32) * 4
    print "0050 ffffffff 1 R8 LDG.E.SYS 1 R2 " (kind == "gather" ? gather() : stride(base + off))
    print "0060 ffffffff 1 R9 LDG.E.SYS 1 R2 " (kind == "gather" ? gather() : stride(base + 268435456 + off))
    print "0070 ffffffff 1 R10 FADD 2 R8 R9 0"
    print "0080 ffffffff 0 STG.E.SYS 2 R2 R10 " stride(base + 536870912 + off)
    print "0090 ffffffff 1 R2 IADD3 1 R2 0\n00a0 ffffffff 1 R0 IADD3 1 R0 0\n00b0 ffffffff 0 BRA 0 0"
  }
  print "00c0 ffffffff 0 EXIT 0 0"
}
BEGIN {
  base = 127 * 2 ^ 40 # 0x7f0000000000
  seed = 1
  print "-kernel name = " kind "\n-kernel id = 1\n-grid dim = (160,1,1)\n-block dim = (256,1,1)\n-shmem = 0\n-nregs = 16"
  print "-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007e0000000000"
  print "-local mem base_addr = 0x00007e8000000000\n-nvbit version = 1.5.3\n-accelsim tracer version = 3\n"
  print "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]"
  for (tb = 0; tb < 160; tb++) {
    printf "\n#BEGIN_TB\n\nthread block = %d,0,0\n", tb
    for (w = 0; w < 8; w++) warp(tb, w)
    print "\n#END_TB"
  }
}
