import { ENCODER, SIZES, namedSettings, pair, plain, refuse, refuseForeign, sizeOf } from './read.js';
import { roberta } from './roberta.js';

const LAYER = 'encoder.layers.N.';
const FILE = 'encoder.layer.N.';
const PROJECTIONS = ['q', 'k', 'v'].map((name) => `${FILE}attention.attn.${name}`);
/** Positions are counted from the row behind that of the padding, whose id is fixed. */
const PADDING = 1;

/**
 * Song et al. 2020: a RoBERTa without token types, whose layers add one table of relative positions to their scores.
 * @type {import('./read.js').Family}
 */
export const mpnet = {
  prefix: 'mpnet.',
  tokenizers: ['WordPiece'],
  classes: ['MPNetModel', 'MPNetForMaskedLM'],
  names: SIZES,
  read(config) {
    const fallbacks = /** @type {const} */ ({ d_ff: 3072, maxLength: 512, epsilon: 1e-12, activation: 'gelu' });
    const settings = namedSettings(config, SIZES, fallbacks);
    refuseForeign(config, settings.heads, ['relative_attention_num_buckets']);
    if (settings.activation !== 'gelu') refuse('hidden_act', config.hidden_act, "the head of an MPNet needs 'gelu'");
    const rows = sizeOf(config, 'max_position_embeddings', { fallback: 512, low: PADDING + 2 });
    return {
      ...ENCODER,
      ...settings,
      maxLength: rows - PADDING - 1,
      positionsFrom: 'visible',
      relativeBuckets: sizeOf(config, 'relative_attention_num_buckets', { fallback: 32, low: 4, high: 65536 }),
      relativeDistance: 128,
    };
  },
  write: ({ maxLength, relativeBuckets }) => ({
    max_position_embeddings: maxLength + PADDING + 1,
    relative_attention_num_buckets: relativeBuckets,
  }),
  unusedPositions: () => PADDING + 1,
  buffers: /^embeddings\.position_ids$/,
  tensors: {
    'tok_emb.weight': plain('embeddings.word_embeddings.weight'),
    'pos_emb.weight': plain('embeddings.position_embeddings.weight'),
    ...pair('emb_ln', 'embeddings.LayerNorm'),
    'encoder.relative_bias.weight': plain('encoder.relative_attention_bias.weight'),
    [`${LAYER}self_attn.in_proj_weight`]: plain(...PROJECTIONS.map((name) => `${name}.weight`)),
    [`${LAYER}self_attn.in_proj_bias`]: plain(...PROJECTIONS.map((name) => `${name}.bias`)),
    ...pair(`${LAYER}self_attn.out_proj`, `${FILE}attention.attn.o`),
    ...pair(`${LAYER}norm1`, `${FILE}attention.LayerNorm`),
    ...pair(`${LAYER}linear1`, `${FILE}intermediate.dense`),
    ...pair(`${LAYER}linear2`, `${FILE}output.dense`),
    ...pair(`${LAYER}norm2`, `${FILE}output.LayerNorm`),
  },
  head: roberta.head,
  classifier: roberta.classifier,
};
