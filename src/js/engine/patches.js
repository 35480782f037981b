import { GlassformerError, checked } from '../errors.js';
import { writeChanges } from './changes.js';
import { CAPTURE, ONE_ROW } from './flags.js';
import { tensorsOf } from './handle.js';
import { OF_HEAD } from './pass.js';
import { isList } from '../arrays/arrays.js';
import {
  any,
  expectRank,
  integer,
  listOf,
  maybe,
  number,
  readOptions,
  refuseType,
  tensorName,
} from '../arrays/tensor.js';

/**
 * Numbers put in the place of computed ones.
 * @typedef {object} Patch
 * @property {string} name a tensor that `tensors` lists as `patchable` after a pass with `capture`
 * @property {readonly (number | null)[]} [index] one entry for each axis, null for all of it; default all of the tensor
 * @property {number | readonly number[] | Float32Array} value one number for all these places, or as many, row-major
 */

/**
 * A head whose output, or a neuron whose activation, is 0 in all sequences and tokens: one of `head` and `neuron`.
 * @typedef {object} Ablation
 * @property {number} [layer] from 0; not needed where there is one
 * @property {number} [head] from 0
 * @property {number} [neuron] from 0
 * @property {'encoder' | 'decoder'} [stack] needed where both have such a one
 * @property {'self' | 'cross'} [attention] of a head; default self, where there are both
 */

const anyNumber = number(-Infinity, Infinity);

/** One number, or as many as there are places. @type {import('../arrays/tensor.js').Reader<number | number[]>} */
const values = (value, name) => (isList(value) ? listOf(anyNumber, '', name)(value, name) : anyNumber(value, name));

/** @type {import('../arrays/tensor.js').Reader<number | null>} */
const place = (value, name) =>
  value === null || typeof value === 'number' ? value : refuseType(name, value, 'a number or null');

/** All of it is read here, as that may run code of the caller's: what follows goes by pointers. */
const PATCH = { name: tensorName, index: maybe(listOf(place, 'an array of numbers and null')), value: values };
const ABLATION = { head: any, neuron: any, attention: any, stack: any, layer: any };

/** What a pass takes that changes the model. */
export const CHANGES = {
  patches: maybe(listOf((each, name) => readOptions(each, PATCH, `${name}.`), 'an array of {name, index, value}')),
  ablate: maybe(
    listOf((each, name) => readOptions(each, ABLATION, `${name}.`), 'an array of {layer, head} or {layer, neuron}'),
  ),
  temperature: maybe(number(2 ** -64, 2 ** 64, 'range', ', 1 changes nothing')),
};

/**
 * A patch, read.
 * @typedef {{name: string, index?: unknown[], value: number | number[]}} GivenPatch
 * @typedef {{patches?: GivenPatch[], ablate?: Record<string, any>[], temperature?: number}} Changes
 */

/**
 * A forward pass with patches, ablations and a temperature; see Model.forward.
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {Changes} given
 */
export function runPatched(handle, batch, given) {
  const { gf_model_forward_patched: run } = handle.functions;
  withChanges(handle, batch, given, (changes) => checked(run(handle.id, changes), 'forward'));
}

/**
 * A pass with patches, ablations and a temperature; see Model.forward. It captures where there are any of the first
 * two.
 * @template T
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {Changes} changes
 * @param {(changes: number) => T} run is given the address of struct gf_changes (src/wasm/api.h), 0: none
 * @param {() => [place: number, gradient: Float32Array][]} [cotangentsOf] of the layout: where a
 *   tensor stands, and what is added to its gradient, as it lies in memory
 * @returns {T}
 */
export function withChanges(handle, batch, { patches = [], ablate = [], temperature = 1 }, run, cotangentsOf) {
  if (patches.length || ablate.length) batch.flags |= CAPTURE;
  handle.pass.place(batch);
  // Where layers are left out, all that there would be: such a one is refused by its tensor's name.
  const isWhole = !batch.omitted?.some(Boolean);
  const infos = !ablate.length ? [] : isWhole ? handle.list() : tensorsOf(handle.core, handle.config, CAPTURE);
  const named = patches.map((patch, i) => ({ patch, parameter: `patches[${i}]` }));
  const isLater = (/** @type {GivenPatch} */ { name }) => Boolean(batch.flags & ONE_ROW) && OF_HEAD.test(name);
  const places = [
    ...named.flatMap(({ patch, parameter }) => (isLater(patch) ? [] : placesOf(handle, patch, parameter))),
    ...ablate.flatMap((each, i) => placesOf(handle, patchFor(infos, each, `ablate[${i}]`), '')),
  ];
  const later = named.flatMap(({ patch, parameter }) =>
    isLater(patch) ? offsetsOf(patch, ofAllRows(handle, batch, patch.name), parameter) : [],
  );
  const cotangents = cotangentsOf?.() ?? [];
  const result = handle.memory.withScratch((scratch) => run(writeChanges(scratch, places, cotangents, temperature)));
  handle.pass.holdBatch(batch, { patches: later });
  return result;
}

/**
 * The patch that an ablation is.
 * @param {import('./handle.js').Info[]} infos of a captured layout
 * @param {Record<string, any>} ablation
 * @param {string} parameter
 * @returns {GivenPatch}
 */
function patchFor(infos, ablation, parameter) {
  const { head, neuron, ...place } = ablation;
  const ofHead = head !== undefined;
  let found = infos.filter(({ patchable, role }) => patchable && role === (ofHead ? 'head_outputs' : 'activation'));
  if (ofHead === (neuron !== undefined) || !found.length) {
    throw new GlassformerError('range', parameter, ablation, 'needs one of head and neuron, and a model that has them');
  }
  for (const axis of /** @type {const} */ (['attention', 'stack', 'layer'])) {
    const at = (/** @type {import('./handle.js').Info} */ { facts }) => facts[axis] ?? (axis === 'layer' ? 0 : 'none');
    const choices = [...new Set(found.map(at))];
    // Of attentions, self comes first.
    const chosen = place[axis] ?? (axis === 'attention' || choices.length < 2 ? choices[0] : undefined);
    if (!choices.includes(chosen)) {
      const code = chosen === undefined ? 'missing' : 'range';
      throw new GlassformerError(code, `${parameter}.${axis}`, chosen, `must be one of ${choices.join(', ')}`);
    }
    found = found.filter((info) => at(info) === chosen);
  }
  const { name, shape } = found[0];
  const axis = ofHead ? 1 : 2; // of [B,H,T,D] or [B,T,F]
  /** @type {(number | null)[]} */
  const index = shape.map(() => null);
  index[axis] = integer(0, shape[axis] - 1)(ofHead ? head : neuron, `${parameter}.${ofHead ? 'head' : 'neuron'}`);
  return { name, index, value: 0 };
}

/**
 * A tensor of the head as it is where the logits of all rows are computed.
 * @param {import('./handle.js').Handle} handle
 * @param {import('./inputs.js').Batch} batch
 * @param {string} name
 * @returns {import('./handle.js').Info}
 */
function ofAllRows(handle, { sizes: { B, S, T } }, name) {
  const info = handle.get(name);
  if (!info.patchable) return info;
  const length = T || S;
  const width = info.shape[2];
  return { ...info, shape: [B, length, width], strides: [length * width, width, 1] };
}

/**
 * @param {import('./handle.js').Handle} handle
 * @param {GivenPatch} patch
 * @param {string} parameter
 * @returns {import('./changes.js').Place[]}
 */
function placesOf(handle, patch, parameter) {
  const info = handle.get(patch.name);
  return offsetsOf(patch, info, parameter).map(({ offset, value }) => [info.pointer + 4 * offset, value]);
}

/**
 * @param {GivenPatch} patch
 * @param {import('./handle.js').Info} info of its tensor
 * @param {string} parameter
 */
function offsetsOf({ name, index, value }, { patchable, shape, strides }, parameter) {
  if (!patchable) {
    throw new GlassformerError(
      'range',
      `${parameter}.name`,
      name,
      'must be an intermediate that later ones are computed from',
    );
  }
  const at = /** @type {any[]} */ (index ?? shape.map(() => null));
  expectRank({ shape: at }, shape.length, shape.length, `${parameter}.index`);
  /** @type {number[]} */
  let offsets = [0];
  at.forEach((entry, axis) => {
    const chosen =
      entry === null
        ? Array.from({ length: shape[axis] }, (_, i) => i)
        : [integer(0, shape[axis] - 1)(entry, `${parameter}.index[${axis}]`)];
    offsets = offsets.flatMap((offset) => chosen.map((i) => offset + i * strides[axis]));
  });
  const many = typeof value === 'object';
  if (many && value.length !== offsets.length) {
    throw new GlassformerError('shape', `${parameter}.value`, value, `must be one number or ${offsets.length}`);
  }
  return offsets.map((offset, i) => ({ name, offset, value: many ? value[i] : value }));
}
