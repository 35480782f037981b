// The results of src/docs/continue.py in PyTorch (continue.json) have the names, shapes and losses of this engine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { MODEL, TRAINER } from '../../dist/generated/settings.js';
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

/** The strings of a part of the script. @param {RegExp} part */
const wordsOf = (part) => {
  const [found] = part.exec(text) ?? assert.fail(String(part));
  return [...found.matchAll(/"([^"]*)"/g)].flatMap(([, words]) => words.trim().split(' '));
};

test('continue.py knows each setting, or refuses it: today’s block is refused by name', () => {
  const known = wordsOf(/^KNOWN = [^]*?(?=\nFREE)/m);
  const free = wordsOf(/^FREE = [^]*?(?=\n\n)/m);
  for (const { name } of [...MODEL, ...TRAINER])
    assert(known.includes(name) || free.includes(name) || /^rope[A-Z]/.test(name), name); // of rotary positions
  for (const refused of ['rotary', 'rms', 'gated', 'silu', 'sgd']) assert(!known.includes(refused), refused);
  const chosen = [...MODEL, ...TRAINER].filter(({ name, choices }) => choices.length && !/^rope/.test(name));
  assert.deepEqual(
    chosen.filter(({ name }) => !known.includes(name)),
    [],
  );
  assert.match(
    text,
    /if name not in FREE and not name.startswith\("rope"\) and value not in KNOWN.get\(name, \[\]\)\]/,
  );
});

test('continue.py has some 100 lines', () => {
  assert(text.split('\n').length <= 108);
});
