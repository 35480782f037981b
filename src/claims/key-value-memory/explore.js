import { NAMED, indexOfLargest, trainedModel } from '../shared/explore.js';
import { range } from '../shared/picture.js';
import { STEPS, learn, taskOf } from './claim.js';

const ROWS = 4;

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the neuron that its facts need most',
  text: () => ({
    ...{ token: NAMED, joint: ' ', does: 'facts by heart', node: 'ffn' },
    goal: 'from a subject and a relation, name the object, by heart. It is read at the relation, the second token.',
    hint:
      'It opens at the neuron whose ablation lowers the probability of the right objects most, and at the fact that ' +
      'suffers most from it. Ablate it, or a head, and see what is still known.',
  }),
  open: trainedModel(STEPS, learn, (model, settings, gf) => {
    const task = taskOf(settings.facts);
    const batch = /** @type {any} */ (task.batch(0, settings.seed));
    // Of each fact the logarithm of its object's probability, read at the relation.
    const known = (/** @type {object} */ changes) => {
      const { logits } = /** @type {any} */ (model.forward({ ids: batch.ids, ...changes }));
      const { data } = gf.logSoftmax(logits);
      const [facts, width, words] = logits.shape;
      return range(facts).map((fact) => {
        const at = fact * width + width - 1;
        return data[at * words + batch.labels.data[at]];
      });
    };
    const intact = known({});
    const lost = range(model.config.d_ff).map((neuron) =>
      known({ ablate: [{ layer: 0, neuron }] }).map((each, fact) => intact[fact] - each),
    );
    const neuron = indexOfLargest(lost.map((each) => each.reduce((sum, one) => sum + one, 0)));
    const facts = [...intact.keys()].sort((a, b) => lost[neuron][b] - lost[neuron][a]).slice(0, ROWS);
    const rows = facts.map((fact) => [...batch.ids.data.subarray(2 * fact, 2 * fact + 2)]);
    model.forward({ ids: rows[0], capture: true });
    const { data } = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
    const subject = range(model.config.heads).map((head) => data[4 * head + 2]);
    return { task, rows, cell: { kind: 'encoder', head: indexOfLargest(subject), row: 1, key: 0, neuron } };
  }),
};
