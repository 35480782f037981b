import { GlassformerError } from '../errors.js';
import { expectWithin, isPacked } from './packed.js';
import { entriesOf } from '../arrays/entries.js';
import {
  callback,
  expectIntact,
  expectShape,
  finite,
  flag,
  floats,
  optional,
  readOptions,
  refuseType,
} from '../arrays/tensor.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

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
  /** @type {Map<string, {name: string, tensor: FloatTensor}>} */
  const loaded = new Map();
  for (const [name, value] of entriesOf(source, 'weights')) {
    const target = rename(name);
    if (target === null) continue;
    if (typeof target !== 'string') refuseType('rename', target ?? null, 'a name or null, when called');
    const info = targets.get(target);
    if (info) {
      if (loaded.has(target)) throw new GlassformerError('state', name, target, 'this weight is given twice');
      loaded.set(target, { name, tensor: readWeight(value, name, info) });
    } else if (strict) {
      throw new GlassformerError('unknown', name, target, 'the model has no such weight');
    }
  }
  for (const name of targets.keys()) {
    if (strict && !loaded.has(name)) {
      throw new GlassformerError('missing', name, undefined, 'this weight of the model is not given');
    }
  }
  for (const { name, tensor } of loaded.values()) expectIntact(tensor, name);
  for (const [name, { tensor }] of loaded) handle.write(prefix + name, tensor.data);
}

/**
 * @param {unknown} value
 * @param {string} name
 * @param {import('./handle.js').Info} info
 * @returns {FloatTensor}
 */
function readWeight(value, name, info) {
  const tensor = floats(value, name);
  expectShape(tensor, info.shape, name);
  finite(tensor, name);
  if (isPacked(info)) expectWithin(info, tensor.data);
  return tensor;
}
