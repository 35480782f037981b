import { GlassformerError, checked } from '../errors.js';
import { CAPTURE, TRAIN } from '../engine/flags.js';
import { nearest } from '../arrays/names.js';
import { withChanges } from '../engine/patches.js';
import { expectIntact, expectShape, finite, floats, listOf, refuseType, tensorName } from '../arrays/tensor.js';
import { entriesOf } from '../engine/weights.js';

// From cotangents back through a model; model-derivatives.js documents it.

/** @typedef {import('../engine/handle.js').Handle} Handle */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/** Where struct step_report (src/train/trainer.h) has the name of the first tensor that is not finite. */
const WHERE_AT = 24;

/** @type {import('../arrays/tensor.js').Reader<string[]>} */
export const names = (value, name) => {
  const list = listOf(tensorName, 'an array of names of tensors')(value, name);
  return list.length > 0 ? list : refuseType(name, value, 'an array of names of tensors');
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
 * @param {any} given
 * @param {number} passes what it costs, in forward passes
 */
export function prepare(handle, batch, { of, cotangents = new Map() }, passes) {
  handle.pass.afford(batch, passes);
  batch.flags |= TRAIN | CAPTURE;
  handle.pass.place(batch);
  const infos = new Map(handle.list().map((info) => [info.name, info]));
  const known = [...infos.keys()].filter((name) => infos.has(`grad.${name}`));
  const expectOne = (/** @type {string[]} */ choices, /** @type {string} */ name, /** @type {string} */ parameter) => {
    if (choices.includes(name)) return;
    const why = infos.has(name) ? 'nothing that has a gradient is computed from it' : 'unknown';
    const near = nearest(name, choices);
    const hint = near ? `did you mean ${near}?` : 'model.tensors() lists what there is';
    throw new GlassformerError('unknown', parameter, name, `${why}, ${hint}`);
  };
  of.forEach((/** @type {string} */ name, /** @type {number} */ i) => expectOne(known, name, `of[${i}]`));
  const computed = known.filter((name) => infos.get(name)?.region !== 'weight');
  for (const [name, cotangent] of cotangents) {
    expectOne(computed, name, `cotangents.${name}`);
    expectShape(cotangent, /** @type {any} */ (infos.get(name)).shape, `cotangents.${name}`);
    expectIntact(cotangent, `cotangents.${name}`);
  }
}

/**
 * A pass forward, and backward from cotangents.
 * @param {Handle} handle
 * @param {import('../engine/inputs.js').Batch} batch
 * @param {any} given
 * @param {Map<string, FloatTensor>} cotangents
 * @returns {import('./model-derivatives.js').Gradients}
 */
export function pullBack(handle, batch, given, cotangents) {
  const { functions, struct, id, memory } = handle;
  withChanges(
    handle,
    batch,
    given,
    (changes) => checked(functions.gf_model_vjp(struct, id, changes), 'vjp', undefined, memory),
    () => [...cotangents].map(([name, { data }]) => [handle.get(name).pointer, spread(handle.get(name), data)]),
  );
  const overflow = memory.text(struct + WHERE_AT) || null;
  const read = (/** @type {string} */ name) => /** @type {FloatTensor} */ (handle.read(handle.get(`grad.${name}`)));
  return { gradients: new Map(given.of.map((/** @type {string} */ name) => [name, read(name)])), overflow };
}

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
