// The tokens of each stack as a line of words; one is selected, and another may be the key that it attends to. A word
// without a row of the embedding table is not given to the model.

import { html, nothing } from 'lit-html';
import { indexByKey } from '../../draw/keys.js';
import { directionOf } from '../../draw/sentence.js';
import { together } from '../../draw/words.js';
import { attention } from '../../engine/plan.js';
import { acting } from '../../kit/figure.js';
import { entryOf } from '../../models/catalogue.js';
import { brushed } from '../shared/brush.js';
import { chooseToken } from '../shared/cursor.js';
import { flipOf } from '../shared/opening.js';
import { selectedIn, visibleWords } from '../shared/words.js';

/**
 * @typedef {import('../../engine/plan.js').Stack} Stack
 *
 * `box`: the id of the text box that edits them.
 * @typedef {import('../../draw/words.js').TokenLine & {
 *   title: string, box: string | null, flip?: ReturnType<typeof flipOf>,
 * }} Tokens
 *
 * @typedef {'one' | 'toggle' | 'range' | 'step' | {from: number}} How
 */

export const encoderTokens = strip('encoder');
export const decoderTokens = strip('decoder');

/** @param {Stack} stack @returns {import('../index.js').Feature} */
function strip(stack) {
  return {
    name: `tokens-${stack}`,
    slot: 'input',
    first: true,
    typing: true,
    local: { from: -1, at: -1 }, // of a drag, the first and the last token; −1: there is none
    render({ result, state, local }, tools) {
      const own = result.plan.tokens[stack];
      return own ? line(stack, tokensOf(stack, own, result, state), local, tools) : null;
    },
    // The words that the model does not know stay in sight though there is nothing to compute.
    blank({ plan }, tools) {
      const shown = stack === 'encoder' && plan.tokens.encoder?.shown;
      if (!shown || !shown.words.length) return null;
      const words = visibleWords(shown.words);
      const all = { title: 'Tokens', words, ids: shown.ids, fresh: 0, selected: null, box: 'text' };
      return line(stack, all, { from: -1, at: -1 }, tools);
    },
  };
}

/**
 * @param {Stack} stack
 * @param {import('../../engine/plan.js').Tokens} own
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @returns {Tokens}
 */
function tokensOf(stack, own, result, state) {
  const { words, ids } = own.predicted ?? own.shown ?? own;
  const { encoder, decoder } = result.plan.tokens;
  const { stack: rows, columnStack, row, key } = selectedIn(result, state);
  const [isRows, isKeys] = [stack === rows, stack === columnStack];
  const read = own.predicted ? key - 1 : key; // the word predicted at a row stands one further
  /** @param {number} place */
  const shownAt = (place) => (own.shown ? shownIndex(own.shown.ids, place) : place);
  return {
    title: !encoder || !decoder ? 'Tokens' : stack === 'encoder' ? 'Source tokens' : 'Target tokens',
    words: visibleWords(words),
    ids,
    special: entryOf(/** @type {any} */ (result.plan.model))?.special,
    fresh: own.fresh ?? 0,
    grown: own.predicted ? state.grown : null,
    selected: isRows ? shownAt(row) : isKeys ? shownAt(key) : null,
    key: isKeys && read >= 0 ? shownAt(read) : null,
    brush: isRows ? state.brush.map(shownAt) : [],
    part: isRows ? 'row' : isKeys ? 'key' : null,
    isBoth: rows === columnStack,
    box: boxOf(stack, result.plan),
    flip: flipOf(state),
    isOpening: state.opening !== '',
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
  return model && !entryOf(/** @type {any} */ (model))?.readTarget ? null : 'target-text';
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

/** Keeps the focus at the selected token, and that in sight, when another one is. @type {(marks: string) => unknown} */
const follow = acting((list, marks, before) => {
  if (marks === before) return;
  // A result that comes late selects another word than the one to which the reader left the text.
  if (list.contains(document.activeElement) && !document.activeElement?.matches('.flip'))
    /** @type {HTMLElement | null} */ (list.querySelector('[tabindex="0"]'))?.focus({ preventScroll: true });
  requestAnimationFrame(() => reveal(list)); // where the page is laid out anyway
});

/**
 * @param {Stack} stack
 * @param {Tokens} tokens
 * @param {{from: number, at: number}} drag
 * @param {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} tools
 */
function line(stack, tokens, drag, { get, set, result, selection, local }) {
  const { title, words, ids, selected, key, part, brush = [], box, flip } = tokens;
  let known = 0;
  const places = ids.map((id) => (id === null ? nothing : known++));
  const edit = () => document.getElementById(String(box))?.focus();
  const direction = directionOf(words);

  /** @param {number} index @param {How} how */
  function select(index, how) {
    const chosen = chooseToken(get(), stack, index, result());
    if (attention(selection().kind).stack !== stack || !chosen.cursor) return set(chosen);
    const from = typeof how === 'string' ? how : chooseToken(get(), stack, how.from, result()).cursor?.row;
    set({ ...chosen, brush: brushed(get(), chosen.cursor.row, from ?? 'one') });
  }
  /** @param {string} text */
  function swap(text) {
    const { opening } = get();
    set({ text, written: [], follow: true, brush: [], opening: opening === 'flip' ? 'ask' : opening });
  }
  /** @param {MouseEvent} event */
  function click({ target, shiftKey, ctrlKey, metaKey }) {
    const index = indexOf(target);
    const isMore = shiftKey || ctrlKey || metaKey;
    if (flip && words[index] === flip.word && !isMore) return swap(flip.text);
    if (index >= 0) select(index, shiftKey ? 'range' : ctrlKey || metaKey ? 'toggle' : 'one');
  }
  // A drag selects all tokens on its way. By touch it is sideways; the page scrolls up and down.
  /** @param {PointerEvent} event */
  function begin({ target, button, shiftKey, ctrlKey, metaKey }) {
    const from = button === 0 && !shiftKey && !ctrlKey && !metaKey ? indexOf(target) : -1;
    local({ from, at: from });
  }
  /** @param {PointerEvent} event */
  function move({ buttons, clientX, clientY }) {
    const at = drag.from >= 0 && buttons === 1 ? indexOf(document.elementFromPoint(clientX, clientY)) : -1;
    if (at < 0 || at === drag.at) return;
    local({ at });
    select(at, { from: drag.from });
  }
  /** @param {KeyboardEvent} event */
  function press(event) {
    const all = tokensIn(/** @type {Element} */ (event.currentTarget)).filter((token) => indexOf(token) >= 0);
    const from = /** @type {Element} */ (event.target).closest('.token');
    const here = all.findIndex((token) => (from ? token === from : token.tabIndex === 0));
    const target = indexByKey(event, here, all.length - 1, direction === 'rtl');
    if (target === undefined) return;
    event.preventDefault();
    const next = all[Math.max(0, Math.min(all.length - 1, target))];
    if (!next) return;
    select(indexOf(next), !event.shiftKey ? 'one' : event.key.startsWith('Arrow') ? 'step' : 'range');
    next.focus();
  }

  return html`<div id="tokens-${stack}" class="tokens-line">
    ${title === 'Tokens' ? nothing : html`<p class="tokens-title">${title}</p>`}
    <div class="tokens" dir=${direction} role="radiogroup" aria-label=${title}
      ${follow(JSON.stringify([selected, key, part, brush, words]))}
      @click=${click} @dblclick=${edit} @pointerdown=${begin} @pointermove=${move} @keydown=${press}
    >${together(tokens, places)}</div>
    ${
      box
        ? html`<button type="button" class="edit-sentence" aria-label="Edit the sentence" title="Edit the sentence"
          @click=${edit}>✎</button>`
        : nothing
    }</div>`;
}

/** The index of the token there; −1: none that the model reads. @param {EventTarget | null} target */
function indexOf(target) {
  const button = /** @type {HTMLElement | undefined} */ (/** @type {Element | null} */ (target)?.closest('.token'));
  const list = button?.closest('.tokens');
  return button && list && !button.matches('.unknown') ? tokensIn(list).indexOf(button) : -1;
}

/** @param {Element} list @returns {HTMLElement[]} */
const tokensIn = (list) => [.../** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('.token'))];

/** Scrolls the strip, not the page, until the selected token is in sight. @param {HTMLElement} list */
function reveal(list) {
  const chosen = /** @type {HTMLElement | null} */ (list.querySelector('[tabindex="0"]'));
  if (!chosen) return;
  const top = chosen.offsetTop - list.offsetTop;
  const left = chosen.offsetLeft - list.offsetLeft;
  list.scrollTo({
    top: Math.min(top, Math.max(list.scrollTop, top + chosen.offsetHeight - list.clientHeight)),
    left: Math.min(left, Math.max(list.scrollLeft, left + chosen.offsetWidth - list.clientWidth)),
  });
}
