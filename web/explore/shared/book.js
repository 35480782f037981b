// Lessons in Explore: their facts from the result, the state of their link, and the reader's own states meanwhile.

import { lessonAt, modelOf } from '../../lessons/index.js';
import { tried } from '../../lessons/numbers.js';
import { createLessons } from '../../lessons/runner.js';
import { LABELS } from '../../models/catalogue.js';
import { factsFor, stateOf } from './facts.js';
import { changeSettings } from '../../app/schema.js';

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../models/catalogue.js').ModelName} ModelName
 */

const REST = 800; // ms

/** @param {HTMLElement} parent of the panel @param {import('../index.js').Tools} tools */
export function createBook(parent, tools) {
  const reader = createReader(tools);
  const book = createLessons(parent, {
    id: 'book',
    place: 'explore',
    mark: 'book',
    rest: REST,
    read(context, lesson) {
      const { result, state } = context;
      const model = modelOf(lesson);
      if (lesson.par && state.model !== model)
        return { facts: null, problem: `This puzzle needs the model ${LABELS[model].label}.` };
      if (lesson.par && result.plan.key !== tools.plan(tools.get()).key) return { facts: null }; // an older one
      const isHere = (result.plan.model ?? 'untrained') === model;
      if (!isHere && !lesson.elsewhere) return { facts: null };
      const facts = factsFor(lesson, context);
      const texts = Object.values(lesson.tool?.choices ?? {}).map((choice) => tried(() => choice(state, facts).text));
      return { facts, key: result.plan.key, isOwn: isHere && [facts.start.text, ...texts].includes(state.text) };
    },
    begin(lesson, isOther, begun) {
      reader.at(lesson.number);
      reader.go(modelOf(lesson), () => {
        begun();
        reader.show(stateOf(lesson, tools.modelInfo()));
        // The tries at another lesson cannot be undone here.
        if (isOther || !lesson.par) tools.history.swap({ past: [], future: [] });
      });
    },
    choose(choice, facts) {
      const { model, settings, ...patch } = choice(tools.get(), facts);
      if (model) return void (model === tools.get().model || tools.chooseModel(model));
      tools.set({ ...patch, ...(settings && changeSettings(tools.get(), settings)) });
    },
    leave: reader.goHome,
    redraw: () => tools.set({}),
    whenShown: tools.viewShown,
  });

  return {
    ...{ leave: book.leave, draw: book.draw },
    /** The names that the open lesson's numbers need. @param {import('../index.js').Query} query */
    needs(query) {
      const now = book.now();
      return now && (query.plan.model ?? 'untrained') === modelOf(now) ? (now.needs?.(query) ?? []) : [];
    },
    /**
     * Follows the state. A link may name a lesson; with nothing else in it, the lesson sets its own state.
     * @param {State} state @param {{isBare: boolean}} link
     */
    follow(state, { isBare }) {
      const now = book.now();
      if (reader.arrived(state) || state.book === (now?.number ?? null)) return;
      if (state.book === null) {
        reader.forget(); // another link was followed: it is as it says
        return book.close();
      }
      if (!now) reader.begin(state);
      const isAsked = !state.book; // by the button
      const lesson = isAsked ? book.last() : lessonAt(state.book);
      book.open(lesson);
      reader.at(lesson.number);
      queueMicrotask(() => {
        if (isBare || isAsked) book.begin(lesson, true);
        else {
          if (lesson.par) book.begun();
          tools.set({ book: lesson.number });
        }
        if (isAsked) book.focus();
      });
    },
  };
}

/**
 * The reader's own states while lessons are open: each model as it was before, where they came from, and what they
 * could undo.
 * @param {import('../index.js').Tools} tools
 */
function createReader(tools) {
  /** The open lesson. @type {number | null} */
  let open = null;
  /** The states by model, as they were before. @type {Map<ModelName, State>} */
  const own = new Map();
  /** @type {ModelName} */
  let home = 'creek';
  /** @type {ReturnType<import('../index.js').Tools['history']['swap']> | undefined} */
  let undo;
  /** The step to take once another model is here. @type {{model: ModelName, then: () => void} | null} */
  let coming = null;

  /** @param {State} state */
  const show = (state) => tools.set({ ...state, layout: tools.get().layout, book: open });
  /** @param {State} state */
  const remember = (state) => own.set(state.model, { ...state, book: null });

  /**
   * Goes to a model, leaving the present one as the reader had it.
   * @param {ModelName} model @param {() => void} then
   */
  function go(model, then) {
    const here = tools.get();
    coming = null;
    if (here.model === model) return then();
    const left = own.get(here.model);
    if (left) show(left);
    coming = { model, then };
    tools.chooseModel(model);
  }

  return {
    show,
    go,
    /** @param {number} lesson that is open */
    at: (lesson) => void (open = lesson),
    /** The first opens at a reader's state. @param {State} state */
    begin(state) {
      if (own.size) return;
      home = state.model;
      undo = tools.history.swap({ past: [], future: [] });
      remember(state);
    },
    /** The reader followed a link: nothing is kept. */
    forget: () => own.clear(),
    /** Back to where the first was opened, with what could be undone there. */
    goHome() {
      open = null;
      go(home, () => {
        const state = own.get(home);
        if (state) show(state);
        if (undo) tools.history.swap(undo);
        own.clear();
      });
    },
    /**
     * Does what waits for a model, once it is here.
     * @param {State} state
     * @returns {boolean} whether one was waiting for a model
     */
    arrived(state) {
      if (coming?.model !== state.model) return coming !== null;
      const { then } = coming;
      if (!own.has(state.model)) remember(state);
      coming = null;
      queueMicrotask(then); // after all have the model
      return true;
    },
  };
}
