// The targets of `npm run smoke` that need no install, and that the table can say no.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { check } from './check.js';
import { bytesOf } from './programs.js';
import { Missing, Workshop } from './project.js';
import { table } from './table.js';
import { targets } from './targets.js';

/** @type {Workshop} */
let workshop;
before(() => void (workshop = new Workshop()));
after(() => workshop?.close());

for (const target of targets.filter(({ sample }) => sample)) {
  test(`the packed file: ${target.name}`, async (t) => {
    const { variant, bytes } = await workshop.attempt(target);
    t.diagnostic([variant, bytes].filter(Boolean).join(', '));
  });
}

test('a wrong number is refused, in each of the answers', () => {
  const right = workshop.reference;
  check(right, right);
  for (const name of ['output', 'weights', 'inner', 'losses']) {
    const wrong = { ...right, [name]: right[name].with(-1, right[name].at(-1) + 1e-3) };
    assert.throws(() => check(wrong, right), new RegExp(`${name}\\[\\d+\\] is`));
  }
  const { entries } = /** @type {Required<typeof right>} */ (right);
  check(entries, right);
  const read = entries.numbers.read.with(3, 0);
  assert.throws(() => check({ ...entries, numbers: { ...entries.numbers, read } }, right), /read\[3\] is 0/);
  assert.throws(() => check({ ...entries, workers: 0 }, right));
  assert.throws(() => check({ ...right, losses: [...right.losses, 0] }, right), /losses: 4 numbers in place of 3/);
  assert.throws(() => check({ ...right, shapes: ['3 8', '2 3 3', '1 4 3 4'] }, right));
  assert.throws(() => check(/** @type {any} */ ({ html: '' }), right), /no answer/);
});

test('a bundle that names where it was made is refused', () => {
  const folder = workshop.project('leak');
  const out = join(folder, 'out');
  mkdirSync(out);
  assert.throws(() => bytesOf(out), /nothing was built/);
  writeFileSync(join(out, 'a.js'), 'export {};');
  assert.equal(bytesOf(out), 10);
  writeFileSync(join(out, 'b.js'), `new URL('file://${folder}/node_modules/glassformer/dist/simd.wasm')`);
  assert.throws(() => bytesOf(out), /names a path of the builder/);
});

test('the table counts what fails and what is not here', async () => {
  const about = { version: () => '1.2.3', what: 'nothing', run: async () => ({}) };
  const lines = [];
  const counts = await table(
    ['right', 'wrong', 'absent'].map((name) => ({ name, ...about })),
    async ({ name }) => {
      if (name === 'wrong') throw new Error('it is wrong');
      if (name === 'absent') throw new Missing('it is absent');
      return { variant: 'simd', bytes: 12345 };
    },
    (line) => lines.push(line),
  );
  assert.deepEqual(counts, { failed: 1, missing: 1 });
  const text = lines.join('\n');
  assert.match(text, /^right +1\.2\.3 +nothing +simd +ok +12,345 /m);
  assert.match(text, /^wrong .* FAIL /m);
  assert.match(text, /^absent .* not run /m);
  assert.match(text, /1 of 3 ok, 1 failed, 1 not run[^]*it is wrong[^]*it is absent/);
});

test('a target that nobody knows is refused, and the known are named', () => {
  const script = fileURLToPath(new URL('run.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, 'vite99'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /no target vite99\.[^]*vite8-build/);
  assert.equal(new Set(targets.map(({ name }) => name)).size, targets.length);
});
