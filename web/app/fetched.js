// The models of real language. Their files are many times as large as the others: one is fetched when it is chosen,
// with progress, and given to Explore like a checkpoint of the reader's, whose tokenizer cuts the texts.

import { LABELS, entryOf } from '../models/catalogue.js';
import { add } from './given-models.js';
import { readHeader } from './own/files.js';
import { describeCheckpoint } from './own/tokenizer.js';
import { showWaiting } from './waiting.js';

/** @typedef {'austen' | 'spanish'} Name */

const PARTS =
  ' tokens are words and parts of words, down to single bytes. ␣ stands for a space that belongs to a token, a thin ' +
  'line for a word cut there, ⋯ for the rest of a letter.';

/**
 * Texts about the models, and examples: nobody reads them before the file is here.
 * @type {Record<Name, Pick<import('../models/catalogue.js').Entry, 'about' | 'more' | 'examples' | 'lang'>>}
 */
const SAID = {
  austen: {
    about:
      'trained with this engine to predict the next token, on the six novels of Jane Austen, Moby-Dick, Tom Sawyer ' +
      'and Sherlock Holmes. Its block is that of today’s models: RMSNorm, rotary positions, a gated FFN, shared keys ' +
      `and values. Any text can be typed: its 4,096${PARTS}`,
    more:
      'One of Austen’s chapters in twenty was held out; the figures below are measured there. It writes sentences ' +
      'that sound like the novels and has no idea of what they mean: it knows no facts, no arithmetic and no words ' +
      'coined after 1892.',
    examples: {
      'A single man': 'It is a truth universally acknowledged, that a single',
      'In your own words': 'My sister bought a bike because',
      'She could not': 'She could not help smiling at his',
      'A speech': '"I am not at all surprised," said',
    },
  },
  spanish: {
    lang: 'es',
    about:
      'trained with this engine on 30,577 verses of the Bible in English (World English Bible) and Spanish ' +
      '(Reina-Valera, 1909). It is the machine of 2017 in small: encoder and decoder of three layers, LayerNorm ' +
      'after each sublayer, sinusoidal positions. English and Spanish share a vocabulary: its 4,000' +
      PARTS,
    more:
      'Ruth, Jonah, Philippians and James were held out; the figures below are measured there. By BLEU it is well ' +
      'above a word-by-word dictionary of the same verses, by chrF hardly. Short sentences that a Bible could ' +
      'have mostly come out right; in long ones it rambles. It writes the Spanish of its book, “á” for “a” and ' +
      '“fué” for “fue”, and knows no bicycles.',
    examples: {
      'They were afraid': 'The men were afraid, and they cried to God.',
      'A gift': 'The woman gave the bread to her son.',
      'The verb comes first': 'The king saw the water.',
      'Beams do better': 'My son, give me water.',
      'A mistake': 'Give me bread and water, for I am hungry.',
    },
  },
};

/** @type {AbortController | null} of what is being fetched */
let stop = null;

/**
 * Fetches a model while the page waits for it.
 * @param {Name} name @param {boolean} waits @param {import('./given-models.js').Page} page
 */
export async function follow(name, waits, page) {
  if (!waits) return stop?.abort(new Error('another model was chosen'));
  const mine = new AbortController();
  stop = mine;
  const { signal } = mine;
  const shown = showWaiting({
    doing: `Fetching the model ${LABELS[name].label}.`,
    label: 'Fetching',
    cancelled: 'it was cancelled',
    stop: mine,
    isTyped: page.isTyped(),
  });
  async function open() {
    const file = await fetchFile(`models/${name}.safetensors`, signal, shown.update);
    const described = await describe(name, file, page);
    if (signal.aborted) return described.entry.close?.(); // ends its tokenizer's worker
    await add({ name, ...described, file }, page, { signal });
  }
  try {
    await shown.until(open());
  } catch (error) {
    const isAwaited = stop === mine && page.chosen() === name; // not by a later call
    const { message } = /** @type {Error} */ (error);
    if (isAwaited) page.giveUp(`The model ${LABELS[name].label} could not be opened: ${message}.`);
  } finally {
    shown.end();
  }
}

/**
 * @param {string} url @param {AbortSignal} signal @param {(share: number) => void} onProgress
 * @returns {Promise<Blob>}
 */
async function fetchFile(url, signal, onProgress) {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) throw new Error(`its file answers ${response.status}`);
  const total = Number(response.headers.get('content-length')) || 8e6; // a server that compresses says another length
  let loaded = 0;
  const count = new TransformStream({
    transform(bytes, controller) {
      loaded += bytes.length;
      onProgress(Math.min(1, loaded / total));
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body.pipeThrough(count)).blob();
}

/** @param {Name} name @param {Blob} file @param {import('./given-models.js').Page} page */
async function describe(name, file, page) {
  const { said } = await readHeader(file);
  const { vocabulary, maxLength, kind } = JSON.parse(said['glassformer.config']);
  const size = { model_type: name, vocab_size: vocabulary, n_positions: maxLength };
  const config = { ...size, is_encoder_decoder: kind === 'encoder-decoder' };
  const read = await describeCheckpoint(name, config, new Blob([said.tokenizer]), page);
  const { text, units } = /** @type {import('../models/catalogue.js').Entry} */ (entryOf(name));
  const unread = 'sentences of chapters that it did not learn from';
  const corpus = read.entry.corpus && { ...read.entry.corpus, said: unread };
  const entry = { ...read.entry, ...SAID[name], text, units, corpus, facts: undefined };
  return { ...read, label: LABELS[name], entry };
}
