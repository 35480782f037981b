// Undo and redo of what alters numbers. Where the reader looks is not undone.

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {Pick<State, typeof KEPT[number]>} Deed
 */

const KEPT = /** @type {const} */ (['menu', 'text', 'targetText', 'settings', 'written', 'changes', 'pinned']);
const MOST = 200;
const TOGETHER = 800; // ms: typing and dragging in one go are one deed

/** @param {ReturnType<typeof import('./schema.js').createStore>} store */
export function createHistory(store) {
  /** @type {Deed[]} */
  let past = [];
  /** @type {Deed[]} */
  let future = [];
  let last = { signature: '', at: -Infinity };
  let travelling = false;

  /**
   * Makes the newest deed of one list the present, and keeps the present in the other.
   * @param {Deed[]} from
   * @param {Deed[]} into
   */
  function travel(from, into) {
    const deed = from.pop();
    if (!deed) return;
    into.push(kept(store.get()));
    last = { signature: '', at: -Infinity };
    travelling = true;
    store.set(deed);
    travelling = false;
  }

  store.subscribe((state, previous) => {
    if (state.model !== previous.model) {
      past = [];
      future = [];
    } else if (!travelling) {
      const altered = KEPT.filter(
        (name) => state[name] !== previous[name] && JSON.stringify(state[name]) !== JSON.stringify(previous[name]),
      );
      if (!altered.length) return;
      const signature =
        altered.some((name) => name === 'settings' || name === 'pinned') ||
        state.changes.length !== previous.changes.length
          ? ''
          : altered.join();
      const at = performance.now();
      if (!signature || signature !== last.signature || at - last.at > TOGETHER) past.push(kept(previous));
      if (past.length > MOST) past.shift();
      future = [];
      last = { signature, at };
    }
  });

  return {
    undo: () => travel(past, future),
    redo: () => travel(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  };
}

/** @param {State} state @returns {Deed} */
const kept = (state) => /** @type {Deed} */ (Object.fromEntries(KEPT.map((name) => [name, state[name]])));

/**
 * Ctrl+Z and Ctrl+Shift+Z, but in a text field, which has its own.
 * @param {ReturnType<typeof createHistory>} history
 */
export function listenToKeys({ undo, redo }) {
  addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'z' || isTyping(event.target))
      return;
    event.preventDefault();
    (event.shiftKey ? redo : undo)();
  });
}

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && ['text', 'number', 'search'].includes(target.type));
