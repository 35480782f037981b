// The models to choose from: which are fetched, which is shown, and what was left of the others.

import { LABELS, isModel } from '../models/catalogue.js';
import { defaultState, trainedState } from '../app/schema.js';

/**
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 * @typedef {import('../app/schema.js').State} State
 */

/**
 * @param {object} room
 * @param {() => State} room.state
 * @param {(name: string) => void} room.fetch asks for a trained model; `opened` is told
 * @param {(state: State) => void} room.begin shows a model
 * @param {(error: import('./worker.js').Problem) => void} room.fail the module itself broke down
 * @param {() => void} room.draw
 */
export function createLibrary({ state, fetch, begin, fail, draw }) {
  /** @type {Map<string, import('./plan.js').Description>} */
  const shelf = new Map();
  /** @type {Map<ModelName, State>} as they were when another model was chosen */
  const left = new Map();
  /** @type {ModelName | null} */
  let opening = null;
  let begun = false;
  let trouble = '';

  /** @param {State} next */
  function show(next) {
    begun = true;
    begin(next);
  }

  /** @param {ModelName} name */
  function choose(name) {
    if (begun) left.set(state().model, state());
    trouble = '';
    opening = null;
    const known = shelf.get(name);
    if (name === 'untrained') show(left.get(name) ?? defaultState());
    else if (known) show(left.get(name) ?? trainedState(name, known.config));
    else {
      opening = name;
      fetch(name);
      draw();
    }
  }

  return {
    choose,
    /** @param {string} name */
    get: (name) => shelf.get(name),
    /** Whether there is a model to show. */
    begun: () => begun,
    /** The model that is chosen, though it may have to be fetched. @returns {ModelName} */
    chosen: () => opening ?? state().model,
    /** What there is to say about fetching. */
    news: () => trouble || (opening ? `Fetching the model ${LABELS[opening].label}…` : ''),
    /** @param {import('./worker.js').Opened} answer */
    opened(answer) {
      const { opened: name } = answer;
      if (!isModel(name) || name === 'untrained') return;
      if (!('error' in answer)) shelf.set(name, answer.description);
      if (opening !== name) return;
      if (!('error' in answer)) return choose(name);
      const { code, message } = answer.error;
      opening = null;
      if (code === 'broken') return fail(answer.error);
      if (!begun) choose('untrained'); // which needs no file
      const failing = `The model ${LABELS[name].label} could not be opened: ${message}.`;
      // Without WebAssembly the playground says by itself that nothing works.
      trouble =
        code === 'unsupported'
          ? ''
          : `${failing} Its file is missing or damaged; the untrained playground works without it.`;
      draw();
    },
  };
}
