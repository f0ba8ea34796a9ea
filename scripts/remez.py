#!/usr/bin/env python3
"""Minimax polynomials for include/cuda/gmmu_math_*.h, by Remez exchange in 50 digits (needs mpmath).

usage: remez.py [NAME...]     prints the C coefficients of the named fits (default: all), lowest power first,
                              and the largest weighted error after rounding to the target format.
"""
import struct
import sys

from mpmath import mp, mpf, matrix, lu_solve, cos, pi

mp.dps = 50


def remez(fn, weight, lo, hi, degree, rounds=12):
    """Coefficients p with max |(p(u) - fn(u)) weight(u)| smallest on [lo, hi]."""
    lo, hi, n = mpf(lo), mpf(hi), degree + 2
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (k + mpf(1) / 2) / n) for k in range(n)]
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (k + mpf(1) / 2) / (24 * n)) for k in range(24 * n)]
    fg, wg = [fn(u) for u in grid], [weight(u) for u in grid]
    for _ in range(rounds):
        a, b = matrix(n, n), matrix(n, 1)
        for i, x in enumerate(xs):
            for j in range(degree + 1):
                a[i, j] = x**j
            a[i, degree + 1] = (-1) ** i / max(weight(x), mpf(10) ** -40)
            b[i] = fn(x)
        sol = lu_solve(a, b)
        p, level = [sol[j] for j in range(degree + 1)], abs(sol[degree + 1])
        err = [(horner(p, u) - f) * w for u, f, w in zip(grid, fg, wg)]
        peaks = alternation(err, n)
        if peaks is None:
            break
        xs = [grid[k] for k in peaks]
        if max(abs(e) for e in err) < level * mpf("1.02"):
            break
    return p, grid, fg, wg


def alternation(err, n):
    """One extremum per run of equal sign; the n consecutive ones with the largest smallest error."""
    peaks = []
    for k, e in enumerate(err):
        if peaks and (err[peaks[-1]] > 0) == (e > 0):
            if abs(e) > abs(err[peaks[-1]]):
                peaks[-1] = k
        else:
            peaks.append(k)
    while len(peaks) > n:
        peaks.pop(0 if abs(err[peaks[0]]) < abs(err[peaks[-1]]) else -1)
    return peaks if len(peaks) == n else None


def horner(p, u):
    r = mpf(0)
    for c in reversed(p):
        r = r * u + c
    return r


def rounded(x, fmt):
    return mpf(struct.unpack(fmt, struct.pack(fmt, float(x)))[0])


def literal(x, single):
    return (repr(float("%.9g" % x)) + "f") if single else repr(float(x))


def fits():
    """name: (format, function of u, weight, lo, hi, degree)"""
    s = mp.sqrt
    q = (pi / 4) ** 2 * mpf("1.02")
    l2 = mp.log(2) / 2 * mpf("1.01")
    e0 = mpf(10) ** -12
    one = lambda u: mpf(1)
    sinp = lambda u: (mp.sin(s(u)) / s(u) - 1) / u if u > e0 else -mpf(1) / 6
    cosp = lambda u: (mp.cos(s(u)) - 1 + u / 2) / u**2 if u > e0 else mpf(1) / 24
    tanp = lambda u: (mp.tan(s(u)) / s(u) - 1) / u if u > e0 else mpf(1) / 3
    tanhp = lambda u: (mp.tanh(s(u)) / s(u) - 1) / u if u > e0 else -mpf(1) / 3
    expp = lambda u: (mp.expm1(u) - u) / u**2 if abs(u) > e0 else mpf(1) / 2
    logp = lambda u: (mp.log1p(u) - u + u * u / 2) / u**3 if abs(u) > e0 else mpf(1) / 3
    # log((1+z)/(1-z)) = 2z + z^3 p(z^2)
    atanhp = lambda u: (2 * mp.atanh(s(u)) / s(u) - 2) / u if u > e0 else mpf(2) / 3
    asinp = lambda u: (mp.asin(s(u)) / s(u) - 1) / u if u > e0 else mpf(1) / 6
    atanp = lambda u: (mp.atan(s(u)) / s(u) - 1) / u if u > e0 else -mpf(1) / 3
    erfp = lambda u: mp.erf(s(u)) / s(u) if u > e0 else 2 / s(pi)
    # erfc(x) exp(x^2) (1 + 2x) with t = (x - 4) / (x + 4), t in [-1, 1)
    def erfcp(t):
        if t > 1 - mpf(10) ** -6:
            return 2 / s(pi) + 0 * t
        x = 4 * (1 + t) / (1 - t)
        if x > 300:
            y = 1 / (2 * x * x)
            return (1 + 2 * x) / (x * s(pi)) * (1 - y + 3 * y**2 - 15 * y**3 + 105 * y**4)
        return mp.erfc(x) * mp.exp(x * x) * (1 + 2 * x)
    lgp = lambda t: mp.loggamma(t + mpf(3) / 2) / ((t + mpf(1) / 2) * (t - mpf(1) / 2)) if abs(abs(t) - mpf(1) / 2) > e0 else (mp.digamma(t + mpf(3) / 2) / (2 * t))
    stir = lambda u: (mp.loggamma(1 / s(u)) - (1 / s(u) - mpf(1) / 2) * mp.log(1 / s(u)) + 1 / s(u) - mp.log(2 * pi) / 2) / s(u) if u > mpf(10) ** -9 else mpf(1) / 12 - u / 360
    rgam = lambda t: 1 / mp.gamma(1 + t)
    z2 = ((s(2) - 1) / (s(2) + 1)) ** 2 * mpf("1.05")
    return {
        "sin_f": ("f", sinp, lambda u: u, 0, q, 3),
        "cos_f": ("f", cosp, lambda u: u**2, 0, q, 3),
        "tan_f": ("f", tanp, lambda u: u, 0, q, 7),
        "exp_f": ("f", expp, lambda u: u**2, -l2, l2, 5),
        "log_f": ("f", logp, lambda u: u**2, s(mpf(1) / 2) - 1 - mpf("0.03"), s(2) - 1 + mpf("0.01"), 8),
        "atanh_f": ("f", atanhp, lambda u: u, 0, z2, 2),
        "asin_f": ("f", asinp, lambda u: u, 0, mpf("0.26"), 4),
        "atan_f": ("f", atanp, lambda u: u, 0, 1, 8),
        "erf_f": ("f", lambda u: erfp(u) - 1, one, 0, 1, 6),
        "erfc_f": ("f", erfcp, one, -1, 1, 14),
        "lgamma_f": ("f", lgp, one, mpf("-0.5"), mpf("1.5"), 12),
        "stirling_f": ("f", stir, one, 0, mpf(1) / 9, 3),
        "tanh_f": ("f", tanhp, lambda u: u, 0, mpf("0.31"), 4),
        "tanh_d": ("d", tanhp, lambda u: u, 0, mpf("0.31"), 11),
        "sin_d": ("d", sinp, lambda u: u, 0, q, 6),
        "cos_d": ("d", cosp, lambda u: u**2, 0, q, 6),
        "tan_d": ("d", tanp, lambda u: u, 0, q, 14),
        "exp_d": ("d", expp, lambda u: u**2, -l2, l2, 10),
        "atanh_d": ("d", atanhp, lambda u: u, 0, z2, 7),
        "atanhx_d": ("d", lambda u: (atanhp(u) - mpf(2) / 3) / u if u > e0 else mpf(2) / 5, lambda u: u**2, 0, z2, 8),
        "asin_d": ("d", asinp, lambda u: u, 0, mpf("0.26"), 12),
        "atan_d": ("d", atanp, lambda u: u, 0, 1, 19),
        "erf_d": ("d", lambda u: erfp(u) - 1, one, 0, 1, 12),
        "erfc_d": ("d", erfcp, one, -1, 1, 24),
        "lgamma_d": ("d", lgp, one, mpf("-0.5"), mpf("0.5"), 21),
        "lgamma2_d": ("d", lambda t: lgp(t + 1), one, mpf("-0.5"), mpf("0.5"), 17),
        "stirling_d": ("d", stir, one, 0, mpf(1) / 64, 7),
    }


def main(names):
    table = fits()
    for name in names or table:
        fmt, fn, weight, lo, hi, degree = table[name]
        p, grid, fg, wg = remez(fn, weight, lo, hi, degree)
        r = [rounded(c, fmt) for c in p]
        worst = max(abs((horner(r, u) - f) * w) for u, f, w in zip(grid, fg, wg))
        print("/* %s: degree %d, error %s */" % (name, degree, mp.nstr(worst, 3)))
        print(", ".join(literal(c, fmt == "f") for c in r), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
