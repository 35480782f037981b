// Estimates the time that training takes.

import { stretchesOf } from './changes.js';

/** @typedef {import('./changes.js').Settings} Settings */

/**
 * A step takes 1 ms, and 1 ms for ten million multiplications (measured on one core, for all tasks as their recipes
 * have them and at three layers of width 64: within a factor of 2).
 * @param {Settings} settings
 * @param {{width: number, words: number}} facts of the task: tokens of a row, words of its vocabulary
 * @param {number} steps
 */
function secondsOf(settings, { width, words }, steps) {
  const { batch, layers, d_model, d_ff } = /** @type {Record<string, number>} */ (settings);
  const matrices = settings.ffn === 'gated' ? 3 : 2;
  const layer = 4 * d_model * d_model + matrices * d_model * d_ff + 2 * width * d_model;
  const step = 3 * batch * width * (layers * layer + d_model * words);
  return (steps * (1 + step / 1e7)) / 1000;
}

/**
 * Of a run whose settings change on the way.
 * @param {{settings: Settings, changes: readonly import('./changes.js').Change[], step: number}} run
 * @param {Parameters<typeof secondsOf>[1]} facts
 */
export function runSeconds({ settings, changes, step }, facts) {
  const stretches = stretchesOf(settings, changes);
  const ends = [...stretches.slice(1).map(({ from }) => Math.min(from, step)), step];
  const each = stretches.map((stretch, i) => secondsOf(stretch.settings, facts, Math.max(0, ends[i] - stretch.from)));
  return each.reduce((sum, seconds) => sum + seconds);
}
