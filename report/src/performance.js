// Performance and fairness. A mark is one run, or the mean of runs that differ in their seed alone, which its name lists. A swept
// number is the axis of lines; otherwise there is a bar for each workload and variant.
import { chart, colourBy, legendOf, nameAxis, nameAxisAcross, redraw, wrap } from './chart.js';
import { compared, done, fixed, inOrder, ipcKinds, ipcOf, KIND_TEXT, numberOf, seedOf, sweeps, variantOf, variants, workloadOf, workloads, workloadWithout } from './data.js';
import { card, checkbox, el, section, select, table } from './dom.js';

const unique = (list) => [...new Set(list)];

/* ---- a row for each run ---- */

// A swept parameter makes a workload of each run: one way of running each is enough to compare.
const runsOf = (sweep) => (sweep ? done.filter((r) => sweep.at(r) !== '') : compared());

// Throughput is relative to the run of the same workload under `base`. Speed-ups against different baselines are not of one
// workload.
function performanceRows(base, sweep) {
  const kinds = ipcKinds(), below = new Map(done.filter((r) => variantOf(r) === base).map((r) => [workloadOf(r), r]));
  const baselines = new Set(done.map((r) => r.speedup?.baseline).filter(Boolean));
  return runsOf(sweep).map((r) => {
    const b = below.get(workloadOf(r)), total = ipcOf(r, kinds);
    return {
      run: r, key: r.key, workload: workloadOf(r), variant: variantOf(r), seed: seedOf(r), kind: KIND_TEXT[kinds.get(workloadOf(r))], throughput: total,
      relative: b && ipcOf(b, kinds) ? total / ipcOf(b, kinds) : null,
      baseline: baselines.size > 1 && r.speedup ? `, alone under ${r.speedup.baseline}` : '',
      weighted: r.speedup?.weighted_speedup ?? null, unfairness: r.speedup?.unfairness ?? null,
    };
  });
}

const measures = (base) => ({
  weighted: { title: 'weighted speed-up', why: 'Sum over the applications of IPC shared / IPC alone.' },
  relative: { title: `throughput over ${base}`, why: `Instructions per cycle of all applications, relative to ${base}.` },
  throughput: { title: 'throughput (IPC)', why: 'Warp instructions per cycle, the sum over the applications: of complete executions where all runs of a workload have them, else of the whole run.' },
  unfairness: { title: 'unfairness', why: 'Greatest slow-down of an application against running alone.' },
});
const suffixOf = (r, field) => (field === 'weighted' || field === 'unfairness' ? r.baseline : '');
const rowsOf = (rows, field) => rows.filter((r) => typeof r[field] === 'number')
  .map((r) => ({ ...r, value: r[field], low: r[field], high: r[field], keys: [r.key], workload: r.workload + suffixOf(r, field) }));

/* ---- means over seeds ---- */

// "1 to 5, 8": numbers that follow each other are a range.
function seedText(seeds) {
  const sorted = [...seeds].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })), out = [];
  for (const s of sorted) {
    const last = out[out.length - 1];
    if (last && Number(s) === Number(last[1]) + 1) last[1] = s;
    else out.push([s, s]);
  }
  return out.map(([a, b]) => (a === b ? a : `${a}${Number(b) === Number(a) + 1 ? ',' : ' to'} ${b}`)).join(', ');
}

const mean = (list) => (list.length ? list.reduce((s, v) => s + v, 0) / list.length : null);

// Of runs that differ in their seed alone, one row: their mean, and the least and the greatest. Every variant of a workload is a
// mean over the same seeds, those that all of them have; where they share fewer than two, rows stay as they are.
function overSeeds(rows, nameOf) {
  const groups = new Map();
  for (const r of rows) groups.set(nameOf(r), [...(groups.get(nameOf(r)) || []), r]);
  return [...groups].flatMap(([name, list]) => {
    const own = unique(list.map((r) => r.variant)), seeds = unique(list.map((r) => r.seed));
    const has = (v, s) => list.some((r) => r.variant === v && r.seed === s);
    const shared = seeds.filter((s) => own.every((v) => has(v, s)));
    if (shared.length < 2) return list;
    return own.map((v) => {
      const of = list.filter((r) => r.variant === v && shared.includes(r.seed)), values = of.map((r) => r.value);
      return { ...of[0], key: undefined, keys: of.map((r) => r.key), workload: `${name}, mean of seeds ${seedText(shared)}`,
        value: mean(values), low: Math.min(...values), high: Math.max(...values), shared };
    });
  });
}

/* ---- charts ---- */

// The axis of values. One that does not begin at 0 says so, and then there are points in place of bars, whose length would lie.
const EDGE = 0.06;
function valueAxis(rows, title, zoom) {
  if (!zoom) return { field: 'value', type: 'quantitative', title, stack: null };
  const low = Math.min(...rows.map((r) => r.low)), high = Math.max(...rows.map((r) => r.high)), edge = EDGE * (high - low || Math.abs(high) || 1);
  return { field: 'value', type: 'quantitative', stack: null, scale: { domain: [low - edge, high + edge], nice: false, zero: false }, axis: { format: '.4~r', tickCount: 6 },
    title: [].concat(title, `the axis begins at ${(low - edge).toPrecision(3)}, not at 0`) };
}
const tips = (field, title, more) => [{ field: 'workload' }, { field: 'variant' }, ...more, { field: 'value', type: 'quantitative', format: '.4f', title },
  { field: 'low', type: 'quantitative', format: '.4f', title: 'least' }, { field: 'high', type: 'quantitative', format: '.4f', title: 'greatest' },
  ...(field === 'throughput' || field === 'relative' ? [{ field: 'kind', title: 'of' }] : [])];

// Upright where names and bars have room, else lying. No bar is stacked on another. A line from the least to the greatest of
// what a mean is of.
const bars = (rows, field, title, zoom) => (width) => {
  const names = unique(rows.map((r) => r.workload)), kinds = inOrder(variants, new Set(rows.map((r) => r.variant)));
  const plot = width - 44 - 16 * wrap(title, 240).length; // beside the axis, whose title stands upright
  const across = nameAxisAcross(names, plot / names.length), lying = nameAxis(names, width * 0.4);
  const upright = rows.length <= 60 && plot / (names.length * kinds.length) > 9 && across.labelAngle === 0;
  const value = valueAxis(rows, wrap(title, upright ? 240 : width * 0.5), zoom);
  const [along, offset, to] = upright ? ['x', 'xOffset', 'y'] : ['y', 'yOffset', 'x'];
  const axis = upright ? across : { ...lying.axis, labelOffset: lying.offset };
  return {
    data: { values: rows }, legend: legendOf(kinds),
    height: upright ? 260 : { step: Math.max(13, (14 * lying.lines) / kinds.length) },
    encoding: { [along]: { field: 'workload', type: 'nominal', sort: names, title: null, axis }, [offset]: { field: 'variant', sort: kinds } },
    layer: [
      { mark: zoom ? { type: 'point', filled: true, size: 70, opacity: 1 } : { type: 'bar' }, encoding: { [to]: value, color: colourBy('variant', kinds), tooltip: tips(field, title, []) } },
      { transform: [{ filter: 'datum.high > datum.low' }], mark: { type: 'rule', strokeWidth: 1.5 }, encoding: { [to]: { ...value, field: 'low' }, [`${to}2`]: { field: 'high' } } },
    ],
  };
};

// Logarithmic where values are a factor of four apart or more; its ticks are the values there are, as they were given.
const lines = (rows, field, title, zoom, sweep) => (width) => {
  const kinds = unique([...rows].sort((a, b) => variants.indexOf(variantOf(a.run)) - variants.indexOf(variantOf(b.run))).map((r) => r.variant)), at = unique(rows.map((r) => r.x)).sort((a, b) => a - b);
  const log = at[0] > 0 && at[at.length - 1] / at[0] >= 4, text = new Map(rows.map((r) => [r.x, r.text]));
  return {
    data: { values: rows }, legend: legendOf(kinds), height: 260,
    encoding: {
      x: { field: 'x', type: 'quantitative', title: sweep.name, scale: { type: log ? 'log' : 'linear', ...(log ? { base: 2 } : {}), zero: false, nice: false, padding: 12 },
        axis: { values: at, grid: false, labelOverlap: 'greedy', labelExpr: `${JSON.stringify(Object.fromEntries(text))}[datum.value]` } },
      color: colourBy('variant', kinds),
    },
    layer: [
      { mark: { type: 'line', strokeWidth: 2, point: { filled: true, size: 46, opacity: 1 } }, encoding: { y: valueAxis(rows, wrap(title, 240), zoom), tooltip: tips(field, title, [{ field: 'text', title: sweep.name }]) } },
      { transform: [{ filter: 'datum.high > datum.low' }], mark: { type: 'rule', strokeWidth: 1.5 }, encoding: { y: { ...valueAxis(rows, wrap(title, 240), zoom), field: 'low' }, y2: { field: 'high' } } },
    ],
  };
};

// Each row at its place of the sweep; a series is what does not differ but in that.
function swept(rows, sweep) {
  const taken = new Set();
  return rows.map((r) => {
    const text = sweep.at(r.run), row = { ...r, text, x: numberOf(text), workload: r.workload, variant: sweep.variant(r.run) };
    const place = JSON.stringify([row.workload, row.variant, row.x]);
    if (taken.has(place)) row.variant = r.variant;
    taken.add(place);
    return row;
  }).sort((a, b) => a.x - b.x);
}

/* ---- the section ---- */

const AT_LEAST = 3; // values of a sweep that make it the axis without being asked
const BY_WORKLOAD = 'workload';
let wish = {};      // what was chosen: {field, base, axis, workload, seeds, zoom}

// What is to be seen, of what was wished for and is there.
function plan() {
  const all = sweeps();
  const names = [BY_WORKLOAD, ...all.map((s) => s.name)];
  const axis = names.includes(wish.axis) ? wish.axis : all[0]?.values.length >= AT_LEAST ? all[0].name : BY_WORKLOAD;
  const sweep = all.find((s) => s.name === axis), bases = inOrder(variants, new Set(runsOf(sweep).map(variantOf)));
  const base = bases.includes(wish.base) ? wish.base : bases[0], kinds = measures(base);
  const runs = performanceRows(base, sweep), fields = Object.keys(kinds).filter((f) => runs.some((r) => r[f] !== null));
  const field = fields.includes(wish.field) ? wish.field : fields[0];
  const bySeeds = unique(runs.map((r) => r.seed)).length > 1, seeds = bySeeds && (wish.seeds ?? true);
  return { base, bases, names, axis, sweep, kinds, runs, fields, field, bySeeds, seeds, zoom: Boolean(wish.zoom) };
}

// The rows that are drawn; of a sweep those of one workload.
function drawn(p) {
  const own = rowsOf(p.runs, p.field).sort((a, b) => workloads.indexOf(workloadOf(a.run)) - workloads.indexOf(workloadOf(b.run)));
  const suffix = (r) => suffixOf(r, p.field);
  if (!p.sweep) return { rows: p.seeds ? overSeeds(own, (r) => workloadWithout(r.run, 'seed') + suffix(r)) : own, whos: [] };
  const named = own.map((r) => ({ ...r, workload: p.sweep.workload(r.run) + suffix(r) }));
  const rows = p.seeds ? overSeeds(named, (r) => p.sweep.workload(r.run, 'seed') + suffix(r)) : named;
  const list = swept(rows, p.sweep), whos = unique(list.map((r) => r.workload)), who = whos.includes(wish.workload) ? wish.workload : whos[0];
  return { rows: list.filter((r) => r.workload === who), whos, who };
}

const specOf = (p, d) => (p.sweep ? lines(d.rows, p.field, p.kinds[p.field].title, p.zoom, p.sweep) : bars(d.rows, p.field, p.kinds[p.field].title, p.zoom));

export function performance() {
  if (!plan().fields.length) return null;
  const place = chart((width) => { const p = plan(); return specOf(p, drawn(p))(width); }, 'performance by workload and design');
  const head = el('div'), foot = el('div');
  const change = (more) => { wish = { ...wish, ...more }; show(); redraw(place); };
  function show() {
    const p = plan(), d = drawn(p), list = (names) => names.map((n) => [n, n]);
    const seeds = d.rows.some((r) => r.shared) ? ' Runs that differ in their seed alone are one mark: their mean, and a line from the least to the greatest.' : '';
    head.replaceChildren(
      el('div', { class: 'bar' }, ...p.fields.map((f) => el('button', { 'aria-pressed': String(f === p.field), onclick: () => change({ field: f }) }, p.kinds[f].title))),
      el('div', { class: 'bar' },
        p.names.length > 1 ? select('x axis', list(p.names), p.axis, (axis) => change({ axis })) : null,
        d.whos.length > 1 ? select('workload', list(d.whos), d.who, (workload) => change({ workload })) : null,
        p.bases.length > 1 ? select('baseline', list(p.bases), p.base, (base) => change({ base })) : null,
        p.bySeeds ? checkbox('mean over seeds', p.seeds, (on) => change({ seeds: on })) : null,
        checkbox('small differences (the axis does not begin at 0)', p.zoom, (zoom) => change({ zoom }))),
      el('p', { class: 'note' }, p.kinds[p.field].why + seeds));
    foot.replaceChildren(...[means(performanceRows(p.base), p.fields, p.kinds)].filter(Boolean));
  }
  show();
  return section('performance', 'Performance and fairness', null, head, card(null, place), foot);
}

// Means are over workloads that every variant with a value has, and say which.
const geometric = (list) => (list.length && list.every((v) => v > 0) ? Math.exp(mean(list.map(Math.log))) : null);
function means(all, fields, kinds) {
  const list = fields.flatMap((field) => {
    const rows = rowsOf(all, field), own = inOrder(variants, new Set(rows.map((r) => r.variant)));
    const has = (w, v) => rows.find((r) => r.workload === w && r.variant === v);
    const shared = unique(rows.map((r) => r.workload)).filter((w) => own.every((v) => has(w, v)));
    return shared.length > 1 ? own.map((variant) => ({ field: kinds[field].title, variant, over: shared, values: shared.map((w) => has(w, variant).value) })) : [];
  });
  return list.length ? el('div', {}, el('h3', {}, 'Means over workloads that all variants have'), table({ file: 'means', rows: list, placeholder: 'filter means', columns: [
    { name: 'what', value: (r) => r.field }, { name: 'variant', value: (r) => r.variant },
    { name: 'mean', num: true, value: (r) => mean(r.values), text: (r) => fixed(mean(r.values)) },
    { name: 'geometric', num: true, value: (r) => geometric(r.values), text: (r) => fixed(geometric(r.values)) },
    { name: 'workloads', num: true, value: (r) => r.over.length }, { name: 'which', value: (r) => r.over.join('; '), wrap: true },
  ] })) : null;
}
