// Gives the worker the texts in which a model's neurons are looked for: those that come with the model, when they are
// first asked for, or the reader's own file.

import { readWords } from '../engine/tokens.js';
import { entryOf } from '../models/catalogue.js';

/**
 * @typedef {import('./given-models.js').Page} Page
 * @typedef {import('../engine/plan.js').ModelInfo} ModelInfo
 */

/** Multiplications in one pass over the corpus: of a model as large as GPT-2 some 3,000 tokens, a minute. */
const MOST_WORK = 5e11;
const MOST_TOKENS = 50_000;
/** Of a file that is longer, its beginning. */
const MOST_BYTES = 16 * 2 ** 20;
const PIECE = 120; // letters, of one or several sentences
const LETTERS = 4; // a token, about

/** So many tokens of a corpus are read. @param {ModelInfo['config']} config */
function tokensOf({ layers, decoderLayers = 0, d_model: width, d_ff, vocabulary }) {
  const size = (layers + decoderLayers) * (4 * width * width + 3 * width * d_ff) + vocabulary * width;
  return Math.min(MOST_TOKENS, MOST_WORK / size);
}

/** @param {number[][]} lists @param {number} most tokens */
const withinTokens = (lists, most) => lists.filter(({ length }) => length > 0 && (most -= length) > 0);

/**
 * Gives the corpus of a model when it is first asked for.
 * @param {string} name @param {NonNullable<import('../models/catalogue.js').Entry['corpus']>} corpus
 * @param {ModelInfo} info @param {Pick<Page, 'post' | 'refresh'>} page
 * @returns {() => 'coming' | 'here' | 'none'}
 */
export function giveOnce(name, { read }, { config }, { post, refresh }) {
  /** @type {'' | 'coming' | 'here' | 'none'} */
  let state = '';
  async function give() {
    const ids = withinTokens(await read(), tokensOf(config));
    if (ids.length) await post({ type: 'corpus', model: name, id: -1, ids });
    return ids.length > 0;
  }
  return () => {
    if (!state) {
      state = 'coming';
      give()
        .catch(() => false)
        .then((isHere) => {
          state = isHere ? 'here' : 'none';
          refresh();
        });
    }
    return state;
  };
}

/**
 * Gives the reader's own text instead of the model's.
 * @param {ModelInfo} info of the model @param {File} file @param {Pick<Page, 'post' | 'refresh'>} page
 * @throws {Error} in the reader's words: there is nothing in it to read
 */
export async function giveOwn({ name, config, vocabulary }, file, { post, refresh }) {
  const entry = entryOf(/** @type {import('../models/catalogue.js').ModelName} */ (name));
  if (!entry) return;
  const text = await file.slice(0, MOST_BYTES).text();
  if (text.includes('\0')) throw new Error(`${file.name} is no text.`);
  const most = tokensOf(config);
  let lost = 0;
  /** @param {string} each */
  async function cut(each) {
    if (entry?.corpus?.cut) return entry.corpus.cut(each);
    const { ids, shown } = readWords(each, vocabulary, entry?.token);
    lost += shown.ids.filter((id) => id === null).length;
    return ids;
  }
  const all = piecesOf(text);
  // From all of the file, not its beginning alone.
  const step = Math.max(1, text.length / LETTERS / most);
  const lists = [];
  for (let i = 0; i < all.length; i += step) lists.push((await cut(all[Math.floor(i)])).slice(0, entry.longest));
  const ids = withinTokens(lists, most);
  if (!ids.length) throw new Error(`${file.name} has no words that this model knows.`);
  await post({ type: 'corpus', model: name, id: -1, ids });
  const { turn = 0, ...corpus } = entry.corpus ?? { read: async () => ids };
  const without = lost
    ? `, without ${lost.toLocaleString('en')} word${lost === 1 ? '' : 's'} that this model does not know`
    : '';
  const said = `${step > 1 ? 'pieces from all parts' : 'pieces'} of ${file.name}${without}`;
  entry.corpus = { ...corpus, said, turn: turn + 1, isStopped: false, state: () => 'here' };
  refresh();
}

/** Sentences, short ones together. @param {string} text */
function piecesOf(text) {
  /** @type {string[]} */
  const pieces = [];
  for (const paragraph of text.split(/\r?\n\s*\n/)) {
    let piece = '';
    for (const sentence of paragraph
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?]) /)) {
      if (piece && piece.length + sentence.length > PIECE) (pieces.push(piece), (piece = ''));
      piece += (piece && ' ') + sentence;
    }
    if (piece) pieces.push(piece);
  }
  return pieces;
}
