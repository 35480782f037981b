// The FFN neurons of one layer at every place of the example.

import { html, nothing } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { live } from 'lit-html/directives/live.js';
import { neuronMap, zerosOf } from '../../draw/neuron-map.js';
import { bareMap } from '../../kit/map.js';

const HEIGHT = 240; // px

/** @type {import('../index.js').Feature} */
export const neurons = {
  name: 'neurons',
  local: { layer: Infinity, cursor: { row: 0, column: 0 } }, // the last layer, until the reader chooses
  // Slow computations do not run at every step.
  render: ({ state: { whole }, scheme, local }, { local: remember }) =>
    html`${guard([whole, scheme, local], () => (whole ? content(whole, scheme, local, remember) : nothing))}`,
};

/**
 * @param {import('../state.js').Report} report @param {import('../../draw/color.js').Scheme} scheme
 * @param {{layer: number, cursor: import('../../draw/map.js').Cell}} local @param {(patch: object) => void} remember
 */
function content({ inspection, settings, step }, scheme, local, remember) {
  const all = inspection.neurons;
  const shown = all[Math.min(local.layer, all.length - 1)];
  const options = {
    min: 2,
    max: 28,
    height: HEIGHT,
    empty: 'No FFN: d_ff is 0.',
    onCursor: (/** @type {import('../../draw/map.js').Cell} */ cursor) => remember({ cursor }),
  };
  if (!shown) return html`<div>${bareMap(null, options)}</div>`;
  const { words } = inspection.rows[inspection.example];
  const { data, count, layer } = shown;
  const { row, column } = local.cursor;
  const map = neuronMap({
    title: `FFN of layer ${layer + 1}`,
    quantity: settings.ffn === 'gated' ? 'product' : 'activation',
    words,
    neurons: count,
    data,
    scheme,
    cursor: { row: Math.min(row, words.length - 1), column: Math.min(column, count - 1) },
  });
  const { share, dead } = zerosOf(data, count);
  return html`${
    all.length > 1
      ? html`<label class="train-speed">Layer
        <select @change=${(/** @type {any} */ { target }) => remember({ layer: Number(target.value) })}>
          ${all.map((_, i) => html`<option value=${i} .selected=${live(i === layer)}>${i + 1}</option>`)}
        </select>
      </label>`
      : nothing
  }<div>${bareMap(map, options)}</div>
  <p class="hint">
    A column is a neuron, ${
      settings.ffn === 'gated'
        ? 'its gate after the activation function times its up projection'
        : 'after the activation function'
    }, at step ${step}. ${share} of the values are exactly 0; ${dead}
    of ${count} neurons ${dead === 1 ? 'is' : 'are'} 0 at every position of this example.
  </p>`;
}
