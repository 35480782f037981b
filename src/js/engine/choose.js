import { GlassformerError } from '../errors.js';
import { rule } from './rules.js';
import { floatArray } from '../arrays/tensor.js';

/** @typedef {import('./handle.js').Handle} Handle */

/**
 * Settings for choosing a token from its logits; see GenerateOptions.
 * @typedef {object} Choice
 * @property {number} temperature
 * @property {number} topK
 * @property {number} topP
 * @property {number} repetitionPenalty
 * @property {number} seed
 * @property {((logits: Float32Array, ids: number[]) => unknown) | undefined} logits
 * @property {import('./rules.js').Rules} rules
 * @property {readonly number[]} endId
 * @property {number[]} prompt
 * @property {number} maxTokens
 */

/**
 * Chooses tokens one after the other, from the generator that the seed starts.
 * @param {Handle} handle
 * @param {Choice} choice
 * @param {number} V the vocabulary
 * @param {import('../arrays/memory.js').Scratch} scratch
 * @returns {(logits: number, tokens: number[]) => number} of the pointer to a row of V logits and the tokens so far
 */
export function chooser({ memory, functions }, choice, V, scratch) {
  const { temperature, topK, topP, repetitionPenalty, logits: change, rules } = choice;
  const isRuled = Object.keys(rules).length > 0;
  const state = scratch.reserve('int32', 4);
  const work = scratch.reserve('float32', V);
  const hasNucleus = topP < 1 && temperature > 0;
  const changed = change || isRuled || hasNucleus || repetitionPenalty !== 1 ? scratch.reserve('float32', V) : 0;
  functions.gf_seed(state, choice.seed);
  return (logits, tokens) => {
    if (changed) {
      const own = memory.copy('float32', logits, V);
      rule(own, tokens, choice);
      const row = changedRow(own, tokens, choice);
      if (hasNucleus) {
        const most = row.reduce((a, b) => Math.max(a, b));
        const scaled = row.map((each) => (each - most) / temperature);
        memory.write('float32', work, scaled);
        functions.gf_softmax(work, work, 1, V);
        keepNucleus(row, memory.view('float32', work, V), topK || V, topP);
      }
      memory.write('float32', (logits = changed), row);
    }
    const id = functions.gf_sample(logits, V, temperature, topK, state, work);
    // All else that it refuses was refused before.
    if (id < 0 && isRuled && !change)
      throw new GlassformerError('range', 'rules', undefined, 'forbid every token here');
    if (id < 0) throw new GlassformerError('range', 'logits', NaN, 'cannot be drawn from');
    return id;
  };
}

/**
 * The logits, of beam search the log-probabilities, as the caller wants them. The penalty divides the positive ones of
 * tokens that came before and multiplies the negative ones: Keskar et al. 2019, "CTRL", section 4.1.
 * @param {Float32Array} row
 * @param {number[]} tokens
 * @param {Pick<Choice, 'logits' | 'repetitionPenalty'>} choice
 */
export function changedRow(row, tokens, { logits: change, repetitionPenalty }) {
  const answer = change?.(row, [...tokens]);
  const { data } = floatArray(row.length)(typeof answer === 'object' && answer ? answer : row, 'logits');
  const changed = data.slice();
  if (repetitionPenalty !== 1) {
    for (const id of new Set(tokens)) {
      changed[id] = changed[id] > 0 ? changed[id] / repetitionPenalty : changed[id] * repetitionPenalty;
    }
  }
  return changed;
}

/**
 * Hides all but the fewest of the k likeliest tokens that have the share topP of their probability: Holtzman et al.
 * 2020, "The Curious Case of Neural Text Degeneration", section 3.1. Of equals the first stay.
 * @param {Float32Array} row logits
 * @param {Float32Array} probabilities
 * @param {number} k
 * @param {number} topP
 */
function keepNucleus(row, probabilities, k, topP) {
  // Those below this share are never in it, and sorting 50,257 numbers takes longer than to compute them.
  const least = k < row.length ? 0 : (1 - topP) / row.length / 2;
  const sorted = probabilities.filter((each) => each > least).sort();
  const top = sorted.subarray(Math.max(sorted.length - k, 0));
  let left = topP * (k < row.length ? top.reduce((sum, each) => sum + each, 0) : 1);
  let at = top.length;
  while (at > 0 && (left > 0 || at === top.length)) left -= top[--at];
  let equals = top.subarray(at).filter((each) => each === top[at]).length;
  probabilities.forEach((each, id) => {
    if (!(each > top[at] || (each === top[at] && equals-- > 0))) row[id] = -Infinity;
  });
}
