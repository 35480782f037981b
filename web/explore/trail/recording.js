// The steps that are recorded, and the form for one of them.

import { createKeep, emptyDraft } from './keep.js';
import { shownLink } from './link.js';
import { FEWEST_ANSWERS } from '../../shared/trail.js';

/**
 * @typedef {import('../../shared/trail.js').Step} Step
 * @typedef {import('../../shared/trail.js').Question} Question
 * @typedef {import('./keep.js').Draft} Draft
 */

/** @param {import('../index.js').Tools} tools */
export function createRecording(tools) {
  const keep = createKeep();
  let error = '';
  /** @type {{at: number, draft: Draft} | null} the step that is edited, and what the form has meanwhile */
  let edited = null;
  /** @type {{text: string, steps: Step[]} | null} the steps before the last removal */
  let undo = null;

  /** @param {Step[]} steps @param {{text: string, steps: Step[]} | null} [before] what can be undone */
  function change(steps, before = null) {
    undo = before;
    keep.write({ ...keep.read(), steps });
  }

  /** @param {{at: number, draft: Draft} | null} next */
  function edit(next) {
    edited = next;
    error = '';
  }

  return {
    steps: () => keep.read().steps,
    data() {
      const { steps, draft } = keep.read();
      const form = { draft: edited?.draft ?? draft, edited: edited?.at ?? null, error };
      return { steps, ...form, undo: undo?.text ?? '', problem: keep.problem() };
    },
    /** @param {Draft} draft */
    write(draft) {
      if (edited) edit({ ...edited, draft });
      else keep.write({ ...keep.read(), draft });
      error = '';
    },
    /**
     * Takes what the form has as a step.
     * @param {boolean} ofView with the present view
     * @returns {string} what was done; '': `error` says why nothing was
     */
    submit(ofView) {
      const { steps, draft } = keep.read();
      const at = edited?.at ?? steps.length;
      const now = edited?.draft ?? draft;
      const question = now.own ? questionOf(now) : null;
      error = problemOf(now, question, ofView ? tools : null);
      if (error) return '';
      const link = ofView ? shownLink(tools.link()) : steps[at].link;
      const isNew = !edited;
      if (isNew) keep.write({ steps, draft: emptyDraft() });
      edit(null);
      change(steps.toSpliced(at, 1, { sentence: now.sentence.trim(), link, question }));
      return isNew ? `Step ${at + 1} recorded.` : `Step ${at + 1} changed.`;
    },
    cancel: () => edit(null),
    /** @param {number} at */
    edit(at) {
      const { sentence, question: asked } = keep.read().steps[at];
      const answers = emptyDraft().answers.map((_, i) => asked?.answers[i] ?? '');
      const question = { own: asked !== null, question: asked?.question ?? '', right: asked?.right ?? null };
      edit({ at, draft: { sentence, ...question, answers } });
    },
    /** @param {number} at @param {number} to */
    move(at, to) {
      const { steps } = keep.read();
      const moved = steps.toSpliced(at, 1).toSpliced(to, 0, steps[at]);
      if (edited) edited = { ...edited, at: moved.indexOf(steps[edited.at]) };
      change(moved);
    },
    /** @param {number} at */
    remove(at) {
      const { steps } = keep.read();
      if (edited?.at === at) edit(null);
      else if (edited && edited.at > at) edited = { ...edited, at: edited.at - 1 };
      change(steps.toSpliced(at, 1), { text: `Step ${at + 1} removed.`, steps });
    },
    clear() {
      edit(null);
      change([], { text: 'All steps removed.', steps: keep.read().steps });
    },
    undo() {
      edit(null);
      if (undo) change(undo.steps);
    },
  };
}

/** @param {Draft} draft @returns {Question} */
function questionOf({ question, answers, right }) {
  const written = answers.map((answer) => answer.trim());
  const kept = written.filter(Boolean);
  const at = right === null ? -1 : kept.indexOf(written[right]);
  return { question: question.trim(), answers: kept, right: at < 0 ? null : at };
}

/**
 * Why a step cannot be recorded; '': it can.
 * @param {Draft} draft
 * @param {Question | null} asked
 * @param {import('../index.js').Tools | null} tools of the view that it is to show; null: one that was recorded
 */
function problemOf({ sentence }, asked, tools) {
  if (!sentence.trim()) return 'Write a sentence for this step.';
  if (tools && !/^\w+$/.test(tools.get().model))
    return 'A link holds no weights. Choose a model that comes with the page.';
  if (tools && !tools.plan().ids.length) return 'There is nothing to show. Type a sentence for the model.';
  if (!asked) return '';
  if (!asked.question) return 'Write the question.';
  if (asked.answers.length < FEWEST_ANSWERS || new Set(asked.answers).size < asked.answers.length)
    return 'A question needs two to four different answers.';
  const words = tools?.modelInfo()?.outputVocabulary;
  const unknown = asked.answers.find((answer) => !words?.includes(answer));
  return tools && asked.right === null && unknown !== undefined
    ? `The model cannot say “${unknown}”. Mark which answer is right.`
    : '';
}
