// The same words through the model as it was built, to show the effect of the interventions.

import { rule } from '../../../src/js/engine/rules.js';
import { asBuilt, editWeights } from '../../engine/edit-weights.js';
import { actsInPass, forwardWithInterventions } from '../../engine/intervene.js';
import { isAtWord } from '../../engine/interventions.js';
import { inputOf } from '../../engine/part.js';
import { isComplete, settingsOf, writeTarget } from '../../engine/target.js';

/**
 * The model as built answers alike whatever is changed.
 * @type {WeakMap<import('../../engine/worker.js').Engine, {key: string, answer: any}>}
 */
const kept = new WeakMap();

/**
 * '@before/' and the configuration: the softmax of the logits and, in nats, the Kullback-Leibler divergence of the
 * answers with interventions from these; without a head how far each output vector has moved, and its norm before.
 * Where the model writes its target, also what it writes then and what it writes changed.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function before(context, asked) {
  const { gf, model, config, name, build, ids, targetIds, written, interventions, generate, info } = context;
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  /** @param {Record<string, unknown>} each @param {(model: import('../../engine/worker.js').Model) => any} use */
  function withModel(each, use) {
    const model = build(each);
    try {
      return use(model);
    } finally {
      model.free();
    }
  }
  const inPass = interventions.some(actsInPass);
  const key = JSON.stringify([asked, name, ids, targetIds]);
  if (kept.get(gf)?.key !== key) {
    const use = (/** @type {import('../../engine/worker.js').Model} */ asBuilt) => {
      const { logits, output } = asBuilt.forward(inputOf(input));
      return {
        logits,
        output,
        probabilities: logits ? gf.softmax(logits) : null,
        written: generate && writeTarget(asBuilt, ids, generate, info),
      };
    };
    const answer = asked === JSON.stringify(config) ? asBuilt(context, use) : withModel(JSON.parse(asked), use);
    kept.set(gf, { key, answer });
  }
  const { logits, output, probabilities, written: writtenBefore } = /** @type {any} */ (kept.get(gf)).answer;
  /** @param {string} tensor */
  const now = (tensor) => /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(tensor));
  return {
    ...structuredClone({ probabilities, written: writtenBefore }), // the worker transfers its results
    ...(logits
      ? { nats: gf.klDivergence(logits, now('logits')).data }
      : { distances: distances(gf, output, now('output').data), lengths: gf.vectorNorm(output).data }),
    rewritten:
      !generate || !inPass
        ? written
        : withModel(config, (model) => {
            editWeights(model, interventions, []);
            return generateWithInterventions(model, ids, interventions, generate, info);
          }),
  };
}

/**
 * The norms of the differences of rows.
 * @param {import('../../engine/worker.js').Engine} gf
 * @param {import('../../engine/protocol.js').Tensor} before
 * @param {ArrayLike<number>} after
 */
const distances = (gf, { data, shape }, after) =>
  gf.vectorNorm({ data: Float32Array.from(data, (value, i) => after[i] - value), shape }).data;

/**
 * The rows of the target that a change is at.
 * @param {import('../../engine/interventions.js').Intervention} change
 * @returns {number[]}
 */
function wordsOf(change) {
  if (!isAtWord(change) || !('row' in change) || !('kind' in change) || change.kind === 'encoder') return [];
  if (change.what === 'swap') return [change.row, change.to];
  return change.what === 'cell' && change.kind === 'decoder' ? [change.row, change.key] : [change.row];
}

/**
 * The likeliest words one by one, each by a whole pass, as generate() knows no patches. Changes at
 * words that are not yet written wait for them.
 * @param {import('../../engine/worker.js').Model} model
 * @param {number[]} ids
 * @param {readonly import('../../engine/interventions.js').Intervention[]} interventions
 * @param {NonNullable<import('../../engine/plan.js').Plan['generate']>} generate
 * @param {import('../../engine/target.js').Facts} [info]
 */
function generateWithInterventions(model, ids, interventions, generate, info) {
  const { targetIds: prompt, maxTokens, endId, rules } = settingsOf(generate, info);
  const ends = [endId].flat();
  if (isComplete(generate, info)) return generate.given ?? prompt.slice(1);
  const targetIds = [...prompt];
  const hasEnded = () => targetIds.length > prompt.length && ends.includes(Number(targetIds.at(-1)));
  while (targetIds.length < prompt.length + maxTokens && !hasEnded()) {
    const reached = interventions.filter((change) => wordsOf(change).every((row) => row < targetIds.length));
    const { data, shape } = /** @type {import('../../engine/protocol.js').Tensor} */ (
      forwardWithInterventions(model, { ids, targetIds }, reached).logits
    );
    const last = data.slice(-shape[2]);
    rule(last, targetIds, { rules, endId: ends, prompt, maxTokens });
    targetIds.push(last.reduce((best, logit, id) => (logit > last[best] ? id : best), 0));
  }
  return targetIds.slice(1);
}
