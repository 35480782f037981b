// Defines spanish, an encoder–decoder as the paper has it, its training, and the rows of its batches.
import { Random } from 'glassformer/tasks';
import { encoderOf, piecesOf, trainTokenizer } from '../austen/bpe.mjs';

/** @typedef {typeof EDITION} Edition */

/** Vaswani et al. 2017, sections 3 and 5, in small: post-LN, ReLU, sinusoidal positions, one table for all three. */
export const EDITION = {
  config: {
    kind: 'encoder-decoder',
    vocabulary: 4000,
    targetVocabulary: 4000,
    d_model: 256,
    heads: 8,
    d_ff: 1024,
    layers: 3,
    decoderLayers: 3,
    maxLength: 128,
    positions: 'sinusoidal',
    norm: 'post',
    activation: 'relu',
    head: 'tied',
    tiedEmbeddings: true,
  },
  trainer: { learningRate: 8e-4, beta2: 0.98, epsilon: 1e-9, clip: 1, dropout: 0.1, labelSmoothing: 0.1 },
  warmup: 1000,
  tokens: 1600, // of the targets of a batch, padding among them
  longest: 100, // tokens of a source or target to learn from
  measureEvery: 500, // steps
};

/** Tokens that are no text, the last ids of the vocabulary: padding, the start of a target, the end of any text. */
export const MARKS = ['<pad>', '<s>', '</s>'];

const IGNORE = -100;

/**
 * A tokenizer.json for both languages: byte pairs of words with the space before them, and the end behind a text.
 * @param {readonly string[]} texts
 * @param {number} size of the vocabulary
 */
export function tokenizerOf(texts, size) {
  const json = trainTokenizer(
    texts.map((text) => ` ${text}`),
    size - MARKS.length,
  );
  json.pre_tokenizer = { ...json.pre_tokenizer, add_prefix_space: true };
  json.added_tokens = MARKS.map((content, i) => ({
    ...{ id: size - MARKS.length + i, content, single_word: false, lstrip: false, rstrip: false },
    ...{ normalized: false, special: true },
  }));
  const end = { SpecialToken: { id: '</s>', type_id: 0 } };
  const text = { Sequence: { id: 'A', type_id: 0 } };
  json.post_processor = {
    type: 'TemplateProcessing',
    single: [text, end],
    pair: [text, { Sequence: { id: 'B', type_id: 1 } }, end],
    special_tokens: { '</s>': { id: '</s>', ids: [size - 1], tokens: ['</s>'] } },
  };
  json.decoder = { type: 'Sequence', decoders: [json.decoder, { type: 'Strip', content: ' ', start: 1, stop: 0 }] };
  return json;
}

/** Pairs of token ids to learn from, and batches of those that are about as long. */
export class Pairs {
  /** Drawn from so many neighbours in length. */
  static NEAR = 600;

  /**
   * @param {readonly import('./verses.mjs').Verse[]} verses
   * @param {any} tokenizer a tokenizer.json
   * @param {{config: {vocabulary: number}, longest: number, tokens: number}} edition
   */
  constructor(verses, tokenizer, { config: { vocabulary }, longest, tokens }) {
    const encode = encoderOf(tokenizer);
    const idsOf = (/** @type {string} */ text) => [...piecesOf(` ${text}`).flatMap(encode), vocabulary - 1];
    this.tokens = tokens;
    this.start = vocabulary - 2;
    this.all = verses
      .map(({ english, spanish }) => ({ source: idsOf(english), target: idsOf(spanish) }))
      .filter(({ source, target }) => Math.max(source.length, target.length) <= longest)
      .sort((a, b) => a.target.length - b.target.length || a.source.length - b.source.length);
    let sum = 0;
    /** Of the targets up to each pair. */
    this.sums = this.all.map(({ target }) => (sum += target.length));
  }

  /**
   * The batch of a step, in any order of calls: a pair by the share of its tokens, and others about as long.
   * @param {number} step @param {number} seed
   */
  batch(step, seed) {
    const random = new Random(seed, `spanish ${step}`);
    const drawn = random.integer(Number(this.sums.at(-1)));
    const pivot = this.sums.findIndex((sum) => sum > drawn);
    const from = Math.max(0, Math.min(this.all.length, pivot + Pairs.NEAR / 2) - Pairs.NEAR);
    const near = this.all.slice(from, from + Pairs.NEAR);
    const count = Math.max(1, Math.floor(this.tokens / this.all[pivot].target.length));
    const rows = Array.from(
      { length: Math.min(count, near.length) },
      () => near.splice(random.integer(near.length), 1)[0],
    );
    return this.batchOf(rows);
  }

  /** @param {{source: number[], target: number[]}[]} rows */
  batchOf(rows) {
    const pack = (/** @type {number[][]} */ lists, /** @type {number} */ fill) => {
      const width = Math.max(...lists.map(({ length }) => length));
      const shape = [lists.length, width];
      const data = Int32Array.from(lists.flatMap((list) => Array.from({ length: width }, (_, i) => list[i] ?? fill)));
      const hidden = Uint8Array.from(
        lists.flatMap((list) => Array.from({ length: width }, (_, i) => Number(i >= list.length))),
      );
      return [
        { data, shape },
        { data: hidden, shape },
      ];
    };
    const [sourceIds, sourcePadding] = pack(
      rows.map(({ source }) => source),
      0,
    );
    const [targetIds, targetPadding] = pack(
      rows.map(({ target }) => [this.start, ...target.slice(0, -1)]),
      0,
    );
    const [labels] = pack(
      rows.map(({ target }) => target),
      IGNORE,
    );
    return { sourceIds, sourcePadding, targetIds, targetPadding, labels };
  }
}
