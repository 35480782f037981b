// What is measured of the weights: at each step gradients and updates of each layer, and how the weights of a moment
// are distributed.

/** @typedef {import('./run.js').Engine} Engine */
/** @typedef {ReturnType<Engine['createModel']>} Model */
/** @typedef {ReturnType<Model['tensors']>[number]} Facts */

/**
 * The weights of one kind in one layer: share of them in each of equal intervals of low..high, and their standard
 * deviation, at step 0 and now.
 * @typedef {{
 *   part: string, kind: string, count: number, low: number, high: number,
 *   first: number[], now: number[], firstDeviation: number, deviation: number,
 * }} Histogram
 */

const BINS = 41;
const ALL = 25; // steps
const EVERY = 5;
const DIGITS = 6; // a file of the run holds them
const KINDS = {
  in_proj_weight: 'Queries, keys, values',
  out_proj_weight: 'Attention output',
  linear1_weight: 'FFN, W₁',
  linear2_weight: 'FFN, W₂',
};

/** Whether the layers are measured at a step, from 1: not at all of them, as it takes some 4 % of one. */
export const isMeasured = (/** @type {number} */ step) => step <= ALL || step % EVERY === 0;

/** The part of the model that a weight belongs to. @param {Facts} facts */
const partOf = ({ layer, node }) =>
  layer !== null
    ? `Layer ${layer + 1}`
    : node === 'ffn'
      ? 'FFN'
      : node === 'embedding' || node === 'positions'
        ? 'Embeddings'
        : 'Output';

/** @param {Facts} facts */
const kindOf = ({ node, role }) =>
  KINDS[/** @type {keyof typeof KINDS} */ (role)] ??
  (role.endsWith('bias')
    ? 'Biases'
    : node === 'norm'
      ? 'LayerNorm gains'
      : node === 'positions'
        ? 'Positions'
        : node === 'embedding'
          ? 'Tokens'
          : 'Weights');

/** @param {Model} model */
const weightsOf = (model) => model.tensors().filter(({ region }) => region === 'weight');

/** @param {readonly number[]} shape */
const sizeOf = (shape) => shape.reduce((product, each) => product * each, 1);

/**
 * Measures steps: `begin` before one, `end` after it gives of each part the norm of its gradients, before clipping,
 * and the ratio of the norms of the step's update and of the weights before it.
 * @param {Model} model
 */
export function createMeter(model) {
  const weights = weightsOf(model);
  const parts = [...new Set(weights.map(partOf))];
  const tensors = weights.map((facts) => ({
    name: facts.name,
    part: parts.indexOf(partOf(facts)),
    before: new Float32Array(sizeOf(facts.shape)),
  }));
  const view = (/** @type {string} */ name) => /** @type {Float32Array} */ (model.view(name));
  return {
    parts,
    begin() {
      for (const { name, before } of tensors) before.set(view(name));
    },
    /** @returns {number[]} of each part the gradient's norm, then of each part the ratio, NaN where all were 0 */
    end() {
      const sums = parts.map(() => [0, 0, 0]);
      for (const { name, part, before } of tensors) {
        const now = view(name);
        const gradient = view(`grad.${name}`);
        let [slope, change, size] = sums[part];
        for (let i = 0; i < before.length; i++) {
          const was = before[i];
          const moved = now[i] - was;
          slope += gradient[i] * gradient[i];
          change += moved * moved;
          size += was * was;
        }
        sums[part] = [slope, change, size];
      }
      const norms = sums.map(([slope]) => Math.sqrt(slope));
      const ratios = sums.map(([, change, size]) => (size ? Math.sqrt(change / size) : NaN));
      return [...norms, ...ratios].map((value) => Number(value.toPrecision(DIGITS)));
    },
  };
}

/**
 * @param {Model} model
 * @param {ReadonlyMap<string, {data: Float32Array}>} first its weights at step 0
 * @returns {Histogram[]}
 */
export function histogramsOf(model, first) {
  /** @type {Map<string, {part: string, kind: string, first: Float32Array[], now: Float32Array[]}>} */
  const groups = new Map();
  for (const facts of weightsOf(model)) {
    const [part, kind] = [partOf(facts), kindOf(facts)];
    const key = `${part} ${kind}`;
    const group = groups.get(key) ?? { part, kind, first: [], now: [] };
    groups.set(key, group);
    group.now.push(/** @type {Float32Array} */ (model.view(facts.name)));
    const was = first.get(facts.name);
    if (was) group.first.push(was.data);
  }
  return [...groups.values()].map(({ part, kind, first, now }) => {
    const middle = kind === 'LayerNorm gains' ? 1 : 0;
    const limit = roundUp(Math.max(furthest(first, middle), furthest(now, middle)));
    const axis = { low: middle - limit, high: middle + limit };
    return {
      part,
      kind,
      count: now.reduce((sum, { length }) => sum + length, 0),
      ...axis,
      first: shares(first, axis),
      now: shares(now, axis),
      firstDeviation: deviation(first),
      deviation: deviation(now),
    };
  });
}

/** @param {Float32Array[]} blocks @param {number} middle */
function furthest(blocks, middle) {
  let most = 0;
  for (const block of blocks) for (const value of block) most = Math.max(most, Math.abs(value - middle));
  return most;
}

/** A round number, so that the axis stays while values move. @param {number} value */
function roundUp(value) {
  if (value === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((factor) => value <= factor * power * (1 + 1e-9)) ?? 10);
}

/** @param {Float32Array[]} blocks @param {{low: number, high: number}} axis */
function shares(blocks, { low, high }) {
  const counts = Array.from({ length: BINS }, () => 0);
  const scale = BINS / (high - low);
  let all = 0;
  for (const block of blocks) {
    all += block.length;
    for (const value of block) counts[Math.min(BINS - 1, Math.floor((value - low) * scale))]++;
  }
  return counts.map((count) => count / all);
}

/** @param {Float32Array[]} blocks */
function deviation(blocks) {
  let [count, sum, squares] = [0, 0, 0];
  for (const block of blocks) {
    count += block.length;
    for (const value of block) {
      sum += value;
      squares += value * value;
    }
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}
