#!/usr/bin/env python3
"""The page that `gmmu report` writes, in a browser: TAP. Arguments: gmmu, and a folder for pictures if every look of the page
is wanted and a store of 200 runs, instead of two looks of a small one."""
import os, re, subprocess, sys, tempfile
import browser, contrast, tap
from tap import ok

gmmu, pictures = sys.argv[1], (sys.argv[2:] or [None])[0]


PAPER = "mosaic/bloat-directed"  # allocations alone: no machine is run, and none of the applications
STUDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples/study.yaml")


def make_page(where):
    store, page = os.path.join(where, "runs.db"), os.path.join(where, "report.html")
    subprocess.run([gmmu, "sweep", STUDY, "--store", store, "-j", "2"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([gmmu, "report", store, "-o", page, "--title", "A </script> & \"title\""], check=True, stdout=subprocess.DEVNULL)
    return page


# 2 workloads, 2 designs, 50 seeds.
LARGE = """name: large
designs: [sharedtlb, ideal]
workloads: ["gather:footprint=1M,steps=2,blocks=12", "stream:footprint=256K,blocks=12"]
seeds: [%s]
set: {gpu.sms: 4}
""" % ", ".join(str(i + 1) for i in range(50))


def make_large(where):
    study, store, page = (os.path.join(where, n) for n in ("large.yaml", "large.db", "large.html"))
    with open(study, "w") as f:
        f.write(LARGE)
    subprocess.run([gmmu, "sweep", study, "--store", store, "-j", "2"], check=True, stdout=subprocess.DEVNULL)
    told = subprocess.run([gmmu, "report", store, "-o", page], check=True, capture_output=True, text=True).stdout
    ok(told == f"{page}: 200 runs\n", "200 runs", told)
    return page


def make_papers(where, *plan):
    page = os.path.join(where, "papers.html")
    subprocess.run([gmmu, "reproduce", *plan, PAPER, "--store", os.path.join(where, "papers.db"), "--report", page],
                   check=True, stdout=subprocess.DEVNULL)
    return page


READY = "document.body && document.body.dataset.ready === 'yes'"
# What a chart has inside when it shows something; axes, legends and the background do not count.
MARKS = ", ".join(f"svg .role-mark.mark-{m}" for m in ("rect > path", "symbol > path", "line > path", "area > path", "text > text"))
ALL_DRAWN = """(() => { const c = [...document.querySelectorAll('.chart')];
  return c.length > 0 && c.every((x) => x.dataset.drawn === 'yes' && x.querySelector('%s')); })()""" % MARKS


def draw_all(b):
    """Charts draw themselves when they come near: go down the page as a reader would, until all are there. A busy
    machine may not notice one that a reader passes quickly."""
    for _ in range(10):
        b.run("""(async () => { for (let y = 0; y < document.body.scrollHeight; y += innerHeight / 2) {
          scrollTo(0, y); await new Promise((r) => setTimeout(r, 40)); } scrollTo(0, 0); })()""")
        if b.wait(ALL_DRAWN, 1):
            return True
    return b.wait(ALL_DRAWN, 10)


# The page's own clock when it is ready.
WATCH = """new MutationObserver(() => { if (document.body?.dataset.ready && !window.readyAt) window.readyAt = performance.now(); })
  .observe(document, {attributes: true, subtree: true, childList: true});"""


def opens_soon(b, page):
    """The best of three: one that other work on the machine slowed down says nothing about the page."""
    times, limit = [], 0
    for _ in range(3):
        limit = max(limit, 2000 * browser.stretch())
        b.open(page)
        times.append(b.run("window.readyAt") if b.wait(READY + " && window.readyAt > 0", 30) else 99999)
    ok(min(times) < limit, "it is ready within two seconds", times)
    print(f"# ready after {', '.join(str(round(t)) for t in times)} ms")


def texts(b, selector):
    return b.run(f"[...document.querySelectorAll('{selector}')].map((x) => x.textContent)")


def judged(b):
    """What a page of the usual plan says."""
    tiles = texts(b, ".fact")
    ok(any(re.fullmatch(r"[1-9]\d*agree", t) for t in tiles) and "QUICK" not in " ".join(tiles + texts(b, ".card h3")), "rows that agree are counted", tiles)


def quick(b):
    tiles, cards = texts(b, ".fact"), texts(b, ".card h3")
    ok(tiles and all("QUICK" in t for t in tiles + cards), "a quick plan says so on every tile", tiles, cards)
    ok(not any("agree" in t for t in tiles + texts(b, "#papers td")), "and agrees with nothing", tiles)


def papers(b, page):
    b.look(1280, 900, False)
    b.open(page)
    ok(b.wait(READY, 60) and draw_all(b), f"reproduce {PAPER}: every chart is drawn", b.run("document.querySelectorAll('.chart').length"))
    rows = column(b, "papers", 0)
    ok(rows.count(PAPER) == 3, f"reproduce {PAPER}: a row for each of the paper's", rows)
    ok(not b.complaints(), f"reproduce {PAPER}: the console has no complaint", *b.complaints())
    mixed = b.run("""[...document.querySelectorAll('.chart')].map((c) => ['.role-mark.mark-text text', '.role-axis-label text'].map((s) =>
      [...c.querySelectorAll(s)].map((t) => t.textContent).filter((t) => /^[-\\d]/.test(t)).map((t) => t.includes('%'))))
      .filter(([values, axis]) => !values.length || !axis.length || new Set([...values, ...axis]).size > 1).length""")
    ok(mixed == 0, f"reproduce {PAPER}: percentages stand on an axis of percentages", mixed)
    for dark in (False, True):
        b.look(1280, 900, dark)
        b.open(page)
        b.wait(READY, 60) and draw_all(b)
        contrast.check(b, f"reproduce {PAPER}, {'dark' if dark else 'light'}")


def column(b, section, i):
    return b.run(f"[...document.querySelectorAll('#{section} tbody tr')].map((r) => r.children[{i}].textContent)")


def tables(b):
    b.run("[...document.querySelectorAll('#runs th')].find((h) => h.textContent === 'cycles' || h.textContent === 'IPC').click()")
    i = b.run("[...document.querySelectorAll('#runs th')].findIndex((h) => h.textContent === 'IPC')")
    values = [float(v) for v in column(b, "runs", i)]
    ok(len(values) == 6 and values == sorted(values, reverse=True), "a click on a heading sorts", values)
    b.run(f"document.querySelectorAll('#runs th')[{i}].click()")
    values = [float(v) for v in column(b, "runs", i)]
    ok(values == sorted(values), "another click turns the order around", values)
    b.run("(() => { const f = document.querySelector('#runs input[type=search]'); f.value = 'mask'; f.dispatchEvent(new Event('input')); })()")
    left = column(b, "runs", 1)
    ok(len(left) == 2 and set(left) == {"mask"}, "the filter keeps the rows that match", left)
    b.run("(() => { const f = document.querySelector('#runs input[type=search]'); f.value = ''; f.dispatchEvent(new Event('input')); })()")
    text = b.run("""(async () => { let got; const old = URL.createObjectURL; URL.createObjectURL = (x) => { got = x; return old(x); };
      document.querySelector('#runs button').click(); URL.createObjectURL = old; return got.text(); })()""")
    ok(text.startswith("workload,") and text.count("\n") == 7, "a table is exported as CSV", text[:80])


def hovering(b):
    b.run("document.querySelector('#performance .chart').scrollIntoView({block: 'center'})")
    x, y = b.run("""(() => { const r = document.querySelector('#performance .chart svg .mark-rect path').getBoundingClientRect();
      return [r.x + r.width / 2, r.y + r.height / 2]; })()""")
    b.hover(x - 1, y), b.hover(x, y)
    ok(b.wait("getComputedStyle(document.getElementById('vg-tooltip')).display === 'block'", 5), "a bar tells its value when the mouse is on it")
    text = b.run("document.getElementById('vg-tooltip').textContent")
    ok(re.search(r"\d\.\d", text or "") is not None, "and it is a number", text)
    b.hover(2, 2)


def alone(b):
    """Nothing but the page's own script runs in it."""
    b.run("(() => { const s = document.createElement('script'); s.textContent = 'window.foreign = 1'; document.body.append(s); })()")
    ok(not b.run("window.foreign"), "a script that came with the data does not run")
    ok(b.run("(() => { try { return Function('return 1')(); } catch { return 0; } })()") == 0, "nor does a text that would be one")


def comparing(b):
    first = b.run("document.querySelectorAll('#compare tbody tr').length")
    b.run("(() => { const s = document.querySelectorAll('#compare select')[1]; s.selectedIndex = 0; s.dispatchEvent(new Event('change')); })()")
    same = b.run("document.querySelectorAll('#compare tbody tr').length")
    b.run("(() => { const s = document.querySelectorAll('#compare select')[1]; s.selectedIndex = 2; s.dispatchEvent(new Event('change')); })()")
    other = b.run("document.querySelectorAll('#compare tbody tr').length")
    ok(first > 20 and same == 0 and other > 20, "two runs are compared, and a run equals itself", f"{first} {same} {other}")
    b.run("document.querySelectorAll('#runs tbody tr')[3].click()")
    chosen = b.run("document.querySelector('#runs tbody tr.chosen td').textContent")
    shown = b.run("(() => { const s = document.querySelector('#run select'); return s.options[s.selectedIndex].textContent; })()")
    ok(shown.startswith(chosen), "a click on a run shows it", chosen, shown)


CHARTS = ("performance by workload and design", "stall stack", "hit rates", "who is responsible", "IPC", "L1 TLB miss rate", "L2 TLB miss rate",
          "concurrent walks", "DRAM bytes per cycle, data", "DRAM bytes per cycle, page tables", "walk", "walks",
          "evictions in l2tlb", "evictions in l2", "pages over time", "memory map")


def kinds(b):
    shown = set(b.run("[...document.querySelectorAll('.chart')].map((c) => c.getAttribute('aria-label'))"))
    ok(shown >= set(CHARTS), "there is a chart of every kind", set(CHARTS) - shown)


# Width and colours; the first two have each of them once.
LOOKS = ((1280, False), (390, True), (1280, True), (390, False))


def looks(b, page, some):
    for width, dark in some:
        name = f"{width}-{'dark' if dark else 'light'}"
        b.look(width, 900, dark)
        b.open(page)
        ok(b.wait(READY, 60) and draw_all(b), f"{name}: every chart is drawn",
           b.run("[...document.querySelectorAll('.chart')].filter((x) => x.dataset.drawn !== 'yes').map((x) => x.ariaLabel)"))
        over = b.run("document.documentElement.scrollWidth - innerWidth")
        ok(over <= 0, f"{name}: nothing is wider than the window", over)
        ok(not b.complaints(), f"{name}: the console has no complaint", *b.complaints())
        contrast.check(b, name)
        if pictures:
            b.run("scrollTo(0, 0)")
            b.picture(os.path.join(pictures, f"report-{name}.png"), whole=True)


# Presses every button that saves a chart: [label, kind, what was saved].
SAVED = """(async () => { const out = [], old = URL.createObjectURL;
  for (const button of document.querySelectorAll('.save button')) {
    const got = new Promise((done) => { URL.createObjectURL = (x) => { done(x); return old(x); }; });
    button.click();
    const blob = await got, place = button.closest('figure').querySelector('.chart');
    const names = [...place.querySelectorAll('.legend li')].map((l) => l.textContent);
    const drawn = place.querySelectorAll('svg .role-mark path, svg .role-mark text').length;
    if (blob.type === 'image/png') { const i = await createImageBitmap(blob); out.push([button.ariaLabel, blob.type, [i.width, i.height]]); }
    else {
      const text = await blob.text(), doc = new DOMParser().parseFromString(text, 'image/svg+xml'), svg = doc.documentElement;
      out.push([button.ariaLabel, blob.type, [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))], doc.querySelectorAll('parsererror').length,
        names.every((n) => [...svg.children].some((t) => t.tagName === 'text' && t.textContent === n)), svg.querySelectorAll('.role-mark path, .role-mark text').length === drawn,
        svg.firstElementChild.getAttribute('fill')]);
    }
  }
  URL.createObjectURL = old; return out; })()"""


def saving(b, page):
    """Every chart as SVG and as PNG, for a light page, whatever the screen is."""
    b.look(1280, 900, True)
    b.open(page)
    ok(b.wait(READY, 60) and draw_all(b), "to be saved: every chart is drawn")
    saved = b.run(SAVED)
    charts = b.run("document.querySelectorAll('.chart').length")
    svg, png = ({x[0].rsplit(" as ")[0] + str(i // 2): x for i, x in enumerate(saved) if x[1] == kind} for kind in ("image/svg+xml", "image/png"))
    ok(len(svg) == len(png) == charts > 10, "every chart is saved as SVG and as PNG", len(svg), len(png), charts)
    bad = [x for x in svg.values() if x[3:] != [0, True, True, "#ffffff"]]
    ok(not bad, "an SVG has every mark and every name of the legend, on white", *bad[:3])
    # two pixels each; the legend is arranged once more
    bad = [(svg[k], png[k]) for k in svg if any(abs(2 * a - c) > 2 for a, c in zip(svg[k][2], png[k][2]))]
    ok(not bad, "a PNG is the same, twice as large", *bad[:3])
    ok(not b.complaints(), "saving: the console has no complaint", *b.complaints())


def small(b, where):
    page = make_page(where)
    light(page)
    b.look(1280, 900, False)
    opens_soon(b, page)
    ok(b.run("document.querySelector('h1').textContent") == "A </script> & \"title\"", "a title is a text, whatever is in it")
    draw_all(b)
    kinds(b)
    tables(b), hovering(b), comparing(b)
    looks(b, page, LOOKS[:2])
    saving(b, page)
    alone(b)
    papers(b, make_papers(where))
    judged(b)
    papers(b, make_papers(where, "--quick"))
    quick(b)


def large(b, where):
    page = make_large(where)
    light(page)
    b.look(1280, 900, False)
    opens_soon(b, page)
    ok(draw_all(b), "every chart is drawn")
    ok(not b.complaints(), "the console has no complaint", *b.complaints())
    looks(b, make_page(where), LOOKS)


def light(page):
    size = os.path.getsize(page)
    ok(size < 5 << 20, "the page is below 5 MB", size)
    print(f"# {size} bytes")
    with open(page) as f:
        ok(not re.search(r"(src|href)=[\"']?https?:", f.read()), "it asks for nothing from a network")


def visit(b):
    b.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    with tempfile.TemporaryDirectory() as where:
        (large if pictures else small)(b, where)


if pictures:
    os.makedirs(pictures, exist_ok=True)
sys.exit(tap.finish() if browser.visit(visit) else 0)
