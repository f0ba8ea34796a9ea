"""Plots in one line, from a frame of gmmu.run() or gmmu.load(). Each gives a matplotlib figure.

    gmmu.plot.bars(frame, y="ipc").savefig("ipc.svg")
"""
import statistics

from .table import records

_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"]  # told apart by all readers


def _axes(width=7.0, height=3.0):
    import matplotlib
    matplotlib.rcParams.update({"svg.hashsalt": "gmmu", "font.size": 9})
    from matplotlib.figure import Figure
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _grouped(data, x, y, by):
    """Values by x, then by series: {x: {series: [values]}}, in the order of the rows."""
    out, series = {}, []
    for row in records(data):
        if row.get(y) is None:
            continue
        name = row[by] if by else ""
        if name not in series:
            series.append(name)
        out.setdefault(row[x], {}).setdefault(name, []).append(row[y])
    if not out:
        raise ValueError('no row has "%s"' % y)
    return out, series


def _spread(values):
    return statistics.stdev(values) if len(values) > 1 else 0


def bars(data, y="ipc", x="app", by="design"):
    """Means with their standard deviation, over all other columns (seeds).

    >>> import gmmu
    >>> frame = gmmu.run(design=["ideal", "native"], apps=["stream"], set={"l2tlb.entries": [128, 512]}, cycles=500)
    >>> gmmu.plot.bars(frame, y="ipc").savefig("bars.svg")
    """
    groups, series = _grouped(data, x, y, by)
    figure, axes = _axes()
    width = 0.8 / len(series)
    for i, name in enumerate(series):
        values = [groups[g].get(name, []) for g in groups]
        axes.bar([k + (i - (len(series) - 1) / 2) * width for k in range(len(groups))],
                 [statistics.mean(v) if v else 0 for v in values], width, yerr=[_spread(v) for v in values],
                 color=_COLOURS[i % len(_COLOURS)], label=str(name), capsize=2, error_kw={"linewidth": 0.8})
    axes.set_xticks(range(len(groups)), [str(g) for g in groups])
    axes.set_ylabel(y)
    if by:
        axes.legend(frameon=False)
    return figure


def stalls(data, x="app", by="design"):
    """Where the time of the warp slots went, in percent: what issued, and every reason to wait.

    >>> import gmmu
    >>> frame = gmmu.run(design=["ideal", "native"], apps=["stream"], set={"l2tlb.entries": [128, 512]}, cycles=500)
    >>> gmmu.plot.stalls(frame).savefig("stalls.svg")
    """
    rows = records(data)
    reasons = list(dict.fromkeys(k for row in rows for k in row if k.startswith("stall.")))
    if not reasons:
        raise ValueError("no row has stalls")
    figure, axes = _axes(height=3.6)
    several = not by or len({row[x] for row in rows}) > 1  # what all bars have in common is not written below each
    names = ["\n".join(([str(row[x])] if several else []) + ([str(row[by])] if by else [])) for row in rows]
    bottom = [0.0] * len(rows)
    for i, key in enumerate(["sm.warp_instructions"] + reasons):
        whole = [sum(row.get(r) or 0 for r in reasons) + (row.get("sm.warp_instructions") or 0) for row in rows]
        part = [100 * (row.get(key) or 0) / w if w else 0 for row, w in zip(rows, whole)]
        if not any(part):
            continue
        axes.bar(range(len(rows)), part, 0.7, bottom=bottom, color=_COLOURS[i % 8], hatch="" if i < 8 else "//", edgecolor="white",
                 linewidth=0.4, label="issued" if i == 0 else key[len("stall."):])
        bottom = [b + p for b, p in zip(bottom, part)]
    axes.set_xticks(range(len(rows)), names)
    axes.set_ylabel("% of warp slots")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def lines(data, x, y="ipc", by="design"):
    """Over a swept option; the mean and, where there are several values, their range.

    >>> import gmmu
    >>> frame = gmmu.run(design=["ideal", "native"], apps=["stream"], set={"l2tlb.entries": [128, 512]}, cycles=500)
    >>> gmmu.plot.lines(frame, x="l2tlb.entries").savefig("lines.svg")
    """
    groups, series = _grouped(data, x, y, by)
    figure, axes = _axes()
    at = sorted(groups, key=lambda v: (not isinstance(v, (int, float)), v if isinstance(v, (int, float)) else str(v)))
    for i, name in enumerate(series):
        there = [k for k, g in enumerate(at) if name in groups[g]]
        values = [groups[at[k]][name] for k in there]
        axes.plot(there, [statistics.mean(v) for v in values], marker="o", markersize=3.5, color=_COLOURS[i % len(_COLOURS)], label=str(name))
        if any(len(v) > 1 for v in values):
            axes.fill_between(there, [min(v) for v in values], [max(v) for v in values], color=_COLOURS[i % len(_COLOURS)], alpha=0.15, linewidth=0)
    axes.set_xticks(range(len(at)), [str(g) for g in at])
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if by:
        axes.legend(frameon=False)
    return figure


def heat(data, x, y, value="ipc"):
    """A map over two columns, with the values written in it.

    >>> import gmmu
    >>> frame = gmmu.run(design=["ideal", "native"], apps=["stream"], set={"l2tlb.entries": [128, 512], "l2tlb.ports": [1, 2]}, cycles=500)
    >>> gmmu.plot.heat(frame, x="l2tlb.entries", y="l2tlb.ports").savefig("heat.svg")
    """
    groups, columns = _grouped(data, y, value, x)
    figure, axes = _axes(4.5, 3.4)
    cells = [[statistics.mean(g[c]) if c in g else float("nan") for c in columns] for g in groups.values()]
    shown = axes.imshow(cells, cmap="cividis", aspect="auto")
    numbers = [v for row in cells for v in row if v == v]
    middle = (max(numbers) + min(numbers)) / 2
    for i, row in enumerate(cells):
        for k, v in enumerate(row):
            if v == v:
                axes.text(k, i, "%.3g" % v, ha="center", va="center", color="black" if v > middle else "white")
    axes.set_xticks(range(len(columns)), [str(c) for c in columns])
    axes.set_yticks(range(len(groups)), [str(g) for g in groups])
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[:].set_visible(False)
    figure.colorbar(shown, label=value)
    return figure
