// A question and the text that answers it, as ids; and the answer's text. Here and beside a worker, which has no words.
import { GlassformerError } from '../errors.js';
import { limitOf } from './named.js';
import { integer, maybe, optional, readOptions, refuseType, signalReader } from '../arrays/tensor.js';
import { operationsReader } from './cost.js';

/**
 * @typedef {object} AnswerOptions
 * @property {number} [longest] tokens of an answer, at most; default 30
 * @property {number} [maxOperations] multiply-adds that this call may take; default: the engine's, see `load`
 * @property {import('./generate.js').Signal} [signal] an AbortSignal: aborted before, the call rejects with its reason
 */

/**
 * A question with its text as ids of one row, for a model that knows no tokenizer.
 * @typedef {object} Asked
 * @property {import('../arrays/tensor.js').Ints} ids of both, as the model reads them
 * @property {import('../arrays/tensor.js').Ints} [typeIds] token types (segments), default all 0
 * @property {number} from the first token of the text
 * @property {number} to behind its last token
 */

/** Of the options of an answer. */
export const ANSWER_READERS = {
  longest: optional(integer(1, 2 ** 20), 30),
  maxOperations: maybe(operationsReader()),
  signal: maybe(signalReader),
};

/** @param {unknown} value @param {string} name @returns {string} */
const textOf = (value, name) =>
  typeof value === 'string' && value.trim() ? value : refuseType(name, value, 'a text that is not empty');

/**
 * @param {{config: import('./config.js').Config, texts?: import('./named.js').Texts}} model
 * @param {unknown} question @param {unknown} text @param {AnswerOptions} [options]
 * @returns {Asked & Required<Pick<AnswerOptions, 'longest'>> & AnswerOptions}
 */
export function askedOf({ config, texts = {} }, question, text, options = {}) {
  const [asked, context] = [textOf(question, 'question'), textOf(text, 'text')];
  const given = readOptions(options, ANSWER_READERS);
  const { tokenizer, unread } = texts;
  if (!tokenizer) {
    const why = 'needs a model that knows its tokenizer; else answer({ ids, from, to })';
    throw unread ?? new GlassformerError('config', 'question', question, why);
  }
  const { ids, typeIds } = /** @type {any} */ (tokenizer.encode(asked, { pair: context }));
  const own = /** @type {any} */ (tokenizer.encode(context, { special: false })).ids;
  const limit = limitOf(config) ?? Infinity;
  if (ids.length > limit) {
    const why = `and the question have ${ids.length} tokens, the model reads ${limit}: ask of a part of the text`;
    throw new GlassformerError('range', 'text', text, why);
  }
  const holds = (/** @type {number} */ at) =>
    own.every((/** @type {number} */ id, /** @type {number} */ i) => ids[at + i] === id);
  let from = ids.length - own.length;
  while (from >= 0 && !holds(from)) from--;
  if (from < 0 || !own.length) {
    throw new GlassformerError('unsupported', 'text', text, 'has other tokens behind a question than alone: give ids');
  }
  return { ids: [...ids], ...(config.types && { typeIds: [...typeIds] }), from, to: from + own.length, ...given };
}

/**
 * @template {{ids: number[]}} A
 * @param {import('../text/texts.js').BaseTokenizer | undefined} tokenizer
 * @param {A} answer
 * @returns {A & {text?: string}}
 */
export const withAnswer = (tokenizer, answer) =>
  tokenizer ? { text: /** @type {any} */ (tokenizer).decode(answer.ids).trim(), ...answer } : answer;
