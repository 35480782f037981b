/**
 * Tokenizers of Hugging Face (tokenizer.json): texts to the ids that a checkpoint was trained on, and back. The work is
 * done by `@huggingface/tokenizers`, which this entry carries, so that nothing is to be installed.
 *
 * @module glassformer/tokenizers
 */
export { Tokenizer, loadTokenizer } from './files/tokenizer.js';

/** @typedef {import('./files/encoding.js').Encoding} Encoding */
/** @typedef {import('./files/encoding.js').EncodedRows} EncodedRows */
/** @typedef {import('./files/encoding.js').EncodeOptions} EncodeOptions */
/** @typedef {import('./files/tokenizer.js').SpecialTokens} SpecialTokens */
/** @typedef {import('./files/checkpoint-source.js').JsonSource} JsonSource */
