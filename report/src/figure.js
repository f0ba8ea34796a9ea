// A chart as a file for a paper: SVG, or PNG with two pixels for each of the screen's. The legend, text of the page on the
// screen, is drawn above the chart.
import { el, saveBlob } from './dom.js';

export const FONT = 'system-ui, sans-serif';
const LINE = 18, SWATCH = 11, SIZE = 12, SCALE = 2;
const pen = document.createElement('canvas').getContext('2d');

// Where the names of a legend stand, in as many lines as they need: {rows: [{name, colour, x, y}], height}.
function arrange(legend, width) {
  const rows = [];
  let x = 4, y = 4;
  pen.font = `${SIZE}px ${FONT}`;
  for (const [name, colour] of legend || []) {
    const room = SWATCH + 6 + pen.measureText(name).width + 14;
    if (x > 4 && x + room > width) { x = 4; y += LINE; }
    rows.push({ name, colour, x, y });
    x += room;
  }
  return { rows, height: rows.length ? y + LINE + 4 : 0 };
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

async function toSvg({ view, legend, ink, paper }) {
  const chart = await view.toSVG();
  const [width, height] = ['width', 'height'].map((n) => Number(chart.match(new RegExp(`<svg[^>]* ${n}="([\\d.]+)"`))[1]));
  const key = arrange(legend, width);
  const names = key.rows.map((r) => `<rect x="${r.x}" y="${r.y + 3}" width="${SWATCH}" height="${SWATCH}" fill="${r.colour}"/>`
    + `<text x="${r.x + SWATCH + 6}" y="${r.y + 13}" font-family="${FONT}" font-size="${SIZE}" fill="${ink}">${escaped(r.name)}</text>`).join('');
  const inner = chart.slice(chart.indexOf('<svg')).replace('<svg', `<svg y="${key.height}"`);
  const whole = height + key.height;
  return `<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}">`
    + `<rect width="100%" height="100%" fill="${paper}"/>${names}${inner}</svg>\n`;
}

async function toCanvas({ view, legend, ink, paper }) {
  const chart = await view.toCanvas(SCALE), width = chart.width / SCALE, key = arrange(legend, width);
  const out = el('canvas', { width: chart.width, height: chart.height + SCALE * key.height }), p = out.getContext('2d');
  p.fillStyle = paper;
  p.fillRect(0, 0, out.width, out.height);
  p.drawImage(chart, 0, SCALE * key.height);
  p.scale(SCALE, SCALE);
  p.font = `${SIZE}px ${FONT}`;
  for (const r of key.rows) {
    p.fillStyle = r.colour;
    p.fillRect(r.x, r.y + 3, SWATCH, SWATCH);
    p.fillStyle = ink;
    p.fillText(r.name, r.x + SWATCH + 6, r.y + 13);
  }
  return out;
}

// make() draws the chart once more: {view, legend, ink, paper}.
export function saveButtons(label, make) {
  const file = label.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const saves = {
    SVG: async (made) => new Blob([await toSvg(made)], { type: 'image/svg+xml' }),
    PNG: async (made) => { const c = await toCanvas(made); return new Promise((done) => { c.toBlob(done, 'image/png'); }); },
  };
  return el('div', { class: 'save' }, ...Object.entries(saves).map(([kind, blob]) => el('button', { 'aria-label': `${label} as ${kind}`, onclick: async () => {
    const made = await make();
    saveBlob(`${file}.${kind.toLowerCase()}`, await blob(made));
    made.view.finalize();
  } }, kind)));
}
