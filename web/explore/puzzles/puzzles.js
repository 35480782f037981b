// Puzzles while they are open: sets the start of one, judges each result, counts tries and keeps the best.

import { addStyle } from '../../draw/style.js';
import { LABELS } from '../../models/catalogue.js';
import { modelOf, stateOf } from '../shared/link-state.js';
import { readerOf } from '../shared/reader.js';
import sideCss from '../shared/side.css';
import { readBest, writeBest } from './best.js';
import { judge } from './judge.js';
import { puzzles } from './list.js';
import css from './puzzles.css';
import { createTries } from './tries.js';
import * as view from './view.js';

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} button that opens them
 * @param {import('../index.js').Tools} tools
 * @returns {import('../shared/side-panel.js').Side}
 */
export function createPuzzles(root, button, tools) {
  addStyle(sideCss + css);
  const reader = readerOf(tools);
  const page = createPage(root, tools, { onTurn: turn, onLeave: leave, onAgain: begin });
  let number = 0; // of the puzzle, 0: none is open
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    leave();
  });

  /** @param {number} to */
  function turn(to) {
    const isOther = to !== number;
    number = to;
    begin(isOther);
  }

  /** Sets the start. @param {boolean} [isOther] another one was open: what was tried there cannot be undone here */
  function begin(isOther = false) {
    const now = puzzles[number - 1];
    page.open(number);
    reader.at({ puzzle: number });
    reader.go(modelOf(now), () => {
      page.begin();
      reader.show(stateOf(now, tools.modelInfo()));
      if (isOther) tools.history.swap({ past: [], future: [] });
    });
  }

  /** Takes the state that a link has. */
  function take() {
    reader.at({ puzzle: number });
    page.begin();
    tools.set({ puzzle: number });
  }

  function leave() {
    close();
    reader.goHome();
    button.focus();
  }

  function close() {
    number = 0;
    page.close();
    delete document.documentElement.dataset.puzzle;
  }

  return {
    leave,
    required(query) {
      const now = puzzles[number - 1];
      return now && (query.plan.model ?? 'untrained') === modelOf(now) ? (now.required?.(query) ?? []) : [];
    },
    update: page.draw,
    follow(state, { isBare }) {
      if (reader.arrived(state) || state.puzzle === (number || null)) return;
      if (state.puzzle === null) {
        reader.forget(state); // another link was followed: it is as it says
        return close();
      }
      if (!number) {
        reader.begin(state);
        document.documentElement.dataset.puzzle = '';
      }
      const isAsked = !state.puzzle; // by the button
      number = isAsked ? page.next() : Math.min(state.puzzle, puzzles.length);
      page.open(number);
      queueMicrotask(() => {
        if (isBare || isAsked) begin(true);
        else take();
        if (isAsked) root.focus({ preventScroll: true });
      });
    },
  };
}

/**
 * The open puzzle: judges the results, and counts.
 * @param {HTMLElement} root
 * @param {import('../index.js').Tools} tools
 * @param {Parameters<typeof view.create>[1]} actions
 */
function createPage(root, tools, actions) {
  const best = readBest(puzzles);
  const tries = createTries(() => show({}));
  const { update } = view.create(root, actions);
  /** @type {import('./list.js').Puzzle | null} */
  let puzzle = null;
  let number = 0;
  let isBegun = false; // the state is the puzzle's: its start, or what the reader made of it
  /** @type {number | null} with how many changes or tries */
  let solved = null;
  let said = { check: '…', refused: '' };

  /** @param {Partial<typeof said>} now */
  function show(now) {
    if (!puzzle) return;
    said = { ...said, ...now };
    const list = puzzles.map(({ id, title, par }) => ({ title, par, best: best.get(id) ?? null }));
    const unit = puzzle.finds ? 'try' : 'change';
    update({ number, puzzle, unit, ...said, tries: tries.count() + (solved === null ? 0 : 1), solved, list });
    root.hidden = false;
  }

  /** @param {import('./judge.js').Verdict} verdict @param {string} key of the result @param {string} id */
  function count({ isMet, changes, found }, key, id) {
    tries.see(found ?? key, isMet || solved !== null);
    if (!isMet) return;
    const took = found === null ? changes : tries.count() + 1;
    solved = Math.min(solved ?? took, took);
    if (solved >= (best.get(id) ?? Infinity)) return;
    best.set(id, solved);
    writeBest(best);
  }

  return {
    /** The first that is not solved, else the first. */
    next: () => puzzles.findIndex(({ id }) => !best.has(id)) + 1 || 1,
    /** @param {number} to */
    open(to) {
      number = to;
      puzzle = puzzles[number - 1];
      isBegun = false;
      solved = null;
      tries.reset();
      show({ check: '…', refused: '' });
    },
    /** From now on the state is the puzzle's. */
    begin: () => void (isBegun = true),
    close() {
      puzzle = null;
      tries.reset();
      root.hidden = true;
    },
    /** @param {import('../index.js').Context | null} context */
    draw(context) {
      if (!puzzle || !isBegun || !context) return;
      const { result, state } = context;
      const model = modelOf(puzzle);
      if (state.model !== model)
        return show({ check: `This puzzle needs the model ${LABELS[model].label}.`, refused: '' });
      if (result.plan.key !== tools.plan(state).key) return; // it was refused, and an older one is shown
      const verdict = judge(puzzle, context);
      if (verdict) count(verdict, result.plan.key, puzzle.id);
      show({ check: verdict?.says ?? '…', refused: verdict?.refused ?? '' });
    },
  };
}
