// The reader's predictions and findings, kept in the browser where it allows storage.

import { SURE } from './score.js';
import { VERDICTS } from './wording.js';

const NAME = 'glassformer-claims';

/**
 * @typedef {import('../../src/claims/index.js').Params} Params
 * @typedef {import('./wording.js').Judged} Judged
 * @typedef {import('../../src/claims/index.js').Comparison} Comparison
 * @typedef {{
 *   number: number, params: Params, predicted: number | null, sure: number | null, guess: number | null,
 *   verdict: Judged | null, comparisons: Comparison[], seconds: number | null, when: number | null,
 * }} Answer `params` (seeds alone) and what follows are of the sentence's own run; `predicted`: index of a choice,
 * `sure`: of it, in per cent, null where it was not asked; `guess`: of the number that decides; `when`: it was run, in
 * ms since 1970
 * @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} Store
 * @typedef {'refused' | 'full' | 'damaged'} Problem
 */

/** @type {Omit<Answer, 'number'>} */
export const NO_ANSWER = {
  params: {},
  predicted: null,
  sure: null,
  guess: null,
  verdict: null,
  comparisons: [],
  seconds: null,
  when: null,
};

/** @param {number} number @returns {Answer} */
const unanswered = (number) => ({ number, ...NO_ANSWER });

/**
 * By claim number. Another tab may write at the same time, so each answer is read where it is asked for.
 * @param {() => Store} [open] may throw: a browser may refuse even access to its storage
 */
export function createAnswers(open = () => localStorage) {
  /** Answers that could not be kept. @type {Map<number, Answer> | null} */
  let unkept = null;
  /** Of the text that was read last: a page reads it for each view that it draws. */
  let read = { text: /** @type {string | null} */ (null), answers: /** @type {Map<number, Answer>} */ (new Map()) };
  /** @type {Set<Problem>} */
  const problems = new Set();

  /** @param {unknown} error */
  function addProblem(error) {
    problems.add(/** @type {Error | null} */ (error)?.name === 'QuotaExceededError' ? 'full' : 'refused');
  }

  /** @returns {Map<number, Answer>} */
  function all() {
    if (unkept) return new Map(unkept);
    try {
      const text = open().getItem(NAME);
      if (text !== read.text) {
        const { answers, isDamaged } = readAnswers(text);
        if (isDamaged) problems.add('damaged');
        read = { text, answers };
      }
      return new Map(read.answers);
    } catch (error) {
      unkept = new Map();
      addProblem(error);
      return new Map();
    }
  }

  /** @param {Map<number, Answer>} answers */
  function write(answers) {
    try {
      if (answers.size > 0) open().setItem(NAME, writeAnswers(answers));
      else open().removeItem(NAME);
      unkept = null;
    } catch (error) {
      unkept = answers;
      addProblem(error);
    }
  }

  return {
    /** @param {number} number @returns {Answer} one without prediction and verdict, where there is none yet */
    get: (number) => all().get(number) ?? unanswered(number),

    /** @param {number} number @param {Partial<Answer>} part what is new */
    set(number, part) {
      const answers = all();
      write(answers.set(number, { ...(answers.get(number) ?? unanswered(number)), ...part, number }));
    },

    all,

    /** The last that the storage had; the answers then last as long as the page. @returns {Problem | undefined} */
    problem: () => [...problems].at(-1),

    /** @returns {() => void} brings them back; of claims answered since, the new answer stays */
    clear() {
      const before = all();
      write(new Map());
      return () => write(new Map([...before, ...all()]));
    },
  };
}

/** JSON knows neither infinity nor NaN, and an overflow is a finding. @param {ReadonlyMap<number, Answer>} answers */
function writeAnswers(answers) {
  return JSON.stringify([...answers.values()], (_, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
}

/** @param {string | null} text */
function readAnswers(text) {
  /** @type {Map<number, Answer>} */
  const answers = new Map();
  let isDamaged = false;
  for (const one of listOf(text)) {
    const answer = answerOf(one);
    if (answer) answers.set(answer.number, answer);
    else isDamaged = true;
  }
  return { answers, isDamaged };
}

/** @param {string | null} text @returns {unknown[]} one that is no answer where the text is no list */
function listOf(text) {
  try {
    const list = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list : [null];
  } catch {
    return [null];
  }
}

/** @param {any} value */
const isWhole = (value) => Number.isInteger(value) && value >= 0;

/** As it is not asked, no bet is made of it. @param {any} value */
const isSure = (value) => isWhole(value) && value >= SURE.least && value <= SURE.most;

/** @param {any} value */
const isParams = (value) =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  Object.values(value).every((each) => ['number', 'string', 'boolean'].includes(typeof each));

/** @param {any} value @returns {value is Judged} */
const isJudged = (value) => VERDICTS.includes(value?.verdict) && typeof value.found === 'string';

/** As version 0.1 kept it: the verdict may have been that of a control. @param {any} value */
const isOld = (value) => typeof value?.why === 'string';

/** @param {any} value */
const numberOf = (value) => (typeof value === 'number' || /^(NaN|-?Infinity)$/.test(value) ? Number(value) : null);

/** @param {any} values @returns {number[]} */
function numbersOf(values) {
  const numbers = values.map(numberOf);
  if (numbers.includes(null)) throw new TypeError('no number');
  return numbers;
}

/** @param {any} value @returns {[low: number, high: number]} */
function rangeOf(value) {
  const [low, high, ...more] = numbersOf(value);
  if (high === undefined || more.length > 0) throw new TypeError('no range');
  return [low, high];
}

/** @param {any} value @returns {Comparison} */
function comparisonOf({ label, values, range, allowed, within, share }) {
  if (typeof label !== 'string' || typeof within !== 'boolean') throw new TypeError('no comparison');
  const numbers = { values: numbersOf(values), range: rangeOf(range), allowed: rangeOf(allowed) };
  return { label, ...numbers, within, ...(share === true ? { share } : {}) };
}

/** @param {any} value @returns {Answer | null} */
function answerOf(value) {
  try {
    const { number, params, predicted, verdict, comparisons, seconds, when } = value;
    const sure = isSure(value.sure) ? value.sure : null;
    const guess = Number.isFinite(value.guess) ? value.guess : null;
    if (!isWhole(number) || !isParams(params) || (predicted !== null && !isWhole(predicted))) return null;
    if (isOld(verdict)) return { ...unanswered(number), predicted, sure, guess };
    if (verdict !== null && !isJudged(verdict)) return null;
    const run = { comparisons: comparisons.map(comparisonOf), seconds: seconds === null ? null : numberOf(seconds) };
    return { number, params, predicted, sure, guess, verdict, ...run, when: isWhole(when) ? when : null };
  } catch {
    return null;
  }
}
