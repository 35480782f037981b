// The reader's own states while lessons are open: each model as it was before, where they came from, and
// what they could undo.

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../models/catalogue.js').ModelName} ModelName
 */

/** @param {import('../index.js').Tools} tools */
export function createReader(tools) {
  /** The open lesson. @type {number | null} */
  let open = null;
  /** The states by model, as they were before. @type {Map<ModelName, State>} */
  const own = new Map();
  /** @type {ModelName} */
  let home = 'creek';
  /** @type {ReturnType<import('../index.js').Tools['history']['swap']> | undefined} */
  let undo;
  /** What is done once another model is here. @type {{model: ModelName, then: () => void} | null} */
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
