// The programs of the projects, in the forms that targets take them, and what is asked of what was built of them.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { answerOf, filesBelow, html, served } from './project.js';

export const ALL = 'attention, model, training, tasks';
export const DEFAULT = "import { load } from 'glassformer';\nimport { answer, program } from './program.js';\n";
export const CORE = DEFAULT.replace("'glassformer'", "'glassformer/core'");
/** The same, with the engine in a worker. */
export const REMOTE = `${DEFAULT}const remote = program(load, { worker: true });\n`;

/** The entries beside the engine. */
export const OTHERS = 'checkpoints, tokenizers, derivatives, features, onnx, claims, a step in shards by two workers';
const ENTRIES = "import { load } from 'glassformer';\nimport { answer } from './program.js';\n".concat(
  "import { entries } from './entries.js';\n",
);

export const ENTRIES_PRINTS = { 'main.js': `${ENTRIES}console.log(JSON.stringify(await entries(load)));\n` };
export const ENTRIES_PAGE = { 'main.js': `${ENTRIES}answer(entries(load));\n`, 'index.html': html('./main.js') };

export const PRINTS = { 'main.js': `${DEFAULT}console.log(JSON.stringify(await program(load)));\n` };
export const PAGE = { 'main.js': `${DEFAULT}answer(program(load));\n`, 'index.html': html('./main.js') };
/** A page whose engine runs in the package's own worker. */
export const REMOTE_PAGE = { ...PAGE, 'main.js': `${REMOTE}answer(remote);\n` };
/** A page that hears from its worker. */
export const withWorker = (/** @type {string} */ worker, options = "{ type: 'module' }") => ({
  'worker.js': worker,
  'index.html': html('./main.js'),
  'main.js': `
    const worker = new Worker(new URL('./worker.js', import.meta.url), ${options});
    worker.onmessage = ({ data }) => (globalThis.answer = data);
    worker.onerror = (event) => (globalThis.answer = { error: 'in the worker: ' + event.message });\n`,
});
export const ANSWERS = `${DEFAULT}answer(program(load), (value) => postMessage(value));\n`;
/** A worker with the core, whose module has an address that the bundler knows. @param {string} wasm */
export const coreWorker = (wasm) =>
  withWorker(`${wasm}${CORE}answer(program(load, { wasm }), (value) => postMessage(value));\n`);

/** The last line that a program printed. @param {string} text */
export const printed = (text) => JSON.parse(text.trim().split('\n').at(-1) ?? '');

/** Bytes of what a bundler made for browsers; it must not tell where it was made. @param {string} folder */
export function bytesOf(folder) {
  const files = filesBelow(folder).filter((path) => /\.(m?js|wasm)$/.test(path));
  assert(files.length, `nothing was built in ${folder}`);
  for (const path of files) {
    const leak = /.{0,60}(file:\/\/\/(?!\$)|glassformer-smoke-).{0,60}/.exec(readFileSync(path, 'latin1'));
    assert(!leak, `${path} names a path of the builder: ${leak?.[0]}`);
  }
  return files.reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Opens what a bundler made. @param {string} folder @param {string} [out] @param {string} [page] */
export async function open(folder, out = 'dist', page = `${out}/`) {
  const bytes = bytesOf(join(folder, out));
  return { bytes, answers: [await served(folder, (url) => answerOf('chromium', url + page))] };
}

/**
 * The address of an entry in a project, as a page without a bundler names it.
 * @param {string} folder @param {string} entry
 */
export function address(folder, entry) {
  let target = JSON.parse(readFileSync(join(folder, 'node_modules/glassformer/package.json'), 'utf8')).exports[entry];
  while (typeof target === 'object') target = target.default;
  assert(target, `the package exports no ${entry}`);
  return join('/node_modules/glassformer', target);
}

/** Bundles by esbuild. @param {string} folder @param {import('esbuild').BuildOptions} options */
export const bundle = (folder, options) =>
  build({
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: 'dist',
    logLevel: 'silent',
    ...options,
  });
