// The head that links a word to the answer: called the strongest only where no other head gives that word more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openingState } from '../../../web/app/schema.js';
import { followAnswer, linkingHead } from '../../../web/explore/shared/answers.js';
import { NOTHING, setModel } from '../../../web/models/catalogue.js';
import { readModel } from '../../../src/models/measure.mjs';

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

/** The row that the page asks about. @param {string} model @param {string[]} words @param {any} [more] */
function rowAsked(model, words, more = {}) {
  const state = { ...openingState('creek', readModel('creek')), model, ...more };
  state.settings.kind = state.selection.kind = 'decoder';
  state.settings.heads = state.settings.layers = 0;
  const plan = { settings: state.settings, tokens: { decoder: { words } } };
  const result = /** @type {any} */ ({ plan, tensors: new Map(), derived: new Map(), hidden: {} });
  return followAnswer(result, state, undefined).cursor?.row;
}

test('a sentence that its writer has ended is asked about at its last word; an open one where it ends', () => {
  const entry = /** @type {any} */ ({ ...NOTHING, input: 'prompt', read: () => ({ words: [], ids: [] }) });
  setModel('english', { label: { label: 'English', does: '' }, entry });
  for (const [words, row] of /** @type {[string[], number][]} */ ([
    [['The', '␣dog', '␣was', '␣tired', '.'], 3],
    [['“', 'Go', '!', '”'], 1],
    [['The', '␣dog', '.”'], 1],
    [['␣“', 'Go', '␣?'], 1],
    [['The', '␣dog', ','], 2],
    [['The', '␣dog', '␣was'], 2],
    [['.'], 0],
  ]))
    assert.equal(rowAsked('english', words), row, words.join(''));
  assert.equal(rowAsked('english', ['The', '␣dog', '.'], { written: [3] }), 2, 'a story goes on where it ends');
  setModel('english', null);
  assert.equal(rowAsked('creek', ['it', 'was', 'tired', '.']), 0, 'Pronouns is asked what “it” is');
});
