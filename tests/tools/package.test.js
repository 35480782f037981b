// What is published. What the modules export: tests/rooms.test.js.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name) => readFileSync(root + name);
const manifest = JSON.parse(read('package.json'));

test('the package has no dependencies and every export exists', () => {
  assert.equal(manifest.dependencies, undefined);
  const { main, types, jsdelivr, unpkg } = manifest;
  const targets = [...Object.values(manifest.exports), { main, types, jsdelivr, unpkg }].flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  );
  for (const target of targets) assert.ok(existsSync(root + target), target);
});

/** What would be published. */
function packedPaths() {
  const options = /** @type {const} */ ({ cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ files }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options));
  return files.map((/** @type {{path: string}} */ file) => file.path);
}

test('the packed package holds what the exports need, and no more', () => {
  const paths = packedPaths();
  for (const name of [
    'js/index.js',
    'js/index.js.map',
    'js/node.js',
    'js/workerd.js',
    'js/core.js',
    'js/errors.js',
    'tasks/index.js',
    'glassformer.min.js',
    'simd.wasm',
    'simd.wasm.js',
    'relaxed.wasm',
    'relaxed.wasm.js',
    'elements.js',
    'types/src/js/index.d.ts',
    'types/src/js/core.d.ts',
    'types/src/js/module.d.ts',
    'types/web/elements/index.d.ts',
  ]) {
    assert.ok(paths.includes(`dist/${name}`), name);
  }
  const allowed = [
    /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
    /^src\/(wasm\/api\.h|(kernel|op|model|train)\/\w+\.(h|def))$/,
    /^dist\/((glassformer\.min|elements|(js|tasks)\/[\w-]+)\.js(\.map)?|(simd|relaxed)\.wasm(\.js)?)$/,
    /^dist\/types\/(src\/(js|tasks)|web\/(elements|draw)|dist\/generated)\/[\w-]+\.d\.ts$/,
  ];
  assert.deepEqual(
    paths.filter((path) => !allowed.some((form) => form.test(path))),
    [],
  );
});

test('the packed manual of the ABI includes nothing that is not packed', () => {
  const packed = new Set(packedPaths());
  const closure = new Set(['src/wasm/api.h']);
  for (const path of closure) {
    for (const [, name] of String(read(path)).matchAll(/^#include "(.*)"/gm)) closure.add(join(dirname(path), name));
  }
  assert(closure.size > 5, [...closure].join(' '));
  assert.deepEqual(
    [...closure].filter((path) => !packed.has(path)),
    [],
  );
});

test('the lock file names no host that packages came from', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  for (const [name, entry] of Object.entries(packages)) assert.equal(entry.resolved, undefined, name);
});

for (const variant of ['simd', 'relaxed']) {
  test(`${variant}: the ES module holds the same bytes`, async () => {
    const { default: packed } = await import(`../../dist/${variant}.wasm.js`);
    assert.deepEqual(gunzipSync(Buffer.from(packed, 'base64')), read(`dist/${variant}.wasm`));
  });
}
