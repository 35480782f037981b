// The short form of the random walk over the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { MODEL } from '../../dist/generated/settings.js';
import { ALL, OBJECTS, OPERATIONS } from '../methods.js';
import { perform } from '../operations.js';
import { replay, run } from './api.js';
import { ARRAYS } from './api/arrays.js';
import { config, trainerSettings } from './api/batches.js';
import { Draw } from './api/draw.js';
import { Tally } from './api/walk.js';

test('10,000 calls of the API, good, bad, odd and re-entrant: no trap, no other error, no change unasked', async () => {
  const tally = new Tally();
  const { calls, accepted, repeated, hooks, refused } = await run({ count: 10_000, seed: 1, tally });
  assert.ok(calls >= 8000, `${calls} calls`);
  // The walk is worth its time: good calls are taken, bad ones refused for many reasons, getters make calls.
  assert.ok(accepted > calls / 4 && repeated > calls / 10 && hooks > 100, `${accepted} ${repeated} ${hooks}`);
  for (const code of [
    'type',
    'shape',
    'range',
    'unknown',
    'missing',
    'dtype',
    'token',
    'config',
    'state',
    'freed',
    'own',
  ])
    assert.ok(refused[code] > 0, code);
  // A method that none of these calls met is met by as many again, or by those after them.
  const methods = ALL.filter(([, , { given, alone }]) => given && alone !== 'there');
  const silent = () =>
    methods.filter(([kind, name]) => !tally.methods.has(OBJECTS[kind][name])).map(([kind, name]) => `${kind}.${name}`);
  for (let first = 50; silent().length && first < 300; first += 50) await run({ count: 10_000, seed: 1, first, tally });
  assert.deepEqual(silent(), [], 'no call of these is drawn');
});

test('a sequence is played again from its numbers', async () => {
  const sequence = { variant: 'simd', seed: 1, calls: [3, 4, 5, 6, 7, 8, 9] };
  const said = await replay(sequence);
  assert.match(said, /^call 3:\n[^]*passed$/);
  assert.equal(await replay(sequence), said);
});

test('each operation is drawn, and most of its draws are good', async () => {
  const gf = await load({ variant: 'simd' });
  const operations = Object.keys(OPERATIONS);
  assert.deepEqual(Object.keys(ARRAYS).sort(), [...operations].sort());
  for (const name of operations) {
    let good = 0;
    for (let i = 0; i < 40; i++) {
      try {
        perform(gf, name, ARRAYS[name](new Draw(7, i)));
        good++;
      } catch (error) {
        assert.equal(/** @type {any} */ (error).name, 'GlassformerError', `${name}, draw ${i}: ${error}`);
      }
    }
    assert.ok(good > 20, `${name}: ${good} of 40`);
  }
});

test('each setting of a model is drawn at another value than its default, in models that are made', async () => {
  const gf = await load({ variant: 'simd' });
  /** @type {Set<string>} */
  const drawn = new Set();
  let made = 0;
  for (let i = 0; i < 1500; i++) {
    const given = config(new Draw(5, i));
    try {
      const model = gf.createModel(given);
      for (const [name, value] of Object.entries(given)) {
        const setting = MODEL.find((each) => each.name === name);
        const fallback = setting?.choices.length ? setting.choices[setting.fallback] : setting?.fallback;
        if (value !== fallback) drawn.add(name);
      }
      made++;
      model.free();
    } catch (error) {
      assert.equal(/** @type {any} */ (error).code, 'config', `draw ${i}: ${error}`);
    }
  }
  assert.ok(made > 700, `${made} of 1500`);
  assert.deepEqual(
    MODEL.map(({ name }) => name).filter((name) => !drawn.has(name)),
    [],
  );
});

test('trainers of spans and of adapters are drawn', () => {
  const drawn = Array.from({ length: 2000 }, (_, i) => {
    const d = new Draw(5, i);
    return /** @type {any} */ (trainerSettings(d, { head: 'none', outputWidth: 0, ...config(d) }));
  });
  for (const isDrawn of [({ loss }) => loss === 'spans', ({ adapters }) => adapters])
    assert.ok(drawn.filter(isDrawn).length > 3, String(isDrawn));
});
