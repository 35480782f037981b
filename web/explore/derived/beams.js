// Searches the likeliest targets of a source with beams, and greedily beside them.

import { rule } from '../../../src/js/engine/rules.js';
import { settingsOf, writeTarget } from '../../engine/target.js';

/**
 * `parent`: its place in `tree`; null: the beginning; `endedBy`: 'beams' where others were likelier.
 * @typedef {{
 *   id: number, step: number, parent: number | null, logProbability: number, sum: number, endedBy?: string,
 *   score?: number,
 * }} Candidate
 * @typedef {{ids: number[], sum: number, score: number}} Sequence
 * @typedef {{tree: Candidate[], beams: Sequence[], greedy: Sequence}} Beams
 */

/**
 * The last search: another target of the same source needs no new one.
 * @type {WeakMap<import('../../engine/worker.js').Engine, {key: string, found: Beams}>}
 */
const kept = new WeakMap();

/**
 * '@beams/', the width and the length penalty; the search ends early where the model's files say so. In the model with
 * its weights as they were.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export async function beams(context, width, penalty) {
  const { gf, name, config, ids } = context;
  const key = JSON.stringify([name, config, ids, width, penalty]);
  let last = kept.get(gf);
  if (last?.key !== key) last = { key, found: await search(context, Number(width), Number(penalty)) };
  kept.set(gf, last);
  return structuredClone(last.found);
}

/**
 * @param {import('../../engine/derived.js').Context} context
 * @param {number} beams @param {number} lengthPenalty
 * @returns {Promise<Beams>}
 */
async function search({ build, config, ids, generate, info }, beams, lengthPenalty) {
  const { begin, end, maxTokens, prefix = [] } = /** @type {NonNullable<typeof generate>} */ (generate);
  const whole = { begin, end, maxTokens: maxTokens + prefix.length };
  const settings = settingsOf(whole, info);
  const model = build(config);
  try {
    const scoreOf = scorer(model, ids, settings, lengthPenalty);
    const greedy = scoreOf(writeTarget(model, ids, whole, info));
    if (beams < 2) return { tree: lineOf(greedy), beams: [greedy], greedy };
    const { earlyStopping = false } = info?.rules ?? {};
    const options = { ...settings, sourceIds: ids, beams, lengthPenalty, earlyStopping, keep: beams };
    const found = /** @type {any} */ (await model.generate(options));
    return {
      tree: found.tree,
      beams: found.beams.map((/** @type {any} */ { newIds }) => scoreOf([...newIds])),
      greedy,
    };
  } finally {
    model.free();
  }
}

/**
 * The log-probability of a sequence under the rules, as beam search adds it up.
 * @param {import('../../engine/worker.js').Model} model
 * @param {number[]} sourceIds
 * @param {ReturnType<typeof settingsOf>} settings
 * @param {number} lengthPenalty
 * @returns {(ids: number[]) => Sequence & {steps: number[]}}
 */
function scorer(model, sourceIds, { targetIds: prompt, maxTokens, endId, rules }, lengthPenalty) {
  return (ids) => {
    const { logits } = model.forward({ sourceIds, targetIds: [...prompt, ...ids.slice(0, -1)] });
    const { data, shape } = /** @type {import('../../engine/protocol.js').Tensor} */ (logits);
    const steps = ids.map((id, at) => {
      const row = toLog(data.slice(at * shape[2], (at + 1) * shape[2]));
      rule(row, [...prompt, ...ids.slice(0, at)], { rules, endId: [endId].flat(), prompt, maxTokens });
      return (rules.renormalize ? toLog(row) : row)[id];
    });
    const sum = steps.reduce((so, each) => so + each, 0);
    return { ids, sum, score: sum / ids.length ** lengthPenalty, steps };
  };
}

/** Logarithms of the softmax. @param {Float32Array} row */
function toLog(row) {
  const most = row.reduce((a, b) => Math.max(a, b));
  const sum = row.reduce((so, each) => so + Math.exp(each - most), 0);
  return row.map((each) => each - most - Math.log(sum));
}

/** The tree of a search with one beam. @param {Sequence & {steps: number[]}} sequence @returns {Candidate[]} */
function lineOf({ ids, score, steps }) {
  let sum = 0;
  return ids.map((id, step) => ({
    id,
    step,
    parent: step ? step - 1 : null,
    logProbability: steps[step],
    sum: (sum += steps[step]),
    ...(step === ids.length - 1 && { endedBy: 'endId', score }),
  }));
}
