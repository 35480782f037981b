// The book while it is open: turns pages, draws them, points at what a page speaks of.

import css from './book.css';
import { addStyle } from '../../draw/style.js';
import { onPageKey } from '../../shared/page-keys.js';
import { lookAt } from './look.js';
import { modelOf, pages, stateOf } from './pages.js';
import { createPointer } from './pointer.js';
import { readProgress, writeProgress } from './progress.js';
import { createReader } from './reader.js';
import { sentencesOf, tried } from './sentences.js';
import * as view from './view.js';

/** @typedef {import('../index.js').State} State */

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} button that opens the book
 * @param {import('../index.js').Tools} tools
 */
export function createBook(root, button, tools) {
  addStyle(css);
  const progress = readProgress(pages.length);
  const actions = { onTurn: turn, onLeave: leave, onAgain: begin, onStory: setStory };
  const shown = createPage(root, tools, progress, () => ({ number, story }), actions);
  root.addEventListener('keydown', (event) =>
    onPageKey(event, { turn: (way) => turn(number + way), leave: () => (story ? setStory(false) : leave()) }),
  );

  let number = 0; // of the page, 0: the book is closed
  let story = false;
  const reader = createReader(tools, (state) => ({ ...state, book: number || null, layout: tools.get().layout }));

  const page = () => pages[number - 1];

  /** @param {number} to */
  function turn(to) {
    if (!pages[to - 1]) return;
    number = to;
    begin();
  }

  /** Sets what the page sets. */
  function begin() {
    shown.turned();
    const now = page();
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
    shown.turned();
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
        reader.forget(); // another link was followed: it is as it says
        return close();
      }
      if (!number) {
        reader.begin(state);
        document.documentElement.dataset.book = 'beside';
      }
      number = Math.min(state.book, pages.length) || progress.page;
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
 * @param {() => {number: number, story: boolean}} open number: of the page, 0: the book is closed
 * @param {Omit<Parameters<typeof view.create>[1], 'onWhere'>} actions
 */
function createPage(root, tools, progress, open, actions) {
  let isNew = false; // the page was turned, and its numbers have not been shown yet
  const pointer = createPointer(root);
  const book = view.create(root, { ...actions, onWhere: () => pointer.showControl(pages[open().number - 1]) });
  return {
    clear: pointer.clear,
    turned: () => void (isNew = true),
    /** @param {import('../index.js').Context | null} context null: its numbers are on their way */
    draw(context) {
      const { number, story } = open();
      const now = pages[number - 1];
      if (!now) return;
      const isHere = context !== null && (context.result.plan.model ?? 'untrained') === modelOf(now);
      const look = isHere || (context && now.elsewhere) ? lookAt(/** @type {any} */ (context)) : null;
      if (look && !progress.done.has(now.id) && tried(() => now.done(look))) {
        progress.done.add(now.id);
        writeProgress(progress);
      }
      book.update({
        number,
        title: now.title,
        titles: pages.map(({ title }) => title),
        text: sentencesOf(now, look),
        task: now.task.text,
        done: progress.done.has(now.id),
        isOwn: !isHere || context.state.text === stateOf(now, tools.modelInfo()).text,
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
