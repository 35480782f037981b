// The recorded steps and the half-written one, kept in the browser where that is allowed, until they are removed.

import { MOST_STEPS, rowOf, stepOf } from '../../shared/trail.js';

const NAME = 'glassformer-trail';
const LONGEST_TEXT = 1000;

/**
 * What stands in the form; `own`: a question of the teacher's; `right`: of its answers, null: the model decides.
 * @typedef {{sentence: string, own: boolean, question: string, answers: string[], right: number | null}} Draft
 * @typedef {{steps: import('../../shared/trail.js').Step[], draft: Draft}} Recording
 */

/** @returns {Draft} */
export const emptyDraft = () => ({ sentence: '', own: false, question: '', answers: ['', '', '', ''], right: null });

/** @param {unknown} value */
const textOf = (value) => (typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : '');

/** @param {any} value @returns {Draft} */
function draftOf(value) {
  const empty = emptyDraft();
  return {
    sentence: textOf(value?.sentence),
    own: value?.own === true,
    question: textOf(value?.question),
    answers: empty.answers.map((_, i) => textOf(value?.answers?.[i])),
    right: empty.answers[value?.right] === undefined ? null : value.right,
  };
}

/** Kept by another tab, too, so it is read where it is asked for. */
export function createKeep() {
  /** What could not be kept. @type {Recording | null} */
  let unkept = null;
  let problem = '';

  return {
    /** @returns {Recording} */
    read() {
      if (unkept) return unkept;
      try {
        const { steps: rows, draft } = JSON.parse(localStorage.getItem(NAME) ?? '{"steps":[]}');
        const steps = rows.flatMap((/** @type {unknown} */ row) => stepOf(row) ?? []).slice(0, MOST_STEPS);
        if (steps.length < rows.length) problem = 'A part of what this browser kept was damaged and is left out.';
        return { steps, draft: draftOf(draft) };
      } catch (error) {
        const isDamaged = error instanceof SyntaxError || error instanceof TypeError;
        if (isDamaged) problem = 'What this browser kept was damaged, so the trail begins anew.';
        else refused();
        return { steps: [], draft: emptyDraft() };
      }
    },
    /** @param {Recording} recording */
    write({ steps, draft }) {
      try {
        localStorage.setItem(NAME, JSON.stringify({ steps: steps.map(rowOf), draft }));
        unkept = null;
      } catch {
        unkept = { steps, draft };
        refused();
      }
    },
    /** What the reader has to know of it. */
    problem: () => problem,
  };

  function refused() {
    problem = 'This browser does not keep the trail: copy its link before you close the page.';
  }
}
