// The models to choose from: which are fetched, which is shown, and the states in which the others were left.

import { CATALOGUE, LABELS, entryOf, isModel } from '../models/catalogue.js';

/**
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 * @typedef {import('../app/schema.js').State} State
 */

/**
 * @param {object} options
 * @param {() => State} options.state
 * @param {(name: string) => void} options.fetch asks for a trained model; the answer comes to `receive`
 * @param {(model: ModelName, info: import('./plan.js').ModelInfo | undefined) => State} options.openingState
 * @param {(state: State) => void} options.begin shows a model
 * @param {(error: import('./protocol.js').Problem) => void} options.fail the module itself broke down
 * @param {() => void} options.draw
 */
export function createModelLoader({ state, fetch, openingState, begin, fail, draw }) {
  /** @type {Map<string, import('./plan.js').ModelInfo>} */
  const infos = new Map();
  /** @type {Map<ModelName, State>} as they were when another model was chosen */
  const earlier = new Map();
  /** @type {ModelName | null} */
  let opening = null;
  let begun = false;
  let failure = '';

  /** @param {State} next */
  function show(next) {
    begun = true;
    begin(next);
  }

  /** Tells the model that a link names whether the page waits for it. @param {ModelName | null} name */
  function wait(name) {
    const before = opening;
    opening = name;
    if (before === name) return;
    if (before) LABELS[before]?.onWait?.(false);
    if (name) LABELS[name].onWait?.(true);
  }

  /**
   * What the reader typed himself goes with him to another model that reads any text.
   * @param {State} next
   */
  function withOwnText(next) {
    const { model, text } = state();
    const isTyped = begun && text.trim() !== '' && readsAny(model) && readsAny(next.model) && !isGiven(text);
    if (!isTyped || next.text === text) return next;
    return { ...next, text, written: [], brush: [], follow: true, own: { row: false, key: false } };
  }

  /** @param {ModelName} name */
  const readsAny = (name) => {
    const entry = entryOf(name);
    return !entry?.token && entry?.input !== 'menus';
  };

  /** Whether a text is one that the page gives. @param {string} text */
  const isGiven = (text) =>
    [openingState('untrained', undefined), ...Object.values(CATALOGUE)].some((each) => each.text === text) ||
    Object.values(CATALOGUE).some(({ examples }) => Object.values(examples).includes(text));

  /** @param {ModelName} name */
  function choose(name) {
    if (begun) earlier.set(state().model, state());
    failure = '';
    const info = infos.get(name);
    const isHere = name === 'untrained' || info !== undefined;
    wait(isHere ? null : name);
    if (isHere) show(withOwnText(earlier.get(name) ?? openingState(name, info)));
    else {
      if (!LABELS[name].wanted) fetch(name);
      draw();
    }
  }

  return {
    choose,
    /** What the file of a trained model says, once it is here. @param {string} name */
    info: (name) => infos.get(name),
    /** Its file is gone. @param {string} name */
    forget: (name) => void infos.delete(name),
    /** Whether there is a model to show. */
    begun: () => begun,
    /** The model that is chosen, though it may have to be fetched. @returns {ModelName} */
    chosen: () => opening ?? state().model,
    /** That a model is being fetched. */
    status: () => (opening && !LABELS[opening].wanted ? `Loading the model ${LABELS[opening].label}…` : ''),
    /** Why one could not be opened. */
    failure: () => failure,
    /** @param {import('./protocol.js').OpenedResponse} response */
    receive(response) {
      const { model: name } = response;
      if (!isModel(name) || name === 'untrained') return;
      if ('info' in response) infos.set(name, response.info);
      if (opening !== name) return;
      if ('info' in response) return choose(name);
      if (LABELS[name].wanted) return; // who gave the file says why
      const { code, message } = response.error;
      opening = null;
      if (code === 'broken') return fail(response.error);
      if (!begun) choose('untrained'); // which needs no file
      const failing = `The model ${LABELS[name].label} could not be opened: ${message}.`;
      // Without WebAssembly the playground says by itself that nothing works.
      failure =
        code === 'unsupported'
          ? ''
          : `${failing} Its file is missing or damaged; the untrained playground works without it.`;
      draw();
    },
  };
}
