// What is published. What the modules export: tests/rooms.test.js.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name) => readFileSync(root + name);
const manifest = JSON.parse(read('package.json'));

test('the package has no dependencies and every export exists', () => {
  assert.equal(manifest.dependencies, undefined);
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  );
  for (const target of targets) assert.ok(existsSync(root + target), target);
});

test('the packed package holds what the exports need, and no more', () => {
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const paths = files.map((file) => file.path);
  for (const name of [
    'glassformer.js',
    'simd.wasm',
    'simd.wasm.js',
    'relaxed.wasm',
    'relaxed.wasm.js',
    'elements.js',
    'types/src/js/index.d.ts',
    'types/web/elements/index.d.ts',
  ]) {
    assert.ok(paths.includes(`dist/${name}`), name);
  }
  const allowed =
    /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|src\/(wasm\/api|model\/\w+|train\/\w+)\.h|dist\/((glassformer|tasks|elements)\.js|(simd|relaxed)\.wasm(\.js)?|types\/(src\/(js|tasks)|web\/(elements|draw)|dist\/generated)\/[\w-]+\.d\.ts))$/;
  assert.deepEqual(
    paths.filter((path) => !allowed.test(path)),
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
