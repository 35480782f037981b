// '@taken/12/' and JSON of the other text: the answer at a row with each head and FFN giving there what it gives in
// another pass of the same model, one at a time; and the neurons that differ most between the two.

import { forwardWithInterventions } from '../../engine/intervene.js';
import { withOwn } from '../../engine/make-patches.js';
import { patchTarget } from '../../engine/patches.js';
import { ffnName, neuronRole } from '../../engine/plan.js';
import { probabilitiesAt } from '../shared/answer-row.js';
import { largest } from '../shared/order.js';
import { triedParts } from './parts-off.js';

/**
 * @typedef {import('../../engine/worker.js').Model} Model
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {{row: number, ids: number[], interventions: Intervention[]}} Other `row`: that stands for the answer's
 * @typedef {{layer: number, neuron: number, then: number, now: number, size: number}} Differing `size`: of the vector
 *   by which its output differs
 * @typedef {{absent: true}} Absent
 * @typedef {import('./parts-off.js').PartsOff & {then: {id: number, share: number}, neurons: Differing[]}} Taken
 */

const MOST = 12;

/** @type {import('../../engine/derived.js').DerivedFunction} */
export function taken(context, row, ...json) {
  const { gf, config, ids } = context;
  const by = json.join('/');
  const now = Math.min(Number(row), ids.length - 1);
  /** @type {Parameters<typeof triedParts>[1]} */
  const how = {
    ...{ row, at: 'at', by },
    from(model, all) {
      /** @type {Other} */
      const other = JSON.parse(by);
      const here = neuronsAt(model, now);
      const changes = withOwn(other.interventions, context.interventions);
      const { logits } = forwardWithInterventions(model, { ids: other.ids }, changes);
      const data = probabilitiesAt(gf, logits, other.row);
      const [id] = largest(data, 1);
      const vectors = all.map(([place, [change]]) => {
        const to = vectorAt(model, patchTarget(/** @type {any} */ ({ ...change, row: other.row }), config));
        return /** @type {typeof all[number]} */ ([place, [/** @type {any} */ ({ ...change, to })]]);
      });
      const neurons = differing(neuronsAt(model, other.row), here, (layer) => lengthsIn(model, layer));
      return { all: vectors, found: { then: { id, share: data[id] }, neurons: neurons.slice(0, MOST) } };
    },
  };
  try {
    return triedParts(context, how);
  } catch (error) {
    if (!(/** @type {import('../../engine/protocol.js').Problem} */ (error).code)) throw error;
    return { absent: true }; // the other text or its changes are refused: this one stands alone
  }
}

/** @param {Model} model @param {{name: string, index: (number | null)[]}} target one vector along the last axis */
function vectorAt(model, { name, index }) {
  const { data, shape } = /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(name));
  const width = shape[shape.length - 1];
  const at = index.slice(0, -1).reduce((/** @type {number} */ sum, each, i) => sum * shape[i] + Number(each), 0);
  return data.slice(at * width, (at + 1) * width);
}

/** @param {Record<string, any>} config */
const stackOf = ({ kind }) => (kind === 'decoder' ? kind : 'encoder');

/** The neurons at a row, layer by layer. @param {Model} model @param {number} row */
const neuronsAt = (model, row) =>
  Array.from({ length: model.config.d_ff ? Number(model.config.layers) : 0 }, (_, layer) =>
    vectorAt(model, {
      name: ffnName(stackOf(model.config), layer, neuronRole(/** @type {any} */ (model.config))),
      index: [0, row, null],
    }),
  );

/** The length of each neuron's value vector. @param {Model} model @param {number} layer */
function lengthsIn(model, layer) {
  const facts = { node: 'ffn', role: 'linear2_weight', stack: stackOf(model.config), layer };
  const { data, shape } = /** @type {import('../../engine/protocol.js').Tensor} */ (
    model.tensor(/** @type {any} */ (facts))
  );
  const squares = new Float64Array(shape[1]);
  for (let i = 0; i < data.length; i++) squares[i % shape[1]] += data[i] * data[i];
  return squares.map(Math.sqrt);
}

/**
 * The neurons that differ, first those whose outputs do most.
 * @param {Float32Array[]} then layer by layer @param {Float32Array[]} now
 * @param {(layer: number) => ArrayLike<number>} lengths of their value vectors
 * @returns {Differing[]}
 */
export const differing = (then, now, lengths) =>
  now
    .flatMap((values, layer) => {
      const length = lengths(layer);
      return Array.from(values, (value, neuron) => ({
        ...{ layer, neuron, then: then[layer][neuron], now: value },
        size: Math.abs(value - then[layer][neuron]) * length[neuron],
      }));
    })
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size);
