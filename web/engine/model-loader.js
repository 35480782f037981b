// The models to choose from: which are fetched, which is shown, and the states in which the others were left.

import { CATALOGUE, LABELS, entryOf, isModel } from '../models/catalogue.js';
import { inWords } from '../kit/in-words.js';
import { readWords } from './tokens.js';

/**
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 * @typedef {import('../app/schema.js').State} State
 */

/** Whether the reader writes its text. @param {ModelName} name */
const isFree = (name) => {
  const entry = entryOf(name);
  return !entry?.token && entry?.input !== 'menus';
};

/** @param {ModelName} name @param {import('./plan.js').ModelInfo | undefined} info @param {string} text */
const readsAll = (name, info, text) =>
  !info || entryOf(name)?.read || !readWords(text, info.vocabulary).shown.ids.includes(null);

/**
 * Passes a model on once its code is here too.
 * @param {import('./protocol.js').OpenedResponse} response
 * @param {(response: import('./protocol.js').OpenedResponse) => void} take
 */
function afterCode(response, take) {
  const { model } = response;
  const { load, compose } = entryOf(/** @type {ModelName} */ (model)) ?? {};
  if (!load || compose || 'error' in response) return take(response);
  load().then(
    () => take(response),
    (error) => take({ type: 'opened', model, error: { code: 'network', parameter: '', message: inWords(error) } }),
  );
}

/**
 * @param {object} options
 * @param {() => State} options.state
 * @param {(name: string) => void} options.fetch asks for a trained model; the answer comes to `receive`
 * @param {(model: ModelName, info: import('./plan.js').ModelInfo | undefined) => State} options.openingState
 * @param {(state: State, left?: State) => void} options.begin shows a model; `left`: the state in which the one before
 *   is left, where that is not the present one
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
  /** @type {State | undefined} in which the present model is left once the other one is here */
  let leaving;

  /** Tells the model that a link names whether the page waits for it. @param {ModelName | null} name */
  function wait(name) {
    const before = opening;
    opening = name;
    if (before === name) return;
    if (before) LABELS[before]?.onWait?.(false);
    if (name) LABELS[name].onWait?.(true);
  }

  /**
   * The reader's own text moves along to another model that reads all of it.
   * @param {State} next
   */
  function withOwnText(next) {
    const { model, text } = state();
    const isTyped = begun && text.trim() !== '' && isFree(model) && isFree(next.model) && (leaving || !isGiven(text));
    if (!isTyped || next.text === text || !readsAll(next.model, infos.get(next.model), text)) return next;
    return { ...next, text, written: [], brush: [], follow: true, own: { row: false, key: false } };
  }

  /** Whether a text is one that the page gives. @param {string} text */
  const isGiven = (text) =>
    [openingState('untrained', undefined), ...Object.values(CATALOGUE)].some((each) => each.text === text) ||
    Object.values(CATALOGUE).some(({ examples }) => Object.values(examples).includes(text));

  /**
   * @param {ModelName} name
   * @param {State} [left] in which the present model is left, where the reader goes on with its text elsewhere
   */
  function choose(name, left = name === opening ? leaving : undefined) {
    if (begun) earlier.set(state().model, left ?? state());
    failure = '';
    leaving = left;
    const info = infos.get(name);
    const isHere = name === 'untrained' || info !== undefined;
    wait(isHere ? null : name);
    if (isHere) {
      const next = withOwnText(earlier.get(name) ?? openingState(name, info));
      begun = true;
      begin(next, leaving);
    } else {
      if (!LABELS[name].wanted) fetch(name);
      draw();
    }
  }

  /** @param {import('./protocol.js').OpenedResponse} response */
  function take(response) {
    const { model: name } = response;
    if (!isModel(name) || name === 'untrained') return;
    if ('info' in response) infos.set(name, response.info);
    if (opening !== name) return;
    if ('info' in response) return choose(name);
    if (LABELS[name].wanted) return; // the code that opens the reader's file reports the reason
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
  }

  return {
    choose,
    /** The facts in a trained model's file, once it is here. @param {string} name */
    info: (name) => infos.get(name),
    /** Its file is gone. @param {string} name */
    forget: (name) => void infos.delete(name),
    /** Whether there is a model to show. */
    begun: () => begun,
    /** The model that is chosen, though it may have to be fetched. @returns {ModelName} */
    chosen: () => opening ?? state().model,
    /** Whether the reader goes to it with a text. */
    isTyped: () => leaving !== undefined,
    /** That a model is being fetched. */
    status: () => (opening && !LABELS[opening].wanted ? `Loading the model ${LABELS[opening].label}…` : ''),
    /** Why one could not be opened. */
    failure: () => failure,
    /** @param {import('./protocol.js').OpenedResponse} response */
    receive: (response) => void afterCode(response, take),
  };
}
