// The neurons of one FFN at the chosen word, as a row of cells.

import { createMap } from '../../draw/map.js';
import { neuronMap } from '../../draw/neuron-map.js';
import { GlassformerError } from '../../../src/js/errors.js';

export { default as style } from 'elements-parts.css'; // ../parts.css, made small: a rule of src/tools/build.mjs

/** @param {HTMLElement} body */
export function create(body) {
  /** @param {number} _neuron */
  let pick = (_neuron) => {};
  const title = body.appendChild(document.createElement('p'));
  const box = body.appendChild(document.createElement('div'));
  box.setAttribute('part', 'neurons');
  const map = createMap(box, {
    uprightColumns: true,
    min: 5,
    max: 44,
    height: 96,
    empty: 'This model has no FFN.',
    onCursor: ({ column }) => pick(column),
  });
  return {
    /** @param {import('../part.js').Shown} shown @param {import('../part.js').PartTools} tools */
    update({ pass, choice, own }, { scheme, choose }) {
      const { words, neurons } = pass;
      if (!neurons) return map.update(null);
      const layer = layerOf(own.layer, choice, pass.layers);
      const word = words[choice.row];
      const all = pass.activations(layer);
      const data = pass.once(`neurons ${layer} ${choice.row}`, () =>
        all.slice(choice.row * neurons, (choice.row + 1) * neurons),
      );
      const isChosen = choice.neuron?.layer === layer;
      title.textContent = `${neurons} neurons of layer ${layer + 1} at “${word}”`;
      pick = (neuron) => choose({ neuron: `${layer + 1}.${neuron}` });
      map.update(
        neuronMap({
          title: `Layer ${layer + 1}`,
          quantity: pass.live.model.config.ffn === 'gated' ? 'product' : 'activation',
          ...{ words: [word], neurons, data, all, scheme },
          cursor: { row: 0, column: isChosen && choice.neuron ? choice.neuron.index : strongest(data) },
          colours: 'root',
        }),
      );
    },
    destroy: map.destroy,
  };
}

/**
 * The layer that is shown, from 0: the element's own, that of the chosen neuron, or that of the chosen head.
 * @param {unknown} own @param {import('../model-state.js').Choice} choice @param {number} layers
 */
function layerOf(own, { layer, neuron }, layers) {
  if (own === undefined) return neuron?.layer ?? layer;
  const at = Number(own) - 1;
  if (!Number.isInteger(at) || at < 0 || at >= layers)
    throw new GlassformerError('range', 'layer', own, `must be 1 to ${layers}`);
  return at;
}

/** The neuron with the largest activation, whatever its sign. @param {Float32Array} data */
const strongest = (data) => data.reduce((best, value, i) => (Math.abs(value) > Math.abs(data[best]) ? i : best), 0);
