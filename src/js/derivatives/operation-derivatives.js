import { tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { nearest } from '../arrays/names.js';
import { expectShape, finite, floats, refuseType, snapshot } from '../arrays/tensor.js';

// Gradients of operations on arrays, made of these operations and their backward functions.

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * An operation: the arguments that have gradients, and the gradients for a cotangent of its output, of crossEntropy a
 * scalar.
 * @typedef {object} Operation
 * @property {readonly string[]} names
 * @property {(gf: Engine, given: any, cotangent: any) => Record<string, FloatTensor>} back
 */

/** @param {FloatTensor} tensor @param {(value: number, i: number) => number} f @returns {FloatTensor} */
const map = ({ data, shape }, f) => ({ data: data.map(f), shape: [...shape] });

/** What attention takes but masks. @param {any} given */
const unmasked = ({ query, key, value, heads, scale, maxOperations }) => ({
  query,
  key,
  value,
  heads,
  scale,
  maxOperations,
});

/** @type {Record<string, Operation>} */
const OPERATIONS = {
  matmul: {
    names: ['a', 'b'],
    back: (gf, { a, b, transposeA = false, transposeB = false, maxOperations }, y) => ({
      a: transposeA
        ? gf.matmul({ a: b, b: y, transposeA: transposeB, transposeB: true, maxOperations })
        : gf.matmul({ a: y, b, transposeB: !transposeB, maxOperations }),
      b: transposeB
        ? gf.matmul({ a: y, b: a, transposeA: true, transposeB: transposeA, maxOperations })
        : gf.matmul({ a, b: y, transposeA: !transposeA, maxOperations }),
    }),
  },
  softmax: {
    names: ['x'],
    back: (gf, given, gradient) => ({ x: gf.softmaxBackward({ output: gf.softmax(given), gradient }) }),
  },
  logSoftmax: {
    names: ['x'],
    back(gf, given, y) {
      const p = gf.softmax(given);
      const total = gf.dot({ a: y, b: map(y, () => 1) }).data;
      const N = y.shape.at(-1);
      return { x: map(y, (value, i) => value - p.data[i] * total[Math.floor(i / N)]) };
    },
  },
  layerNorm: {
    names: ['x', 'weight', 'bias'],
    back: (gf, { x, weight, epsilon }, gradient) => ({ ...gf.layerNormBackward({ x, weight, epsilon, gradient }) }),
  },
  activation: { names: ['x'], back: (gf, given, gradient) => ({ x: gf.activationBackward({ ...given, gradient }) }) },
  attention: {
    names: ['query', 'key', 'value'],
    back(gf, given, gradient) {
      const { weights } = gf.attention(given);
      return { ...gf.attentionBackward({ ...unmasked(given), weights, gradient }) };
    },
  },
  crossEntropy: {
    names: ['logits'],
    back(gf, { logits, ...how }, by) {
      const { logProbabilities } = gf.crossEntropy({ logits, ...how });
      const slopes = gf.crossEntropyBackward({ logProbabilities, ...how });
      return { logits: map(slopes, (value) => value * by.data[0]) };
    },
  },
};

/**
 * The vector-Jacobian product of an operation: the gradients of sum(cotangent * output) with respect to its arguments.
 * @param {Engine} gf
 * @param {'matmul' | 'softmax' | 'logSoftmax' | 'layerNorm' | 'activation' | 'attention' | 'crossEntropy'} operation
 * @param {object} options what the operation takes; `maxOperations` is the limit of each of its operations
 * @param {Floats | number} cotangent of its output's shape, of crossEntropy a number
 * @returns {Record<string, FloatTensor>} by argument: a, b; x; x, weight, bias; query, key, value; logits
 * @throws {GlassformerError} the codes of the operation; unknown for another operation; foreign; type, shape, range for
 *   a bad cotangent
 * @example
 * import { load } from 'glassformer';
 * import { operationVjp } from 'glassformer/derivatives';
 * const gf = await load();
 * operationVjp(gf, 'softmax', { x: [0, 0] }, [1, 0]).x.data; // → [0.25, -0.25]
 */
export function operationVjp(gf, operation, options, cotangent) {
  const { names, back } = find(operation);
  const own = ownOf(options, names);
  const shape = shapeOf(gf, operation, own);
  const given = typeof cotangent === 'number' ? { data: Float32Array.of(cotangent), shape: [] } : cotangent;
  return back(gf, own, read(given, 'cotangent', shape));
}

/**
 * What an operation is given, each argument read once.
 * @param {unknown} options
 * @param {readonly string[]} names of tensors
 * @returns {any}
 */
function ownOf(options, names) {
  const own = /** @type {any} */ (snapshot(options));
  if (own === options) return own; // which the operation refuses
  for (const name of names) if (own[name] !== undefined) own[name] = floats(own[name], name);
  return own;
}

/** @param {string} operation @returns {Operation} */
function find(operation) {
  const known = Object.keys(OPERATIONS);
  if (known.includes(operation)) return OPERATIONS[operation];
  const near = typeof operation === 'string' && nearest(operation, known);
  const hint = near ? `did you mean ${near}?` : `known are ${known.join(', ')}`;
  throw new GlassformerError('unknown', 'operation', operation, `has no derivatives here, ${hint}`);
}

/** Of the output. @param {Engine} gf @param {string} operation @param {object} options @returns {number[]} */
function shapeOf(gf, operation, options) {
  // Not by instanceof: see handleFor.
  const compute = tagOf(gf) === 'GlassformerEngine' && /** @type {any} */ (gf)[operation];
  if (typeof compute !== 'function') {
    throw new GlassformerError('foreign', 'gf', gf, 'must be an engine of this thread: await load()');
  }
  const result = compute.call(gf, options);
  return operation === 'crossEntropy' ? [] : [...(result.output ?? result).shape];
}

/** @param {unknown} value @param {string} name @param {number[]} shape @returns {FloatTensor} */
function read(value, name, shape) {
  if (tagOf(value) === '') refuseType(name, value, 'a tensor'); // a proxy that was revoked
  const { data, shape: own } = Object(value);
  const scalar = shape.length === 0 && own?.length === 0;
  const given = scalar ? { data: floats({ data, shape: [1] }, name).data, shape } : floats(value, name);
  expectShape(given, shape, name);
  finite(given, name);
  return given;
}
