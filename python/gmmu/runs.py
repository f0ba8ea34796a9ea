"""Many runs: every combination of GPUs, designs, workloads and settings, some at a time."""
import itertools
import os
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from ._library import whole
from .machine import Machine
from .source import Source
from .table import flat, frame

_SLICE_CYCLES = 20000  # between two looks whether to stop


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _applications(workload):
    """"a + b" and ("a", "b") run together."""
    if isinstance(workload, tuple):
        return list(workload)
    if isinstance(workload, str):
        return [part.strip() for part in workload.split(" + ")]
    return [workload]


def _one(stop, gpu, design, workload, settings, limits):
    """A run; one row for each application."""
    apps = _applications(workload)
    words = [app if isinstance(app, str) else app.name for app in apps]
    with Machine(gpu, design) as m:
        for key, value in settings.items():
            m.set(key, value)
        for app in apps:
            m.add(app)
        m.on_epoch(_SLICE_CYCLES, lambda _m, _cycle: not stop.is_set())
        if not m.run(**limits):
            return []
        statistics = m.statistics()
    whole = {key: value for key, value in flat(statistics).items()}
    rows = []
    for number, word in enumerate(words):
        row = {"gpu": str(gpu), "design": str(design), "workload": " + ".join(words), "app": word}
        row.update(settings)
        row.update({key: value for key, value in whole.items() if key not in row})
        row.update({key: value for key, value in flat(statistics["apps"][number]).items() if key not in row})
        rows.append(row)
    return rows


class _Line:
    """How far it is, on a terminal or in a notebook's output."""

    def __init__(self, total, wanted):
        self.total, self.start = total, time.monotonic()
        self.shown = wanted if wanted is not None else sys.stderr.isatty()

    def show(self, done):
        if self.shown:
            left = (time.monotonic() - self.start) / done * (self.total - done) if done else 0
            print("\r%d of %d runs, %d s left\033[K" % (done, self.total, left), end="", file=sys.stderr, flush=True)

    def end(self):
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def run(gpu="maxwell", design="native", apps=(), set=None, jobs=None, progress=None, **limits):
    """Runs every combination and gives a frame with one row for each application of each run.

    gpu, design: a preset or a list of them. apps: a list of workloads: "gups:size=64M"; applications that run
    together are "a + b" or a tuple; a Source is one, too. set: options by key; a list of values is swept.
    Limits: cycles, instructions, min_cycles, wait_for, relaunch. jobs: runs at once (one per processor).

    >>> import gmmu
    >>> frame = gmmu.run(design=["ideal", "native"], apps=["stream"], set={"l2tlb.entries": [128, 512]}, cycles=1000)
    >>> len(frame), list(frame["design"])
    (4, ['ideal', 'ideal', 'native', 'native'])
    """
    settings = {key: _listed(value) for key, value in (set or {}).items()}
    for key, values in list(settings.items()) + [("gpu", _listed(gpu)), ("design", _listed(design))]:
        if not values:
            raise ValueError("%s: an empty list: nothing would run" % key)
    jobs = whole("jobs", jobs, 1, 1024) if jobs is not None and jobs != 0 else None
    grid = [
        (g, d, w, dict(zip(settings, values)))
        for g, d, w in itertools.product(_listed(gpu), _listed(design), apps if isinstance(apps, list) else [apps])
        for values in itertools.product(*settings.values())
    ]
    if not apps:
        raise ValueError("no application given: apps=[...]")
    named = [app for _, _, w, _ in grid for app in _applications(w)]
    for app in named:
        if not isinstance(app, (str, Source)):
            raise ValueError("apps: %r is neither a workload's text nor a Source" % (app,))
    own = any(not isinstance(app, str) for app in named)
    stop = threading.Event()
    line, rows = _Line(len(grid), progress), [None] * len(grid)
    with ThreadPoolExecutor(1 if own else jobs or os.cpu_count()) as pool:  # C code runs beside Python
        pending = {pool.submit(_one, stop, g, d, w, s, limits): i for i, (g, d, w, s) in enumerate(grid)}
        try:
            while pending:
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    rows[pending.pop(future)] = future.result()
                line.show(len(grid) - len(pending))
        except BaseException:
            stop.set()
            for future in pending:
                future.cancel()
            raise
        finally:
            line.end()
    return frame(row for part in rows for row in part or [])
