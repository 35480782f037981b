import { makeFacts } from 'glassformer/tasks';
import { settingsOf } from '../shared/claim.js';
import { largestDifference, median, say, smallest } from '../shared/numbers.js';
import { freed, overTrainings, percent, recipeOf, shareRight, train, trained } from '../shared/train.js';

const [HEADS, NEURONS, OBJECTS, STEPS] = [4, 128, 64, 300];
/** The harder load has also the narrower model. */
const LOADS = /** @type {Record<number, {side: number, width: number}>} */ ({
  64: { side: 8, width: 24 },
  256: { side: 16, width: 16 },
});
const AT = { facts: 256 };
const SHARE = { tolerance: { absolute: 0.05 }, share: true };

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 13,
  name: 'Feed-forward network as key–value memory',
  sentence: 'The feed-forward network is a key–value memory: its neurons store the facts.',
  source: 'Geva et al. 2021, “Transformer Feed-Forward Layers Are Key-Value Memories”, section 2',
  quotes: ['feed-forward layers in transformer-based language models operate as key-value memories'],
  choices: [
    { label: 'Facts are lost with the neurons that store them.', verdict: 'holds' },
    { label: 'That depends on how many facts there are for the model.', verdict: 'holds only if' },
    { label: 'No single neuron is needed, nor is the network.', verdict: 'fails' },
  ],
  inputs: [{ name: 'facts', label: 'Facts', values: [64, 256], default: 64 }],
  long: true,
  seeded: true,
  expected: [
    { name: 'difference', label: 'Σ ReLU(x·kᵢ)vᵢ and the network', range: [0, 0], tolerance: { absolute: 1e-5 } },
    { name: 'ffnOff', label: 'Facts left without the FFN', range: [0.44, 0.48], ...SHARE },
    { name: 'attentionOff', label: 'Facts left without attention', range: [0.09, 0.13], ...SHARE },
    { name: 'attentionOnly', label: 'Facts of a model that has no FFN', range: [0.95, 1], ...SHARE },
    { name: 'harmless', label: 'Neurons whose loss costs no fact', range: [NEURONS, NEURONS] },
    { name: 'ffnOff', label: 'Facts left without the FFN', at: AT, range: [0.06, 0.11], ...SHARE },
    { name: 'harmless', label: 'Neurons whose loss costs no fact', at: AT, range: [1, 10], tolerance: { absolute: 5 } },
  ],
  flip: { params: AT, verdict: 'holds only if' },
};

/** The facts of a load. @param {number} load how many */
export const taskOf = (load) => makeFacts({ side: LOADS[load].side, objects: OBJECTS });

/** Steps that `learn` takes. */
export { STEPS };

/**
 * @param {import('../shared/train.js').Engine} gf
 * @param {{facts: number, seed: number}} settings
 * @param {() => Promise<void>} step called before each
 * @param {number} [d_ff]
 * @returns {Promise<import('../shared/train.js').Model>} that has learned the facts of the seed; to be freed
 */
export function learn(gf, { facts, seed }, step, d_ff = NEURONS) {
  const { config, batch } = taskOf(facts);
  const all = batch(0, seed);
  return trained(gf, { ...config, d_model: LOADS[facts].width, heads: HEADS, d_ff, seed }, (model) =>
    train(model.trainer(recipeOf(3e-3, STEPS, 20)), () => all, STEPS, step),
  );
}

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { facts, seeds } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    2 * STEPS + NEURONS,
    async (seed, step) => {
      const batch = taskOf(facts).batch(0, seed);
      const result = await freed(await learn(gf, { facts, seed }, step), async (model) => {
        const left = (/** @type {object[]} */ ablate) => shareRight(model, batch, { ablate });
        const neuron = (/** @type {number} */ i) => ({ layer: 0, neuron: i });
        const right = left([]);
        const kills = /** @type {number[]} */ ([]);
        for (let i = 0; i < NEURONS; i++) {
          await step();
          kills.push(left([neuron(i)]));
        }
        return {
          difference: sumOfNeurons(gf, model, batch.ids),
          right,
          ffnOff: left(Array.from({ length: NEURONS }, (_, i) => neuron(i))),
          attentionOff: left(Array.from({ length: HEADS }, (_, head) => ({ layer: 0, head }))),
          harmless: kills.filter((share) => share >= right).length,
          kills,
        };
      });
      const attentionOnly = await learn(gf, { facts, seed }, step, 0);
      return { ...result, attentionOnly: await freed(attentionOnly, (model) => shareRight(model, batch)) };
    },
    onProgress,
    signal,
  );
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ ffnOff, attentionOff, attentionOnly, harmless }) {
  const why =
    `${say(harmless)} of ${NEURONS} neurons can be removed, each alone, without losing a fact; ${percent(ffnOff)} ` +
    `of the facts are left without the FFN, ${percent(attentionOff)} without attention`;
  if (smallest(harmless) > 0.9 * NEURONS && median(attentionOnly) >= 0.9)
    return { verdict: 'fails', why: `${why}; a model that never had an FFN knows ${percent(attentionOnly)}.` };
  if (median(harmless) < 0.1 * NEURONS && median(attentionOff) > 0.5) return { verdict: 'holds', why: `${why}.` };
  return { verdict: 'holds only if', why: `${why}: so many facts need the neurons, but attention as well.` };
}

/**
 * @param {import('../shared/train.js').Engine} gf
 * @param {import('../shared/train.js').Model} model
 * @param {any} ids
 * @returns {number} the largest difference of the FFN and of Σ ReLU(x·kᵢ + bᵢ) vᵢ + b, its neurons one by one
 */
function sumOfNeurons(gf, model, ids) {
  model.forward({ ids, capture: true });
  const of = (/** @type {string} */ name) => /** @type {any} */ (model.tensor(`encoder.layers.0.${name}`));
  const [x, keys, values] = [of('norm1.out'), of('linear1.weight'), of('linear2.weight')];
  const [thresholds, bias, out] = [of('linear1.bias').data, of('linear2.bias').data, of('ffn.out').data];
  const width = bias.length;
  const rows = { data: x.data, shape: [x.data.length / width, width] };
  const active = gf.relu({
    x: gf.matmul({ a: rows, b: keys, transposeB: true }).data.map((value, i) => value + thresholds[i % NEURONS]),
  }).data;
  const sum = Float64Array.from(out, (_, i) => bias[i % width]);
  for (let i = 0; i < NEURONS; i++)
    for (let row = 0; row < rows.shape[0]; row++)
      for (let c = 0; c < width; c++) sum[row * width + c] += active[row * NEURONS + i] * values.data[c * NEURONS + i];
  return largestDifference(out, sum);
}
