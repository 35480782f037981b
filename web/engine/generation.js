// Lets the model continue the text: asks the worker and takes the tokens as they come.

/**
 * @param {object} options
 * @param {ReturnType<typeof import('../app/store.js').createStore>} options.store
 * @param {() => import('./plan.js').Plan} options.plan
 * @param {() => import('./plan.js').ModelInfo | undefined} options.modelInfo
 * @param {(request: import('./protocol.js').GenerateRequest) => void} options.send
 * @param {(error: import('./protocol.js').Problem) => void} options.fail
 */
export function createGeneration({ store, plan, modelInfo, send, fail }) {
  let id = 0; // of the latest request; tokens of an older one are dropped
  let running = new AbortController();
  function stop() {
    id++;
    running.abort();
  }
  return {
    start() {
      const info = modelInfo();
      if (!info) return;
      stop();
      running = new AbortController();
      store.set({ written: [] });
      const { config, interventions, ids, model } = plan();
      if (!model || !ids.length) return;
      const { length: maxTokens, ...options } = store.get().writing;
      const ending = ['end', '.'].map((word) => info.vocabulary.indexOf(word));
      const query = { model, config, interventions, ids, ending };
      send({ type: 'generate', id, ...query, options: { ...options, maxTokens }, signal: running.signal });
    },
    stop,
    /** @param {import('./protocol.js').TokenResponse} response */
    receive({ id: of, token, error }) {
      if (of !== id) return;
      if (token !== undefined) store.set({ written: [...store.get().written, token] });
      if (error) fail(error);
    },
  };
}
