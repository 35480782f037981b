// What src/docs/continue.py had in PyTorch (continue.json): names, shapes and losses are those of this engine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { MODEL } from '../../dist/generated/settings.js';
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

const text = readFileSync(new URL('../../src/docs/continue.py', import.meta.url), 'utf8');

/** Of rotary positions, which are refused, of windows, likewise, and of weights that are not drawn. */
const WITH_OTHERS = /^(rope[A-Z]\w+|globalLayers(Above)?|initializerRange)$/;

test('continue.py uses each setting of a model or refuses it: today’s block is refused by name', () => {
  const [known] = /KNOWN = [^]*?\n\n/.exec(text) ?? assert.fail();
  const used = text.replace(known, '');
  for (const { name } of MODEL.filter((each) => !WITH_OTHERS.test(each.name)))
    assert(known.match(`\\b${name}\\b`) || used.includes(`"${name}"`), name);
  for (const refused of ['rotary', 'rms', 'gated', 'silu']) assert(!known.includes(refused), refused);
});

test('continue.py has at most 100 lines', () => {
  assert(text.split('\n').length <= 101);
});
