// Derived values: the worker computes them from a run, beside its tensors. '@name', or with arguments
// '@name/argument/argument'; web/explore/derived.js lists them.

import { derivedValues, lazyDerivedValues } from '../explore/derived.js';

/**
 * `model` has just run on these ids with capture (`isPart`: of one layer alone; `how`: with these options), and is left
 * as it was: for another run, make a model with `build`, of a configuration with the weights as they were, and free it.
 * `name`: of the trained model. `written`: by the model, where it writes (`generate`); `interventions` are made in it;
 * `originals`: the weights that they edit, as they were; `corpus`: sentences of the trained model's kind;
 * `info`: of the trained model.
 * @typedef {{
 *   gf: import('./worker.js').Engine, model: import('./worker.js').Model, name: string | null,
 *   isPart: boolean, how?: ReturnType<typeof import('./part.js').howToRun>, config: Record<string, unknown>,
 *   ids: number[], targetIds: number[] | null,
 *   build: (config: Record<string, unknown>) => import('./worker.js').Model, written: number[] | null,
 *   interventions: import('./interventions.js').Intervention[], originals: import('./edit-weights.js').Cell[],
 *   generate: import('./plan.js').Plan['generate'],
 *   corpus: () => import('./model-cache.js').Corpus | null, info?: import('./plan.js').ModelInfo,
 * }} Context
 *
 * Its result is moved to the page, so typed arrays must be its own. A long computation does a part at each call
 * and returns `unfinished: true` until it is done: the page asks again, and between two parts for whatever the
 * reader did meanwhile.
 * @typedef {import('./protocol.js').Tensor | Record<string, any>} Derived
 * @typedef {(context: Context, ...args: string[]) => Derived | Promise<Derived>} DerivedFunction
 */

/** @type {Record<string, DerivedFunction>} */
const loaded = { ...derivedValues };

/** @param {string} name with its '@' and arguments */
const partsOf = (name) => name.slice(1).split('/');

export const isDerived = (/** @type {string} */ name) => name.startsWith('@');

/**
 * Fetches the code of the derived values among these names.
 * @param {string[]} names
 * @returns {Promise<{corpus: boolean}>} whether one of them reads the model's corpus
 */
export async function loadDerived(names) {
  let corpus = false;
  for (const name of names.filter(isDerived)) {
    const [which] = partsOf(name);
    const lazy = lazyDerivedValues[which];
    if (lazy) loaded[which] ??= await lazy.load();
    corpus ||= Boolean(lazy?.corpus);
  }
  return { corpus };
}

/**
 * @param {string} name with its '@' and arguments
 * @param {Context} context
 */
export function derive(name, context) {
  const [which, ...args] = partsOf(name);
  return loaded[which](context, ...args);
}
