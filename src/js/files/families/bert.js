import { ENCODER, SIZES, namedSettings, pair, plain, refuse, refuseForeign, refuseSwitches } from './read.js';

const LAYER = 'encoder.layers.N.';
const FILE = 'encoder.layer.N.';
const PROJECTIONS = ['query', 'key', 'value'].map((name) => `${FILE}attention.self.${name}`);

const { vocabulary, ...sizes } = SIZES;
const NAMES = { vocabulary, types: 'type_vocab_size', ...sizes };

/** Devlin et al. 2019, "BERT". @type {import('./read.js').Family} */
export const bert = {
  prefix: 'bert.',
  tokenizers: ['WordPiece'],
  classes: ['BertModel', 'BertForMaskedLM'],
  names: NAMES,
  read(config) {
    const fallbacks = /** @type {const} */ ({
      types: 2,
      d_ff: 3072,
      maxLength: 512,
      epsilon: 1e-12,
      activation: 'gelu',
    });
    const settings = namedSettings(config, NAMES, fallbacks);
    const kind = config.position_embedding_type ?? 'absolute';
    if (kind !== 'absolute') refuse('position_embedding_type', kind, "only 'absolute' positions are computed here");
    refuseForeign(config, settings.heads);
    refuseSwitches(config, {
      is_decoder: 'a BERT that generates is not computed here',
      add_cross_attention: 'cross-attention of a BERT is not computed here',
    });
    return { ...ENCODER, ...settings };
  },
  buffers: /^embeddings\.(position_ids|token_type_ids)$/,
  tensors: {
    'tok_emb.weight': plain('embeddings.word_embeddings.weight'),
    'pos_emb.weight': plain('embeddings.position_embeddings.weight'),
    'type_emb.weight': plain('embeddings.token_type_embeddings.weight'),
    ...pair('emb_ln', 'embeddings.LayerNorm'),
    [`${LAYER}self_attn.in_proj_weight`]: plain(...PROJECTIONS.map((name) => `${name}.weight`)),
    [`${LAYER}self_attn.in_proj_bias`]: plain(...PROJECTIONS.map((name) => `${name}.bias`)),
    ...pair(`${LAYER}self_attn.out_proj`, `${FILE}attention.output.dense`),
    ...pair(`${LAYER}norm1`, `${FILE}attention.output.LayerNorm`),
    ...pair(`${LAYER}linear1`, `${FILE}intermediate.dense`),
    ...pair(`${LAYER}linear2`, `${FILE}output.dense`),
    ...pair(`${LAYER}norm2`, `${FILE}output.LayerNorm`),
  },
  head: {
    optional: true,
    settings: { headTransform: true, headBias: true },
    tensors: {
      ...pair('transform.dense', 'cls.predictions.transform.dense'),
      ...pair('transform.norm', 'cls.predictions.transform.LayerNorm'),
      'generator.bias': plain('cls.predictions.bias'),
    },
    table: 'cls.predictions.decoder.weight',
    aliases: { 'cls.predictions.bias': 'cls.predictions.decoder.bias' },
  },
  classifier: { dense: 'pooler.dense', activation: 'tanh', out: 'classifier' },
};
