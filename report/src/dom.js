// Elements, and a table that sorts, filters and exports itself.

export function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v !== null && v !== undefined) e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

export function saveBlob(name, blob) {
  const a = el('a', { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
const save = (name, text) => saveBlob(name, new Blob([text], { type: 'text/csv' }));

export const section = (id, title, note, ...children) =>
  el('section', { id }, el('h2', {}, title), note && el('p', { class: 'note' }, note), ...children);
export const card = (title, ...children) => el('div', { class: 'card' }, title && el('h3', {}, title), ...children);
// A choice; options: [value, text].
export const select = (label, options, value, onchange) => el('label', {}, label,
  el('select', { 'aria-label': label, onchange: (e) => onchange(e.target.value) },
    ...options.map(([v, text]) => el('option', { value: v, selected: v === value }, text))));
export const checkbox = (label, checked, onchange) => el('label', {},
  el('input', { type: 'checkbox', checked, onchange: (e) => onchange(e.target.checked) }), label);

const quote = (v) => (/[",\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v);
export const csv = (columns, rows) =>
  [columns.map((c) => c.name), ...rows.map((r) => columns.map((c) => c.value(r) ?? ''))]
    .map((line) => line.map((v) => quote(String(v))).join(',')).join('\n') + '\n';

const compare = (a, b) =>
  a === b ? 0 : a === null || a === undefined ? 1 : b === null || b === undefined ? -1
    : typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });

const MOST_ROWS = 2000; // a page with more is slow

// columns: {name, value(row), text(row)?, cls(row)?, num?, wrap?}. onPick(row) makes rows clickable.
export function table({ columns, rows, file, onPick, sort = null, placeholder = 'filter rows' }) {
  let by = sort, down = false, needle = '';
  const body = el('tbody'), count = el('span', { class: 'soft' });
  const text = (c, r) => (c.text ? c.text(r) : String(c.value(r) ?? '–'));
  const head = columns.map((c, i) => el('th', {
    class: c.num ? 'num' : null, tabindex: 0, scope: 'col',
    onclick: () => choose(i), onkeydown: (e) => { if (e.key === 'Enter') choose(i); },
  }, c.name));
  const choose = (i) => { down = by === i ? !down : Boolean(columns[i].num); by = i; draw(); };
  const kept = () => {
    const words = needle.toLowerCase().split(/\s+/).filter(Boolean);
    const out = rows.filter((r) => words.every((w) => columns.some((c) => text(c, r).toLowerCase().includes(w))));
    if (by !== null) out.sort((a, b) => (down ? -1 : 1) * compare(columns[by].value(a), columns[by].value(b)));
    return out;
  };
  function draw() {
    const list = kept();
    head.forEach((h, i) => h.setAttribute('aria-sort', i === by ? (down ? 'descending' : 'ascending') : 'none'));
    count.textContent = (list.length === rows.length ? `${rows.length} rows` : `${list.length} of ${rows.length} rows`)
      + (list.length > MOST_ROWS ? `; the first ${MOST_ROWS} are shown, CSV has all` : '');
    body.replaceChildren(...list.slice(0, MOST_ROWS).map((r) => {
      const row = el('tr', {}, ...columns.map((c) =>
        el('td', { class: [c.num && 'num', c.wrap && 'wrap', c.cls && c.cls(r)].filter(Boolean).join(' ') || null }, text(c, r))));
      if (onPick) {
        row.style.cursor = 'pointer';
        row.addEventListener('click', () => {
          body.querySelectorAll('.chosen').forEach((x) => x.classList.remove('chosen'));
          row.classList.add('chosen');
          onPick(r);
        });
      }
      return row;
    }));
  }
  draw();
  return el('div', {},
    el('div', { class: 'bar' },
      el('input', { type: 'search', placeholder, 'aria-label': placeholder, oninput: (e) => { needle = e.target.value; draw(); } }),
      el('button', { onclick: () => save(`${file}.csv`, csv(columns, kept())) }, 'CSV'), count),
    el('div', { class: 'scroll', tabindex: 0 }, el('table', {}, el('thead', {}, el('tr', {}, ...head)), body)));
}
