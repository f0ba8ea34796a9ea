// One way to draw a Vega-Lite chart: as wide as its place, in the page's colours, again when either changes.
import * as vega from 'vega';
import { compile } from 'vega-lite';
import { el } from './dom.js';

const PALETTE = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#bbbbbb', '#ee8866', '#44bb99', '#99ddff', '#bbcc33', '#ffaabb'];
const quiet = vega.logger(vega.Error);
const shown = new Set();
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const theme = () => {
  const ink = css('--ink'), soft = css('--soft'), line = css('--line');
  return {
    background: 'transparent', font: 'system-ui, sans-serif', padding: 2,
    view: { stroke: 'transparent' },
    axis: { labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 },
    legend: { labelColor: ink, titleColor: soft, labelFontSize: 12, titleFontSize: 12, orient: 'top', columns: innerWidth < 600 ? 3 : 8, symbolLimit: 60, labelLimit: 220 },
    header: { labelColor: ink, titleColor: soft, labelFontSize: 12 },
    range: { category: PALETTE, heatmap: { scheme: matchMedia('(prefers-color-scheme: dark)').matches ? 'viridis' : 'blues' } },
    rule: { color: soft }, text: { color: ink, fontSize: 11 }, bar: { cornerRadius: 1 },
  };
};

const tip = el('div', { id: 'vg-tooltip', role: 'status' });
document.body.append(tip);
function tooltip(handler, event, item, value) {
  if (!value) { tip.style.display = 'none'; return; }
  tip.textContent = typeof value === 'object' ? Object.entries(value).map(([k, v]) => `${k}: ${v}`).join('\n') : String(value);
  tip.style.display = 'block';
  tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 12, innerHeight - tip.offsetHeight - 8)}px`;
}

async function draw(c) {
  if (c.view) c.view.finalize();
  const width = Math.max(180, c.place.clientWidth - 8);
  const spec = c.make(width);
  const compiled = compile({ $schema: 'https://vega.github.io/schema/vega-lite/v6.json', autosize: { type: 'fit-x', contains: 'padding' }, width, config: theme(), ...spec }, { logger: quiet });
  c.view = new vega.View(vega.parse(compiled.spec), { renderer: 'svg', container: c.place, hover: true, tooltip: tooltip });
  await c.view.runAsync();
  c.width = width;
  c.place.setAttribute('aria-label', c.label); // Vega puts its own there
  c.place.dataset.drawn = 'yes';
}

// make(width) returns a Vega-Lite spec without width. Drawn when it comes near the window.
const watch = new IntersectionObserver((entries) => {
  for (const e of entries) {
    const c = e.isIntersecting && e.target.chart;
    if (c && !c.view) draw(c);
  }
}, { rootMargin: '600px' });

export function chart(make, label) {
  const place = el('div', { class: 'chart', role: 'img', 'aria-label': label });
  place.chart = { place, make, label, view: null, width: 0 };
  shown.add(place.chart);
  watch.observe(place);
  return place;
}

export function redraw(place, make) {
  if (make) place.chart.make = make;
  return draw(place.chart);
}

let timer = 0;
function again() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const c of shown) {
      if (!c.place.isConnected) { shown.delete(c); if (c.view) c.view.finalize(); } else if (c.view) draw(c);
    }
  }, 120);
}
addEventListener('resize', again);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
addEventListener('beforeprint', () => { for (const c of shown) if (!c.view) draw(c); });
