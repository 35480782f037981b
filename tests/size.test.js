// The gzipped size of a user's downloads, of the scripts after a bundler: at most its budget, and the same as in
// README.md and the guides.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { MOST_BYTES } from './bytes.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Leaves out what a program fetches at its first use. @type {import('esbuild').Plugin} */
const late = {
  name: 'late',
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined)),
};

/** Bundles a program by esbuild. @param {string} contents */
async function bundled(contents) {
  const { outputFiles, warnings } = await build({
    logLevel: 'silent',
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    tsconfigRaw: '{}', // the project's paths lead to the sources
    plugins: [late],
    write: false,
  });
  assert.deepEqual(
    warnings.map(({ text }) => text),
    [],
  );
  return outputFiles[0].contents;
}

const FILES = {
  'simd.wasm': () => readFileSync(`${root}dist/simd.wasm`),
  'relaxed.wasm': () => readFileSync(`${root}dist/relaxed.wasm`),
  'load of glassformer': () => bundled("export { load } from 'glassformer'"),
  'all of glassformer': () => bundled("export * from 'glassformer'"),
  'all of glassformer/core': () => bundled("export * from 'glassformer/core'"),
  'load of glassformer/core': () => bundled("export { load } from 'glassformer/core'"),
  'the script of glassformer/worker': () => readFileSync(`${root}dist/js/worker-thread.js`),
  'load of glassformer/worker, without its script': () => bundled("export { load } from 'glassformer/worker'"),
};

/** @param {string | Uint8Array} contents */
const gzipped = (contents) => gzipSync(contents, { level: 9 }).length;

for (const [name, contents] of Object.entries(FILES)) {
  const limit = MOST_BYTES[name];
  test(`${name} is at most ${limit} bytes`, async (t) => {
    const bytes = gzipped(await contents());
    t.diagnostic(`${bytes} bytes`);
    assert.ok(bytes <= limit, `${bytes}`);
  });
}

/**
 * Every number of kB in README.md and the guides: page, the words around it (… is a cell), the bytes that it rounds.
 * @type {[string, string, () => Promise<number> | number][]}
 */
const STATED = [
  ['README', 'compiled to # kB of WebAssembly', async () => gzipped(await FILES['simd.wasm']())],
  ['README', 'one module # kB', async () => gzipped(await FILES['simd.wasm']())],
  ['README', 'the JavaScript # to', async () => gzipped(await FILES['load of glassformer/core']())],
  ['README', ' to # kB; ONNX', async () => gzipped(await FILES['all of glassformer']())],
  ['workers', 'in the package (# kB gzipped)', async () => gzipped(await FILES['the script of glassformer/worker']())],
  ['elements', 'no dependencies: # kB gzipped', () => gzipped(readFileSync(`${root}dist/elements.js`))],
  ['start', '`creek` | … | # kB', () => statSync(`${root}dist/models/creek.safetensors`).size],
  ['start', '`translate` | … | # kB', () => statSync(`${root}dist/models/translate.safetensors`).size],
  ['start', '`continue` | … | # kB', () => statSync(`${root}dist/models/continue.safetensors`).size],
  ['memory', 'in GPT-2: # kB per token', () => 50257 * 4],
];
const guides = readdirSync(`${root}src/docs/guides`).map((name) => `src/docs/guides/${name}`);
const pages = new Map(
  ['README.md', ...guides].map((path) => [
    path.replace(/^.*\/|\.md$/g, ''),
    readFileSync(root + path, 'utf8').replace(/\s+/g, ' '),
  ]),
);

// Three quarters, so that a figure at a half does not turn with each byte.
test('README.md and the guides say the sizes that are measured, to three quarters of a kB', async () => {
  const write = [];
  for (const [page, around, measure] of STATED) {
    const form = around
      .replace(/[()|`.]/g, '\\$&')
      .replace('…', '[^|]*')
      .replace('#', '(\\d+)');
    const [, said] = new RegExp(form).exec(pages.get(page) ?? '') ?? [];
    const bytes = await measure();
    const fits = Math.abs(Number(said) * 1000 - bytes) <= 750;
    if (!fits)
      write.push(`${page}: ${around.replace('#', `${Math.round(bytes / 1000)}`)} (${said} kB said, ${bytes} bytes)`);
  }
  assert.deepEqual(write, [], 'write these');
});

test('no number of kB stands in README.md or a guide that nothing measures', () => {
  for (const [page, text] of pages) {
    const measured = STATED.filter(([where, around]) => where === page && around.includes('# kB'));
    const found = text.match(/\d ?kB\b/g) ?? [];
    assert.equal(found.length, measured.length, `${page}: ${found}`);
  }
});
