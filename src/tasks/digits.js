import { Vocabulary } from './vocabulary.js';
import { configOf, freshTask, trainerOf } from './task.js';

/** @typedef {import('./random.js').Random} Random */

export const DIGITS = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ Array.from('0123456789'));

/**
 * @param {Random} random
 * @param {number} count
 * @returns {number[]} each 0..9
 */
export const drawDigits = (random, count) => Array.from({ length: count }, () => random.integer(10));

/**
 * A task on rows of digits of one length, whose answers are read below the digits.
 * @param {object} recipe
 * @param {string} recipe.name
 * @param {import('./task.js').Recipe<any>['about']} recipe.about
 * @param {number} recipe.length
 * @param {number} recipe.layers
 * @param {number} recipe.heads
 * @param {Parameters<typeof trainerOf>[0]} recipe.trainer
 * @param {(digits: number[]) => number[]} recipe.answer
 * @param {(digits: number[], at: number) => number[]} recipe.links where the answer stands
 */
export function digitsTask({ name, about, length, layers, heads, trainer, answer, links }) {
  const vocabulary = new Vocabulary(DIGITS, { level: 'characters' });
  const exampleOf = (/** @type {number[]} */ ids) => ({ ids, labels: answer(ids) });
  return freshTask({
    name,
    about: { ...about, input: `${length} digits` },
    vocabulary,
    config: configOf({ kind: 'encoder', vocabulary, d_model: 32, heads, d_ff: 64, layers }),
    trainer: trainerOf(trainer),
    width: length,
    draw: (random) => exampleOf(drawDigits(random, length)),
    read: (digits) => (digits.length === length ? exampleOf(vocabulary.ids(digits)) : undefined),
    links: ({ ids }, at) => links(ids, at),
  });
}
