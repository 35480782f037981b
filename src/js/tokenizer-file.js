import { GlassformerError } from './errors.js';
import { isObject } from './tensor.js';

/** More ids than any table of an embedding has rows. */
const MOST_IDS = 2 ** 20;

/**
 * Words and their ids as a tokenizer.json has them, checked: every id is a small integer, none stands for two tokens.
 * @param {unknown} json
 * @returns {{kind: string, tokens: string[]}} tokens by id; where no token has an id the place is empty
 */
export function vocabularyOf(json) {
  const { model, added_tokens: added = [] } = isObject(json) ? /** @type {any} */ (json) : {};
  if (!isObject(model)) refuse(json, 'is no tokenizer.json: it has no model');
  const { vocab } = model;
  const kind = String(model.type ?? (model.merges ? 'BPE' : 'WordPiece'));
  const entries = Array.isArray(vocab)
    ? vocab.map((each, id) => [Array.isArray(each) ? each[0] : each, id])
    : isObject(vocab)
      ? Object.entries(vocab)
      : refuse(vocab, 'is no tokenizer.json: its model has no vocab');
  if (!Array.isArray(added)) refuse(added, 'added_tokens must be an array');
  /** @type {string[]} */
  const tokens = [];
  for (const [token, id] of entries) place(tokens, token, id);
  for (const each of added) {
    const { content, id } = isObject(each) ? /** @type {any} */ (each) : {};
    if (tokens[id] !== content) place(tokens, content, id);
  }
  if (tokens.length === 0) refuse(undefined, 'has an empty vocabulary');
  return { kind, tokens };
}

/**
 * @param {string[]} tokens
 * @param {unknown} token
 * @param {unknown} id
 */
function place(tokens, token, id) {
  if (typeof token !== 'string') refuse(token, `the token of id ${id} must be a string`);
  if (!Number.isInteger(id) || Number(id) < 0 || Number(id) >= MOST_IDS) {
    refuse(id, `the id of ${JSON.stringify(token)} must be an integer from 0 to ${MOST_IDS - 1}`);
  }
  const other = tokens[Number(id)];
  if (other !== undefined) refuse(id, `${JSON.stringify(other)} and ${JSON.stringify(token)} have the same id`);
  tokens[Number(id)] = token;
}

/**
 * @param {unknown} value
 * @param {string} why
 * @returns {never}
 */
function refuse(value, why) {
  throw new GlassformerError('format', 'tokenizer', value, why);
}
