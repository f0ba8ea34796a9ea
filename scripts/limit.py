#!/usr/bin/env python3
"""limit.py BUILD FACTOR COMMAND...: runs a test of the build with its limit, as `meson test --wrapper` does.

The limit is the timeout that BUILD's meson.build files give to COMMAND, times FACTOR, in seconds of a machine with
nothing else to do: a second in which more processes want to run than there are processors counts for as much less.
So a test beside busy processes has the time it needs, and one that hangs ends all the same. Status 124: too late.

BUILD/meson-logs/processor.txt gets a line per test: its processor seconds and its command. What makes a check long:
sort -rn build/*/meson-logs/processor.txt | head
"""
import json
import os
import resource
import signal
import subprocess
import sys
import time

PAUSE_S = 0.2
DEFAULT_S = 300  # of a command that meson does not know


def limit_of(build, command):
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as f:
        tests = [t for t in json.load(f) if t["cmd"] == command]
    exact = [t for t in tests if all(os.environ.get(k) == v for k, v in t["env"].items())]
    return max([t["timeout"] for t in exact or tests] or [DEFAULT_S])


def share():
    """Of a processor, what a process that wants to run gets now."""
    with open("/proc/loadavg", encoding="ascii") as f:
        running = int(f.read().split()[3].split("/")[0]) - 1  # not us, who only look
    return min(1.0, os.cpu_count() / max(1, running))


def end(child):
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def note(build, command):
    """Adds what the test took to the list. One write, so that tests which end together share no line."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = " ".join(os.path.basename(w) for w in command)
    with open(os.path.join(build, "meson-logs", "processor.txt"), "a", encoding="utf-8") as f:
        f.write(f"{used.ru_utime + used.ru_stime:8.2f} {words[:120]}\n")


def main():
    build, factor, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    left = limit_of(build, command) * factor
    child = subprocess.Popen(command, preexec_fn=os.setpgrp)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: (end(child), sys.exit(1)))
    last = time.monotonic()
    while left > 0:
        try:
            status = child.wait(PAUSE_S)
            note(build, command)
            return status if status >= 0 else 128 - status
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            left -= (now - last) * share()
            last = now
    end(child)
    print("limit.py: TIMEOUT", file=sys.stderr)
    return 124


sys.exit(main())
