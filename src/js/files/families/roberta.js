import { bert } from './bert.js';
import { pair, plain, refuse, sizeOf } from './read.js';

/** The row of the position table before that of the first token: rows are counted from the padding's id. */
const paddingOf = (/** @type {import('./read.js').ModelConfig} */ config) =>
  sizeOf(config, 'pad_token_id', { fallback: 1, low: 0 });

/**
 * Liu et al. 2019: BERT with another head's names, and positions that begin later.
 * @type {import('./read.js').Family}
 */
export const roberta = {
  ...bert,
  prefix: 'roberta.',
  tokenizers: ['BPE'],
  classes: ['RobertaModel', 'RobertaForMaskedLM'],
  read(config) {
    const settings = bert.read(config);
    // BERT's head has the activation of its layers.
    if (settings.activation !== 'gelu') refuse('hidden_act', config.hidden_act, "the head of a RoBERTa needs 'gelu'");
    const rows = sizeOf(config, 'max_position_embeddings', { fallback: 512, low: paddingOf(config) + 2 });
    return { ...settings, maxLength: rows - paddingOf(config) - 1, positionsFrom: 'visible' };
  },
  write: ({ maxLength }, config) => ({
    max_position_embeddings: maxLength + paddingOf(config) + 1,
    pad_token_id: paddingOf(config),
  }),
  unusedPositions: (config) => paddingOf(config) + 1,
  head: {
    optional: true,
    settings: { headTransform: true, headBias: true },
    tensors: {
      ...pair('transform.dense', 'lm_head.dense'),
      ...pair('transform.norm', 'lm_head.layer_norm'),
      'generator.bias': plain('lm_head.bias'),
    },
    table: 'lm_head.decoder.weight',
    aliases: { 'lm_head.bias': 'lm_head.decoder.bias' },
  },
  classifier: { dense: 'classifier.dense', activation: 'tanh', out: 'classifier.out_proj' },
};
