// Puts the page together.
import { data, load } from './data.js';
import { el } from './dom.js';
import { allRuns, comparison, details, facts, hits, papers, performance, stalls } from './sections.js';

const app = document.getElementById('app');

function build() {
  const one = details();
  const pick = (r) => { one.show(r); one.scrollIntoView({ behavior: 'smooth' }); };
  const sections = [papers(), performance(), stalls(), hits(), one, comparison(), data.runs?.length ? allRuns(pick) : null].filter(Boolean);
  document.title = data.title ? `${data.title} – gmmu` : 'gmmu report';
  app.append(
    el('header', {}, el('h1', {}, data.title || 'gmmu report'),
      el('div', { class: 'soft' }, `gmmu ${data.gmmu}${data.command ? ' · ' : ''}`, data.command ? el('code', {}, data.command) : null)),
    el('div', { class: 'facts' }, ...facts().map(([n, what]) => el('div', { class: 'fact' }, el('b', {}, n), el('span', {}, what)))),
    el('nav', {}, ...sections.map((s) => el('a', { href: `#${s.id}` }, s.querySelector('h2').textContent))),
    ...sections);
}

load(document.getElementById('gmmu-data').textContent).then(build)
  .then(() => { document.body.dataset.ready = 'yes'; })
  .catch((e) => { app.append(el('p', { class: 'bad' }, `The data of this page cannot be read: ${e.message}`)); throw e; });
