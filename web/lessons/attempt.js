// The reader at a lesson: its sentences with the numbers of the moment, the verdict, the tries, and what was reached.

import { tried } from './numbers.js';
import { progressHere, writeProgress } from './progress.js';
import { areThere, valuesOf } from './sentences.js';

/**
 * @typedef {import('./index.js').Listed} Lesson
 * @typedef {import('./index.js').Verdict} Verdict
 * @typedef {import('./progress.js').Record} Record
 *
 * `facts`: null while there are none of the lesson; `key`: of the result, which is a try; `proof`: what is kept with a
 * score; `problem`: why the lesson cannot be judged; `isOwn`: text and settings are those of the lesson.
 * @typedef {{
 *   facts: any, key?: string, proof?: {link: string, hash: string}, problem?: string, isOwn?: boolean,
 * }} Moment
 */

/** @type {Verdict} */
const UNKNOWN = { isMet: false, says: '…' };

/**
 * @param {Pick<import('./runner.js').Stage, 'place' | 'rest' | 'read'>} stage
 * @param {() => void} onTry a try was counted
 */
export function createAttempt(stage, onTry, progress = progressHere()) {
  const { records } = progress;
  const tries = createTries(onTry, stage.rest);
  /** @type {Lesson} */
  let lesson;
  let isBegun = false; // the state is the lesson's: its start, or what the reader made of it
  /** The numbers as last shown: they stay when the reader's change is no longer what they speak of. */
  let values = /** @type {import('./sentences.js').Values | null} */ (null);
  /** @type {string[]} */
  let sentences = [];
  let isOwn = true;
  let verdict = UNKNOWN;
  /** @type {any} of the result that was last shown, null: none of this lesson */
  let last = null;
  /** @type {number | null} the score */
  let solved = null;

  /** @param {Partial<Record>} patch */
  function keep(patch) {
    const before = records.get(lesson.id);
    const record = { ...before, ...patch };
    if (JSON.stringify(record) === JSON.stringify(before)) return;
    records.set(lesson.id, record);
    writeProgress(progress);
  }

  /** @param {Moment} moment */
  function judge({ facts, key = '', proof }) {
    const found = tried(() => lesson.judge(facts));
    verdict = typeof found === 'boolean' ? { isMet: found } : (found ?? UNKNOWN);
    if (lesson.par) return void (found && count(verdict, key, proof));
    // The numbers that are seen with the task done stay.
    const { numbers } = lesson.seen ?? { numbers: {} };
    const seen = verdict.isMet ? valuesOf(numbers, facts) : null;
    if (seen && areThere(numbers, seen)) keep({ seen });
  }

  /** @param {Verdict} found @param {string} key @param {Moment['proof']} proof */
  function count({ isMet, isTry = true, score = null, found }, key, proof) {
    const { limit = Infinity, id } = lesson;
    const what = found ?? key;
    if (!isTry) return;
    if (solved === null && tries.count() >= limit && !tries.has(what))
      return void (verdict = { isMet: false, says: `All ${limit} tries are used. Press “Start again” for new ones.` });
    tries.see(what, isMet || solved !== null);
    if (!isMet) return;
    const reached = score ?? tries.count() + 1;
    solved = Math.min(solved ?? reached, reached);
    if (solved < (records.get(id)?.best ?? Infinity)) keep({ best: solved, ...proof });
  }

  return {
    /** @param {Lesson} next that is opened */
    start(next) {
      lesson = next;
      if (stage.place === 'explore') progress.page = next.number;
      writeProgress(progress);
      isBegun = false;
      values = solved = last = null;
      verdict = UNKNOWN;
      tries.reset();
    },
    begun: () => void (isBegun = true),
    stop: tries.reset,
    page: () => progress.page,
    /** @param {any} context @returns {boolean} whether there is something of the lesson */
    read(context) {
      const moment = context ? stage.read(context, lesson) : { facts: null };
      const { facts, problem } = moment;
      last = facts;
      if (problem) verdict = { isMet: false, says: problem };
      else if (facts && (isBegun || !lesson.par)) judge(moment);
      const { text = [], numbers = {}, holds } = lesson;
      if (facts && tried(() => holds?.(facts) ?? true)) values = valuesOf(numbers, facts);
      const isBare = !values && facts && !isBegun; // opened by a link to a state that the sentences do not speak of
      sentences = text
        .flatMap((each) => (typeof each === 'string' ? each : facts ? each(facts) : []))
        .filter((sentence) => !isBare || !sentence.includes('{'));
      isOwn = facts ? !isBare && moment.isOwn !== false : !values;
      return Boolean(facts);
    },
    data() {
      const count = tries.count() + (solved === null ? 0 : 1);
      const record = records.get(lesson.id) ?? {};
      return { records, record, sentences, values: values ?? {}, isOwn, verdict, solved, count, facts: last };
    },
  };
}

/**
 * @param {() => void} onCount
 * @param {number} rest in ms: typing and dragging in one go are one try, as they are one step of undo; 0: none is
 * needed, and the start is not seen
 */
function createTries(onCount, rest) {
  const begun = () => new Set(rest ? [] : ['']);
  /** The first is the start, which is no try. @type {Set<string>} */
  let seen = begun();
  let waiting = '';
  let timer = 0;

  function stop() {
    clearTimeout(timer);
    waiting = '';
  }

  return {
    count: () => Math.max(0, seen.size - 1),
    /** @param {string} key */
    has: (key) => seen.has(key),
    reset() {
      stop();
      seen = begun();
    },
    /** @param {string} key of a result @param {boolean} isOver the goal is reached, or was before */
    see(key, isOver) {
      if (!seen.size) return void seen.add(key);
      if (key === waiting && !isOver) return;
      stop();
      if (isOver || seen.has(key)) return;
      if (!rest) return void seen.add(key);
      waiting = key;
      timer = setTimeout(() => {
        stop();
        seen.add(key);
        onCount();
      }, rest);
    },
  };
}
