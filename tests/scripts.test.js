// Scripts, many of which no test runs as they need PyTorch, a browser or minutes: what they import is exported there.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const scripts = ['src', 'tests', 'web'].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?!.*node_modules).*(\.mjs|bench.*\.js)$/.test(file))
    .map((file) => `${folder}/${file}`),
);

/** What esbuild says of the imports of these files. @param {string[]} entryPoints @param {object} [more] */
const problems = (entryPoints, more) =>
  build({
    entryPoints,
    absWorkingDir: root,
    bundle: true,
    write: false,
    outdir: 'none',
    logLevel: 'silent',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    external: ['*.text.js', '*.wasm.js', '/dist/*'],
    loader: { '.svelte': 'empty', '.wasm': 'empty' },
    ...more,
  }).then(
    ({ warnings }) => warnings.flatMap(({ id, text }) => (id === 'import-is-undefined' ? [text] : [])),
    ({ errors }) => errors.map((/** @type {any} */ { text, location }) => `${location?.file}: ${text}`),
  );

test('every script imports what there is', async () => {
  assert.ok(scripts.includes('tests/interop/continue.mjs') && scripts.length > 40, String(scripts.length));
  assert.deepEqual(await problems(scripts), []);
});
