import { DIGIT, indexOfLargest, rowsIn, trainedModel } from '../shared/explore.js';
import { range } from '../shared/picture.js';
import { massOf } from '../shared/train.js';
import { STEPS, dataAt, learn } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the digit that the first place should say',
  text: () => ({
    ...{ token: DIGIT, joint: '', does: 'digits without positions', node: 'attention' },
    goal: 'say four digits in reverse, or as they are, without positional encoding.',
    hint:
      'It opens at the digit that the first place should say. Equal digits get equal weights, wherever they stand. ' +
      'Change the text, and see what follows.',
  }),
  open: trainedModel(STEPS.none, learn, (model, settings) => {
    const { learnt, heldOut } = dataAt(settings);
    const isPair = settings.model === 'encoder-decoder';
    const { ids, sourceIds, targetIds } = /** @type {any} */ (heldOut);
    model.forward({ ...(isPair ? { sourceIds, targetIds } : { ids }), capture: true });
    const weights = /** @type {any} */ (
      model.tensor(isPair ? 'decoder.layers.0.multihead_attn.weights' : 'encoder.layers.0.self_attn.weights')
    );
    const last = weights.shape[3] - 1;
    const from = (/** @type {number} */ at) => (settings.task === 'in reverse' ? last - at : at);
    const head = indexOfLargest(massOf(weights, from, range(last + 1)));
    const kind = isPair ? 'cross' : 'encoder';
    return {
      task: learnt,
      rows: rowsIn(isPair ? sourceIds : ids),
      cell: { kind, head, row: 0, key: from(0), neuron: null },
    };
  }),
};
