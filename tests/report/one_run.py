"""The charts of one run against what `gmmu export` has of it: every mark, where it is drawn, in which colour. `result` is the
run's document, `page` the Page of test_marks.py."""

SERIES = {
    "IPC": lambda p, n: p["warp_instructions"] / n,
    "L1 TLB miss rate": lambda p, n: p["l1tlb_misses"] / p["l1tlb_lookups"] if p["l1tlb_lookups"] else None,
    "L2 TLB miss rate": lambda p, n: p["l2tlb_misses"] / p["l2tlb_lookups"] if p["l2tlb_lookups"] else None,
    "concurrent walks": lambda p, n: p["walk_active_cycles"] / n,
    "tokens": lambda p, n: p["token_cycles"] / n,
    "DRAM bytes per cycle, data": lambda p, n: p["dram_data_bytes"] / n,
    "DRAM bytes per cycle, page tables": lambda p, n: p["dram_walk_bytes"] / n,
}
WALKS_SHOWN = 40
POINTS_MARKED = 40  # fewer have a symbol each, beside the line
LABELS = "[...document.querySelectorAll('#run .chart')].map((c) => c.getAttribute('aria-label'))"


def of_kind(c, kind):
    return [m for m in c["marks"] if m["type"] == kind]


def ranks(values):
    """Of each, its number in order; what is less than half a pixel apart is one."""
    steps = []
    for v in sorted(values):
        if not steps or v - steps[-1] > 0.5:
            steps.append(v)
    return [max(i for i, s in enumerate(steps) if v - s > -0.5) for v in values]


def contrast(a, b):
    def luminance(c):
        lin = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (int(c[i:i + 2], 16) / 255 for i in (1, 3, 5))]
        return 0.2126 * lin[0] + 0.7152 * lin[1] + 0.0722 * lin[2]
    hi, lo = sorted((luminance(a), luminance(b)), reverse=True)
    return (hi + 0.05) / (lo + 0.05)


class OneRun:
    def __init__(self, page, result, name):
        self.page, self.result, self.name, self.apps = page, result, name, len(result["apps"])
        self.names = None  # of the applications, as the first chart's legend has them
        self.expected = []  # charts there must be

    def read(self, chart):
        number = self.expected.count(chart)
        self.expected.append(chart)
        c = self.page.read(chart, number)
        self.expect(c, f"no chart of {chart}", number)
        return c

    def expect(self, holds, what, *why):
        return self.page.expect(holds, f"{self.name}: {what}", *why)

    def near(self, a, b, what, *why):
        return self.page.near(a, b, f"{self.name}: {what}", *why)

    def check(self):
        self.series(), self.walk(), self.matrices(), self.walks(), self.heat(), self.memory()
        shown = self.page.b.run(LABELS)
        self.expect(sorted(shown) == sorted(self.expected), "the charts are not those there should be", shown, self.expected)

    def same_names(self, names, chart):
        self.names = self.names or names
        self.expect(names == self.names and len(set(names)) == self.apps, f"{chart}: the applications are called", names, self.names)

    def series(self):
        s = self.result["series"]
        for title, f in SERIES.items():
            points = []  # of each application
            for a in s["apps"]:
                own = []
                for t in range(s["points"]):
                    length = s["last_cycles"] if t == s["points"] - 1 else s["interval_cycles"]
                    v = f({k: list_[t] for k, list_ in a.items()}, length)
                    if v is not None:
                        own.append((t * s["interval_cycles"] + length, v))
                points.append(own)
            if any(v for own in points for _, v in own):
                c = self.read(title)
                if c:
                    self.one_series(title, c, points, s["points"])

    def one_series(self, title, c, points, count):
        self.same_names([n for n, _ in c["legend"]], title)
        colour = dict(map(tuple, c["legend"]))
        for kind, field in [("line", "stroke")] + ([("symbol", "fill")] if count < POINTS_MARKED else []):
            for i, own in enumerate(points):
                drawn = [m for m in of_kind(c, kind) if m["datum"]["app"] == self.names[i]]
                self.expect(len(drawn) == len(own), f"{title}: {kind}s of {self.names[i]}", len(drawn), len(own))
                for m, (cycle, v) in zip(sorted(drawn, key=lambda m: m["x"][0]), own):
                    self.near(m["x"][0], cycle, f"{title}: a point stands at cycle")
                    self.near(m["y"][0], v, f"{title}: in cycle {cycle} there is")
                    self.expect(m[field] == colour[self.names[i]], f"{title}: another colour than the legend's", m[field], colour)
        self.expect({m["type"] for m in c["marks"]} == ({"line", "symbol"} if count < POINTS_MARKED else {"line"}), f"{title}: other marks")

    def matrices(self):
        for level, m in self.result["evictor_x_victim"].items():
            if self.apps < 2 or not any(map(any, m)):
                continue
            c = self.read(f"evictions in {level}")
            if not c:
                continue
            for kind in ("rect", "text"):
                marks = of_kind(c, kind)
                at = list(zip(ranks([x["at"][1] for x in marks]), ranks([x["at"][0] for x in marks])))
                self.expect(sorted(at) == [(i, j) for i in range(self.apps) for j in range(self.apps)], f"{level}: cells are at", at)
                for (i, j), x in zip(at, marks):
                    self.expect(x["datum"]["v"] == m[i][j], f"{level}: {i} evicts {j}", x["datum"]["v"], m[i][j])
                    self.expect([x["datum"]["evictor"], x["datum"]["victim"]] == [self.names[i], self.names[j]] if self.names else True, f"{level}: who", x["datum"])
                    if kind == "text":
                        said = float(x["text"].rstrip("kM")) * (1000 if x["text"].endswith("k") else 1)
                        self.expect(abs(said - m[i][j]) <= 0.006 * m[i][j], f"{level}: the text of a cell", x["text"], m[i][j])
                        cell = next(r for r in of_kind(c, "rect") if r["datum"]["evictor"] == x["datum"]["evictor"] and r["datum"]["victim"] == x["datum"]["victim"])
                        self.expect(contrast(cell["fill"], x["fill"]) >= 4.5, f"{level}: text that cannot be read", cell["fill"], x["fill"])
            self.darker(level, [(x["datum"]["v"], x["fill"]) for x in of_kind(c, "rect")])

    def darker(self, what, cells):
        """Colours follow the values, in one direction."""
        red = [int(fill[1:3], 16) for _, fill in sorted(cells)]
        self.expect(red in (sorted(red), sorted(red, reverse=True)), f"{what}: colours do not follow the values", red)
        colours = {}
        for v, fill in cells:
            self.expect(colours.setdefault(v, fill) == fill, f"{what}: two colours of {v}")

    def stacks(self, chart, c, rows):
        """Bars from left to right: of each row, in order, [name, length]; what is 0 may have no bar."""
        marks = of_kind(c, "rect")
        by_row = {}
        for rank, m in zip(ranks([m["at"][1] for m in marks]), marks):
            by_row.setdefault(rank, []).append(m)
        self.expect(len(by_row) == len(rows), f"{chart}: {len(by_row)} rows of {len(rows)}")
        legend = dict(map(tuple, c["legend"]))
        for rank, parts in enumerate(rows):
            drawn = {m["datum"]["part"]: m for m in by_row.get(rank, [])}
            self.expect(len(drawn) == len(by_row.get(rank, [])) and set(drawn) >= {n for n, v in parts if v} and set(drawn) <= {n for n, _ in parts},
                        f"{chart}: row {rank} has", list(drawn), parts)
            at = 0
            for name, length in parts:
                if name in drawn:
                    self.near(drawn[name]["x"][0], at, f"{chart}: {name} of row {rank} begins at")
                    self.near(drawn[name]["x"][1], at + length, f"{chart}: {name} of row {rank} ends at")
                    self.expect(drawn[name]["fill"] == legend.get(name), f"{chart}: {name} has another colour than the legend's")
                at += length
        self.expect(len(set(legend.values())) == len(legend), f"{chart}: two parts have one colour", legend)

    def walk(self):
        rows = []
        for a in self.result["apps"]:
            w = a["walk"]
            if w["walks"]:
                rows.append([["queue", w["queue_cycles"] / w["walks"]]] + [[f"level {k + 1}", l["cycles"] / w["walks"]] for k, l in enumerate(w["levels"]) if l["reads"]])
        if rows:
            c = self.read("walk")
            if c:
                self.stacks("walk", c, rows)

    def walks(self):
        for i, a in enumerate(self.result["apps"]):
            sample = a.get("sampled_walks", {"walks": []})
            shown = [w for w in sample["walks"] if w["queue_cycles"] + w["walk_cycles"]][:WALKS_SHOWN]
            if not shown:
                continue
            c = self.read("walks")
            if not c:
                continue
            names = (("page-walk cache", "pwc_cycles"), ("L2", "l2_cycles"), ("DRAM", "dram_cycles"))
            self.stacks("walks", c, [[["queue", w["queue_cycles"]]] + [[f"level {k + 1}, {n}", l[f]] for k, l in enumerate(w["levels"]) for n, f in names] for w in shown])
            self.expect(c["title"].endswith(f": {len(shown)} of {sample['seen']:,} walks"), "the heading of walks", c["title"])
            self.expect(not self.names or c["title"].startswith(self.names[i]), "walks of another application", c["title"])

    def heat(self):
        for i, a in enumerate(self.result["apps"]):
            h = a.get("page_heat")
            if not h or not h["rows"]:
                continue
            c = self.read("pages over time")
            if not c:
                continue
            want = {(y, x): v for y, row in enumerate(h["rows"]) for x, v in enumerate(row["lookups"]) if v}
            marks = of_kind(c, "rect")
            got = {(m["datum"]["y"], m["datum"]["x"] // h["interval_cycles"]): m["datum"]["v"] for m in marks}
            self.expect(got == want and len(marks) == len(want), "pages over time: the cells are not those there are", got, want)
            for axis, n, count in ((0, 1, h["columns"]), (1, 0, len(h["rows"]))):  # time goes on evenly, addresses upwards
                at = {key[n]: m["at"][axis] for m, key in ((m, (m["datum"]["y"], m["datum"]["x"] // h["interval_cycles"])) for m in marks)}
                first, last = min(at, default=0), max(at, default=0)
                for k, v in at.items():
                    if last > first:
                        self.expect(abs(v - (at[first] + (k - first) / (last - first) * (at[last] - at[first]))) < 0.6, f"pages over time: number {k} of {count} is at", at)
                self.expect(last == first or (at[last] > at[first]) == (axis == 0), "pages over time: the axis goes backwards", at)
            self.darker("pages over time", [(m["datum"]["v"], m["fill"]) for m in marks])
            self.expect(not self.names or c["title"].startswith(self.names[i]), "pages of another application", c["title"])

    def memory(self):
        m = self.result.get("memory_map")
        if not m or not m["rows"]:
            return
        c = self.read("memory map")
        if not c:
            return
        marks = of_kind(c, "symbol")
        order = sorted(zip(ranks([x["at"][1] for x in marks]), ranks([x["at"][0] for x in marks]), range(len(marks))))
        self.expect(len(marks) == len(m["rows"]), "memory map: frames", len(marks), len(m["rows"]))
        legend = {colour: name for name, colour in map(tuple, c["legend"])}
        owners = [*(self.names or [None] * self.apps), "page tables", "nobody"]
        for (_, _, n), row in zip(order, m["rows"]):
            x = marks[n]
            parts = [*row["data"], row["tables"], row["other"]]
            owner = "several" if sum(map(bool, row["data"])) > 1 else owners[parts.index(max(parts))]
            self.expect(x["datum"]["number"] == row["number"], "memory map: another frame", x["datum"]["number"], row["number"])
            self.expect(owner is None or legend.get(x["fill"]) == owner, "memory map: the owner of a frame", legend.get(x["fill"]), owner, parts)
            self.expect(bool(x["stroke"]) == bool(row["coalesced"]), "memory map: a large page has a border", x["stroke"], row["coalesced"])
        told = f"{len(m['rows']) + m['left_out']:,} of {m['frames']:,} frames"
        self.expect(told in c["title"] and ("the first" in c["title"]) == bool(m["left_out"]), "memory map: the heading", c["title"], told)
