// The book while it is open: turns pages, keeps the reader's own state meanwhile, points at what a page speaks of.

import css from './book.css';
import { addStyle } from '../../draw/style.js';
import { lookAt } from './look.js';
import { modelOf, pages, stateOf } from './pages.js';
import { createPointer } from './pointer.js';
import { readProgress, writeProgress } from './progress.js';
import { sentencesOf, tried } from './sentences.js';
import * as view from './view.js';

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../models/catalogue.js').ModelName} ModelName
 */

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} button that opens the book
 * @param {import('../index.js').Tools} tools
 */
export function createBook(root, button, tools) {
  addStyle(css);
  const progress = readProgress(pages.length);
  const pointer = createPointer(root);
  const book = view.create(root, {
    onTurn: turn,
    onLeave: leave,
    onAgain: begin,
    onStory: setStory,
    onWhere: () => pointer.showControl(page()),
  });
  root.addEventListener('keydown', onKey);

  let number = 0; // of the page, 0: the book is closed
  let story = false;
  let isNew = false; // the page was turned, and its numbers have not been shown yet
  /** The reader's states by model, as they were before the book. @type {Map<ModelName, State>} */
  const own = new Map();
  /** @type {ModelName} */
  let home = 'creek';
  /** @type {ReturnType<import('../index.js').Tools['history']['swap']> | undefined} */
  let undo;
  /** What is done once another model is here. @type {{model: ModelName, then: () => void} | null} */
  let coming = null;

  const page = () => pages[number - 1];

  /** @param {State} state @returns {State} in the layout that the reader has now, with the open page of the book */
  const shownAs = (state) => ({ ...state, book: number || null, layout: tools.get().layout });

  /**
   * Goes to a model, leaving the present one as the reader had it.
   * @param {ModelName} model @param {() => void} then
   */
  function go(model, then) {
    const here = tools.get();
    coming = null;
    if (here.model === model) return then();
    const left = own.get(here.model);
    if (left) tools.set(shownAs(left));
    coming = { model, then };
    tools.chooseModel(model);
  }

  /** @param {number} to */
  function turn(to) {
    if (!pages[to - 1]) return;
    number = to;
    begin();
  }

  /** Sets what the page sets. */
  function begin() {
    isNew = true;
    const now = page();
    progress.page = number;
    writeProgress(progress);
    draw(null);
    go(modelOf(now), () => {
      tools.set(shownAs(stateOf(now, tools.modelInfo())));
      tools.history.swap({ past: [], future: [] });
    });
  }

  function leave() {
    number = 0;
    close();
    const restore = () => {
      const state = own.get(home);
      if (state) tools.set(shownAs(state));
      if (undo) tools.history.swap(undo);
      own.clear();
    };
    go(home, restore);
    button.focus();
  }

  function close() {
    root.hidden = true;
    pointer.clear();
    setStory(false);
    delete document.documentElement.dataset.book;
  }

  /** @param {boolean} on */
  function setStory(on) {
    story = on;
    if (!number) return;
    document.documentElement.dataset.book = on ? 'story' : 'beside';
    isNew = true;
    tools.set({}); // the maps are laid out anew
    root.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const isField = event.target instanceof Element && event.target.matches('input, select, textarea');
    if (isField || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => turn(number - 1),
      PageUp: () => turn(number - 1),
      ArrowRight: () => turn(number + 1),
      PageDown: () => turn(number + 1),
      Escape: () => (story ? setStory(false) : leave()),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** @param {import('../index.js').Context | null} context null: its numbers are on their way */
  function draw(context) {
    const now = page();
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
    const isThere = pointer.point(now, { story, isNew });
    if (isThere) isNew = false;
  }

  return {
    leave,
    /** Whether it is open, and what its page's numbers need. @param {import('../index.js').Query} query */
    required(query) {
      const now = page();
      return now && (query.plan.model ?? 'untrained') === modelOf(now) ? (now.required?.(query) ?? []) : [];
    },
    update: draw,
    /**
     * Follows the state. A link may name a page; with nothing else in it, the page sets its own state.
     * @param {State} state
     * @param {{isBare: boolean}} link
     */
    follow(state, { isBare }) {
      const { model } = state;
      if (coming?.model === model) {
        const { then } = coming;
        if (!own.has(model)) own.set(model, { ...state, book: null });
        coming = null;
        return void queueMicrotask(then); // after all have been told of the model
      }
      if (coming || state.book === (number || null)) return;
      if (state.book === null) {
        number = 0;
        own.clear(); // another link was followed: it is as it says
        return close();
      }
      if (!number) {
        home = model;
        undo = tools.history.swap({ past: [], future: [] });
        document.documentElement.dataset.book = 'beside';
        own.set(model, { ...state, book: null });
      }
      number = Math.min(state.book, pages.length) || progress.page;
      isNew = true;
      const isAsked = !state.book; // by the button
      queueMicrotask(() => {
        if (isBare || isAsked) begin();
        else tools.set({ book: number });
        if (isAsked) root.focus({ preventScroll: true });
      });
    },
  };
}
