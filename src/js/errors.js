/**
 * Why a call was refused.
 *
 * - `type` wrong type · `missing` required argument absent · `unknown` no such argument, setting or
 *   tensor · `shape` · `dtype` · `range` number out of range, not an integer or NaN · `token` id
 *   outside its table · `config` setting of a model invalid
 * - `number` a loss or gradient is not finite
 * - `limit` costs more than `maxOperations`, or a text grows beyond bounds · `memory` not enough · `state` not now
 * - `freed` the model, trainer or engine is gone; a worker has ended
 * - `foreign` not an object of this engine
 * - `notFound` no such file, folder or model · `network` it cannot be reached, or its server refuses or fails ·
 *   `format` a damaged file, or one of another kind · `unsupported` by this WebAssembly engine
 *
 * @typedef {'type'|'missing'|'unknown'|'shape'|'dtype'|'range'|'token'|'config'|'limit'|'memory'
 *   |'state'|'number'|'freed'|'foreign'|'notFound'|'network'|'format'|'unsupported'} ErrorCode
 */

/** Letters of a name in a message. */
const LONGEST = 200;

/**
 * The only error that this package throws on purpose. A call that throws it has changed nothing.
 * @example
 * import { GlassformerError, load } from 'glassformer';
 * const gf = await load();
 * try {
 *   gf.gelu([1], { approximate: 'tan' });
 * } catch (error) {
 *   error instanceof GlassformerError; // → true
 *   error.code; // → 'range'
 *   error.parameter; // → 'approximate'
 * }
 */
export class GlassformerError extends Error {
  /**
   * @param {ErrorCode} code stable, for programs
   * @param {string} parameter which argument, setting or tensor
   * @param {unknown} value what was given for it
   * @param {string} expected for people: what it should have been, or what went wrong; one that begins with
   *   the place in the argument, like "ids[1] is 99", stands without its name
   * @param {unknown} [cause] the error that led to this one
   */
  constructor(code, parameter, value, expected, cause) {
    const isPath = expected.startsWith(`${parameter}[`);
    const silent = value === undefined || expected.endsWith('?') || (isPath && expected.includes(' is '));
    const got = silent ? '' : `, got ${show(value)}`;
    const message = (isPath ? '' : `${beginning(parameter, LONGEST)}: `) + beginning(expected, 4 * LONGEST) + got;
    super(message, cause === undefined ? undefined : { cause });
    /** @type {'GlassformerError'} */
    this.name = 'GlassformerError';
    /** @type {ErrorCode} */
    this.code = code;
    /** @type {string} */
    this.parameter = parameter;
    /** @type {unknown} */
    this.value = value;
  }
}

/**
 * The beginning of a text for a message: so many UTF-16 code units, or fewer where those would end inside a letter.
 * @param {string} text
 * @param {number} most
 */
export function beginning(text, most) {
  if (text.length <= most) return text;
  // Small engines lack it.
  const letters = Intl.Segmenter && new Intl.Segmenter().segment(text.slice(0, most + LONGEST));
  return text.slice(0, letters?.containing(most)?.index || most);
}

/**
 * A value for a message: short, and running no code of the value's own but for its tag.
 * @param {unknown} value
 * @returns {string}
 */
function show(value) {
  if (typeof value === 'string') return JSON.stringify(beginning(value, 60));
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return beginning(String(value), 60);
  if (Array.isArray(value)) {
    const numbers = value.length <= 8 && value.every((item) => typeof item === 'number');
    return numbers ? `[${value.join(', ')}]` : `an array of ${value.length}`;
  }
  if (ArrayBuffer.isView(value)) return `a typed array of ${value.byteLength} bytes`;
  const tag = beginning(Object.prototype.toString.call(value), 60);
  if (tag === '[object Promise]') return 'a promise: await it';
  if (tag !== '[object Object]') return tag;
  return `{ ${beginning(Object.keys(value).join(', '), 60)} }`.replace('  ', '');
}

/**
 * The error of a method called without its object.
 * @param {unknown} self
 * @param {string} what should have been there
 * @returns {GlassformerError}
 */
export function foreign(self, what) {
  return new GlassformerError('foreign', 'this', self, `is not ${what}: call x.method(), not method()`);
}

/**
 * The functions that save, read and export model files, which `glassformer/core` leaves to its user's bundler.
 * @template F
 * @param {{files?: F}} owner
 * @returns {F}
 */
export function filesOf({ files }) {
  if (files) return files;
  const message =
    'has functions: loadModel, embed, saveModel, saveTrainer, resumeTrainer; glassformer/onnx has exportOnnx, ' +
    'glassformer/checkpoints classify, answer and saveCheckpoint, glassformer beams and shards';
  throw new GlassformerError('unsupported', 'glassformer/core', undefined, message);
}

/** The meanings of the C core's negative answers (src/wasm/api.h), by their position. */
const ANSWERS = /** @type {const} */ ([
  ['memory', 'not enough'],
  ['freed', 'not a live model'],
  ['range', 'a size, index or flag is out of range'],
  ['token', 'an id is outside its table'],
  ['state', 'called too early'],
  ['number', 'is not finite'],
]);

/**
 * Passes on a good answer of the C core, throws a bad one.
 * @param {number} answer what the export returned
 * @param {string} name the call, or the argument that decides its fate
 * @param {unknown} [value]
 * @param {{full: () => string}} [memory] of a call that takes some
 * @returns {number}
 */
export function checked(answer, name, value, memory) {
  if (answer >= 0) return answer;
  const [code, expected] = ANSWERS[-answer - 1] ?? ['state', `unexpected answer ${answer}`];
  throw new GlassformerError(code, name, value, memory && answer === -1 ? memory.full() : expected);
}
