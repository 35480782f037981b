// The state of Explore or Train that shows what a card measures, at its switches and first seed. None where nothing
// there matches.

import { valueOf } from '../address.js';

/**
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {{place: 'Explore' | 'Train', href: string, note: string}} Matching `note`: what it has of the card, and
 * what it has not
 * @typedef {Record<string, any>} Settings of the card, and `seed`, the first
 */

/** Flags stand in addresses as 0 and 1. @param {Record<string, string | number | boolean>} parts */
const query = (parts) =>
  new URLSearchParams(
    Object.entries(parts).map(([name, value]) => [name, String(typeof value === 'boolean' ? Number(value) : value)]),
  );

/** @param {Record<string, string | number | boolean>} parts @param {string} note @returns {Matching} */
const explore = (parts, note) => ({
  place: 'Explore',
  href: `#/explore?${query({ model: 'untrained', ...parts })}`,
  note,
});

/** @param {Record<string, string | number | boolean>} parts @param {string} note @returns {Matching} */
const train = (parts, note) => ({ place: 'Train', href: `#/train?${query(parts)}`, note });

const SAME = 'the card’s own run of its first seed, with the same weights';
/** Layers as the cards of deep networks name them. @type {Record<string, {norm: string, residual: boolean}>} */
const DESIGNS = {
  'post-LN': { norm: 'post', residual: true },
  'pre-LN': { norm: 'pre', residual: true },
  'no LayerNorm': { norm: 'none', residual: true },
  'no residual': { norm: 'post', residual: false },
  'residual alone': { norm: 'none', residual: true },
  'residual, pre-LN': { norm: 'pre', residual: true },
  'residual, post-LN': { norm: 'post', residual: true },
  'LayerNorm alone': { norm: 'post', residual: false },
};
const [MOST_LAYERS_TRAINED, MOST_LAYERS_SHOWN] = [6, 12];

/** By the claim's number. @type {Record<number, (settings: Settings) => Matching | null>} */
const MATCHING = {
  2: ({ d_k, learningRate, seed }) =>
    train(
      { task: 'reverse', d_model: d_k, heads: 1, learningRate, scoreScale: false, seed, step: 200 },
      `${SAME}, at step 200 without the scale`,
    ),
  3: ({ table, seed }) =>
    explore(
      { d_model: 64, positions: table === 'random' ? 'learned' : 'sinusoidal', seed, part: 'positions' },
      'PE of the places of a sentence, and the products of each with each',
    ),
  4: ({ positions, mask, seed }) =>
    explore(
      {
        ...{ text: 'the cat sat on the mat', d_model: 32, d_ff: 64, layers: 2, heads: 2 },
        ...{ positions, causal: mask === 'causal', seed, row: 5, key: 1 },
      },
      'one of the sentences, in a model of these sizes: type the other one there, and compare the rows of a word',
    ),
  6: ({ model, task, seed }) =>
    model === 'encoder'
      ? train(
          {
            ...{ task: task === 'as they are' ? 'copy' : 'reverse', positions: 'none', learningRate: 5e-3, seed },
            ...{ schedule: 'linear', steps: 400, warmup: 50, step: 400 },
          },
          `${SAME}, without positions`,
        )
      : null,
  7: ({ neurons, activation, seed }) =>
    train({ task: 'square', d_ff: neurons, activation, seed, step: 1500 }, `${SAME}, at its last step`),
  8: ({ neurons, activation }) =>
    train(
      { task: 'square', d_ff: neurons, activation, step: 1500 },
      'a network that is trained; the card’s has its weights chosen. See the curve beyond 1',
    ),
  9: ({ scale, gain, seed }) =>
    scale === 1 && gain === 1
      ? explore({ d_model: 64, seed, part: 'norm' }, 'LayerNorm in a model of this width')
      : null,
  10: ({ target }) =>
    /×/.test(target)
      ? null
      : train(
          { task: target === 'AND' ? 'and' : 'xor', activation: 'none', step: 400 },
          `${target === 'AND' ? 'AND' : 'XOR'} by a linear network; the activation is a switch there`,
        ),
  14: ({ task, heads, seed }) =>
    task === 'reverse' ? train({ task: 'reverse', heads, seed, step: 300 }, `${SAME}, at its last step`) : null,
  16: ({ design, layers, learningRate, seed }) =>
    train(
      {
        ...{ task: 'reverse', layers: Math.min(layers, MOST_LAYERS_TRAINED), d_model: 16, d_ff: 32 },
        ...{ ...DESIGNS[design], learningRate, seed, step: 250 },
      },
      `the same on Train’s 8 digits${layers > MOST_LAYERS_TRAINED ? `, with ${MOST_LAYERS_TRAINED} layers` : ''}`,
    ),
  17: ({ design, seed }) =>
    explore(
      {
        ...{ layers: MOST_LAYERS_SHOWN, d_model: 64, d_ff: 256, ...DESIGNS[design], seed, part: 'add' },
        stream: design === 'residual alone' ? 'norms' : 'cosines',
      },
      `the forward pass through ${MOST_LAYERS_SHOWN} layers: ` +
        (design === 'residual alone' ? 'how the residual stream grows' : 'how far each sublayer turns its vectors'),
    ),
  20: ({ rows, seed }) =>
    rows === 'one-hot'
      ? explore(
          { d_model: 32, seed, part: 'embedding', embedding: 'embedding' },
          'the rows of the table for a sentence',
        )
      : null,
  22: ({ d_ff }) =>
    explore({ layers: 1, heads: 8, d_model: 512, d_ff, part: 'ffn' }, 'a layer of this size: d_ff neurons a word'),
};

/**
 * @param {ClaimData} claim
 * @param {import('../address.js').Params} params
 * @returns {Matching | null}
 */
export function matchingState(claim, params) {
  const names = [...claim.inputs.map(({ name }) => name), ...(claim.seeded ? ['seed'] : [])];
  const settings = Object.fromEntries(names.map((name) => [name, valueOf(claim, params, name)]));
  return MATCHING[claim.number]?.(settings) ?? null;
}
