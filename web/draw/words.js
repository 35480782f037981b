// A sentence as a line of tokens, each a button; the one that is selected, and the key that it attends to.

import { html, nothing } from 'lit-html';
import { directionOf, isClose, spoken } from './sentence.js';

/**
 * `fresh`: how many of the last ones the model wrote; `grown`: so many are shown, null: all; `brush`: those that are
 * selected together; `key`: the key of the cursor; `part`: what they are in the selected attention; `isBoth`: they are
 * its keys too; `flip`: the word that a click swaps for another.
 * @typedef {{
 *   words: readonly string[], ids: readonly (number | null)[], special?: ReadonlySet<number>,
 *   fresh: number, grown?: number | null, selected: number | null,
 *   key?: number | null, brush?: readonly number[], part?: 'row' | 'key' | null, isBoth?: boolean,
 *   flip?: {word: string, other: string} | null, isOpening?: boolean,
 * }} TokenLine
 */

/** The tokens; a word and the marks behind it stay on one line. @param {TokenLine} given @param {unknown[]} places */
export function together(given, places) {
  const isSpaced = given.words.some((word) => word.startsWith('␣'));
  const tokens = { ...given, isSpaced, direction: directionOf(given.words) };
  /** @type {unknown[][]} */
  const all = [];
  tokens.words.forEach((word, i) => {
    const own = token(word, i, places[i], tokens);
    if (i && isClose(word)) all[all.length - 1].push(own);
    else all.push([own]);
  });
  return all.map((each) => (each.length > 1 ? html`<span class="together">${each}</span>` : each));
}

/**
 * @param {string} word @param {number} i
 * @param {unknown} place among the tokens that the model reads, which lights the same everywhere
 * @param {TokenLine & {isSpaced: boolean, direction: 'ltr' | 'rtl'}} tokens
 */
function token(word, i, place, tokens) {
  const {
    words,
    ids,
    special,
    fresh,
    grown,
    selected,
    key,
    brush = [],
    part,
    isBoth,
    flip,
    isOpening,
    direction,
  } = tokens;
  const flips = flip?.word === word;
  const isBroken = tokens.isSpaced && goesOn(words, i);
  const unknown = ids[i] === null;
  const written = i >= words.length - fresh;
  const isBrushed = brush.includes(i);
  const isSpecial = special?.has(ids[i] ?? -1);
  const facts =
    (flips ? `click to change it to “${flip.other}”, ` : '') +
    `index ${i}, ${unknown ? 'unknown word, left out' : `id ${ids[i]}`}` +
    (isSpecial ? ', special token' : '') +
    (isBroken ? ', goes on with the word before' : '') +
    (written ? ', written by the model' : '');
  const classes = Object.entries({
    close: isClose(word),
    spaced: word.startsWith('␣'),
    broken: isBroken,
    unknown,
    fresh: written,
    later: i >= (grown ?? Infinity),
    special: isSpecial,
    query: part === 'row' && i === selected,
    key: i === key,
    brushed: isBrushed,
    flip: flips,
  }).map(([name, has]) => (has ? ` ${name}` : ''));
  return html`<button type="button" role="radio" class="token${classes.join('')}"
    tabindex=${i === (selected ?? 0) || (flips && isOpening) ? 0 : -1}
    aria-checked=${i === selected} aria-disabled=${unknown ? 'true' : nothing} aria-label="${spoken(word)}, ${facts}"
    aria-description=${isBrushed ? 'selected with others' : nothing} title=${facts}
    data-row=${part === 'row' ? place : nothing} data-key=${part === 'key' ? place : nothing}
    data-as-key=${part === 'row' && isBoth ? place : nothing}><bdi class="token-word" dir=${
      /\p{L}/u.test(word) ? 'auto' : direction
    }>${word}</bdi></button>`; // a bracket alone turns with its sentence
}

/** A letter of a script that sets spaces between words. */
const IN_WORD =
  /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{M}\p{N}]/u;

/**
 * Whether a token is in the middle of a word, in a vocabulary whose tokens say the space that belongs to them.
 * @param {readonly string[]} words @param {number} i
 */
const goesOn = (words, i) => i > 0 && IN_WORD.test(words[i]) && /[\p{L}\p{M}\p{N}⋯]$/u.test(words[i - 1]);
