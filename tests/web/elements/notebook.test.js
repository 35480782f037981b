// The default export as a notebook's widget: traits go to the elements, and what the reader chooses comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, creek, open, problems, settled, TIRED, until, window } from './dom.js';

/** A widget's model as anywidget gives it. @param {Record<string, any>} traits */
function widgetModel(traits) {
  /** @type {Map<string, Set<() => void>>} */
  const listeners = new Map();
  const heard = (/** @type {string} */ event) =>
    listeners.get(event) ?? listeners.set(event, new Set()).get(event) ?? new Set();
  return {
    traits,
    saved: 0,
    get: (/** @type {string} */ trait) => traits[trait],
    set(/** @type {string} */ trait, /** @type {unknown} */ value) {
      if (traits[trait] === value) return;
      traits[trait] = value;
      for (const listener of heard(`change:${trait}`)) listener();
    },
    save_changes() {
      this.saved++;
    },
    on: (/** @type {string} */ event, /** @type {() => void} */ listener) => void heard(event).add(listener),
    off: (/** @type {string} */ event, /** @type {() => void} */ listener) => void heard(event).delete(listener),
  };
}

test('a widget shows its traits, follows them, and hears the reader', async () => {
  await open('');
  const { default: widget } = await import('../../../dist/elements.js');
  const model = widgetModel({ src: creek, text: TIRED, head: '3.2', word: 'it', key: null, parts: 'sentence heatmap' });
  const el = window.document.body;
  const end = widget.render({ model, el });
  const part = /** @type {any} */ (el.querySelector('glass-sentence'));
  const chosen = (/** @type {string} */ name) => all(part, `.token.${name}`).map((each) => each.textContent.trim());
  await until(() => chosen('key').length);
  assert.deepEqual([chosen('query'), chosen('key')], [['it'], ['dog']]);
  model.set('word', 'dog');
  await settled();
  assert.deepEqual(chosen('query'), ['dog']);
  all(part, '.token')[9].click();
  await settled();
  assert.deepEqual([model.traits.word, model.traits.key, model.saved, chosen('key')], [9, null, 1, ['dog']]);
  assert.ok(!('neuron' in model.traits), 'a trait that the widget has not is not set');
  end();
  assert.equal(el.querySelector('glass-model:last-of-type glass-sentence'), null);
  model.set('word', 'it');
  assert.deepEqual(problems.splice(0), []);
});
