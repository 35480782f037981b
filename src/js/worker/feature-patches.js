// Changes of features in a pass of a worker: the dictionary stays on this side, and numbers go over. Fetched with the
// first of them.
import { GlassformerError } from '../errors.js';
import { changeAt, readPatch } from '../engine/patches.js';
import { indexOf } from '../engine/selector.js';

/** Options of a pass that say what becomes of it, not what it computes. */
const RESULTS = 'capture logits labels lossMask loss ignoreIndex labelSmoothing logit of signal'.split(' ');

/**
 * The arguments of a call with numbers in the place of changes of features: those of a pass with all that is changed
 * before their place, changed. One pass for each place, in the order of the model.
 * @param {any} model
 * @param {(method: string, ...args: any[]) => Promise<any>} call of the model
 * @param {string} method
 * @param {any[]} args the first has patches
 */
export async function withoutFeatures(model, call, method, [given, ...others]) {
  if (!model.trace || method === 'generate') {
    const why = `changes of features are not read by ${method} in a worker`;
    throw new GlassformerError('unsupported', 'patches', undefined, why);
  }
  /** @type {any[]} */
  const read = given.patches.map((/** @type {any} */ patch, /** @type {number} */ i) => ({
    patch,
    ...(patch?.of !== undefined && readPatch(patch, `patches[${i}]`)),
  }));
  const changes = read.filter((/** @type {any} */ { change }) => change);
  const asked = changes.map(({ selector, parameter }) => ({ selector, parameter }));
  const places = await call('placesOf', asked);
  changes.forEach((/** @type {any} */ each, /** @type {number} */ i) => Object.assign(each, places[i]));
  const pass = { ...given };
  for (const name of RESULTS) delete pass[name];
  const waiting = new Set(changes);
  const patches = () => read.filter((/** @type {any} */ each) => !waiting.has(each)).map(({ patch }) => patch);
  const sites = [...new Set(changes.sort((a, b) => a.order - b.order).map(({ facts }) => facts.name))];
  for (const name of sites) {
    const trace = await model.trace({ ...pass, patches: patches(), capture: [name] });
    const vectors = await trace.tensor(name);
    await trace.free();
    for (const each of changes.filter(({ facts }) => facts.name === name)) {
      const { selector, parameter, facts } = each;
      const { batch, head, neuron, row, rows, index: given } = selector;
      const index = indexOf({ ...facts, facts, shape: vectors.shape }, selector, `${parameter}.`);
      each.patch = { name, batch, head, neuron, row, rows, index: given, set: changeAt({ ...each, index }, vectors) };
      waiting.delete(each);
    }
  }
  return [{ ...given, patches: patches() }, ...others];
}
