// One version: in package.json and its lock, in the module, CHANGELOG, README.md and the addresses of the guides.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';

const read = (/** @type {string} */ name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));

test('the module and the lock have the version of the package', async () => {
  assert.equal((await load()).version, version);
  const lock = JSON.parse(read('package-lock.json'));
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version]);
});

/**
 * The contradiction between a CHANGELOG and a version: the unreleased version must be above every dated one.
 * @param {string} changelog @param {string} now
 */
function contradiction(changelog, now) {
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) — (\d{4}-\d\d-\d\d)$/gm)];
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, text]) => text);
  const [, next] = /^## Unreleased\n\nThis will be version (\d+\.\d+\.\d+)\.\n/m.exec(changelog) ?? [];
  if (headings.length !== released.length + Number(headings[0] === 'Unreleased')) return `headings: ${headings}`;
  for (const [, , day] of released) if (new Date(day).toISOString().slice(0, 10) !== day) return `no day: ${day}`;
  const order = [...(headings[0] === 'Unreleased' ? [next ?? 'none'] : []), ...released.map(([, each]) => each)];
  if (order[0] !== now) return `the newest is ${order[0]}, the package is ${now}`;
  const weight = (/** @type {string} */ each) => each.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
  const wrong = order.find((each, i) => i > 0 && weight(each) >= weight(order[i - 1]));
  return wrong && `${wrong} stands below a version that is not newer`;
}

test('the CHANGELOG begins with this version: dated, or unreleased above every dated one', () => {
  assert.equal(contradiction(read('CHANGELOG.md'), version), undefined);
  const dated = '## 0.1.0 — 2026-11-22\n\n- a\n';
  assert.equal(contradiction(dated, '0.1.0'), undefined);
  assert.equal(contradiction(`## Unreleased\n\nThis will be version 0.2.0.\n\n${dated}`, '0.2.0'), undefined);
  assert.match(String(contradiction(`## Unreleased\n\n${dated}`, '0.1.0')), /newest is none/);
  const same = `## Unreleased\n\nThis will be version 0.1.0.\n\n${dated}`;
  assert.match(String(contradiction(same, '0.1.0')), /not newer/);
  assert.match(String(contradiction(dated, '0.2.0')), /newest is 0.1.0/);
});

test('README.md and the addresses in the guides name this version', () => {
  const guide = read('src/docs/guides/bundlers.md') + read('src/docs/guides/elements.md');
  const named = [...guide.matchAll(/\bglassformer@([^/\s`'"]+)/g)].map(([, each]) => each);
  assert.ok(named.length > 0);
  assert.deepEqual([...new Set(named)], [version]);
  const [, short] = /\*\*Stability\*\*: version (\d+\.\d+);/.exec(read('README.md')) ?? [];
  assert.equal(short, version.replace(/\.\d+$/, ''));
});
