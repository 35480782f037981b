// What claims of the reader's own showed, kept in the browser where that is allowed, beside the answers to the cards.

import { VERDICTS } from './verdict.js';

const NAME = 'glassformer-own-claims';
const MOST = 50; // claims: the oldest goes
const LINK = '#/claims?own=';

/**
 * @typedef {import('./verdict.js').Judged} Judged
 * @typedef {{link: string, sentence: string, plan: string, bet: string, verdict: Judged}} OwnResult `plan`: what the
 * experiment does; `bet`: a verdict, or ''
 */

/** @param {() => import('./answers.js').Store} [open] may throw */
export function createOwnResults(open = () => localStorage) {
  /** What could not be kept. @type {OwnResult[] | null} */
  let unkept = null;

  /** @returns {OwnResult[]} the latest first */
  function all() {
    if (unkept) return unkept;
    try {
      const list = JSON.parse(open().getItem(NAME) ?? '[]');
      return Array.isArray(list) ? list.filter(isResult) : [];
    } catch {
      return [];
    }
  }

  /** @param {OwnResult[]} list */
  function write(list) {
    try {
      if (list.length) open().setItem(NAME, JSON.stringify(list));
      else open().removeItem(NAME);
      unkept = null;
    } catch {
      unkept = list;
    }
  }

  return {
    all,
    /** In the place of what the same link showed before. @param {OwnResult} result */
    keep: (result) => write([result, ...all().filter(({ link }) => link !== result.link)].slice(0, MOST)),
    /** @returns {() => void} brings them back, beside what was run since */
    clear() {
      const before = all();
      write([]);
      return () => {
        const since = all();
        write([...since, ...before.filter(({ link }) => !since.some((each) => each.link === link))].slice(0, MOST));
      };
    },
  };
}

/** @param {any} value @returns {value is OwnResult} */
const isResult = (value) =>
  [value?.link, value?.sentence, value?.plan, value?.bet, value?.verdict?.found].every(
    (each) => typeof each === 'string',
  ) &&
  value.link.startsWith(LINK) &&
  value.verdict.kind === 'sentence' &&
  VERDICTS.includes(value.verdict.verdict);
