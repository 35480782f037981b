// Scripts, many of which no test runs as they need PyTorch, a browser or minutes: what they import is exported there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

/** The problems that esbuild finds in these files' imports. @param {string[]} entryPoints @param {object} [more] */
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

test('the runner takes the name of a test, and names the slowest files before its summary', () => {
  const file = 'tests/version.test.js';
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }; // else a runner within a test only reports to it
  const printed = execFileSync('node', ['tests/run.mjs', file, '-t', '^README'], { cwd: root, env, encoding: 'utf8' });
  assert.match(printed, /✔ README.*\n/);
  assert.doesNotMatch(printed, /✔ the CHANGELOG/);
  assert.match(printed, /ℹ +\d+\.\d s tests\/version\.test\.js\nℹ tests 3\n/);
});
