// The lessons of a place while they are open: turns from one to the next, sets their start and shows the panel.

import css from './style.css';
import { createAttempt } from './attempt.js';
import { KINDS, addressOf, lessonAt } from './index.js';
import { createPanel, hasStory } from './panel.js';
import { createPointer } from './pointer.js';
import { addStyle } from '../kit/feature.js';

/**
 * @typedef {import('./index.js').Listed} Lesson
 *
 * The options of a place. `mark`: of the document while a lesson is open. `read`: its view at a moment. `begin`: sets
 * the lesson's start, then calls `begun`; `isOther`: another lesson was open. `leave`: all is as it was before. `rest`:
 * how long a result has to stay to be a try, see tries.js. `act`: by the lesson's button, `choose`: its task's
 * switch. `proof`: the run with the best score.
 * @typedef {{
 *   id: string, place: string, mark: string, rest: number,
 *   read: (context: any, lesson: Lesson) => import('./attempt.js').Moment,
 *   begin: (lesson: Lesson, isOther: boolean, begun: () => void) => void, leave: () => void, redraw: () => void,
 *   whenShown: (id: string) => Promise<void>, act?: (action: NonNullable<Lesson['action']>) => void,
 *   choose?: (choice: import('./index.js').Choice, facts: any) => void,
 *   proof?: (lesson: Lesson, record: import('./progress.js').Record) => unknown,
 * }} Stage
 */

/** @param {HTMLElement} parent of the panel @param {Stage} stage */
export function createLessons(parent, stage) {
  addStyle(css);
  const { dataset } = document.documentElement;
  const root = panelIn(parent, stage.id);
  const pointer = createPointer(root);
  const attempt = createAttempt(stage, show);
  const panel = createPanel(root, {
    stage,
    onTurn: turn,
    onLeave: leave,
    onAgain: () => now && begin(now, false),
    onStory: setStory,
    onWhere: () => now && pointer.showControl(now),
  });
  /** @type {Lesson | null} */
  let now = null;
  /** Where the focus was before the first. @type {Element | null} */
  let home = null;
  let story = false;
  let isNew = false; // the lesson was turned, and its target has not been shown yet

  /** @param {Lesson} [lesson] */
  function turn(lesson) {
    if (!lesson) return;
    if (KINDS[lesson.kind].place === stage.place) return begin(lesson, true);
    leave();
    location.hash = addressOf(lesson);
  }

  /** Opens a lesson and sets its start. @param {Lesson} lesson @param {boolean} isOther another one was open */
  function begin(lesson, isOther) {
    open(lesson);
    stage.begin(lesson, isOther, attempt.begun);
  }

  /** @param {Lesson} lesson */
  function open(lesson) {
    home = now ? home : document.activeElement;
    now = lesson;
    isNew = true;
    attempt.start(lesson);
    pointer.clear();
    dataset[stage.mark] ??= 'beside';
    if (story && !hasStory(lesson)) setStory(false);
    draw(null);
  }

  function close() {
    if (!now) return;
    now = null;
    story = false;
    attempt.stop();
    pointer.clear();
    root.hidden = true;
    delete dataset[stage.mark];
  }

  function leave() {
    close();
    stage.leave();
    focusAgain(home);
  }

  /** @param {boolean} on */
  function setStory(on) {
    story = on;
    dataset[stage.mark] = on ? 'story' : 'beside';
    isNew = true;
    stage.redraw(); // the maps are laid out again
    root.focus({ preventScroll: true });
  }

  /** @param {any} context that the place reads; null: there is none yet */
  function draw(context) {
    if (!now) return;
    const isThere = attempt.read(context);
    show();
    const { target } = now;
    if (!isThere || !target) return pointer.clear();
    if (pointer.point(now, { story, isNew })) {
      if (story && isNew) queueMicrotask(stage.redraw); // maps are as high as what stands above them leaves
      isNew = false;
    } else if (target.startsWith('#')) stage.whenShown(target.slice(1)).then(stage.redraw); // late features come after
  }

  function show() {
    if (!now) return;
    panel.update({ now, story, ...attempt.data() });
    root.hidden = false;
  }

  return {
    ...{ begin, open, close, leave, draw },
    now: () => now,
    begun: attempt.begun,
    focus: () => root.focus({ preventScroll: true }),
    /** The lesson of Explore that was open last. */
    last: () => lessonAt(attempt.page()),
  };
}

/** @param {HTMLElement} parent @param {string} id */
function panelIn(parent, id) {
  const root = document.createElement('aside');
  Object.assign(root, { id, className: 'side book', tabIndex: -1, hidden: true });
  root.setAttribute('aria-labelledby', `${id}-title`);
  parent.append(root);
  return root;
}

/** @param {Element | null} home where the focus was before, if that is still there */
function focusAgain(home) {
  const next = home?.isConnected && home !== document.body ? home : document.getElementById('book-button');
  if (next instanceof HTMLElement) next.focus();
}
