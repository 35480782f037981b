// The panel's Undo takes back changes of the model, never the text; Ctrl+Z takes back whatever came last.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNDO, defaultState } from '../../../web/app/schema.js';
import { createStore, createUndo } from '../../../web/kit/store.js';

/** @type {import('../../../web/engine/interventions.js').Intervention} */
const HEAD = { what: 'head', kind: 'encoder', layer: 0, head: 0, to: 0 };
/** @type {import('../../../web/engine/interventions.js').Intervention} */
const CELL = { what: 'cell', kind: 'encoder', layer: 0, head: 0, row: 1, key: 0, to: 0 };

function open() {
  const store = createStore(defaultState());
  store.set({ text: 'one two' });
  return { store, history: createUndo(store, UNDO) };
}

test('a change, then typing: Undo takes back the change, and Redo makes it again; the text stays', () => {
  const { store, history } = open();
  store.set({ interventions: [HEAD] });
  store.set({ text: 'one two three' });
  history.undoChange();
  assert.deepEqual(store.get().interventions, []);
  assert.equal(store.get().text, 'one two three');
  assert.equal(history.canUndoChange(), false, 'the text is none of its business');
  history.redoChange();
  assert.deepEqual(store.get().interventions, [HEAD]);
  assert.equal(store.get().text, 'one two three');
});

test('Ctrl+Z takes back what came last, and the panel goes along', () => {
  const { store, history } = open();
  const { settings } = store.get();
  store.set({ settings: { ...settings, scoreScale: !settings.scoreScale } });
  store.set({ interventions: [HEAD] });
  history.undo();
  assert.deepEqual(store.get().interventions, []);
  history.undoChange();
  assert.deepEqual(store.get().settings, settings, 'the change before it, not the one that is taken back');
  assert.equal(history.canUndoChange(), false);
  history.redoChange();
  history.redoChange();
  assert.deepEqual(store.get().interventions, [HEAD]);
  store.set({ text: 'one' });
  history.undo();
  assert.equal(store.get().text, 'one two');
});

/** @type {import('../../../web/engine/interventions.js').Intervention} */
const PATCH = { what: 'patch', kind: 'encoder', after: 1, row: 1, from: 'mean', share: 1 };

for (const change of [CELL, PATCH])
  test(`a ${change.what} of another text does not come back`, () => {
    const { store, history } = open();
    store.set({ interventions: [change] });
    store.set({ interventions: [] });
    store.set({ text: 'zero one two' });
    assert.equal(history.canUndoChange(), false, 'before the change the model was as it is');
  });
