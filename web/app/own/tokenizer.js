// A checkpoint of Hugging Face's as Explore reads it: its tokenizer cuts the texts, in this page. Fetched with the
// first.

import { loadTokenizer } from 'glassformer/tokenizers';
import { MAX_TOKENS } from '../../engine/tokens.js';

/**
 * @typedef {import('../../models/catalogue.js').Entry} Entry
 * @typedef {import('../../engine/tokens.js').Read} Read
 */

const TEXTS = {
  encoder: ['The creek was cold, and the dog wanted to jump over it.', 'The dog wanted to', 'over the creek.'],
  decoder: ['The creek was cold, and the spunky dog wanted to', '', ''],
};

/**
 * What config.json says of a size, whatever the family calls it.
 * @param {Record<string, any>} config
 * @param {string[]} names
 */
const sizeIn = (config, ...names) => Number(names.map((name) => config[name]).find((value) => value > 0)) || 0;

/**
 * @param {string} title
 * @param {Record<string, any>} config
 * @param {Blob | null} file tokenizer.json
 * @returns {Promise<{label: import('../../models/catalogue.js').Label, entry: Entry, words?: string[]}>}
 */
export async function describeCheckpoint(title, config, file) {
  const tokenizer = file ? await loadTokenizer(file) : null;
  const kind = /bert/.test(String(config.model_type)) ? 'encoder' : 'decoder';
  const longest = Math.min(MAX_TOKENS, sizeIn(config, 'n_positions', 'max_position_embeddings') || MAX_TOKENS);
  const mask = tokenizer?.special.mask ?? null;
  const words = tokenizer ? labelsOf(tokenizer, sizeIn(config, 'vocab_size')) : undefined;
  const [text, before, after] = TEXTS[/** @type {'encoder' | 'decoder'} */ (kind)];
  const hidden = mask === null ? '' : `${before} ${tokenizer?.token(mask)} ${after}`;
  const first = tokenizer ? (kind === 'encoder' ? hidden : text) || text : '1 2 3 4 5 6';
  const end = tokenizer?.special.end ?? null;
  return {
    label: { label: title, does: title === config.model_type ? 'your own' : `your own ${config.model_type}` },
    words,
    entry: {
      input: kind === 'decoder' ? 'prompt' : 'text',
      ...(tokenizer && words
        ? {
            read: (text) => read(tokenizer, words, text, longest),
            decode: (ids) => tokenizer.decode(ids),
            ...(mask !== null && { hide: (text, row) => hide(tokenizer, mask, text, row) }),
            joint: '',
            ending: [end ?? -1],
          }
        : { token: /\S+/g, joint: ' ' }),
      text: first,
      examples: { 'A first text': first, ...(tokenizer && kind === 'encoder' && { 'Nothing hidden': text }) },
      longest,
      ...(words && mask !== null && { mask: words[mask] }),
      about: `your own checkpoint of the family ${config.model_type}, which was read in this tab and has not left it.`,
      more:
        (tokenizer
          ? 'Its tokenizer cuts words into parts; ␣ stands for a space that belongs to a token. '
          : 'There is no tokenizer.json with it: a text is a row of ids, and what it answers are ids. ' +
            (kind === 'encoder' ? 'To mask a token, type the id of [MASK] in its place. ' : '')) +
        'It has no corpus here: what views show of its neurons is measured on the text above. A link to this page ' +
        'names the file and holds none of its weights.',
      why: '',
      facts: [{ name: 'Family', value: String(config.model_type) }],
    },
  };
}

/**
 * The tokens as they can be read, by id; a row of the table that no token has is called by its number.
 * @param {Awaited<ReturnType<typeof loadTokenizer>>} tokenizer
 * @param {number} size
 */
function labelsOf(tokenizer, size) {
  return Array.from({ length: Math.min(Math.max(size, tokenizer.size), 2 ** 20) }, (_, id) => {
    try {
      return tokenizer.label(id);
    } catch {
      return `#${id}`;
    }
  });
}

/**
 * A text with the mask in place of one of its tokens.
 * @param {Awaited<ReturnType<typeof loadTokenizer>>} tokenizer
 * @param {number} mask
 * @param {string} text
 * @param {number} row
 * @returns {string | null} null: there is none in which that token alone is another
 */
function hide(tokenizer, mask, text, row) {
  const idsOf = (/** @type {string} */ each) => tokenizer.encode(each).ids;
  try {
    const ids = idsOf(text);
    const small = text.toLowerCase();
    let [start, end] = [-1, 0];
    for (const id of ids.slice(0, row + 1)) {
      const part = tokenizer.token(id).replace(/^##/, '').toLowerCase();
      start = small.indexOf(part, end);
      if (start >= 0) end = start + part.length; // what the tokenizer adds, as [CLS], stands in no text
    }
    if (start < 0 || ids[row] === mask) return null;
    const hidden = text.slice(0, start) + tokenizer.token(mask) + text.slice(end);
    return String(idsOf(hidden)) === String(ids.map((id, i) => (i === row ? mask : id))) ? hidden : null;
  } catch {
    return null;
  }
}

/**
 * @param {Awaited<ReturnType<typeof loadTokenizer>>} tokenizer
 * @param {string[]} words
 * @param {string} text
 * @param {number} longest
 * @returns {Read}
 */
function read(tokenizer, words, text, longest) {
  if (!text.trim()) return { words: [], ids: [], truncated: false, shown: { words: [], ids: [] } };
  /** @type {number[]} */
  let ids;
  try {
    ({ ids } = tokenizer.encode(text));
  } catch {
    // A byte-level vocabulary can say everything; another one may lack a character and what stands for unknown ones.
    return { words: [], ids: [], truncated: false, shown: { words: [text], ids: [null] } };
  }
  const truncated = ids.length > longest;
  const last = ids.at(-1);
  const { separator } = tokenizer.special;
  if (truncated) ids = last === separator ? [...ids.slice(0, longest - 1), Number(last)] : ids.slice(0, longest);
  const labels = ids.map((id) => words[id]);
  return { words: labels, ids, truncated, shown: { words: labels, ids } };
}
