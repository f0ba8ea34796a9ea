// Puts the page together: what it was made by, which runs are shown, and the sections, again whenever other runs are chosen.
import { choose, chosen, data, filters, load, runs, sameInAll } from './data.js';
import { el } from './dom.js';
import { origins } from './origins.js';
import { performance } from './performance.js';
import { allRuns, comparison, details, facts, hits, papers, stalls, windows } from './sections.js';

const app = document.getElementById('app');
const place = el('div');

function show() {
  const one = details();
  const pick = (r) => { one.show(r); one.scrollIntoView({ behavior: 'smooth' }); };
  const sections = [papers(), performance(), windows(), stalls(), origins(), hits(), one, comparison(), runs.length ? allRuns(pick) : null].filter(Boolean);
  place.replaceChildren(
    el('div', { class: 'facts' }, ...facts().map(([n, what]) => el('div', { class: 'fact' }, el('b', {}, n), el('span', {}, what)))),
    ...same(),
    ...(data.runs?.length && !runs.length ? [el('p', { class: 'bad' }, 'No run is like that.')] : []),
    el('nav', {}, ...sections.map((s) => el('a', { href: `#${s.id}` }, s.querySelector('h2').textContent))),
    ...sections);
}

// What the names of the runs leave out, because all that are shown have it.
function same() {
  const list = sameInAll();
  return list.length ? [el('p', { class: 'note same' }, 'In all runs shown: ', ...list.flatMap(([what, v], i) => [i ? '; ' : '', `${what} `, el('b', {}, v)]), '.')] : [];
}

// One choice for everything in which runs differ and by which they can be chosen.
function filterBar() {
  const name = (v) => v || 'none';
  return filters.length ? el('div', { class: 'bar', id: 'filters' }, ...filters.map((f) => el('label', {}, f.name,
    el('select', { 'aria-label': f.name, onchange: (e) => { choose({ ...chosen, [f.name]: e.target.value }); show(); } },
      el('option', { value: 'all', selected: !(f.name in chosen) }, f.newest ? `all ${f.values.length}` : 'all'),
      ...f.values.map(([v, n], i) => el('option', { value: v, selected: chosen[f.name] === v }, `${name(v)}${f.newest && !i ? ', the newest' : ''} (${n})`)))))) : null;
}

function build() {
  document.title = data.title ? `${data.title} – gmmu` : 'gmmu report';
  app.append(...[
    el('header', {}, el('h1', {}, data.title || 'gmmu report'),
      el('div', { class: 'soft' }, `gmmu ${data.gmmu}${data.command ? ' · ' : ''}`, data.command ? el('code', {}, data.command) : null)),
    filterBar(), place].filter(Boolean));
  show();
}

load(document.getElementById('gmmu-data').textContent).then(build)
  .then(() => { document.body.dataset.ready = 'yes'; })
  .catch((e) => { app.append(el('p', { class: 'bad' }, `The data of this page cannot be read: ${e.message}`)); throw e; });
