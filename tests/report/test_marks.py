#!/usr/bin/env python3
"""Property: whatever is in a store, every mark of its page is the number that `gmmu export` has, of the run that the mark's
labels name. Random stores are opened in a browser; marks are read from the charts' scene, as drawn. TAP. Arguments: gmmu,
fill_store, how many stores. GMMU_SEED is the first one's seed, the next have the numbers behind it."""
import itertools, json, math, os, random, subprocess, sys, tempfile, traceback
import browser, one_run, random_store, tap
from tap import ok

gmmu, fill_store, STORES = sys.argv[1], sys.argv[2], int(sys.argv[3])

# ---- what export says -----------------------------------------------------------------------------------------------


def export(store, *more):
    return json.loads(subprocess.run([gmmu, "export", store, "--json", *more], check=True, capture_output=True).stdout)


class Runs:
    """The runs of one version of the model, or of all."""

    def __init__(self, store, *version):
        documents = {d["key"]: d for d in export(store, "--table", "documents", *version)}
        self.result = {k: d["result"] for k, d in documents.items()}
        self.rows = {r["key"]: {**r, **{k: documents[r["key"]][k] for k in ("apps", "sms", "settings", "identity")}} for r in export(store, *version)}
        self.value = {}
        for c in export(store, "--table", "counters", *version):
            self.value[c["key"], c["counter"]] = c["value"]
        self.done = {k for k, r in self.rows.items() if r["status"] == "done"}
        self.every = self.rows  # those that are not shown, too

    def subset(self, keep):
        out = Runs.__new__(Runs)
        out.rows = {k: r for k, r in self.rows.items() if keep(r)}
        out.value, out.result, out.every, out.done = self.value, self.result, self.every, self.done & set(out.rows)
        return out

    def of(self, key, path, default=None):
        return self.value.get((key, path), default)

    def names(self, key, path):
        """Names below a path: of the stall reasons, say."""
        return {c[len(path) + 1:] for k, c in self.value if k == key and c.startswith(path + ".")}

    def apps(self, key):
        return range(len(self.rows[key]["apps"]))

    def split(self, key):
        sms = self.rows[key]["sms"]
        return None if sms == random_store.equal(len(sms)) or not any(sms) else tuple(sms)

    def workload(self, key):
        """What is run, whatever runs it."""
        r = self.rows[key]
        return json.dumps([r["apps"], [a["content"] for a in r["identity"]["apps"]], self.split(key), r["identity"]["limits"]])

    def variant(self, key):
        """What runs it."""
        r = self.rows[key]
        return json.dumps([r["model"], r["gpu"], r["design"], r["settings"], r["identity"]["config"]], sort_keys=True)

    def grouped(self):
        """Of each workload, the finished runs."""
        out = {}
        for k in self.done:
            out.setdefault(self.workload(k), set()).add(k)
        return out

    def alone(self, key):
        """Nobody asked for it but the speed-up of another."""
        r = self.rows[key]
        return len(r["apps"]) == 1 and not r["baseline"] and any(
            (s["model"], s["gpu"], s["baseline"], a, n) == (r["model"], r["gpu"], r["design"], r["apps"][0], r["sms"][0])
            for s in self.every.values() if s["baseline"] for a, n in zip(s["apps"], s["sms"]))

    def throughput(self, key):
        group = self.grouped()[self.workload(key)]
        complete = all(self.of(k, f"apps[{i}].complete_ipc") is not None for k in group for i in self.apps(k))
        return sum(self.of(key, f"apps[{i}].{'complete_ipc' if complete else 'ipc'}") for i in self.apps(key))


# ---- what the page shows --------------------------------------------------------------------------------------------

# Marks of a chart as drawn: the datum, the extent in units of the axes, colour and text; its labels; its legend.
READ = """((name, n) => { const place = [...document.querySelectorAll('.chart')].filter((c) => c.getAttribute('aria-label') === name)[n];
  if (!place) return null;
  const view = place.chart.view, marks = [], labels = [];
  const scale = (n) => { try { const s = view.scale(n); return s.type === 'linear' ? s : null; } catch { return null; } };
  const x = scale('x'), y = scale('y');
  const pen = document.createElement('canvas').getContext('2d');
  const colour = (c) => { pen.fillStyle = '#000'; pen.fillStyle = c; return pen.fillStyle; };
  const walk = (mark) => { for (const i of mark.items) {
    if (mark.role === 'axis-label') labels.push([].concat(i.text).join(' '));
    if (mark.role === 'mark' && mark.marktype !== 'group') marks.push({ type: mark.marktype, datum: i.datum, text: i.text, fill: i.fill && colour(i.fill), stroke: i.stroke && colour(i.stroke),
      at: [i.x, i.y], x: x && [x.invert(i.x), x.invert(i.x + (i.width || 0))], y: y && [y.invert(i.y + (i.height || 0)), y.invert(i.y)] });
    for (const m of i.items || []) walk(m);
  } };
  walk(view.scenegraph().root);
  const svg = place.querySelector('svg').getBoundingClientRect();
  const texts = [...place.querySelectorAll('svg text')].filter((t) => t.textContent && getComputedStyle(t).opacity !== '0');
  const beyond = (t) => { const b = t.getBoundingClientRect(); return Math.max(svg.left - b.left, b.right - svg.right, svg.top - b.top, b.bottom - svg.bottom); };
  const out = texts.filter((t) => beyond(t) > 1);
  return { marks, labels, title: place.closest('.card')?.querySelector('h3')?.textContent || '', cut: [...texts.filter((t) => t.textContent.includes('\\u2026')), ...out].map((t) => `${t.textContent} (${beyond(t).toFixed(1)} of ${Math.round(svg.width)} x ${Math.round(svg.height)})`),
    legend: [...place.querySelectorAll('.legend li')].map((l) => [l.textContent, colour(getComputedStyle(l.firstChild).backgroundColor)]) };
})"""
# It draws itself when it comes near; what is drawn above it moves it away again.
DRAWN = """((name, n) => { const c = [...document.querySelectorAll('.chart')].filter((x) => x.getAttribute('aria-label') === name)[n];
  c?.scrollIntoView({ block: 'center' }); return c?.dataset.drawn === 'yes'; })"""


class Page:
    def __init__(self, b):
        self.b, self.wrong = b, []
        self.names, self.bars = {}, {}  # of each run; of each measure, the bars' values by workload and variant

    def expect(self, holds, what, *why):
        if not holds and len(self.wrong) < 12:
            self.wrong.append(" ".join(str(x)[:400] for x in (what, *why)))
        return holds

    def near(self, a, b, what, *why):
        return self.expect(a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9), what, a, b, *why)

    def select(self, label):
        return "document.querySelector('select[aria-label=\"%s\"]')" % label

    def choose(self, label, value):
        """In a list of choices, as a reader would."""
        self.b.run(f"""(() => {{ const s = {self.select(label)};
          s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change')); }})()""")

    def options(self, label):
        return self.b.run(f"[...({self.select(label)}?.options || [])].map((o) => [o.value, o.textContent])")

    def read(self, chart, number=0):
        """The chart of that name, or the next ones of it; None if there is none."""
        there = f"[...document.querySelectorAll('.chart')].filter((x) => x.getAttribute('aria-label') === {json.dumps(chart)}).length > {number}"
        if not self.b.run(there) or not self.b.wait(f"{DRAWN}({json.dumps(chart)}, {number})", 120):
            return None
        c = self.b.run(f"{READ}({json.dumps(chart)}, {number})")
        self.expect(not c["cut"], f"{chart}: labels are cut:", c["cut"])
        return c


def one_to_one(page, what, pairs):
    """A label is of one thing and a thing has one label."""
    for side, other in ((0, 1), (1, 0)):
        seen = {}
        for p in pairs:
            page.expect(seen.setdefault(p[side], p[other]) == p[other], f"{what}: \"{p[side]}\" is both", seen[p[side]], p[other])


def check_legend(page, chart, c, field):
    """It has every series of the marks, each in the marks' colour."""
    legend = dict(map(tuple, c["legend"]))
    shown = {(m["datum"][field], m["fill"]) for m in c["marks"] if m["type"] == "rect"}
    page.expect(len(set(legend.values())) == len(legend), f"{chart}: two series have one colour", legend)
    page.expect(shown == set(legend.items()), f"{chart}: the legend is not what is drawn", shown ^ set(legend.items()))


def check_bars(page, runs, title, value, base):
    c = page.read("performance by workload and design")
    if not page.expect(c, "no chart of performance"):
        return
    bars = [m for m in c["marks"] if m["type"] == "rect"]
    groups = runs.grouped()
    many = {k for g in groups.values() if len(g) > 1 for k in g} or runs.done
    have = {k for k in many if value(k) is not None} if base is None else None
    keys = [m["datum"]["key"] for m in bars]
    page.expect(len(keys) == len(set(keys)), f"{title}: a run is drawn twice")
    if have is not None:
        page.expect(set(keys) == have, f"{title}: the runs drawn are not those there are", set(keys) ^ have)
    places = set()
    page.bars[title] = {}
    for m in bars:
        d, key = m["datum"], m["datum"]["key"]
        expected = value(key)
        if base is not None:
            below = [x for x in bars if x["datum"]["variant"] == base and runs.workload(x["datum"]["key"]) == runs.workload(key)]
            expected = value(key) / value(below[0]["datum"]["key"]) if page.expect(len(below) == 1, f"{title}: no {base} for", d["workload"]) else None
        page.names[key] = f"{d['workload'].split(', alone under ')[0]}, {d['variant']}"
        if expected is None:
            continue
        page.bars[title][d["workload"], d["variant"]] = expected
        extent = m["y"] or m["x"]
        page.near(d["value"], expected, f"{title}: {d['workload']}, {d['variant']}:")
        page.near(min(extent), min(0, expected), f"{title}: the bar of {d['workload']}, {d['variant']} begins at", extent)
        page.near(max(extent), expected, f"{title}: the bar of {d['workload']}, {d['variant']} ends at", extent)
        places.add(tuple(m["at"]) if m["x"] is None else m["at"][1])
        page.expect(runs.rows[key]["design"] in d["variant"], "a variant without its design:", d["variant"])
        for a in runs.rows[key]["apps"]:
            page.expect(a.split(":")[0] in d["workload"], "a workload without its application:", d["workload"])
    page.expect(len(places) == len(bars), f"{title}: bars on top of each other", len(places), len(bars))
    strip = lambda w: w.split(", alone under ")[0]
    one_to_one(page, title, {(strip(m["datum"]["workload"]), runs.workload(m["datum"]["key"])) for m in bars})
    one_to_one(page, title, {(m["datum"]["variant"], runs.variant(m["datum"]["key"])) for m in bars})
    one_to_one(page, title, {((m["datum"]["workload"], m["datum"]["variant"]), m["datum"]["key"]) for m in bars})
    flat = lambda s: "".join(s.split())
    page.expect({flat(m["datum"]["workload"]) for m in bars} <= {flat(l) for l in c["labels"]}, f"{title}: a workload has no label", c["labels"])
    check_legend(page, title, c, "variant")
    check_differences(page, runs, bars)


def check_differences(page, runs, bars):
    """What differs between the runs drawn is in their names, with its right value."""
    keys = [m["datum"]["key"] for m in bars]
    options = lambda text: dict(p.split("=") for p in text.partition(":")[2].split(",") if p)
    given = {}  # of an application: a parameter's values
    for text in {a for r in runs.rows.values() for a in r["apps"]}:
        for k, v in options(text).items():
            given.setdefault((text.split(":")[0], k), set()).add(v)
    for m in bars:
        for a in runs.rows[m["datum"]["key"]]["apps"]:
            for k, v in options(a).items():
                page.expect(len(given[a.split(":")[0], k]) == 1 or f"{k}={v}" in m["datum"]["workload"], f"{k}={v} is not in the name:", m["datum"]["workload"])
        name, r = m["datum"]["workload"] + "; " + m["datum"]["variant"], runs.rows[m["datum"]["key"]]
        for field, words in (("gpu", "{}"), ("model", "model {}")):
            if len({runs.rows[k][field] for k in runs.rows}) > 1:
                page.expect(words.format(r[field]) in name, f"{field} is not in the name:", name)
        for limit in ("limit_cycles", "limit_instructions", "min_cycles"):
            if len({runs.rows[k][limit] for k in keys}) > 1 and r[limit]:
                page.expect(str(r[limit]) in name, f"{limit} {r[limit]} is not in the name:", name)
        for option in {o for k in keys for o in runs.rows[k]["settings"]}:
            if option in r["settings"] and len({runs.rows[k]["settings"].get(option) for k in keys}) > 1:
                page.expect(f"{option}={r['settings'][option]}" in name, f"{option} is not in the name:", name)


def check_performance(page, runs):
    titles = page.b.run("[...document.querySelectorAll('#performance > .bar button')].map((b) => b.textContent)") or []
    for i, title in enumerate(titles):
        page.b.run(f"document.querySelectorAll('#performance > .bar button')[{i}].click()")
        base = title.removeprefix("throughput over ") if title.startswith("throughput over ") else None
        value = {"weighted speed-up": lambda k: runs.rows[k]["weighted_speedup"], "unfairness": lambda k: runs.rows[k]["unfairness"]}.get(title, runs.throughput)
        check_bars(page, runs, title, value, base)
    page.expect(titles or not runs.done, "no measure of performance")


def charted(runs):
    """Runs that charts by application show: those that only speed-ups needed are left out, if nothing stands beside them."""
    groups = runs.grouped()
    out = {k for k in runs.done if not runs.alone(k) or len(groups[runs.workload(k)]) > 1}
    return out or runs.done


def check_stalls(page, runs):
    seen = {}
    for who, _ in page.options("application"):
        page.choose("application", who)
        c = page.read("stall stack")
        if not page.expect(c, "no stall stack of", who):
            continue
        stacks = {}
        for m in c["marks"]:
            d = m["datum"]
            stacks.setdefault((d["variant"], d["key"], d["app"]), []).append(m)
            seen.setdefault((d["key"], d["app"]), set()).add((who, d["variant"]))
        page.expect(len({v for v, _, _ in stacks}) == len(stacks), f"{who}: runs are stacked on each other", list(stacks))
        for (variant, key, app), marks in stacks.items():
            parts = {n: runs.of(key, f"apps[{app}].stall.{n}") for n in runs.names(key, f"apps[{app}].stall")}
            parts = {"issued": runs.of(key, f"apps[{app}].sm.warp_instructions"), **parts}
            parts = {n: v for n, v in parts.items() if v and n != "empty"}
            page.expect({m["datum"]["reason"] for m in marks} == set(parts), f"{who}, {variant}: the reasons are not those there are",
                        {m["datum"]["reason"] for m in marks} ^ set(parts))
            at = 0
            for m in sorted(marks, key=lambda m: m["x"][0]):
                page.near(m["x"][0], at, f"{who}, {variant}: {m['datum']['reason']} begins at")
                at = m["x"][1]
                page.near(m["x"][1] - m["x"][0], parts.get(m["datum"]["reason"], 0) / sum(parts.values()), f"{who}, {variant}: {m['datum']['reason']}")
            page.near(at, 1, f"{who}, {variant}: all reasons")
        check_legend(page, "stall stack", c, "reason")
    page.expect(set(seen) == {(k, a) for k in charted(runs) for a in runs.apps(k)}, "stall stacks are not of the runs there are")
    one_to_one(page, "stall stack", {(k, tuple(v)) for k, v in seen.items()})


def rates(runs, key, app):
    a = f"apps[{app}]"
    pairs = {"L1 TLB": ("l1tlb.hits", "l1tlb.lookups"), "L2 TLB": ("l2tlb.hits", "l2tlb.lookups"), "L1 data": ("l1d.hits", "l1d.accesses"),
             "L2 data": ("l2.data.hits", "l2.data.accesses")}
    for i in itertools.count():
        if runs.of(key, f"{a}.walk.levels[{i}].reads") is None:
            break
        pairs[f"walk level {i + 1} in L2"] = (f"walk.levels[{i}].l2_hits", f"walk.levels[{i}].reads")
    return {n: runs.of(key, f"{a}.{h}") / runs.of(key, f"{a}.{w}") for n, (h, w) in pairs.items() if runs.of(key, f"{a}.{w}")}


def check_hits(page, runs):
    expected = {(k, a): rates(runs, k, a) for k in charted(runs) for a in runs.apps(k)}
    levels = {n for r in expected.values() for n in r}
    page.expect({v for v, _ in page.options("level")} == levels, "hit rates: the levels are not those there are", page.options("level"), levels)
    for level in levels:
        page.choose("level", level)
        c = page.read("hit rates")
        if not page.expect(c, "no hit rates of", level):
            continue
        cells = {(m["datum"]["key"], m["datum"]["app"]): m for m in c["marks"] if m["type"] == "rect"}
        texts = {(m["datum"]["key"], m["datum"]["app"]): m for m in c["marks"] if m["type"] == "text"}
        want = {k: r[level] for k, r in expected.items() if level in r}
        page.expect(set(cells) == set(want) == set(texts) and len(c["marks"]) == 2 * len(want), f"{level}: the cells are not those there are")
        page.expect(len({tuple(m["at"]) for m in cells.values()}) == len(cells), f"{level}: cells on top of each other")
        one_to_one(page, level, {(k, (m["datum"]["who"], m["datum"]["variant"])) for k, m in cells.items()})
        for k in set(cells) & set(want) & set(texts):
            page.near(cells[k]["datum"]["rate"], want[k], f"{level}: {cells[k]['datum']['who']}:")
            page.expect(texts[k]["text"] == f"{math.floor(1000 * want[k] + 0.5) / 10:.1f} %" or abs(float(texts[k]["text"][:-2]) - 100 * want[k]) <= 0.051,
                        f"{level}: the text of a cell", texts[k]["text"], want[k])
            page.expect(one_run.contrast(cells[k]["fill"], texts[k]["fill"]) >= 4.5, f"{level}: text that cannot be read", cells[k]["fill"], texts[k]["fill"])


def table(page, section):
    return page.b.run(f"""(() => {{ const t = document.querySelector('#{section} table'); if (!t) return [];
      const head = [...t.querySelectorAll('th')].map((h) => h.textContent);
      return [...t.querySelectorAll('tbody tr')].map((r) => Object.fromEntries([...r.children].map((c, i) => [head[i], c.textContent]))); }})()""")


def check_table(page, runs):
    rows = table(page, "runs")
    page.expect(len(rows) == len(runs.rows), "the table has not all runs", len(rows), len(runs.rows))
    columns = ("design", "gpu", "model", "IPC", "cycles", "weighted speed-up", "unfairness")
    shown = sorted([r[c] for c in columns] for r in rows if r["status"] == "done")
    fixed = lambda v: "–" if v is None else f"{v:.3f}"
    wanted = []
    for k in runs.done:
        r = runs.rows[k]
        wanted.append([r["design"], r["gpu"], r["model"], fixed(runs.throughput(k)), f"{runs.of(k, 'cycles'):,}", fixed(r["weighted_speedup"]), fixed(r["unfairness"])])
    same = lambda a, b: a == b or (a != "–" and b != "–" and abs(float(a.replace(",", "")) - float(b.replace(",", ""))) < 0.0011)
    page.expect(len(shown) == len(wanted) and all(a[:3] == b[:3] and all(map(same, a[3:], b[3:])) for a, b in zip(shown, sorted(wanted))),
                "the table's runs are others", [x for x in zip(shown, sorted(wanted)) if x[0] != x[1]][:2])


def check_means(page):
    """A mean is of the bars that it names, and there is one wherever all variants have two workloads in common."""
    rows = table(page, "performance")
    for title, bars in page.bars.items():
        variants = {v for _, v in bars}
        shared = {w for w, _ in bars if all((w, v) in bars for v in variants)}
        own = [r for r in rows if r["what"] == title]
        page.expect({r["variant"] for r in own} == (variants if len(shared) > 1 else set()), f"means of {title}", len(own), len(shared))
        for r in own:
            which = r["which"].split("; ")
            values = [bars.get((w, r["variant"])) for w in which]
            if page.expect(set(which) == shared and len(which) == int(r["workloads"]) and None not in values, f"means of {title}: workloads", which, shared):
                page.expect(abs(float(r["mean"]) - sum(values) / len(values)) < 0.0006, f"the mean of {title}, {r['variant']}", r["mean"], values)
                if all(v > 0 for v in values):
                    page.expect(abs(float(r["geometric"]) - math.exp(sum(map(math.log, values)) / len(values))) < 0.0006, f"the geometric mean of {title}", r)


def check_facts(page, runs):
    told = page.b.run("[...document.querySelectorAll('.fact')].map((f) => [f.querySelector('span').textContent, f.querySelector('b').textContent])")
    told = {what.rstrip("s"): number for what, number in told}
    wanted = {"run": len(runs.done), "design": len({r["design"] for r in runs.rows.values()})}
    if len(runs.rows) > len(runs.done):
        wanted["failed"] = len(runs.rows) - len(runs.done)
    for what, n in wanted.items():
        page.expect(told.get(what) == f"{n:,}", f"the tile of {what}", told, n)
    page.expect("failed" in wanted or "failed" not in told, "failures that there are none of", told)


def check_comparison(page, rng, runs):
    """Every number in which two runs differ, and no other."""
    options = page.options("first run")
    if len(options) < 2:
        return
    page.expect({k for k, _ in options} == runs.done, "the runs to compare are not those there are")
    pair = [k for k, _ in rng.sample(options, 2)]
    page.choose("first run", pair[0]), page.choose("second run", pair[1])
    skip = ("series.", "memory_map.")
    flat = [{c: v for (k, c), v in runs.value.items() if k == key and isinstance(v, (int, float)) and not isinstance(v, bool) and not c.startswith(skip)
             and ".sampled_walks." not in c and ".page_heat." not in c} for key in pair]
    wanted = {c: (flat[0].get(c), flat[1].get(c)) for c in {*flat[0], *flat[1]} if flat[0].get(c) != flat[1].get(c)}
    rows = table(page, "compare")
    page.expect({r["statistic"] for r in rows} == set(wanted), "compared is not what differs", list({r["statistic"] for r in rows} ^ set(wanted))[:5])
    for r in rows:
        for text, v in zip((r["first"], r["second"]), wanted.get(r["statistic"], (None, None))):
            page.expect(text == "–" if v is None else abs(float(text.replace(",", "")) - v) <= (0 if v == int(v) and "." not in text else 0.0006 if abs(v) < 100 else 0.06),
                        f"compared: {r['statistic']}", text, v)


def check_run(page, rng, runs):
    """The charts of some runs, each chosen by its name."""
    options = page.options("run")
    page.expect({k for k, _ in options} == runs.done and len(options) == len({t for _, t in options}), "the runs to choose are not those there are", options)
    for key, name in options:
        page.expect(page.names.get(key, name) == name, "a run has two names", name, page.names.get(key))
    for key, name in rng.sample(options, min(3, len(options))):
        page.choose("run", key)
        page.expect(page.b.run("document.querySelector('#run pre').textContent") == runs.rows[key]["command"], f"{name}: another command")
        one_run.OneRun(page, runs.result[key], name).check()


def check(page, rng, runs, what):
    before = len(page.wrong)
    page.names.clear(), page.bars.clear()
    check_facts(page, runs), check_performance(page, runs), check_means(page), check_stalls(page, runs), check_hits(page, runs), check_table(page, runs)
    check_run(page, rng, runs), check_comparison(page, rng, runs)
    page.wrong[before:] = [f"{what}: {w}" for w in page.wrong[before:]]


# ---- all ------------------------------------------------------------------------------------------------------------


def newest(models):
    """Numbers are newer than hashes; of hashes nothing is known but when their runs were made."""
    numbers = [m for m in models if len(m) < 10]
    return max(numbers, key=int) if numbers else None


def check_export(page, store, everything, shown, models):
    """Queries, too, see one version of the model, and whoever did not choose is told of the others."""
    page.expect(len(shown.rows) == export(store, "--query", "SELECT count(*) AS n FROM runs JOIN run USING (key)")[0]["n"], "a query sees other runs")
    page.expect(len(everything.rows) == export(store, "--model", "all", "--query", "SELECT count(*) AS n FROM run")[0]["n"], "a query of all does not")
    told = subprocess.run([gmmu, "export", store], check=True, capture_output=True, text=True).stderr
    others = models - {r["model"] for r in shown.rows.values()}
    page.expect(all(m in told for m in others) and bool(told) == bool(others), "export does not tell of other versions", told, others)
    wrong = subprocess.run([gmmu, "export", store, "--model", "8"], capture_output=True, text=True)
    page.expect(wrong.returncode == 1 and all(m in wrong.stderr for m in models), "a version that is not there", wrong.stderr)


def one(b, known, seed, where):
    rng = random.Random(seed)
    store, html = os.path.join(where, f"{seed}.db"), os.path.join(where, f"{seed}.html")
    random_store.make(rng, known, fill_store, store)
    subprocess.run([gmmu, "report", store, "-o", html], check=True, stdout=subprocess.DEVNULL)
    page = Page(b)
    everything, shown = Runs(store, "--model", "all"), Runs(store)
    models = {r["model"] for r in everything.rows.values()}
    page.expect(len({r["model"] for r in shown.rows.values()}) == 1, "export has several versions of the model")
    page.expect({r["model"] for r in shown.rows.values()} == {newest(models)} or newest(models) is None, "export has not the newest version", models)
    check_export(page, store, everything, shown, models)
    b.look(rng.choice([1280, 390]), 900, rng.random() < 0.5)
    b.open(html)
    if page.expect(b.wait("document.body && document.body.dataset.ready === 'yes'", 60), "the page is not ready"):
        check(page, rng, shown, "at first")
        if len(models) > 1:
            version = rng.choice(sorted(models))
            page.choose("model version", version)
            check(page, rng, Runs(store, "--model", version), f"model {version}")
            page.choose("model version", "all")
            check(page, rng, everything, "all models")
        designs = sorted({r["design"] for r in everything.rows.values()})
        if len(designs) > 1:
            design = rng.choice(designs)
            page.choose("design", design)
            check(page, rng, everything.subset(lambda r: r["design"] == design), f"{design} alone")
    page.wrong += [f"the console: {c}" for c in b.complaints()[:3]]
    ok(not page.wrong, f"seed {seed}: {len(everything.rows)} runs, {len(models)} models: every mark is what export has",
       f"GMMU_SEED={seed} shows it again", *page.wrong)


def main():
    program = browser.find()
    if not program:
        print("1..0 # SKIP no Chromium here")
        return 0
    try:
        b = browser.Browser(program)
    except (RuntimeError, TimeoutError, OSError) as e:
        print(f"1..0 # SKIP Chromium does not start here: {e}")
        return 0
    first = int(os.environ.get("GMMU_SEED", "1"))
    with tempfile.TemporaryDirectory() as where:
        try:
            known = random_store.templates(gmmu)
            for seed in range(first, first + STORES):
                try:
                    one(b, known, seed, where)
                except (KeyError, ValueError, TypeError, IndexError) as e:  # a page so wrong that it cannot be read
                    ok(False, f"seed {seed}: the page can be read", *"".join(traceback.format_exception(e)[-3:]).splitlines())
        finally:
            b.close()
    return tap.finish()


sys.exit(main())
