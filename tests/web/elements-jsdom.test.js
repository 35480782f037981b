// <glass-heatmap> in jsdom, which has no canvas, no ResizeObserver and no style sheets made by script.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM, VirtualConsole } from 'jsdom';
import { load } from '../../dist/js/index.js';

/** @type {unknown[]} */
const problems = [];
const virtualConsole = new VirtualConsole().on('jsdomError', (error) => problems.push(error));
// Jest and Vitest make these global; requestAnimationFrame is missing as it is by default.
const { window } = new JSDOM('<!doctype html><glass-heatmap></glass-heatmap>', { virtualConsole });
for (const name of ['HTMLElement', 'CSSStyleSheet', 'CustomEvent', 'customElements', 'document', 'getComputedStyle'])
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
globalThis.devicePixelRatio ??= 1;
globalThis.reportError = (error) => void problems.push(error);
await import('../../dist/elements.js');

/** The element's readout of its cursor. @param {any} map @returns {string} */
const readout = (map) => map.shadowRoot.querySelector('.map-readout').textContent;

test('the weights of a model as the engine gives them, moved by keyboard; the console stays empty', async () => {
  const gf = await load();
  const model = gf.createModel({ kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1 });
  model.forward({ ids: [1, 2, 3], capture: true });
  const map = document.querySelector('glass-heatmap');
  map.matrix = model.tensor('encoder.layers.0.self_attn.weights');
  map.cursor = { row: 2, column: 1 };
  assert.equal(map.value, model.tensor('encoder.layers.0.self_attn.weights').data[7]);
  assert.match(readout(map), /^row 2, column 1 0\.\d{4} /);
  /** @type {unknown[]} */
  const heard = [];
  map.addEventListener('cursor', ({ detail }) => heard.push(detail.row));
  const cells = map.shadowRoot.querySelector('.map-cells');
  cells.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowUp' }));
  assert.deepEqual(heard, [1]);
  map.rowLabels = ['too few'];
  await null;
  assert.equal(map.shadowRoot.querySelector('b').textContent, 'rowLabels: 3 needed, got an array of 1');
  map.matrix = null;
  await null;
  assert.equal(map.shadowRoot.querySelector('b').textContent, '');
  assert.equal(map.value, undefined);
  assert.deepEqual(map.cursor, { row: 0, column: 0 });
  map.matrix = [
    [0.9, 0.1],
    [0.5, 0.25],
  ];
  map.labels = ['the', 'creek'];
  map.cursor = { row: 7, column: 1 };
  await null;
  assert.equal(map.value, 0.25);
  assert.match(readout(map), /^row creek, column creek /);
  map.remove();
  assert.deepEqual(problems.map(String), ['GlassformerError: rowLabels: 3 needed, got an array of 1']);
});
