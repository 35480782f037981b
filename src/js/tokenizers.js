/**
 * Tokenizers of Hugging Face (tokenizer.json): texts to the ids that a checkpoint was trained on, and back. A file
 * gives the ids of Hugging Face's own library, or is refused by name.
 *
 * @module glassformer/tokenizers
 */
export { Tokenizer, loadTokenizer } from './files/tokenizer.js';

/** @typedef {import('./texts.js').Encoding} Encoding */
/** @typedef {import('./texts.js').EncodedRows} EncodedRows */
/** @typedef {import('./texts.js').EncodeOptions} EncodeOptions */
/** @typedef {import('./texts.js').SpecialTokens} SpecialTokens */
/** @typedef {import('./files/checkpoint-source.js').JsonSource} JsonSource */
