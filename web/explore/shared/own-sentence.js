// A sentence of the reader's own: where a small model does not know its words, the model of real English reads it.
// Fetched when the reader comes to the text.

import { isContent } from './choose.js';
import { isSlip } from './nearest.js';
import { unknownWords } from './notes.js';
import { LABELS } from '../../models/catalogue.js';

/**
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {Pick<import('../index.js').Tools, 'get' | 'plan' | 'modelInfo' | 'chooseModel'>} Tools
 *
 * `typed`: the word that is being typed.
 * @typedef {{typed: string | null}} Writing
 */

const SMALL = new Set(['creek', 'continue']);
const FIRST_PUZZLE = 101;

/**
 * Whether the text needs another model: once the reader has left it, for any unknown token; before, for a finished
 * content word that is no slip and does not begin a known word.
 * @param {readonly string[]} unknown
 * @param {readonly string[]} vocabulary
 * @param {Writing | null} writing null: the reader has left the text
 */
export const needsReader = (unknown, vocabulary, writing) =>
  unknown.some(
    (word) =>
      !writing ||
      (word !== writing.typed &&
        isContent(word) &&
        !vocabulary.some((known) => known.startsWith(word.toLowerCase())) &&
        !isSlip(word, vocabulary)),
  );

/**
 * @param {Tools} tools
 * @param {(from: {model: import('../../models/catalogue.js').ModelName, vocabulary: readonly string[]}) => void} onMove
 */
export function createOwnSentence({ get, plan, modelInfo, chooseModel }, onMove) {
  let wasAsked = false;
  return {
    /**
     * Goes to the other model if the text needs it.
     * @param {State} came as the reader came to the text: the small model keeps that
     * @param {Writing | null} writing
     */
    check(came, writing) {
      const { model, trail, book } = get();
      const isTask = trail !== '' || Number(book) >= FIRST_PUZZLE;
      if (!SMALL.has(model) || isTask || came.model !== model) return;
      if (wasAsked && LABELS.austen.wanted) return; // it is on its way, or cannot be had
      const { tokens } = plan();
      const vocabulary = modelInfo()?.vocabulary ?? [];
      if (!needsReader(unknownWords(tokens.encoder ?? tokens.decoder), vocabulary, writing)) return;
      wasAsked = true;
      onMove({ model, vocabulary });
      chooseModel('austen', came);
    },
  };
}
