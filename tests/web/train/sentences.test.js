// Train's sentences about held-out rows, shares and short texts hold for any numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeText } from 'glassformer/tasks';
import { codeOf } from '../../../web/train/keep/code.js';
import { TASKS, ownText, recipeOf } from '../../../web/train/run/recipes.js';
import { isRecipe } from '../../../web/train/state.js';
import { repeated } from '../../../web/train/own-text.js';
import { heldOutText, percent, rowTitle, rowsTitle } from '../../../web/train/tasks.js';

test('0.0 % is nothing, and 100.0 % the whole', () => {
  assert.equal(percent(0), '0.0 %');
  assert.equal(percent(1), '100.0 %');
  assert.equal(percent(1 / 4096), '<0.1 %');
  assert.equal(percent(2047 / 2048), '>99.9 %');
  assert.equal(percent(0.9), '90.0 %');
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
      assert.equal(percent(share) === '0.0 %', share === 0);
      assert.equal(percent(share) === '100.0 %', share === 1);
    }),
  );
});

test('a row is called never seen only where nothing of it is trained on', () => {
  const text = 'The creek was cold and the dog was tired. The boy was kind and the creek was deep. '.repeat(30);
  const { split } = ownText(text, 'words');
  assert(split.repeated > 0);
  assert.deepEqual([rowTitle(split), rowsTitle(split)], ['A held-out row', 'Held-out rows']);
  const unlike = ownText(Array.from({ length: 400 }, (_, i) => `word${i}`).join(' '), 'words').split;
  assert.equal(unlike.repeated, 0);
  assert.deepEqual([rowTitle(unlike), rowsTitle(unlike)], ['A row it has never seen', 'Rows it has never seen']);
  assert.equal(rowTitle(null), 'A row it has never seen', 'the tasks whose rows a hash keeps apart');
});

test('the held-out rows of those tasks are among no batch', () => {
  const ids = ({ data, shape: [count, width] }) =>
    Array.from({ length: count }, (_, row) => data.subarray(row * width, (row + 1) * width).join(' '));
  for (const name of Object.keys(TASKS).filter((each) => each !== 'text' && !TASKS[each].ffn)) {
    const held = new Set(TASKS[name].heldOut(0).flatMap(({ batch }) => ids(batch.ids)));
    for (let step = 0; step < 100; step++)
      for (const row of ids(TASKS[name].batch(step, 0).ids)) assert(!held.has(row), `${name}: ${row}`);
  }
});

const pieces = fc.constantFrom('the', 'dog', 'Creek', '.', ',', ' ', '\n', '  ', 'ß', '😀', '[X]', '\t');

const LEAST = 330; // tokens that a text needs

test('a short text is repeated as often as it must be, and said to be; a long one is left as it is', () => {
  for (const level of /** @type {const} */ (['words', 'characters'])) {
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 700 }), (all) => {
        const text = all.join(' '.repeat(all.length % 2));
        if (!text.trim()) return;
        const { text: whole, own, copies } = repeated(text, level);
        let isEnough = true;
        try {
          makeText(text, { level });
        } catch (error) {
          const { message } = /** @type {Error} */ (error);
          if (/two/.test(message)) return;
          isEnough = false;
        }
        assert.equal(copies === 1, isEnough, `${own} of ${LEAST}`);
        if (isEnough) return assert.equal(whole, text);
        assert(own < LEAST && copies * own >= LEAST && (copies - 1) * own < LEAST);
        if (
          new Set(
            text
              .trim()
              .toLowerCase()
              .match(/[^\s.,]+|[.,]/g),
          ).size < 2
        )
          return;
        const { split, source } = ownText(text, level);
        assert.deepEqual([split.own, split.copies, source.text], [own, copies, text]);
        assert.match(heldOutText(split, level), new RegExp(`are too few to train on, so .* repeated ${copies} times`));
      }),
      { numRuns: 60 },
    );
  }
});

test('the code of a run with a short text trains on the same', () => {
  const text = ' The quick brown fox jumps over the lazy dog. ';
  const source = /** @type {const} */ ({ text, level: 'words' });
  const settings = recipeOf('text');
  const lines = codeOf({ task: 'text', settings, recipe: settings, step: 1, hash: '', source }).split('\n');
  const [, given] = /makeText\((.*), \{/.exec(lines.find((line) => line.includes('makeText(')) ?? '') ?? [];
  assert.equal(new Function('text', `return ${given}`)(text), repeated(text, 'words').text);
});

test('a run is the recipe’s with any seed, and with no other setting and no change', () => {
  const recipe = { heads: 2, steps: 100, seed: 0 };
  const tasks = /** @type {any} */ (new Map([['reverse', { recipe }]]));
  const of = (/** @type {object} */ start, /** @type {any[]} */ changes = []) =>
    isRecipe({ tasks, task: 'reverse', start: { ...recipe, ...start }, changes });
  assert.deepEqual(
    [of({}), of({ seed: 7 }), of({ heads: 1 }), of({}, [[5, { cut: '1.1' }]])],
    [true, true, false, false],
  );
});
