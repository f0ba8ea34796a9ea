// The data of the page, as `gmmu report` wrote them (docs/data.md), and what is derived from them.

// All are filled by load(), before anything is drawn.
export let data = null, runs = [], done = [], designs = [], gpus = [], experiments = [], variants = [], workloads = [];

const order = (list) => [...new Set(list)];

// The text is gzip in base64, or plain JSON.
async function unpack(text) {
  if (text.startsWith('{')) return text;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

// Sizes and seeds that all have say nothing; SMs likewise, if they were not given.
const plain = (app) => app.replace(/:size=\w+(,seed=1)?$/, '');
const tidy = (r) => ({ ...r, apps: r.apps.map(plain), sms: r.sms?.length && r.sms.some(Boolean) ? r.sms : null });

export async function load(text) {
  data = JSON.parse(await unpack(text.trim()));
  runs = (data.runs || []).map(tidy);
  done = runs.filter((r) => r.stats);
  designs = order(runs.map((r) => r.design));
  gpus = order(runs.map((r) => r.gpu));
  experiments = data.experiments || [];
  common = new Set(runs.length ? settingsOf(runs[0]).filter((x) => runs.every((r) => settingsOf(r).includes(x))) : []);
  variants = order([...runs].sort((a, b) => rank(a) - rank(b)).map(variantOf));
  workloads = order(runs.map(workloadOf));
}

// A variant is what a run has besides its workload: design, GPU if there are several, settings that not all have.
let common = new Set();
const settingsOf = (r) => Object.entries(r.settings || {}).map(([k, v]) => `${k}=${v}`);
export const ownSettings = (r) => settingsOf(r).filter((s) => !common.has(s));
export const variantOf = (r) => [r.design, gpus.length > 1 ? r.gpu : '', ...ownSettings(r)].filter(Boolean).join(' ');
// Designs that others are compared with come first.
const BASELINES = ['sharedtlb', 'gpu-mmu', 'private', 'cp'];
const rank = (r) => { const i = BASELINES.indexOf(r.design); return i < 0 ? BASELINES.length : i; };
export const workloadOf = (r) => r.apps.map((a, i) => (r.sms ? `${a}:${r.sms[i]}` : a)).join(' + ');
export const nameOf = (r) => `${workloadOf(r)}, ${variantOf(r)}`;

export const ipcOf = (a) => a.complete_ipc ?? a.ipc;
const rate = (part, whole) => (whole ? part / whole : null);

// Rates of one application, null where there is nothing to divide by.
export function rates(a) {
  const reads = (a.walk?.levels || []).map((l) => rate(l.l2_hits, l.reads));
  return {
    ipc: ipcOf(a),
    'L1 TLB': a.l1tlb && rate(a.l1tlb.hits, a.l1tlb.lookups),
    'L2 TLB': a.l2tlb && rate(a.l2tlb.hits, a.l2tlb.lookups),
    'L1 data': a.l1d && rate(a.l1d.hits, a.l1d.accesses),
    'L2 data': a.l2 && rate(a.l2.data.hits, a.l2.data.accesses),
    ...Object.fromEntries(reads.map((v, i) => [`walk level ${i + 1} in L2`, v])),
  };
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
