// Measures spanish on books it has not seen: its translations, and where its cross-attention looks.
import { encoderOf, piecesOf } from '../austen/bpe.mjs';
import { lossAt } from '../measure.mjs';
import { dictionaryOf, wordByWord } from './dictionary.mjs';
import { bleu, chrf } from './scores.mjs';

const ROWS = 16; // at once

/** @param {any} model @param {import('./recipe.mjs').Pairs} pairs @returns {number} nats per token */
export function lossOf(model, pairs) {
  let sum = 0;
  let count = 0;
  for (let from = 0; from < pairs.all.length; from += ROWS) {
    const { labels, ...input } = pairs.batchOf(pairs.all.slice(from, from + ROWS));
    const { data, shape } = model.forward(input).logits;
    labels.data.forEach((id, at) => {
      if (id < 0) return;
      sum += lossAt(data.subarray(at * shape[2], (at + 1) * shape[2]), id);
      count++;
    });
  }
  return sum / count;
}

/** Searches of the paper (section 6.1) and a wider one. */
export const SEARCHES = {
  greedy: { beams: 1 },
  'beam of 4': { beams: 4, lengthPenalty: 0.6 },
  'beam of 16': { beams: 16, lengthPenalty: 0.6 },
};

/**
 * BLEU and chrF of the held-out books, by search, and of a word-by-word dictionary learned from the same verses.
 * @param {any} model as it is opened from its file
 * @param {{learned: readonly import('./verses.mjs').Verse[], test: readonly import('./verses.mjs').Verse[]}} verses
 * @returns {Promise<{name: string, bleu: number, chrf: number, written: string[]}[]>}
 */
export async function translationsOf(model, { learned, test }) {
  const texts = test.map(({ english }) => english);
  const references = test.map(({ spanish }) => spanish);
  const scored = (/** @type {string} */ name, /** @type {string[]} */ written) => ({
    ...{ name, written, chrf: chrf(written, references) },
    bleu: bleu(
      written,
      references.map((each) => [each]),
    ),
  });
  const all = [scored('word by word, a dictionary of the same verses', texts.map(wordByWord(dictionaryOf(learned))))];
  for (const [name, search] of Object.entries(SEARCHES)) {
    const written = [];
    for (let from = 0; from < texts.length; from += ROWS)
      for (const { text } of await model.generate(texts.slice(from, from + ROWS), search)) written.push(text);
    all.push(scored(name, written));
  }
  return all;
}

/** @typedef {{from: number, to: number, first: number, end: number}} Span characters and tokens of a piece */

/** The pieces of a text. @param {string} text @param {(piece: string) => readonly number[]} encode @returns {Span[]} */
function spansOf(text, encode) {
  let [from, first] = [-1, 0]; // a text is read behind a space
  return piecesOf(` ${text}`).map((piece) => {
    const span = { from, to: from + piece.length, first, end: first + encode(piece).length };
    [from, first] = [span.to, span.end];
    return span;
  });
}

/**
 * Measures how many linked words have the largest weight of each head: in the row that is asked for the translation's
 * word (`asked`), and in the one that has read it (`read`). The last word of a part counts, as "luz" of "la luz".
 * @param {any} model @param {any} tokenizer a tokenizer.json
 * @param {readonly import('./verses.mjs').LinkedVerse[]} verses
 */
export function alignmentOf(model, tokenizer, verses) {
  const encode = encoderOf(tokenizer);
  const { heads, decoderLayers, vocabulary } = model.config;
  const all = Array.from({ length: decoderLayers * heads }, (_, i) => ({
    ...{ layer: Math.floor(i / heads), head: i % heads, asked: 0, read: 0 },
  }));
  let [count, diagonal] = [0, 0];
  for (const { english, spanish, links } of verses) {
    const [own, other] = [english, spanish].map((text) => spansOf(text, encode));
    const [source, target] = [english, spanish].map((text) => piecesOf(` ${text}`).flatMap(encode));
    const found = links.map(([a, b]) => ({ to: within(own, english, a), of: within(other, spanish, b).at(-1) }));
    model.forward({
      sourceIds: [[...source, vocabulary - 1]],
      targetIds: [[vocabulary - 2, ...target]],
      capture: true,
    });
    const columns = source.length + 1;
    const maps = Array.from({ length: decoderLayers }, (_, layer) => {
      return model.tensor(`decoder.layers.${layer}.multihead_attn.weights`).data;
    });
    for (const { to, of } of found) {
      if (!of || !to.length) continue;
      const isLinked = (/** @type {number} */ key) => key >= to[0].first && key < Number(to.at(-1)?.end);
      count++;
      diagonal += Number(isLinked(Math.floor((of.first * source.length) / target.length)));
      for (const each of all) {
        const largest = (/** @type {number} */ row) => {
          const at = (each.head * (target.length + 1) + row) * columns;
          const weights = maps[each.layer].subarray(at, at + columns);
          return weights.indexOf(weights.reduce((/** @type {number} */ a, /** @type {number} */ b) => Math.max(a, b)));
        };
        each.asked += Number(isLinked(largest(of.first)));
        each.read += Number(isLinked(largest(of.end)));
      }
    }
  }
  const share = (/** @type {typeof all[0]} */ { asked, read, ...at }) => ({
    ...at,
    asked: asked / count,
    read: read / count,
  });
  return { heads: all.map(share), diagonal: diagonal / count, count };
}

/**
 * The pieces with letters of a part that stands once.
 * @param {Span[]} spans @param {string} text @param {string} part
 */
function within(spans, text, part) {
  const from = text.indexOf(part);
  const isWord = ({ from: a, to: b }) => /\p{L}/u.test(text.slice(Math.max(0, a), b));
  return spans.filter((span) => span.from < from + part.length && span.to > from && isWord(span));
}
