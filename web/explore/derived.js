// The derived values, which the worker computes for features beside tensors. A panel requires each by its name
// ('@name' or '@name/argument/argument'). A feature with one has a line here.

import { headShare } from '../draw/head-share.js';
import { stream } from './derived/residual-stream.js';
import { tensor, tensors, weight } from './derived/tensors.js';
import { answerRow, probabilities } from './shared/answer-row.js';

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
 * Those that the first result does not need: their code is fetched when they are first asked for, and the
 * model's corpus with it where they read that.
 * @type {Record<string, {
 *   load: () => Promise<import('../engine/derived.js').DerivedFunction>, corpus?: boolean,
 * }>}
 */
export const lazyDerivedValues = {
  ablations: { load: async () => (await import('./derived/ablations.js')).ablations },
  attribution: { load: async () => (await import('./derived/attribution.js')).attribution },
  beams: { load: async () => (await import('./derived/beams.js')).beams },
  before: { load: async () => (await import('./derived/before.js')).before },
  corpus: { load: async () => (await import('./shared/corpus.js')).corpus, corpus: true },
  decision: { load: async () => (await import('./derived/decision.js')).decision },
  features: { load: async () => (await import('./derived/features.js')).features, corpus: true },
  feature: { load: async () => (await import('./derived/features.js')).feature },
  'feature-curve': { load: async () => (await import('./derived/features.js')).featureCurve },
  'feature-moved': { load: async () => (await import('./derived/features.js')).featureMoved },
  'features-hold': { load: async () => (await import('./derived/features-hold.js')).featuresHold },
  'feature-strip': { load: async () => (await import('./derived/features.js')).featureStrip },
  lens: { load: async () => (await import('./derived/logit-lens.js')).lens },
  'neuron-effect': { load: async () => (await import('./derived/neuron-effect.js')).neuronEffect, corpus: true },
  neurons: { load: async () => (await import('./derived/neuron.js')).neurons },
  nearest: { load: async () => (await import('./derived/neuron.js')).nearest },
  norm: { load: async () => (await import('./derived/layer-norm.js')).norm },
  'parts-off': { load: async () => (await import('./derived/parts-off.js')).partsOff },
  'position-dots': { load: async () => (await import('./derived/positions.js')).positionDots },
  taken: { load: async () => (await import('./derived/taken.js')).taken },
  turns: { load: async () => (await import('./derived/turns.js')).turns },
  'why-logit': { load: async () => (await import('./derived/why.js')).whyLogit },
  'why-neuron': { load: async () => (await import('./derived/why.js')).whyNeuron },
  'why-sum': { load: async () => (await import('./derived/why.js')).whySum },
  similar: { load: async () => (await import('./derived/neuron.js')).similar },
};
