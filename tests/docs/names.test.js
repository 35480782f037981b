// Names on the pages for people exist: npm scripts, targets of make, files and folders, links.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (/** @type {string} */ path) => readFileSync(root + path, 'utf8');
const guides = readdirSync(`${root}src/docs/guides`).map((name) => `src/docs/guides/${name}`);
/** Stands beside the guides on the site. */
const INTRO = 'src/docs/intro.md';
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'THIRD_PARTY.md', INTRO, ...guides];
const { scripts } = JSON.parse(read('package.json'));
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
/** Without the folders of tests that run meanwhile, which come and go. */
const built = readdirSync(`${root}dist`, { withFileTypes: true })
  .filter(({ name }) => !/^claim-runs$|-\w{6}$/.test(name))
  .flatMap((entry) => {
    const inside = entry.isDirectory() ? readdirSync(`${root}dist/${entry.name}`, { recursive: true }) : [];
    return [entry.name, ...inside.map((path) => `${entry.name}/${path}`)];
  })
  .map((path) => `dist/${path}`);
const names = new Set(tracked.map((path) => posix.basename(path)));

/** Commands of npm itself. */
const OWN = ['ci', 'install', 'pack', 'publish'];
/** Pages that npm run docs makes, names in a user's own project, and those of a checkpoint's or a run's folder. */
const MADE = new Set([
  ...['programs.md', 'tensor-names.md', 'first.mjs', 'package.json', 'worker-thread.js', 'vite.config.js'],
  ...['config.json', 'tokenizer.json', 'model.safetensors', 'pytorch_model.bin'],
  ...['run.safetensors', 'rows.safetensors'],
]);

/**
 * Lists the names on a page that do not exist.
 * @param {string} page @param {string} text
 */
function missing(page, text) {
  const found = [];
  for (const [, name] of text.matchAll(/(?:\bnpm run |^npm (?!run)|`npm (?!run))([a-z][\w:-]*)/gm))
    if (!scripts[name] && !OWN.includes(name)) found.push(`npm run ${name}`);
  for (const [, name] of text.matchAll(/\bmake -f emscripten\.mk (\w+)/g))
    if (!new RegExp(`^${name}\\b.*:`, 'm').test(read('emscripten.mk'))) found.push(`make ${name}`);
  for (const [, link] of text.matchAll(/\]\((?!\w+:|#)([^)#]+)(?:#[^)]*)?\)/g)) {
    const path = posix.join(page === INTRO ? posix.dirname(guides[0]) : posix.dirname(page), link);
    if (!tracked.includes(path) && !MADE.has(link)) found.push(link);
  }
  // NAME and what is between braces stand for several; * for any.
  for (const [path] of text.matchAll(/(?<![\w./-])(?:src|tests|web|dist|\.ci)\/[\w./*{},-]*/g)) {
    const form = path
      .replace(/[.,]$/, '')
      .replace(/[.]/g, '\\.')
      .replace(/\*/g, '[^/]*')
      .replace(/\{([^}]*)\}/g, (_, all) => `(${all.replaceAll(',', '|')})`)
      .replace(/[A-Z]{3,}/g, '[^/]*');
    const here = new RegExp(`^${form.replace(/\/$/, '')}([/.]|$)`); // modules are named without their .js, too
    const all = path.startsWith('dist/') ? built : tracked;
    if (!all.some((each) => here.test(each))) found.push(path);
  }
  for (const [, name] of text.matchAll(/`([\w-]+\.(?:c|h|def|m?js|cjs|ts|md|mk|sh|py|txt|json|safetensors|css))`/g))
    if (!names.has(name) && !MADE.has(name)) found.push(name);
  return [...new Set(found)];
}

for (const page of pages) {
  test(`all that ${page} names exists`, () => {
    assert.deepEqual(missing(page, read(page)), []);
  });
}
