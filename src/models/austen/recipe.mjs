// Defines austen, its training, and the rows of its batches.
import { Random } from 'glassformer/tasks';
import { encoderOf, piecesOf } from './bpe.mjs';

/** @typedef {typeof EDITION} Edition */

export const EDITION = {
  config: {
    kind: 'decoder',
    vocabulary: 4096,
    d_model: 256,
    heads: 8,
    keyValueHeads: 2,
    d_ff: 688,
    ffn: 'gated',
    activation: 'silu',
    layers: 4,
    maxLength: 256,
    positions: 'rotary',
    embeddingScale: false,
    norm: 'pre',
    normKind: 'rms',
    finalNorm: true,
    attentionBias: false,
    ffnBias: false,
    head: 'tied',
    headBias: false,
  },
  trainer: { learningRate: 2e-3, beta2: 0.98, weightDecay: 0.05, clip: 1, dropout: 0.1 },
  warmup: 500,
  rows: 8,
  length: 256,
  measureEvery: 250, // steps
};

/** Behind what a sentence begins: a line's end, or a mark that ends one, but for that of a title. */
const ENDS = /\n$|[.!?]["')]*$/;
const TITLE = /^ ?(Mr|Mrs|Dr|St)$/;

/**
 * Rows of token ids to learn from. Each begins with a sentence, as a reader's text does: without the space before it.
 */
export class Rows {
  /** @type {Int32Array[]} the ids of each chapter */
  #chapters = [];
  /** @type {{chapter: number, place: number, first: readonly number[]}[]} */
  #starts = [];

  /**
   * @param {readonly string[]} chapters
   * @param {any} tokenizer a tokenizer.json
   * @param {number} length of a row
   */
  constructor(chapters, tokenizer, length) {
    this.length = length;
    const encode = encoderOf(tokenizer);
    for (const text of chapters) {
      /** @type {number[]} */
      const ids = [];
      const starts = [];
      let before = '\n';
      let isTitle = false;
      for (const piece of piecesOf(text)) {
        const own = encode(piece);
        if (ENDS.test(before) && !isTitle && piece.trim() !== '') {
          starts.push({ place: ids.length + own.length, first: encode(piece.trimStart()) });
        }
        for (const id of own) ids.push(id);
        isTitle = TITLE.test(before);
        before = piece;
      }
      const chapter = this.#chapters.push(Int32Array.from(ids)) - 1;
      for (const start of starts) if (start.place + length < ids.length) this.#starts.push({ chapter, ...start });
    }
  }

  /** Tokens of all chapters. */
  get tokens() {
    return this.#chapters.reduce((sum, { length }) => sum + length, 0);
  }

  /** Rows there are to choose from. */
  get count() {
    return this.#starts.length;
  }

  /** @param {number} index @returns {number[]} one token more than a row has */
  row(index) {
    const { chapter, place, first } = this.#starts[index];
    return [...first, ...this.#chapters[chapter].subarray(place, place + this.length)].slice(0, this.length + 1);
  }

  /**
   * Of `count` rows, evenly spread, those from `from` on.
   * @param {number} count @param {number} [from] @param {number} [most]
   */
  evenly(count, from = 0, most = count) {
    const all = Array.from({ length: count }, (_, i) => Math.floor((i * this.count) / count));
    return this.batchOf(all.slice(from, from + most));
  }

  /** @param {number[]} indices */
  batchOf(indices) {
    const rows = indices.map((index) => this.row(index));
    return { ids: rows.map((row) => row.slice(0, -1)), labels: rows.map((row) => row.slice(1)) };
  }

  /**
   * The rows of a step, in any order of calls.
   * @param {number} step @param {number} seed @param {number} rows
   */
  batch(step, seed, rows) {
    const random = new Random(seed, `austen ${step}`);
    return this.batchOf(Array.from({ length: rows }, () => random.integer(this.count)));
  }
}
