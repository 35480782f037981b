// Reads a trained model's answer at a place, and finds the head that attends from there to that word.

import { probabilitiesOfRow } from './answer-row.js';
import { endsSentence, isContent, isPronoun, lastWord, strongest, wordToAsk } from './choose.js';
import { strongestKey } from './cursor.js';
import { largest } from './order.js';
import { entryOf, unitOf } from '../../models/catalogue.js';
import { attention, attentionKinds, attentionName, clampSelection } from '../../engine/plan.js';
import { visible } from '../../kit/letters.js';

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {import('../../engine/plan.js').ModelInfo} ModelInfo
 *
 * A head that attends from a row to a column more than to any other; `isAnswer`: the model's answer stands there;
 * `isStrongest`: no other head gives that column more.
 * @typedef {{
 *   selection: import('../../app/schema.js').Selection, row: number, key: number, weight: number, isAnswer: boolean,
 *   isStrongest: boolean,
 * }} AttentionPlace
 */

const TOP = 5;
const LEAST_WEIGHT = 0.1; // less is not attending

/**
 * The likeliest words at the row of the cursor. A row of an encoder-decoder's source says nothing.
 * @param {Result} result
 * @param {State} state
 * @param {ModelInfo} modelInfo
 */
export function answersAt(result, state, { targetVocabulary, outputVocabulary: words, name, config }) {
  const { stack } = attention(clampSelection(state.selection, result.plan.settings).kind);
  const tokens = result.plan.tokens[stack];
  if (!tokens || (targetVocabulary && stack === 'encoder')) return null;
  const row = Math.min(state.cursor.row, tokens.words.length - 1);
  const shares = probabilitiesOfRow(result, row);
  if (!shares) return null;
  const list = largest(shares, TOP).map((id) => ({ id, word: visible(words[id]), probability: shares[id] }));
  const link = targetVocabulary ? null : linkingHead(result, row, list[0].word);
  const isRow = config.kind === 'encoder' && !entryOf(/** @type {any} */ (name))?.mask;
  return {
    ...(isRow ? answerOf(row) : asked(name, tokens.words[row])),
    word: visible(tokens.words[row]),
    all: isRow ? tokens.words.map((_, at) => words[strongest(probabilitiesOfRow(result, at) ?? [])]).join(' ') : '',
    list,
    attention: link && { ...link, from: tokens.words[row], to: tokens.words[link.key] },
  };
}

/** The question at a row, where each place has its own answer. @param {number} row */
const answerOf = (row) => ({ title: `Answer at place ${row + 1},`, rest: '', note: '' });

/**
 * The question that a row had in training.
 * @param {string} model
 * @param {string} word
 */
function asked(model, word) {
  const { mask } = entryOf(/** @type {any} */ (model)) ?? {};
  if (!mask) return { title: `Next ${unitOf(model)} after`, word, rest: '', note: '' };
  if (model === 'creek' && isPronoun(word)) return { title: '', word, rest: ' =', note: '' };
  if (word === mask) return { title: 'Prediction for', word, rest: '', note: '' };
  const note = `Rarely trained on such ${unitOf(model)}s: treat with care.`;
  return { title: 'Prediction at', word, rest: '', note };
}

/**
 * Among all heads the one that links a row to a word of the text: to the model's answer, if that is what a head
 * attends to most there, else, from a pronoun, to any other content word.
 * @param {Result} result
 * @param {number} row
 * @param {string} answer
 * @returns {AttentionPlace | null} null where no head does
 */
export function linkingHead({ plan: { settings, tokens }, tensors }, row, answer) {
  const [{ kind, stack }] = attentionKinds(settings);
  const words = /** @type {import('../../engine/plan.js').Tokens} */ (tokens[stack]).words;
  /** @type {Omit<AttentionPlace, 'isStrongest'>[]} */
  const all = [];
  /** @type {Float32Array[]} the row in each head */
  const rows = [];
  for (let layer = 0; layer < settings.layers; layer++) {
    const weights = tensors.get(attentionName(kind, layer, 'weights'))?.data;
    for (let head = 0; weights && head < settings.heads; head++) {
      const from = (head * words.length + row) * words.length;
      rows.push(weights.subarray(from, from + words.length));
      const key = strongest(weights.subarray(from, from + words.length));
      const weight = weights[from + key];
      const isAnswer = words[key].toLowerCase() === answer.toLowerCase();
      const isLink = isAnswer || (isPronoun(words[row]) && isContent(words[key]));
      if (key !== row && weight >= LEAST_WEIGHT && isLink)
        all.push({ selection: { kind, layer, head }, row, key, weight, isAnswer });
    }
  }
  const best = all.sort((a, b) => Number(b.isAnswer) - Number(a.isAnswer) || b.weight - a.weight)[0];
  const isWhole = rows.length === settings.layers * settings.heads; // of a long text one layer is here
  return best ? { ...best, isStrongest: isWhole && rows.every((each) => each[best.key] <= best.weight) } : null;
}

/**
 * Selects parts when the text changes: the word that the page asks about; in the page's own examples, the head that
 * links this word to the answer; in another model, when it opens, its most telling head and the key that it attends to
 * most.
 * @param {Result} result
 * @param {State} state
 * @param {ModelInfo | undefined} modelInfo
 * @returns {Partial<State>}
 */
export function followAnswer(result, state, modelInfo) {
  const { stack } = attention(clampSelection(state.selection, result.plan.settings).kind);
  const tokens = result.plan.tokens[stack];
  const words = tokens?.predicted?.words ?? tokens?.words ?? [];
  const { input, read, telling } = entryOf(state.model) ?? {};
  // Of parts of words, whatever the last is; of a sentence that the reader has ended, the last word.
  const isOpen = read && (state.written.length || !endsSentence(words));
  const last = isOpen ? words.length - 1 : lastWord(words);
  const row = input === 'prompt' ? last : wordToAsk(words);
  const cursor = { ...state.cursor, row };
  const isChosen = state.selection.layer + state.selection.head > 0;
  const head = () =>
    telling
      ? !isChosen && telling(result, state)
      : modelInfo && answersAt(result, { ...state, cursor }, modelInfo)?.attention?.selection;
  // A story is read in one head, and a neuron looked for in one layer.
  const isGiven = state.follow === 'row' || state.written.length > 0 || state.graph?.node === 'ffn';
  const selection = (!isGiven && head()) || state.selection;
  const key = strongestKey(result, { ...state, selection, cursor }) ?? state.cursor.key;
  return { follow: false, own: { row: false, key: false }, selection, cursor: { ...cursor, key } };
}
