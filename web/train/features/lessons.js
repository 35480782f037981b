// Lessons in Train: the guided run and the challenges, what they read of the run, and the run with the best score.

import { html, nothing } from 'lit-html';
import { lessons } from '../../lessons/index.js';
import { createLessons } from '../../lessons/runner.js';
import { taskOf, writeAddress } from '../schema.js';
import { checkedRun, factsOfRun, seenIn } from '../facts.js';
import { valueText } from '../settings/settings.js';
import { recipeOf } from '../state.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../../lessons/runner.js').Lesson} Lesson
 */

const HASH = 12; // characters that are shown at first
/** The lesson that the state names. @param {TrainState} state */
const lessonOf = ({ lesson }) => lessons.find(({ link }) => link === lesson);

/**
 * @param {HTMLElement} root
 * @param {import('../index.js').Tools} tools
 */
function createTrainLessons(root, { get, set, turnLesson, goTo, trainWith }) {
  const recipes = () => new Map([...get().tasks].map(([name, { recipe }]) => [name, recipe]));
  const panel = createLessons(root, {
    id: 'train-lesson',
    place: 'train',
    mark: 'lesson',
    rest: 0,
    read(/** @type {TrainState} */ { report, running, task }, { kind, link }) {
      if (!report || report.task !== task) return { facts: null };
      if (kind === 'guided') return { facts: seenIn(get()) };
      if (running || report.inspection.hash === null || task !== taskOf(link)) return { facts: null };
      const { settings, changes, step, inspection } = report;
      const recipe = recipeOf(get());
      const [key, at] = [0, step].map((to) => writeAddress({ task, settings, changes, step: to }, recipe));
      return { facts: factsOfRun(report, recipe), key, proof: { link: at, hash: String(inspection.hash) } };
    },
    begin({ kind, link }, isOther, begun) {
      begun();
      // The pages of the guided run share one run.
      const goesOn = isOther && kind === 'guided' && lessonOf(get())?.kind === kind;
      turnLesson(link, { begins: !goesOn, isEntry: isOther });
    },
    leave: () => turnLesson(''),
    redraw: () => set({}),
    whenShown: async () => {},
    act: ({ to, change }) => {
      if (get().running) return;
      if (to !== undefined) goTo(to);
      else if (change) trainWith(change);
    },
    proof: (lesson, { link, hash }) => proofOf(link, hash, taskOf(lesson.link), recipes()),
  });
  let frame = 0;

  function draw() {
    frame = 0;
    const lesson = lessonOf(get());
    if (document.documentElement.dataset.place === 'train')
      document.getElementById('book-button')?.setAttribute('aria-expanded', String(Boolean(lesson)));
    if (!lesson || !get().report) return panel.close();
    if (lesson !== panel.now()) {
      const isAsked = document.activeElement !== document.body; // by a button
      panel.open(lesson);
      panel.begun();
      if (isAsked) panel.focus();
    }
    panel.draw(get());
  }
  return {
    /** @param {TrainState | null} next null: no lesson is open */
    update(next) {
      if (next?.running) frame ||= requestAnimationFrame(draw);
      else {
        cancelAnimationFrame(frame);
        draw();
      }
    },
  };
}

/**
 * The changes of the run with the best score, its link and the hash of its weights.
 * @param {string | undefined} link @param {string | undefined} hash @param {string} task
 * @param {import('../facts.js').Recipes} recipes
 */
function proofOf(link, hash, task, recipes) {
  const run = checkedRun(link, task, recipes);
  if (!run) return nothing;
  const recipe = /** @type {import('../state.js').Settings} */ (recipes.get(task));
  const names = Object.keys(recipe).filter((name) => !Object.is(run.settings[name], recipe[name]));
  const words = names.map((name) => valueText([name, run.settings[name]]).replace(' (0: no FFN)', '')).join(', ');
  return html`<p class="puzzle-proof">The best: ${words || 'the recipe'}${
    run.changes.length ? '; settings changed on the way' : ''
  }. <a href=${link}>Open this run</a></p>
    ${
      hash
        ? html`<details class="challenge-proof">
          <summary>SHA-256 of its weights: <code>${hash.slice(0, HASH)}</code></summary>
          <code>${hash}</code>
        </details>`
        : nothing
    }`;
}

/** Follows the state from the first lesson on, beside the page. @type {import('../index.js').Feature} */
export const lessonPanel = {
  name: 'lessons',
  begin(tools) {
    const { get, watch } = tools;
    const root = /** @type {HTMLElement} */ (document.getElementById('train'));
    const panel = createTrainLessons(root, tools);
    const follow = () => document.hidden || panel.update(get().lesson ? get() : null);
    follow();
    watch(follow);
  },
  render: () => null,
};
