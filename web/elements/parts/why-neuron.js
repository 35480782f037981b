// The steps of the chosen neuron, fetched with the first that is chosen.

import { html } from 'lit-html';
import { activation } from '../../../dist/generated/settings.js';
import { neuronQuestion } from '../../draw/neuron-why.js';
import { neuronVectors } from '../../draw/neuron-vectors.js';
import { placeIn, stepsOf } from '../../draw/why-rows.js';
import { whyHead, whySteps } from '../../draw/why.js';

export { default as style } from 'elements-why-neuron.css'; // web/draw/why-rows.css, made small

/** The name of an activation function in a formula. @param {string} choice */
const functionName = (choice) =>
  choice === 'none' ? 'id' : activation.labels[activation.choices.indexOf(choice)].replace(/ \(.*/, '');

/**
 * @param {import('../part.js').Shown} shown with a neuron
 * @param {import('../../draw/player.js').Player} player
 */
export function neuronSteps({ pass, choice }, player) {
  const { live, words, stack } = pass;
  const settings = /** @type {any} */ (live.model.config);
  const { layer, index: neuron } = /** @type {NonNullable<typeof choice.neuron>} */ (choice.neuron);
  const isGated = settings.ffn === 'gated';
  const why = pass.once(`neuron ${layer}.${neuron} ${choice.row}`, () => {
    pass.hold();
    return neuronVectors(/** @type {any} */ (live.model), { stack, layer, row: choice.row, neuron });
  });
  const read = (/** @type {string} */ role) => pass.tensor(`${layer}.ffn.${role}`);
  const { formula, title, line, rows, at } = neuronQuestion({
    ...{ layer, neuron, name: functionName(settings.activation), settings, why, row: choice.row, rowWords: words },
    pre: read('pre_activation'),
    act: read('activation'),
    up: isGated ? read('up') : undefined,
    given: pass.activations(layer),
    ...{ isSet: false, isSkipped: false, unit: 'word', said: null, more: [] },
    norm: Math.hypot(...why.value),
  });
  const parts = rows.map((each) => each.parts ?? 1);
  const frame = player.frame(`${layer} ${at} ${words.join(' ')}`, parts);
  const said = { id: 'why-title', title, formula, line, text: placeIn(rows, frame) };
  return html`${whyHead(said, frame, player)}${whySteps(stepsOf(rows, frame), frame.row)}`;
}
