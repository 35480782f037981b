import { bert } from './bert.js';
import { pair, plain, refuse } from './read.js';

/**
 * Clark et al. 2020: a BERT that tells replaced words from true ones. Its head for that is left over; a generator's for
 * masked words is read.
 * @type {import('./read.js').Family}
 */
export const electra = {
  ...bert,
  prefix: 'electra.',
  classes: ['ElectraModel', 'ElectraForMaskedLM'],
  read(config) {
    const settings = bert.read({ intermediate_size: 1024, ...config });
    const { embedding_size: width = 128 } = config;
    if (width !== settings.d_model) {
      const why = `embeddings of another width than hidden_size ${settings.d_model} are not computed here`;
      refuse('embedding_size', width, why);
    }
    // BERT's head has the activation of its layers.
    if (settings.activation !== 'gelu') refuse('hidden_act', config.hidden_act, "the head of an ELECTRA needs 'gelu'");
    return settings;
  },
  write: ({ d_model }) => ({ embedding_size: d_model }),
  head: {
    optional: true,
    settings: { headTransform: true, headBias: true },
    tensors: {
      ...pair('transform.dense', 'generator_predictions.dense'),
      ...pair('transform.norm', 'generator_predictions.LayerNorm'),
      'generator.bias': plain('generator_lm_head.bias'),
    },
    table: 'generator_lm_head.weight',
  },
  classifier: undefined,
};
