// The data of the page, as `gmmu report` wrote them (docs/report.md), which of them are shown, and what they are called.
//
// Invariant: of the runs shown, no two have the same workload and the same variant. A chart has one mark for each such pair,
// so nothing is added up or averaged that differs in anything. What all runs shown have in common is in sameInAll(), not in
// their names.

export let data = null, all = [], experiments = [];
// Of the runs shown; choose() fills them.
export let runs = [], done = [], designs = [], gpus = [], variants = [], workloads = [];

const unique = (list) => [...new Set(list)];
const several = (list) => list.length > 1;

// The text is gzip in base64, or plain JSON.
async function unpack(text) {
  if (text.startsWith('{')) return text;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

export async function load(text) {
  data = JSON.parse(await unpack(text.trim()));
  all = (data.runs || []).map((r) => ({ ...r, app: (r.apps || []).map(parseApp), split: splitOf(r) }));
  experiments = data.experiments || [];
  markAlone();
  filters = filterList();
  choose({});
}

/* ---- what a run differs by ---- */

// "bfs2:size=tiny,seed=1": a name and parameters; a file but .ptx, or what has no such form, is a name alone.
function parseApp(text) {
  const colon = text.indexOf(':'), list = colon < 0 ? [] : text.slice(colon + 1).split(',').map((p) => p.split('='));
  return (text.includes('/') && !/^(?!-- )[^:]*\.ptx:/.test(text)) || list.some((p) => p.length !== 2) ? { name: text, parameters: {} }
    : { name: colon < 0 ? text : text.slice(0, colon), parameters: Object.fromEntries(list) };
}

// SMs of each, as text; empty: equal shares, or all have all of them.
function splitOf(r) {
  const sms = r.sms || [], total = Number(r.config?.['gpu.sms']), n = sms.length;
  const equal = sms.every((v, i) => v === Math.floor((total * (i + 1)) / n) - Math.floor((total * i) / n));
  return equal || !sms.some(Boolean) ? '' : sms.join('/');
}

const LIMITS = {
  cycles: (v) => `${v} cycles`, instructions: (v) => `${v} instructions`, min_cycles: (v) => `at least ${v} cycles`,
  wait_for: (v) => `until ${v} finished`, no_relaunch: () => 'no relaunch',
};
export const limitText = (key, v) => (LIMITS[key] ? LIMITS[key](v) : `${key} ${v}`);
const limitsOf = (r) => Object.entries(r.limits || {}).filter(([, v]) => v);
const parameterOf = (r, key) => unique(r.app.map((a) => a.parameters[key]).filter((v) => v !== undefined)).join('/');

// Runs of one application on as many SMs that nobody asked for but the speed-ups of others.
function markAlone() {
  const wanted = new Set(all.flatMap((s) => (s.speedup ? s.apps.map((a, i) => JSON.stringify([s.model, s.gpu, s.speedup.baseline, a, s.sms[i]])) : [])));
  for (const r of all)
    r.alone = !r.speedup && r.apps?.length === 1 && wanted.has(JSON.stringify([r.model, r.gpu, r.design, r.apps[0], r.sms[0]]));
}

/* ---- which are shown ---- */

// {name, of(run), values: [text, number of runs]}, for everything by which runs can be chosen and in which some differ.
export let filters = [];
export let chosen = {};

function filterList() {
  const keys = (f) => unique(all.flatMap(f));
  const list = [
    { name: 'model version', of: (r) => r.model, newest: true },
    { name: 'GPU', of: (r) => r.gpu }, { name: 'design', of: (r) => r.design },
    ...['size', 'seed'].map((k) => ({ name: k, of: (r) => parameterOf(r, k) })),
    { name: 'SMs', of: (r) => r.split || 'equal shares' },
    ...keys((r) => limitsOf(r).map(([k]) => k)).map((k) => ({ name: k.replace('_', ' '), of: (r) => String(r.limits?.[k] || '') })),
    ...keys((r) => Object.keys(r.settings || {})).map((k) => ({ name: k, of: (r) => String(r.settings?.[k] ?? '') })),
  ];
  const count = (f) => {
    const n = new Map();
    for (const r of all) n.set(f.of(r), (n.get(f.of(r)) || 0) + 1);
    return [...n].sort(([a], [b]) => (f.newest ? data.models.indexOf(a) - data.models.indexOf(b) : a.localeCompare(b, 'en', { numeric: true })));
  };
  return list.map((f) => ({ ...f, values: count(f) })).filter((f) => several(f.values));
}

// wish: {name of a filter: value}; 'all' is an answer, too. Without one the newest model version is shown, and all of the rest.
export function choose(wish) {
  const preset = Object.fromEntries(filters.filter((f) => f.newest).map((f) => [f.name, f.values[0][0]]));
  chosen = { ...preset, ...wish };
  runs = all.filter((r) => filters.every((f) => (chosen[f.name] ?? 'all') === 'all' || f.of(r) === chosen[f.name]));
  done = runs.filter((r) => Array.isArray(r.stats?.apps)); // a probe has no applications
  designs = unique(runs.map((r) => r.design));
  gpus = unique(runs.map((r) => r.gpu));
  nameAll();
  variants = unique([...runs].sort((a, b) => rank(a) - rank(b) || variantOf(a).localeCompare(variantOf(b), 'en', { numeric: true })).map(variantOf));
  workloads = unique(runs.map(workloadOf));
}

/* ---- what they are called ---- */

let names = new Map();  // run -> {apps(without), limits, design, options, rest, workload, variant}
let common = null;      // what all runs shown have
export const variantOf = (r) => names.get(r).variant;
export const workloadOf = (r) => names.get(r).workload;
// The same without parameters of the applications, and without an option. A name has everything in which runs differ, so runs
// that have such a name in common differ in that alone.
export const workloadWithout = (r, ...parameters) => { const n = names.get(r); return [n.apps(parameters).join(' + ') + n.split, ...n.limits].join(', '); };
export const variantWithout = (r, option) => { const n = names.get(r); return [n.design, ...n.options.filter(([k]) => k !== option).map(([k, v]) => `${k}=${v}`), ...n.rest].join(' '); };
export const seedOf = (r) => parameterOf(r, 'seed');
export const nameOf = (r) => `${workloadOf(r)}, ${variantOf(r)}`;
const settingsOf = (r) => Object.entries(r.settings || {}).map(([k, v]) => `${k}=${v}`);
export const ownSettings = (r) => settingsOf(r).filter((s) => !common.settings.includes(s));

// Designs that others are compared with come first.
const BASELINES = ['sharedtlb', 'gpu-mmu', 'private', 'cp'];
function rank(r) {
  const i = BASELINES.indexOf(r.design);
  return runs.some((x) => x.speedup?.baseline === r.design) ? -1 : i < 0 ? BASELINES.length : i;
}

const inAll = (lists) => (lists.length ? lists[0].filter((x) => lists.every((l) => l.includes(x))) : []);

function findCommon() {
  const apps = runs.flatMap((r) => r.app);
  const pieces = (a) => Object.entries(a.parameters).map(([k, v]) => `${k}=${v}`);
  common = {
    models: unique(runs.map((r) => r.model)),
    settings: inAll(runs.map(settingsOf)),
    limits: inAll(runs.map((r) => limitsOf(r).map(([k, v]) => limitText(k, v)))),
    parameters: Object.fromEntries(unique(apps.map((a) => a.name)).map((name) => [name, inAll(apps.filter((a) => a.name === name).map(pieces))])),
  };
  return pieces;
}

// Options of the configuration in which runs differ that have the same GPU, design and settings by name.
function otherOptions() {
  const groups = new Map(), out = new Map();
  for (const r of runs) {
    const key = JSON.stringify([r.model, r.gpu, r.design, r.settings]);
    groups.set(key, [...(groups.get(key) || []), r]);
  }
  for (const list of groups.values()) {
    const differ = unique(list.flatMap((r) => Object.keys(r.config || {}))).filter((k) => several(unique(list.map((r) => JSON.stringify(r.config?.[k])))));
    for (const r of list) out.set(r, differ.filter((k) => !(k in (r.settings || {}))).map((k) => [k, String(r.config?.[k] ?? '–')]));
  }
  return out;
}

// Applications whose file or program changed between runs: their text -> what it stood for.
function contents() {
  const out = new Map();
  for (const r of runs) r.apps.forEach((a, i) => out.set(a, (out.get(a) || new Set()).add(String(r.contents?.[i] ?? ''))));
  return out;
}

// Holds the invariant whatever else a key may come to depend on.
function tellApart() {
  const same = new Map();
  for (const r of runs) same.set(nameOf(r), [...(same.get(nameOf(r)) || []), r]);
  for (const list of same.values()) if (several(list)) for (const r of list) { names.get(r).rest.push(`#${r.key.slice(0, 8)}`); names.get(r).variant = variantWithout(r); }
}

function nameAll() {
  const pieces = findCommon(), options = otherOptions(), content = contents();
  const appText = (r, i, without) => {
    const a = r.app[i], own = pieces(a).filter((p) => !common.parameters[a.name].includes(p) && !without.includes(p.split('=')[0]));
    return (own.length ? `${a.name}:${own.join(',')}` : a.name) + (content.get(r.apps[i]).size > 1 ? ` (${r.contents[i]})` : '');
  };
  names = new Map(runs.map((r) => [r, {
    apps: (without = []) => r.app.map((_, i) => appText(r, i, without)), split: r.split ? ` on ${r.split} SMs` : '',
    limits: limitsOf(r).map(([k, v]) => limitText(k, v)).filter((t) => !common.limits.includes(t)),
    design: several(gpus) ? `${r.design} ${r.gpu}` : r.design,
    options: [...Object.entries(r.settings || {}).filter(([k, v]) => !common.settings.includes(`${k}=${v}`)), ...options.get(r)],
    rest: several(common.models) ? [`model ${r.model}`] : [],
  }]));
  for (const r of runs) { names.get(r).workload = workloadWithout(r); names.get(r).variant = variantWithout(r); }
  tellApart();
}

// Of the applications of a run, each different: the second of two that are the same is "#2".
export function appNames(r) {
  const list = names.get(r).apps();
  return list.map((a, i) => (list.indexOf(a) === list.lastIndexOf(a) ? a : `${a} #${i + 1}`));
}

// [what, value] for everything that the names leave out.
export function sameInAll() {
  if (!runs.length) return [];
  return [
    ...(several(common.models) ? [] : [['model version', common.models[0]]]),
    ...(several(gpus) ? [] : [['GPU', gpus[0]]]), ...(several(designs) ? [] : [['design', designs[0]]]),
    ...common.settings.map((s) => s.split(/=(.*)/s).slice(0, 2)),
    ...(common.limits.length ? [['a run ends after', common.limits.join(', ')]] : []),
    ...Object.entries(common.parameters).filter(([, p]) => p.length).map(([name, p]) => [name, p.join(', ')]),
  ];
}

/* ---- swept numbers ---- */

// "512", "1.5" and "64K" are numbers.
const SUFFIX = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };
export function numberOf(text) {
  const m = /^(-?\d+(?:\.\d+)?)([KMGT]?)$/.exec(text);
  return m ? Number(m[1]) * SUFFIX[m[2]] : null;
}

// Numbers of which the runs shown have several, and which can be an axis: {name, at(run): text or '', workload(run), variant(run)},
// where the names lack that number. The one with most values comes first.
export function sweeps() {
  const options = unique(done.flatMap((r) => names.get(r).options.map(([k]) => k)));
  const parameters = unique(done.flatMap((r) => r.app.flatMap((a) => Object.keys(a.parameters)))).filter((k) => k !== 'seed');
  return [
    ...options.map((k) => ({ name: k, at: (r) => String(r.settings?.[k] ?? r.config?.[k] ?? ''), workload: workloadWithout, variant: (r) => variantWithout(r, k) })),
    ...parameters.map((k) => ({ name: k, at: (r) => (numberOf(parameterOf(r, k)) === null && parameterOf(r, k).includes('/') ? '' : parameterOf(r, k)), workload: (r, ...more) => workloadWithout(r, k, ...more), variant: variantOf })),
  ].map((s) => ({ ...s, values: unique(done.map(s.at).filter(Boolean)) }))
    .filter((s) => several(s.values) && s.values.every((v) => numberOf(v) !== null)).sort((a, b) => b.values.length - a.values.length);
}

/* ---- which runs a chart has ---- */

export const inOrder = (list, of) => list.filter((x) => of.has(x));
const ways = () => { const n = new Map(); for (const r of done) n.set(workloadOf(r), (n.get(workloadOf(r)) || 0) + 1); return n; };
const someOf = (keep) => { const some = done.filter(keep); return some.length ? some : done; };
// Runs of workloads that were run in several ways, or all if none was.
export const compared = () => { const n = ways(); return someOf((r) => n.get(workloadOf(r)) > 1); };
// Runs of one application that only the speed-ups of others needed have no other variant to stand beside.
export const charted = () => { const n = ways(); return someOf((r) => !r.alone || n.get(workloadOf(r)) > 1); };
// An application of a run.
export const whoOf = (r, i) => (r.apps.length > 1 ? `${workloadOf(r)} · ${appNames(r)[i]}` : workloadOf(r));

/* ---- numbers ---- */

// IPC of complete executions where every application of every run of a workload has one, else of the whole run: the same for
// all that are compared.
export function ipcKinds() {
  const kinds = new Map();
  for (const r of done) {
    const complete = r.stats.apps.every((a) => typeof a.complete_ipc === 'number');
    kinds.set(workloadOf(r), complete && kinds.get(workloadOf(r)) !== 'ipc' ? 'complete_ipc' : 'ipc');
  }
  return kinds;
}
export const ipcOf = (r, kinds) => r.stats.apps.reduce((s, a) => s + a[kinds.get(workloadOf(r))], 0);
export const KIND_TEXT = { complete_ipc: 'complete executions', ipc: 'the whole run' };

// What a path names: "walk.levels[2].reads"; lists count from 1.
export const valueAt = (value, path) => path.split(/[.[\]]+/).filter(Boolean).reduce((x, k) => (Array.isArray(x) ? x[k - 1] : x?.[k]), value);

// The hit rates of an application as they are declared (src/observe/measures.def), those that its statistics have; null where
// nobody asked that level.
export function rates(a) {
  const out = {}, rate = (x, r) => (x?.[r.whole] ? x[r.part] / x[r.whole] : null);
  for (const r of data.rates || []) {
    if (!r.path.includes('#')) out[r.title] = rate(valueAt(a, r.path), r);
    else for (let n = 1, x; (x = valueAt(a, r.path.replace('#', n))) !== undefined; n++) out[r.title.replace('#', n)] = rate(x, r);
  }
  return out;
}

// Every number of a run's statistics under its path: "apps[0].l2tlb.misses".
export function flatten(value, path = '', out = {}) {
  if (typeof value === 'number') out[path] = value;
  else if (Array.isArray(value)) value.forEach((v, i) => flatten(v, `${path}[${i}]`, out));
  else if (value && typeof value === 'object')
    for (const [k, v] of Object.entries(value)) flatten(v, path ? `${path}.${k}` : k, out);
  return out;
}

export const fixed = (v, digits = 3) => (v === null || v === undefined || Number.isNaN(v) ? '–' : Number(v).toFixed(digits));
export function short(v) {
  if (v === null || v === undefined) return '–';
  if (!Number.isInteger(v)) return Math.abs(v) < 100 ? v.toFixed(3) : v.toFixed(1);
  return v.toLocaleString('en');
}
