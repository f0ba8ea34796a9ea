// The sections of the page. Each returns an element, or null if the data have nothing for it.
import { chart, redraw } from './chart.js';
import { designs, done, experiments, fixed, flatten, ipcOf, nameOf, ownSettings, rates, runs, short, variantOf, variants, workloadOf, workloads } from './data.js';
import { el, table } from './dom.js';

const section = (id, title, note, ...children) =>
  el('section', { id }, el('h2', {}, title), note && el('p', { class: 'note' }, note), ...children);
const card = (title, ...children) => el('div', { class: 'card' }, title && el('h3', {}, title), ...children);
// Text on a heat map: the upper half is dark in the light scheme and light in the dark one.
const readable = (test) => {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  return { condition: { test, value: dark ? '#14161a' : '#ffffff' }, value: dark ? '#e8eaee' : '#16181d' };
};

/* ---- performance and fairness ---- */

// Runs of workloads that were run in several ways, or all if none was.
function compared() {
  const ways = new Map();
  for (const r of done) ways.set(workloadOf(r), (ways.get(workloadOf(r)) || 0) + 1);
  const some = done.filter((r) => ways.get(workloadOf(r)) > 1);
  return some.length ? some : done;
}

// The first variant is the baseline where no speed-up against running alone is known.
function performanceRows() {
  const base = new Map(done.filter((r) => variantOf(r) === variants[0]).map((r) => [workloadOf(r), r]));
  return compared().map((r) => {
    const b = base.get(workloadOf(r));
    const total = (x) => x.stats.apps.reduce((s, a) => s + ipcOf(a), 0);
    return {
      workload: workloadOf(r), variant: variantOf(r), run: r, throughput: total(r),
      relative: b ? total(r) / total(b) : null,
      weighted: r.speedup?.weighted_speedup ?? null, unfairness: r.speedup?.unfairness ?? null,
    };
  });
}

const MEASURES = {
  weighted: { title: 'weighted speed-up', why: 'sum over the applications of IPC shared / IPC alone' },
  relative: { title: 'throughput over the first design', why: 'instructions per cycle of all applications, relative' },
  throughput: { title: 'throughput (IPC)', why: 'warp instructions per cycle of all applications' },
  unfairness: { title: 'unfairness', why: 'greatest slow-down of an application against running alone' },
};

const bars = (rows, field, title) => (width) => {
  const few = rows.length <= 60 && width > 560;
  return {
    data: { values: rows.filter((r) => r[field] !== null).map(({ run, ...r }) => r) },
    height: few ? 260 : { step: 13 },
    mark: { type: 'bar' },
    encoding: few ? {
      x: { field: 'workload', type: 'nominal', sort: workloads, title: null, axis: { labelAngle: new Set(rows.map((r) => r.workload)).size > 4 ? -35 : 0, labelLimit: 190 } },
      xOffset: { field: 'variant', sort: variants },
      y: { field, type: 'quantitative', title },
      color: { field: 'variant', type: 'nominal', sort: variants, title: null },
      tooltip: [{ field: 'workload' }, { field: 'variant' }, { field, type: 'quantitative', format: '.4f', title }],
    } : {
      y: { field: 'workload', type: 'nominal', sort: workloads, title: null, axis: { labelLimit: 150 } },
      yOffset: { field: 'variant', sort: variants },
      x: { field, type: 'quantitative', title },
      color: { field: 'variant', type: 'nominal', sort: variants, title: null },
      tooltip: [{ field: 'workload' }, { field: 'variant' }, { field, type: 'quantitative', format: '.4f', title }],
    },
  };
};

export function performance() {
  const rows = performanceRows();
  const fields = Object.keys(MEASURES).filter((f) => rows.some((r) => r[f] !== null));
  if (!fields.length) return null;
  const place = chart(bars(rows, fields[0], MEASURES[fields[0]].title), 'performance by workload and design');
  const why = el('p', { class: 'note' }, MEASURES[fields[0]].why + '.');
  const buttons = fields.map((f) => el('button', { 'aria-pressed': String(f === fields[0]), onclick: (e) => {
    buttons.forEach((b) => b.setAttribute('aria-pressed', String(b === e.target)));
    why.textContent = MEASURES[f].why + '.';
    redraw(place, bars(rows, f, MEASURES[f].title));
  } }, MEASURES[f].title));
  return section('performance', 'Performance and fairness', null, el('div', { class: 'bar' }, ...buttons), why, card(null, place), means(rows, fields));
}

const geometric = (list) => (list.length ? Math.exp(list.reduce((s, v) => s + Math.log(v), 0) / list.length) : null);
function means(rows, fields) {
  const list = variants.map((variant) => ({ variant, ...Object.fromEntries(fields.map((f) =>
    [f, rows.filter((r) => r.variant === variant && r[f] > 0).map((r) => r[f])])) }));
  return table({ file: 'means', rows: list, placeholder: 'filter designs', columns: [
    { name: 'design', value: (r) => r.variant },
    { name: 'workloads', num: true, value: (r) => r[fields[0]].length },
    ...fields.flatMap((f) => [
      { name: `${MEASURES[f].title}, mean`, num: true, value: (r) => (r[f].length ? r[f].reduce((s, v) => s + v, 0) / r[f].length : null), text: (r) => fixed(r[f].length ? r[f].reduce((s, v) => s + v, 0) / r[f].length : null) },
      { name: 'geometric', num: true, value: (r) => geometric(r[f]), text: (r) => fixed(geometric(r[f])) },
    ]),
  ] });
}

/* ---- where the time goes ---- */

const STALLS = ['issued', 'alu', 'structural', 'barrier', 'l1tlb', 'l2tlb', 'walk_queue', 'walk_l2', 'walk_dram', 'fault', 'l1', 'l2', 'dram', 'turn', 'empty'];
const STALL_COLOURS = ['#228833', '#77bb66', '#bbcc33', '#dddd77', '#fdd49e', '#fdbb84', '#fc8d59', '#ef6548', '#d7301f', '#7f0000', '#c6dbef', '#6baed6', '#2171b5', '#aa77bb', '#9a9a9a'];

function stallRows(withEmpty) {
  const out = [];
  for (const r of done) r.stats.apps.forEach((a, i) => {
    const parts = { issued: a.sm?.warp_instructions ?? 0, ...a.stall };
    if (!withEmpty) delete parts.empty;
    const total = Object.values(parts).reduce((s, v) => s + v, 0) || 1;
    for (const [reason, v] of Object.entries(parts)) {
      if (v) out.push({ who: `${workloadOf(r)} · ${a.name || r.apps[i]}`, variant: variantOf(r), reason, share: v / total, order: STALLS.indexOf(reason) });
    }
  });
  return out;
}

const stallSpec = (rows, who) => () => ({
  data: { values: rows.filter((r) => r.who === who) }, height: { step: 26 },
  mark: { type: 'bar' },
  encoding: {
    y: { field: 'variant', type: 'nominal', sort: variants, title: null, axis: { labelLimit: 160 } },
    x: { field: 'share', type: 'quantitative', stack: 'zero', title: 'share of the warps\u2019 time', axis: { format: '%' }, scale: { domain: [0, 1] } },
    color: { field: 'reason', type: 'nominal', sort: STALLS, scale: { domain: STALLS, range: STALL_COLOURS }, title: null },
    order: { field: 'order' },
    tooltip: [{ field: 'variant' }, { field: 'reason' }, { field: 'share', type: 'quantitative', format: '.2%' }],
  },
});

export function stalls() {
  let rows = stallRows(false);
  const whos = [...new Set(rows.map((r) => r.who))];
  if (!whos.length) return null;
  let who = whos[0];
  const place = chart(stallSpec(rows, who), 'stall stack');
  const pick = el('select', { 'aria-label': 'application', onchange: (e) => { who = e.target.value; redraw(place, stallSpec(rows, who)); } },
    ...whos.map((w) => el('option', { value: w }, w)));
  const empty = el('input', { type: 'checkbox', onchange: (e) => { rows = stallRows(e.target.checked); redraw(place, stallSpec(rows, who)); } });
  return section('stalls', 'Where the time of the warps goes', 'Every cycle of every warp slot is charged to one reason; the reasons add up exactly. Reds are address translation, blues are data.',
    el('div', { class: 'bar' }, el('label', {}, 'application', pick), el('label', {}, empty, 'with empty slots')), card(null, place));
}

/* ---- hit rates ---- */

export function hits() {
  const rows = [];
  for (const r of done) r.stats.apps.forEach((a, i) => {
    for (const [level, v] of Object.entries(rates(a)))
      if (level !== 'ipc' && v !== null && v !== undefined) rows.push({ who: `${workloadOf(r)} · ${a.name || r.apps[i]}`, variant: variantOf(r), level, rate: v });
  });
  if (!rows.length) return null;
  const levels = [...new Set(rows.map((r) => r.level))];
  let level = levels.includes('L2 TLB') ? 'L2 TLB' : levels[0];
  const spec = () => () => ({
    data: { values: rows.filter((r) => r.level === level) }, height: { step: 20 },
    encoding: {
      y: { field: 'who', type: 'nominal', sort: null, title: null, axis: { labelLimit: innerWidth < 600 ? 110 : 240 } },
      x: { field: 'variant', type: 'nominal', sort: variants, title: null, axis: { orient: 'top', labelAngle: variants.length > 4 ? -35 : 0 } },
    },
    layer: [
      { mark: 'rect', encoding: { color: { field: 'rate', type: 'quantitative', scale: { domain: [0, 1] }, title: 'hit rate', legend: { format: '%', gradientLength: 160 } },
        tooltip: [{ field: 'who' }, { field: 'variant' }, { field: 'rate', type: 'quantitative', format: '.2%' }] } },
      { mark: { type: 'text' }, encoding: { text: { field: 'rate', format: '.1%' }, color: readable('datum.rate > 0.5') } },
    ],
  });
  const place = chart(spec(), 'hit rates');
  const pick = el('select', { 'aria-label': 'level', onchange: (e) => { level = e.target.value; redraw(place, spec()); } },
    ...levels.map((l) => el('option', { value: l, selected: l === level }, l)));
  return section('hits', 'Hit rates', 'By level, application and design. A look-up that joins a miss under way is a miss.', el('div', { class: 'bar' }, el('label', {}, 'level', pick)), card(null, place));
}

/* ---- one run ---- */

const SERIES = [
  ['IPC', (p, n) => p.warp_instructions / n],
  ['L1 TLB miss rate', (p) => (p.l1tlb_lookups ? p.l1tlb_misses / p.l1tlb_lookups : null)],
  ['L2 TLB miss rate', (p) => (p.l2tlb_lookups ? p.l2tlb_misses / p.l2tlb_lookups : null)],
  ['concurrent walks', (p, n) => p.walk_active_cycles / n],
  ['tokens', (p, n) => (p.token_cycles ? p.token_cycles / n : null)],
  ['DRAM bytes per cycle, data', (p, n) => p.dram_data_bytes / n],
  ['DRAM bytes per cycle, page tables', (p, n) => p.dram_walk_bytes / n],
];

function seriesCharts(r) {
  const s = r.stats.series;
  if (!s?.points) return [];
  return SERIES.map(([title, f]) => {
    const values = [];
    s.apps.forEach((a, i) => {
      for (let t = 0; t < s.points; t++) {
        const p = Object.fromEntries(Object.entries(a).map(([k, v]) => [k, v[t]]));
        const last = t === s.points - 1, length = last ? s.last_cycles ?? s.interval_cycles : s.interval_cycles;
        const v = f(p, length);
        if (v !== null && v !== undefined && !Number.isNaN(v)) values.push({ cycle: t * s.interval_cycles + length, app: r.apps[i], v });
      }
    });
    return values.some((x) => x.v) ? card(title, chart(() => ({
      data: { values }, height: 150, mark: { type: 'line', strokeWidth: 1.6 },
      encoding: {
        x: { field: 'cycle', type: 'quantitative', title: 'cycle', axis: { format: '~s', tickCount: 5 } },
        y: { field: 'v', type: 'quantitative', title: null, axis: { tickCount: 4 } },
        color: { field: 'app', type: 'nominal', sort: r.apps, title: null },
        tooltip: [{ field: 'app' }, { field: 'cycle', format: ',' }, { field: 'v', format: '.4f', title }],
      },
    }), title)) : null;
  }).filter(Boolean);
}

function matrices(r) {
  if (r.apps.length < 2) return [];
  return Object.entries(r.stats.evictor_x_victim || {}).map(([level, m]) => {
    const values = m.flatMap((row, i) => row.map((v, j) => ({ evictor: r.apps[i], victim: r.apps[j], v })));
    const top = Math.max(...values.map((x) => x.v));
    if (!top) return null;
    return card(`who evicts whom: ${level}`, chart(() => ({
      data: { values }, height: { step: 34 },
      encoding: { y: { field: 'evictor', type: 'nominal', sort: r.apps }, x: { field: 'victim', type: 'nominal', sort: r.apps, axis: { labelAngle: 0 } } },
      layer: [
        { mark: 'rect', encoding: { color: { field: 'v', type: 'quantitative', legend: null }, tooltip: [{ field: 'evictor' }, { field: 'victim' }, { field: 'v', format: ',', title: 'entries' }] } },
        { mark: { type: 'text' }, encoding: { text: { field: 'v', format: '.3~s' }, color: readable(`datum.v > ${0.5 * top}`) } },
      ],
    }), `evictions in ${level}`));
  }).filter(Boolean);
}

function walkChart(r) {
  const values = [];
  r.stats.apps.forEach((a, i) => {
    const w = a.walk;
    if (!w?.walks) return;
    let at = 0;
    const put = (part, cycles) => { values.push({ app: r.apps[i], part, from: at, to: at + cycles, cycles }); at += cycles; };
    put('queue', w.queue_cycles / w.walks);
    w.levels.forEach((l, k) => { if (l.reads) put(`level ${k + 1}`, l.cycles / w.walks); });
  });
  return values.length ? card('a walk, on the mean', chart(() => ({
    data: { values }, height: { step: 30 }, mark: { type: 'bar' },
    encoding: {
      y: { field: 'app', type: 'nominal', sort: r.apps, title: null },
      x: { field: 'from', type: 'quantitative', title: 'cycles' }, x2: { field: 'to' },
      color: { field: 'part', type: 'nominal', sort: null, title: null },
      tooltip: [{ field: 'app' }, { field: 'part' }, { field: 'cycles', format: '.1f' }],
    },
  }), 'walk')) : null;
}

// One bar per sampled walk: what it waited for, in order.
function waterfalls(r) {
  return r.stats.apps.map((a, i) => {
    const walks = (a.sampled_walks?.walks || []).slice(0, 40);
    if (!walks.length) return null;
    const values = walks.flatMap((w) => {
      let at = 0;
      const out = [], put = (part, cycles) => {
        if (cycles) out.push({ walk: `#${w.number}`, part, from: at, to: at + cycles, cycles, asked: w.asked_cycle });
        at += cycles;
      };
      put('queue', w.queue_cycles);
      (w.levels || []).forEach((s, k) => { put(`level ${k + 1}, page-walk cache`, s.pwc_cycles); put(`level ${k + 1}, L2`, s.l2_cycles); put(`level ${k + 1}, DRAM`, s.dram_cycles); });
      put('fault', w.fault_cycles);
      return out;
    });
    const parts = ['queue', ...[1, 2, 3, 4, 5].flatMap((k) => [`level ${k}, page-walk cache`, `level ${k}, L2`, `level ${k}, DRAM`]), 'fault'].filter((p) => values.some((v) => v.part === p));
    const colour = (p) => (p === 'queue' ? '#bbbbbb' : p === 'fault' ? '#7f0000' : /DRAM/.test(p) ? ['#fdd0a2', '#fdae6b', '#f16913', '#a63603', '#5b1e02'][p[6] - 1] : /L2/.test(p) ? ['#c6dbef', '#9ecae1', '#4292c6', '#08519c', '#04244a'][p[6] - 1] : '#ccbb44');
    return card(`${r.apps[i]}: ${walks.length} of ${short(a.sampled_walks.seen)} walks`, chart(() => ({
      data: { values }, height: { step: 9 }, mark: { type: 'bar' },
      encoding: {
        y: { field: 'walk', type: 'nominal', sort: null, title: null, axis: { labels: false, ticks: false } },
        x: { field: 'from', type: 'quantitative', title: 'cycles since the walk was asked for' }, x2: { field: 'to' },
        color: { field: 'part', type: 'nominal', scale: { domain: parts, range: parts.map(colour) }, title: null, legend: { columns: 3 } },
        tooltip: [{ field: 'walk' }, { field: 'asked', format: ',', title: 'asked in cycle' }, { field: 'part' }, { field: 'cycles', format: ',' }],
      },
    }), 'walks'));
  }).filter(Boolean);
}

function heatMaps(r) {
  return r.stats.apps.map((a, i) => {
    const h = a.page_heat;
    if (!h?.rows?.length) return null;
    const values = h.rows.flatMap((row, y) => row.lookups.map((v, x) => ({ y, x: x * h.interval_cycles, va: `0x${row.va.toString(16)}`, v, misses: row.misses[x] })).filter((c) => c.v));
    return card(`${r.apps[i]}: pages over time, ${short(h.region_bytes / 1024)} KB a row`, chart(() => ({
      data: { values }, height: Math.max(80, Math.min(280, 3 * h.rows.length)),
      mark: { type: 'rect' },
      encoding: {
        x: { field: 'x', type: 'ordinal', title: 'cycle', axis: { labelAngle: 0, labelOverlap: true, format: '~s', ticks: false, domain: false } },
        y: { field: 'y', type: 'ordinal', sort: 'descending', title: 'address', axis: { labels: false, ticks: false, domain: false } },
        color: { field: 'v', type: 'quantitative', scale: { type: 'log' }, title: 'look-ups', legend: { gradientLength: 120 } },
        tooltip: [{ field: 'va', title: 'address' }, { field: 'x', format: ',', title: 'cycle' }, { field: 'v', format: ',', title: 'look-ups' }, { field: 'misses', format: ',' }],
      },
    }), 'pages over time'));
  }).filter(Boolean);
}

// A cell per large frame, coloured by who has most of it; faint if it is nearly empty.
function memoryMap(r) {
  const m = r.stats.memory_map;
  if (!m?.rows?.length) return [];
  const full = m.large_bytes / m.base_bytes;
  const owners = [...r.apps, 'page tables', 'nobody'];
  const values = m.rows.map((f) => {
    const parts = [...f.data, f.tables, f.other], used = parts.reduce((s, v) => s + v, 0);
    const mixed = f.data.filter(Boolean).length > 1;
    return { number: f.number, owner: mixed ? 'several' : owners[parts.indexOf(Math.max(...parts))], used: used / full, large: f.coalesced ? 'one large page' : 'base pages', what: owners.map((o, i) => (parts[i] ? `${o} ${parts[i]}` : '')).filter(Boolean).join(', ') };
  });
  const domain = [...new Set([...owners, 'several'])];
  return [card(`physical memory at the end: ${values.length} of ${short(m.frames)} frames of ${short(m.large_bytes / 1048576)} MB in use`, chart((width) => {
    const across = Math.max(8, Math.floor((width - 20) / 14));
    return {
      data: { values: values.map((v, i) => ({ ...v, x: i % across, y: Math.floor(i / across) })) }, width: across * 14, height: { step: 14 }, autosize: { type: 'pad' },
      mark: { type: 'square', size: 110, strokeWidth: 1.5 },
      encoding: {
        x: { field: 'x', type: 'ordinal', axis: null }, y: { field: 'y', type: 'ordinal', axis: null },
        fill: { field: 'owner', type: 'nominal', scale: { domain }, title: null },
        fillOpacity: { field: 'used', type: 'quantitative', scale: { domain: [0, 1], range: [0.25, 1] }, legend: null },
        stroke: { condition: { test: "datum.large === 'one large page'", value: matchMedia('(prefers-color-scheme: dark)').matches ? '#ffffff' : '#000000' }, value: null },
        tooltip: [{ field: 'number', title: 'frame' }, { field: 'what', title: 'base frames' }, { field: 'large', title: 'mapped as' }],
      },
    };
  }, 'memory map'))];
}

export function details() {
  if (!done.length) return null;
  const place = el('div');
  const pick = el('select', { 'aria-label': 'run', onchange: (e) => show(done[e.target.value]) }, ...done.map((r, i) => el('option', { value: i }, nameOf(r))));
  function show(r) {
    pick.value = done.indexOf(r);
    place.replaceChildren(
      el('pre', {}, r.command || ''),
      el('div', { class: 'grid' }, ...seriesCharts(r), ...[walkChart(r)].filter(Boolean), ...matrices(r)),
      el('div', { class: 'grid wide' }, ...waterfalls(r), ...heatMaps(r), ...memoryMap(r)),
      el('details', {}, el('summary', {}, 'configuration'), table({ file: 'configuration', placeholder: 'filter options', rows: Object.entries(r.config || {}), columns: [
        { name: 'option', value: (x) => x[0] }, { name: 'value', value: (x) => x[1], text: (x) => String(x[1]) }] })));
  }
  const s = section('run', 'One run', 'Time series by epoch, who displaces whom, the way of walks, which pages were in use when, who has which memory (the last with gmmu run --observe).', el('div', { class: 'bar' }, el('label', {}, 'run', pick)), place);
  s.show = show;
  show(done.find((r) => variantOf(r) === variants[0]) || done[0]);
  return s;
}

/* ---- two runs ---- */

export function comparison() {
  if (done.length < 2) return null;
  const place = el('div');
  const options = () => done.map((r, i) => el('option', { value: i }, nameOf(r)));
  const left = el('select', { 'aria-label': 'first run', onchange: () => show() }, ...options());
  const right = el('select', { 'aria-label': 'second run', onchange: () => show() }, ...options());
  right.value = 1;
  function show() {
    // Samples and series are no statistics to compare.
    const strip = ({ series, memory_map, ...s }) => ({ ...s, apps: s.apps.map(({ sampled_walks, page_heat, ...a }) => a) });
    const a = flatten(strip(done[left.value].stats)), b = flatten(strip(done[right.value].stats));
    const rows = [...new Set([...Object.keys(a), ...Object.keys(b)])].map((k) => ({ k, a: a[k] ?? null, b: b[k] ?? null, q: a[k] && b[k] !== undefined ? b[k] / a[k] : null }))
      .filter((r) => r.a !== r.b);
    rows.sort((x, y) => Math.abs(Math.log(y.q || 1)) - Math.abs(Math.log(x.q || 1)));
    place.replaceChildren(table({ file: 'comparison', rows, placeholder: 'filter statistics', columns: [
      { name: 'statistic', value: (r) => r.k },
      { name: 'first', num: true, value: (r) => r.a, text: (r) => short(r.a) },
      { name: 'second', num: true, value: (r) => r.b, text: (r) => short(r.b) },
      { name: 'second / first', num: true, value: (r) => r.q, text: (r) => fixed(r.q) },
    ] }));
  }
  show();
  return section('compare', 'Two runs side by side', 'Every statistic that differs, the largest ratio first.',
    el('div', { class: 'bar' }, el('label', {}, 'first', left), el('label', {}, 'second', right)), place);
}

/* ---- all runs, papers ---- */

export function allRuns(onPick) {
  const sum = (r, f) => (r.stats ? r.stats.apps.reduce((s, a) => s + (f(a) || 0), 0) : null);
  const columns = [
    { name: 'workload', value: workloadOf }, { name: 'design', value: (r) => r.design }, { name: 'gpu', value: (r) => r.gpu },
    { name: 'settings', value: (r) => ownSettings(r).join(' ') },
    { name: 'status', value: (r) => (r.stats ? 'done' : `${r.status}: ${r.error}`), cls: (r) => (r.stats ? null : 'bad') },
    { name: 'IPC', num: true, value: (r) => sum(r, ipcOf), text: (r) => fixed(sum(r, ipcOf)) },
    { name: 'weighted speed-up', num: true, value: (r) => r.speedup?.weighted_speedup ?? null, text: (r) => fixed(r.speedup?.weighted_speedup) },
    { name: 'unfairness', num: true, value: (r) => r.speedup?.unfairness ?? null, text: (r) => fixed(r.speedup?.unfairness) },
    { name: 'cycles', num: true, value: (r) => r.stats?.cycles ?? null, text: (r) => short(r.stats?.cycles) },
    { name: 'walks', num: true, value: (r) => sum(r, (a) => a.walk?.walks), text: (r) => short(sum(r, (a) => a.walk?.walks)) },
    { name: 'host ms', num: true, value: (r) => r.host_ms ?? null, text: (r) => short(r.host_ms) },
    { name: 'DRAM bus', num: true, value: (r) => r.stats?.dram_bus_utilisation ?? null, text: (r) => (r.stats ? `${(100 * r.stats.dram_bus_utilisation).toFixed(1)} %` : '–') },
  ];
  return section('runs', 'All runs', 'A click on a row shows the run above; a click on a heading sorts.', table({ file: 'runs', rows: runs, columns, onPick: (r) => r.stats && onPick(r) }));
}

// Rows whose two numbers can be drawn beside each other; percentages are fractions.
const MICRO = 1e6;
const both = (r) => r.paper_millionths !== null && r.here_millionths !== null;
const verdictClass = (r) => (/disagree/.test(r.verdict) ? 'bad' : /size/.test(r.verdict) ? 'good' : /agrees/.test(r.verdict) ? 'warn' : 'soft');

function paperChart(x) {
  const rows = x.rows.filter(both);
  const values = rows.flatMap((r) => [['paper', r.paper_millionths, r.paper], ['here', r.here_millionths, r.here]]
    .map(([who, v, text]) => ({ what: r.what, who, v: v / MICRO, text, verdict: r.verdict })));
  return chart((width) => ({
    data: { values }, height: { step: 15 },
    encoding: {
      y: { field: 'what', type: 'nominal', sort: null, title: null, axis: { labelLimit: Math.min(360, width * 0.5) } },
      yOffset: { field: 'who', sort: ['paper', 'here'] },
      x: { field: 'v', type: 'quantitative', title: null, axis: { tickCount: 5, format: '~g' } },
    },
    layer: [
      { mark: { type: 'bar' }, encoding: { color: { field: 'who', type: 'nominal', sort: ['paper', 'here'], scale: { domain: ['paper', 'here'], range: ['#bbbbbb', '#4477aa'] }, title: null },
        tooltip: [{ field: 'what' }, { field: 'who' }, { field: 'text', title: 'value' }, { field: 'verdict' }] } },
      { mark: { type: 'text', align: 'left', dx: 4 }, encoding: { text: { field: 'text' } } },
    ],
  }), `${x.id}: the paper and here`);
}

function detailTable(x, t, i) {
  const names = [...new Set(t.rows.flatMap((r) => Object.keys(r)))];
  const number = (v) => { const n = parseFloat(v); return Number.isNaN(n) ? v : n; };
  return el('details', {}, el('summary', {}, t.title), table({ file: `${x.id.replace('/', '-')}-${i}`, rows: t.rows,
    columns: names.map((name, k) => ({ name, num: k > 0, value: (r) => number(r[name]), text: (r) => r[name] ?? '' })) }));
}

const paperCard = (x) => el('div', { class: 'card', id: x.id.replace('/', '-') }, el('h3', {}, `${x.id}: ${x.title}`),
  ...x.rows.some(both) ? [paperChart(x)] : [],
  ...x.rows.filter((r) => !both(r)).map((r) => el('p', { class: 'row' }, `${r.what}. Paper: ${r.paper}. Here: ${r.here}. `, el('span', { class: verdictClass(r) }, r.verdict))),
  ...x.tables?.length ? x.tables.map((t, i) => detailTable(x, t, i)) : []);

export function papers() {
  if (!experiments.length) return null;
  const rows = experiments.flatMap((e) => e.rows.map((r) => ({ ...r, id: e.id })));
  const groups = [...new Set(experiments.map((x) => x.id.split('/')[0]))];
  return section('papers', 'The papers beside us', 'Each row of a paper, its value and ours. A row that disagrees is shown like any other.',
    table({ file: 'papers', rows, columns: [
      { name: 'experiment', value: (r) => r.id }, { name: 'what', value: (r) => r.what, wrap: true },
      { name: 'paper', num: true, value: (r) => r.paper_millionths ?? r.paper, text: (r) => r.paper }, { name: 'here', num: true, value: (r) => r.here_millionths ?? r.here, text: (r) => r.here },
      { name: 'ratio', num: true, value: (r) => r.ratio_millionths ?? null, text: (r) => fixed(r.ratio_millionths === null ? null : r.ratio_millionths / MICRO, 2) },
      { name: 'verdict', value: (r) => r.verdict, cls: verdictClass }, { name: 'note', value: (r) => r.note, wrap: true }] }),
    ...groups.map((g) => el('div', { class: 'grid wide' }, ...experiments.filter((x) => x.id.startsWith(`${g}/`)).map(paperCard))));
}

const verdicts = () => {
  const all = experiments.flatMap((e) => e.rows.map((r) => r.verdict));
  return [[short(experiments.length), 'experiments'], [short(all.length), 'rows of papers'], [short(all.filter((v) => /^agrees/.test(v)).length), 'agree']];
};
const many = (v) => (v >= 1e7 ? `${short(Math.round(v / 1e6))} M` : v >= 1e4 ? `${short(Math.round(v / 1e3))} k` : short(v));
const runFacts = () => [
  [short(done.length), done.length === 1 ? 'run' : 'runs'], [short(workloads.length), workloads.length === 1 ? 'workload' : 'workloads'], [short(designs.length), designs.length === 1 ? 'design' : 'designs'],
  [many(done.reduce((s, r) => s + r.stats.warp_instructions, 0)), 'warp instructions'],
  [many(done.reduce((s, r) => s + r.stats.cycles, 0)), 'simulated cycles'],
  ...(runs.length > done.length ? [[short(runs.length - done.length), 'failed']] : []),
];
export const facts = () => [...(experiments.length ? verdicts() : []), ...(runs.length ? runFacts() : [])];
