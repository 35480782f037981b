// Of claims that train models of their own: the one that decides, of the first seed, with the same bits as in `run`,
// and where in it to look. Of claims about a layer alone that layer. Apart from the claims, which need none of it.
import * as causalMask from './causal-mask/claim.js';
import * as crossAttentionAligns from './cross-attention-aligns/claim.js';
import * as deepTraining from './deep-training/claim.js';
import * as headSpecialisation from './head-specialisation/claim.js';
import * as keyValueMemory from './key-value-memory/claim.js';
import { LAYERS, layerModel } from './layers.js';
import * as orderNeedsPositions from './order-needs-positions/claim.js';
import * as reversalNeedsPositions from './reversal-needs-positions/claim.js';
import { settingsOf } from './shared/claim.js';
import { largest } from './shared/numbers.js';
import { stepper } from './shared/steps.js';
import { dataOf, massOf } from './shared/train.js';

/**
 * @typedef {import('./shared/train.js').Model} Model
 * @typedef {import('glassformer/tasks').Vocabulary} Vocabulary
 *
 * A cell of an attention map in the first layer and, where one decides, a neuron of the FFN.
 * @typedef {'encoder' | 'decoder' | 'cross'} Kind
 * @typedef {{kind: Kind, head: number, row: number, key: number, neuron: number | null}} Place
 *
 * @typedef {object} Shown
 * @property {{vocabulary: Vocabulary, outputVocabulary?: Vocabulary}} task
 * @property {number[][]} rows ids of inputs; the place is one of the first
 * @property {Place} place
 *
 * @typedef {object} Trained
 * @property {{claim: any, learn: (gf: any, settings: any, step: () => Promise<void>) => Promise<Model>}} module
 * @property {(settings: any) => number} stepsOf
 * @property {(model: Model, settings: any, gf: import('glassformer').Engine) => Shown} look
 */

const ROWS = 4;

/** @param {any} ids of a batch @returns {number[][]} the first rows */
const rowsIn = ({ data, shape: [, width] }) =>
  Array.from({ length: ROWS }, (_, row) => [...data.subarray(row * width, (row + 1) * width)]);

/** @param {number[]} list */
const indexOfLargest = (list) => list.indexOf(largest(list));

/** By the claim's number. @type {Record<number, Trained>} */
const MODELS = {
  5: {
    module: orderNeedsPositions,
    stepsOf: () => orderNeedsPositions.STEPS,
    look() {
      const { task } = orderNeedsPositions;
      const { ids } = task.batch();
      // What the last token sees of [BOS], the only one that differs.
      const row = ids.shape[1] - 1;
      return { task, rows: [[...ids.data]], place: { kind: 'encoder', head: 0, row, key: 0, neuron: null } };
    },
  },
  6: {
    module: reversalNeedsPositions,
    stepsOf: () => reversalNeedsPositions.STEPS.none,
    look(model, settings) {
      const { learnt, heldOut } = reversalNeedsPositions.dataAt(settings);
      const isPair = settings.model === 'encoder-decoder';
      const { ids, targetIds } = /** @type {any} */ (heldOut);
      model.forward({ ids, ...(isPair && { targetIds }), capture: true });
      const weights = /** @type {any} */ (
        model.tensor(isPair ? 'decoder.layers.0.multihead_attn.weights' : 'encoder.layers.0.self_attn.weights')
      );
      const last = weights.shape[3] - 1;
      const from = (/** @type {number} */ at) => (settings.task === 'in reverse' ? last - at : at);
      const head = indexOfLargest(massOf(weights, from, [...Array(last + 1).keys()]));
      return {
        task: learnt,
        rows: rowsIn(ids),
        place: { kind: isPair ? 'cross' : 'encoder', head, row: 0, key: from(0), neuron: null },
      };
    },
  },
  13: {
    module: keyValueMemory,
    stepsOf: () => keyValueMemory.STEPS,
    look(model, settings, gf) {
      const task = keyValueMemory.taskOf(settings.facts);
      const batch = /** @type {any} */ (task.batch(0, settings.seed));
      // Of each fact the logarithm of its object's probability, read at the relation.
      const known = (/** @type {object} */ changes) => {
        const { logits } = /** @type {any} */ (model.forward({ ids: batch.ids, ...changes }));
        const { data } = gf.logSoftmax({ x: logits });
        const [facts, width, words] = logits.shape;
        return Array.from({ length: facts }, (_, fact) => {
          const at = fact * width + width - 1;
          return data[at * words + batch.targets.data[at]];
        });
      };
      const intact = known({});
      const lost = Array.from({ length: model.config.d_ff }, (_, neuron) =>
        known({ ablate: [{ layer: 0, neuron }] }).map((each, fact) => intact[fact] - each),
      );
      const neuron = indexOfLargest(lost.map((each) => each.reduce((sum, one) => sum + one, 0)));
      const facts = [...intact.keys()].sort((a, b) => lost[neuron][b] - lost[neuron][a]).slice(0, ROWS);
      const rows = facts.map((fact) => [...batch.ids.data.subarray(2 * fact, 2 * fact + 2)]);
      model.forward({ ids: rows[0], capture: true });
      const { data } = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
      const subject = Array.from({ length: model.config.heads }, (_, head) => data[4 * head + 2]);
      return { task, rows, place: { kind: 'encoder', head: indexOfLargest(subject), row: 1, key: 0, neuron } };
    },
  },
  14: {
    module: headSpecialisation,
    stepsOf: ({ task }) => headSpecialisation.settingOf(task).limit,
    look(model, settings) {
      const { data: task, rows: count } = headSpecialisation.settingOf(settings.task);
      const { ids } = dataOf(task, settings.seed, count).heldOut.batch;
      model.forward({ ids, capture: true });
      const weights = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
      const width = weights.shape[3];
      const sides = settings.task === 'reverse' ? [width - 1 - 2] : [1, 3]; // of the row that is shown
      const row = 2;
      const masses = sides.map((key) => massOf(weights, () => key, [row])[0]);
      const key = sides[indexOfLargest(masses)];
      return {
        task: /** @type {any} */ (task),
        rows: rowsIn(ids),
        place: { kind: 'encoder', head: 0, row, key, neuron: null },
      };
    },
  },
  16: {
    module: deepTraining,
    stepsOf: () => deepTraining.STEPS,
    look(_model, { seed }) {
      const { task, HELD_OUT } = deepTraining;
      const { ids } = dataOf(task, seed, HELD_OUT).heldOut.batch;
      const key = ids.shape[1] - 1; // from which the first digit is to come
      return { task, rows: rowsIn(ids), place: { kind: 'encoder', head: 0, row: 0, key, neuron: null } };
    },
  },
  18: {
    module: causalMask,
    stepsOf: () => causalMask.STEPS,
    look(model, settings) {
      const { task, EDITED } = causalMask;
      const rows = rowsIn(dataOf(task, settings.seed, causalMask.HELD_OUT).heldOut.batch.ids);
      // From the token before the one that is edited to that one: what the mask hides.
      return { task, rows, place: { kind: 'decoder', head: 0, row: EDITED - 1, key: EDITED, neuron: null } };
    },
  },
  19: {
    module: crossAttentionAligns,
    stepsOf: () => crossAttentionAligns.STEPS,
    look(model, settings) {
      const { task } = crossAttentionAligns;
      const { batch } = dataOf(task, settings.seed, crossAttentionAligns.HELD_OUT).heldOut;
      const { ids, targetIds } = /** @type {any} */ (batch);
      model.forward({ ids, targetIds, capture: true });
      const weights = /** @type {any} */ (model.tensor('decoder.layers.0.multihead_attn.weights'));
      const [places, last] = [[...Array(weights.shape[2]).keys()], weights.shape[3] - 1];
      const head = indexOfLargest(massOf(weights, (at) => last - at, places));
      // The token that is said first comes from the last one.
      return { task, rows: rowsIn(ids), place: { kind: 'cross', head, row: 0, key: last, neuron: null } };
    },
  },
};

/** Whether a claim has such a model. @param {number} number */
export const hasModel = (number) => number in MODELS || number in LAYERS;

/**
 * @param {import('glassformer').Engine} gf
 * @param {number} number of the claim
 * @param {import('./shared/claim.js').Params} [params] its switches; of the seeds the first is taken
 * @param {import('./shared/claim.js').OnProgress} [onProgress]
 * @param {import('./shared/claim.js').Signal} [signal]
 * @returns {Promise<Shown & {model: Model}>} to be freed by its `free`
 * @throws {RangeError} for a claim that has none; GlassformerError for switches that it has not
 */
export async function ownModel(gf, number, params, onProgress, signal) {
  if (!hasModel(number)) throw new RangeError(`Claim ${number} has no model of its own.`);
  const { module } = MODELS[number] ?? LAYERS[number];
  const { seeds, ...given } = settingsOf(module.claim, params);
  const settings = { ...given, seed: seeds?.[0] };
  if (number in LAYERS) return layerModel(gf, number, settings);
  const { stepsOf, look } = MODELS[number];
  const model = await module.learn(gf, settings, stepper(stepsOf(settings), onProgress, signal));
  try {
    return { model, ...look(model, settings, gf) };
  } catch (error) {
    model.free();
    throw error;
  }
}
