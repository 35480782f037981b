// austen, the model of real English. Its file is many times as large as the others: it is fetched when it is chosen,
// with progress, and given to Explore like a checkpoint of the reader's, whose tokenizer cuts the texts.

import { LABELS, entryOf } from '../models/catalogue.js';
import { add } from './given-models.js';
import { readHeader } from './own/files.js';
import { describeCheckpoint } from './own/tokenizer.js';
import { showWaiting } from './waiting.js';

const NAME = 'austen';

/** Texts about the model: nobody reads them before its file is here. */
const SAID = {
  about:
    'trained with this engine to predict the next token, on the six novels of Jane Austen, Moby-Dick, Tom Sawyer ' +
    'and Sherlock Holmes. Its block is that of today’s models: RMSNorm, rotary positions, a gated FFN, shared keys ' +
    'and values. Any text can be typed: its 4,096 tokens are words and parts of words, down to single bytes. ␣ ' +
    'stands for a space that belongs to a token, a thin line for a word cut there, ⋯ for the rest of a letter.',
  more:
    'One of Austen’s chapters in twenty was held out; the figures below are measured there. It writes sentences ' +
    'that sound like the novels and has no idea of what they mean: it knows no facts, no arithmetic and no words ' +
    'coined after 1892.',
};

/** @type {AbortController | null} of what is being fetched */
let stop = null;

/**
 * Fetches it while the page waits for it.
 * @param {boolean} waits @param {import('./given-models.js').Page} page
 */
export async function follow(waits, page) {
  if (!waits) return stop?.abort(new Error('another model was chosen'));
  const mine = new AbortController();
  stop = mine;
  const { signal } = mine;
  const shown = showWaiting({
    doing: `Fetching the model ${LABELS[NAME].label}.`,
    label: 'Fetching',
    cancelled: 'it was cancelled',
    stop: mine,
    isTyped: page.isTyped(),
  });
  async function open() {
    const file = await fetchFile(`models/${NAME}.safetensors`, signal, shown.update);
    const described = await describe(file, page);
    if (signal.aborted) return described.entry.close?.(); // ends its tokenizer's worker
    await add({ name: NAME, ...described, file }, page, { signal });
  }
  try {
    await shown.until(open());
  } catch (error) {
    const isAwaited = stop === mine && page.chosen() === NAME; // not by a later call
    const { message } = /** @type {Error} */ (error);
    if (isAwaited) page.giveUp(`The model ${LABELS[NAME].label} could not be opened: ${message}.`);
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

/** @param {Blob} file @param {import('./given-models.js').Page} page */
async function describe(file, page) {
  const { said } = await readHeader(file);
  const { vocabulary, maxLength } = JSON.parse(said['glassformer.config']);
  const config = { model_type: NAME, vocab_size: vocabulary, n_positions: maxLength };
  const read = await describeCheckpoint(NAME, config, new Blob([said.tokenizer]), page);
  const { text, examples, units } = /** @type {import('../models/catalogue.js').Entry} */ (entryOf(NAME));
  const unread = 'sentences of chapters that it did not learn from';
  const corpus = read.entry.corpus && { ...read.entry.corpus, said: unread };
  const entry = { ...read.entry, ...SAID, text, examples, units, corpus, facts: undefined };
  return { ...read, label: LABELS[NAME], entry };
}
