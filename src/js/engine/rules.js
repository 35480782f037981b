// Rules of a model's files on what it may write: Hugging Face's generation_config.json.
import { isNamed } from '../arrays/names.js';
import { flag, integer, listOf, maybe, number, readOptions, refuseType } from '../arrays/tensor.js';

/**
 * @typedef {object} Rules
 * @property {number} [start] begins the target where none is given
 * @property {number} [first] the token behind a target of one token
 * @property {readonly number[]} [last] the only tokens at the last place
 * @property {readonly (readonly number[])[]} [forbidden] rows of tokens that are never written
 * @property {number} [noRepeat] no row of so many tokens is written twice
 * @property {number} [minLength] tokens of a target, its start among them, before which it cannot end
 * @property {number} [maxLength] tokens of a target, its start among them; `maxTokens` is instead of it
 * @property {number} [beams] where `generate` names none, and neither draws nor has `stop` or `window`
 * @property {number} [lengthPenalty] of beams, likewise
 * @property {boolean | 'never'} [earlyStopping] of beams, likewise
 * @property {boolean} [renormalize] of beams: log-probabilities that the rules have changed sum to 1 again
 */

/** @param {number} vocabulary @returns {import('../arrays/tensor.js').Reader<Rules>} */
export function rulesReader(vocabulary) {
  const id = integer(0, vocabulary - 1, 'token');
  const ids = listOf(id, 'an array of ids');
  const count = maybe(integer(0, 2 ** 20));
  const forbidden = maybe(listOf(ids, 'an array of arrays of ids'));
  const counts = { noRepeat: count, minLength: count, maxLength: count };
  const places = { start: maybe(id), first: maybe(id), last: maybe(ids) };
  const readers = { ...places, forbidden, ...counts, ...SEARCH, renormalize: maybe(flag) };
  return (value, name) =>
    readOptions(isNamed(value) ? value : refuseType(name, value, 'rules by name, as { first: 0 }'), readers);
}

export const MOST_BEAMS = 64;

/** Settings of beam search. */
export const SEARCH = {
  beams: maybe(integer(1, MOST_BEAMS)),
  lengthPenalty: maybe(number(-MOST_BEAMS, MOST_BEAMS)),
  earlyStopping: maybe((value, name) => (value === 'never' ? value : flag(value, name))),
};

/**
 * Applies the rules to a row of logits, in the order of Hugging Face's library.
 * @param {Float32Array} row
 * @param {number[]} tokens so far
 * @param {{rules: Rules, endId: readonly number[], prompt: number[], maxTokens: number}} plan
 */
export function rule(row, tokens, { rules, endId, prompt, maxTokens }) {
  const { first, last, forbidden = [], noRepeat = 0, minLength = 0 } = rules;
  const ban = (/** @type {number | undefined} */ id) => id !== undefined && (row[id] = -Infinity);
  const isEnd = (/** @type {readonly number[]} */ part) => part.every((id, i) => id === tokens.at(i - part.length));
  const only = (/** @type {readonly number[]} */ ids) => {
    row.fill(-Infinity);
    for (const id of ids) row[id] = 0;
  };
  for (let at = noRepeat - 1; noRepeat && at < tokens.length; at++)
    if (isEnd(tokens.slice(at - noRepeat + 1, at))) ban(tokens[at]);
  for (const each of forbidden) if (each.length <= tokens.length && isEnd(each.slice(0, -1))) ban(each.at(-1));
  if (tokens.length < minLength) endId.forEach(ban);
  if (first !== undefined && tokens.length === 1) only([first]);
  if (last && tokens.length === prompt.length + maxTokens - 1) only(last);
}
