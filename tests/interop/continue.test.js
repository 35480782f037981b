// What src/docs/continue.py had in PyTorch (continue.json): names, shapes and losses are those of this engine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { CASES, continued } from './continue.js';

const known = JSON.parse(readFileSync(new URL('continue.json', import.meta.url), 'utf8'));
const gf = await load({ variant: 'simd' });

for (const name of Object.keys(CASES)) {
  test(`PyTorch continues ${name}: a saved run has the names and shapes of its module, and its losses`, async () => {
    const { names, losses } = await continued(gf, name);
    assert.deepEqual(names, known[name].names);
    assert.equal(known[name].losses.length, losses.length);
    for (const [i, loss] of losses.entries())
      assert(Math.abs(loss - known[name].losses[i]) < 1e-6, `step ${i}: ${loss}`);
  });
}

test('continue.py has at most 100 lines', () => {
  const text = readFileSync(new URL('../../src/docs/continue.py', import.meta.url), 'utf8');
  assert(text.split('\n').length <= 101);
});
