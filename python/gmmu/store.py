"""Results that `gmmu sweep` and `gmmu run --store` keep."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading

from . import plugins
from ._library import Error
from .table import flat, frame


def default_path():
    """Where gmmu keeps results if no store is named.

    >>> import gmmu
    >>> gmmu.default_path().endswith("gmmu/results.db")
    True
    """
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(data, "gmmu", "results.db")


def load(path=None, model="newest"):
    """Finished runs of a store as a frame: one row for each application of each run.

    model: the version of the model, "newest", or None for all of them.

    >>> import gmmu, os, tempfile
    >>> try:
    ...     gmmu.load(os.path.join(tempfile.gettempdir(), "no-such-store.db"))
    ... except FileNotFoundError as e:
    ...     print("there is none")
    there is none
    """
    path = str(path or default_path())
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    try:
        with sqlite3.connect("file:%s?mode=ro" % path.replace("?", "%3f").replace("#", "%23"), uri=True) as db:
            found = db.execute("SELECT key, model, gpu, design, apps, settings, result FROM run WHERE status = 'done' ORDER BY key").fetchall()
    except sqlite3.Error as e:
        raise Error("%s: it is no results store, or it is damaged (%s); `gmmu store check` says more" % (path, e)) from None
    if model == "newest" and found:
        model = max((row[1] for row in found), key=lambda v: (len(v), v))
    rows = []
    for key, version, gpu, design, apps, settings, result in found:
        if model is not None and version != model:
            continue
        try:
            words, statistics = json.loads(apps), json.loads(result)
        except ValueError:
            raise Error("%s: run %s is damaged; `gmmu store repair` leaves it out" % (path, key)) from None
        for number, word in enumerate(words):
            row = {"key": key, "model": version, "gpu": gpu, "design": design, "workload": " + ".join(words), "app": word, "seed": _seed(word)}
            row.update(json.loads(settings))
            for part in (statistics, statistics["apps"][number] if "apps" in statistics else {}):
                row.update({k: v for k, v in flat(part).items() if k not in row})
            rows.append(row)
    return frame(rows)


def _seed(word):
    """`seed` of an application's parameters."""
    found = re.search(r"[:,]seed=(\d+)", word)
    return int(found.group(1)) if found else None


def _run(command):
    """The command's status, and what it said. Its stderr is the terminal, so that the progress is there; without one, as in a
    notebook, the lines are passed on."""
    piped, lines = not sys.stderr.isatty(), []

    def pass_on(stream):
        for line in stream:
            lines.append(line)
            print(line, end="", file=sys.stderr, flush=True)

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if piped else None, env=plugins.environment(),
                          text=True, errors="replace") as child:
        reader = threading.Thread(target=pass_on, args=(child.stderr,)) if piped else None
        try:
            if reader:
                reader.start()
            said = child.stdout.read()
            child.wait()
        except BaseException:
            child.send_signal(signal.SIGINT)  # it keeps what has ended
            raise
        finally:
            if reader:
                reader.join()
    return child.returncode, ("".join(lines) + said).strip()


def sweep(study, store=None, gmmu=None, jobs=None):
    """`gmmu sweep` of a study's file, and then all that the store has.

    Its progress is on the terminal; nothing goes to the standard output. A study that fails is an Error. gmmu: the command, if it is
    not the one in the PATH (or of $GMMU).

    >>> import gmmu, os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> study, store = os.path.join(folder.name, "s.yaml"), os.path.join(folder.name, "s.db")
    >>> with open(study, "w") as f:
    ...     f.write("workloads: stream\\ncycles: 1000\\nset: {l2tlb.entries: [128, 256]}\\n") and None
    >>> len(gmmu.sweep(study, store)), len(gmmu.load(store))
    (2, 2)
    >>> folder.cleanup()
    """
    command = [gmmu or os.environ.get("GMMU") or "gmmu", "sweep", str(study)]
    if store:
        command += ["--store", str(store)]
    if jobs:
        command += ["-j", str(jobs)]
    try:
        status, reason = _run(command)
    except FileNotFoundError:
        raise Error("there is no command %s: put it in the PATH, or name it by gmmu= or $GMMU" % command[0]) from None
    if status:
        raise Error("%s: status %d: %s" % (" ".join(command), status, reason))
    return load(store)
