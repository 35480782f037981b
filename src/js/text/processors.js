// Puts special tokens around one text or two.
import { isObject } from '../arrays/tensor.js';
import { countOf, listOf, refuse, stepsOf, unread } from './settings.js';

/** @typedef {import('./settings.js').Step} Step */
/**
 * @typedef {object} Part of a row: a text, or special tokens that were put there
 * @property {number[]} ids
 * @property {number} type
 * @property {boolean} added
 */
/** @typedef {(parts: Part[], special: boolean) => Part[]} Processor */

/** Texts in a template; each is a copy. */
const MOST_COPIES = 8;

/** @param {Step} step @param {string} name @returns {Part} */
function pairOf(step, name) {
  const [token, id] = listOf(step, name);
  const isRight = typeof token === 'string' && Number.isInteger(id) && id >= 0;
  return {
    ids: [isRight ? id : refuse(id, `${name} of ${step.type} must be a token and its id`)],
    type: 0,
    added: true,
  };
}

/** Steps that move only offsets, which are not read here. @type {Processor} */
const IDLE = (parts) => parts;

/** @type {Record<string, (step: Step, before: Processor[]) => Processor>} */
const PROCESSORS = {
  BertProcessing(step, before) {
    expectFirst(step, before);
    const [cls, sep] = [pairOf(step, 'cls'), pairOf(step, 'sep')];
    return (parts, special) =>
      special ? parts.flatMap((part, i) => [...(i ? [] : [cls]), part, { ...sep, type: i && 1 }]) : parts;
  },
  ByteLevel: () => IDLE,
  RobertaProcessing(step, before) {
    expectFirst(step, before);
    const [cls, sep] = [pairOf(step, 'cls'), pairOf(step, 'sep')];
    return (parts, special) => {
      const plain = parts.map((part) => ({ ...part, type: 0 }));
      return special ? plain.flatMap((part, i) => [i ? sep : cls, part, sep]) : plain;
    };
  },
  TemplateProcessing(step, before) {
    expectFirst(step, before);
    const [single, pair] = [templateOf(step, 'single', 1), templateOf(step, 'pair', 2)];
    return (parts, special) =>
      (parts.length > 1 ? pair : single).flatMap(({ text, type, ids }) =>
        text === undefined ? (special ? [{ ids, type, added: true }] : []) : [{ ...parts[text], type }],
      );
  },
};

/** A second step would take the first one's tokens for a text. @param {Step} step @param {Processor[]} before */
function expectFirst({ type }, before) {
  if (before.some((each) => each !== IDLE)) unread(type, 'a second step of its post_processor');
}

/**
 * @param {Step} step
 * @param {string} name
 * @param {number} most texts that it is given
 * @returns {{text?: number, type: number, ids: number[]}[]}
 */
function templateOf(step, name, most) {
  const tokens = isObject(step.special_tokens) ? step.special_tokens : {};
  const pieces = listOf(step, name).map((piece) => {
    const [kind, ...others] = isObject(piece) ? Object.keys(piece) : [];
    const is = isObject(piece) && !others.length ? piece[kind] : null;
    if (!isObject(is) || !/^(Sequence|SpecialToken)$/.test(kind))
      return refuse(piece, `${name} of ${step.type}: a piece of it is none`);
    const type = countOf({ ...is, type: `a piece of ${step.type}` }, 'type_id');
    if (kind === 'Sequence') {
      const text = ['A', 'B'].indexOf(String(is.id));
      if (text < 0 || text >= most) refuse(is.id, `${name} of ${step.type} has a text that is not there`);
      return { text, type, ids: [] };
    }
    const token = Object.hasOwn(tokens, String(is.id)) ? tokens[String(is.id)] : null;
    const ids = isObject(token) && Array.isArray(token.ids) ? token.ids : [];
    if (!ids.length || !ids.every((id) => Number.isInteger(id) && id >= 0))
      refuse(is.id, `${name} of ${step.type}: special_tokens has no ids for it`);
    return { type, ids: [...ids] };
  });
  if (pieces.filter(({ text }) => text !== undefined).length > MOST_COPIES)
    unread(undefined, `a template of more than ${MOST_COPIES} texts`);
  return pieces;
}

/**
 * @param {unknown} json
 * @returns {Processor}
 */
export function processorOf(json) {
  const steps = stepsOf(json, 'post_processor', 'processors', PROCESSORS);
  return (parts, special) => steps.reduce((all, step) => step(all, special), parts);
}
