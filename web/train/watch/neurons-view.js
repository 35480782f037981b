// The FFN neurons of one layer at every place of the example.

import { createMap } from '../../draw/map.js';
import { neuronMap, zerosOf } from '../../draw/neuron-map.js';

/** @typedef {import('../state.js').TrainState} TrainState */

const HEIGHT = 240; // px

/** @param {HTMLElement} root */
export function createNeurons(root) {
  const label = document.createElement('label');
  const select = document.createElement('select');
  const body = document.createElement('div');
  const fact = document.createElement('p');
  label.className = 'train-speed';
  label.append('Layer ', select);
  fact.className = 'hint';
  root.append(label, body, fact);
  const map = createMap(body, {
    min: 2,
    max: 28,
    height: HEIGHT,
    empty: 'No FFN: d_ff is 0.',
    onCursor(cell) {
      cursor = cell;
      draw();
    },
  });
  /** @type {TrainState | null} */
  let state = null;
  let cursor = { row: 0, column: 0 };
  let layer = Infinity; // the last one, until the reader chooses

  select.addEventListener('change', () => {
    layer = Number(select.value);
    draw();
  });

  function draw() {
    if (!state?.report) return;
    const { inspection, step } = state.report;
    const { neurons } = inspection;
    const shown = neurons[Math.min(layer, neurons.length - 1)];
    label.hidden = neurons.length < 2;
    fact.hidden = !shown;
    if (!shown) return map.update(null);
    if (select.length !== neurons.length)
      select.replaceChildren(...neurons.map((_, i) => new Option(String(i + 1), String(i))));
    select.value = String(shown.layer);
    const { words } = inspection.rows[inspection.example];
    const { data, count } = shown;
    map.update(
      neuronMap({
        title: `FFN of layer ${shown.layer + 1}`,
        quantity: 'activation',
        words,
        neurons: count,
        data,
        scheme: state.scheme,
        cursor: { row: Math.min(cursor.row, words.length - 1), column: Math.min(cursor.column, count - 1) },
      }),
    );
    const { share, dead } = zerosOf(data, count);
    fact.textContent =
      `A column is a neuron, after the activation function, at step ${step}. ${share} of the values are exactly 0; ` +
      `${dead} of ${count} neurons ${dead === 1 ? 'is' : 'are'} 0 at every position of this example.`;
  }

  return {
    /** @param {TrainState} next */
    update(next) {
      state = next;
      draw();
    },
  };
}
