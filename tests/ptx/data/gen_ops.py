#!/usr/bin/env python3
"""Writes ops.txt: instruction, operands, expected result, computed here with exact integers and
fractions, independently of the interpreter. Run: gen_ops.py > ops.txt

  ! instruction : result registers : operand registers     (r16 r32 r64 p)
  operands = results                                       (hexadecimal)
"""
import random
from fractions import Fraction as Q
from math import isqrt

random.seed(1)
out = []


def head(inst, res, src):
    out.append(f"! {inst} : {res} : {src}")


def case(src, res):
    out.append(" ".join(f"{v:x}" for v in src) + " = " + " ".join(f"{v:x}" for v in res))


# --- integers ---
BITS = {"16": 16, "32": 32, "64": 64}
ITYPES = ["u16", "s16", "u32", "s32", "u64", "s64"]


def bits(t):
    return int(t[1:])


def val(v, t):
    n = bits(t)
    v &= (1 << n) - 1
    return v - (1 << n) if t[0] == "s" and v >> (n - 1) else v


def enc(v, n):
    return v & ((1 << n) - 1)


def corners(n):
    m = (1 << n) - 1
    return [0, 1, m, m >> 1, (m >> 1) + 1, random.getrandbits(n)]


def reg(n):
    return f"r{max(n, 16)}"


def tdiv(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def binary(inst, t, f, extra=(), res_bits=None):
    n = bits(t)
    rn = res_bits or n
    head(inst, reg(rn), f"{reg(n)} {reg(n)}")
    for a in corners(n) + list(extra):
        for b in corners(n):
            case([a, b], [enc(f(val(a, t), val(b, t)), rn)])


def unary(inst, t, f, res_bits=None, more=()):
    n = bits(t)
    rn = res_bits or n
    head(inst, reg(rn), reg(n))
    for a in corners(n) + [random.getrandbits(n) for _ in range(6)] + list(more):
        case([a], [enc(f(val(a, t)), rn)])


def clamp(v, lo, hi):
    return max(lo, min(hi, v))


for t in ITYPES:
    n = bits(t)
    binary(f"add.{t}", t, lambda a, b: a + b)
    binary(f"sub.{t}", t, lambda a, b: a - b)
    binary(f"mul.lo.{t}", t, lambda a, b: a * b)
    binary(f"mul.hi.{t}", t, lambda a, b: (a * b) >> n)
    if n < 64:
        binary(f"mul.wide.{t}", t, lambda a, b: a * b, res_bits=2 * n)
    binary(f"div.{t}", t, lambda a, b: tdiv(a, b) if b else -1)
    binary(f"rem.{t}", t, lambda a, b: a - b * tdiv(a, b) if b else -1)
    binary(f"min.{t}", t, min)
    binary(f"max.{t}", t, max)
    for part, sh, wide in [("lo", 0, 1), ("hi", n, 1)] + ([("wide", 0, 2)] if n < 64 else []):
        head(f"mad.{part}.{t}", reg(n * wide), f"{reg(n)} {reg(n)} {reg(n * wide)}")
        for a in corners(n):
            for b in corners(n):
                c = random.choice(corners(n * wide))
                case([a, b, c], [enc(((val(a, t) * val(b, t)) >> sh) + c, n * wide)])
    head(f"sad.{t}", reg(n), f"{reg(n)} {reg(n)} {reg(n)}")
    for a in corners(n):
        for b in corners(n):
            c = random.getrandbits(n)
            case([a, b, c], [enc(c + abs(val(a, t) - val(b, t)), n)])
    if t[0] == "s":
        unary(f"abs.{t}", t, abs)
        unary(f"neg.{t}", t, lambda a: -a)
    head(f"shr.{t}", reg(n), f"{reg(n)} r32")
    for a in corners(n):
        for s in [0, 1, n - 1, n, n + 1, 31, 32, 33, 63, 64, 65, 0x80000000, 0xFFFFFFFF]:
            case([a, s], [enc(val(a, t) >> min(s, 200), n)])
    for cmp, f in [("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b), ("lt", lambda a, b: a < b),
                   ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)]:
        head(f"setp.{cmp}.{t}", "p", f"{reg(n)} {reg(n)}")
        for a in corners(n):
            for b in corners(n) + [a]:
                case([a, b], [int(f(val(a, t), val(b, t)))])
for cmp, f in [("lo", lambda a, b: a < b), ("ls", lambda a, b: a <= b), ("hi", lambda a, b: a > b), ("hs", lambda a, b: a >= b)]:
    head(f"setp.{cmp}.u32", "p", "r32 r32")
    for a in corners(32):
        for b in corners(32) + [a]:
            case([a, b], [int(f(a, b))])
binary("add.sat.s32", "s32", lambda a, b: clamp(a + b, -(1 << 31), (1 << 31) - 1))
binary("sub.sat.s32", "s32", lambda a, b: clamp(a - b, -(1 << 31), (1 << 31) - 1))
head("mad.hi.sat.s32", "r32", "r32 r32 r32")
for a in corners(32):
    for b in corners(32):
        for c in (0x7FFFFFFF, 0x80000000, 5):
            case([a, b, c], [enc(clamp(((val(a, "s32") * val(b, "s32")) >> 32) + val(c, "s32"), -(1 << 31), (1 << 31) - 1), 32)])


def sx(v, n):
    v &= (1 << n) - 1
    return v - (1 << n) if v >> (n - 1) else v


for t in ("u32", "s32"):
    f24 = (lambda v: sx(v, 24)) if t == "s32" else (lambda v: v & 0xFFFFFF)
    for part, sh in (("lo", 0), ("hi", 16)):
        head(f"mul24.{part}.{t}", "r32", "r32 r32")
        for a in corners(32) + [0x7FFFFF, 0x800000, 0xFFFFFF]:
            for b in corners(32) + [0x800000]:
                case([a, b], [enc(f24(a) * f24(b) >> sh, 32)])
        head(f"mad24.{part}.{t}", "r32", "r32 r32 r32")
        for a in corners(32) + [0x800000]:
            for b in corners(32):
                case([a, b, 77], [enc((f24(a) * f24(b) >> sh) + 77, 32)])
for n in (16, 32, 64):
    m = (1 << n) - 1
    t = f"u{n}"
    binary(f"and.b{n}", t, lambda a, b: a & b)
    binary(f"or.b{n}", t, lambda a, b: a | b)
    binary(f"xor.b{n}", t, lambda a, b: a ^ b)
    unary(f"not.b{n}", t, lambda a: ~a)
    unary(f"cnot.b{n}", t, lambda a: int(a == 0))
    head(f"shl.b{n}", reg(n), f"{reg(n)} r32")
    for a in corners(n):
        for s in [0, 1, n - 1, n, n + 1, 31, 32, 33, 63, 64, 65, 0xFFFFFFFF]:
            case([a, s], [enc(a << min(s, 200), n)])
    head(f"selp.b{n}", reg(n), f"{reg(n)} {reg(n)} p")
    for p in (0, 1):
        case([m, 5, p], [m if p else 5])
for n in (32, 64):
    t = f"u{n}"
    unary(f"popc.b{n}", t, lambda a: bin(a).count("1"), 32)
    unary(f"clz.b{n}", t, lambda a: n - a.bit_length(), 32)
    unary(f"brev.b{n}", t, lambda a: int(format(a, f"0{n}b")[::-1], 2))
    for s in "us":
        def bfind(a):
            v = ~a if a < 0 else a
            return v.bit_length() - 1
        unary(f"bfind.{s}{n}", f"{s}{n}", bfind, 32)
        unary(f"bfind.shiftamt.{s}{n}", f"{s}{n}", lambda a: n - 1 - bfind(a) if bfind(a) >= 0 else -1, 32)

        def bfe(a, pos, ln):
            pos &= 255
            ln &= 255
            if ln == 0:
                return 0
            sign = a >> min(pos + ln - 1, n - 1) & 1 if s == "s" else 0
            return sum(((a >> (pos + i) & 1) if i < ln and pos + i < n else sign) << i for i in range(n))
        head(f"bfe.{s}{n}", reg(n), f"{reg(n)} r32 r32")
        for a in corners(n):
            for pos in (0, 1, 7, n - 1, n, 255, 256):
                for ln in (0, 1, 8, n - 1, n, n + 5, 255):
                    case([a, pos, ln], [bfe(a, pos, ln)])
    head(f"bfi.b{n}", reg(n), f"{reg(n)} {reg(n)} r32 r32")
    for a in corners(n)[1:4]:
        for b in corners(n)[2:]:
            for pos in (0, 3, n - 1, n, 255):
                for ln in (0, 1, 9, n, 255):
                    r = b
                    for i in range(ln):
                        if pos + i < n:
                            r = (r & ~(1 << (pos + i))) | ((a >> i & 1) << (pos + i))
                    case([a, b, pos, ln], [r])

# carry chains
head("add.cc.u32 %d0, %s0, %s2; addc.u32 %d1, %s1, %s3", "r32 r32", "r32 r32 r32 r32")
for a in (0, 1, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x80000000FFFFFFFF):
    for b in (0, 1, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF):
        s = a + b
        case([a & 0xFFFFFFFF, a >> 32, b & 0xFFFFFFFF, b >> 32], [s & 0xFFFFFFFF, s >> 32 & 0xFFFFFFFF])
head("add.cc.u64 %d0, %s0, %s2; addc.cc.u64 %d1, %s1, %s3; addc.u64 %d2, 0, 0", "r64 r64 r64", "r64 r64 r64 r64")
M64 = (1 << 64) - 1
for a in (0, 1, M64, (1 << 128) - 1):
    for b in (0, 1, M64, (1 << 128) - 1):
        s = a + b
        case([a & M64, a >> 64, b & M64, b >> 64], [s & M64, s >> 64 & M64, s >> 128])
head("sub.cc.u32 %d0, %s0, %s2; subc.cc.u32 %d1, %s1, %s3; subc.u32 %d2, 0, 0", "r32 r32 r32", "r32 r32 r32 r32")
for a in (0, 1, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF):
    for b in (0, 1, 0x100000000, 0xFFFFFFFFFFFFFFFF):
        s = a - b
        case([a & 0xFFFFFFFF, a >> 32, b & 0xFFFFFFFF, b >> 32], [s & 0xFFFFFFFF, s >> 32 & 0xFFFFFFFF, s >> 64 & 0xFFFFFFFF])
head("mul.lo.u32 %d0, %s0, %s2; mul.hi.u32 %d1, %s0, %s2; mad.lo.cc.u32 %d1, %s0, %s3, %d1; madc.hi.u32 %d2, %s0, %s3, 0;"
     " mad.lo.cc.u32 %d1, %s1, %s2, %d1; madc.hi.cc.u32 %d2, %s1, %s2, %d2; addc.u32 %d3, 0, 0; mad.lo.cc.u32 %d2, %s1, %s3, %d2;"
     " madc.hi.u32 %d3, %s1, %s3, %d3", "r32 r32 r32 r32", "r32 r32 r32 r32")
for _ in range(20):
    a, b = random.choice([M64, 1, random.getrandbits(64)]), random.choice([M64, 0, random.getrandbits(64)])
    p = a * b
    case([a & 0xFFFFFFFF, a >> 32, b & 0xFFFFFFFF, b >> 32], [p >> 32 * i & 0xFFFFFFFF for i in range(4)])

# permutations and three-operand logic
head("prmt.b32", "r32", "r32 r32 r32")
for _ in range(20):
    a, b, c = (random.getrandbits(32) for _ in range(3))
    by = [(b << 32 | a) >> 8 * i & 255 for i in range(8)]
    r = 0
    for i in range(4):
        s = c >> 4 * i & 15
        v = by[s & 7]
        r |= ((255 if v & 128 else 0) if s & 8 else v) << 8 * i
    case([a, b, c], [r])
MODES = {"f4e": [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]], "b4e": [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]],
         "rc8": [[i] * 4 for i in range(4)], "ecl": [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]],
         "ecr": [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]], "rc16": [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]}
for mode, rows in MODES.items():
    head(f"prmt.b32.{mode}", "r32", "r32 r32 r32")
    a, b = 0x03020100, 0x07060504
    for c in range(4):
        r = 0
        for s in rows[c]:
            r = r << 8 | s
        case([a, b, c], [r])
for lut in (0x00, 0x80, 0xE8, 0x96, 0xFE, 0x3C, 0xFF, 0x1D):
    head(f"lop3.b32 %d0, %s0, %s1, %s2, {lut}", "r32", "r32 r32 r32")
    for _ in range(4):
        a, b, c = (random.getrandbits(32) for _ in range(3))
        r = sum((lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))
        case([a, b, c], [r])
for d in "lr":
    for w in ("wrap", "clamp"):
        head(f"shf.{d}.{w}.b32", "r32", "r32 r32 r32")
        for c in (0, 1, 16, 31, 32, 33, 63, 0xFFFFFFFF):
            a, b = random.getrandbits(32), random.getrandbits(32)
            n = c & 31 if w == "wrap" else min(c, 32)
            v = b << 32 | a
            case([a, b, c], [(v << n >> 32 if d == "l" else v >> n) & 0xFFFFFFFF])
for ta in "us":
    for tb in "us":
        head(f"dp4a.{ta}32.{tb}32", "r32", "r32 r32 r32")
        for _ in range(6):
            a, b, c = (random.getrandbits(32) for _ in range(3))
            g = lambda v, t, i: sx(v >> 8 * i, 8) if t == "s" else v >> 8 * i & 255
            case([a, b, c], [enc(c + sum(g(a, ta, i) * g(b, tb, i) for i in range(4)), 32)])
        for part in ("lo", "hi"):
            head(f"dp2a.{part}.{ta}32.{tb}32", "r32", "r32 r32 r32")
            for _ in range(4):
                a, b, c = (random.getrandbits(32) for _ in range(3))
                h = lambda v, i: sx(v >> 16 * i, 16) if ta == "s" else v >> 16 * i & 65535
                k = 2 if part == "hi" else 0
                case([a, b, c], [enc(c + sum(h(a, i) * g(b, tb, i + k) for i in range(2)), 32)])
head("slct.u32.s32", "r32", "r32 r32 r32")
for c in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
    case([11, 22, c], [11 if c < 1 << 31 else 22])
head("slct.b64.f32", "r64", "r64 r64 r32")
for c, r in ((0, 11), (0x80000000, 11), (0x3F800000, 11), (0xBF800000, 22), (0x7FC00000, 22), (0x80000001, 22)):
    case([11, 22, c], [r])
head("slct.ftz.b32.f32", "r32", "r32 r32 r32")
case([11, 22, 0x80000001], [11])
head("bmsk.wrap.b32", "r32", "r32 r32")
for a, b in ((0, 0), (0, 1), (4, 8), (31, 5), (33, 2), (0, 32)):
    case([a, b], [enc(((1 << (b & 31)) - 1) << (a & 31), 32)])
head("bmsk.clamp.b32", "r32", "r32 r32")
for a, b in ((0, 0), (0, 32), (4, 8), (31, 5), (33, 2), (0, 99)):
    case([a, b], [enc(((1 << min(b, 32)) - 1) << a, 32) if a < 32 else 0])
head("fns.b32", "r32", "r32 r32 r32")
for a, b, n, r in ((0b1011, 0, 1, 0), (0b1011, 0, 3, 3), (0b1011, 3, -2, 1), (0b1011, 2, 0, 0xFFFFFFFF), (0b1011, 1, 0, 1), (0b1011, 0, 4, 0xFFFFFFFF), (0x80000000, 31, 1, 31)):
    case([a, b, n & 0xFFFFFFFF], [r])

# --- floating point ---
FMT = {"f16": (16, 11, -14, 15), "bf16": (16, 8, -126, 127), "f32": (32, 24, -126, 127), "f64": (64, 53, -1022, 1023)}
NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0xFFF8000000000000}
INF = "inf"


def parts(fmt, b):
    n, p, lo, hi = FMT[fmt]
    s = b >> (n - 1)
    e = b >> (p - 1) & ((1 << (n - p)) - 1)
    m = b & ((1 << (p - 1)) - 1)
    if e == (1 << (n - p)) - 1:
        return s, ("nan" if m else INF)
    if e:
        return s, Q((1 << (p - 1)) + m) * Q(2) ** (e + lo - 1 - (p - 1))
    return s, Q(m) * Q(2) ** (lo - (p - 1))


def inf(fmt, s):
    n, p, lo, hi = FMT[fmt]
    return s << (n - 1) | ((1 << (n - p)) - 1) << (p - 1)


def to_fmt(fmt, s, v, rnd, sticky=False):
    """v >= 0 exact (a Fraction); sticky: the true value is a little larger."""
    n, p, lo, hi = FMT[fmt]
    if v == 0 and not sticky:
        return s << (n - 1)
    e = lo
    if v:
        num, den = v.numerator, v.denominator
        e = num.bit_length() - den.bit_length()
        if Q(2) ** e > v:
            e -= 1
        e = max(e, lo)
    ulp = Q(2) ** (e - (p - 1))
    q = int(v / ulp)
    rest = v / ulp - q
    inexact = rest != 0 or sticky
    if rnd == "rn":
        up = rest > Q(1, 2) or (rest == Q(1, 2) and (sticky or q & 1))
    else:
        up = inexact and (rnd == "rp" and not s or rnd == "rm" and s)
    q += int(up)
    if q == 1 << p:
        q >>= 1
        e += 1
    if e > hi:
        big = rnd == "rn" or (rnd == "rp" and not s) or (rnd == "rm" and s)
        return inf(fmt, s) if big else inf(fmt, s) - 1
    if q < 1 << (p - 1):
        return s << (n - 1) | q
    return s << (n - 1) | (e - lo + 1) << (p - 1) | (q - (1 << (p - 1)))


def signed(s, v):
    return -v if s else v


def f_fma(fmt, a, b, c, rnd):
    (sa, va), (sb, vb), (sc, vc) = parts(fmt, a), parts(fmt, b), parts(fmt, c)
    sp = sa ^ sb
    if "nan" in (va, vb, vc):
        return NAN[fmt]
    if INF in (va, vb):
        if va == 0 or vb == 0 or (vc == INF and sc != sp):
            return NAN[fmt]
        return inf(fmt, sp)
    if vc == INF:
        return inf(fmt, sc)
    x = signed(sp, va * vb) + signed(sc, vc)
    if x == 0:
        if va * vb == 0 and vc == 0 and sp == sc:
            return to_fmt(fmt, sp, Q(0), rnd)
        return to_fmt(fmt, int(rnd == "rm"), Q(0), rnd)
    return to_fmt(fmt, int(x < 0), abs(x), rnd)


def f_add(fmt, a, b, rnd):
    return f_fma(fmt, a, to_fmt(fmt, 0, Q(1), "rn"), b, rnd)


def neg(fmt, b):
    return b ^ 1 << (FMT[fmt][0] - 1)


def f_mul(fmt, a, b, rnd):
    (sa, _), (sb, _) = parts(fmt, a), parts(fmt, b)
    return f_fma(fmt, a, b, (sa ^ sb) << (FMT[fmt][0] - 1), rnd)


def f_div(fmt, a, b, rnd):
    (sa, va), (sb, vb) = parts(fmt, a), parts(fmt, b)
    s = sa ^ sb
    if "nan" in (va, vb) or (va == INF and vb == INF) or (va == 0 and vb == 0):
        return NAN[fmt]
    if va == INF or vb == 0:
        return inf(fmt, s)
    if vb == INF:
        return to_fmt(fmt, s, Q(0), rnd)
    return to_fmt(fmt, s, va / vb, rnd)


def f_sqrt(fmt, a, rnd):
    s, v = parts(fmt, a)
    if v == "nan" or (s and v != 0):
        return NAN[fmt]
    if v == 0 or v == INF:
        return a
    k = 2 * 400
    n = v * Q(2) ** (2 * k)
    assert n.denominator == 1
    r = isqrt(n.numerator)
    return to_fmt(fmt, 0, Q(r) / Q(2) ** k, rnd, sticky=r * r != n.numerator)


def f_minmax(fmt, a, b, mx, nan=False):
    (sa, va), (sb, vb) = parts(fmt, a), parts(fmt, b)
    if "nan" in (va, vb):
        if nan or (va == "nan" and vb == "nan"):
            return NAN[fmt]
        return b if va == "nan" else a
    big = Q(10) ** 400
    ka = (signed(sa, big if va == INF else va), -sa)
    kb = (signed(sb, big if vb == INF else vb), -sb)
    return (a if ka > kb else b) if mx else (a if ka < kb else b)


def ftz(fmt, b):
    n, p, lo, hi = FMT[fmt]
    return b if b >> (p - 1) & ((1 << (n - p)) - 1) else b & 1 << (n - 1)


def sat(fmt, b):
    s, v = parts(fmt, b)
    if v == "nan" or s or v == 0:
        return 0
    one = to_fmt(fmt, 0, Q(1), "rn")
    return one if v == INF or v > 1 else b


CORNER = {
    "f16": [0, 0x8000, 0x3C00, 0xBC00, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x3C01, 0x2E66, 0x4200, 0x8001],
    "f32": [0, 0x80000000, 0x3F800000, 0xBF800000, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00001, 0x3F800001, 0x3DCCCCCD,
            0x40400000, 0x80000001, 0x4B800001, 0xFF7FFFFF],
    "f64": [0, 1 << 63, 0x3FF << 52, 0xBFF << 52, 1, (1 << 52) - 1, 1 << 52, 0x7FEFFFFFFFFFFFFF, 0x7FF << 52, 0xFFF << 52, 0x7FF8000000000001,
            0x3FF0000000000001, 0x3FB999999999999A, 0x4008000000000000, 1 << 63 | 1, 0x4340000000000001]}
for fmt in ("f32", "f64", "f16"):
    n = FMT[fmt][0]
    r = reg(n)
    C = CORNER[fmt]
    modes = ["rn"] if fmt == "f16" else ["rn", "rz", "rm", "rp"]
    flag_sets = [""] + ([".ftz"] if fmt != "f64" else []) + ([".sat", ".ftz.sat"] if fmt != "f64" else [])

    def apply(flags, f, *args):
        if ".ftz" in flags:
            args = [ftz(fmt, a) for a in args]
        v = f(*args)
        if ".sat" in flags:
            v = sat(fmt, v)
        return ftz(fmt, v) if ".ftz" in flags else v
    for rnd in modes:
        for flags in flag_sets if rnd in ("rn", "rz") else [""]:
            B = C if flags == "" else C[2:8] + C[10:13]
            for op, f in (("add", lambda a, b: f_add(fmt, a, b, rnd)), ("sub", lambda a, b: f_add(fmt, a, neg(fmt, b), rnd)),
                          ("mul", lambda a, b: f_mul(fmt, a, b, rnd))):
                head(f"{op}.{rnd}{flags}.{fmt}", r, f"{r} {r}")
                for a in C:
                    for b in B:
                        case([a, b], [apply(flags, f, a, b)])
            head(f"fma.{rnd}{flags}.{fmt}", r, f"{r} {r} {r}")
            for a in C:
                for b in B[::2]:
                    c = random.choice(C)
                    case([a, b, c], [apply(flags, lambda a, b, c: f_fma(fmt, a, b, c, rnd), a, b, c)])
            if fmt == "f16" or ".sat" in flags:
                continue
            head(f"div.{rnd}{flags}.{fmt}", r, f"{r} {r}")
            for a in C:
                for b in B:
                    case([a, b], [apply(flags, lambda a, b: f_div(fmt, a, b, rnd), a, b)])
            head(f"rcp.{rnd}{flags}.{fmt}", r, r)
            for a in C:
                case([a], [apply(flags, lambda a: f_div(fmt, to_fmt(fmt, 0, Q(1), "rn"), a, rnd), a)])
            head(f"sqrt.{rnd}{flags}.{fmt}", r, r)
            for a in C + [to_fmt(fmt, 0, Q(random.getrandbits(20)), "rn") for _ in range(6)]:
                case([a], [apply(flags, lambda a: f_sqrt(fmt, a, rnd), a)])
    for flags in ("", ".ftz") if fmt != "f64" else ("",):
        for op, mx in (("min", False), ("max", True)):
            for nan in (False, True):
                head(f"{op}{flags}{'.NaN' if nan else ''}.{fmt}", r, f"{r} {r}")
                for a in C:
                    for b in C[::2]:
                        case([a, b], [apply(flags, lambda a, b: f_minmax(fmt, a, b, mx, nan), a, b)])
        for op in ("abs", "neg"):
            head(f"{op}{flags}.{fmt}", r, r)
            for a in C:
                def f(a):
                    if parts(fmt, a)[1] == "nan":
                        return NAN[fmt]
                    return a & ~(1 << (n - 1)) if op == "abs" else neg(fmt, a)
                case([a], [apply(flags, f, a)])
    for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        head(f"setp.{cmp}.{fmt}", "p", f"{r} {r}")
        for a in C[::2] + [C[10]]:
            for b in C[:11]:
                (sa, va), (sb, vb) = parts(fmt, a), parts(fmt, b)
                un = "nan" in (va, vb)
                big = Q(10) ** 400
                x, y = (None, None) if un else (signed(sa, big if va == INF else va), signed(sb, big if vb == INF else vb))
                if cmp in ("num", "nan"):
                    v = un == (cmp == "nan")
                elif un:
                    v = cmp.endswith("u")
                else:
                    v = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[cmp[:2]]
                case([a, b], [int(v)])
head("setp.eq.ftz.f32", "p", "r32 r32")
case([1, 0], [1])
case([0x807FFFFF, 1], [1])
case([0x800000, 0], [0])
for flags in ("", ".ftz", ".sat"):
    for op in ("add", "mul"):
        head(f"{op}{flags}.f16x2", "r32", "r32 r32")
        for _ in range(24):
            h = [random.choice(CORNER["f16"]) for _ in range(4)]
            fn = f_add if op == "add" else f_mul

            def one(a, b):
                if flags == ".ftz":
                    a, b = ftz("f16", a), ftz("f16", b)
                v = fn("f16", a, b, "rn")
                return sat("f16", v) if flags == ".sat" else ftz("f16", v) if flags == ".ftz" else v
            case([h[0] | h[1] << 16, h[2] | h[3] << 16], [one(h[0], h[2]) | one(h[1], h[3]) << 16])
head("copysign.f32", "r32", "r32 r32")
for a in CORNER["f32"]:
    for b in CORNER["f32"][::3]:
        case([a, b], [(b & 0x7FFFFFFF) | (a & 0x80000000)])
head("copysign.f64", "r64", "r64 r64")
for a in CORNER["f64"][::2]:
    for b in CORNER["f64"][::3]:
        case([a, b], [(b & ((1 << 63) - 1)) | (a & 1 << 63)])
for fmt in ("f32", "f64"):
    for prop in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        head(f"testp.{prop}.{fmt}", "p", reg(FMT[fmt][0]))
        for a in CORNER[fmt]:
            s, v = parts(fmt, a)
            lo = Q(2) ** FMT[fmt][2]
            num = v != "nan" and v != INF
            r = {"finite": num, "infinite": v == INF, "number": v != "nan", "notanumber": v == "nan", "normal": num and v >= lo,
                 "subnormal": num and 0 < v < lo}[prop]
            case([a], [int(r)])

# --- conversions ---
ALL_INT = ["u8", "s8"] + ITYPES
for a in ALL_INT:
    for b in ALL_INT:
        for s in ("", ".sat"):
            if s and a == b:
                continue
            na, nb = bits(a), bits(b)
            head(f"cvt{s}.{a}.{b}", reg(na), reg(nb))
            lo = -(1 << (na - 1)) if a[0] == "s" else 0
            hi = (1 << (na - (a[0] == "s"))) - 1
            for v in corners(nb):
                x = val(v, b)
                x = clamp(x, lo, hi) if s else val(x, a)
                case([v], [enc(x, max(na, 16))])


def integral(x, rnd):
    fl = x.numerator // x.denominator
    if x == fl:
        return fl
    if rnd == "rm":
        return fl
    if rnd == "rp":
        return fl + 1
    if rnd == "rz":
        return fl if x > 0 else fl + 1
    d = x - fl
    return fl + int(d > Q(1, 2) or (d == Q(1, 2) and fl & 1))


for fmt in ("f32", "f64", "f16"):
    n = FMT[fmt][0]
    extra = [to_fmt(fmt, s, v, "rn") for s in (0, 1) for v in (Q(1, 2), Q(3, 2), Q(5, 2), Q(255), Q(511, 2), Q(32768), Q(65535, 2), Q(2) ** 31, Q(2) ** 32, Q(2) ** 63, Q(2) ** 64)
             if fmt != "f16" or v < 60000]
    for rnd in ("rn", "rz", "rm", "rp"):
        for t in ALL_INT:
            nt = bits(t)
            head(f"cvt.{rnd}i.{t}.{fmt}", reg(nt), reg(n))
            lo = -(1 << (nt - 1)) if t[0] == "s" else 0
            hi = (1 << (nt - (t[0] == "s"))) - 1
            for a in CORNER[fmt] + extra:
                s, v = parts(fmt, a)
                if v == "nan":
                    x = 1 << (nt - 1) if fmt == "f64" or nt == 64 else 0
                    x = val(x, t)
                elif v == INF:
                    x = lo if s else hi
                else:
                    x = clamp(integral(signed(s, v), rnd), lo, hi)
                case([a], [enc(x, max(nt, 16))])
        head(f"cvt.{rnd}i.{fmt}.{fmt}", reg(n), reg(n))
        for a in CORNER[fmt] + extra:
            s, v = parts(fmt, a)
            if v == "nan":
                r = NAN[fmt]
            elif v == INF:
                r = a
            else:
                x = integral(signed(s, v), rnd)
                r = to_fmt(fmt, s, Q(abs(x)), "rn")
            case([a], [r])
        for t in ALL_INT:
            head(f"cvt.{rnd}.{fmt}.{t}", reg(n), reg(bits(t)))
            for v in corners(bits(t)) + [random.getrandbits(bits(t)) for _ in range(3)]:
                x = val(v, t)
                case([v], [to_fmt(fmt, int(x < 0), Q(abs(x)), rnd)])
for big, small in (("f64", "f32"), ("f64", "f16"), ("f32", "f16")):
    for rnd in ("rn", "rz", "rm", "rp"):
        head(f"cvt.{rnd}.{small}.{big}", reg(FMT[small][0]), reg(FMT[big][0]))
        tries = CORNER[big] + [to_fmt(big, s, v, "rn") for s in (0, 1) for v in (Q(2) ** -24, Q(2) ** -25, Q(3) * Q(2) ** -26, Q(65519), Q(65520), Q(1) + Q(2) ** -11,
                                                                                  Q(1) + Q(3) * Q(2) ** -11, Q(2) ** -149, Q(2) ** -150, Q(3) * Q(2) ** -151)]
        for a in tries:
            s, v = parts(big, a)
            case([a], [NAN[small] if v == "nan" else inf(small, s) if v == INF else to_fmt(small, s, v, rnd)])
    head(f"cvt.{big}.{small}", reg(FMT[big][0]), reg(FMT[small][0]))
    for a in CORNER[small]:
        s, v = parts(small, a)
        case([a], [NAN[big] if v == "nan" else inf(big, s) if v == INF else to_fmt(big, s, v, "rn")])
head("cvt.sat.f32.f32", "r32", "r32")
for a in CORNER["f32"]:
    case([a], [sat("f32", a)])
head("cvt.ftz.f32.f32", "r32", "r32")
for a in CORNER["f32"]:
    case([a], [NAN["f32"] if parts("f32", a)[1] == "nan" else ftz("f32", a)])
head("cvt.rn.ftz.f32.f64", "r32", "r64")
for v, r in ((Q(2) ** -130, 0), (Q(2) ** -126, 0x800000)):
    case([to_fmt("f64", 0, v, "rn")], [r])
head("cvt.rn.f16x2.f32", "r32", "r32 r32")
for a, b in ((0x3F800000, 0xC0000000), (0x7F800000, 0x33800000), (0x477FF000, 0x477FE000)):
    c = lambda v: inf("f16", v >> 31) if parts("f32", v)[1] == INF else to_fmt("f16", *parts("f32", v), "rn")
    case([a, b], [c(a) << 16 | c(b)])

# --- bf16: round to nearest only ---
CORNER["bf16"] = [0, 0x8000, 0x3F80, 0xBF80, 1, 0x7F, 0x80, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0, 0x3F81, 0x3DCD, 0x4040, 0x8001]
B16 = CORNER["bf16"]
for op, f in (("add", lambda a, b: f_add("bf16", a, b, "rn")), ("sub", lambda a, b: f_add("bf16", a, neg("bf16", b), "rn")),
              ("mul", lambda a, b: f_mul("bf16", a, b, "rn"))):
    head(f"{op}.bf16", "r16", "r16 r16")
    for a in B16:
        for b in B16:
            case([a, b], [f(a, b)])
head("fma.rn.bf16", "r16", "r16 r16 r16")
TIES = [(0x3F81, 0x3FC0, 0x8001), (0x3F81, 0x3FC0, 1), (0x3F83, 0x3FC0, 0x8001), (0x3F83, 0x3FC0, 1), (0x3F81, 0x3FC0, 0)]
for a, b, c in [(a, b, random.choice(B16)) for a in B16 for b in B16] + TIES:
    case([a, b, c], [f_fma("bf16", a, b, c, "rn")])
for op, f in (("add.bf16x2", lambda a, b: f_add("bf16", a, b, "rn")), ("mul.bf16x2", lambda a, b: f_mul("bf16", a, b, "rn")),
              ("max.bf16x2", lambda a, b: f_minmax("bf16", a, b, True, False))):
    head(op, "r32", "r32 r32")
    for _ in range(24):
        h = [random.choice(B16) for _ in range(4)]
        case([h[0] | h[1] << 16, h[2] | h[3] << 16], [f(h[0], h[2]) | f(h[1], h[3]) << 16])
for op, mx in (("min", False), ("max", True)):
    for nan in (False, True):
        head(f"{op}{'.NaN' if nan else ''}.bf16", "r16", "r16 r16")
        for a in B16:
            for b in B16[::2]:
                case([a, b], [f_minmax("bf16", a, b, mx, nan)])
for op in ("abs", "neg"):
    head(f"{op}.bf16", "r16", "r16")
    for a in B16:
        case([a], [0x7FFF if parts("bf16", a)[1] == "nan" else a & 0x7FFF if op == "abs" else a ^ 0x8000])
for rnd in ("rn", "rz"):
    head(f"cvt.{rnd}.bf16.f32", "r16", "r32")
    for a in CORNER["f32"] + [0x3F808000, 0x3F818000, 0x3F808001, 0x00008000, 0x7F7F8000, 0x7F7F7FFF]:
        sign, v = parts("f32", a)
        case([a], [NAN["bf16"] if v == "nan" else inf("bf16", sign) if v == INF else to_fmt("bf16", sign, v, rnd)])
head("cvt.f32.bf16", "r32", "r16")
for a in B16:
    case([a], [NAN["f32"] if parts("bf16", a)[1] == "nan" else a << 16])
head("cvt.rn.bf16x2.f32", "r32", "r32 r32")
for a, b in ((0x3F800000, 0xC0000000), (0x7F800000, 0x33800000), (0x3F808000, 0x3F818000)):
    c = lambda v: inf("bf16", v >> 31) if parts("f32", v)[1] == INF else to_fmt("bf16", *parts("f32", v), "rn")
    case([a, b], [c(a) << 16 | c(b)])

# --- comparisons of halves whose result is a value ---


def less(fmt, a, b):
    (sa, va), (sb, vb) = parts(fmt, a), parts(fmt, b)
    big = Q(10) ** 400
    return "nan" not in (va, vb) and signed(sa, big if va == INF else va) < signed(sb, big if vb == INF else vb)


for fmt, one in (("f16", 0x3C00), ("bf16", 0x3F80)):
    C = CORNER[fmt]
    head(f"setp.lt.{fmt}", "p", "r16 r16")
    for a in C:
        for b in C[::2]:
            case([a, b], [int(less(fmt, a, b))])
    for to, yes, r in ((fmt, one, "r16"), ("u16", 0xFFFF, "r16"), ("u32", 0xFFFFFFFF, "r32")):
        head(f"set.lt.{to}.{fmt}", r, "r16 r16")
        for a in C[::2]:
            for b in C[::2]:
                case([a, b], [yes if less(fmt, a, b) else 0])
    for to, yes in ((fmt + "x2", one), ("u32", 0xFFFF)):
        head(f"set.lt.{to}.{fmt}x2", "r32", "r32 r32")
        for _ in range(24):
            h = [random.choice(C) for _ in range(4)]
            lo, hi = (yes if less(fmt, h[k], h[k + 2]) else 0 for k in (0, 1))
            case([h[0] | h[1] << 16, h[2] | h[3] << 16], [lo | hi << 16])

# --- pairs of 16-bit integers ---
for t in ("u16", "s16"):
    for op, f in (("add", lambda a, b: a + b), ("min", min), ("max", max)):
        head(f"{op}.{t}x2", "r32", "r32 r32")
        for _ in range(40):
            h = [random.choice([0, 1, 0x7FFF, 0x8000, 0xFFFF, random.getrandbits(16)]) for _ in range(4)]
            lo, hi = (f(val(h[k], t), val(h[k + 2], t)) & 0xFFFF for k in (0, 1))
            case([h[0] | h[1] << 16, h[2] | h[3] << 16], [lo | hi << 16])

# --- two integers cut and packed ---
for to, n in (("u16", 16), ("s16", 16), ("u8", 8), ("s8", 8), ("u4", 4), ("s4", 4)):
    least, most = (0, (1 << n) - 1) if to[0] == "u" else (-(1 << n - 1), (1 << n - 1) - 1)
    cut = lambda v: min(max(val(v, "s32"), least), most) & (1 << n) - 1
    head(f"cvt.pack.sat.{to}.s32" + (".b32" if n < 16 else ""), "r32", "r32 r32" + (" r32" if n < 16 else ""))
    for a, b in ((0, 5), (most, least & 0xFFFFFFFF), (most + 1, (least - 1) & 0xFFFFFFFF), (0x7FFFFFFF, 0x80000000), (0xFFFFFFFF, 300), (3, 0xFFFFFFFE)):
        up = 0xA5C3F00F
        case([a, b] + ([up] if n < 16 else []), [((up << 2 * n if n < 16 else 0) | cut(a) << n | cut(b)) & 0xFFFFFFFF])

print("\n".join(out))
