// Lets the model go on with the text: asks the worker and takes the tokens as they come.

/**
 * @param {object} room
 * @param {ReturnType<typeof import('../app/schema.js').createStore>} room.store
 * @param {() => import('./plan.js').Plan} room.plan
 * @param {() => import('./plan.js').Description | undefined} room.description
 * @param {(request: import('./worker.js').WriteRequest) => void} room.send
 * @param {(error: import('./worker.js').Problem) => void} room.fail
 */
export function createContinuation({ store, plan, description, send, fail }) {
  let id = 0; // of the latest wish; what comes for an older one is dropped
  return {
    start() {
      const known = description();
      if (!known) return;
      store.set({ written: [] });
      const { config, changes, ids, model } = plan();
      if (!model || !ids.length) return;
      const { length: maxTokens, ...options } = store.get().writing;
      const ending = ['end', '.'].map((word) => known.vocabulary.indexOf(word));
      send({ write: ++id, model, config, changes, ids, ending, options: { ...options, maxTokens } });
    },
    stop() {
      id++;
    },
    /** @param {import('./worker.js').Wrote} news */
    receive({ wrote, token, error }) {
      if (wrote !== id) return;
      if (token !== undefined) store.set({ written: [...store.get().written, token] });
      if (error) fail(error);
    },
  };
}
