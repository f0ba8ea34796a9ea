// One way to draw a Vega-Lite chart: as wide as its place, in the page's colours, again when either changes. Legends of names
// are text of the page, which wraps; labels of axes wrap or turn, and none is cut. Every chart can be saved (figure.js).
//
// Colours differ by mode: text has a contrast of 4.5 to what is behind it, and what is drawn has one of 3, or a border that
// has (WCAG AA). So whatever asks for a colour does so when it draws.
import * as vega from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile } from 'vega-lite';
import { el } from './dom.js';
import { FONT, saveButtons } from './figure.js';

const PALETTE = {
  light: ['#4477aa', '#d1495b', '#228833', '#8a7400', '#1787aa', '#aa3377', '#6f6f6f', '#c05a18', '#1a8069', '#5b4fb5', '#6d7c00', '#7a4a2b'],
  dark: ['#6fa3d8', '#ff8a94', '#5cc46c', '#e0cc55', '#7fdcff', '#e07ab8', '#c4c4c4', '#ff9f73', '#5fd6b4', '#a99cff', '#cfe05a', '#ffb8d9'],
};
const quiet = vega.logger(vega.Error);
const shown = new Set();
let onPaper = false; // a chart that is saved is for a light page, whatever the screen is
export const mode = () => (!onPaper && matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
export const byMode = (light, dark) => (mode() === 'dark' ? dark : light);
const css = (name) => (onPaper ? document.styleSheets[0].cssRules[0].style : getComputedStyle(document.documentElement)).getPropertyValue(name).trim();
export const behind = () => css('--bg');

/* ---- colours ---- */

// A colour for each name, all different; beyond the palette hues go round by the golden angle.
const hue = (i) => `hsl(${Math.round((i * 137.508) % 360)}, 60%, ${byMode([22, 28, 34], [64, 74, 84])[i % 3]}%)`;
export const colours = (names) => names.map((_, i) => (names.length <= PALETTE.light.length ? PALETTE[mode()][i] : hue(i)));
// Encoding and legend of a nominal field.
export const colourBy = (field, names, range = colours(names)) => ({ field, type: 'nominal', scale: { domain: names, range }, legend: null });
export const legendOf = (names, range = colours(names)) => names.map((name, i) => [name, range[i]]);

const parse = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const mix = (a, b, t) => parse(a).map((v, i) => Math.round(v + (parse(b)[i] - v) * t));
const luminance = (rgb) => rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
// From nothing to much: of cells with a number and a border; of cells with neither, which are seen from the first on.
export const ramp = () => byMode(['#edf3fa', '#08519c'], ['#1d2733', '#8ec5ff']);
export const heatRamp = () => byMode(['#6f93bd', '#08306b'], ['#5c7fa6', '#d6ecff']);
export const cellBorder = () => ({ stroke: css('--edge'), strokeWidth: 1 });
// A border between the parts of a stack, whose colours may be near each other.
export const partBorder = () => ({ stroke: behind(), strokeWidth: 0.8 });
// n steps of the way from a to b.
export const steps = (a, b, n) => Array.from({ length: n }, (_, i) => `#${mix(a, b, n > 1 ? i / (n - 1) : 0).map((v) => v.toString(16).padStart(2, '0')).join('')}`);
// Black or white, whichever can be read on the ramp's colour of t, 0 .. 1.
export const inkOn = (t) => (luminance(mix(...ramp(), t)) > 0.179 ? '#000000' : '#ffffff');

/* ---- labels ---- */

const pen = document.createElement('canvas').getContext('2d');
export function textWidth(text, size = 12) {
  pen.font = `${size}px ${FONT}`;
  return pen.measureText(text).width;
}

// Lines no wider than `room`: broken at blanks and behind , : and =, in mid-word only where a word is wider than that.
export function wrap(text, room) {
  const lines = [];
  let line = '';
  const put = (piece) => {
    if (!line || textWidth(line + piece.trimEnd()) <= room) line += piece;
    else { lines.push(line); line = piece; }
    while (textWidth(line.trimEnd()) > room && line.length > 1) {
      let n = line.length - 1;
      while (n > 1 && textWidth(line.slice(0, n)) > room) n--;
      lines.push(line.slice(0, n)); line = line.slice(n);
    }
  };
  for (const piece of text.match(/[^ ,:=]*[ ,:=]?/g)) if (piece) put(piece);
  if (line.trim()) lines.push(line);
  return lines.map((l) => l.trim());
}

// An axis of names: {axis, lines, room, offset}. Its labels are wrapped to `room`; `lines` is what the longest needs.
export function nameAxis(names, room) {
  const wrapped = names.map((n) => wrap(n, room));
  const cases = (of) => names.map((n, i) => (wrapped[i].length > 1 ? `datum.value === ${JSON.stringify(n)} ? ${JSON.stringify(of(wrapped[i]))} : ` : '')).join('');
  return {
    lines: Math.max(1, ...wrapped.map((l) => l.length)), room: Math.max(0, ...wrapped.flat().map((l) => textWidth(l))),
    // lines grow downwards from the middle: half of them go up
    axis: { labelExpr: `${cases((l) => l)}datum.value`, labelLimit: 0, labelOverlap: false, labelLineHeight: 14 }, offset: { expr: `${cases((l) => -7 * (l.length - 1))}0` },
  };
}
// The same from below or above, `room` for each name: beside each other if that takes no more than three lines, else upright.
export function nameAxisAcross(names, room) {
  const a = nameAxis(names, room - 8);
  const whole = names.every((n) => n.split(/[ ,:=]/).every((w) => textWidth(w) <= room - 8));
  return whole && a.lines <= 3 ? { ...a.axis, labelAngle: 0 } : { labelAngle: -90, labelLimit: 0, labelOverlap: false };
}

/* ---- drawing ---- */

const theme = () => {
  const ink = css('--ink'), soft = css('--soft'), line = css('--line'), edge = css('--edge');
  return {
    background: 'transparent', font: FONT, padding: { left: 2, top: 4, right: 10, bottom: 2 },
    view: { stroke: 'transparent' },
    axis: { labelColor: soft, titleColor: soft, gridColor: line, domainColor: edge, tickColor: edge, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, labelLimit: 0, titleLimit: 0 },
    legend: { labelColor: ink, titleColor: soft, labelFontSize: 12, titleFontSize: 12, orient: 'top', labelLimit: 0, titleLimit: 0 },
    range: { category: PALETTE[mode()], heatmap: heatRamp(), ramp: heatRamp() },
    rule: { color: ink }, text: { color: ink, fontSize: 11, limit: 0 }, bar: { cornerRadius: 1 },
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

// Expressions are interpreted: the page's security policy forbids what would compile them.
function viewOf(c, more) {
  const width = Math.max(180, c.place.clientWidth - 8);
  const { legend, ...spec } = c.make(width);
  const compiled = compile({ $schema: 'https://vega.github.io/schema/vega-lite/v6.json', autosize: { type: 'fit-x', contains: 'padding' }, width, config: theme(), ...spec }, { logger: quiet });
  return { legend, view: new vega.View(vega.parse(compiled.spec, null, { ast: true }), { expr: expressionInterpreter, ...more }) };
}

// The chart again, in the colours of a light page: {view, legend, ink, paper}; the caller finalizes the view.
async function forPaper(c) {
  onPaper = true;
  try {
    const made = { ...viewOf(c, { renderer: 'none' }), ink: css('--ink'), paper: behind() };
    await made.view.runAsync();
    return made;
  } finally { onPaper = false; }
}

async function draw(c) {
  delete c.place.dataset.drawn;
  if (c.view) c.view.finalize();
  const plot = el('div', { class: 'plot' });
  const { legend, view } = viewOf(c, { renderer: 'svg', container: plot, hover: true, tooltip });
  c.view = view;
  const key = el('ul', { class: 'legend' }, ...(legend || []).map(([name, colour]) => {
    const swatch = el('i');
    swatch.style.background = colour;
    return el('li', {}, swatch, name);
  }));
  c.place.replaceChildren(...(legend?.length ? [key] : []), plot);
  await c.view.runAsync();
  c.place.setAttribute('aria-label', c.label); // Vega puts its own there
  c.place.dataset.drawn = 'yes';
}

// make(width) returns a Vega-Lite spec without width and, beside it, `legend`: [name, colour] of each. Drawn when it comes near
// the window.
const watch = new IntersectionObserver((entries) => {
  for (const e of entries) {
    const c = e.isIntersecting && e.target.chart;
    if (c && !c.view) draw(c);
  }
}, { rootMargin: '600px' });

export function chart(make, label) {
  const place = el('div', { class: 'chart', role: 'img', 'aria-label': label });
  place.chart = { place, make, label, view: null };
  shown.add(place.chart);
  watch.observe(place);
  const figure = el('figure', {}, place, saveButtons(label, () => forPaper(place.chart)));
  figure.chart = place.chart;
  return figure;
}

export function redraw(figure, make) {
  if (make) figure.chart.make = make;
  return figure.chart.view ? draw(figure.chart) : null;
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
