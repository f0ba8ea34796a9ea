#!/usr/bin/env python3
"""samples.py GMMU LEAST SMS WARM PROGRAM...: sampled against whole runs. Of each program, windows of two numbers and two
seeds: IPC and TLB misses of the whole run must be inside the printed intervals in LEAST % of the comparisons. Prints TAP,
with every comparison and how much faster it was than the whole run (user time) as comments."""
import json
import resource
import subprocess
import sys

gmmu, least, sms, warm = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])


def run(args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    machine = ["--gpu", "maxwell", "--design", "sharedtlb", "--no-relaunch"] + (["-s", "gpu.sms=" + sms] if sms != "0" else [])
    out = subprocess.run([gmmu, "run", "--json", "-j", "1"] + machine + args, capture_output=True, text=True)
    if out.returncode:
        sys.exit("Bail out! " + out.stderr)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, json.loads(out.stdout)["runs"][0]


def compare(program):
    run([program, "--cycles", "1"])  # of an application: records it
    whole, stats = run([program])
    app = stats["apps"][0]
    instructions = app["sm"]["warp_instructions"]
    true = {"ipc": instructions / stats["cycles"], "l2tlb_mpki": 1000 * app["l2tlb"]["misses"] / instructions}
    inside = 0
    for windows in 10, 20:
        for seed in 1, 2:
            period = instructions // windows
            measure = period // 20
            time, stats = run([program, "--skip", str(period - measure - warm), "--warm", str(warm), "--measure",
                               str(measure), "--windows", str(windows), "-s", "sample.seed=%d" % seed])
            text = ""
            for name, value in true.items():
                e = stats["sampling"]["apps"][0][name]
                if e["half"] is None:  # it says that it does not know: not inside
                    text += " %s %.3f: %.3f, no interval;" % (name, value, e["mean"])
                    continue
                within = abs(e["mean"] - value) <= e["half"]
                inside += within
                text += " %s %.3f: %.3f +- %.3f%s;" % (name, value, e["mean"], e["half"], "" if within else " (outside)")
            print("# %s, %d windows, seed %d:%s %.1f times faster" % (program, windows, seed, text, whole / time), flush=True)
    return inside


programs = sys.argv[5:]
inside = sum(compare(p) for p in programs)
good = 100 * inside >= least * 8 * len(programs)
print("1..1\n%s 1 - %d of %d inside their intervals" % ("ok" if good else "not ok", inside, 8 * len(programs)))
sys.exit(not good)
