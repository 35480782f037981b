// The numbers that changes put in the place of computed ones, as Model.forward takes them.

import { dictionaryOf } from './interventions.js';
import { cellsOf, isLater, layersOf, patchTarget, streamName } from './patches.js';

/**
 * @typedef {import('./patches.js').Patched} Patched
 * @typedef {import('./interventions.js').HeadAtIntervention} HeadAtIntervention
 * @typedef {import('./interventions.js').FfnAtIntervention} FfnAtIntervention
 * @typedef {import('./interventions.js').StreamIntervention | ((HeadAtIntervention | FfnAtIntervention) &
 *   {to: number[]})} FromText a vector that another text gives, or the mean of this one's
 * @typedef {import('./interventions.js').SwapIntervention} SwapIntervention
 * @typedef {import('./dictionaries.js').Features} Features
 * @typedef {import('./interventions.js').FeatureIntervention & {of?: Features}} FeatureIntervention
 *   `of`: the dictionary, which the worker keeps
 * @typedef {Extract<Patched, {what: 'skip' | 'swap' | 'exit'}> | FeatureIntervention} Later
 * @typedef {import('./worker.js').Model} Model
 * @typedef {import('./protocol.js').Tensor} Tensor
 * @typedef {{name: string, index: (number | null)[], value: number | 'mean' | Float32Array}} Patch
 * @typedef {({ids: number[]} | {sourceIds: number[], targetIds: number[]}) & {
 *   capture: true | {layer: number}[], logits?: false, temperature?: number}} PassOptions
 */

/**
 * The patches of the changes, in their order. Their values come from passes without changes: one over the text itself,
 * one over each other text.
 * @param {Model} model
 * @param {PassOptions} options
 * @param {readonly Patched[]} changes
 * @returns {Patch[]}
 */
export function makePatches(model, options, changes) {
  const given = changes.filter((each) => !isLater(each) && (each.what === 'patch' || Array.isArray(each.to)));
  const values = vectorsOf(model, options, /** @type {FromText[]} */ (given));
  const patches = changes
    .filter((change) => !isLater(change))
    .flatMap((change) =>
      cellsOf(change).map((each) => ({
        ...patchTarget(each, model.config),
        value: values.get(each) ?? /** @type {{to: number | 'mean'}} */ (each).to,
      })),
    );
  return addLater(model, options, patches, changes.filter(isLater));
}

/**
 * Adds the changes that give on what the model computes with all those before them.
 * @param {Model} model @param {PassOptions} options @param {Patch[]} patches @param {Later[]} changes
 */
function addLater(model, options, patches, changes) {
  if (!changes.length) return patches;
  const others = vectorsOfOthers(model, options, changes);
  model.forward({ ...options, patches }); // before a pass the graph names no tensors
  const graph = model.graph();
  const ordered = groupsOf(changes)
    .map((group) => {
      const [change] = group;
      const target = patchTarget(change, model.config);
      // A layer's neurons are no node, but the FFN is that they are of.
      const node = target.name.replace(/\.ffn\.\w+$/, '.ffn.out');
      const at = graph.findIndex(({ tensor }) => tensor === node);
      return { group, target, at: change.what === 'swap' ? -1 : change.what === 'exit' ? Infinity : at };
    })
    .sort((a, b) => a.at - b.at);
  for (const [i, { group, target, at }] of ordered.entries()) {
    const [change] = group;
    if (i) model.forward({ ...options, patches });
    if (change.what === 'swap') swapped(model, change).forEach((each) => patches.push(each));
    else if (change.what === 'feature') {
      const own = rowOf(/** @type {Tensor} */ (model.tensor(target.name)), change.row);
      patches.push({ ...target, value: withFeatures(own, /** @type {FeatureIntervention[]} */ (group), others) });
    } else {
      const inputs = graph[at]?.inputs ?? [];
      const before = change.what === 'exit' ? exitOf(model, change) : graph[inputs[0]]?.tensor;
      // Of a norm that the model does not have, the patch is refused by its name.
      patches.push({ ...target, value: before ? floats(model, before).slice() : 0 });
    }
  }
  return patches;
}

/**
 * Changes that a request names, with the dictionaries that those of the pass have.
 * @template {import('./interventions.js').Intervention} T
 * @param {readonly T[]} changes @param {readonly T[]} own of the pass
 * @returns {T[]}
 */
export function withOwn(changes, own) {
  const found = /** @type {FeatureIntervention[]} */ (/** @type {unknown} */ (own)).filter(({ of }) => of);
  return changes.map((change) => {
    if (change.what !== 'feature') return change;
    return { ...change, of: found.find((each) => dictionaryOf(each) === dictionaryOf(change))?.of };
  });
}

/** Features of one vector change together, as each is a part of the same sum. @param {Later[]} changes */
function groupsOf(changes) {
  /** @type {Map<unknown, Later[]>} */
  const groups = new Map();
  for (const change of changes) {
    const key = change.what === 'feature' ? `${dictionaryOf(change)} ${change.row}` : change;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()];
}

/**
 * A vector with features of it changed.
 * @param {Float32Array} own @param {FeatureIntervention[]} changes @param {Map<Later, Float32Array>} others
 */
function withFeatures(own, changes, others) {
  const { of } = changes[0];
  const message = 'its features have not been found yet.';
  if (!of) throw { code: 'missing', parameter: '', message, change: changes[0] };
  const vector = (/** @type {Float32Array} */ data) => ({ data, shape: [1, data.length] });
  /** @type {{feature: number, scale?: number, set?: number}[]} */
  const edits = [];
  for (const change of changes) {
    const { feature, to } = change;
    if (typeof to === 'number') edits.push({ feature: Number(feature), scale: to });
    else {
      const { data } = of.encode(vector(/** @type {Float32Array} */ (others.get(change))));
      data.forEach((set, n) => (feature === null || n === feature) && edits.push({ feature: n, set }));
    }
  }
  return of.change(vector(own), edits).data;
}

/**
 * The vectors at features' places in the texts that they come from.
 * @param {Model} model @param {PassOptions} options @param {Later[]} changes
 */
function vectorsOfOthers(model, options, changes) {
  /** @type {Map<Later, Float32Array>} */
  const found = new Map();
  for (const change of changes) {
    if (change.what !== 'feature' || !Array.isArray(change.to)) continue;
    runOther(model, options, /** @type {any} */ (change));
    const { name } = patchTarget(change, model.config);
    found.set(change, rowOf(/** @type {Tensor} */ (model.tensor(name)), change.row));
  }
  return found;
}

/** The stream that is read. @param {Model} model @param {Extract<Patched, {what: 'exit'}>} change */
function exitOf({ config }, change) {
  const layers = layersOf(change.kind, config);
  const message = `the model has ${layers} layers.`;
  if (change.to > layers) throw { code: 'range', parameter: '', message, change };
  return streamName(change.kind, change.to);
}

/** @param {Model} model @param {string} name */
const floats = (model, name) => /** @type {Float32Array} */ (model.tensor(name).data);

/**
 * The inputs of two tokens, each with the position of the other.
 * @param {Model} model @param {SwapIntervention} change
 */
function swapped(model, change) {
  const { kind, row, to } = change;
  const { data: table, shape } = /** @type {Tensor} */ (model.tensor(patchTarget(change, model.config).name));
  const input = /** @type {Tensor} */ (model.tensor(streamName(kind, 0)));
  const rows = input.shape[1];
  const message = `the text has ${rows} tokens.`;
  if (Math.max(row, to) >= rows) throw { code: 'shape', parameter: '', message, change };
  const width = shape[1];
  return [
    [row, to],
    [to, row],
  ].map(([at, other]) => ({
    name: streamName(kind, 0),
    index: [0, at, null],
    value: rowOf(input, at).map((value, i) => value - table[at * width + i] + table[other * width + i]),
  }));
}

/** Where a vector comes from, and how much of it. @param {FromText} change */
const sourceOf = (change) => (change.what === 'patch' ? change : { from: change.to, share: 1 });

/**
 * The vectors that are put in, mixed of the text's own and others.
 * @param {Model} model @param {PassOptions} options @param {FromText[]} changes
 */
function vectorsOf(model, options, changes) {
  /** @type {Map<Patched, Float32Array>} */
  const values = new Map();
  const read = (/** @type {FromText} */ change) =>
    /** @type {Tensor} */ (model.tensor(patchTarget(change, model.config).name));
  if (changes.length) model.forward(options);
  for (const change of changes) {
    const tensor = read(change);
    const own = rowOf(tensor, change.row, headOf(change));
    const { from, share } = sourceOf(change);
    values.set(change, from === 'mean' ? mixed(own, meanRow(tensor), share) : own);
  }
  const fromOf = (/** @type {FromText} */ change) => String(sourceOf(change).from);
  for (const text of new Set(changes.map(fromOf))) {
    if (text === 'mean') continue;
    const taken = changes.filter((each) => fromOf(each) === text);
    runOther(model, options, taken[0]);
    for (const change of taken) {
      const own = /** @type {Float32Array} */ (values.get(change));
      values.set(change, mixed(own, rowOf(read(change), change.row, headOf(change)), sourceOf(change).share));
    }
  }
  return values;
}

/**
 * The pass over the text that a change names.
 * @param {Model} model @param {PassOptions} options @param {FromText} change
 */
function runOther(model, options, change) {
  const ids = /** @type {number[]} */ (sourceOf(change).from);
  const name = 'sourceIds' in options ? 'sourceIds' : 'ids';
  const own = /** @type {Record<string, any>} */ (options)[name];
  const lengths = `the other sentence has ${ids.length} tokens, this one ${own.length}.`;
  if (ids.length !== own.length) throw { code: 'shape', parameter: '', message: lengths, change };
  try {
    model.forward({ ...options, [name]: ids });
  } catch (error) {
    const { code } = /** @type {import('./protocol.js').Problem} */ (error);
    throw code ? { code, parameter: '', message: 'the model cannot read the other sentence.', change } : error;
  }
}

/** Of the heads' outputs, which matrix. @param {FromText} change */
const headOf = (change) => (change.what === 'headAt' ? change.head : 0);

/** @param {Tensor} tensor the last two sizes are rows and their width @param {number} row @param {number} [matrix] */
function rowOf({ data, shape }, row, matrix = 0) {
  const [rows, width] = shape.slice(-2);
  const start = (matrix * rows + row) * width;
  return data.slice(start, start + width);
}

/** @param {Float32Array} own @param {Float32Array} other @param {number} share of the other one */
const mixed = (own, other, share) => own.map((value, i) => (1 - share) * value + share * other[i]);

/** The mean of rows. @param {Tensor} tensor */
function meanRow({ data, shape: [, rows, width] }) {
  return Float32Array.from({ length: width }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += data[row * width + column];
    return sum / rows;
  });
}
