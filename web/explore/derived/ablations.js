// What the model says at a row with each of its heads off.

import { attentionKinds } from '../../engine/plan.js';
import { forwardWithInterventions } from '../../engine/intervene.js';
import { probabilitiesAt } from '../shared/probabilities.js';

/**
 * '@ablations/' and the row: each head, with the probabilities of all words there while its output is 0.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function ablations({ gf, config, build, ids, targetIds, interventions }, row) {
  const model = build(config);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  try {
    const heads = attentionKinds(/** @type {any} */ (config)).flatMap(({ kind }) =>
      Array.from({ length: Number(config.layers) * Number(config.heads) }, (_, i) => {
        const place = { kind, layer: Math.floor(i / Number(config.heads)), head: i % Number(config.heads) };
        const off = /** @type {const} */ ({ what: 'head', ...place, to: 0 });
        const { logits } = forwardWithInterventions(model, input, [...interventions, off]);
        return { ...place, probabilities: probabilitiesAt(gf, logits, Number(row)) };
      }),
    );
    return { heads };
  } finally {
    model.free();
  }
}
