// What a trained model says at a place, and which head looks from there to that word.

import { PRONOUNS } from '../../models/catalogue.js';
import { PROBABILITIES, attention, attentionKinds, attentionName, clampSelection } from '../../engine/plan.js';

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {import('../../engine/plan.js').ModelInfo} ModelInfo
 *
 * A head that attends from a row to a column.
 * @typedef {{
 *   selection: import('../../app/schema.js').Selection, row: number, key: number, weight: number,
 * }} AttentionPlace
 */

const TOP = 5;
const LEAST_LOOK = 0.1; // less is no looking

/**
 * The likeliest words at the row of the cursor. A row of an encoder-decoder's source says nothing.
 * @param {Result} result
 * @param {State} state
 * @param {ModelInfo} modelInfo
 */
export function answersAt(result, state, { vocabulary, targetVocabulary, name }) {
  const { stack } = attention(clampSelection(state.selection, result.plan.settings).kind);
  const tokens = result.plan.tokens[stack];
  const probabilities = /** @type {import('../../engine/protocol.js').Tensor | undefined} */ (
    result.derived.get(PROBABILITIES)
  );
  if (!tokens || !probabilities || (targetVocabulary && stack === 'encoder')) return null;
  const row = Math.min(state.cursor.row, tokens.words.length - 1);
  const words = targetVocabulary ?? vocabulary;
  const width = words.length;
  const list = Array.from(probabilities.data.subarray(row * width, (row + 1) * width), (probability, id) => ({
    word: words[id],
    probability,
  }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, TOP);
  const strongest = targetVocabulary ? null : strongestAttention(result, row, list[0].word);
  return {
    ...asked(name, tokens.words[row]),
    list,
    attention: strongest && { ...strongest, from: tokens.words[row], to: list[0].word },
  };
}

/**
 * What a row was asked in training.
 * @param {string} model
 * @param {string} word
 */
function asked(model, word) {
  if (model !== 'creek') return { title: 'Next word after', word, rest: '', note: '' };
  if (PRONOUNS.has(word.toLowerCase()))
    return { title: 'What does', word, rest: ' refer to? The model’s answer:', note: '' };
  if (word === '[MASK]') return { title: 'Prediction for', word, rest: '', note: '' };
  return { title: 'Prediction at', word, rest: '', note: 'Rarely trained on such words: treat with care.' };
}

/**
 * Among all heads the one that gives the most weight from a row to a word of the text.
 * @param {Result} result
 * @param {number} row
 * @param {string} word
 * @returns {AttentionPlace | null} null where the text does not have the word elsewhere, or no head attends to it
 */
function strongestAttention({ plan: { settings, tokens }, tensors }, row, word) {
  const [{ kind, stack }] = attentionKinds(settings);
  const words = /** @type {import('../../engine/plan.js').Tokens} */ (tokens[stack]).words;
  const key = words.findIndex((each, i) => each.toLowerCase() === word && i !== row);
  if (key < 0 || words[row].toLowerCase() === word) return null;
  /** @type {AttentionPlace | null} */
  let best = null;
  for (let layer = 0; layer < settings.layers; layer++) {
    const weights = tensors.get(attentionName(kind, layer, 'weights'))?.data;
    for (let head = 0; weights && head < settings.heads; head++) {
      const weight = weights[(head * words.length + row) * words.length + key];
      if (!best || weight > best.weight) best = { selection: { kind, layer, head }, row, key, weight };
    }
  }
  return best && best.weight >= LEAST_LOOK ? best : null;
}

/**
 * Where the page looks by itself: creek at the last pronoun, else at a hidden word, else at the
 * first noun; a story at its last word.
 * @param {Result} result
 * @param {State} state
 * @param {ModelInfo} modelInfo
 * @returns {Partial<State>}
 */
export function followAnswer(result, state, modelInfo) {
  const tokens = result.plan.tokens.encoder ?? result.plan.tokens.decoder;
  const words = tokens?.words ?? [];
  const pronoun = words.findLastIndex((word) => PRONOUNS.has(word.toLowerCase()));
  const asks = [pronoun, words.indexOf('[MASK]'), Math.min(1, words.length - 1)].find((at) => at >= 0) ?? 0;
  const row = modelInfo.name === 'creek' ? asks : words.length - 1;
  const cursor = { ...state.cursor, row };
  const strongest = answersAt(result, { ...state, cursor }, modelInfo)?.attention;
  return {
    follow: false,
    cursor: { ...cursor, key: strongest?.key ?? row },
    ...(strongest ? { selection: strongest.selection } : {}),
  };
}
