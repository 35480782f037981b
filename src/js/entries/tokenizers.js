/**
 * Tokenizers of Hugging Face (tokenizer.json): texts to the ids that a checkpoint was trained on, and back. A file
 * gives the ids of Hugging Face's own library, or is refused by name.
 *
 * @module glassformer/tokenizers
 */
export { loadTokenizer } from '../files/load-tokenizer.js';
export { Tokenizer } from '../text/tokenizer.js';

/** @typedef {import('../text/texts.js').Encoding} Encoding */
/** @typedef {import('../text/texts.js').EncodedRows} EncodedRows */
/** @typedef {import('../text/texts.js').EncodeOptions} EncodeOptions */
/** @typedef {import('../text/texts.js').SpecialTokens} SpecialTokens */
/** @typedef {import('../files/checkpoint-source.js').JsonSource} JsonSource */
