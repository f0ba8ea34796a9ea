#!/usr/bin/env python3
"""The kernels whose cycles in Accel-Sim are in cycles.tsv, and those of rules.tsv, as traces of its NVBit tracer.

usage: kernels.py OUTDIR [NAME...]     one folder per kernel (default: all): kernelslist.g and kernel-N.traceg

The same bytes on every machine: random numbers come from below() alone.
"""
import os
import random
import sys

A, B, C, G = 0x7F0000000000, 0x7F0010000000, 0x7F0020000000, 0x7F0040000000
HEAD = """-kernel name = {name}
-kernel id = {id}
-grid dim = ({blocks},1,1)
-block dim = ({threads},1,1)
-shmem = {shared}
-nregs = {registers}
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007e0000000000
-local mem base_addr = 0x00007e8000000000
-nvbit version = 1.5.5
-accelsim tracer version = 4
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]
"""


def below(rng, n):
    """A number below n; getrandbits() is the same in every Python, randrange() need not be."""
    bits = n.bit_length()
    r = rng.getrandbits(bits)
    while r >= n:
        r = rng.getrandbits(bits)
    return r


class Warp:
    """The instructions of one warp; g is its number in a grid of blocks of 8 warps."""

    def __init__(self, block, warp, rng):
        self.block, self.warp, self.g, self.rng = block, warp, block * 8 + warp, rng
        self.lines, self.pc = [], 0
        self.i("MOV", 1).i("S2R", 0).i("S2R", 3).i("IMAD", 0, (3, 0)).i("IMAD.WIDE", 2, (0,))

    def i(self, op, dst=None, src=(), mem="0", mask="ffffffff"):
        to = "0" if dst is None else "1 R%d" % dst
        regs = "".join("R%d " % r for r in src)
        self.lines.append("%04x %s %s %s %d %s%s " % (self.pc & 0xFFFF, mask, to, op, len(src), regs, mem))
        self.pc += 16
        return self


def stride(base, step=4, width=4):
    return "%d 1 0x%x %d" % (width, base, step)


def listed(addresses, width=4):
    return "%d 0 %s" % (width, " ".join("0x%016x" % a for a in addresses))


def deltas(addresses, width=4):
    steps = (b - a for a, b in zip(addresses, addresses[1:]))
    return "%d 2 0x%x %s" % (width, addresses[0], " ".join(map(str, steps)))


# ---- arithmetic and branches ----


def dependent(op, src, count=200):
    def f(x):
        for _ in range(count):
            x.i(op, 8, src)

    return f


def int_and_single(x):
    for k in range(96):
        x.i("FFMA" if k % 2 else "IADD3", 8 + k % 16, (4, 5))


def tensor(x):
    for k in range(48):
        x.i("HMMA.884.F32.F32.STEP0", 8 + 2 * (k % 4), (8 + 2 * (k % 4), 4, 6))


def mix(x):
    for _ in range(10):
        x.i("IMAD", 8, (8, 4, 5)).i("FFMA", 9, (9, 4, 5)).i("MUFU.RCP", 10, (9,)).i("DADD", 12, (12, 14))
        x.i("IADD3", 16, (16, 8)).i("FADD", 17, (10, 17)).i("LOP3.LUT", 18, (16, 18)).i("BRA")


def branchy(x):
    for _ in range(24):
        x.i("IADD3", 8, (8,)).i("ISETP.GE.AND", None, (8,)).i("BRA")


def barrier(x):
    for _ in range(12):
        for _ in range(x.warp + 1):
            x.i("FFMA", 8, (8, 4, 5))
        x.i("BAR.SYNC")


# ---- shared memory ----


def shared(x):
    for k in range(24):
        x.i("LDS.U.32", 8 + k % 4, (6,), stride((x.warp * 128 + k * 4) % 4096)).i("FADD", 12, (12, 8 + k % 4))


def shared_chain(x):
    for _ in range(200):
        x.i("LDS.U.32", 6, (6,), stride(x.warp * 128))


def matmul(x):
    w = x.warp * 128
    for t in range(4):
        x.i("LDG.E.SYS", 20, (2,), stride(A + ((x.block // 8) * 4 + t) * 1024 + w))
        x.i("LDG.E.SYS", 21, (3,), stride(B + ((x.block % 8) * 4 + t) * 1024 + w))
        x.i("STS", None, (6, 20), stride(w)).i("STS", None, (6, 21), stride(4096 + w)).i("BAR.SYNC")
        for k in range(8):
            x.i("LDS.U.32", 22 + k % 2, (6,), stride(w + k * 4, 0))
            x.i("LDS.U.32", 24 + k % 2, (7,), stride(4096 + k * 128))
            x.i("FFMA", 8, (22 + k % 2, 24 + k % 2, 8))
        x.i("BAR.SYNC").i("IADD3", 2, (2,)).i("IADD3", 3, (3,)).i("BRA")
    x.i("STG.E.SYS", None, (2, 8), stride(C + x.g * 128))


# ---- global memory ----


def reuse(kilobytes):
    """Each block reads its own part again and again."""

    def f(x):
        for _ in range(max(2, 64 // kilobytes)):
            for k in range(kilobytes):
                line = A + x.block * kilobytes * 1024 + (k * 8 + x.warp) * 128
                x.i("LDG.E.SYS", 8 + k % 4, (2,), stride(line)).i("FADD", 12, (12, 8 + k % 4))
            x.i("IADD3", 2, (2,)).i("BRA")

    return f


def page_per_lane(x):
    for k in range(8):
        n = k * 480 + x.g
        x.i("LDG.E.SYS", 8 + k % 4, (2,), stride(A + n // 128 * 32 * 4096 + n % 128 * 32, 4096))
        x.i("FADD", 12, (12, 8 + k % 4)).i("IADD3", 2, (2,)).i("BRA")


def atomics(x):
    for k in range(8):
        x.i("ATOMG.E.ADD.STRONG.GPU", 8, (2, 9), stride(A + (k * 480 + x.g) * 128)).i("IADD3", 9, (9, 8)).i("BRA")


def stores(x):
    for k in range(24):
        x.i("STG.E.SYS", None, (2, 8), stride(C + (k * 480 + x.g) * 128)).i("IADD3", 2, (2,)).i("BRA")


def loads(x):
    for k in range(24):
        x.i("LDG.E.SYS", 8 + k % 4, (2,), stride(A + (k * 480 + x.g) * 128)).i("FADD", 12, (12, 8 + k % 4)).i("BRA")


def copy(source, target, steps=5):
    def f(x):
        for k in range(steps):
            at = (k * 480 + x.g) * 128
            x.i("LDG.E.SYS", 8, (2,), stride(source + at)).i("FADD", 10, (8, 9))
            x.i("STG.E.SYS", None, (2, 10), stride(target + at)).i("IADD3", 2, (2,)).i("BRA")

    return f


def copy_wide(x):
    for k in range(8):
        at = (k * 480 + x.g) * 512
        x.i("LDG.E.128.SYS", 8, (2,), stride(A + at, 16, 16)).i("FADD", 12, (8, 9))
        x.i("STG.E.128.SYS", None, (2, 12), stride(C + at, 16, 16)).i("IADD3", 2, (2,)).i("BRA")


def tail(x):
    g = x.block * 32 + x.warp
    for k in range(4):
        x.i("LDG.E.SYS", 8, (2,), stride(A + (k * 2560 + g) * 128))
        for _ in range(6):
            x.i("FFMA", 9, (9, 8, 4))
        x.i("BRA")
    x.i("STG.E.SYS", None, (2, 9), stride(C + g * 128))


def chase(x):
    """One lane, from line to line of 20, past L1."""
    rng, line = random.Random(1), list(range(20))
    for i in reversed(range(1, len(line))):
        j = below(rng, i + 1)
        line[i], line[j] = line[j], line[i]
    for k in range(200):
        x.i("LDG.E.64.STRONG.GPU", 2, (2,), listed([A + line[k % 20] * 128], 8), "00000001")


def spmv(x):
    rng = random.Random(x.g)
    for k in range(6):
        at = (k * 480 + x.g) * 128
        x.i("LDG.E.SYS", 8, (2,), stride(A + at)).i("LDG.E.SYS", 9, (2,), stride(B + at)).i("IMAD.WIDE", 10, (8, 4))
        x.i("LDG.E.SYS", 12, (10,), listed([G + below(rng, 1 << 18) * 4 for _ in range(32)]))
        x.i("FFMA", 13, (12, 9, 13)).i("BRA")
    x.i("STG.E.SYS", None, (2, 13), stride(C + x.g * 128))


def stencil(x):
    row = 480 * 128
    for k in range(8):
        at = A + 0x1000 + (k * 480 + x.g) * 128
        for to, off in ((8, 0), (9, -4), (10, 4), (11, -row), (12, row)):
            x.i("LDG.E.SYS", to, (2,), stride(at + off))
        for r in (9, 10, 11, 12):
            x.i("FADD", 8, (8, r))
        x.i("STG.E.SYS", None, (2, 8), stride(C + (k * 480 + x.g) * 128)).i("BRA")


def random_lines(rng):
    """32 words in as many lines of 256 MB."""
    lines = []
    while len(lines) < 32:
        line = below(rng, 1 << 21)
        if line not in lines:
            lines.append(line)
    return deltas([G + line * 128 + below(rng, 32) * 4 for line in lines])


def vector_add(steps, gather=False):
    """C[i] = A[i] + B[i] in a grid-stride loop of 160 blocks; or the loads go to random lines."""

    def f(x):
        for k in range(steps):
            off = (k * 160 * 256 + x.g * 32) * 4
            first = random_lines(x.rng) if gather else stride(A + off)
            second = random_lines(x.rng) if gather else stride(B + off)
            x.i("LDG.E.SYS", 8, (2,), first).i("LDG.E.SYS", 9, (2,), second).i("FADD", 10, (8, 9))
            x.i("STG.E.SYS", None, (2, 10), stride(C + off)).i("IADD3", 2, (2,)).i("IADD3", 0, (0,)).i("BRA")

    return f


# ---- one rule each: rules.tsv ----


def apart(op, step, target=0):
    """24 loads of lanes `step` bytes apart, each used by the next instruction; of global memory, all of the same lines."""

    def f(x):
        base = A + x.g * 32 * step if target else 0
        for k in range(24):
            x.i(op, 8 + k % 4, (6,), stride(base + k % 8 * 4, step)).i("FADD", 12, (12, 8 + k % 4))

    return f


def independent(op, mem="0", count=96):
    def f(x):
        for k in range(count):
            x.i(op, 8 + k % 16, (4, 5), mem)

    return f


def one_word(x):
    for _ in range(8):
        x.i("ATOMG.E.ADD.STRONG.GPU", 8, (2, 9), stride(A, 0)).i("IADD3", 9, (9, 8)).i("BRA")


def grid(body, blocks=60, threads=256, shared_bytes=0):
    return (body, blocks, threads, shared_bytes)


# Each a list of launches. Those from lds2 on are of rules.tsv.
KERNELS = {
    "ffma_dep": [grid(dependent("FFMA", (8, 4, 5)), threads=64)],
    "if8": [grid(int_and_single)],
    "hmma": [grid(tensor)],
    "mix": [grid(mix)],
    "l1_96K": [grid(reuse(32))],
    "vec128": [grid(copy_wide)],
    "matmul": [grid(matmul, shared_bytes=8192)],
    "tail61": [grid(tail, 61, 1024)],
    "lds1": [grid(shared, shared_bytes=8192)],
    "stride4K": [grid(page_per_lane)],
    "wstream": [grid(stores)],
    "multi4": [grid(copy(A, C)), grid(copy(C, B)), grid(copy(B, G), 45), grid(copy(G, A), 7)],
    "chaseL2": [grid(chase, 1, 32)],
    "atomg": [grid(atomics)],
    "spmv": [grid(spmv)],
    "stencil": [grid(stencil)],
    "rstream": [grid(loads)],
    "barrier": [grid(barrier)],
    "branchy": [grid(branchy)],
    "lat_int": [grid(dependent("IADD3", (8, 4)), 1, 32, 4096)],
    "lat_dp": [grid(dependent("DADD", (8, 4, 6)), 1, 32, 4096)],
    "lat_sfu": [grid(dependent("MUFU.RCP", (8, 4)), 1, 32, 4096)],
    "lat_lds": [grid(shared_chain, 1, 32, 4096)],
    "stream-20": [grid(vector_add(20), 160)],
    "stream-200": [grid(vector_add(200), 160)],
    "gather-20": [grid(vector_add(20, gather=True), 160)],
    "lds2": [grid(apart("LDS.U.32", 8), shared_bytes=8192)],
    "lds4": [grid(apart("LDS.U.32", 16), shared_bytes=8192)],
    "lds32": [grid(apart("LDS.U.32", 128), shared_bytes=8192)],
    "l1_bank": [grid(apart("LDG.E.SYS", 128, A))],
    "ffma": [grid(independent("FFMA"))],
    "iadd": [grid(independent("IADD3"))],
    "ldc": [grid(independent("LDC", stride(0x160, 0)))],
    "mufu": [grid(independent("MUFU.RCP"))],
    "dfma": [grid(independent("DFMA"))],
    "atom1": [grid(one_word)],
    "lat_hmma": [grid(dependent("HMMA.884.F32.F32.STEP0", (8, 4, 6)), 1, 32)],
    "lat_shfl": [grid(dependent("SHFL.BFLY", (8, 4)), 1, 32)],
}


def write(folder, name):
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(1)
    with open(os.path.join(folder, "kernelslist.g"), "w") as names:
        for n, (body, blocks, threads, shared_bytes) in enumerate(KERNELS[name], 1):
            names.write("kernel-%d.traceg\n" % n)
            with open(os.path.join(folder, "kernel-%d.traceg" % n), "w") as f:
                f.write(HEAD.format(name=name, id=n, blocks=blocks, threads=threads, shared=shared_bytes, registers=32))
                for block in range(blocks):
                    f.write("\n#BEGIN_TB\n\nthread block = %d,0,0\n" % block)
                    for warp in range(threads // 32):
                        x = Warp(block, warp, rng)
                        body(x)
                        x.i("EXIT")
                        f.write("\nwarp = %d\ninsts = %d\n%s\n" % (warp, len(x.lines), "\n".join(x.lines)))
                    f.write("\n#END_TB\n")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for wanted in sys.argv[2:] or KERNELS:
        if wanted not in KERNELS:
            sys.exit("kernels.py: no kernel %s; there are %s" % (wanted, " ".join(KERNELS)))
        write(os.path.join(sys.argv[1], wanted), wanted)
