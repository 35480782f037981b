// The reader's own states while the book is open: each model as it was before, where they came from, and what they
// could undo.

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../models/catalogue.js').ModelName} ModelName
 */

/**
 * @param {import('../index.js').Tools} tools
 * @param {(state: State) => State} shownAs in the layout that the reader has now, with the open page of the book
 */
export function createReader(tools, shownAs) {
  /** The states by model, as they were before the book. @type {Map<ModelName, State>} */
  const own = new Map();
  /** @type {ModelName} */
  let home = 'creek';
  /** @type {ReturnType<import('../index.js').Tools['history']['swap']> | undefined} */
  let undo;
  /** What is done once another model is here. @type {{model: ModelName, then: () => void} | null} */
  let coming = null;

  /** @param {State} state */
  const show = (state) => tools.set(shownAs(state));
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
    /** The book opens at a reader's state. @param {State} state */
    begin(state) {
      home = state.model;
      undo = tools.history.swap({ past: [], future: [] });
      remember(state);
    },
    forget: () => own.clear(),
    /** Back to where the book was opened, with what could be undone there. */
    goHome() {
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
     * @returns {boolean} whether the book was waiting for a model
     */
    arrived(state) {
      if (coming?.model !== state.model) return coming !== null;
      const { then } = coming;
      if (!own.has(state.model)) remember(state);
      coming = null;
      queueMicrotask(then); // after all have been told of the model
      return true;
    },
  };
}
