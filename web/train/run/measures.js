// Measures the weights at a step: gradients and updates of each layer.

/** @typedef {import('./run.js').Engine} Engine */
/** @typedef {ReturnType<Engine['createModel']>} Model */
/** @typedef {ReturnType<Model['tensors']>[number]} Facts */

const ALL = 25; // steps
const EVERY = 5;
const DIGITS = 6; // a file of the run holds them

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
