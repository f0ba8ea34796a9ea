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


def is_path(app):
    return "/" in app and ".ptx:" not in app


def parameters(app):
    return {} if is_path(app) else dict(p.split("=") for p in app.partition(":")[2].split(",") if p)


def with_parameters(app, given):
    return app if is_path(app) else app.split(":")[0] + ":" + ",".join(f"{k}={v}" for k, v in given.items())


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

    def seedless(self, key):
        """What is run, whatever runs it and whatever the seed is."""
        r = self.rows[key]
        apps = [with_parameters(a, {k: v for k, v in parameters(a).items() if k != "seed"}) for a in r["apps"]]
        return json.dumps([apps, [a["content"] for a in r["identity"]["apps"] if "seed=" not in a["app"]], self.split(key), r["identity"]["limits"]])

    def seed(self, key):
        return "/".join(dict.fromkeys(v for v in (parameters(a).get("seed") for a in self.rows[key]["apps"]) if v))

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
  const scale = (n) => { try { const s = view.scale(n); return s.type === 'linear' || s.type === 'log' ? s : null; } catch { return null; } };
  const x = scale('x'), y = scale('y');
  const pen = document.createElement('canvas').getContext('2d');
  const colour = (c) => { pen.fillStyle = '#000'; pen.fillStyle = c; return pen.fillStyle; };
  const walk = (mark) => { for (const i of mark.items) {
    if (mark.role === 'axis-label') labels.push([].concat(i.text).join(' '));
    if (mark.role === 'mark' && mark.marktype !== 'group') marks.push({ type: mark.marktype, datum: i.datum, text: i.text, fill: i.fill && colour(i.fill), stroke: i.stroke && colour(i.stroke),
      at: [i.x, i.y], to: mark.marktype === 'rule' ? [x && x.invert(i.x2 ?? i.x), y && y.invert(i.y2 ?? i.y)] : null, x: x && [x.invert(i.x), x.invert(i.x + (i.width || 0))], y: y && [y.invert(i.y + (i.height || 0)), y.invert(i.y)] });
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
        self.names, self.variants, self.bars = {}, {}, {}  # of each run, its name and its variant's; of each measure, the bars' values by workload and variant

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

    def tick(self, label, on):
        """A box before that text; nothing if there is none."""
        self.b.run(f"""(() => {{ const l = [...document.querySelectorAll('label')].find((x) => x.textContent.startsWith({json.dumps(label)}));
          const box = l?.querySelector('input'); if (box && box.checked !== {json.dumps(on)}) box.click(); }})()""")

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
    page.expect(not [m for m in c["marks"] if m["type"] != "rect"], f"{title}: marks that are no bars")
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
        page.variants[key] = d["variant"]
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


BUTTONS = "[...document.querySelectorAll('#performance button[aria-pressed]')]"
BASE = "throughput over "
SPEED_UPS = ("weighted speed-up", "unfairness")


def measure(runs, title):
    return {"weighted speed-up": lambda k: runs.rows[k]["weighted_speedup"], "unfairness": lambda k: runs.rows[k]["unfairness"]}.get(title, runs.throughput)


def titles_of(page):
    return page.b.run(f"{BUTTONS}.map((b) => b.textContent)") or []


def press(page, title):
    page.b.run(f"{BUTTONS}.find((b) => b.textContent === {json.dumps(title)}).click()")


def check_performance(page, rng, runs):
    """One bar for each run; then the same seen otherwise: another baseline, an axis that does not begin at 0, means over seeds,
    a swept number as the axis."""
    if not page.expect(titles_of(page) or not runs.done, "no measure of performance") or not runs.done:
        return
    page.choose("x axis", "workload") if page.options("x axis") else None
    page.tick("mean over seeds", False)
    for title in titles_of(page):
        press(page, title)
        check_bars(page, runs, title, measure(runs, title), title.removeprefix(BASE) if title.startswith(BASE) else None)
    check_means(page)
    bases = [v for v, _ in page.options("baseline")]
    if bases:
        base = rng.choice(bases)
        page.choose("baseline", base)
        title = BASE + base
        if page.expect(title in titles_of(page), f"no {title}", titles_of(page)):
            press(page, title)
            check_bars(page, runs, title, runs.throughput, base)
    title = rng.choice(titles_of(page))
    press(page, title)
    base = title.removeprefix(BASE) if title.startswith(BASE) else None
    values = dict(page.bars.get(title, {}))
    page.tick("small differences", True)
    check_zoom(page, title, values)
    check_seeds(page, runs, title, measure(runs, title), base)
    page.tick("small differences", False)
    check_seeds(page, runs, title, measure(runs, title), base)
    for sweep, _ in page.options("x axis"):
        if sweep != "workload":
            page.choose("x axis", sweep)
            title = rng.choice([t for t in titles_of(page) if not t.startswith(BASE)])
            press(page, title)
            for seeds in (False, True):
                page.tick("mean over seeds", seeds)
                check_sweep(page, runs, sweep, title, measure(runs, title))
    if page.options("x axis"):
        page.choose("x axis", "workload")
    for option in swept_options(runs):
        page.expect(option in [v for v, _ in page.options("x axis")], f"{option} is swept and can be no axis")


def values_on(page, what, marks, value):
    """Points, each where its value is on the axis that has values."""
    for m in marks:
        at = (m["y"] or m["x"])[0] if value == "either" else m[value][0]
        page.near(at, m["datum"]["value"], f"{what}: the point of {m['datum']['workload']}, {m['datum']['variant']} is at")


def check_zoom(page, title, values):
    c = page.read("performance by workload and design")
    points = [m for m in c["marks"] if m["type"] == "symbol"]
    page.expect(len(points) == len(c["marks"]) and {(m["datum"]["workload"], m["datum"]["variant"]): True for m in points}.keys() == values.keys(), f"{title}: other points than bars")
    values_on(page, f"{title}, small differences", points, "either")
    for m in points:
        page.near(m["datum"]["value"], values.get((m["datum"]["workload"], m["datum"]["variant"])), f"{title}, small differences: a value")
    told = page.b.run("[...document.querySelectorAll('#performance svg .role-axis-title text')].map((t) => t.textContent).join(' ')")
    page.expect("not at 0" in told, f"{title}: the axis does not say that it does not begin at 0", told)


def spread(page, what, c, keys_of):
    """A line from the least to the greatest of what a mean is of, and none where there is one value."""
    rules = {tuple(m["datum"]["keys"]): m for m in c["marks"] if m["type"] == "rule"}
    page.expect(len(rules) == len([m for m in c["marks"] if m["type"] == "rule"]), f"{what}: two lines of one mean")
    for keys, values in keys_of.items():
        if min(values) == max(values):
            page.expect(keys not in rules, f"{what}: a spread of one value")
        elif page.expect(keys in rules, f"{what}: no spread of", keys):
            m = rules[keys]
            ends = [m["y"][0], m["to"][1]] if m["y"] else [m["x"][0], m["to"][0]]
            page.near(min(ends), min(values), f"{what}: the least"), page.near(max(ends), max(values), f"{what}: the greatest")


def seeds_named(label):
    """From "..., mean of seeds 1 to 3, 7"."""
    text, out = label.partition(", mean of seeds ")[2].split(", alone under ")[0], []
    for part in text.split(", "):
        a, _, b = part.partition(" to ")
        out += [str(i) for i in range(int(a), int(b) + 1)] if b else [a]
    return set(out) if text else None


def mean_values(page, runs, what, d, value):
    """Of what is drawn, from the runs it names: they differ in the seed alone, and the label has every seed."""
    keys = d["keys"]
    page.expect(len({(runs.seedless(k), runs.variant(k)) for k in keys}) == 1, f"{what}: a mean of runs that differ in more than their seed", d["workload"])
    if len(keys) > 1:
        page.expect(seeds_named(d["workload"]) == {runs.seed(k) for k in keys} and len({runs.seed(k) for k in keys}) == len(keys), f"{what}: the seeds of a mean", d["workload"])
    values = [value(k) for k in keys]
    page.near(d["value"], sum(values) / len(values), f"{what}: the mean of {d['workload']}, {d['variant']}")
    return values


def check_seeds(page, runs, title, value, base):
    if not page.b.run("[...document.querySelectorAll('#performance label')].some((l) => l.textContent === 'mean over seeds')"):
        return
    page.tick("mean over seeds", True)
    c = page.read("performance by workload and design")
    if base is not None:
        below = {runs.workload(k): k for k in runs.done if variant_called(page, k) == base}
        plain, value = value, lambda k: plain(k) / plain(below[runs.workload(k)]) if runs.workload(k) in below else None
    marks = [m for m in c["marks"] if m["type"] in ("rect", "symbol")]
    spread(page, title, c, {tuple(m["datum"]["keys"]): mean_values(page, runs, title, m["datum"], value) for m in marks})
    drawn = [k for m in marks for k in m["datum"]["keys"]]
    page.expect(len(drawn) == len(set(drawn)), f"{title}: a run is in two means")
    groups = runs.grouped()
    have = {k for k in ({k for g in groups.values() if len(g) > 1 for k in g} or runs.done) if value(k) is not None}
    left = have - set(drawn)
    for k in left:  # only where another variant of its workload lacks the seed
        same = {x for x in have if runs.seedless(x) == runs.seedless(k) and (title not in SPEED_UPS or runs.rows[x]["baseline"] == runs.rows[k]["baseline"])}
        ways = {runs.variant(x) for x in same}
        page.expect(ways - {runs.variant(x) for x in same if runs.seed(x) == runs.seed(k)}, f"{title}: a run is in no mean", k)
    page.expect(set(drawn) <= have, f"{title}: means of other runs")
    for m in marks:
        if m["type"] == "rect":
            page.near(max(m["y"] or m["x"]), m["datum"]["value"], f"{title}: the bar of a mean ends at")
    if marks and marks[0]["type"] == "symbol":
        values_on(page, title, marks, "either")
    page.tick("mean over seeds", False)


def variant_called(page, key):
    return page.variants.get(key)


def number(text):
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    return float(text[:-1]) * factor[text[-1]] if text[-1:] in factor else float(text)


def setting(runs, key, option):
    """Of a run: what it was set to, or what the configuration has; or its applications' parameter."""
    r = runs.rows[key]
    if "." in option:
        return str(r["settings"].get(option, r["identity"]["config"].get(option, "")))
    values = dict.fromkeys(v for v in (parameters(a).get(option) for a in r["apps"]) if v)
    return next(iter(values)) if len(values) == 1 else ""


def swept_options(runs):
    """Settings of numbers of which there are several."""
    out = []
    for option in {o for k in runs.done for o in runs.rows[k]["settings"]}:
        values = {setting(runs, k, option) for k in runs.done} - {""}
        if len(values) > 1 and all(v.replace(".", "", 1).isdigit() for v in values):
            out.append(option)
    return out


def check_sweep(page, runs, sweep, title, value):
    what, drawn, series = f"{title} over {sweep}", [], {}
    for who in [v for v, _ in page.options("workload")] or [None]:
        if who:
            page.choose("workload", who)
        c = page.read("performance by workload and design")
        points = [m for m in c["marks"] if m["type"] == "symbol"]
        spread(page, what, c, {tuple(m["datum"]["keys"]): mean_values(page, runs, what, m["datum"], value) for m in points})
        places = {(m["datum"]["variant"], m["x"][0]) for m in points}
        page.expect(len(places) == len(points), f"{what}: points on top of each other")
        legend = dict(map(tuple, c["legend"]))
        page.expect({(m["datum"]["variant"], m["fill"]) for m in points} == set(legend.items()), f"{what}: the legend is not what is drawn")
        for m in points:
            d = m["datum"]
            drawn += d["keys"]
            page.near(m["x"][0], number(setting(runs, d["keys"][0], sweep)), f"{what}: the place of a point")
            page.near(m["y"][0], d["value"], f"{what}: the height of a point")
            page.expect(f"{sweep}={setting(runs, d['keys'][0], sweep)}" not in f"{d['workload']} {d['variant']}" or list(d["keys"]) == [d["keys"][0]], f"{what}: a series with its place in its name", d)
            rest = json.dumps([without(runs, k, sweep) for k in d["keys"][:1]])
            page.expect(series.setdefault((d["workload"], d["variant"]), rest) == rest, f"{what}: a line of runs that differ in more", d["variant"])
        for m in [m for m in c["marks"] if m["type"] == "line"]:
            page.near(m["y"][0], m["datum"]["value"], f"{what}: the line passes"), page.near(m["x"][0], m["datum"]["x"], f"{what}: the line passes at")
    have = {k for k in runs.done if value(k) is not None and setting(runs, k, sweep)}
    page.expect(len(drawn) == len(set(drawn)) and set(drawn) <= have, f"{what}: other runs are drawn", len(drawn), len(have))
    if not page.b.run("[...document.querySelectorAll('#performance label')].find((l) => l.textContent === 'mean over seeds')?.querySelector('input').checked || false"):
        page.expect(set(drawn) == have, f"{what}: runs are missing", len(have - set(drawn)))


def without(runs, key, sweep):
    """All that tells a run from others, but for the swept number and the seed."""
    r = runs.rows[key]
    drop = lambda d: {k: v for k, v in d.items() if k != sweep}
    apps = [with_parameters(a, {k: v for k, v in drop(parameters(a)).items() if k != "seed"}) for a in r["apps"]]
    return [apps, r["model"], r["gpu"], r["design"], drop(r["settings"]), drop(r["identity"]["config"]), runs.split(key), r["identity"]["limits"]]


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


TRANSLATION = ("l1tlb", "l2tlb", "walk_queue", "walk_l2", "walk_dram", "fault")
MEMORY = ("l1", "l2", "dram")
# What is counted for arrays, kernels and lines: of a row, and the paths of the application's own statistics.
COUNTED = {
    "warp-cycles stalled on translation": (lambda r: sum(r["stall"][n] for n in TRANSLATION), [f"stall.{n}" for n in TRANSLATION]),
    "warp-cycles stalled on memory": (lambda r: sum(r["stall"][n] for n in MEMORY), [f"stall.{n}" for n in MEMORY]),
    "L1 TLB look-ups": (lambda r: r["tlb_lookups"], ["l1tlb.lookups"]),
    "L1 TLB misses": (lambda r: r["l1tlb_misses"], ["l1tlb.misses"]),
    "L2 TLB misses": (lambda r: r["l2tlb_misses"], ["l2tlb.misses"]),
    "walks": (lambda r: r["walks"], ["walk.walks"]),
    "far faults": (lambda r: r["far_faults"], ["paging.faults"]),
    "DRAM bytes": (lambda r: r["dram_read_bytes"] + r["dram_write_bytes"] + r["dram_walk_bytes"],
                   [f"dram.{k}.{d}_bytes" for k in ("data", "translation") for d in ("read", "write")]),
}
NAMED = 11  # names with a colour of their own


def check_origins(page, rng, runs):
    """Arrays, kernels and lines: bars are as long as the application's own total, parts are the rows of the lists."""
    lists = {what: {(k, a): runs.result[k]["apps"][a][f"by_{what}"] for k in charted(runs) for a in runs.apps(k) if f"by_{what}" in runs.result[k]["apps"][a]}
             for what in ("array", "kernel", "line")}
    there = {what for what, l in lists.items() if any(l.values())}
    page.expect({v for v, _ in page.options("by")} == there, "arrays, kernels and lines: the choices are not those there are", page.options("by"), there)
    for what in sorted(there):
        page.choose("by", what)
        seen = set()
        for who, _ in page.options("application of"):
            page.choose("application of", who)
            counted = [v for v, _ in page.options("counted")]
            measure_ = rng.choice(counted)
            page.choose("counted", measure_)
            value, paths = COUNTED[measure_]
            c = page.read("who is responsible")
            stacks = {}
            for m in c["marks"]:
                stacks.setdefault((m["datum"]["key"], m["datum"]["app"]), []).append(m)
            for (key, app), marks in stacks.items():
                rows, at = lists[what][key, app], 0
                total = sum(runs.of(key, f"apps[{app}].{p}", 0) for p in paths)
                for m in sorted(marks, key=lambda m: m["x"][0]):
                    page.near(m["x"][0], at, f"by {what}, {measure_}: {m['datum']['name']} begins at")
                    page.near(m["x"][1] - m["x"][0], m["datum"]["value"], f"by {what}, {measure_}: {m['datum']['name']}")
                    at = m["x"][1]
                    own = [value(r) for r in rows if m["datum"]["name"].startswith(r["name"])]
                    page.expect(m["datum"]["name"] == "all others" or m["datum"]["value"] in own, f"by {what}, {measure_}: {m['datum']['name']}", m["datum"]["value"], own)
                page.near(at, total, f"by {what}, {measure_}, {who}: the bar's end is not the application's total")
                page.expect(len(marks) <= NAMED + 1, f"by {what}: too many parts")
            check_legend(page, f"by {what}", c, "name")
            seen |= check_origin_table(page, runs, what, lists[what])
        page.expect(seen == {k for k in lists[what]}, f"by {what}: lists are not of the runs there are", len(seen), len(lists[what]))


def check_origin_table(page, runs, what, lists):
    """Every number; which runs' lists the table has."""
    rows, out = table(page, "origins"), set()
    number = lambda t: int(t.replace(",", ""))
    cells = lambda r: tuple(number(r[m]) for m in COUNTED)
    shown = {}
    for r in rows:
        shown.setdefault(r["variant"], []).append((r[what], cells(r)))
    for variant, got in shown.items():
        mine = [k for k, l in lists.items() if sorted(c for n, c in got if n != "the application") == sorted(tuple(v(r) for v, _ in COUNTED.values()) for r in l)
                and [c for n, c in got if n == "the application"] == [tuple(sum(runs.of(k[0], f"apps[{k[1]}].{p}", 0) for p in paths) for _, paths in COUNTED.values())]]
        page.expect(mine, f"by {what}: the table's rows of {variant} are of no run")
        out |= set(mine)
        page.expect(len({n for n, _ in got}) == len(got), f"by {what}: two rows of one name", variant)
        sums = [sum(c[i] for n, c in got if n != "the application") for i in range(len(COUNTED))]
        page.expect([tuple(sums)] == [c for n, c in got if n == "the application"], f"by {what}: sums are not the application's totals")
    page.expect(not page.b.run("document.querySelectorAll('#origins .bad').length"), f"by {what}: the page says that sums are wrong")
    return out


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
             and not any(f".{n}" in c for n in ("sampled_walks.", "page_heat.", "by_array[", "by_kernel[", "by_line["))} for key in pair]
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
    page.names.clear(), page.variants.clear(), page.bars.clear()
    check_facts(page, runs), check_performance(page, rng, runs), check_origins(page, rng, runs), check_stalls(page, runs), check_hits(page, runs), check_table(page, runs)
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


def visit(b):
    first = int(os.environ.get("GMMU_SEED", "1"))
    with tempfile.TemporaryDirectory() as where:
        known = random_store.templates(gmmu)
        for seed in range(first, first + STORES):
            try:
                one(b, known, seed, where)
            except (KeyError, ValueError, TypeError, IndexError) as e:  # a page so wrong that it cannot be read
                ok(False, f"seed {seed}: the page can be read", *"".join(traceback.format_exception(e)[-3:]).splitlines())


sys.exit(tap.finish() if browser.visit(visit) else 0)
