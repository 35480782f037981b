// Uses an open large model: the first picture, and words that it writes.
import { median, wall } from './harness.js';

export const TOKENS = 32;

/** A text. @param {number} vocabulary */
export const idsOf = (vocabulary) => Array.from({ length: TOKENS }, (_, i) => (i * 997) % vocabulary);

/**
 * Milliseconds of each token that is written after those, with the cache.
 * @param {import('glassformer').Model} model
 * @param {number[]} ids
 * @param {number} count
 * @param {() => number} clock
 */
export function tokenTimes(model, ids, count, clock) {
  /** @type {number[]} */
  const times = [];
  let start = 0;
  model.generateSync({
    ids,
    maxTokens: count + 1,
    onToken() {
      const now = clock();
      times.push(now - start);
      start = now;
    },
  });
  return times.slice(1); // the first waits for the pass over all that was given
}

/**
 * A pass over the text with all attention maps copied out, and then so many tokens.
 * @param {import('glassformer').Model} model
 * @param {number} tokens
 * @returns {{maps: number, first: number, token: number}} milliseconds
 */
export function use(model, tokens) {
  const ids = idsOf(model.config.vocabulary);
  const start = wall();
  model.forward({ ids, capture: true });
  const maps = model
    .tensors()
    .filter(({ node, role }) => node === 'attention' && role === 'weights')
    .reduce((count, { name }) => count + model.tensor(name).shape[1], 0);
  const first = wall() - start;
  return { maps, first, token: median(tokenTimes(model, ids, tokens, wall)) };
}
