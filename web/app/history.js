// Undo and redo of what alters numbers. The selection is undone only with its text; what is pinned is not.

import { isAtWord } from '../engine/interventions.js';

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {Pick<State, typeof FIELDS[number] | typeof PLACES[number]>} Entry
 * @typedef {Pick<State, typeof CHANGES[number]>} Change
 */

/** What is selected in a text. */
const PLACES = /** @type {const} */ (['cursor', 'brush', 'follow', 'own']);
const FIELDS = /** @type {const} */ (['menu', 'text', 'targetText', 'settings', 'written', 'interventions']);
/** Whose words a cell stands at. */
const TEXT = /** @type {const} */ (['menu', 'text', 'targetText', 'written']);
/** What the panel of changes takes back: never the text. */
const CHANGES = /** @type {const} */ (['settings', 'interventions']);
const MOST = 200;
const SAME_ENTRY = 800; // ms: typing and dragging in one go are one entry

/** @param {ReturnType<typeof import('../kit/store.js').createStore<State>>} store */
export function createHistory(store) {
  /** @type {Entry[]} */
  let past = [];
  /** @type {Entry[]} */
  let future = [];
  let last = { signature: '', at: -Infinity };
  /** @type {'past' | 'future' | null} the list that the present comes from */
  let restoring = null;
  /** @type {{past: Change[], future: Change[]}} of the model only */
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
    into.push(kept(now));
    last = { signature: '', at: -Infinity };
    restoring = name;
    const isSameText = entry.text === now.text && entry.targetText === now.targetText;
    store.set(isSameText ? pick(entry, FIELDS) : entry);
    restoring = null;
  }

  /** Takes back or repeats a change of the model; the text stays. @param {'past' | 'future'} name */
  function step(name) {
    const change = changes[name].pop();
    if (!change) return;
    changes[name === 'past' ? 'future' : 'past'].push(changeOf(store.get()));
    last = { signature: '', at: -Infinity };
    isStepping = true;
    store.set(change);
    isStepping = false;
  }

  /** @param {State} state @param {State} previous @param {boolean} isSameGo */
  function noteChange(state, previous, isSameGo) {
    if (TEXT.some((name) => differs(state, previous, name))) {
      changes = { past: changes.past.filter(isOfAnyText), future: changes.future.filter(isOfAnyText) };
    } else if (!isStepping && CHANGES.some((name) => differs(state, previous, name))) {
      if (restoring) {
        changes[restoring].pop();
        changes[restoring === 'past' ? 'future' : 'past'].push(changeOf(previous));
      } else {
        if (!isSameGo) changes.past.push(changeOf(previous));
        changes.future = [];
      }
    }
    changes.past = changes.past.slice(-MOST);
    for (const list of [changes.past, changes.future]) dropPresent(list, state);
  }

  store.subscribe((state, previous) => {
    if (state.model !== previous.model) {
      past = [];
      future = [];
      changes = { past: [], future: [] };
    } else if (restoring) noteChange(state, previous, false);
    else {
      const altered = FIELDS.filter((name) => differs(state, previous, name));
      if (!altered.length) return;
      const signature =
        altered.includes('settings') || state.interventions.length !== previous.interventions.length
          ? ''
          : altered.join();
      const at = performance.now();
      const isSameGo = signature !== '' && signature === last.signature && at - last.at <= SAME_ENTRY;
      if (!isSameGo) past.push(kept(previous));
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
     * @param {{past: Entry[], future: Entry[], changes?: {past: Change[], future: Change[]}}} entries
     */
    swap(entries) {
      const had = { past, future, changes };
      ({ past, future, changes = { past: [], future: [] } } = entries);
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

/** @param {State} a @param {State} b @param {typeof FIELDS[number]} name */
const differs = (a, b, name) => a[name] !== b[name] && JSON.stringify(a[name]) !== JSON.stringify(b[name]);

/** Whether no change is at a word: in another text the words are elsewhere. @param {Change} change */
const isOfAnyText = ({ interventions }) => !interventions.some(isAtWord);

/** Drops the newest entries that would change nothing. @param {Change[]} list @param {State} state */
function dropPresent(list, state) {
  while (list.length && JSON.stringify(list.at(-1)) === JSON.stringify(changeOf(state))) list.pop();
}

/** @param {State} state @returns {Change} */
const changeOf = ({ settings, interventions }) => ({ settings, interventions });

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
