import { GlassformerError, checked } from '../errors.js';
import { CAPTURE, TRAIN } from '../engine/flags.js';
import { nearest } from '../arrays/names.js';
import { withChanges } from '../engine/patches.js';
import { expectIntact, expectShape, finite, floats, listOf, refuseType } from '../arrays/tensor.js';
import { partOf, readSelector, selected } from '../engine/selector.js';
import { entriesOf } from '../arrays/entries.js';

// From cotangents back through a model; model-derivatives.js documents it.

/** @typedef {import('../engine/handle.js').Handle} Handle */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/** @typedef {import('../engine/selector.js').Selected} Selected */
/** @typedef {{key: Selected | string, selector: Selected}} Wanted */

/** Where struct step_report (src/train/trainer.h) has the name of the first tensor that is not finite. */
const WHERE_AT = 24;

/**
 * Each selector with what it was given as.
 * @type {import('../arrays/tensor.js').Reader<Wanted[]>}
 */
export const wantedOf = (value, name) => {
  const wanted = "an array of selectors of tensors, such as ['decoder.embedding']";
  const one = (/** @type {any} */ key, /** @type {string} */ path) => ({ key, selector: readSelector(key, path) });
  const list = listOf(one, wanted)(value, name);
  return list.length > 0 ? list : refuseType(name, value, wanted);
};

/** @type {import('../arrays/tensor.js').Reader<Map<string, FloatTensor>>} */
export const namedFloats = (value, name) => {
  const entries = entriesOf(value, name, 'tensors by name');
  if (entries.length === 0) refuseType(name, value, 'tensors by name');
  return new Map(
    entries.map(([key, each]) => {
      const given = floats(each, `${name}.${key}`);
      finite(given, `${name}.${key}`);
      return [key, given];
    }),
  );
};

/**
 * Lays the memory out for a backward pass, once all names and shapes are those of the model.
 * @param {Handle} handle
 * @param {import('../engine/inputs.js').Batch} batch
 * @param {{of: Wanted[], cotangents?: Map<string, FloatTensor>}} given
 * @param {number} passes what it costs, in forward passes
 */
export function prepare(handle, batch, { of, cotangents = new Map() }, passes) {
  handle.pass.afford(batch, passes);
  // Before the layout changes; names of weights and gradients may be among them, and come later.
  const names = of.map(({ selector }, i) => selector.name ?? selected(handle, selector, `of[${i}]`).name);
  batch.flags |= TRAIN | CAPTURE;
  handle.pass.layOut(batch);
  const infos = new Map(handle.list().map((info) => [info.name, info]));
  const known = [...infos.keys()].filter((name) => infos.has(`grad.${name}`));
  const expectOne = (/** @type {string[]} */ choices, /** @type {string} */ name, /** @type {string} */ parameter) => {
    if (choices.includes(name)) return;
    const why = infos.has(name) ? 'nothing that has a gradient is computed from it' : 'unknown';
    const near = nearest(name, choices);
    const hint = near ? `did you mean ${near}?` : 'model.tensors() lists what there is';
    throw new GlassformerError('unknown', parameter, name, `${why}, ${hint}`);
  };
  names.forEach((name, i) => expectOne(known, name, `of[${i}]`));
  const computed = known.filter((name) => infos.get(name)?.region !== 'weight');
  for (const [name, cotangent] of cotangents) {
    expectOne(computed, name, `cotangents.${name}`);
    expectShape(cotangent, /** @type {any} */ (infos.get(name)).shape, `cotangents.${name}`);
    expectIntact(cotangent, `cotangents.${name}`);
  }
  return names;
}

/**
 * A pass forward, and backward from cotangents.
 * @param {Handle} handle
 * @param {import('../engine/inputs.js').Batch} batch
 * @param {any} given
 * @param {string[]} names of the tensors whose gradients are wanted
 * @param {() => [address: number, gradient: Float32Array][]} cotangentsOf the layout
 * @returns {import('./model-derivatives.js').Gradients}
 */
export function pullBack(handle, batch, given, names, cotangentsOf) {
  const { functions, struct, id, memory } = handle;
  withChanges(
    handle,
    batch,
    given,
    (changes) => checked(functions.gf_model_vjp(struct, id, changes), 'vjp', undefined, memory),
    cotangentsOf,
  );
  const overflow = memory.text(struct + WHERE_AT) || null;
  const gradients = given.of.map((/** @type {Wanted} */ { key, selector }, /** @type {number} */ i) => {
    return [key, handle.read(partOf(handle.get(`grad.${names[i]}`), selector))];
  });
  return { gradients: new Map(gradients), overflow };
}

/**
 * Cotangents of whole tensors.
 * @param {Handle} handle
 * @param {Map<string, FloatTensor>} cotangents
 * @returns {[address: number, gradient: Float32Array][]}
 */
export const cotangentRows = (handle, cotangents) =>
  [...cotangents].map(([name, { data }]) => [handle.get(name).pointer, spread(handle.get(name), data)]);

/**
 * Row-major numbers as the tensor's lie in memory.
 * @param {import('../engine/handle.js').Info} info
 * @param {Float32Array} data
 * @returns {Float32Array}
 */
function spread({ shape, strides, dense }, data) {
  if (dense) return data;
  const into = new Float32Array(data.length);
  data.forEach((value, i) => {
    let [rest, at] = [i, 0];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += (rest % shape[axis]) * strides[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    into[at] = value;
  });
  return into;
}
