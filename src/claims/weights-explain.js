import { makeReverseVariable } from 'glassformer/tasks';
import { kindOf, outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { indexOfLargest, NAMED } from './shared/explore.js';
import { identity, largestIn, numbered, sparse } from './shared/layer.js';
import { project } from './shared/linear.js';
import {
  largest,
  largestDifference,
  lengthOf,
  median,
  normal,
  randomOf,
  rowsOf,
  say,
  smallest,
} from './shared/numbers.js';
import { bySeed, given, marks, range, seedsOf } from './shared/picture.js';
import { dataOf, freed, overTrainings, percent, train, trained } from './shared/train.js';

const D_K = 16;
const STEPS = 600;
const RATE = 5e-3;
/** Widths of the values. Of 12 keys there are other weights up to a width of 10. */
const WIDTHS = [2, 4, 8, 11, 16];
const ALL = '2 to 16';
/** That whose matrices are shown. */
const SHOWN = 4;
/** The total variation below which two weight matrices count as the same. */
const SAME = 0.01;
/** The share of places from which on we say that the largest weight shows what matters. */
const MOSTLY = 0.5;

/**
 * @param {import('./shared/claim.js').Params} at
 * @param {readonly [low: number, high: number]} range
 * @returns {import('./shared/claim.js').Expected}
 */
const variation = (at, range) => ({
  name: 'variation',
  label: 'Total variation of the two weight matrices, d_v 4',
  at,
  range,
  tolerance: { absolute: 0.05 },
});

/**
 * @param {string} name @param {string} label @param {readonly [low: number, high: number]} range
 * @param {number} [absolute] tolerance
 */
const found = (name, label, range, absolute = 0.05) => ({ name, label, range, tolerance: { absolute }, share: true });

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  // The variation depends on how the other weights are chosen: .4 to .8 over four ways to a corner of what is possible.
  number: 21,
  name: 'Attention weights as an explanation',
  sentence: 'The attention weights give some level of interpretability: they show which words matter to the output.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, section 4',
  experiment:
    'A model of two layers (d_model 32, two heads) learns to reverse 4 to 10 digits. Then each key is hidden ' +
    'from each query in turn, to see whether hiding the key with the largest weight costs most.',
  sketch: {
    input: ['3', '8', '1', '…', '5'],
    stacks: [{ name: 'encoder', layers: 2, parts: ['attention: 2', 'FFN: 64'] }],
    output: 'which hidden key costs most',
    width: 32,
  },
  literature: {
    for: ['Wiegreffe and Pinter 2019, “Attention is not not Explanation”'],
    against: [
      'Kobayashi et al. 2020, “Attention is Not Only a Weight: Analyzing Transformers with Vector Norms”',
      'Jain and Wallace 2019, “Attention is not Explanation”',
      'Brunner et al. 2020, “On Identifiability in Transformers”',
    ],
  },
  why:
    'The last layer reads for the output; what the first one reads is read again. And weights fix nothing ' +
    'alone: with n > d_v + 1 keys they can change along n − d_v − 1 directions, and the sum of the values ' +
    'does not.',
  limits:
    'One task. Hiding a key is one way to ask what matters, and the key with the largest weight counts where ' +
    'it does in more than half of the places (our cutoff). The other weights belong to random queries, keys ' +
    'and values.',
  overturn: 'A first layer whose largest weight is the key that matters most, at most places.',
  quotes: [
    {
      text: 'As side benefit, self-attention could yield more interpretable models.',
      from: 'Vaswani et al. 2017, section 4',
    },
    {
      text: 'The animal didn’t cross the street because it was too tired',
      from: 'Alammar 2018, section “Self-Attention at a High Level”, of the word “it”',
    },
  ],
  choices: [
    { label: 'In every layer the key with the largest weight is mostly the one that matters most.', verdict: 'true' },
    { label: 'That depends on the layer.', verdict: 'it depends' },
    { label: 'In no layer is it.', verdict: 'false' },
  ],
  guess: { name: 'firstTop', from: 0, to: 1 },
  inputs: [
    { name: 'keys', label: 'Keys n', values: [5, 6, 8, 12, 16], default: 12 },
    { name: 'd_v', label: 'd_v, width of the values', values: [ALL, ...WIDTHS], default: ALL },
    { name: 'scale', label: 'Queries and keys times', values: [1, 2], default: 1 },
  ],
  scales: [
    { name: 'learningRate', label: 'Learning rate', values: [2e-3, RATE, 1e-2], default: RATE },
    { name: 'steps', label: 'Steps', values: [300, STEPS], default: STEPS },
    { name: 'd_model', label: 'Width d_model', values: [16, 32], default: 32 },
  ],
  long: true,
  seeded: true,
  expected: [
    found('firstTop', 'Layer 1: the largest weight is on the key that matters most', [0.187, 0.325]),
    found('lastTop', 'Layer 2: the largest weight is on the key that matters most', [0.693, 0.818]),
    found('firstNorm', 'Layer 1: so is the largest ‖αv‖', [0.19, 0.352]),
    found('lastNorm', 'Layer 2: so is the largest ‖αv‖', [0.693, 0.818]),
    found('chance', 'By chance', [0.115, 0.135], 0.01),
    {
      name: 'outputDifference',
      label: 'Largest difference of the outputs',
      range: [0, 1.2e-7],
      tolerance: { factor: 5 },
    },
    variation({}, [0.51, 0.59]),
    { name: 'moved', label: 'Rows of 12 whose largest cell moves, d_v 4', range: [4, 11] },
    { name: 'variation11', label: 'Total variation of the two weight matrices, d_v 11', range: [0, 0] },
    variation({ scale: 2 }, [0.1, 0.364]),
    variation({ keys: 8 }, [0.315, 0.439]),
    variation({ keys: 16 }, [0.64, 0.682]),
    variation({ keys: 8, scale: 2 }, [0.027, 0.228]),
    variation({ keys: 16, scale: 2 }, [0.144, 0.348]),
    { name: 'variation', label: 'Total variation', at: { keys: 5, d_v: 4 }, range: [0, 0] },
  ],
  contrast: { keys: 5, d_v: 4 },
  boundary: {
    x: { name: 'keys', label: 'Keys n', values: [5, 6, 8, 12, 16] },
    y: { name: 'd_v', label: 'd_v', values: WIDTHS },
    measure: { name: 'variation', label: 'Total variation of the two weight matrices' },
    seeds: 5,
  },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { keys, d_v, scale, seeds, ...sizes } = settingsOf(claim, params);
  const widths = typeof d_v === 'number' ? [d_v] : WIDTHS;
  const isOwn = kindOf({ inputs: claim.inputs }, params) === 'sentence';
  return overTrainings(
    seeds,
    isOwn ? sizes.steps : 1,
    async (seed, step) => {
      const hidden = isOwn ? await ablated(gf, { ...sizes, seed }, step) : {};
      const all = widths.map((width) => compare(gf, seed, { keys, d_v: width, scale }));
      const shown = all[Math.max(widths.indexOf(SHOWN), 0)];
      const byWidth = all.map((one) => one.variation);
      const named = widths.length > 1 ? widths.map((width, w) => [`variation${width}`, byWidth[w]]) : [];
      return { ...hidden, ...shown, byWidth, ...Object.fromEntries(named) };
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, widths }),
  );
}

/**
 * @param {import('glassformer').Engine} gf
 * @param {number} seed
 * @param {{keys: number, d_v: number, scale: number}} settings
 */
function compare(gf, seed, { keys, d_v, scale }) {
  const { random, query, key, value } = drawn(seed, keys, scale, d_v);
  const { weights, output } = gf.attention(query, key, value);
  const rows = rowsOf({ data: weights.data, shape: [keys, keys] });
  const others = rows.map((row) => otherWeights(row, rowsOf(value), normal(random, [keys]).data));
  const same = gf.matmul(others, value).data;
  const far = rows.map((row, r) => row.reduce((sum, weight, c) => sum + Math.abs(weight - others[r][c]), 0) / 2);
  const top = (/** @type {number[]} */ row) => row.indexOf(largest(row));
  return {
    outputDifference: largestDifference(output.data, same),
    variation: far.reduce((sum, one) => sum + one, 0) / keys,
    moved: rows.filter((row, r) => top(row) !== top(others[r])).length,
    weights: rows.flat(),
    others: others.flat(),
    output: [...output.data],
    sameOutput: [...same],
  };
}

/**
 * Queries, keys and values, and what draws the directions of other weights.
 * @param {number} seed @param {number} keys @param {number} scale @param {number} [d_v]
 */
function drawn(seed, keys, scale, d_v = SHOWN) {
  const random = randomOf(seed, claim.name);
  const [query, key] = [0, 1].map(() => normal(random, [keys, D_K], scale));
  return { random, query, key, value: normal(random, [keys, d_v]) };
}

/**
 * Weights that sum to 1 and give the same sum of values, as far in a random direction as there are any: follows it,
 * where neither changes, until one more weight is 0, and on without that one.
 * @param {readonly number[]} weights
 * @param {readonly (readonly number[])[]} values
 * @param {ArrayLike<number>} direction
 */
function otherWeights(weights, values, direction) {
  const result = [...weights];
  for (;;) {
    const free = result.flatMap((weight, i) => (weight > 0 ? [i] : []));
    const kept = [...values[0].map((_, d) => free.map((i) => values[i][d])), free.map(() => 1)];
    if (free.length <= kept.length) return result;
    const along = project(
      free.map((i) => direction[i]),
      kept,
    );
    const steps = along.map((slope, i) => (slope < 0 ? result[free[i]] / -slope : Infinity));
    const length = smallest(steps);
    if (length === Infinity) return result;
    free.forEach((i, at) => (result[i] = steps[at] === length ? 0 : Math.max(result[i] + length * along[at], 0)));
  }
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const { firstTop, lastTop, firstNorm, lastNorm, chance } = numbers;
    return {
      verdict: verdictOf([firstTop, lastTop].map((shares) => median(shares) > MOSTLY)),
      on: 'the layer',
      found:
        `Hiding the key with the largest weight costs most in ${percent(firstTop)} of the places in ` +
        `layer 1 and ${percent(lastTop)} in layer 2 (by chance: ${percent(median(chance))}); by ‖αv‖ in ` +
        `${percent(firstNorm)} and ${percent(lastNorm)}. Among 12 random keys of d_v ${SHOWN}, weights that differ ` +
        `by a total variation of ${say(numbers.variation)} give the same output.`,
    };
  },
  apart,
);

/** @param {any} numbers @param {number} w */
function at({ byWidth }, w) {
  return byWidth.map((/** @type {number[]} */ list) => list[w]);
}

/** @param {any} numbers */
function apart(numbers) {
  const { widths, moved, weights } = numbers;
  const keys = Math.sqrt(weights[0].length);
  const isFree = (/** @type {number} */ _, /** @type {number} */ w) => largest(at(numbers, w)) >= SAME;
  const free = widths.filter(isFree);
  const only = widths.filter((/** @type {number} */ width) => !free.includes(width));
  const shown = widths.includes(SHOWN) ? SHOWN : widths[0];
  const far = free.map((/** @type {number} */ width) => `${say(at(numbers, widths.indexOf(width)))} at d_v ${width}`);
  return [
    free.length &&
      `With ${keys} keys, other weights give the same output. Their total variation from the first is ` +
        `${far.join(', ')}. At d_v ${shown} another key has the largest weight in ${say(moved)} of ${keys} rows.`,
    only.length && `At d_v ${only.join(' and ')} the output fixes the weights of ${keys} keys.`,
  ]
    .filter(Boolean)
    .join(' ');
}

// Whether the key with the largest weight is the one that matters: in a trained model each key is hidden from each
// query.

/** @typedef {import('./shared/train.js').Model} Model */

const HELD_OUT = 32;
const task = makeReverseVariable();

/** @param {any} logits @param {ArrayLike<number>} labels @param {import('./shared/train.js').Engine} gf */
function costs({ data, shape }, labels, gf) {
  const words = shape[shape.length - 1];
  const logs = gf.logSoftmax({ data, shape }).data;
  return Array.from(labels, (target, i) => (target < 0 ? NaN : -logs[i * words + target]));
}

/**
 * Shares of the places at which hiding the key with the largest weight of a layer costs most, and hiding the one with
 * the longest weighted value.
 * @param {import('./shared/train.js').Engine} gf
 * @param {{seed: number, steps: number, d_model: number, learningRate: number}} settings
 * @param {() => Promise<void>} step
 */
async function ablated(gf, { seed, steps, d_model, learningRate }, step) {
  const { heldOut, batches } = dataOf(task, seed, HELD_OUT);
  const model = await trained(gf, /** @type {any} */ ({ ...task.config, d_model, seed }), (one) =>
    train(one.trainer(/** @type {any} */ ({ ...task.trainer, learningRate, steps })), batches(), steps, step),
  );
  return freed(model, () => {
    const { labels, ...inputs } = /** @type {any} */ (heldOut.batch);
    const length = inputs.ids.shape[1];
    const base = costs(model.forward({ ...inputs, capture: true }).logits, labels.data, gf);
    const layers = [0, model.config.layers - 1].map((layer) => contributions(model, layer));
    // By query and key what hiding the one from the other costs, in all layers.
    const lost = range(length * length).map((cell) => {
      const mask = { data: new Float32Array(length * length), shape: [length, length] };
      mask.data[cell] = -Infinity;
      const query = Math.floor(cell / length);
      const after = costs(model.forward({ ...inputs, mask }).logits, labels.data, gf);
      return range(HELD_OUT).map((row) => after[row * length + query] - base[row * length + query]);
    });
    const places = range(HELD_OUT * length).filter((at) => labels.data[at] >= 0);
    const keysOf = (/** @type {number} */ row) =>
      range(length).filter((key) => !inputs.padding.data[row * length + key]);
    const shareOf = (/** @type {(row: number, query: number, key: number) => number} */ size) => {
      const hits = places.filter((at) => {
        const [row, query] = [Math.floor(at / length), at % length];
        const keys = keysOf(row);
        const top = (/** @type {(key: number) => number} */ of) => indexOfLargest(keys.map(of));
        return top((key) => size(row, query, key)) === top((key) => lost[query * length + key][row]);
      });
      return hits.length / places.length;
    };
    const [first, last] = layers;
    return {
      firstTop: shareOf(first.weight),
      lastTop: shareOf(last.weight),
      firstNorm: shareOf(first.norm),
      lastNorm: shareOf(last.norm),
      chance: places.reduce((sum, at) => sum + 1 / keysOf(Math.floor(at / length)).length, 0) / places.length,
    };
  });
}

/**
 * Of a layer the mean weight of its heads, and the length of what a key adds: the sum over the heads of the weighted
 * value through the head's part of W^O (Kobayashi et al. 2020).
 * @param {Model} model that has read a batch
 * @param {number} layer
 */
function contributions(model, layer) {
  const [weights, values, output] = ['weights', 'value', 'out_proj.weight'].map(
    (name) => /** @type {any} */ (model.tensor(`encoder.layers.${layer}.self_attn.${name}`)),
  );
  const [, heads, length] = weights.shape;
  const [width, size] = [output.shape[0], values.shape[3]];
  const at = (/** @type {number[]} */ ...[row, head, query, key]) =>
    weights.data[((row * heads + head) * length + query) * length + key];
  return {
    weight: (/** @type {number} */ row, /** @type {number} */ query, /** @type {number} */ key) =>
      range(heads).reduce((sum, head) => sum + at(row, head, query, key) / heads, 0),
    norm: (/** @type {number} */ row, /** @type {number} */ query, /** @type {number} */ key) =>
      lengthOf(
        range(width).map((c) =>
          range(heads * size).reduce((sum, i) => {
            const head = Math.floor(i / size);
            const value = values.data[((row * heads + head) * length + key) * size + (i % size)];
            return sum + at(row, head, query, key) * value * output.data[c * width + i];
          }, 0),
        ),
      ),
  };
}

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the weights at the row for which others differ most',
  text: () => ({
    token: NAMED,
    joint: ' ',
    does: 'random queries, keys and values',
    node: 'attention',
    goal: 'random queries, keys and values through attention, one of each in a word.',
    hint:
      'It opens at the largest weight of the row for which the claim found the most different weights with the same ' +
      'output. Set weights of that row, and see what becomes of the output.',
  }),
  layer: async (gf, { keys, scale, d_v: chosen, seed }) => {
    const width = typeof chosen === 'number' ? chosen : SHOWN;
    const { query, key, value } = drawn(seed, keys, scale, width);
    const numbers = await run(gf, { keys, scale, d_v: width, seed, seeds: 1 });
    const [[weights], [others]] = /** @type {number[][][]} */ ([numbers.weights, numbers.others]);
    const far = range(keys).map((row) =>
      range(keys).reduce((sum, c) => sum + Math.abs(weights[row * keys + c] - others[row * keys + c]), 0),
    );
    const parts = [query, key, value];
    const [d_k, d_v] = [query.shape[1], value.shape[1]];
    const whole = 2 * d_k + d_v;
    const table = sparse(keys, whole, (put) => {
      for (let word = 0; word < keys; word++)
        parts.forEach(({ data, shape: [, own] }, part) => {
          for (let c = 0; c < own; c++) put(word, part * d_k + c, data[word * own + c]);
        });
    });
    // The model divides by the root of its own width.
    const larger = Math.sqrt(whole / d_k);
    const projections = sparse(3 * whole, whole, (put) =>
      parts.forEach(({ shape: [, own] }, part) => {
        for (let c = 0; c < own; c++) put(part * whole + c, part * d_k + c, part === 0 ? larger : 1);
      }),
    );
    return {
      words: numbered('x', keys),
      table: { data: table, shape: [keys, whole] },
      rows: [range(keys)],
      config: { heads: 1 },
      weights: { 'self_attn.in_proj_weight': projections, 'self_attn.out_proj.weight': identity(whole) },
      where: (maps) => largestIn(maps, indexOfLargest(far)),
    };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ weights, others, output, sameOutput, byWidth, widths, ...numbers }, params) {
  const keys = Math.sqrt(weights[0].length);
  const [seed] = seedsOf(params);
  const outputs = /** @type {import('./shared/picture.js').Maps} */ ({
    kind: 'maps',
    title: 'Their outputs',
    scale: 'signed',
    columns: output[0].length / keys,
    rowAxis: { title: 'query' },
    columnAxis: { title: 'dimension' },
    maps: [
      { title: 'Of the softmax', values: output[0] },
      { title: 'Of the other weights', values: sameOutput[0] },
    ],
  });
  return [
    ...given(numbers.firstTop, () => [
      /** @type {import('./shared/picture.js').Rows} */ ({
        kind: 'rows',
        title: 'How often the largest is on the key that matters most',
        x: { title: 'share of the places', low: 0, high: 1, percent: true },
        rows: [
          { label: 'Layer 1, weight', marks: marks(params, numbers.firstTop) },
          { label: 'Layer 1, ‖αv‖', marks: marks(params, numbers.firstNorm) },
          { label: 'Layer 2, weight', marks: marks(params, numbers.lastTop) },
          { label: 'Layer 2, ‖αv‖', marks: marks(params, numbers.lastNorm) },
        ],
        levels: [{ name: 'by chance', at: numbers.chance[0] }],
      }),
    ]),
    {
      kind: 'maps',
      title: `Two weight matrices, ${seed}`,
      scale: 'share',
      columns: keys,
      rowAxis: { title: 'query' },
      columnAxis: { title: 'key' },
      maps: [
        { title: 'Softmax of the scores', values: weights[0] },
        { title: 'Other weights', values: others[0] },
      ],
    },
    ...(numbers.firstTop ? [] : [outputs]),
    {
      kind: 'curves',
      title: 'How far the weights are apart',
      x: { title: 'd_v', low: 0 },
      y: { title: 'total variation', low: 0, high: 1 },
      series: [{ name: `${keys} keys` }],
      lines: bySeed(params, 0, byWidth, (i) => widths[i]),
      levels: [{ name: 'd_v + 1 = n', at: keys - 1, vertical: true }],
    },
  ];
}
