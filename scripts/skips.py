#!/usr/bin/env python3
"""skips.py GMMU [PROGRAM...]: how many times faster a skip is than timing, of each program and the median (docs/windows.md).
Replayed on maxwell/sharedtlb: processor time of a whole run, and of a run that skips all but the last 200 instructions, both
less that of a run of one cycle; the least of two whole runs and of three others. Prints rows of the page's table. System time
counts, too: Linux tells both parts by ticks of 4 ms, and only their sum exactly, so the user time of a start was often 0."""
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


def least(times, *args):
    return min(run(*args)[0] for _ in range(times))


def row(gmmu, program):
    run(gmmu, program, "--cycles", "1")  # records it
    start = least(3, gmmu, program, "--cycles", "1")
    whole, stats = run(gmmu, program)
    whole = min(whole, run(gmmu, program)[0]) - start
    instructions = stats["apps"][0]["sm"]["warp_instructions"]
    skip = least(3, gmmu, program, "--skip", str(instructions - LAST)) - start
    print("| `%s` | %.2f | %.2f | %.3f | %.1f |" % (program, instructions / 1e6, whole, skip, whole / skip), flush=True)
    return whole / skip


if __name__ == "__main__":
    times = [row(sys.argv[1], program) for program in sys.argv[2:] or ALL]
    print("median %.1f, %.1f to %.1f" % (statistics.median(times), min(times), max(times)))
