// One version: in package.json, in the module, at the head of what was released, and in the addresses of the guides.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';

const read = (/** @type {string} */ name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));

test('the module says the version of the package', async () => {
  assert.equal((await load()).version, version);
});

test('the newest release in the CHANGELOG is this version, with its day', () => {
  const [, newest, day] = /^## (\d+\.\d+\.\d+) — (\d{4}-\d\d-\d\d)$/m.exec(read('CHANGELOG.md')) ?? [];
  assert.equal(newest, version);
  assert.equal(new Date(day).toISOString().slice(0, 10), day);
});

test('the addresses in the guides are those of this version', () => {
  const guide = read('src/docs/guides/bundlers.md');
  const named = [...guide.matchAll(/\bglassformer@([^/\s`'"]+)/g)].map(([, each]) => each);
  assert.ok(named.length > 0);
  assert.deepEqual([...new Set(named)], [version]);
});
