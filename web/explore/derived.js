// The derived values: what the worker computes for a feature beside tensors, by the name that a panel requires
// it by ('@name' or '@name/argument/argument'). A feature with one has a line here.

import { headShare } from './derived/head-share.js';
import { stream } from './derived/residual-stream.js';
import { tensor, tensors } from './derived/tensors.js';
import { answerRow } from './shared/answer-row.js';
import { probabilities } from './shared/probabilities.js';
import { weight } from './derived/weight.js';

/** @type {Record<string, import('../engine/derived.js').DerivedFunction>} */
export const derivedValues = {
  'answer-row': answerRow,
  'head-share': headShare,
  probabilities,
  stream,
  tensor,
  tensors,
  weight,
};

/**
 * One of those that late-derived.js holds.
 * @param {Exclude<keyof typeof import('./late-derived.js'), 'corpus'>} name
 */
const late = (name) => ({ load: async () => (await import('./late-derived.js'))[name], corpus: false });

/**
 * Those that the first result does not need: their code is fetched when they are first asked for, and the
 * model's corpus with it where they read that.
 * @type {Record<string, {load: () => Promise<import('../engine/derived.js').DerivedFunction>, corpus: boolean}>}
 */
export const lazyDerivedValues = {
  ablations: late('ablations'),
  before: late('before'),
  corpus: { load: async () => (await import('./late-derived.js')).corpus, corpus: true },
  decision: late('decision'),
  lens: late('lens'),
  neurons: late('neurons'),
  norm: late('norm'),
  'position-dots': late('positionDots'),
  similar: late('similar'),
};
