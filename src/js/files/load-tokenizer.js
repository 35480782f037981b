import { expectNone } from '../arrays/names.js';
import { Tokenizer, unusable } from '../text/tokenizer.js';

export { lendChat } from '../text/tokenizer.js';
import { jsonOf } from './checkpoint-source.js';

/** @typedef {import('./checkpoint-source.js').JsonSource} JsonSource */

/**
 * A tokenizer from its file.
 * @param {JsonSource | PromiseLike<JsonSource>} source tokenizer.json: address, Response, Blob, bytes, or what
 *   `JSON.parse` made of it; in Node also a path or file: URL
 * @param {undefined} [options] none
 * @returns {Promise<Tokenizer>}
 * @throws {GlassformerError} type; format for no tokenizer.json; unsupported for a setting that is not read
 *   here, and for a pattern (`Split`, `Replace`) whose time may grow faster than the square of the text's length; limit
 *   for an added token of which the steps make too long a text
 * @example
 * import { loadTokenizer } from 'glassformer/tokenizers';
 * const vocab = { '[UNK]': 0, jump: 1, '##ing': 2, dog: 3 };
 * const tokenizer = await loadTokenizer({
 *   model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', vocab },
 *   pre_tokenizer: { type: 'BertPreTokenizer' }, normalizer: null, post_processor: null,
 *   decoder: { type: 'WordPiece', prefix: '##', cleanup: true }, added_tokens: [],
 * });
 * tokenizer.encode('jumping dog').tokens; // → ['jump', '##ing', 'dog']
 * tokenizer.decode([1, 2, 3]); // → 'jumping dog'
 */
export async function loadTokenizer(source, options) {
  expectNone(options, 'loadTokenizer');
  const json = await jsonOf(source, 'tokenizer');
  try {
    return new Tokenizer(json);
  } catch (error) {
    // Given as an object, it may hold what no file can: a proxy that was revoked, a symbol.
    throw error instanceof TypeError ? unusable(error) : error;
  }
}

/**
 * The tokenizers in the file of a model.
 * @param {string} json
 * @returns {Promise<import('../engine/named.js').Texts>}
 */
export async function tokenizersIn(json) {
  if (!json.startsWith('{"type":"marian"')) return { tokenizer: await loadTokenizer(new TextEncoder().encode(json)) };
  const { filesOfJson, tokenizersOf } = await import('./load-pieces.js');
  return tokenizersOf(filesOfJson(JSON.parse(json)));
}
