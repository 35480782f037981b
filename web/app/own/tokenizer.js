// A checkpoint of Hugging Face's as Explore reads it: its tokenizer cuts the texts, in a worker. Fetched with the
// first.

import { codesIn, isPair, targetFor, tellingCross, textsFor } from './pair.js';
import { Late, createTokenizer, remembered } from './tokenizer-client.js';

/**
 * @typedef {import('../../models/catalogue.js').Entry} Entry
 * @typedef {import('../../engine/tokens.js').Read} Read
 */

/** The longest text that is read: its map must fit on a screen. */
const MOST = 1024;

const TEXTS = {
  encoder: ['The creek was cold, and the dog wanted to jump over it.', 'The dog wanted to', 'over the creek.'],
  decoder: ['The creek was cold, and the spunky dog wanted to', '', ''],
};

/**
 * A size in config.json, under whichever name the family uses.
 * @param {Record<string, any>} config
 * @param {string[]} names
 */
const sizeIn = (config, ...names) => Number(names.map((name) => config[name]).find((value) => value > 0)) || 0;

/**
 * @param {string} title
 * @param {Record<string, any>} config
 * @param {Blob | Record<string, Blob> | null} file tokenizer.json, or the files of a Marian by their names
 * @param {Pick<import('../given-models.js').Page, 'scriptUrl' | 'refresh'>} page
 * @returns {Promise<{label: import('../../models/catalogue.js').Label, entry: Entry, words?: string[]}>}
 */
export async function describeCheckpoint(title, config, file, { scriptUrl, refresh }) {
  const size = sizeIn(config, 'vocab_size');
  const source = file && (file instanceof Blob ? { file } : { pieces: file });
  const tokenizer = source && createTokenizer(source, size, scriptUrl);
  const facts = await tokenizer?.open();
  const pair = isPair(config);
  const kind = !pair && /bert/.test(String(config.model_type)) ? 'encoder' : 'decoder';
  const longest = Math.min(MOST, sizeIn(config, 'n_positions', 'max_position_embeddings') || MOST);
  const mask = (!pair && facts?.mask) || null; // a BART has one, and its target is what it is asked for
  const pairTexts = pair ? textsFor(config, facts?.words ?? []) : {};
  const [text, before, after] = pair
    ? [Object.values(pairTexts)[0], '', '']
    : TEXTS[/** @type {'encoder' | 'decoder'} */ (kind)];
  const hidden = mask === null ? '' : `${before} ${mask} ${after}`;
  const first = tokenizer ? (kind === 'encoder' ? hidden : text) || text : '1 2 3 4 5 6';
  /** The tokens of the last text, shown until the next one is cut. */
  let latest = tokenizer && facts ? await cut(tokenizer, facts, first, longest, size) : NOTHING;
  let written = '';
  const readText = async (/** @type {string} */ text) =>
    (latest = tokenizer && facts && text.trim() ? await cut(tokenizer, facts, text, longest, size) : NOTHING);
  /** @type {(ids: readonly number[]) => Promise<string>} */
  const decode = async (ids) => (written = await tokenizer?.ask('decode', [ids]).catch(() => ''));
  /** @type {(text: string, row: number) => Promise<string | null>} */
  const hide = async (text, row) => tokenizer?.ask('hide', [text, row]).catch(() => null);
  /** The same of a target that the reader types. */
  let typed = NOTHING;
  const cutTarget = async (/** @type {string} */ text) =>
    (typed = tokenizer && facts && text.trim() ? await cut(tokenizer, facts, text, longest, size, true) : NOTHING);
  const readTarget = tokenizer ? remembered(cutTarget, () => ({ ...typed, waiting: true }), refresh) : undefined;
  let translated = '';
  /** @type {(ids: readonly number[]) => Promise<string>} */
  const toText = async (ids) => (translated = await tokenizer?.ask('decodeTarget', [ids]).catch(() => ''));
  const decodeTarget = tokenizer ? remembered(toText, () => translated, refresh) : undefined;
  const codes = codesIn(facts?.words ?? []);
  /** @param {string} each */
  const cutIds = async (each) => (tokenizer && facts ? (await cut(tokenizer, facts, each, longest, size)).ids : []);
  return {
    label: { label: title, does: title === config.model_type ? 'your own' : `your own ${config.model_type}` },
    ...(facts && { words: facts.words }),
    entry: {
      input: kind === 'decoder' && !pair ? 'prompt' : 'text',
      units: tokenizer ? 'parts' : 'ids',
      ...(tokenizer && facts
        ? {
            read: remembered(readText, () => ({ ...latest, waiting: true }), refresh),
            decode: remembered(decode, (ids) => (ids.length > 1 ? written : '…'), refresh),
            ...(mask !== null && { hide: remembered(hide, () => null, refresh) }),
            close: tokenizer.close,
            ...(!pair && {
              corpus: {
                said: 'sentences of Jane Austen’s novels, which it may have learned from',
                read: () => novels(cutIds),
                cut: cutIds,
              },
            }),
            joint: '',
            joined: joinedLetters,
            special: new Set([...facts.marks, ...codes.map((code) => facts.words.indexOf(code))]),
          }
        : { token: /\S+/g, joint: ' ' }),
      text: first,
      ...(pair && { target: targetFor(readTarget), readTarget, decodeTarget, telling: tellingCross, opening: OPENING }),
      examples:
        pair && tokenizer
          ? pairTexts
          : { 'A first text': first, ...(tokenizer && kind === 'encoder' && { 'Nothing hidden': text }) },
      longest,
      ...(facts && mask !== null && { mask: facts.words[Number(facts.special.mask)] }),
      about: `your own checkpoint of the family ${config.model_type}, which was read in this tab and has not left it.`,
      more:
        (tokenizer
          ? `Its tokenizer may cut words into parts${marksOf(facts?.words ?? [])}. ${languagesOf(codes)}`
          : 'Without a tokenizer, texts and answers are ids. ' +
            (kind === 'encoder' ? 'To mask a token, type the id of [MASK] in its place. ' : '')) +
        (tokenizer && !pair
          ? 'What excites its neurons is looked for in sentences of Jane Austen’s novels, or in a file of yours. '
          : 'It has no corpus here: what views show of its neurons is measured on the text above. ') +
        'A link to this page names the file and holds none of its weights.',
      why: '',
      facts: [{ name: 'Family', value: String(config.model_type) }],
    },
  };
}

/** An encoder–decoder opens at a head of its cross-attention; it writes its target itself. */
const OPENING = { selection: { kind: 'cross', layer: 0, head: 0 }, follow: true };

/** @param {string[]} codes of languages */
function languagesOf(codes) {
  if (!codes.length) return '';
  const some = codes.slice(0, 5).join(', ');
  return `A code in front of a text names the language that it writes: ${some}${codes.length > 5 ? '…' : ''} `;
}

/** The page's sentences of real English. @param {(text: string) => Promise<number[]>} read */
async function novels(read) {
  const { sentences } = await (await fetch('models/austen.corpus.json')).json();
  const lists = [];
  for (const each of sentences) lists.push(await read(each));
  return lists;
}

/** The meaning of the signs in a tokenizer's tokens, as far as it has any. @param {readonly string[]} words */
const marksOf = (words) =>
  (words.some((word) => word.startsWith('␣'))
    ? '; ␣ stands for a space that belongs to a token, a thin line for a word cut there, ⋯ for the rest of a letter'
    : '') + (words.some((word) => /^##./u.test(word)) ? '; ## begins a token that goes on with a word' : '');

/**
 * Cuts a text. `truncated`: to the length that the model can read at once.
 * @param {ReturnType<typeof createTokenizer>} tokenizer
 * @param {import('./tokenizer-client.js').Facts} facts
 * @param {string} text
 * @param {number} longest
 * @param {number} size rows of the model's table
 * @param {boolean} [isTarget] of an encoder–decoder
 * @returns {Promise<Read>}
 */
async function cut(tokenizer, { words, special }, text, longest, size, isTarget = false) {
  /** @type {number[]} */
  let ids;
  try {
    ids = await tokenizer.ask(isTarget ? 'encodeTarget' : 'encode', [text]);
  } catch (error) {
    if (error instanceof Late) return { ...NOTHING, note: `This text was not read: ${error.message}. Change it.` };
    // A byte-level vocabulary can say everything; another one may lack a character and what stands for unknown ones.
    return { ...NOTHING, shown: { words: [text], ids: [null] } };
  }
  const beyond = ids.find((id) => size > 0 && id >= size);
  if (beyond !== undefined) {
    const why = `the model has no embedding for “${words[beyond]}”`;
    return { ...NOTHING, note: `This text was not read: ${why}. Change it.` };
  }
  const truncated = ids.length > longest;
  const last = ids.at(-1);
  if (truncated)
    ids = last === special.separator ? [...ids.slice(0, longest - 1), Number(last)] : ids.slice(0, longest);
  const labels = ids.map((id) => words[id]);
  return { words: labels, ids, truncated, shown: { words: labels, ids } };
}

/** @type {Read} */
const NOTHING = { words: [], ids: [], truncated: false, shown: { words: [], ids: [] } };

/** The label of a token whose bytes continue the letter of the one before. */
const GOES_ON = '⋯';

/**
 * The labels of tokens that stand in a row: a letter whose bytes they share, as "<D7>" "<A9>", stands on the first.
 * @param {string[]} labels
 */
export function joinedLetters(labels) {
  if (!labels.some((label) => /<[C-F][\dA-F]>/.test(label))) return labels;
  const all = labels.map((label) => label.split(/(?=<[89A-F][\dA-F]>)|(?<=<[89A-F][\dA-F]>)/));
  const parts = all.flatMap((some, at) => some.map((part, i) => ({ at, i, byte: byteOf(part) })));
  parts.forEach(({ at, i, byte }, start) => {
    if (byte < 0xc0) return;
    const own = parts.slice(start, start + (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4));
    const letter = read(own.map((part) => part.byte));
    if (!letter) return;
    for (const part of own) all[part.at][part.i] = part.at === at || all[part.at].includes(GOES_ON) ? '' : GOES_ON;
    all[at][i] = letter;
  });
  return all.map((some) => some.join(''));
}

/** @param {string} part of a label; −1: it is no byte */
const byteOf = (part) => (/^<[89A-F][\dA-F]>$/.test(part) ? parseInt(part.slice(1), 16) : -1);

/** The letter of these bytes; '': they are none. @param {number[]} bytes */
function read(bytes) {
  try {
    return bytes.includes(-1) ? '' : new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return '';
  }
}
