// The derived values: what the worker computes for a feature beside tensors, by the name that a panel requires
// it by ('@name' or '@name/argument/argument'). A feature with one has a line here.

import { headShare } from './computation/derived.js';
import { weight } from './interventions/derived.js';
import { norm } from './layer-norm/derived.js';
import { lens } from './logit-lens/derived.js';
import { neurons, similar } from './neuron/derived.js';
import { positionDots } from './position-similarity/derived.js';
import { stream } from './residual-stream/derived.js';
import { tensor, tensors } from './share/derived.js';
import { probabilities } from './shared/probabilities.js';

/** @type {Record<string, import('../engine/derived.js').DerivedFunction>} */
export const derivedValues = {
  'head-share': headShare,
  lens,
  neurons,
  norm,
  'position-dots': positionDots,
  probabilities,
  similar,
  stream,
  tensor,
  tensors,
  weight,
};

/**
 * Those that the first result does not need: their code is fetched when they are first asked for, and the
 * model's corpus with it where they read that.
 * @type {Record<string, {load: () => Promise<import('../engine/derived.js').DerivedFunction>, corpus: boolean}>}
 */
export const lazyDerivedValues = {
  before: { load: async () => (await import('./effect/derived.js')).before, corpus: false },
  corpus: { load: async () => (await import('./shared/corpus.js')).corpus, corpus: true },
};
