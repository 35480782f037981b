// A view whose code is fetched when it is first drawn.

/** @typedef {import('../state.js').TrainState} TrainState */

/** @param {() => Promise<{update: (state: TrainState) => void}>} make */
export function createLate(make) {
  /** @type {TrainState | null} */
  let state = null;
  /** @type {{update: (state: TrainState) => void} | null} */
  let view = null;
  return {
    /** @param {TrainState} next */
    async update(next) {
      const isFirst = !state;
      state = next;
      if (isFirst) view = await make();
      view?.update(state);
    },
  };
}
