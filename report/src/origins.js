// Which arrays, kernels and lines are responsible, under which variant: lists by_array, by_kernel and by_line of runs that were
// made with attribution. The rows of a list add up to the application's total, which the table has beside the sum.
import { chart, colourBy, legendOf, nameAxis, partBorder, redraw } from './chart.js';
import { charted, data, inOrder, short, valueAt, variantOf, variants, whoOf } from './data.js';
import { card, el, section, select, table } from './dom.js';

const LISTS = { array: 'by_array', kernel: 'by_kernel', line: 'by_line' };
const SHOWN = 11; // names with a colour of their own
const OTHERS = 'all others';
const unique = (list) => [...new Set(list)];
const sum = (list) => list.reduce((s, v) => s + v, 0);

// What is counted, as it is declared (src/observe/measures.def): of a row of a list, and of the application as a whole, where a
// machine without walks has no walker.
const stalled = (x, kind) => sum((data.stalls || []).filter((s) => s.kind === kind).map((s) => x.stall?.[s.name] || 0));
const added = (x, paths) => sum(paths.split(' + ').map((p) => valueAt(x, p) ?? 0));
const measures = () => Object.fromEntries((data.measures || []).map((m) => [m.title, m.stalls
  ? { row: (r) => stalled(r, m.stalls), all: (a) => stalled(a, m.stalls) } : { row: (r) => added(r, m.row), all: (a) => added(a, m.all) }]));

// Names of a list, all different: lines of two kernels may be the same, and kernels of two symbols.
function labels(list) {
  const twice = (names) => names.map((n) => names.indexOf(n) !== names.lastIndexOf(n));
  let out = list.map((r) => r.name);
  for (const more of ['kernel', 'symbol']) { const t = twice(out); out = out.map((n, i) => (t[i] && list[i][more] ? `${n} in ${list[i][more]}` : n)); }
  const t = twice(out);
  return out.map((n, i) => (t[i] ? `${n} #${i + 1}` : n));
}

// {who, variant, key, app, total: statistics of the application, rows: [{name, row}]} of every application that has such a list.
const listsOf = (what) => charted().flatMap((r) => r.stats.apps.flatMap((a, i) => {
  const list = a[LISTS[what]];
  if (!Array.isArray(list)) return [];
  const name = labels(list);
  return [{ who: whoOf(r, i), variant: variantOf(r), key: r.key, app: i, total: a, rows: list.map((row, k) => ({ name: name[k], row })) }];
}));

// A bar for each variant, as long as the application's total; the costliest names have a colour each.
const spec = (lists, measure) => (width) => {
  const cost = new Map(), value = measures()[measure].row;
  for (const l of lists) for (const x of l.rows) cost.set(x.name, (cost.get(x.name) || 0) + (value(x.row) || 0));
  const order = [...cost].filter(([, v]) => v).sort((a, b) => b[1] - a[1]).map(([n]) => n), own = order.slice(0, SHOWN);
  const names = order.length > SHOWN ? [...own, OTHERS] : own;
  const values = lists.flatMap((l) => {
    const total = sum(l.rows.map((x) => value(x.row) || 0));
    const part = (name, v) => ({ key: l.key, app: l.app, variant: l.variant, name, value: v, share: total ? v / total : 0, order: names.indexOf(name) });
    return [...l.rows.filter((x) => own.includes(x.name)).map((x) => part(x.name, value(x.row))),
      ...(order.length > SHOWN ? [part(OTHERS, sum(l.rows.filter((x) => !own.includes(x.name)).map((x) => value(x.row) || 0)))] : [])].filter((v) => v.value);
  });
  const kinds = inOrder(variants, new Set(lists.map((l) => l.variant))), axis = nameAxis(kinds, width * 0.4);
  return {
    data: { values }, height: { step: Math.max(26, 15 * axis.lines) }, legend: legendOf(names), mark: { type: 'bar', ...partBorder() },
    encoding: {
      y: { field: 'variant', type: 'nominal', sort: kinds, title: null, scale: { domain: kinds }, axis: { ...axis.axis, labelOffset: axis.offset } },
      x: { field: 'value', type: 'quantitative', stack: 'zero', title: measure, axis: { format: '~s', tickCount: 5 } },
      color: colourBy('name', names), order: { field: 'order' },
      tooltip: [{ field: 'variant' }, { field: 'name' }, { field: 'value', format: ',', title: measure }, { field: 'share', type: 'quantitative', format: '.2%' }],
    },
  };
};

// Every number, and below them the application's own statistics, which the sums must be.
const TOTAL = 'the application';
function numbers(what, lists) {
  const rows = lists.flatMap((l) => [...l.rows.map((x) => ({ variant: l.variant, name: x.name, of: (m) => m.row(x.row), row: x.row })),
    { variant: l.variant, name: TOTAL, of: (m) => m.all(l.total), row: {} }]);
  return table({ file: `by-${what}`, rows, placeholder: 'filter rows', columns: [
    { name: 'variant', value: (r) => r.variant }, { name: what, value: (r) => r.name, wrap: true },
    ...(what === 'line' ? [{ name: 'kernel', value: (r) => r.row.kernel ?? '' }, { name: 'arrays', value: (r) => (r.row.arrays || []).join(', ') }] : []),
    ...Object.entries(measures()).map(([name, m]) => ({ name, num: true, value: (r) => r.of(m), text: (r) => short(r.of(m)) })),
  ] });
}

function wrongSums(lists) {
  return lists.flatMap((l) => Object.entries(measures()).filter(([, m]) => sum(l.rows.map((x) => m.row(x.row) || 0)) !== m.all(l.total))
    .map(([name]) => `${l.variant}: ${name}`));
}

export function origins() {
  const there = Object.keys(LISTS).filter((w) => listsOf(w).some((l) => l.rows.length));
  if (!there.length) return null;
  const counted = measures();
  let what = there[0], measure = Object.keys(counted)[0], who = '';
  const head = el('div', { class: 'bar' }), foot = el('div');
  const chosen = () => { const all = listsOf(what), whos = unique(all.map((l) => l.who)); if (!whos.includes(who)) [who] = whos; return { whos, own: all.filter((l) => l.who === who) }; };
  const measuresOf = (own) => Object.keys(counted).filter((m) => own.some((l) => l.rows.some((x) => counted[m].row(x.row))));
  const place = chart((width) => spec(chosen().own, measure)(width), 'who is responsible');
  const show = () => {
    const { whos, own } = chosen(), some = measuresOf(own), wrong = wrongSums(own);
    if (!some.includes(measure)) measure = some[0] || measure;
    const list = (names) => names.map((n) => [n, n]);
    head.replaceChildren(select('by', list(there), what, (v) => { what = v; again(); }), select('application of', list(whos), who, (v) => { who = v; again(); }),
      select('counted', list(some), measure, (v) => { measure = v; again(); }));
    foot.replaceChildren(...(wrong.length ? [el('p', { class: 'bad' }, `Sums that are not the application\u2019s total: ${wrong.join('; ')}.`)] : []), numbers(what, own));
  };
  const again = () => { show(); redraw(place); };
  show();
  return section('origins', 'Arrays, kernels and lines', 'Who waited, missed and moved bytes, under which variant, of runs that were made with gmmu run --by or observe.origins. Rows add up to the application\u2019s total exactly.', head, card(null, place), foot);
}
