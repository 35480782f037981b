// An encoder–decoder of the reader's: its first texts, the head at which it opens, and which target it is asked for.

import { attentionName } from '../../engine/plan.js';

/** @typedef {import('../../engine/tokens.js').Read} Read */

/** Tokens that it writes without being asked for more: a sentence has 60 at most. */
const MOST = 128;

const TEXTS = [
  ['It was too tired', 'The animal did not cross the street because it was too tired.'],
  ['It was too wide', 'The animal did not cross the street because it was too wide.'],
  ['No time left', 'I have no time left.'],
];

/** Whether a configuration is that of an encoder–decoder. @param {Record<string, any>} config */
export const isPair = ({ is_encoder_decoder: says, model_type: family }) =>
  says === true || /^(marian|bart|m?t5)$/.test(String(family));

/** The languages that a Marian names by a token in front of the text. @param {readonly string[]} words */
export const codesIn = (words) => words.filter((word) => /^>>.+<<$/.test(word));

/**
 * Texts to begin with, by their names: behind a code of the language, or the prefix of the task that config.json names.
 * @param {Record<string, any>} config
 * @param {readonly string[]} words
 */
export function textsFor({ task_specific_params: tasks }, words) {
  const prefixes = Object.values(Object(tasks)).map((task) => String(Object(task).prefix ?? ''));
  const [code] = codesIn(words);
  const start = code ? `${code} ` : (prefixes.find((prefix) => /^translate /.test(prefix)) ?? '');
  return Object.fromEntries(TEXTS.map(([name, text]) => [name, start + text]));
}

/**
 * The target that a state asks for.
 * @param {((text: string) => Read) | undefined} readTarget
 * @returns {NonNullable<import('../../models/catalogue.js').Entry['target']>}
 */
export const targetFor =
  (readTarget) =>
  ({ targetText, written }, { rules = {}, config: { maxLength = Infinity, positions } }) => {
    const begin = rules.start ?? 0;
    const typed = targetText.trim() ? readTarget?.(targetText) : undefined;
    const longest = Math.min(rules.maxLength ?? Infinity, positions === 'learned' ? maxLength + 1 : Infinity);
    if (typed?.waiting || typed?.ids.length)
      return { begin, maxTokens: Math.min(MOST, longest - 1), given: typed.ids, isWaiting: typed.waiting };
    const prefix = written.length ? { prefix: written } : {};
    return { begin, maxTokens: Math.max(0, Math.min(MOST, longest - 1 - written.length)), ...prefix };
  };

/**
 * The cross-attention head that follows the text most: its rows point clearly, and not all at the same token.
 * @param {import('../../engine/results.js').Result} result
 * @param {Pick<import('../../app/schema.js').State, 'selection'>} state
 * @returns {import('../../app/schema.js').Selection | null}
 */
export function tellingCross({ plan: { settings, tokens }, tensors }, { selection: { kind } }) {
  const [rows, columns] = [tokens.decoder?.words.length ?? 0, tokens.encoder?.words.length ?? 0];
  const all = Array.from({ length: settings.decoderLayers ?? settings.layers }, (_, layer) => {
    const weights = tensors.get(attentionName('cross', layer, 'weights'))?.data; // of a long text one layer is here
    return Array.from({ length: weights ? settings.heads : 0 }, (_, head) => {
      const own = weights?.subarray(head * rows * columns, (head + 1) * rows * columns) ?? new Float32Array();
      return { layer, head, score: pointing(own, rows, columns) };
    });
  }).flat();
  const best = all.sort((a, b) => b.score - a.score)[0];
  return kind === 'cross' && best ? { kind, layer: best.layer, head: best.head } : null;
}

/**
 * Measures whether the rows of a map point clearly, and at different columns: the mean of each row's largest weight,
 * less what the column with the most weight takes of it. 1: each row at a column of its own; 0: all at one, or evenly.
 * @param {Float32Array} weights [rows, columns] @param {number} rows @param {number} columns
 */
export function pointing(weights, rows, columns) {
  const at = Array.from({ length: rows }, (_, row) => weights.subarray(row * columns, (row + 1) * columns));
  const means = Array.from({ length: columns }, (_, key) => at.reduce((sum, each) => sum + each[key] / rows, 0));
  const most = (/** @type {ArrayLike<number>} */ list) => Array.from(list).reduce((a, b) => Math.max(a, b), 0);
  return at.reduce((sum, each) => sum + most(each), 0) / Math.max(1, rows) - most(means);
}
