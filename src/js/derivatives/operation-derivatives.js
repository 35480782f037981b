import { isArray, tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { isNamed, nearest } from '../arrays/names.js';
import { any, expectShape, finite, floats, ints, refuseType } from '../arrays/tensor.js';

// Gradients of operations on arrays, made of these operations and their backward functions.

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * An operation: its tensors, in their order, and the gradients for a cotangent of its output, of crossEntropy a scalar.
 * @typedef {object} Operation
 * @property {Record<string, import('../arrays/tensor.js').Reader<any>>} takes
 * @property {(gf: Engine, given: any[], cotangent: any) => Record<string, FloatTensor>} back
 */

/** @param {FloatTensor} tensor @param {(value: number, i: number) => number} f @returns {FloatTensor} */
const map = ({ data, shape }, f) => ({ data: data.map(f), shape: [...shape] });

/** Options of attention without its masks. @param {any} given */
const unmasked = ({ heads, scale, maxOperations }) => ({ heads, scale, maxOperations });

/** @type {Record<string, Operation>} */
const OPERATIONS = {
  matmul: {
    takes: { a: floats, b: floats },
    back(gf, [a, b, { transposeA = false, transposeB = false, maxOperations } = {}], y) {
      const product = (/** @type {FloatTensor} */ one, /** @type {FloatTensor} */ other, of = false, by = false) =>
        gf.matmul(one, other, { transposeA: of, transposeB: by, maxOperations });
      if (b.shape.length === a.shape.length) {
        return {
          a: transposeA ? product(b, y, transposeB, true) : product(y, b, false, !transposeB),
          b: transposeB ? product(y, a, true, transposeA) : product(a, y, !transposeA),
        };
      }
      // One b for all: its gradient is that of one product of all rows.
      const flat = (/** @type {any} */ { data, shape }) => ({
        data,
        shape: [data.length / shape.at(-1), shape.at(-1)],
      });
      const turned = (/** @type {FloatTensor} */ x) => (transposeA ? gf.transpose(x) : x);
      const [rows, slopes] = [flat(turned(a)), flat(y)];
      return {
        a: turned(product(y, b, false, !transposeB)),
        b: transposeB ? product(slopes, rows, true) : product(rows, slopes, true),
      };
    },
  },
  softmax: { takes: { x: floats }, back: (gf, [x], gradient) => ({ x: gf.softmaxBackward(gf.softmax(x), gradient) }) },
  logSoftmax: {
    takes: { x: floats },
    back(gf, [x], y) {
      const p = gf.softmax(x);
      const total = gf.dot(
        y,
        map(y, () => 1),
      ).data;
      const N = y.shape.at(-1);
      return { x: map(y, (value, i) => value - p.data[i] * total[Math.floor(i / N)]) };
    },
  },
  layerNorm: {
    takes: { x: floats },
    back: (gf, [x, { weight, epsilon } = {}], gradient) => ({
      ...gf.layerNormBackward(x, gradient, { weight, epsilon }),
    }),
  },
  activation: {
    takes: { x: floats, activation: any },
    back: (gf, [x, activation, how], gradient) => ({ x: gf.activationBackward(x, gradient, activation, how) }),
  },
  attention: {
    takes: { query: floats, key: floats, value: floats },
    back(gf, [query, key, value, how = {}], gradient) {
      const { weights } = gf.attention(query, key, value, how);
      return { ...gf.attentionBackward(query, key, value, gradient, { ...unmasked(how), weights }) };
    },
  },
  crossEntropy: {
    takes: { logits: floats, labels: ints },
    back(gf, [logits, labels, how], by) {
      const { logProbabilities } = gf.crossEntropy(logits, labels, how);
      const slopes = gf.crossEntropyBackward(logProbabilities, labels, how);
      return { logits: map(slopes, (value) => value * by.data[0]) };
    },
  },
};

/**
 * The vector-Jacobian product of an operation: the gradients of sum(cotangent * output) with respect to its arguments.
 * @param {Engine} gf
 * @param {'matmul' | 'softmax' | 'logSoftmax' | 'layerNorm' | 'activation' | 'attention' | 'crossEntropy'} operation
 * @param {readonly unknown[]} args of the operation; `maxOperations` among its options is the limit of each of its
 *   operations
 * @param {Floats | number} cotangent of its output's shape, of crossEntropy a number
 * @returns {Record<string, FloatTensor>} by argument: a, b; x; x, weight, bias; query, key, value; logits
 * @throws {GlassformerError} the codes of the operation; unknown for another operation; foreign; type, shape, range for
 *   a bad cotangent
 * @example
 * import { load } from 'glassformer';
 * import { operationVjp } from 'glassformer/derivatives';
 * const gf = await load();
 * operationVjp(gf, 'softmax', [[0, 0]], [1, 0]).x.data; // → [0.25, -0.25]
 */
export function operationVjp(gf, operation, args, cotangent) {
  const { takes, back } = find(operation);
  if (!isArray(args)) refuseType('args', args, `the arguments of ${operation}: [${Object.keys(takes).join(', ')}]`);
  const own = ownOf(args, takes);
  const shape = shapeOf(gf, operation, own);
  const given = typeof cotangent === 'number' ? { data: Float32Array.of(cotangent), shape: [] } : cotangent;
  return back(gf, own, read(given, 'cotangent', shape));
}

/**
 * Converts the arguments of an operation with the operation's own readers.
 * @param {readonly unknown[]} args
 * @param {Operation['takes']} takes
 * @returns {any[]}
 */
function ownOf(args, takes) {
  const names = Object.keys(takes);
  return Array.from(args, (each, i) => {
    if (isNamed(each)) {
      const { weight, ...own } = each;
      return weight === undefined ? own : { ...own, weight: floats(weight, 'weight') };
    }
    return i < names.length && each !== undefined ? takes[names[i]](each, names[i]) : each;
  });
}

/** @param {string} operation @returns {Operation} */
function find(operation) {
  const known = Object.keys(OPERATIONS);
  if (known.includes(operation)) return OPERATIONS[operation];
  const near = typeof operation === 'string' && nearest(operation, known);
  const hint = near ? `did you mean ${near}?` : `known are ${known.join(', ')}`;
  throw new GlassformerError('unknown', 'operation', operation, `has no derivatives here, ${hint}`);
}

/** Of the output. @param {Engine} gf @param {string} operation @param {any[]} args @returns {number[]} */
function shapeOf(gf, operation, args) {
  // Not by instanceof: see handleFor.
  const compute = tagOf(gf) === 'GlassformerEngine' && /** @type {any} */ (gf)[operation];
  if (typeof compute !== 'function') {
    throw new GlassformerError('foreign', 'gf', gf, 'must be an engine of this thread: await load()');
  }
  const result = compute.apply(gf, args);
  return operation === 'crossEntropy' ? [] : [...(result.output ?? result).shape];
}

/** @param {unknown} value @param {string} name @param {number[]} shape @returns {FloatTensor} */
function read(value, name, shape) {
  const { data, shape: own } = Object(value);
  const scalar = shape.length === 0 && own?.length === 0;
  const given = scalar ? { data: floats({ data, shape: [1] }, name).data, shape } : floats(value, name);
  expectShape(given, shape, name);
  finite(given, name);
  return given;
}
