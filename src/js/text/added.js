// Tokens that a file adds to its vocabulary: they are found in a text before it is cut.
import { beginning } from '../errors.js';
import { SPACE, WORD, JOINERS } from './characters.js';
import { mostOf, flagOf, refuse, unread } from './settings.js';
import { Trie } from './trie.js';

/**
 * @typedef {object} AddedToken
 * @property {string} content
 * @property {string} form in which it is found, and decoded: the normalizer's, where it is normalized
 * @property {number} id
 * @property {boolean} single_word it is no part of a word
 * @property {boolean} lstrip it takes the spaces before it
 * @property {boolean} rstrip
 * @property {boolean} normalized it is found in the text that the normalizer made
 * @property {boolean} special
 */
/** @typedef {{text: string, id: number, isFirst: boolean}} Piece of a text; id: -1 for what is yet to be cut */

const [WORD_BEFORE, WORD_AFTER] = [new RegExp(`[${WORD}${JOINERS}]$`, 'u'), new RegExp(`^[${WORD}${JOINERS}]`, 'u')];
const IS_SPACE = new RegExp(SPACE, 'u');
const IS_SPACES = new RegExp(`^${SPACE}+$`, 'u');

/**
 * @param {any[]} list of added_tokens, whose contents and ids are right
 * @param {Map<string, number>} vocab of the model
 * @param {import('./normalizers.js').Normalizer | null} normalizer
 * @returns {AddedToken[]}
 */
export function addedTokensOf(list, vocab, normalizer) {
  /** @type {Map<string, AddedToken>} */
  const all = new Map();
  let largest = -1;
  for (const each of list) {
    const step = { ...each, type: 'an added token' };
    const [single_word, lstrip, rstrip, special] = ['single_word', 'lstrip', 'rstrip', 'special'].map((name) =>
      flagOf(step, name, false),
    );
    const { content, id } = each;
    const token = {
      content,
      id,
      single_word,
      lstrip,
      rstrip,
      special,
      normalized: flagOf(step, 'normalized', !special),
    };
    const known = all.get(content);
    if (known && JSON.stringify({ ...known, form: undefined }) !== JSON.stringify(token))
      refuse(content, 'an added token is there twice');
    if (known || !content) continue;
    const wanted = vocab.get(content) ?? Math.max(largest + 1, vocab.size);
    if (wanted !== id)
      unread(id, `the id of the added token ${JSON.stringify(beginning(content, 60))} must be ${wanted}`);
    largest = Math.max(largest, wanted);
    const form = token.normalized && normalizer ? normalizer(content, mostOf(content.length)) : content;
    if (!form) unread(content, 'an added token of which the normalizer leaves nothing');
    all.set(content, { ...token, form });
  }
  return [...all.values()];
}

/**
 * Cuts a text where tokens stand in it.
 * @param {AddedToken[]} tokens
 * @returns {(text: string, isFirst: boolean) => Piece[]}
 */
function finderOf(tokens) {
  if (!tokens.length) return (text, isFirst) => (text ? [{ text, id: -1, isFirst }] : []);
  const trie = new Trie();
  const firsts = new Set();
  const takesBehind = tokens.some(({ rstrip }) => rstrip);
  tokens.forEach(({ form, lstrip, rstrip }, i) => {
    // Rust panics where such a token is found among spaces that the token before it took.
    if (takesBehind && lstrip && !rstrip && IS_SPACES.test(form))
      unread(form, 'an added token of spaces with lstrip alone, beside one with rstrip');
    // Rust takes one of the two, by chance.
    if (trie.value(trie.node(form)) !== undefined) unread(form, 'two added tokens that the normalizer makes the same');
    trie.add(form, i);
    firsts.add(form.charCodeAt(0));
  });
  return (text, isFirst) => {
    /** @type {Piece[]} */
    const pieces = [];
    let [done, spacesEnd] = [0, 0];
    const add = (/** @type {number} */ from, /** @type {number} */ to) => {
      if (from < to) pieces.push({ text: text.slice(from, to), id: -1, isFirst: isFirst && from === 0 });
    };
    for (let at = 0; at < text.length;) {
      const found = firsts.has(text.charCodeAt(at)) ? trie.longest(text, at) : null;
      if (!found) {
        at++;
        continue;
      }
      const { id, single_word, lstrip, rstrip } = tokens[found.value];
      let [start, end] = [at, found.end];
      at = end;
      if (single_word && (isWord(text, start, WORD_BEFORE) || isWord(text, end, WORD_AFTER))) continue;
      if (lstrip) while (start > done && IS_SPACE.test(text[start - 1])) start--;
      if (rstrip) {
        // Tokens among these spaces end where they end: each space is read once.
        if (spacesEnd <= end) for (spacesEnd = end; IS_SPACE.test(text[spacesEnd] ?? '');) spacesEnd++;
        end = spacesEnd;
      }
      // Nothing is left for a token of spaces that the one before it took.
      if (lstrip && start < done) start = done;
      add(done, start);
      if (start < end) pieces.push({ text: '', id, isFirst: false });
      done = end;
    }
    add(done, text.length);
    return pieces;
  };
}

/**
 * Whether a letter of a word stands at a place, before it or behind it.
 * @param {string} text @param {number} at @param {RegExp} side
 */
const isWord = (text, at, side) =>
  side.test(side === WORD_BEFORE ? text.slice(Math.max(at - 2, 0), at) : text.slice(at, at + 2));

/**
 * @param {AddedToken[]} tokens
 * @param {import('./normalizers.js').Normalizer | null} normalizer
 * @returns {(text: string, most: number) => Piece[]}
 */
export function splitterOf(tokens, normalizer) {
  const plain = finderOf(tokens.filter(({ normalized }) => !normalized));
  const normalized = finderOf(tokens.filter((token) => token.normalized));
  return (text, most) =>
    plain(text, true).flatMap((piece) =>
      piece.id >= 0 ? [piece] : normalized(normalizer ? normalizer(piece.text, most) : piece.text, piece.isFirst),
    );
}
