// Programs as a user writes them, each of at most 15 lines, from the packed package: in Node and, all in one page, in
// Chromium; as they stand, and with the engine of `load` in a worker. Each line gives what it says behind `// →`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import sirv from 'sirv';
import { compile } from 'svelte/compiler';
import { checked } from '../docs/examples.js';
import { install } from '../docs/installed.js';
import { launchChromium } from '../web/engines.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const read = (/** @type {string} */ name) => readFileSync(join(here, name), 'utf8');

/** Programs import this in place of 'glassformer', so that their engine is in a worker. */
const IN_WORKER = `import { load as start } from 'glassformer';
export * from 'glassformer';
export const load = (options) => start({ ...options, worker: true });
`;
const CHECK = "import { is as $is, prints as $prints, throws as $throws } from './check.mjs';\n";

/** Beside the package, what a user may have: as Node finds it, and the file that a page fetches. */
const PEERS = {
  'onnxruntime-web': 'tests/onnx/node_modules/onnxruntime-web',
  'onnxruntime-common': 'tests/onnx/node_modules/onnxruntime-common',
};
const PEERS_OF_PAGE = { 'onnxruntime-web': '/node_modules/onnxruntime-web/dist/ort.wasm.bundle.min.mjs' };

/**
 * A program, and where it runs: with `document` in a page alone, with a module of Node there alone; as it stands where
 * it starts a worker itself.
 * @param {string} name
 */
function programOf(name) {
  const code = read(name);
  const parts = [...code.matchAll(/'\.\/(\w+\.svelte)'/g)].map(([, part]) => read(part));
  const inPage = /\bdocument\b/.test(code);
  const inNode = /\b(from|import\() ?'node:/.test(code);
  const ownWorker = /glassformer\/worker|\bworker: /.test(code);
  return {
    name,
    code,
    lines: [code, ...parts].join('').split('\n').filter(Boolean).length,
    places: ['Node', 'Chromium'].filter((place) => (place === 'Node' ? !inPage : !inNode)),
    threads: ownWorker ? ['its own worker'] : ['main thread', 'worker'],
  };
}

const PRINTED = ['ablate', 'attention', 'generate', 'resume', 'train'].map((name) => `${name}.mjs`); // printed.test.js
const programs = readdirSync(here)
  .filter((name) => /\.(mjs|jsx)$/.test(name) && !PRINTED.includes(name))
  .map(programOf);

test('each program has at most 15 lines, and some that say what they give', () => {
  assert.ok(programs.length >= 3);
  for (const { name, code, lines } of programs) {
    assert.ok(lines <= 15, `${name}: ${lines} lines`);
    assert.match(checked(code), /\$(is|prints|throws)\(/, `${name} checks nothing`);
  }
});

/** The abilities that a package of this kind must offer in a few lines: at least one program each. */
const TWELVE = [
  'heatmap heatmap-react heatmap-svelte',
  'embeddings-search',
  'streaming',
  'numbers',
  'patching-per-head',
  'logit-lens',
  'saliency',
  'onnx',
  'own-words',
  'server-pool',
  'tensor-library',
  'encoder-decoder',
];

test('the twelve programs are all there', () => {
  const names = programs.map(({ name }) => name.replace(/\.\w+$/, ''));
  assert.equal(TWELVE.length, 12);
  assert.deepEqual(names.sort(), TWELVE.flatMap((each) => each.split(' ')).sort());
});

/** @type {import('esbuild').Plugin} */
const svelte = {
  name: 'svelte',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.svelte$/ }, ({ path }) => {
      const { js, warnings } = compile(readFileSync(path, 'utf8'), { filename: path, generate: 'client' });
      assert.deepEqual(warnings, []);
      return { contents: js.code, resolveDir: here };
    }),
};

/**
 * A program as it runs: its file in the folder.
 * @param {{name: string, code: string}} program @param {string} thread
 */
async function write({ name, code }, thread) {
  const path = join(folder, `${name.replace(/\.\w+$/, '')}-${thread.replaceAll(' ', '-')}.mjs`);
  const asked = thread === 'worker' ? code.replace("'glassformer'", "'./in-worker.mjs'") : code;
  const contents = CHECK + checked(asked);
  if (/\.jsx$|-svelte/.test(name)) {
    await build({
      stdin: { contents, resolveDir: here, loader: 'jsx' },
      outfile: path,
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      conditions: ['browser'],
      define: { 'process.env.NODE_ENV': '"production"' },
      external: ['glassformer', 'glassformer/*', './check.mjs', './in-worker.mjs'],
      plugins: [svelte],
    });
  } else writeFileSync(path, contents);
  return path;
}

let folder = '';
/** @type {import('node:http').Server} */
let server;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('playwright-core').Page} */
let page;
/** @type {string[]} */
const problems = [];

before(async () => {
  folder = install();
  cpSync(join(root, 'tests/docs/check.js'), join(folder, 'check.mjs'));
  writeFileSync(join(folder, 'in-worker.mjs'), IN_WORKER);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const [name, path] of Object.entries(PEERS)) symlinkSync(join(root, path), join(folder, 'node_modules', name));

  const own = '/node_modules/glassformer';
  const { exports } = JSON.parse(readFileSync(join(folder, own, 'package.json'), 'utf8'));
  const entries = Object.entries(exports).filter(([entry]) => /^\.(\/\w+)?$/.test(entry));
  const models = readdirSync(join(folder, own, 'dist/models')).map((file) => [
    `glassformer/models/${file.replace(/\.safetensors$/, '')}`,
    `${own}/dist/models/${file}`,
  ]);
  const imports = Object.fromEntries([
    ...entries.map(([entry, target]) => [`glassformer${entry.slice(1)}`, own + target.default.slice(1)]),
    ...models,
    ...Object.entries(PEERS_OF_PAGE),
  ]);
  const head = `<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>`;
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>Programs</title>${head}`);
  server = createServer(sirv(folder, { dev: true }));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  browser = await launchChromium();
  page = await browser.newPage();
  page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`);
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** @type {Record<string, (path: string) => Promise<void>>} */
const RUN = {
  async Node(path) {
    const { stderr } = await promisify(execFile)(process.execPath, [path], { cwd: folder, timeout: 120_000 });
    assert.equal(stderr, '');
  },
  async Chromium(path) {
    problems.length = 0;
    const thrown = await page.evaluate(
      async (name) => {
        document.body.replaceChildren();
        return import(`/${name}`).then(
          () => '',
          (error) => `${error.stack ?? error}`,
        );
      },
      path.slice(folder.length + 1),
    );
    assert.equal(thrown, '');
    assert.deepEqual(problems, []);
  },
};

for (const [place, run] of Object.entries(RUN)) {
  describe(place, { concurrency: place === 'Node' ? availableParallelism() : 1 }, () => {
    for (const program of programs.filter(({ places }) => places.includes(place)))
      for (const thread of program.threads)
        test(`${program.name}, ${thread}`, async () => run(await write(program, thread)));
  });
}
