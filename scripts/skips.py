#!/usr/bin/env python3
"""skips.py GMMU [PROGRAM...]: how many times faster a skip is than timing, of each program and the median (docs/windows.md).
Replayed on maxwell/sharedtlb: processor time of a whole run, and of a run that skips all but the last 200 instructions, both
less that of a run of one cycle; the least of three, in turns, so that a busy host slows all alike. Prints rows of the page's
table. System time counts, too: Linux tells user and system time apart by ticks of 4 ms, and only their sum exactly."""
import json
import resource
import statistics
import subprocess
import sys

# The workloads sized by footprint (docs/workloads.md) without bh and pjoin, which take minutes.
ALL = "gups xs spmv ell bfs sssp pr cc tc mvt gesummv bicg fdtd join embed kv kmeans radix".split()
LAST = 200


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(gmmu, program, *args):
    before = processor_time()
    out = subprocess.run([gmmu, "run", "--json", "-j", "1", "--gpu", "maxwell", "--design", "sharedtlb", "--no-relaunch",
                          program, *args], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    return processor_time() - before, json.loads(out.stdout)["runs"][0]


def row(gmmu, program):
    run(gmmu, program, "--cycles", "1")  # records it
    instructions = run(gmmu, program)[1]["apps"][0]["sm"]["warp_instructions"]
    kinds = ["--cycles", "1"], [], ["--skip", str(instructions - LAST)]
    rounds = [[run(gmmu, program, *kind)[0] for kind in kinds] for _ in range(3)]
    start, whole, skip = (min(times) for times in zip(*rounds))
    whole, skip = whole - start, skip - start
    print("| `%s` | %.2f | %.2f | %.3f | %.1f |" % (program, instructions / 1e6, whole, skip, whole / skip), flush=True)
    return whole / skip


if __name__ == "__main__":
    times = [row(sys.argv[1], program) for program in sys.argv[2:] or ALL]
    print("median %.1f, %.1f to %.1f" % (statistics.median(times), min(times), max(times)))
