// The head that links a word to the answer: called the strongest only where no other head gives that word more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { linkingHead } from '../../../web/explore/shared/answers.js';

const WORDS = ['it', 'saw', 'creek'];

/** @param {number[][][]} layers the row of “it” in each head of each layer @param {number} [depth] */
function link(layers, depth = layers.length) {
  const heads = layers[0].length;
  const tensors = new Map(
    layers.map((rows, layer) => [
      `encoder.layers.${layer}.self_attn.weights`,
      { data: Float32Array.from(rows.flatMap((row) => [...row, ...new Array(6).fill(0)])) },
    ]),
  );
  const plan = { settings: { kind: 'encoder', layers: depth, heads }, tokens: { encoder: { words: WORDS } } };
  return linkingHead(/** @type {any} */ ({ plan, tensors }), 0, 'creek');
}

test('the head that attends to the answer most; another one may give it more and attend elsewhere', () => {
  assert.deepEqual(
    link([
      [
        [0.1, 0.2, 0.7],
        [0.6, 0.3, 0.1],
      ],
    ]),
    {
      selection: { kind: 'encoder', layer: 0, head: 0 },
      row: 0,
      key: 2,
      weight: Math.fround(0.7),
      isAnswer: true,
      isStrongest: true,
    },
  );
  const weaker = link([
    [
      [0.3, 0.3, 0.4],
      [0.55, 0, 0.45],
    ],
  ]);
  assert.deepEqual([weaker?.selection.head, weaker?.isStrongest], [0, false]);
  assert.equal(link([[[0.9, 0.1, 0]]]), null);
});

test('of a text of which one layer is computed, none is called the strongest', () => {
  assert.equal(link([[[0.1, 0.2, 0.7]]], 3)?.isStrongest, false);
});

test('strongest holds against every head, for any weights', () => {
  const row = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });
  const layers = fc.array(fc.array(row, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(layers, (all) => {
      const found = link(all);
      if (!found) return;
      const most = Math.max(...all.flat().map((each) => Math.fround(each[found.key])));
      assert.equal(found.isStrongest, found.weight === most);
    }),
  );
});
