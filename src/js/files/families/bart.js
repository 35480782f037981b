import { encoderDecoder } from './seq2seq.js';

const facts = /** @type {const} */ ({
  classes: ['BartModel', 'BartForConditionalGeneration'],
  tokenizers: ['BPE'],
  embeddingNorm: true,
});

/** Lewis et al. 2019, "BART". The first two rows of its positions are never read. @type {import('./read.js').Family} */
export const bart = {
  ...encoderDecoder(
    { ...facts, classes: [...facts.classes], tokenizers: [...facts.tokenizers] },
    { maxLength: 1024, activation: 'gelu', d_ff: 4096 },
  ),
  unusedPositions: () => 2,
};
