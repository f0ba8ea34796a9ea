// The sections of the page. Each returns an element, or null if the data have nothing for it.
import { byMode, cellBorder, chart, colourBy, inkOn, legendOf, nameAxis, nameAxisAcross, partBorder, ramp, redraw, steps, textWidth } from './chart.js';
import { appNames, charted, data, designs, done, experiments, fixed, flatten, inOrder, ipcKinds, ipcOf, KIND_TEXT, limitText, nameOf, ownSettings, rates, runs, short, variantOf, variants, whoOf, workloadOf, workloads } from './data.js';
import { card, checkbox, el, section, select, table } from './dom.js';

const inkColour = { condition: { test: "datum.ink === '#ffffff'", value: '#ffffff' }, value: '#000000' };

/* ---- where the time goes ---- */

// Reasons as they are declared, and whatever else the runs have: {name, help, kind}.
function reasons() {
  const declared = data.stalls || [], seen = new Set(done.flatMap((r) => r.stats.apps.flatMap((a) => Object.keys(a.stall || {}))));
  const known = new Set(declared.map((s) => s.name));
  const list = [...declared, ...[...seen].filter((name) => !known.has(name)).map((name) => ({ name, kind: 'other', help: '' }))];
  const of = (kind) => list.filter((s) => s.kind === kind && s.name !== 'empty');
  return [{ name: 'issued', help: 'an instruction was issued', kind: 'issued' }, ...of('other'), ...of('translation'), ...of('data'), ...list.filter((s) => s.name === 'empty')];
}

// [name, colour] of each. Reds are translation, blues are data.
function painted(order) {
  const shades = {
    other: (n) => [...steps(...byMode(['#4d9340', '#867900'], ['#a5dc95', '#e5e07a']), Math.ceil(n / 2)), ...steps(...byMode(['#a272b6', '#54278f'], ['#e3c6ee', '#9a6fc4']), Math.floor(n / 2))],
    translation: (n) => steps(...byMode(['#d06f25', '#5c0000'], ['#ffe0b0', '#d05a4a']), n), data: (n) => steps(...byMode(['#5b8fc9', '#08306b'], ['#d6e6f7', '#4a82c4']), n),
  };
  const colour = new Map([['issued', byMode('#1b6a2c', '#3fae55')], ['empty', byMode('#7d7d7d', '#8f8f8f')]]);
  for (const [kind, f] of Object.entries(shades)) {
    const own = order.filter((s) => s.kind === kind && !colour.has(s.name));
    own.forEach((s, i) => colour.set(s.name, f(own.length)[i]));
  }
  return order.map((s) => [s.name, colour.get(s.name)]);
}

function stallRows(withEmpty, order) {
  const out = [];
  for (const r of charted()) r.stats.apps.forEach((a, i) => {
    const parts = { issued: a.sm?.warp_instructions ?? 0, ...a.stall };
    if (!withEmpty) delete parts.empty;
    const total = Object.values(parts).reduce((s, v) => s + v, 0) || 1;
    for (const [reason, v] of Object.entries(parts)) {
      const at = order.findIndex((o) => o.name === reason);
      if (v) out.push({ key: r.key, app: i, who: whoOf(r, i), variant: variantOf(r), reason, help: order[at].help, share: v / total, order: at });
    }
  });
  return out;
}

const stallSpec = (rows, who, order) => (width) => {
  const values = rows.filter((r) => r.who === who), own = inOrder(variants, new Set(values.map((r) => r.variant)));
  const there = painted(order).filter(([name]) => values.some((r) => r.reason === name)), axis = nameAxis(own, width * 0.4);
  return {
    data: { values }, height: { step: Math.max(26, 15 * axis.lines) }, legend: there,
    mark: { type: 'bar', ...partBorder() },
    encoding: {
      y: { field: 'variant', type: 'nominal', sort: own, title: null, axis: { ...axis.axis, labelOffset: axis.offset } },
      x: { field: 'share', type: 'quantitative', stack: 'zero', title: 'share of the warps\u2019 time', axis: { format: '%', tickCount: 5 }, scale: { domain: [0, 1] } },
      color: colourBy('reason', there.map((o) => o[0]), there.map((o) => o[1])),
      order: { field: 'order' },
      tooltip: [{ field: 'variant' }, { field: 'reason' }, { field: 'help', title: 'that is' }, { field: 'share', type: 'quantitative', format: '.2%' }],
    },
  };
};

export function stalls() {
  const order = reasons();
  let rows = stallRows(false, order);
  const whos = [...new Set(rows.map((r) => r.who))];
  if (!whos.length) return null;
  let who = whos[0];
  const place = chart(stallSpec(rows, who, order), 'stall stack');
  const again = () => redraw(place, stallSpec(rows, who, order));
  return section('stalls', 'Where the time of the warps goes', 'Every cycle of every warp slot is charged to one reason; the reasons add up exactly. Reds are address translation, blues are data.',
    el('div', { class: 'bar' }, select('application', whos.map((w) => [w, w]), who, (v) => { who = v; again(); }),
      checkbox('with empty slots', false, (on) => { rows = stallRows(on, order); again(); })), card(null, place));
}

/* ---- hit rates ---- */

const CELL = 46; // a percentage with a digit behind the point

const hitSpec = (rows, level) => (width) => {
  const values = rows.filter((r) => r.level === level).map((r) => ({ ...r, ink: inkOn(r.rate), text: `${(100 * r.rate).toFixed(1)} %` }));
  const whos = [...new Set(values.map((r) => r.who))], own = inOrder(variants, new Set(values.map((r) => r.variant)));
  const y = nameAxis(whos, width * 0.4), across = Math.max(CELL, (width - y.room - 20) / own.length);
  return {
    data: { values }, width: across * own.length, autosize: { type: 'pad' }, height: { step: Math.max(22, 15 * y.lines) },
    encoding: {
      y: { field: 'who', type: 'nominal', sort: whos, title: null, axis: { ...y.axis, labelOffset: y.offset } },
      x: { field: 'variant', type: 'nominal', sort: own, title: null, axis: { orient: 'top', ...nameAxisAcross(own, across) } },
    },
    layer: [
      { mark: { type: 'rect', ...cellBorder() }, encoding: { color: { field: 'rate', type: 'quantitative', scale: { domain: [0, 1], range: ramp(), interpolate: 'rgb' }, title: 'hit rate', legend: { format: '%', gradientLength: 160 } },
        tooltip: [{ field: 'who' }, { field: 'variant' }, { field: 'rate', type: 'quantitative', format: '.2%' }] } },
      { mark: { type: 'text' }, encoding: { text: { field: 'text' }, color: inkColour } },
    ],
  };
};

export function hits() {
  const rows = [];
  for (const r of charted()) r.stats.apps.forEach((a, i) => {
    for (const [level, v] of Object.entries(rates(a)))
      if (v !== null && v !== undefined) rows.push({ key: r.key, app: i, who: whoOf(r, i), variant: variantOf(r), level, rate: v });
  });
  if (!rows.length) return null;
  const levels = [...new Set(rows.map((r) => r.level))];
  let level = levels.includes('L2 TLB') ? 'L2 TLB' : levels[0];
  const place = chart(hitSpec(rows, level), 'hit rates');
  return section('hits', 'Hit rates', 'By level, application and variant. A look-up that joins a miss under way is a miss. No cell: no such run, or nobody asked that level.',
    el('div', { class: 'bar' }, select('level', levels.map((l) => [l, l]), level, (v) => { level = v; redraw(place, hitSpec(rows, level)); })), card(null, place));
}

/* ---- windows ---- */

const WINDOW_RATIOS = { ipc: 'IPC', l1tlb_mpki: 'L1 TLB misses', l2tlb_mpki: 'L2 TLB misses', walks_pki: 'walks', l2_mpki: 'L2 misses', dram_bytes_pki: 'DRAM bytes' };
const withHalf = (e) => (!e ? '–' : e.half === null ? short(e.mean) : `${short(e.mean)} ± ${short(e.half)}`);

// Runs in windows: what these tell of the whole run.
export function windows() {
  const rows = done.filter((r) => r.stats.sampling).flatMap((r) => r.stats.sampling.apps.map((a, i) => ({ r, i, a, n: r.stats.sampling.windows })));
  if (!rows.length) return null;
  const names = Object.keys(WINDOW_RATIOS).filter((k) => rows.some((x) => x.a[k]));
  return section('windows', 'What windows tell of the whole run', 'Mean over the windows and its 95 % interval; all but IPC per 1000 warp instructions. Everything else on this page is of the windows alone.',
    table({ file: 'windows', rows, columns: [
      { name: 'application', value: (x) => whoOf(x.r, x.i) },
      { name: 'variant', value: (x) => variantOf(x.r) },
      { name: 'windows', num: true, value: (x) => x.n },
      { name: 'skipped instructions', num: true, value: (x) => x.a.skipped_instructions, text: (x) => short(x.a.skipped_instructions) },
      ...names.map((k) => ({ name: WINDOW_RATIOS[k], num: true, value: (x) => x.a[k]?.mean ?? null, text: (x) => withHalf(x.a[k]) })),
    ] }));
}

/* ---- one run ---- */

// A figure as it is declared, of a point of so many cycles; null where there is nothing to divide by.
const figureOf = (f, p, cycles) => {
  const whole = f.whole === 'cycles' ? cycles : p[f.whole];
  return whole ? p[f.part] / whole : null;
};

function seriesCharts(r) {
  const s = r.stats.series;
  if (!s?.points) return [];
  const apps = appNames(r);
  return (data.figures || []).map((f) => {
    const { title, share } = f;
    const values = [];
    s.apps.forEach((a, i) => {
      for (let t = 0; t < s.points; t++) {
        const p = Object.fromEntries(Object.entries(a).map(([k, v]) => [k, v[t]]));
        const last = t === s.points - 1, length = last ? s.last_cycles ?? s.interval_cycles : s.interval_cycles;
        const v = figureOf(f, p, length);
        if (v !== null && v !== undefined && !Number.isNaN(v)) values.push({ cycle: t * s.interval_cycles + length, app: apps[i], v });
      }
    });
    return values.some((x) => x.v) ? card(title, chart(() => ({
      data: { values }, height: 150, mark: { type: 'line', strokeWidth: 1.6, point: s.points < 40 ? { size: 16 } : false }, legend: legendOf(apps),
      encoding: {
        x: { field: 'cycle', type: 'quantitative', title: 'cycle', axis: { format: '~s', tickCount: 5 } },
        y: { field: 'v', type: 'quantitative', title: null, axis: { tickCount: 4, ...(share ? { format: '~%' } : {}) } },
        color: colourBy('app', apps),
        tooltip: [{ field: 'app' }, { field: 'cycle', format: ',' }, { field: 'v', format: share ? '.2%' : '.4f', title }],
      },
    }), title)) : null;
  }).filter(Boolean);
}

function matrices(r) {
  if (r.apps.length < 2) return [];
  const apps = appNames(r);
  return Object.entries(r.stats.evictor_x_victim || {}).map(([level, m]) => {
    const values = m.flatMap((row, i) => row.map((v, j) => ({ evictor: apps[i], victim: apps[j], v })));
    const top = Math.max(...values.map((x) => x.v));
    if (!top) return null;
    return card(`who evicts whom: ${level}`, chart((width) => {
      const y = nameAxis(apps, width * 0.35);
      return {
        data: { values: values.map((x) => ({ ...x, ink: inkOn(x.v / top) })) }, height: { step: Math.max(34, 15 * y.lines) },
        encoding: { y: { field: 'evictor', type: 'nominal', sort: apps, axis: { ...y.axis, labelOffset: y.offset } }, x: { field: 'victim', type: 'nominal', sort: apps, axis: nameAxisAcross(apps, (width - y.room - 40) / apps.length) } },
        layer: [
          { mark: { type: 'rect', ...cellBorder() }, encoding: { color: { field: 'v', type: 'quantitative', scale: { domain: [0, top], range: ramp(), interpolate: 'rgb' }, legend: null }, tooltip: [{ field: 'evictor' }, { field: 'victim' }, { field: 'v', format: ',', title: 'entries' }] } },
          { mark: { type: 'text' }, encoding: { text: { field: 'v', format: '.3~s' }, color: inkColour } },
        ],
      };
    }, `evictions in ${level}`));
  }).filter(Boolean);
}

function walkChart(r) {
  const values = [], apps = appNames(r);
  r.stats.apps.forEach((a, i) => {
    const w = a.walk;
    if (!w?.walks) return;
    let at = 0;
    const put = (part, cycles) => { values.push({ app: apps[i], part, from: at, to: at + cycles, cycles }); at += cycles; };
    put('queue', w.queue_cycles / w.walks);
    w.levels.forEach((l, k) => { if (l.reads) put(`level ${k + 1}`, l.cycles / w.walks); });
  });
  const parts = ['queue', ...new Set(values.map((v) => v.part).filter((p) => p !== 'queue').sort((a, b) => a.localeCompare(b, 'en', { numeric: true })))];
  const own = inOrder(apps, new Set(values.map((v) => v.app)));
  return values.length ? card('a walk, on the mean', chart((width) => {
    const y = nameAxis(own, width * 0.4);
    return {
      data: { values }, height: { step: Math.max(30, 15 * y.lines) }, mark: { type: 'bar', ...partBorder() }, legend: legendOf(parts),
      encoding: {
        y: { field: 'app', type: 'nominal', sort: own, title: null, axis: { ...y.axis, labelOffset: y.offset } },
        x: { field: 'from', type: 'quantitative', title: 'cycles' }, x2: { field: 'to' },
        color: colourBy('part', parts),
        tooltip: [{ field: 'app' }, { field: 'part' }, { field: 'cycles', format: '.1f' }],
      },
    };
  }, 'walk')) : null;
}

// One bar per sampled walk: what it waited for, in order.
function waterfalls(r) {
  return r.stats.apps.map((a, i) => {
    // A walk that ends at once, at a page that is not there, has nothing to draw.
    const walks = (a.sampled_walks?.walks || []).filter((w) => w.queue_cycles + w.walk_cycles > 0).slice(0, 40);
    if (!walks.length) return null;
    const values = walks.flatMap((w) => {
      let at = 0;
      const out = [], put = (part, cycles) => {
        if (cycles) out.push({ walk: `#${w.number}`, part, from: at, to: at + cycles, cycles, asked: w.asked_cycle });
        at += cycles;
      };
      put('queue', w.queue_cycles);
      (w.levels || []).forEach((s, k) => { put(`level ${k + 1}, page-walk cache`, s.pwc_cycles); put(`level ${k + 1}, L2`, s.l2_cycles); put(`level ${k + 1}, DRAM`, s.dram_cycles); });
      return out;
    });
    const deepest = Math.max(0, ...walks.map((w) => w.levels?.length || 0));
    const parts = ['queue', ...Array.from({ length: deepest }, (_, k) => [`level ${k + 1}, page-walk cache`, `level ${k + 1}, L2`, `level ${k + 1}, DRAM`]).flat()].filter((p) => values.some((v) => v.part === p));
    const shades = () => ({
      'page-walk cache': steps(...byMode(['#948200', '#463d00'], ['#f5e9a0', '#b09a20']), deepest), L2: steps(...byMode(['#5b8fc9', '#08306b'], ['#d6e6f7', '#4a82c4']), deepest),
      DRAM: steps(...byMode(['#cf6a1e', '#6a2000'], ['#ffd9b0', '#d06a2a']), deepest),
    });
    const colour = (p) => (p === 'queue' ? byMode('#7d7d7d', '#a8a8a8') : shades()[p.split(', ')[1]][p.match(/\d+/)[0] - 1]);
    return card(`${appNames(r)[i]}: ${walks.length} of ${short(a.sampled_walks.seen)} walks`, chart(() => ({
      data: { values }, height: { step: 9 }, mark: { type: 'bar' }, legend: legendOf(parts, parts.map(colour)),
      encoding: {
        y: { field: 'walk', type: 'nominal', sort: null, title: null, axis: { labels: false, ticks: false } },
        x: { field: 'from', type: 'quantitative', title: 'cycles since the walk was asked for' }, x2: { field: 'to' },
        color: colourBy('part', parts, parts.map(colour)),
        tooltip: [{ field: 'walk' }, { field: 'asked', format: ',', title: 'asked in cycle' }, { field: 'part' }, { field: 'cycles', format: ',' }],
      },
    }), 'walks'));
  }).filter(Boolean);
}

// Time and addresses without look-ups have their room, too.
function heatMaps(r) {
  return r.stats.apps.map((a, i) => {
    const h = a.page_heat;
    if (!h?.rows?.length) return null;
    const values = h.rows.flatMap((row, y) => row.lookups.map((v, x) => ({ y, x: x * h.interval_cycles, va: `0x${row.va.toString(16)}`, v, misses: row.misses[x] })).filter((c) => c.v));
    return card(`${appNames(r)[i]}: pages over time, ${short(h.region_bytes / 1024)} KB a row`, chart(() => ({
      data: { values }, height: Math.max(80, Math.min(280, 3 * h.rows.length)),
      mark: { type: 'rect' },
      encoding: {
        x: { field: 'x', type: 'ordinal', title: 'cycle', scale: { domain: h.rows[0].lookups.map((_, x) => x * h.interval_cycles) }, axis: { labelAngle: 0, labelOverlap: true, format: '~s', ticks: false, domain: false } },
        y: { field: 'y', type: 'ordinal', scale: { domain: h.rows.map((_, y) => h.rows.length - 1 - y) }, title: 'address', axis: { labels: false, ticks: false, domain: false } },
        color: { field: 'v', type: 'quantitative', scale: { type: 'log' }, title: 'look-ups', legend: { gradientLength: 120 } },
        tooltip: [{ field: 'va', title: 'address' }, { field: 'x', format: ',', title: 'cycle' }, { field: 'v', format: ',', title: 'look-ups' }, { field: 'misses', format: ',' }],
      },
    }), 'pages over time'));
  }).filter(Boolean);
}

// A square per large frame, coloured by who has most of it; small if it is nearly empty.
function memoryMap(r) {
  const m = r.stats.memory_map;
  if (!m?.rows?.length) return [];
  const full = m.large_bytes / m.base_bytes;
  const owners = [...appNames(r), 'page tables', 'nobody'];
  const values = m.rows.map((f) => {
    const parts = [...f.data, f.tables, f.other], used = parts.reduce((s, v) => s + v, 0);
    const mixed = f.data.filter(Boolean).length > 1;
    return { number: f.number, owner: mixed ? 'several' : owners[parts.indexOf(Math.max(...parts))], used: used / full, large: f.coalesced ? 'one large page' : 'base pages', what: owners.map((o, i) => (parts[i] ? `${o} ${parts[i]}` : '')).filter(Boolean).join(', ') };
  });
  const domain = inOrder([...owners, 'several'], new Set(values.map((v) => v.owner)));
  const first = m.left_out ? `, the first ${short(values.length)} are shown` : '';
  return [card(`physical memory at the end: ${short(values.length + (m.left_out || 0))} of ${short(m.frames)} frames of ${short(m.large_bytes / 1048576)} MB in use${first}`, chart((width) => {
    const across = Math.max(8, Math.floor((width - 20) / 14));
    return {
      data: { values: values.map((v, i) => ({ ...v, x: i % across, y: Math.floor(i / across) })) }, width: across * 14, height: { step: 14 }, autosize: { type: 'pad' },
      mark: { type: 'square', strokeWidth: 1.5, opacity: 1 }, legend: legendOf(domain),
      encoding: {
        x: { field: 'x', type: 'ordinal', axis: null }, y: { field: 'y', type: 'ordinal', axis: null },
        fill: colourBy('owner', domain),
        size: { field: 'used', type: 'quantitative', scale: { domain: [0, 1], range: [25, 110] }, legend: null },
        stroke: { condition: { test: "datum.large === 'one large page'", value: byMode('#000000', '#ffffff') }, value: null },
        tooltip: [{ field: 'number', title: 'frame' }, { field: 'what', title: 'base frames' }, { field: 'large', title: 'mapped as' }],
      },
    };
  }, 'memory map'))];
}

const byKey = (key) => done.find((r) => r.key === key);
const runOptions = () => done.map((r) => el('option', { value: r.key }, nameOf(r)));

export function details() {
  if (!done.length) return null;
  const place = el('div');
  const pick = el('select', { 'aria-label': 'run', onchange: (e) => show(byKey(e.target.value)) }, ...runOptions());
  function show(r) {
    pick.value = r.key;
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
  const left = el('select', { 'aria-label': 'first run', onchange: () => show() }, ...runOptions());
  const right = el('select', { 'aria-label': 'second run', onchange: () => show() }, ...runOptions());
  right.value = done[1].key;
  function show() {
    // Samples and series are no statistics to compare; rows of arrays and lines come in another order under each design.
    const strip = ({ series, memory_map, ...s }) => ({ ...s, apps: s.apps.map(({ sampled_walks, page_heat, by_array, by_kernel, by_line, ...a }) => a) });
    const a = flatten(strip(byKey(left.value).stats)), b = flatten(strip(byKey(right.value).stats));
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
  const kinds = ipcKinds(), has = (r) => Array.isArray(r.stats?.apps);
  const sum = (r, f) => (has(r) ? r.stats.apps.reduce((s, a) => s + (f(a) || 0), 0) : null);
  const ipc = (r) => (has(r) ? ipcOf(r, kinds) : null);
  const columns = [
    { name: 'workload', value: workloadOf }, { name: 'design', value: (r) => r.design }, { name: 'gpu', value: (r) => r.gpu },
    { name: 'settings', value: (r) => ownSettings(r).join(' ') }, { name: 'SMs', value: (r) => (r.sms?.some(Boolean) ? r.sms.join('/') : 'all') },
    { name: 'ends after', value: (r) => Object.entries(r.limits || {}).filter(([, v]) => v).map(([k, v]) => limitText(k, v)).join(', ') || 'all finished' },
    { name: 'model', value: (r) => r.model },
    { name: 'status', value: (r) => (r.stats ? 'done' : `${r.status}: ${r.error}`), cls: (r) => (r.stats ? null : 'bad') },
    { name: 'IPC', num: true, value: ipc, text: (r) => fixed(ipc(r)) }, { name: 'IPC of', value: (r) => (has(r) ? KIND_TEXT[kinds.get(workloadOf(r))] : '') },
    { name: 'weighted speed-up', num: true, value: (r) => r.speedup?.weighted_speedup ?? null, text: (r) => fixed(r.speedup?.weighted_speedup) },
    { name: 'unfairness', num: true, value: (r) => r.speedup?.unfairness ?? null, text: (r) => fixed(r.speedup?.unfairness) },
    { name: 'cycles', num: true, value: (r) => r.stats?.cycles ?? null, text: (r) => short(r.stats?.cycles) },
    { name: 'walks', num: true, value: (r) => sum(r, (a) => a.walk?.walks), text: (r) => short(sum(r, (a) => a.walk?.walks)) },
    { name: 'host ms', num: true, value: (r) => r.host_ms ?? null, text: (r) => short(r.host_ms) },
    { name: 'DRAM bus', num: true, value: (r) => r.stats?.dram_bus_utilisation ?? null, text: (r) => (typeof r.stats?.dram_bus_utilisation === 'number' ? `${(100 * r.stats.dram_bus_utilisation).toFixed(1)} %` : '–') },
  ];
  return section('runs', 'All runs', 'A click on a row shows the run above; a click on a heading sorts.', table({ file: 'runs', rows: runs, columns, onPick: (r) => has(r) && onPick(r) }));
}

// Rows whose two numbers can be drawn beside each other: percentages on one axis, numbers on another.
const MICRO = 1e6;
const both = (r) => r.paper_millionths !== null && r.here_millionths !== null;
const isQuick = (x) => x.plan === 'quick' || Boolean(data.plan?.quick);
const verdictClass = (r) => (/disagree/.test(r.verdict) ? 'bad' : /size/.test(r.verdict) ? 'good' : /agrees/.test(r.verdict) ? 'warn' : 'soft');
const WHO = ['paper', 'here'], whoColours = () => byMode(['#7d7d7d', '#4477aa'], ['#b4b4b4', '#6fa3d8']);

function paperChart(x, unit) {
  const rows = x.rows.filter((r) => both(r) && (r.unit || 'number') === unit);
  if (!rows.length) return [];
  const names = rows.map((r) => r.what), percent = unit === 'percent';
  const values = rows.flatMap((r) => [['paper', r.paper_millionths, r.paper], ['here', r.here_millionths, r.here]]
    .map(([who, v, text]) => ({ what: r.what, who, v: v / MICRO, end: Math.max(0, v / MICRO), text, verdict: r.verdict })));
  const least = Math.min(0, ...values.map((v) => v.v)), most = Math.max(0, ...values.map((v) => v.v));
  return [chart((width) => {
    const axis = nameAxis(names, width * 0.42), beside = 8 + Math.max(...values.map((v) => textWidth(v.text, 11)));
    const plot = Math.max(60, width - axis.room - 20), room = ((most - least || 1) * beside) / Math.max(30, plot - beside);
    return {
      data: { values }, height: { step: Math.max(15, 7.5 * axis.lines) }, legend: legendOf(WHO, whoColours()),
      encoding: {
        y: { field: 'what', type: 'nominal', sort: names, title: null, axis: { ...axis.axis, labelOffset: axis.offset } },
        yOffset: { field: 'who', sort: WHO },
        x: { field: 'v', type: 'quantitative', title: null, stack: null, scale: { domain: [least, most + room], nice: false }, axis: { tickCount: 4, format: percent ? '~%' : '.4~r' } },
      },
      layer: [
        { mark: { type: 'bar' }, encoding: { color: colourBy('who', WHO, whoColours()),
          tooltip: [{ field: 'what' }, { field: 'who' }, { field: 'text', title: 'value' }, { field: 'verdict' }] } },
        { mark: { type: 'text', align: 'left', dx: 4 }, encoding: { x: { field: 'end', type: 'quantitative' }, text: { field: 'text' } } },
      ],
    };
  }, `${x.id}: the paper and here`)];
}

function detailTable(x, t, i) {
  const names = [...new Set(t.rows.flatMap((r) => Object.keys(r)))];
  const number = (v) => { const n = parseFloat(v); return Number.isNaN(n) ? v : n; };
  return el('details', {}, el('summary', {}, t.title), table({ file: `${x.id.replace('/', '-')}-${i}`, rows: t.rows,
    columns: names.map((name, k) => ({ name, num: k > 0, value: (r) => number(r[name]), text: (r) => r[name] ?? '' })) }));
}

const paperCard = (x) => el('div', { class: 'card', id: x.id.replace('/', '-') }, el('h3', {}, `${isQuick(x) ? 'QUICK ' : ''}${x.id}: ${x.title}`),
  ...paperChart(x, 'percent'), ...paperChart(x, 'number'),
  ...x.rows.filter((r) => !both(r)).map((r) => el('p', { class: 'row' }, `${r.what}. Paper: ${r.paper}. Here: ${r.here}. `, el('span', { class: verdictClass(r) }, r.verdict))),
  ...x.tables?.length ? x.tables.map((t, i) => detailTable(x, t, i)) : []);

export function papers() {
  if (!experiments.length) return null;
  const rows = experiments.flatMap((e) => e.rows.map((r) => ({ ...r, id: e.id })));
  const groups = [...new Set(experiments.map((x) => x.id.split('/')[0]))];
  const quick = experiments.some(isQuick) ? 'QUICK: few pairs and tiny inputs show that it works. Its numbers mean nothing beside the paper\u2019s, and no row is judged. ' : '';
  return section('papers', 'The papers beside us', `${quick}Each row of a paper, its value and ours.${quick ? '' : ' A row that disagrees is shown like any other.'}`,
    table({ file: 'papers', rows, columns: [
      { name: 'experiment', value: (r) => r.id }, { name: 'what', value: (r) => r.what, wrap: true },
      { name: 'paper', num: true, value: (r) => r.paper_millionths ?? r.paper, text: (r) => r.paper }, { name: 'here', num: true, value: (r) => r.here_millionths ?? r.here, text: (r) => r.here },
      { name: 'ratio', num: true, value: (r) => r.ratio_millionths ?? null, text: (r) => fixed(r.ratio_millionths === null ? null : r.ratio_millionths / MICRO, 2) },
      { name: 'verdict', value: (r) => r.verdict, cls: verdictClass }, { name: 'note', value: (r) => r.note, wrap: true }] }),
    ...groups.map((g) => el('div', { class: 'grid wide' }, ...experiments.filter((x) => x.id.startsWith(`${g}/`)).map(paperCard))));
}

// What was run quickly says so and agrees with nothing.
const verdicts = () => {
  const quick = experiments.some(isQuick) ? 'QUICK: ' : '', judged = experiments.filter((x) => !isQuick(x)).flatMap((x) => x.rows);
  const rows = experiments.flatMap((x) => x.rows);
  return [[short(experiments.length), `${quick}experiments`], [short(rows.length), `${quick}rows of papers`],
    quick ? ['–', 'QUICK: none is judged'] : [short(judged.filter((r) => /^agrees/.test(r.verdict)).length), 'agree']];
};
const many = (v) => (v >= 1e7 ? `${short(Math.round(v / 1e6))} M` : v >= 1e4 ? `${short(Math.round(v / 1e3))} k` : short(v));
const failed = () => runs.filter((r) => !r.stats).length;
const runFacts = () => [
  [short(done.length), done.length === 1 ? 'run' : 'runs'], [short(workloads.length), workloads.length === 1 ? 'workload' : 'workloads'], [short(designs.length), designs.length === 1 ? 'design' : 'designs'],
  [many(done.reduce((s, r) => s + (r.stats.warp_instructions || 0), 0)), 'warp instructions'],
  [many(done.reduce((s, r) => s + (r.stats.cycles || 0), 0)), 'simulated cycles'],
  ...(failed() ? [[short(failed()), 'failed']] : []),
];
export const facts = () => [...(experiments.length ? verdicts() : []), ...(runs.length ? runFacts() : [])];
