import { SAME_RUN, inTrain } from '../shared/explore.js';
import { largestNeuron, layerModel } from '../shared/layer.js';
import { range } from '../shared/picture.js';
import { network } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the network built by hand at x = 3',
  text: () => ({
    ...{ token: /-?\d+(?:\.\d+)?/g, joint: ' ', does: 'x² by kinks, and beyond', node: 'ffn' },
    goal: 'numbers x through the network that is the best broken line along x² from −1 to 1, without attention.',
    hint:
      'It opens at x = 3, at its largest neuron. From 1 to 5 the same neurons are active: what they add grows in a ' +
      'straight line.',
  }),
  open: layerModel((_gf, { neurons, activation }) => {
    const x = [-1, -0.5, 0, 0.5, 1, 2, 3, 4, 5];
    const weights = Object.entries(network(neurons)).map(([name, rows]) => [
      name,
      Float32Array.from(/** @type {number[]} */ (rows.flat())),
    ]);
    const row = x.indexOf(3);
    return {
      words: x.map(String),
      table: { data: Float32Array.from(x), shape: [x.length, 1] },
      rows: [range(x.length)],
      config: { heads: 0, d_ff: neurons, activation },
      weights: Object.fromEntries(weights),
      where: (_maps, model) => ({ row, key: row, neuron: largestNeuron(model, row) }),
    };
  }),
};

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ neurons, activation, seed }) =>
  inTrain(
    { task: 'square', d_ff: neurons, activation, seed, step: 1500 },
    `the trained one: ${SAME_RUN}. See the curve beyond 1`,
  );
