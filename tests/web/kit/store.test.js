// The state of a place: its listeners, what undo and redo make of it, and the keys for that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JSDOM } from 'jsdom';
import { createStore, createUndo, listenToKeys } from '../../../web/kit/store.js';

test('listeners hear of each state with the one before, until they end', () => {
  const store = createStore({ a: 1, b: 1 });
  /** @type {unknown[]} */
  const heard = [];
  const end = store.subscribe((now, before) => {
    heard.push([now, before]);
    if (heard.length === 1) store.subscribe(() => heard.push('late'));
  });
  store.set({ b: 2 });
  assert.deepEqual(heard, [[{ a: 1, b: 2 }, { a: 1, b: 1 }]]); // prettier-ignore
  end();
  store.set({ a: 2 });
  assert.deepEqual([heard.slice(1), store.get()], [['late'], { a: 2, b: 2 }]);
});

const FIRST = { model: 'm', text: 't', size: 0, list: /** @type {string[]} */ ([]), cursor: 0 };
/** Of a list, an item more or less is an entry; one that names a word holds in one text. */
const RULES = {
  reset: 'model',
  keys: ['text', 'size', 'list'],
  selection: ['cursor'],
  text: ['text'],
  changes: ['size', 'list'],
  isSameText: (/** @type {any} */ a, /** @type {any} */ b) => a.text === b.text,
  isApart: (/** @type {any} */ a, /** @type {any} */ b) => a.list.length !== b.list.length,
  isOfAnyText: (/** @type {any} */ { list }) => !list.includes('word'),
};

/** @param {import('node:test').TestContext} t */
function begun(t) {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const store = createStore(FIRST);
  const undo = createUndo(store, RULES);
  return {
    ...undo,
    get: store.get,
    /** Whether there is something to take back and to repeat: of all, and of the model alone. */
    can: () => [undo.canUndo(), undo.canRedo(), undo.canUndoChange(), undo.canRedoChange()].map(Number).join(''),
    /** @param {Partial<typeof FIRST>} patch @param {number} [after] ms */
    set(patch, after = 1000) {
      now += after;
      store.set(patch);
      return store.get();
    },
  };
}

test('typing in one go is one entry, of 0.8 s at most between two keys; another key of the state is another', (t) => {
  const page = begun(t);
  page.set({ text: 'a' });
  page.set({ text: 'ab' }, 800);
  page.set({ text: 'abc' }, 800);
  page.set({ size: 1 }, 0);
  page.set({ size: 2 }, 801);
  page.set({ size: 2, list: [] });
  page.set({ list: ['x'] }, 0);
  page.set({ list: ['y'] }, 0);
  page.set({ list: [] }, 0);
  const seen = [];
  for (; page.canUndo(); page.undo()) seen.push([page.get().text, page.get().size, ...page.get().list].join(' '));
  assert.deepEqual(seen, ['abc 2', 'abc 2 y', 'abc 2 x', 'abc 2', 'abc 1', 'abc 0']);
  assert.deepEqual([page.get(), page.can()], [FIRST, '0101']);
  page.undo();
  assert.deepEqual([page.get(), page.can()], [FIRST, '0101']);
  page.redo();
  page.set({ text: 'abcd' }, 0);
  page.undo();
  assert.equal(page.get().text, 'abc', 'what follows a redo is an entry');
});

test('whatever is set, taken back and repeated: the states are those before each go, in their order', (t) => {
  const word = fc.constantFrom('t', 'u', 'v');
  const patch = fc.oneof(
    fc.record({ text: word, cursor: fc.nat(2) }, { requiredKeys: ['text'] }),
    fc.record({ size: fc.nat(2) }),
    fc.record({ cursor: fc.nat(9) }),
    fc.record({ list: fc.array(word, { maxLength: 2 }) }),
  );
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.tuple(patch, fc.constantFrom(0, 2000)) },
    { weight: 2, arbitrary: fc.constantFrom('undo', 'redo') },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const page = begun(t);
      /** @type {(typeof FIRST)[]} */
      const past = [];
      /** @type {(typeof FIRST)[]} */
      let future = [];
      let [go, since] = ['', 0];
      for (const each of steps) {
        const before = page.get();
        if (typeof each === 'string') {
          const [from, into] = each === 'undo' ? [past, future] : [future, past];
          const wanted = from.pop();
          page[/** @type {'undo' | 'redo'} */ (each)]();
          if (!wanted) assert.deepEqual(page.get(), before);
          else {
            into.push(before);
            // Only another text takes its cursor with it.
            const { cursor } = wanted.text === before.text ? before : wanted;
            assert.deepEqual(page.get(), { ...wanted, cursor });
            go = '';
          }
        } else {
          const [to, after] = each;
          const now = page.set(to, after);
          since += after;
          const altered = ['text', 'size', 'list'].filter(
            (name) =>
              JSON.stringify(/** @type {any} */ (now)[name]) !== JSON.stringify(/** @type {any} */ (before)[name]),
          );
          if (!altered.length) continue;
          const own = now.list.length === before.list.length ? String(altered) : '';
          if (since > 800 || !own || own !== go) past.push(before);
          future = [];
          [go, since] = [own, 0];
        }
        assert.deepEqual([page.canUndo(), page.canRedo()], [past.length > 0, future.length > 0]);
      }
    }),
  );
});

test('two hundred entries are kept; another model begins with none', (t) => {
  const page = begun(t);
  for (let size = 1; size <= 201; size++) page.set({ size });
  const count = (/** @type {'undo' | 'undoChange'} */ name, /** @type {'canUndo' | 'canUndoChange'} */ can) => {
    let steps = 0;
    for (; page[can](); steps++) page[name]();
    return [steps, page.get().size];
  };
  assert.deepEqual(count('undo', 'canUndo'), [200, 1]);
  for (; page.canRedo();) page.redo();
  assert.equal(page.get().size, 201);
  assert.deepEqual(count('undoChange', 'canUndoChange'), [200, 1]);
  page.undo();
  page.set({ model: 'n' });
  assert.equal(page.can(), '0000');
  for (let size = 3; size <= 203; size++) page.set({ size });
  assert.deepEqual(count('undo', 'canUndo'), [200, 3]);
});

test('changes of the model are taken back and repeated alone: the text stays', (t) => {
  const page = begun(t);
  const { undoChange, redoChange } = page;
  undoChange();
  redoChange();
  assert.deepEqual([page.get(), page.can()], [FIRST, '0000']);
  page.set({ size: 1 });
  page.set({ text: 'u' });
  assert.equal(page.can(), '1010');
  page.set({ size: 2 });
  page.set({ size: 3 }, 0);
  undoChange();
  assert.deepEqual([page.get().size, page.can()], [1, '1011'], 'one go is one change');
  undoChange();
  assert.deepEqual([page.get().size, page.get().text, page.can()], [0, 'u', '1001']);
  redoChange();
  redoChange();
  assert.deepEqual([page.get().size, page.can()], [3, '1010']);
  undoChange();
  page.set({ cursor: 4 });
  assert.equal(page.can(), '1011');
  page.set({ size: 7 });
  assert.deepEqual(page.can(), '1010', 'a new change ends what could be repeated');
  undoChange();
  assert.equal(page.get().size, 1);
  page.undo();
  page.set({ size: 5 }, 0);
  page.set({ size: 7 }, 0);
  page.undo();
  assert.equal(page.get().size, 7);
});

test('undo and redo of all take the changes of the model with them', (t) => {
  const page = begun(t);
  page.set({ size: 1 });
  page.set({ size: 2 });
  page.undo();
  assert.deepEqual([page.get().size, page.can()], [1, '1111']);
  page.redoChange();
  assert.equal(page.get().size, 2);
  page.undoChange();
  page.undoChange();
  assert.deepEqual([page.get().size, page.canUndoChange()], [0, false]);

  const other = begun(t);
  other.set({ size: 1 });
  other.undo();
  assert.equal(other.can(), '0101');
  other.redo();
  assert.deepEqual([other.get().size, other.can()], [1, '1010']);
  other.set({ size: 0 }, 0);
  other.set({ size: 1 }, 0);
  assert.equal(other.can(), '1010');
  other.undoChange();
  assert.deepEqual([other.get().size, other.can()], [0, '1001'], 'a change that changes nothing is none');
});

test('of another text the changes at a word are gone, those of all texts stay', (t) => {
  const page = begun(t);
  page.set({ list: ['word'] });
  page.set({ list: ['word', 'head'] });
  page.set({ list: [] });
  page.undoChange();
  page.set({ text: 'u' });
  assert.equal(page.can(), '1011');
  page.undoChange();
  assert.deepEqual([page.get().list, page.can()], [[], '1001']);

  const other = begun(t);
  other.set({ list: ['head'] });
  other.set({ list: ['word'] });
  other.undoChange();
  other.undoChange();
  other.set({ text: 'u' });
  other.redoChange();
  assert.deepEqual([other.get().list, other.can()], [['head'], '1010']);
});

test('the entries of one model are put aside and taken again', (t) => {
  const page = begun(t);
  page.set({ size: 1 });
  page.set({ size: 2 });
  page.undo();
  const had = page.swap({ past: [], future: [] });
  assert.equal(page.can(), '0000');
  assert.deepEqual(page.swap(had), { past: [], future: [], changes: { past: [], future: [] } });
  assert.equal(page.can(), '1111');
  page.undo();
  assert.equal(page.get().size, 0);
});

test('Ctrl+Z takes back, with Shift it repeats, but not where text is typed', () => {
  const { window } = new JSDOM('<p></p><textarea></textarea>');
  const names = ['addEventListener', 'HTMLTextAreaElement', 'HTMLInputElement'];
  for (const name of names)
    Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });
  /** @type {string[]} */
  const heard = [];
  listenToKeys({ undo: () => void heard.push('undo'), redo: () => void heard.push('redo') });
  /** @param {string} tag @param {object} how @param {string} [type] */
  const pressed = (tag, how, type) => {
    const target = window.document.body.appendChild(window.document.createElement(tag));
    if (type) target.setAttribute('type', type);
    const event = new window.KeyboardEvent('keydown', { key: 'z', bubbles: true, cancelable: true, ...how });
    target.dispatchEvent(event);
    return [...heard.splice(0), ...(event.defaultPrevented ? ['own'] : [])].join();
  };
  const ctrlKey = true;
  for (const [how, said] of /** @type {[object, string][]} */ ([
    [{ ctrlKey }, 'undo,own'],
    [{ metaKey: true }, 'undo,own'],
    [{ ctrlKey, key: 'Z', shiftKey: true }, 'redo,own'],
    [{}, ''],
    [{ shiftKey: true }, ''],
    [{ ctrlKey, altKey: true }, ''],
    [{ ctrlKey, key: 'y' }, ''],
  ]))
    assert.equal(pressed('p', how), said, JSON.stringify(how));
  assert.equal(pressed('textarea', { ctrlKey }), '');
  for (const type of ['text', 'number', 'search']) assert.equal(pressed('input', { ctrlKey }, type), '');
  for (const type of ['checkbox', 'range']) assert.equal(pressed('input', { ctrlKey }, type), 'undo,own');
  for (const name of names) Reflect.deleteProperty(globalThis, name);
});
