import { GlassformerError } from './errors.js';
import { isText } from './json.js';
import { callback, expectShape, finite, flag, floats, optional, readOptions, refuseType } from './tensor.js';

/** @typedef {import('./tensor.js').Tensor} FloatTensor */

/**
 * Entries of a Map or a plain object.
 * @param {unknown} source
 * @param {string} name
 * @returns {[string, unknown][]}
 */
export function entriesOf(source, name) {
  // By tag, which tells a file's bytes or its Response from an object, and knows Maps of other realms.
  const tag = Object.prototype.toString.call(source).slice(8, -1);
  const given = /** @type {any} */ (source);
  if (!/^(Map|Object)$/.test(tag) || given.tensors instanceof Map) {
    refuseType(
      name,
      source,
      'a Map or an object of tensors by name, like readSafetensors(file).tensors; gf.loadModel takes a file',
    );
  }
  /** @type {[string, unknown][]} */
  const entries = tag === 'Map' ? [...given] : Object.entries(given);
  for (const [key] of entries) if (!isText(key)) refuseType(name, key, 'keyed by strings of Unicode');
  return entries;
}

/**
 * See Model.loadWeights. Everything is checked before the first weight is written.
 * @param {import('./handle.js').Handle} handle
 * @param {unknown} source
 * @param {unknown} options
 * @param {string} [prefix] of this model's names, which the given ones lack
 */
export function loadWeights(handle, source, options = {}, prefix = '') {
  const { rename, strict } = readOptions(options, {
    rename: optional(callback, (/** @type {string} */ name) => name),
    strict: optional(flag, true),
  });
  const targets = new Map(
    handle
      .list()
      .filter(({ region }) => region === 'weight')
      .map((info) => [info.name.slice(prefix.length), info]),
  );
  /** @type {Map<string, FloatTensor>} */
  const loaded = new Map();
  for (const [name, value] of entriesOf(source, 'weights')) {
    const target = rename(name);
    if (target === null) continue;
    if (typeof target !== 'string') refuseType('rename', target ?? null, 'a name or null, when called');
    const info = targets.get(target);
    if (info) {
      if (loaded.has(target)) throw new GlassformerError('state', name, target, 'this weight is given twice');
      loaded.set(target, readWeight(value, name, info.shape));
    } else if (strict) {
      throw new GlassformerError('unknown', name, target, 'the model has no such weight');
    }
  }
  for (const name of targets.keys()) {
    if (strict && !loaded.has(name)) {
      throw new GlassformerError('missing', name, undefined, 'this weight of the model is not given');
    }
  }
  for (const [name, { data }] of loaded) handle.write(prefix + name, data);
}

/**
 * @param {unknown} value
 * @param {string} name
 * @param {number[]} shape
 * @returns {FloatTensor}
 */
function readWeight(value, name, shape) {
  const tensor = floats(value, name);
  expectShape(tensor, shape, name);
  finite(tensor, name);
  return tensor;
}
