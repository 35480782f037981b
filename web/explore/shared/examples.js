// Tokens of the corpus that activate a neuron, in their sentences; the card and Why show them.

import { html } from 'lit-html';
import { gapBefore, sentenceOf } from '../../draw/sentence.js';
import { inSight } from '../../kit/figure.js';
import { once } from './order.js';
import { visibleWords } from './words.js';

/**
 * @typedef {{before: string[], word: string, after: string[]}} Context of a token in its sentence
 * @typedef {Context & {value: number}} Example with the neuron's activation there
 * @typedef {Extract<import('./corpus.js').CorpusAnswer, {active: Float32Array}>} Read
 */

/** Whether the reader has scrolled to examples: only then is the corpus read. */
export const reading = { isSeen: false };

/** @param {import('../index.js').Tools['set']} set */
export const seesCorpus = (set) =>
  inSight(() => {
    if (reading.isSeen) return;
    reading.isSeen = true;
    set({}); // the corpus is asked for, the card opened
  });

/**
 * The examples of a neuron: `top`, the strongest; others by the lists of the corpus; and the sentence around any token.
 * @param {Read} corpus @param {number} neuron
 * @param {Pick<import('../../engine/plan.js').Plan, 'model' | 'tokens'>} plan
 * @param {import('../../engine/plan.js').Stack} stack
 * @param {import('../../engine/plan.js').ModelInfo | undefined} modelInfo
 */
export function examplesIn({ ids, starts, active, places, values }, neuron, { model, tokens }, stack, modelInfo) {
  const vocabulary = (stack === 'decoder' && modelInfo?.targetVocabulary) || modelInfo?.vocabulary;
  const words = once(ids, 'words', () =>
    model && vocabulary ? Array.from(ids, (id) => vocabulary[id]) : visibleWords(tokens[stack]?.words ?? []),
  );
  /** @param {number} place @returns {Context} */
  function contextAt(place) {
    const sentence = starts.findLastIndex((start) => start <= place);
    const [from, to] = [starts[sentence], starts[sentence + 1] ?? ids.length];
    return { before: words.slice(from, place), word: words[place], after: words.slice(place + 1, to) };
  }
  /** The examples of this neuron, of all neurons' in a row. @param {Int32Array} all @param {Float32Array} strengths */
  function examplesOf(all, strengths) {
    const most = all.length / active.length;
    return Array.from(all.subarray(neuron * most, (neuron + 1) * most), (place, i) => ({
      place,
      ...contextAt(place),
      value: strengths[neuron * most + i],
    })).filter(({ place }) => place >= 0);
  }
  return { top: examplesOf(places, values), examplesOf, contextAt };
}

/**
 * A marked word with so many on either side; tokens that say their spaces themselves, or that they go on, are joined.
 * @param {Context} example @param {number} around
 */
export function inContext({ before: all, word, after: rest }, around) {
  const [before, after] = [all.slice(-around), rest.slice(0, around)];
  const isSpaced = [...before, word, ...after].some((each) => each.startsWith('␣'));
  const text = (/** @type {string[]} */ list) =>
    isSpaced ? list.join('').replaceAll('␣', ' ') : sentenceOf(list).replaceAll(' ##', '');
  const gap = (/** @type {string | undefined} */ each) =>
    isSpaced ? (each?.startsWith('␣') ? ' ' : '') : each?.startsWith('##') ? '' : gapBefore(each);
  const [next = ''] = after;
  return html`<bdi>${all.length > around ? '… ' : ''}${text(before)}${gap(word)}<mark>${word.replace(
    /^(␣|##)(?=.)/,
    '',
  )}</mark>${gap(next)}${text(after).trimStart()}${rest.length > around ? ' …' : ''}</bdi>`;
}
