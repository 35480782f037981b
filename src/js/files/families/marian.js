import { refuse } from './read.js';
import { encoderDecoder } from './seq2seq.js';

/**
 * Sines in the first half of a row, cosines in the second, where Vaswani et al. 2017 have them in turn.
 * @param {import('../../engine/config.js').Settings} settings
 */
function sines({ maxLength = 0, d_model = 1 }) {
  const table = new Float32Array(maxLength * d_model);
  const half = Math.ceil(d_model / 2);
  for (let at = 0; at < maxLength; at++) {
    for (let i = 0; i < d_model; i++) {
      const angle = at / 10000 ** ((2 * (i % half)) / d_model);
      table[at * d_model + i] = i < half ? Math.sin(angle) : Math.cos(angle);
    }
  }
  return table;
}

const family = encoderDecoder(
  { classes: ['MarianModel', 'MarianMTModel'], tokenizers: [], embeddingNorm: false },
  { maxLength: 1024, activation: 'gelu', d_ff: 4096 },
);

/**
 * Junczys-Dowmunt et al. 2018, "Marian", whose models are those of Opus-MT. Its positions are a table here, as they are
 * in Hugging Face's library: few files have it, and training changes it.
 * @type {import('./read.js').Family}
 */
export const marian = {
  ...family,
  hasPieces: true,
  read(config) {
    const { vocab_size: words, decoder_vocab_size: others, share_encoder_decoder_embeddings: isShared } = config;
    const why = 'a vocabulary of the target beside that of the source is not read here';
    if ((others ?? words) !== words) refuse('decoder_vocab_size', others, why);
    if (isShared === false) refuse('share_encoder_decoder_embeddings', isShared, why);
    return family.read(config);
  },
  write: (settings, config) => ({ ...family.write?.(settings, config), decoder_vocab_size: settings.vocabulary }),
  buffers: /^(encoder|decoder)\.(version|embed_positions\.weight)$/,
  computed: { ...family.computed, 'src_pos_emb.weight': sines, 'tgt_pos_emb.weight': sines },
};
