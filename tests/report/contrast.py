"""WCAG 2.1 AA, measured on the page as drawn: text has a contrast of 4.5 to what is behind it (3 if it is large), what is drawn
one of 3, or a border that has. Decoration (grid lines, borders of cards) does not count."""
from tap import ok

TEXT, LARGE, GRAPHIC = 4.5, 3.0, 3.0

# All pairs of colours that a reader has to tell apart: [what, ratio, least, colours].
MEASURE = """(() => {
  const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const parse = (c) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1); const d = pen.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [hi, lo] = [light(a), light(b)].sort((x, y) => y - x); return (hi + 0.05) / (lo + 0.05); };
  const opacity = (e) => { let o = 1; for (; e; e = e.parentElement) o *= Number(getComputedStyle(e).opacity); return o; };
  const behind = (e) => { const layers = []; for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); layers.push(c); if (c[3] === 1) break; }
    return layers.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]); };
  const faded = (c, o) => [c[0], c[1], c[2], c[3] * o];
  const out = [], put = (what, a, b, least) => out.push([what, ratio(a, b), least, [a, b].map((c) => c.map(Math.round).slice(0, 3).join(','))]);
  const seen = (e) => { const s = getComputedStyle(e), r = e.getBoundingClientRect(); return s.visibility !== 'hidden' && s.display !== 'none' && r.width > 0 && r.height > 0; };

  // text of the page
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement;
    if (!n.textContent.trim() || e.closest('svg, script, style, noscript') || !seen(e)) continue;
    const s = getComputedStyle(e), size = parseFloat(s.fontSize), large = size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700);
    put(`text "${n.textContent.trim().slice(0, 30)}"`, over(faded(parse(s.color), opacity(e)), behind(e)), behind(e), large ? %(large)s : %(text)s);
  }
  for (const e of document.querySelectorAll('input, select, button')) if (seen(e)) {
    const s = getComputedStyle(e);
    if (e.placeholder) put(`placeholder "${e.placeholder}"`, parse(getComputedStyle(e, '::placeholder').color), behind(e), %(text)s);
    if (e.matches('input[type=search], select')) put(`border of ${e.ariaLabel || e.tagName}`, parse(s.borderTopColor), behind(e.parentElement), %(graphic)s);
  }
  for (const e of document.querySelectorAll('.legend i')) put(`legend "${e.parentElement.textContent.slice(0, 30)}"`, parse(getComputedStyle(e).backgroundColor), behind(e.parentElement), %(graphic)s);

  // charts: what is drawn, from the scene; text against the mark it lies on, if there is one
  for (const place of document.querySelectorAll('.chart')) {
    const name = place.getAttribute('aria-label'), ground = behind(place), cells = [];
    const paint = (c, o) => over(faded(parse(c), o), ground);
    const walk = (mark, x0, y0) => { for (const i of mark.items) {
      const x = x0 + (i.x || 0), y = y0 + (i.y || 0), o = i.opacity ?? 1;
      if (!mark.role.startsWith('axis-grid') && o > 0) {
        if (mark.marktype === 'text' && i.text !== '' && i.fill) {
          const cell = cells.find((c) => x > c.x && x < c.x + c.w && y > c.y && y < c.y + c.h);
          put(`${name}: ${mark.role} "${[].concat(i.text).join(' ').slice(0, 30)}"`, paint(i.fill, o * (i.fillOpacity ?? 1)), cell ? cell.colour : ground, %(text)s);
        } else if (mark.role === 'mark' && mark.marktype !== 'group') {
          const parts = [i.fill && paint(i.fill, o * (i.fillOpacity ?? 1)), i.stroke && i.strokeWidth !== 0 && paint(i.stroke, o * (i.strokeOpacity ?? 1))].filter(Boolean);
          if (parts.length) put(`${name}: ${mark.marktype} of ${JSON.stringify(i.datum).slice(0, 80)}`, parts.reduce((a, b) => (ratio(a, ground) >= ratio(b, ground) ? a : b)), ground, %(graphic)s);
          if (mark.marktype === 'rect' && i.fill) cells.push({ x, y, w: i.width, h: i.height, colour: paint(i.fill, o) });
        }
      }
      for (const m of i.items || []) walk(m, x, y);
    } };
    if (place.chart.view) walk(place.chart.view.scenegraph().root, 0, 0);
  }
  return out;
})()""" % {"text": TEXT, "large": LARGE, "graphic": GRAPHIC}


def check(b, name):
    pairs = b.run(MEASURE)
    kinds = {what.split(" ")[0].rstrip(":") for what, _, _, _ in pairs}
    low = [f"{what}: {ratio:.2f}, below {least}: {colours}" for what, ratio, least, colours in pairs if ratio < least]
    ok(len(pairs) > 100 and "text" in kinds and not low, f"{name}: text has a contrast of 4.5, what is drawn of 3", len(pairs), *sorted(set(low))[:12])
    if pairs:
        print(f"# {name}: {len(pairs)} pairs of colours, the least contrast of text {min(r for _, r, l, _ in pairs if l > GRAPHIC):.2f}, of the rest {min(r for _, r, l, _ in pairs if l <= GRAPHIC):.2f}")
