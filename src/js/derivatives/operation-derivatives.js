import { tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { isNamed, nearest } from '../arrays/names.js';
import { expectShape, finite, floats, refuseType, snapshot } from '../arrays/tensor.js';

// Products with the Jacobian of operations on arrays, put together of these operations and of their backward functions.

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {Record<string, any>} Given what the operation takes */

/**
 * An operation: the arguments that have derivatives, and its two products. `back` is given the cotangent of its output
 * (of crossEntropy a number), `forth` the tangents that there are, undefined where there is none.
 * @typedef {object} Products
 * @property {readonly string[]} names
 * @property {(gf: Engine, given: any, cotangent: any) => Record<string, FloatTensor>} back
 * @property {(gf: Engine, given: any, tangents: Record<string, FloatTensor | undefined>) => FloatTensor[]} forth what
 *   adds up to the output's tangent
 */

/** @param {FloatTensor} tensor @param {(value: number, i: number) => number} f @returns {FloatTensor} */
const map = ({ data, shape }, f) => ({ data: data.map(f), shape: [...shape] });

/** @param {FloatTensor} a @param {FloatTensor} b @returns {FloatTensor} */
const plus = (a, b) => map(a, (value, i) => value + b.data[i]);

/** Of each row of x's last axis, by its first number's index. @param {FloatTensor} x @param {ArrayLike<number>} sums */
const byRow =
  ({ shape }, sums) =>
  (/** @type {number} */ i) =>
    sums[Math.floor(i / shape[shape.length - 1])];

/**
 * (..., L, H*D) as (..., H, L, D), or back.
 * @param {FloatTensor} tensor
 * @param {number} H
 * @param {boolean} [back]
 * @returns {FloatTensor}
 */
function apart({ data, shape }, H, back = false) {
  const [L, width] = shape.slice(-2);
  const D = back ? width : width / H;
  const outer = shape.slice(0, back ? -3 : -2);
  const to = new Float32Array(data.length);
  for (let i = 0; i < data.length / D; i++) {
    const [h, l, b] = [Math.floor(i / L) % H, i % L, Math.floor(i / L / H)];
    const joined = ((b * L + l) * H + h) * D;
    for (let d = 0; d < D; d++) to[(back ? joined : i * D) + d] = data[(back ? i * D : joined) + d];
  }
  return { data: to, shape: back ? [...outer, L, H * D] : [...outer, H, L, D] };
}

/** What attention takes but masks. @param {any} given */
const unmasked = ({ query, key, value, heads, scale, maxOperations }) => ({
  query,
  key,
  value,
  heads,
  scale,
  maxOperations,
});

/** @type {Record<string, Products>} */
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
    forth: (gf, given, { a, b }) => [
      ...(a ? [gf.matmul({ ...given, a })] : []),
      ...(b ? [gf.matmul({ ...given, b })] : []),
    ],
  },
  softmax: {
    names: ['x'],
    back: (gf, given, gradient) => ({ x: gf.softmaxBackward({ output: gf.softmax(given), gradient }) }),
    forth: (gf, given, { x }) => (x ? [gf.softmaxBackward({ output: gf.softmax(given), gradient: x })] : []),
  },
  logSoftmax: {
    names: ['x'],
    back(gf, given, y) {
      const p = gf.softmax(given);
      const total = byRow(y, gf.dot({ a: y, b: map(y, () => 1) }).data);
      return { x: map(y, (value, i) => value - p.data[i] * total(i)) };
    },
    forth(gf, given, { x }) {
      if (!x) return [];
      const mean = byRow(x, gf.dot({ a: x, b: gf.softmax(given) }).data);
      return [map(x, (value, i) => value - mean(i))];
    },
  },
  layerNorm: {
    names: ['x', 'weight', 'bias'],
    back: (gf, { x, weight, epsilon }, gradient) => ({ ...gf.layerNormBackward({ x, weight, epsilon, gradient }) }),
    forth(gf, { x, weight, epsilon }, tangents) {
      const gain = weight && floats(weight, 'weight').data;
      const N = /** @type {number} */ (floats(x, 'x').shape.at(-1));
      const parts = [];
      if (tangents.x) {
        const moved = gf.layerNormBackward({ x, epsilon, gradient: tangents.x }).x;
        parts.push(map(moved, (value, i) => value * (gain ? gain[i % N] : 1)));
      }
      const { output } = gf.layerNorm({ x, epsilon });
      const { weight: dgain, bias } = tangents;
      if (dgain) parts.push(map(output, (value, i) => value * dgain.data[i % N]));
      if (bias) parts.push(map(output, (_, i) => bias.data[i % N]));
      return parts;
    },
  },
  activation: {
    names: ['x'],
    back: (gf, given, gradient) => ({ x: gf.activationBackward({ ...given, gradient }) }),
    forth: (gf, given, { x }) => (x ? [gf.activationBackward({ ...given, gradient: x })] : []),
  },
  attention: {
    names: ['query', 'key', 'value'],
    back(gf, given, gradient) {
      const { weights } = gf.attention(given);
      return { ...gf.attentionBackward({ ...unmasked(given), weights, gradient }) };
    },
    forth(gf, given, { query, key, value }) {
      const parts = value ? [gf.attention({ ...given, value }).output] : [];
      if (!query && !key) return parts;
      const { maxOperations } = given;
      const plain = unmasked(given);
      const moved = [
        ...(query ? [gf.attention({ ...plain, query }).scores] : []),
        ...(key ? [gf.attention({ ...plain, key }).scores] : []),
      ].reduce(plus);
      const weights = gf.softmaxBackward({ output: gf.attention(given).weights, gradient: moved });
      const values = floats(given.value, 'value');
      if (values.shape.length === 4) return [...parts, gf.matmul({ a: weights, b: values, maxOperations })];
      const heads = given.heads ?? 1;
      return [...parts, apart(gf.matmul({ a: weights, b: apart(values, heads), maxOperations }), heads, true)];
    },
  },
  crossEntropy: {
    names: ['logits'],
    back: (gf, given, by) => ({ logits: map(slopes(gf, given), (value) => value * by.data[0]) }),
    forth(gf, given, { logits }) {
      if (!logits) return [];
      const slope = slopes(gf, given).data;
      return [{ data: Float32Array.of(logits.data.reduce((sum, value, i) => sum + value * slope[i], 0)), shape: [] }];
    },
  },
};

/** @param {Engine} gf @param {any} given */
function slopes(gf, { logits, ...how }) {
  const { logProbabilities } = gf.crossEntropy({ logits, ...how });
  return gf.crossEntropyBackward({ logProbabilities, ...how });
}

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
 * The Jacobian-vector product of an operation: how its output changes when arguments are moved along tangents. Exact
 * but for rounding, at the cost of one to four times the operation.
 * @param {Engine} gf
 * @param {'matmul' | 'softmax' | 'logSoftmax' | 'layerNorm' | 'activation' | 'attention' | 'crossEntropy'} operation
 * @param {object} options what the operation takes; `maxOperations` as in `operationVjp`
 * @param {Readonly<Record<string, Floats>>} tangents by argument, each of its shape; those that are not there stay
 * @returns {FloatTensor} of the output's shape
 * @throws {GlassformerError} as `operationVjp`
 * @example
 * import { load } from 'glassformer';
 * import { operationJvp } from 'glassformer/derivatives';
 * const gf = await load();
 * operationJvp(gf, 'matmul', { a: [[1, 2]], b: [[3], [4]] }, { a: [[1, 0]] }).data; // → [3]
 */
export function operationJvp(gf, operation, options, tangents) {
  const { names, forth } = find(operation);
  const own = ownOf(options, names);
  const shape = shapeOf(gf, operation, own);
  const entries = isNamed(tangents) ? Object.entries(tangents) : [];
  if (entries.length === 0) refuseType('tangents', tangents, 'tensors by argument');
  /** @type {Record<string, FloatTensor>} */
  const moved = {};
  for (const [name, tangent] of entries) {
    const argument = own[name];
    if (!names.includes(name) || argument === undefined) {
      const why = `${operation} was given no such tensor; it takes ${names.join(', ')}`;
      throw new GlassformerError('unknown', `tangents.${name}`, tangent, why);
    }
    moved[name] = read(tangent, `tangents.${name}`, argument.shape);
  }
  const zeros = { data: new Float32Array(shape.reduce((a, b) => a * b, 1)), shape };
  return forth(gf, own, moved).reduce(plus, zeros);
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

/** @param {string} operation @returns {Products} */
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
