// The book while it is open: turns pages, draws them, points at what a page speaks of.

import css from './book.css';
import { addStyle } from '../../draw/style.js';
import { onPageKey } from '../../shared/page-keys.js';
import { modelOf, stateOf } from '../shared/link-state.js';
import { lookAt, tried } from '../shared/look.js';
import { readerOf } from '../shared/reader.js';
import sideCss from '../shared/side.css';
import { pages } from './pages.js';
import { createPointer } from './pointer.js';
import { readProgress, writeProgress } from './progress.js';
import { areThere, sentenceOf, valuesOf } from './sentences.js';
import * as view from './view.js';

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('./pages.js').Page} Page
 * @typedef {import('../shared/look.js').Look} Look
 */

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} button that opens the book
 * @param {import('../index.js').Tools} tools
 */
export function createBook(root, button, tools) {
  addStyle(sideCss + css);
  const progress = readProgress(pages.length);
  const actions = { onTurn: turn, onLeave: leave, onAgain: begin, onStory: setStory };
  const shown = createPage(root, tools, progress, () => ({ number, story, isBegun }), actions);
  root.addEventListener('keydown', (event) =>
    onPageKey(event, { turn: (way) => turn(number + way), leave: () => (story ? setStory(false) : leave()) }),
  );

  let number = 0; // of the page, 0: the book is closed
  let story = false;
  let isBegun = false; // the page has set its state
  const reader = readerOf(tools);

  const page = () => pages[number - 1];

  /** @param {number} to */
  function turn(to) {
    if (!pages[to - 1]) return;
    number = to;
    begin();
  }

  /** Sets what the page sets. */
  function begin() {
    isBegun = true;
    shown.turned();
    const now = page();
    reader.at({ book: number });
    progress.page = number;
    writeProgress(progress);
    shown.draw(null);
    reader.go(modelOf(now), () => {
      reader.show(stateOf(now, tools.modelInfo()));
      tools.history.swap({ past: [], future: [] });
    });
  }

  function leave() {
    number = 0;
    close();
    reader.goHome();
    button.focus();
  }

  function close() {
    root.hidden = true;
    shown.clear();
    setStory(false);
    delete document.documentElement.dataset.book;
  }

  /** @param {boolean} on */
  function setStory(on) {
    story = on;
    if (!number) return;
    document.documentElement.dataset.book = on ? 'story' : 'beside';
    shown.moved();
    tools.set({}); // the maps are laid out anew
    root.focus({ preventScroll: true });
  }

  return {
    leave,
    /** Whether it is open, and what its page's numbers need. @param {import('../index.js').Query} query */
    required(query) {
      const now = page();
      return now && (query.plan.model ?? 'untrained') === modelOf(now) ? (now.required?.(query) ?? []) : [];
    },
    update: shown.draw,
    /**
     * Follows the state. A link may name a page; with nothing else in it, the page sets its own state.
     * @param {State} state
     * @param {{isBare: boolean}} link
     */
    follow(state, { isBare }) {
      if (reader.arrived(state) || state.book === (number || null)) return;
      if (state.book === null) {
        number = 0;
        reader.forget(state); // another link was followed: it is as it says
        return close();
      }
      if (!number) {
        reader.begin(state);
        document.documentElement.dataset.book = 'beside';
      }
      number = Math.min(state.book, pages.length) || progress.page;
      isBegun = false;
      shown.turned();
      const isAsked = !state.book; // by the button
      queueMicrotask(() => {
        if (isBare || isAsked) begin();
        else tools.set({ book: number });
        if (isAsked) root.focus({ preventScroll: true });
      });
    },
  };
}

/**
 * The open page: its text with the numbers of the present result, and its pointer.
 * @param {HTMLElement} root
 * @param {import('../index.js').Tools} tools
 * @param {ReturnType<typeof readProgress>} progress
 * @param {() => {number: number, story: boolean, isBegun: boolean}} open number: of the page, 0: the book is closed;
 * `isBegun`: it has set its state
 * @param {Omit<Parameters<typeof view.create>[1], 'onWhere'>} actions
 */
function createPage(root, tools, progress, open, actions) {
  let isNew = false; // the page was turned, and its numbers have not been shown yet
  /** The page's numbers as last shown: they stay when the reader's change is no longer what they speak of. */
  let values = /** @type {import('./sentences.js').Values | null} */ (null);
  const pointer = createPointer(root);
  const book = view.create(root, { ...actions, onWhere: () => pointer.showControl(pages[open().number - 1]) });

  /**
   * What is seen with the task done stays, also when the state is another again.
   * @param {Page} now @param {Look} look
   */
  function keepSeen(now, look) {
    const seen = tried(() => now.done(look)) ? valuesOf(now.seen.numbers, look) : null;
    if (!seen || !areThere(now.seen.numbers, seen)) return;
    if (JSON.stringify(seen) === JSON.stringify(progress.done.get(now.id))) return;
    progress.done.set(now.id, seen);
    writeProgress(progress);
  }

  return {
    clear: pointer.clear,
    moved: () => void (isNew = true),
    turned() {
      isNew = true;
      values = null;
    },
    /** @param {import('../index.js').Context | null} context null: its numbers are on their way */
    draw(context) {
      const { number, story, isBegun } = open();
      const now = pages[number - 1];
      if (!now) return;
      const isHere = context !== null && (context.result.plan.model ?? 'untrained') === modelOf(now);
      const look = isHere || (context && now.elsewhere) ? lookAt(/** @type {any} */ (context)) : null;
      if (look && tried(() => now.holds?.(look) ?? true)) values = valuesOf(now.numbers, look);
      if (look) keepSeen(now, look);
      const seen = progress.done.get(now.id);
      // opened by a link to a state that they do not speak of
      const isBare = !values && look && !isBegun;
      book.update({
        number,
        title: now.title,
        titles: pages.map(({ title }) => title),
        text: now.text
          .filter((sentence) => !isBare || !sentence.includes('{'))
          .map((sentence) => sentenceOf(sentence, values ?? {})),
        task: now.task.text,
        done: progress.done.has(now.id),
        seen: seen && areThere(now.seen.numbers, seen) ? sentenceOf(now.seen.text, seen) : [],
        isOwn: isHere ? !isBare && context.state.text === stateOf(now, tools.modelInfo()).text : !values,
        completed: pages.map(({ id }) => progress.done.has(id)),
        doubt: now.doubt,
        story,
      });
      root.hidden = false;
      if (!look) return pointer.clear();
      if (pointer.point(now, { story, isNew })) isNew = false;
    },
  };
}
