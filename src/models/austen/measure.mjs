// Measures austen and its heads on chapters it has not seen.
import { Random } from 'glassformer/tasks';
import { lossAt } from '../measure.mjs';

const ROWS = 16; // at once

/**
 * The loss over whole texts, in windows: each token is asked for with at least half a window before it, but the first
 * ones of a text.
 * @param {any} model @param {readonly (readonly number[])[]} texts of token ids, each longer than a window
 * @param {number} length of a window
 * @returns {number} nats of all tokens
 */
export function wholeLossOf(model, texts, length) {
  let sum = 0;
  for (const ids of texts) {
    for (let from = 0, done = 0; done < ids.length - 1; from += length / 2) {
      const row = ids.slice(from, from + length + 1);
      const { logits } = model.forward({ ids: [row.slice(0, -1)] });
      const losses = lossesOf(logits, [row])[0].slice(done - from);
      sum += losses.reduce((all, each) => all + each, 0);
      done += losses.length;
    }
  }
  return sum;
}

/**
 * Pairs of a query and a key that a head may be for, of a row of the text.
 * @type {Record<string, (tokens: readonly string[]) => [query: number, key: number][]>}
 */
const LINKS = {
  previous: (tokens) => tokens.slice(1).map((_, i) => [i + 1, i]),
  quotation(tokens) {
    /** @type {[number, number][]} */
    const pairs = [];
    let opened = -1;
    tokens.forEach((token, i) => {
      if (token === 'Ċ') opened = -1;
      if (opened >= 0) pairs.push([i, opened]);
      if (/^\W*"\W*$/.test(token)) opened = opened < 0 ? i : -1;
    });
    return pairs;
  },
  sentence(tokens) {
    /** @type {[number, number][]} */
    const pairs = [];
    let end = -1;
    tokens.forEach((token, i) => {
      if (end >= 0) pairs.push([i, end]);
      if (/^[.!?]/.test(token)) end = i;
    });
    return pairs;
  },
};

/**
 * Mean weights of each head. On held-out rows: `previous`, from a token to the one before it; `quotation`, from a token
 * of a speech to the mark that opens it; `sentence`, to the last mark that ends a sentence. In a row of random tokens
 * that is repeated: `induction`, to the token behind its first occurrence (Olsson et al. 2022, "In-context Learning and
 * Induction Heads"). `even`: what a head that attends evenly has. `repeated`: what repeating does for the
 * answer, the loss in nats of the first half and of the second.
 * @param {any} model @param {import('./recipe.mjs').Rows} rows @param {(id: number) => string} word
 * @returns {{heads: Record<string, number>[], even: Record<string, number>,
 *   repeated: {first: number, second: number}}}
 */
export function headsOf(model, rows, word) {
  const each = headsIn(model);
  const texts = rows.evenly(ROWS);
  model.forward({ ids: texts.ids, capture: true });
  const found = Object.entries(LINKS).map(([name, find]) => {
    const pairs = texts.ids.map((ids) => find(ids.map(word)));
    return { name, even: evenly(pairs), values: each.map((at) => meanWeight(model, at, pairs)) };
  });
  const { heads, even, repeated } = inductionOf(model);
  found.push({ name: 'induction', even, values: heads });
  return {
    heads: each.map((at, i) => ({ ...at, ...Object.fromEntries(found.map(({ name, values }) => [name, values[i]])) })),
    even: Object.fromEntries(found.map(({ name, even: value }) => [name, value])),
    repeated,
  };
}

/**
 * The results of `headsOf` for random tokens that are repeated.
 * @param {any} model
 * @returns {{heads: number[], even: number, repeated: {first: number, second: number}}}
 */
export function inductionOf(model) {
  const { vocabulary, maxLength } = model.config;
  const half = maxLength / 2;
  const random = new Random(0, 'austen repeated');
  const drawn = Array.from({ length: ROWS }, () => Array.from({ length: half }, () => random.integer(vocabulary)));
  const ids = drawn.map((row) => [...row, ...row]);
  const pairs = drawn.map((row) => row.map((_, i) => /** @type {[number, number]} */ ([half + i, i + 1])));
  const { logits } = model.forward({ ids, capture: true });
  const losses = lossesOf(logits, ids);
  return {
    heads: headsIn(model).map((at) => meanWeight(model, at, pairs)),
    even: evenly(pairs),
    repeated: {
      first: mean(losses.flatMap((row) => row.slice(0, half - 1))),
      second: mean(losses.flatMap((row) => row.slice(half))),
    },
  };
}

/** @param {any} model */
const headsIn = ({ config: { heads, layers } }) =>
  Array.from({ length: layers * heads }, (_, i) => ({ layer: Math.floor(i / heads), head: i % heads }));

/** The values of a head that attends evenly. @param {[query: number, key: number][][]} pairs of each row */
const evenly = (pairs) => mean(pairs.flat().map(([query]) => 1 / (query + 1)));

/**
 * @param {any} model @param {{layer: number, head: number}} at
 * @param {[query: number, key: number][][]} pairs of each row
 */
function meanWeight(model, { layer, head }, pairs) {
  const { data, shape } = model.tensor(`decoder.layers.${layer}.self_attn.weights`);
  const [, heads, queries, keys] = shape;
  return mean(pairs.flatMap((row, b) => row.map(([q, k]) => data[((b * heads + head) * queries + q) * keys + k])));
}

/**
 * @param {{data: Float32Array, shape: number[]}} logits
 * @param {number[][]} ids
 * @returns {number[][]} of each token but the first
 */
function lossesOf({ data, shape: [, length, width] }, ids) {
  return ids.map((row, b) =>
    row.slice(1).map((id, t) => lossAt(data.subarray((b * length + t) * width, (b * length + t + 1) * width), id)),
  );
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
