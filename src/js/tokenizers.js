/**
 * Tokenizers of Hugging Face (tokenizer.json): texts to the ids that a checkpoint was trained on, and back. The work is
 * done by `@huggingface/tokenizers`, which this entry carries, so that nothing is to be installed.
 *
 * @module glassformer/tokenizers
 */
export { Tokenizer, loadTokenizer } from './tokenizer.js';

/** @typedef {import('./tokenizer.js').Encoding} Encoding */
/** @typedef {import('./tokenizer.js').SpecialTokens} SpecialTokens */
/** @typedef {import('./checkpoint-source.js').JsonSource} JsonSource */
