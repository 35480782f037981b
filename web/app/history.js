// Undo and redo of what alters numbers. Where the reader looks is not undone, but with a text: its words are
// looked at. Nor is what is pinned.

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {Pick<State, typeof FIELDS[number] | typeof PLACES[number]>} Entry
 */

/** Where the reader looks, in the words of a text. */
const PLACES = /** @type {const} */ (['cursor', 'brush', 'follow', 'own']);
const FIELDS = /** @type {const} */ (['menu', 'text', 'targetText', 'settings', 'written', 'interventions']);
const MOST = 200;
const SAME_ENTRY = 800; // ms: typing and dragging in one go are one entry

/** @param {ReturnType<typeof import('./store.js').createStore>} store */
export function createHistory(store) {
  /** @type {Entry[]} */
  let past = [];
  /** @type {Entry[]} */
  let future = [];
  let last = { signature: '', at: -Infinity };
  let restoring = false;

  /**
   * Makes the newest entry of one list the present, and keeps the present in the other.
   * @param {Entry[]} from
   * @param {Entry[]} into
   */
  function restore(from, into) {
    const entry = from.pop();
    if (!entry) return;
    const now = store.get();
    into.push(kept(now));
    last = { signature: '', at: -Infinity };
    restoring = true;
    const isSameText = entry.text === now.text && entry.targetText === now.targetText;
    store.set(isSameText ? pick(entry, FIELDS) : entry);
    restoring = false;
  }

  store.subscribe((state, previous) => {
    if (state.model !== previous.model) {
      past = [];
      future = [];
    } else if (!restoring) {
      const altered = FIELDS.filter(
        (name) => state[name] !== previous[name] && JSON.stringify(state[name]) !== JSON.stringify(previous[name]),
      );
      if (!altered.length) return;
      const signature =
        altered.includes('settings') || state.interventions.length !== previous.interventions.length
          ? ''
          : altered.join();
      const at = performance.now();
      if (!signature || signature !== last.signature || at - last.at > SAME_ENTRY) past.push(kept(previous));
      if (past.length > MOST) past.shift();
      future = [];
      last = { signature, at };
    }
  });

  return {
    undo: () => restore(past, future),
    redo: () => restore(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    /** Takes other entries, and gives those that it had. @param {{past: Entry[], future: Entry[]}} entries */
    swap(entries) {
      const had = { past, future };
      ({ past, future } = entries);
      return had;
    },
  };
}

/**
 * @param {State | Entry} state
 * @param {readonly (keyof Entry)[]} names
 * @returns {Partial<Entry>}
 */
const pick = (state, names) => Object.fromEntries(names.map((name) => [name, state[name]]));

/** @param {State} state */
const kept = (state) => /** @type {Entry} */ (pick(state, [...FIELDS, ...PLACES]));

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
