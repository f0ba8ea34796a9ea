// Makes page.html: one file with style, charts and Vega-Lite inside, and a place for the data.
// `gmmu report` puts the data there. The result is kept in the tree, so that building gmmu needs no npm.
import { createHash } from 'node:crypto';
import { buildSync } from 'esbuild';
import { readFileSync, writeFileSync, readdirSync, existsSync } from 'node:fs';

const here = new URL('.', import.meta.url).pathname;
const read = (name) => readFileSync(here + name, 'utf8');

const js = buildSync({
  entryPoints: [here + 'src/main.js'],
  bundle: true, minify: true, format: 'iife', target: 'es2020', write: false, legalComments: 'none',
}).outputFiles[0].text.replaceAll('</script', '<\\/script');

// What is bundled, found from what esbuild was given: name, version, licence and its text.
function licences() {
  const lock = JSON.parse(read('package-lock.json')).packages;
  const texts = new Map(); // text -> who uses it
  for (const [path, p] of Object.entries(lock).sort()) {
    if (!path || p.dev) continue;
    const dir = here + path;
    const file = existsSync(dir) && readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
    const name = path.replace(/^.*node_modules\//, '');
    const text = file ? readFileSync(`${dir}/${file}`, 'utf8').trim() : 'no licence file';
    texts.set(text, [...(texts.get(text) || []), `${name} ${p.version} (${p.license})`]);
  }
  return [...texts].map(([text, who]) => `${who.join('\n')}\n\n${text}`).join(`\n\n${'-'.repeat(100)}\n\n`) + '\n';
}

// The page runs this script and has this style, and nothing that came with the data.
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const style = read('src/style.css');

const html = read('src/page.html')
  .replace('@SCRIPT_HASH@', hash(js)).replace('@STYLE_HASH@', hash(style))
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => js);
writeFileSync(here + 'page.html', html);
writeFileSync(here + 'LICENCES.txt', licences());
console.log(`page.html ${html.length} bytes`);
