// The tokens of each stack as a line of words.

import { html } from 'lit-html';
import { brushed } from '../shared/brush.js';
import { chooseToken } from '../shared/cursor.js';
import { attention } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';
import { selectedIn, visibleWords } from '../shared/words.js';

/**
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * @typedef {import('../../engine/plan.js').Plan['tokens']} Texts
 */

export const encoderTokens = strip('encoder');
export const decoderTokens = strip('decoder');

/**
 * @param {Stack} stack
 * @returns {import('../index.js').Panel<import('./view.js').TokensData>}
 */
function strip(stack) {
  return {
    name: `tokens-${stack}`,
    slot: 'input',
    showsTyping: true,
    isFirst: true,
    section: html`<div id="tokens-${stack}" class="tokens-line" hidden></div>`,
    present({ result, state }) {
      const own = result.plan.tokens[stack];
      if (!own) return null;
      const { words, ids } = own.predicted ?? own.shown ?? own;
      const { stack: rows, columnStack, row, key } = selectedIn(result, state);
      const at = stack === rows ? row : stack === columnStack ? key : null;
      /** @param {number} place */
      const shownAt = (place) => (own.shown ? shownIndex(own.shown.ids, place) : place);
      return {
        title: titleOf(stack, result.plan.tokens),
        words: visibleWords(words),
        ids,
        fresh: own.fresh ?? 0,
        selected: at === null ? at : shownAt(at),
        key:
          stack === columnStack && key >= (own.predicted ? 1 : 0) ? shownAt(own.predicted ? key - 1 : key) : undefined,
        brushed: stack === rows ? state.brush.map(shownAt) : [],
        part: stack === rows ? 'row' : stack === columnStack ? 'key' : null,
        isBoth: rows === columnStack,
        box: boxOf(stack, result.plan),
      };
    },
    // The words that the model does not know stay in sight though there is nothing to compute.
    blank({ plan }) {
      const { encoder } = plan.tokens;
      const shown = stack === 'encoder' && encoder?.shown;
      return shown && shown.words.length
        ? { title: 'Tokens', words: visibleWords(shown.words), ids: shown.ids, fresh: 0, selected: null, box: 'text' }
        : null;
    },
    create: (root, { get, set, result, selection }) =>
      view.create(root, {
        onSelect(index, how) {
          const chosen = chooseToken(get(), stack, index, result());
          const isRow = attention(selection().kind).stack === stack;
          if (!isRow || !chosen.cursor) return set(chosen);
          const from = typeof how === 'string' ? how : chooseToken(get(), stack, how.from, result()).cursor?.row;
          set({ ...chosen, brush: brushed(get(), chosen.cursor.row, from ?? 'one') });
        },
      }),
  };
}

/**
 * The text box of these words; null where the reader does not type them.
 * @param {Stack} stack
 * @param {import('../../engine/plan.js').Plan} plan
 */
function boxOf(stack, { model, tokens }) {
  if (entryOf(/** @type {any} */ (model))?.input === 'menus') return null;
  if (stack === 'encoder' || !tokens.encoder) return 'text';
  return model ? null : 'target-text';
}

/** @param {Stack} stack @param {Texts} texts */
function titleOf(stack, { encoder, decoder }) {
  if (encoder && decoder) return stack === 'encoder' ? 'Source tokens' : 'Target tokens';
  return 'Tokens';
}

/**
 * Where in the strip the model's token of that place stands.
 * @param {(number | null)[]} ids
 * @param {number} place
 */
function shownIndex(ids, place) {
  let count = -1;
  return ids.findIndex((id) => id !== null && ++count === place);
}
