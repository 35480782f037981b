import { settingsOf } from '../shared/claim.js';
import { project } from '../shared/linear.js';
import { largest, largestDifference, median, normal, randomOf, rowsOf, say, smallest } from '../shared/numbers.js';
import { overSeeds } from '../shared/steps.js';

const [D_K, D_V] = [16, 4];

/**
 * @param {import('../shared/claim.js').Params} at
 * @param {readonly [low: number, high: number]} range
 * @returns {import('../shared/claim.js').Expected}
 */
const variation = (at, range) => ({
  name: 'variation',
  label: 'Total variation of the two weight matrices',
  at,
  range,
  tolerance: { absolute: 0.05 },
});

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  // The variation depends on how the other weights are chosen: .4 to .8 over four ways to a corner of what is possible.
  number: 21,
  name: 'Attention weights as an explanation',
  sentence: 'The attention weights explain the output: they show which words it was made of.',
  source:
    'Jain and Wallace 2019, “Attention is not Explanation”; Brunner et al. 2020, “On Identifiability in Transformers”',
  quotes: ['The creek was cold and the spunky dog wanted to jump over it', 'Attention is not Explanation'],
  choices: [
    { label: 'Other weights would have given another output.', verdict: 'holds' },
    { label: 'Nearly, where the attention is sharp.', verdict: 'holds only if' },
    { label: 'Quite other weights give the same output.', verdict: 'fails' },
  ],
  inputs: [
    { name: 'keys', label: 'Keys n (values of width 4)', values: [5, 6, 8, 12, 16], default: 12 },
    { name: 'scale', label: 'Queries and keys times', values: [1, 2], default: 1 },
  ],
  seeded: true,
  expected: [
    {
      name: 'outputDifference',
      label: 'Largest difference of the outputs',
      range: [0, 1e-7],
      tolerance: { factor: 5 },
    },
    {
      name: 'variation',
      label: 'Total variation of the two weight matrices',
      range: [0.49, 0.66],
      tolerance: { absolute: 0.05 },
    },
    { name: 'moved', label: 'Rows of 12 whose largest cell moves', range: [4, 11] },
    {
      name: 'variation',
      label: 'Total variation',
      at: { scale: 2 },
      range: [0.07, 0.36],
      tolerance: { absolute: 0.05 },
    },
    ...[variation({ keys: 8 }, [0.315, 0.439]), variation({ keys: 16 }, [0.64, 0.682])],
    ...[variation({ keys: 8, scale: 2 }, [0.027, 0.228]), variation({ keys: 16, scale: 2 }, [0.144, 0.348])],
  ],
  flip: { params: { keys: 5 }, verdict: 'holds' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { keys, scale, seeds } = settingsOf(claim, params);
  return overSeeds(
    seeds,
    (seed) => {
      const { random, query, key, value } = drawn(seed, keys, scale);
      const { weights, output } = gf.attention({ query, key, value });
      const rows = rowsOf({ data: weights.data, shape: [keys, keys] });
      const others = rows.map((row) => otherWeights(row, rowsOf(value), normal(random, [keys]).data));
      const same = gf.matmul({ a: others, b: value }).data;
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
    },
    onProgress,
    signal,
  );
}

/**
 * Queries, keys and values, and what draws the directions of other weights.
 * @param {number} seed @param {number} keys @param {number} scale
 */
export function drawn(seed, keys, scale) {
  const random = randomOf(seed, claim.name);
  const [query, key] = [0, 1].map(() => normal(random, [keys, D_K], scale));
  return { random, query, key, value: normal(random, [keys, D_V]) };
}

/**
 * Weights that sum to 1 and give the same sum of values, as far in a random direction as there are any: goes along it,
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

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ outputDifference, variation, moved }, params) {
  const { keys } = settingsOf(claim, params);
  if (largest(outputDifference) > 1e-5 || largest(variation) < 0.01)
    return { verdict: 'holds', why: `With ${keys} keys and values of width ${D_V} no other weights give this output.` };
  if (median(variation) < 0.3)
    return {
      verdict: 'holds only if',
      why: `Where attention is sharp, other weights with the same output differ by ${say(variation)} only.`,
    };
  return {
    verdict: 'fails',
    why:
      `Weights that differ by ${say(variation)}, with another largest key in ${say(moved)} of ${keys} rows, ` +
      'give the same output.',
  };
}
