// What the worker can make of a run beside its tensors. A name that begins with '@' asks for it:
// '@probabilities', or with arguments '@name/1/2'.

import { before } from '../explore/effect/derived.js';
import { headShare } from '../explore/computation/derived.js';
import { lens } from '../explore/logit-lens/derived.js';
import { neurons, similar } from '../explore/neuron/derived.js';
import { probabilities } from '../explore/shared/probabilities.js';
import { norm, stream } from '../explore/residual-stream/derived.js';
import { tensor, tensors } from '../explore/share/derived.js';
import { weight } from '../explore/interventions/derived.js';

/**
 * `model` has just run on these ids with capture, and is left as it was: for another run, make a
 * model with `gf` and free it. `name` and `weights`: the trained model and the tensors of its file.
 * `written`: what the model wrote, where it does (`generate`); `changes` are made in `model`;
 * `corpus`: sentences of the trained model's kind.
 * @typedef {{
 *   gf: import('./worker.js').Engine, model: import('./worker.js').Model, name: string | null,
 *   config: Record<string, unknown>, ids: number[], targetIds: number[] | null,
 *   weights: import('./model-cache.js').Weights | null, written: number[] | null,
 *   changes: import('../app/schema.js').Change[], generate: import('./plan.js').Plan['generate'],
 *   corpus: () => import('./model-cache.js').Corpus | null,
 * }} Context
 *
 * What it returns is moved to the page, so typed arrays must be its own, not those of `weights`. What
 * takes long does a part at each call and returns `unfinished: true` until it is done: the page asks
 * again, and between two parts for whatever the reader did meanwhile.
 * @typedef {(context: Context, ...args: string[]) => import('./worker.js').Tensor | Record<string, any>} LabFunction
 */

/** @type {Record<string, LabFunction>} */
const LAB = {
  before,
  'head-share': headShare,
  lens,
  neurons,
  norm,
  probabilities,
  similar,
  stream,
  tensor,
  tensors,
  weight,
};

/** Fetches what these names need and the first picture does not. @param {string[]} names */
export async function fetchWork(names) {
  if (names.some((name) => name.startsWith('@corpus/')))
    LAB.corpus ??= (await import('../explore/shared/corpus.js')).corpus;
}

/**
 * @param {string} name with its '@' and arguments
 * @param {Context} context
 */
export function work(name, context) {
  const [which, ...args] = name.slice(1).split('/');
  return LAB[which](context, ...args);
}
