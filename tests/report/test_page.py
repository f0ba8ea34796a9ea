#!/usr/bin/env python3
"""The page that `gmmu report` writes, in a browser: TAP. Arguments: gmmu, a folder for pictures."""
import os, re, subprocess, sys, tempfile, time
import browser

gmmu, pictures = sys.argv[1], sys.argv[2]
count = failed = 0


def ok(holds, what, *why):
    global count, failed
    count += 1
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {count} - {what}", flush=True)
    if not holds:
        for w in why:
            print(f"# {w}")


STUDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples/study.yaml")


def make_page(where):
    store, page = os.path.join(where, "runs.db"), os.path.join(where, "report.html")
    subprocess.run([gmmu, "sweep", STUDY, "--store", store, "-j", "2"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([gmmu, "report", store, "-o", page, "--title", "A </script> & \"title\""], check=True, stdout=subprocess.DEVNULL)
    return page


READY = "document.body && document.body.dataset.ready === 'yes'"
ALL_DRAWN = """(() => { const c = [...document.querySelectorAll('.chart')];
  return c.length > 0 && c.every((x) => x.dataset.drawn === 'yes' && x.querySelector('svg .mark-group, svg path, svg rect')); })()"""


def draw_all(b):
    """Charts draw themselves when they come near: go down the page as a reader would."""
    b.run("""(async () => { for (let y = 0; y < document.body.scrollHeight; y += innerHeight / 2) {
      scrollTo(0, y); await new Promise((r) => setTimeout(r, 40)); } scrollTo(0, 0); })()""")
    return b.wait(ALL_DRAWN, 20)


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


def comparing(b):
    first = b.run("document.querySelectorAll('#compare tbody tr').length")
    b.run("(() => { const s = document.querySelectorAll('#compare select')[1]; s.value = 0; s.dispatchEvent(new Event('change')); })()")
    same = b.run("document.querySelectorAll('#compare tbody tr').length")
    b.run("(() => { const s = document.querySelectorAll('#compare select')[1]; s.value = 2; s.dispatchEvent(new Event('change')); })()")
    other = b.run("document.querySelectorAll('#compare tbody tr').length")
    ok(first > 20 and same == 0 and other > 20, "two runs are compared, and a run equals itself", f"{first} {same} {other}")
    b.run("document.querySelectorAll('#runs tbody tr')[3].click()")
    chosen = b.run("document.querySelector('#runs tbody tr.chosen td').textContent")
    shown = b.run("(() => { const s = document.querySelector('#run select'); return s.options[s.selectedIndex].textContent; })()")
    ok(shown.startswith(chosen), "a click on a run shows it", chosen, shown)


CHARTS = ("performance by workload and design", "stall stack", "hit rates", "IPC", "L1 TLB miss rate", "L2 TLB miss rate",
          "concurrent walks", "DRAM bytes per cycle, data", "DRAM bytes per cycle, page tables", "walk", "walks",
          "evictions in l2tlb", "evictions in l2", "pages over time", "memory map")


def kinds(b):
    shown = set(b.run("[...document.querySelectorAll('.chart')].map((c) => c.getAttribute('aria-label'))"))
    ok(shown >= set(CHARTS), "there is a chart of every kind", set(CHARTS) - shown)


def looks(b, page):
    for width in (1280, 390):
        for dark in (False, True):
            name = f"{width}-{'dark' if dark else 'light'}"
            b.look(width, 900, dark)
            b.open(page)
            ok(b.wait(READY, 20) and draw_all(b), f"{name}: every chart is drawn",
               b.run("[...document.querySelectorAll('.chart')].filter((x) => x.dataset.drawn !== 'yes').map((x) => x.ariaLabel)"))
            over = b.run("document.documentElement.scrollWidth - innerWidth")
            ok(over <= 0, f"{name}: nothing is wider than the window", over)
            ok(not b.complaints(), f"{name}: the console has no complaint", *b.complaints())
            b.run("scrollTo(0, 0)")
            b.picture(os.path.join(pictures, f"report-{name}.png"), whole=True)


def main():
    program = browser.find()
    if not program:
        print("1..0 # SKIP no Chromium here")
        return 0
    os.makedirs(pictures, exist_ok=True)
    try:
        b = browser.Browser(program)
    except (RuntimeError, TimeoutError, OSError) as e:
        print(f"1..0 # SKIP Chromium does not start here: {e}")
        return 0
    with tempfile.TemporaryDirectory() as where:
        page = make_page(where)
        size = os.path.getsize(page)
        ok(size < 5 << 20, "the page is below 5 MB", size)
        with open(page) as f:
            text = f.read()
        ok(not re.search(r"(src|href)=[\"']?https?:", text), "it asks for nothing from a network")
        try:
            b.look(1280, 900, False)
            begin = time.monotonic()
            b.open(page)
            ready = b.wait(READY, 20)
            ok(ready, "it is there", *b.complaints())
            print(f"# ready after {time.monotonic() - begin:.2f} s")
            ok(b.run("document.querySelector('h1').textContent") == "A </script> & \"title\"", "a title is a text, whatever is in it")
            draw_all(b)
            kinds(b)
            tables(b), hovering(b), comparing(b)
            looks(b, page)
        finally:
            b.close()
    print(f"1..{count}")
    return failed > 0


sys.exit(main())
