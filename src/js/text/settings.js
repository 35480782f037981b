// Reads the settings of a tokenizer.json's steps by name, and names each that it refuses.
import { GlassformerError, beginning } from '../errors.js';
import { isText } from '../arrays/arrays.js';
import { isObject } from '../arrays/tensor.js';

/** @typedef {Record<string, any> & {type: string}} Step as the file has it */

/** Steps of one kind; published files have up to 8. */
const MOST_STEPS = 64;

/**
 * The file is no tokenizer.json.
 * @param {unknown} value
 * @param {string} why
 * @returns {never}
 */
export function refuse(value, why) {
  throw new GlassformerError('format', 'tokenizer', value, why);
}

/**
 * The file may be right, but not all of it is read here.
 * @param {unknown} value
 * @param {string} why
 * @returns {never}
 */
export function unread(value, why) {
  throw new GlassformerError('unsupported', 'tokenizer', value, why);
}

/**
 * @template T
 * @param {(value: any) => value is T} isRight
 * @param {string} what it must be
 */
const reader =
  (isRight, what) =>
  /**
   * @param {Record<string, any>} step
   * @param {string} name
   * @param {T} [missing] what an older file means by leaving it out; without it the setting must be there
   * @returns {T}
   */
  (step, name, missing) => {
    const value = Object.hasOwn(step, name) ? (step[name] ?? missing) : missing;
    return isRight(value) ? value : refuse(value, `${name} of ${beginning(String(step.type), 40)} must be ${what}`);
  };

export const flagOf = reader(
  /** @returns {value is boolean} */ (/** @type {any} */ value) => typeof value === 'boolean',
  'true or false',
);
export const textOf = reader(isText, 'a string');
export const letterOf = reader(
  /** @returns {value is string} */ (/** @type {any} */ value) => isText(value) && /^.$/su.test(value),
  'one character',
);
export const countOf = reader(
  /** @returns {value is number} */ (/** @type {any} */ value) =>
    Number.isInteger(value) && value >= 0 && value < 2 ** 32,
  'an integer from 0',
);
export const listOf = reader(
  /** @returns {value is any[]} */ (/** @type {any} */ value) => Array.isArray(value),
  'an array',
);

/**
 * One of some words.
 * @param {Record<string, any>} step
 * @param {string} name
 * @param {string[]} words
 * @param {string} [missing]
 */
export function wordOf(step, name, words, missing) {
  const word = textOf(step, name, missing);
  return words.includes(word) ? word : refuse(word, `${name} of ${step.type} must be one of ${words.join(', ')}`);
}

/**
 * The steps of a kind, those of a Sequence one after the other.
 * @template T
 * @param {unknown} json null or undefined: none
 * @param {string} kind normalizer
 * @param {string} list how a Sequence of them calls its steps
 * @param {Record<string, (step: Step, before: T[]) => T>} makers
 * @returns {T[]}
 */
export function stepsOf(json, kind, list, makers) {
  /** @type {T[]} */
  const steps = [];
  let count = 0;
  /** @param {unknown} step */
  const read = (step) => {
    if (!isObject(step) || typeof step.type !== 'string') return refuse(step, `each ${kind} must have a type`);
    if (++count > MOST_STEPS) return unread(undefined, `there are more than ${MOST_STEPS} steps of its ${kind}`);
    const { type } = step;
    if (type === 'Sequence') listOf(step, list).forEach(read);
    else if (Object.hasOwn(makers, type)) steps.push(makers[type](/** @type {Step} */ (step), steps));
    else unread(type, `this ${kind} is not read here`);
  };
  if (json !== null && json !== undefined) read(json);
  return steps;
}

/** The length that every text may grow to. */
const LEAST = 2 ** 20;
/** Growth that a text may have; NFKC makes at most 18 letters of one, and the bytes of a letter are 3 letters. */
const MOST_TIMES = 32;

/** @param {number} length of the text that is given */
export const mostOf = (length) => Math.max(LEAST, MOST_TIMES * length);

/**
 * A few steps make a letter a text that fills the memory, so each says first how long its result is.
 * @param {number} length
 * @param {number} most
 */
export function expectShort(length, most) {
  if (length <= most) return;
  const why = `the tokenizer's steps would make more than ${most} letters of it`;
  throw new GlassformerError('limit', 'text', undefined, why);
}
