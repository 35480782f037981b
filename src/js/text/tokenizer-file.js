import { isObject } from '../arrays/tensor.js';
import { beginning } from '../errors.js';
import { refuse } from './settings.js';

/** More ids than any table of an embedding has rows. */
const MOST_IDS = 2 ** 20;
/** Characters of a word: a WordPiece tries all parts of each. Those of BERT have 100. */
const LONGEST_WORD = 1000;

/**
 * Words and their ids as a tokenizer.json has them, checked: every id is a small integer, and none stands for two
 * tokens.
 * @param {unknown} json
 * @returns {{kind: string, tokens: string[], vocab: Map<string, number>, model: Record<string, any> & {type: string},
 *   added: any[]}} tokens by id; where no token has an id the place is empty; vocab: without added tokens; model: with
 *   what older files leave out
 */
export function vocabularyOf(json) {
  const { model, added_tokens } = isObject(json) ? /** @type {any} */ (json) : {};
  if (!isObject(model)) refuse(json, 'is no tokenizer.json: it has no model');
  const { vocab } = model;
  const kind = model.type ?? (Array.isArray(vocab) ? 'Unigram' : model.merges ? 'BPE' : 'WordPiece');
  if (typeof kind !== 'string') refuse(kind, 'model.type must be a string');
  const whole = { ...model, type: kind, ...(kind === 'WordPiece' && completed(model)) };
  const entries = /** @type {[string, number][]} */ (
    Array.isArray(vocab)
      ? vocab.map((each, id) => [Array.isArray(each) ? each[0] : each, id])
      : isObject(vocab)
        ? Object.entries(vocab)
        : refuse(vocab, 'is no tokenizer.json: its model has no vocab')
  );
  const added = added_tokens ?? [];
  if (!Array.isArray(added)) refuse(added, 'added_tokens must be an array');
  /** @type {string[]} */
  const tokens = [];
  for (const [token, id] of entries) assign(tokens, token, id);
  for (const each of added) {
    const { content, id } = isObject(each) ? /** @type {any} */ (each) : {};
    if (!Number.isInteger(id) || tokens[id] !== content) assign(tokens, content, id);
  }
  if (tokens.length === 0) refuse(undefined, 'has an empty vocabulary');
  return { kind, tokens, vocab: new Map(entries), model: whole, added };
}

/** Checks the settings of a WordPiece; BERT's are the defaults. @param {Record<string, unknown>} model */
function completed({
  continuing_subword_prefix: prefix = '##',
  unk_token = '[UNK]',
  max_input_chars_per_word: most = 100,
}) {
  if (typeof prefix !== 'string') refuse(prefix, 'model.continuing_subword_prefix must be a string');
  if (!Number.isInteger(most) || Number(most) < 1 || Number(most) > LONGEST_WORD) {
    refuse(most, `model.max_input_chars_per_word must be an integer from 1 to ${LONGEST_WORD}`);
  }
  return { continuing_subword_prefix: prefix, unk_token, max_input_chars_per_word: most };
}

/**
 * @param {string[]} tokens
 * @param {unknown} token
 * @param {unknown} id
 */
function assign(tokens, token, id) {
  if (typeof token !== 'string' || /\p{Surrogate}/u.test(token)) refuse(token, 'each of its tokens must be a string');
  if (!Number.isInteger(id) || Number(id) < 0 || Number(id) >= MOST_IDS) {
    refuse(id, `the id of ${quoted(token)} must be an integer from 0 to ${MOST_IDS - 1}`);
  }
  const other = tokens[Number(id)];
  if (other !== undefined) refuse(id, `${quoted(other)} and ${quoted(token)} have the same id`);
  tokens[Number(id)] = token;
}

/** @param {string} token */
const quoted = (token) => JSON.stringify(beginning(token, 60));
