// The state of a place, its listeners, and undo.

/**
 * @template {object} S
 * @param {S} initial
 */
export function createStore(initial) {
  let state = initial;
  /** @type {Set<(state: S, previous: S) => void>} */
  const listeners = new Set();
  return {
    get: () => state,
    /** @param {Partial<S>} patch */
    set(patch) {
      const previous = state;
      state = { ...state, ...patch };
      for (const listener of [...listeners]) listener(state, previous);
    },
    /** @param {(state: S, previous: S) => void} listener */
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** @typedef {Record<string, unknown>} Entry some keys of the state */

/**
 * `reset`: the key whose change ends all; `keys`: what is taken back; `selection`: what is taken back only where the
 * text is another; `text`: the keys whose words a cell stands at; `changes`: what the second list takes back;
 * `isApart`: whether it is an entry even in one go; `isOfAnyText`: whether a change may come back in another text.
 * @typedef {{
 *   reset: string, keys: readonly string[], selection: readonly string[], text: readonly string[],
 *   changes: readonly string[], isSameText: (a: any, b: any) => boolean,
 *   isApart: (state: any, previous: any) => boolean, isOfAnyText: (change: any) => boolean,
 * }} Rules
 */

const MOST = 200;
const SAME_ENTRY = 800; // ms: typing and dragging in one go are one entry

/**
 * Undo and redo of what alters numbers, and a list beside it that takes back changes of the model alone.
 * @param {Pick<ReturnType<typeof createStore<any>>, 'get' | 'set' | 'subscribe'>} store
 * @param {Rules} rules
 */
export function createUndo(
  store,
  { reset, keys, selection, text, changes: changing, isSameText, isApart, isOfAnyText },
) {
  /** @type {Entry[]} */
  let past = [];
  /** @type {Entry[]} */
  let future = [];
  let last = { signature: '', at: -Infinity };
  /** @type {'past' | 'future' | null} the list that the present comes from */
  let restoring = null;
  /** @type {{past: Entry[], future: Entry[]}} of the model only */
  let changes = { past: [], future: [] };
  let isStepping = false;

  /**
   * Makes the newest entry of one list the present, and keeps the present in the other.
   * @param {'past' | 'future'} name
   */
  function restore(name) {
    const [from, into] = name === 'past' ? [past, future] : [future, past];
    const entry = from.pop();
    if (!entry) return;
    const now = store.get();
    into.push(pick(now, [...keys, ...selection]));
    last = { signature: '', at: -Infinity };
    restoring = name;
    store.set(isSameText(entry, now) ? pick(entry, keys) : entry);
    restoring = null;
  }

  /** Takes back or repeats a change of the model; the text stays. @param {'past' | 'future'} name */
  function step(name) {
    const change = changes[name].pop();
    if (!change) return;
    changes[name === 'past' ? 'future' : 'past'].push(pick(store.get(), changing));
    last = { signature: '', at: -Infinity };
    isStepping = true;
    store.set(change);
    isStepping = false;
  }

  /** @param {any} state @param {any} previous @param {boolean} isSameGo */
  function noteChange(state, previous, isSameGo) {
    if (text.some((name) => differs(state, previous, name))) {
      changes = { past: changes.past.filter(isOfAnyText), future: changes.future.filter(isOfAnyText) };
    } else if (!isStepping && changing.some((name) => differs(state, previous, name))) {
      if (restoring) {
        changes[restoring].pop();
        changes[restoring === 'past' ? 'future' : 'past'].push(pick(previous, changing));
      } else {
        if (!isSameGo) changes.past.push(pick(previous, changing));
        changes.future = [];
      }
    }
    changes.past = changes.past.slice(-MOST);
    for (const list of [changes.past, changes.future]) dropPresent(list, pick(state, changing));
  }

  store.subscribe((state, previous) => {
    if (state[reset] !== previous[reset]) {
      past = [];
      future = [];
      changes = { past: [], future: [] };
    } else if (restoring) noteChange(state, previous, false);
    else {
      const altered = keys.filter((name) => differs(state, previous, name));
      if (!altered.length) return;
      const signature = isApart(state, previous) ? '' : altered.join();
      const at = performance.now();
      const isSameGo = signature !== '' && signature === last.signature && at - last.at <= SAME_ENTRY;
      if (!isSameGo) past.push(pick(previous, [...keys, ...selection]));
      noteChange(state, previous, isSameGo);
      if (past.length > MOST) past.shift();
      future = [];
      last = { signature, at };
    }
  });

  return {
    undo: () => restore('past'),
    redo: () => restore('future'),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    undoChange: () => step('past'),
    redoChange: () => step('future'),
    canUndoChange: () => changes.past.length > 0,
    canRedoChange: () => changes.future.length > 0,
    /**
     * Takes other entries, and gives those that it had.
     * @param {{past: Entry[], future: Entry[], changes?: {past: Entry[], future: Entry[]}}} entries
     */
    swap(entries) {
      const had = { past, future, changes };
      ({ past, future, changes = { past: [], future: [] } } = entries);
      return had;
    },
  };
}

/** @param {any} state @param {readonly string[]} names @returns {Entry} */
const pick = (state, names) => Object.fromEntries(names.map((name) => [name, state[name]]));

/** @param {any} a @param {any} b @param {string} name */
const differs = (a, b, name) => a[name] !== b[name] && JSON.stringify(a[name]) !== JSON.stringify(b[name]);

/** Drops the newest entries that would change nothing. @param {Entry[]} list @param {Entry} now */
function dropPresent(list, now) {
  while (list.length && JSON.stringify(list.at(-1)) === JSON.stringify(now)) list.pop();
}

/**
 * Ctrl+Z and Ctrl+Shift+Z, but in a text field, which has its own.
 * @param {Pick<ReturnType<typeof createUndo>, 'undo' | 'redo'>} history
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
