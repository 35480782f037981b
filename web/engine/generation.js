// Lets the model continue the text: asks the worker, and writes the tokens one by one as they come, slowly enough to
// be read. The cursor goes with them.

/**
 * @param {object} options
 * @param {() => number} options.pace ms from word to word
 * @param {ReturnType<typeof import('../kit/store.js').createStore<import('../app/schema.js').State>>} options.store
 * @param {() => import('./plan.js').Plan} options.plan
 * @param {() => import('./plan.js').ModelInfo | undefined} options.modelInfo
 * @param {(request: import('./protocol.js').GenerateRequest) => void} options.send
 * @param {(error: import('./protocol.js').Problem) => void} options.fail
 */
export function createGeneration({ store, plan, modelInfo, send, fail, pace }) {
  let id = 0; // of the latest request; tokens of an older one are dropped
  let running = new AbortController();
  /** @type {number[]} what has come and is not written yet */
  let waiting = [];
  let timer = 0;
  function stop() {
    id++;
    running.abort();
    clearTimeout(timer);
    timer = 0;
    waiting = [];
  }
  function write() {
    timer = 0;
    const token = waiting.shift();
    if (token === undefined) return;
    timer = setTimeout(write, pace());
    const { written, own } = store.get();
    store.set({ written: [...written, token], follow: !own.row });
  }
  return {
    start() {
      const info = modelInfo();
      if (!info) return;
      stop();
      running = new AbortController();
      store.set({ written: [], own: { row: false, key: false } });
      const { config, interventions, ids, model, isWaiting } = plan();
      if (!model || !ids.length || isWaiting) return;
      const { length, ...options } = store.get().writing;
      const { positions, maxLength } = info.config;
      const left = positions === 'learned' ? maxLength - ids.length : Infinity;
      const message = `The text fills all ${maxLength} positions that this model has learned: shorten it first.`;
      if (left <= 0) return fail({ code: 'range', parameter: '', message });
      const maxTokens = Math.min(length, left);
      const query = { model, config, interventions, ids, ending: endingOf(info) };
      send({ type: 'generate', id, ...query, options: { ...options, maxTokens }, signal: running.signal });
    },
    stop,
    /** @param {import('./protocol.js').TokenResponse} response */
    receive({ id: of, token, error }) {
      if (of !== id) return;
      if (token !== undefined) waiting.push(token);
      if (!timer) write();
      if (error) fail(error);
    },
  };
}

/** @param {import('./plan.js').ModelInfo} modelInfo */
const tellsStories = ({ recipe }) => recipe?.task === 'story'; // a reader's own file may have none

/** The ids of which each ends what it writes. @param {import('./plan.js').ModelInfo} modelInfo */
export const endingOf = (modelInfo) =>
  modelInfo.endIds ?? [tellsStories(modelInfo) ? modelInfo.vocabulary.indexOf('end') : -1];

/** Whether nothing can follow a text. @param {string} text @param {import('./plan.js').ModelInfo} modelInfo */
export const hasEnded = (text, modelInfo) => tellsStories(modelInfo) && /(^|\s)end[\s.]*$/i.test(text);
