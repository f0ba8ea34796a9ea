"""gmmu: simulated GPUs and their address translation, from Python.

    import gmmu
    frame = gmmu.run(gpu="a100", design=["ideal", "native"], apps=["gather:footprint=64M"], set={"l2tlb.entries": [256, 512]}, cycles=20000)
    gmmu.plot.lines(frame, x="l2tlb.entries", y="ipc")

run() gives a pandas frame (a gmmu.Table where pandas is not there); load() reads what `gmmu sweep` stored; Machine is one
simulated GPU; Source is a program written in Python. Plots need matplotlib.
"""
from . import plot
from ._library import Error, plain as _plain
from .plugins import load_plugin
from .machine import Machine
from .runs import run
from .source import Source, atomic, barrier, fp32, integer, read, use, write
from .store import default_path, load, sweep
from .table import Table

__version__ = _plain("gmmu_version").decode()
model = _plain("gmmu_model").decode()
