// The lessons while they are open: turns from one to the next, sets what each begins with, gives it the results.

import css from './book.css';
import { modelOf, stateOf } from './link-state.js';
import { lessonAt, lessons, lessonsInTrain } from './list.js';
import { createPage } from './page.js';
import { readProgress, writeProgress } from './progress.js';
import { createPuzzle } from './puzzle.js';
import puzzleCss from './puzzles.css';
import { createReader } from './reader.js';
import sideCss from './side.css';
import * as view from './view.js';
import { addStyle } from '../../draw/style.js';
import { onPageKey } from '../../shared/page-keys.js';

/**
 * @typedef {import('../index.js').State} State
 *
 * What runs a kind of lesson. `begin`: from now on the state is the lesson's; `draw`: of a result, null while there is
 * none; `content`: what stands below the title.
 * @typedef {{
 *   open: (lesson: any) => void, begin: () => void, close: () => void, moved: () => void,
 *   draw: (context: import('../index.js').Context | null, isStory: boolean) => void,
 *   content: () => import('lit-html').TemplateResult,
 * }} Player
 */

/** @param {HTMLElement} root @param {HTMLElement} button that opens them @param {import('../index.js').Tools} tools */
export function createLessons(root, button, tools) {
  addStyle(sideCss + css + puzzleCss);
  const progress = readProgress();
  const reader = createReader(tools);
  const shown = createShown(root, tools, progress, { onTurn: turn, onLeave: leave, onAgain: begin });
  root.addEventListener('keydown', (event) =>
    onPageKey(event, {
      turn: (way) => turn(lessons[lessons.findIndex((each) => each === shown.now()) + way]?.number),
      leave: () => (shown.isStory() ? shown.setStory(false) : leave()),
    }),
  );

  /** @param {number} [number] */
  function turn(number) {
    if (!number) return;
    open(number);
    begin(true);
  }

  /** @param {number} number */
  function open(number) {
    progress.page = shown.open(number);
    writeProgress(progress);
    reader.at(progress.page);
  }

  /** Sets the start. @param {boolean} [isOther] another one was open: its tries cannot be undone here */
  function begin(isOther = false) {
    const lesson = shown.now();
    if (!lesson) return;
    if (!isOther) shown.open(lesson.number);
    reader.go(modelOf(lesson), () => {
      shown.begin();
      reader.show(stateOf(lesson, tools.modelInfo()));
      if (isOther || lesson.kind === 'page') tools.history.swap({ past: [], future: [] });
    });
  }

  function leave() {
    shown.close();
    reader.goHome();
    button.focus();
  }

  return {
    leave,
    /** What the open lesson's numbers need. @param {import('../index.js').Query} query */
    required(query) {
      const now = shown.now();
      return now && (query.plan.model ?? 'untrained') === modelOf(now) ? (now.required?.(query) ?? []) : [];
    },
    update: shown.draw,
    /**
     * Follows the state. A link may name a lesson; with nothing else in it, the lesson sets its own state.
     * @param {State} state @param {{isBare: boolean}} link
     */
    follow(state, { isBare }) {
      const now = shown.now();
      if (reader.arrived(state) || state.book === (now?.number ?? null)) return;
      if (state.book === null) {
        reader.forget(); // another link was followed: it is as it says
        return shown.close();
      }
      if (!now) reader.begin(state);
      const isAsked = !state.book; // by the button
      open(state.book || progress.page);
      queueMicrotask(() => {
        if (isBare || isAsked) begin(true);
        else {
          if (shown.now()?.kind === 'puzzle') shown.begin();
          tools.set({ book: progress.page });
        }
        if (isAsked) root.focus({ preventScroll: true });
      });
    },
  };
}

/**
 * The lesson that is open, as its kind shows it.
 * @param {HTMLElement} root
 * @param {import('../index.js').Tools} tools
 * @param {import('./progress.js').Progress} progress
 * @param {Omit<Parameters<typeof view.create>[1], 'onStory'>} actions
 */
function createShown(root, tools, progress, actions) {
  /** @type {Record<'page' | 'puzzle', Player>} */
  const players = { page: createPage(root, tools, progress), puzzle: createPuzzle(tools, progress, show) };
  const { update } = view.create(root, { ...actions, onStory: setStory });
  /** @type {import('./list.js').Lesson | null} */
  let now = null;
  let story = false;

  function show() {
    if (!now) return;
    update({ now, progress, inTrain: lessonsInTrain(), story, content: players[now.kind].content() });
    root.hidden = false;
  }

  /** @param {import('../index.js').Context | null} context */
  function draw(context) {
    if (!now) return;
    players[now.kind].draw(context, story);
    show();
  }

  /** @param {boolean} on */
  function setStory(on) {
    story = on;
    if (!now) return;
    document.documentElement.dataset.book = on ? 'story' : 'beside';
    players[now.kind].moved();
    tools.set({}); // the maps are laid out again
    root.focus({ preventScroll: true });
  }

  return {
    now: () => now,
    isStory: () => story,
    setStory,
    draw,
    begin: () => now && players[now.kind].begin(),
    /** @param {number} number @returns {number} of the lesson that there is */
    open(number) {
      if (now) players[now.kind].close();
      else document.documentElement.dataset.book = 'beside';
      now = lessonAt(number);
      players[now.kind].open(now);
      if (story && now.kind === 'puzzle') setStory(false);
      draw(null);
      return now.number;
    },
    close() {
      if (now) players[now.kind].close();
      now = null;
      story = false;
      root.hidden = true;
      delete document.documentElement.dataset.book;
    },
  };
}
