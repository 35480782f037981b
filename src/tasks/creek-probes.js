import { chunks } from './batch.js';
import { batchOf, masked, vocabulary } from './creek-batch.js';
import { predictOf } from './predict.js';
import { answersOf, mapRow, mapsOf, probabilities } from './scores.js';

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./creek-grammar.js').MinimalPair} MinimalPair */
/** @typedef {import('./scores.js').Predict} Predict */
/** @typedef {import('./scores.js').Head} Head */

const PAIRS_PER_BATCH = 32;

/**
 * A minimal pair is in rows 2i and 2i + 1: first the adjective of the agent, then of the object.
 * @typedef {object} FlipProbe
 * @property {Batch} batch for the model
 * @property {{it: number, agent: number, object: number}[]} pairs places of the three words in both rows
 */

/**
 * A head's attention from `it` in minimal pairs.
 * @typedef {Head & {flip: number, toAgent: [number, number], toObject: [number, number]}} FlipHead
 *   flip: share of the pairs where the agent gets more weight than the object with its own
 *   adjective, and less with the object's; then the mean weights under either adjective
 */

/**
 * @param {readonly MinimalPair[]} pairs
 * @returns {FlipProbe[]}
 */
export function flipProbes(pairs) {
  return chunks(pairs, PAIRS_PER_BATCH).map((list) => ({
    batch: batchOf(list.flatMap(({ sentences }) => sentences.map((words) => vocabulary.ids(words)))),
    pairs: list.map(({ agent, object, sentences: [words] }) => ({
      it: words.indexOf('it'),
      agent: words.indexOf(agent),
      object: words.indexOf(object),
    })),
  }));
}

/**
 * The flip measure.
 * @param {Predict} predict
 * @param {readonly FlipProbe[]} probes
 * @returns {Promise<{both: number, count: number, heads: FlipHead[], best: FlipHead | null}>} both:
 *   share of the pairs whose two answers are right, noun and number; best: the largest flip
 */
export async function scoreFlips(predict, probes) {
  /** @type {FlipHead[]} */
  const heads = [];
  let both = 0;
  let count = 0;
  for (const { batch, pairs } of probes) {
    const prediction = await predict(batch, { maps: true });
    const answers = answersOf(prediction, batch);
    const width = batch.ids.shape[1];
    pairs.forEach(({ it, agent, object }, i) => {
      const right = [agent, object].every((place, side) => {
        const start = (2 * i + side) * width;
        return answers[start + it] === batch.ids.data[start + place];
      });
      both += Number(right);
      count++;
      mapsOf(prediction, batch).forEach((map, layer) => {
        for (let head = 0; head < map.shape[1]; head++) {
          const rows = [0, 1].map((side) => mapRow(map, 2 * i + side, head, it));
          const score = headOf(heads, layer, head);
          rows.forEach((weights, side) => {
            score.toAgent[side] += weights[agent];
            score.toObject[side] += weights[object];
          });
          score.flip += Number(rows[0][agent] > rows[0][object] && rows[1][object] > rows[1][agent]);
        }
      });
    });
  }
  /** @param {[number, number]} sums @returns {[number, number]} */
  const means = ([first, second]) => [first / count, second / count];
  const result = heads.map((one) => ({
    ...one,
    flip: one.flip / count,
    toAgent: means(one.toAgent),
    toObject: means(one.toObject),
  }));
  const best = result.reduce(
    (/** @type {FlipHead | null} */ found, one) => (found && found.flip >= one.flip ? found : one),
    null,
  );
  return { both: both / count, count, heads: result, best };
}

/**
 * @param {FlipHead[]} heads
 * @param {number} layer
 * @param {number} head
 * @returns {FlipHead} that head's entry, new if need be
 */
function headOf(heads, layer, head) {
  const found = heads.find((one) => one.layer === layer && one.head === head);
  if (found) return found;
  /** @type {FlipHead} */
  const fresh = { layer, head, flip: 0, toAgent: [0, 0], toObject: [0, 0] };
  heads.push(fresh);
  return fresh;
}

/**
 * The referent of a sentence's first `it`.
 * @param {Predict} predict
 * @param {string} text with the noun asked for
 * @param {string} [noun]
 * @returns {Promise<{probability: number, best: (Head & {mass: number}) | null}>} of the noun, and
 *   the head that gives it the most weight
 */
export async function scorePronoun(predict, text, noun = 'creek') {
  const ids = vocabulary.ids(text.split(' '));
  const it = ids.indexOf(vocabulary.id('it'));
  const place = ids.indexOf(vocabulary.id(noun));
  const batch = batchOf([ids]);
  const prediction = await predict(batch, { maps: true });
  const heads = mapsOf(prediction, batch).flatMap((map, layer) =>
    Array.from({ length: map.shape[1] }, (_, head) => ({ layer, head, mass: mapRow(map, 0, head, it)[place] })),
  );
  const best = heads.length > 0 ? heads.reduce((found, one) => (found.mass >= one.mass ? found : one)) : null;
  return { probability: probabilities(prediction, batch, 0, it)[vocabulary.id(noun)], best };
}

/**
 * Pseudo-log-likelihood (Salazar et al. 2020, "Masked Language Model Scoring"): the sum over all
 * words, the full stop too, of the log-probability of the word when it alone is hidden.
 * @param {Predict | import('./predict.js').ModelLike} model
 * @param {string} text words of the vocabulary with spaces between
 * @returns {Promise<number>} nats
 * @example
 * import { creek } from 'glassformer/tasks';
 * const { size } = creek.vocabulary;
 * const predict = ({ ids: { shape } }) => ({
 *   logits: { data: new Float32Array(shape[0] * shape[1] * size), shape: [...shape, size] },
 * });
 * await creek.pseudoLogLikelihood(predict, 'the cat sat on the mat .') < 0; // → true
 */
export async function pseudoLogLikelihood(model, text) {
  const predict = predictOf(model);
  const ids = vocabulary.ids(text.split(' '));
  const batch = batchOf(ids.map((_, at) => masked(ids, at)));
  const prediction = await predict(batch, { maps: false });
  return ids.reduce((sum, id, at) => sum + Math.log(probabilities(prediction, batch, at, at)[id]), 0);
}

/**
 * Whether the model knows who sits on what.
 * @param {Predict} predict
 * @returns {Promise<{cat: number, mat: number, difference: number}>} nats
 */
export async function scoreOrder(predict) {
  const cat = await pseudoLogLikelihood(predict, 'the cat sat on the mat .');
  const mat = await pseudoLogLikelihood(predict, 'the mat sat on the cat .');
  return { cat, mat, difference: cat - mat };
}
