// '@features/encoder.1.out.0': the dictionary of a place in the model, by its training's seed: a part of the training
// at each call; then each feature's name, and the features of the present text. And one feature: examples, effects.

import { activeAt, writtenWords } from '../../draw/active-features.js';
import { foundIn, readName, trainOn } from '../../engine/dictionaries.js';
import { forwardWithInterventions } from '../../engine/intervene.js';
import { dictionaryOf } from '../../engine/interventions.js';
import { featuresAt, layersOf } from '../../engine/patches.js';
import { attentionName, ffnName, neuronRole } from '../../engine/plan.js';
import { probabilitiesAt } from '../shared/answer-row.js';
import { largest } from '../shared/order.js';
import { tellingOf } from '../shared/telling-feature.js';

/**
 * @typedef {import('../../engine/derived.js').Context} Context
 * @typedef {import('../../engine/dictionaries.js').Score} Score
 * @typedef {import('../../engine/dictionaries.js').Features} Features
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../../engine/interventions.js').FeatureIntervention} FeatureIntervention
 *
 * `unexplained`: share of the vectors that is not rebuilt, in the end of the held-out ones; `values`: [tokens, size],
 * while it trains of the dictionary as it is then, null before its first step; `scores`: of each feature its best
 * label; `sha256`: of the dictionary's file.
 * @typedef {{
 *   unfinished: true, step: number, steps: number, unexplained: number, size: number, values: Float32Array | null,
 * }} Training
 * @typedef {{
 *   size: number, active: number, alive: number, unexplained: number, seconds: number, texts: number, places: number,
 *   isGrammar: boolean, values: Float32Array, scores: Score[], sha256: string,
 * }} Found
 * @typedef {Training | Found | {absent: true}} FeaturesAnswer
 */

/**
 * @param {Context} context @param {string} name
 * @returns {Promise<FeaturesAnswer>}
 */
export async function features(context, name) {
  const work = await trainOn(context, name);
  if (!work) return { absent: true };
  const { features: made, scores, step, steps, unexplained, seconds, texts, sha256 } = work;
  const values = made && valuesIn(context, name, made);
  const size = made?.size ?? 0;
  if (!values || !scores || !texts) return { unfinished: true, step, steps, unexplained, size, values };
  return {
    ...{ size, active: Number(made.active), unexplained, seconds, isGrammar: texts.isGrammar, values, scores },
    ...{ sha256, alive: (made.alive ?? []).filter(Boolean).length },
    texts: texts.ids.length,
    places: texts.labels.length,
  };
}

/**
 * The features of the present text: changes of this dictionary's own features are not in them.
 * @param {Context} context @param {string} name @param {Features} made
 */
function valuesIn({ model, config, build, ids, interventions }, name, made) {
  const others = interventions.filter((each) => each.what !== 'feature' || dictionaryOf(each) !== name);
  const at = featuresAt(readName(name), config);
  if (others.length === interventions.length) return made.encode(tensorOf(model, at)).data;
  const other = build(config);
  try {
    forwardWithInterventions(other, { ids }, others);
    return made.encode(tensorOf(other, at)).data;
  } finally {
    other.free();
  }
}

/**
 * The feature that is meant at a row: '' that at which its card opens.
 * @param {Context} context @param {string} name @param {string} feature @param {number} row
 */
export function featureIn(context, name, feature, row) {
  if (feature !== '') return Number(feature);
  const work = foundIn(context, name);
  if (!work) return 0;
  const { size } = work.features;
  return tellingOf(activeAt({ values: valuesIn(context, name, work.features), size }, row), work.scores) ?? 0;
}

/** @param {Context['model']} model @param {string} name */
export const tensorOf = (model, name) => /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(name));

/** @param {Context} context @param {string} row of the cursor, which may stand beyond the text */
export const rowIn = ({ ids }, row) => Math.min(Number(row), ids.length - 1);

/** The change of one feature at a token. @param {string} name @param {number} feature @param {number} row */
const changeOf = (name, feature, row) =>
  /** @type {FeatureIntervention} */ ({ what: 'feature', ...readName(name), feature, row, to: 0 });

/**
 * The model as it was trained, a dictionary of it, and passes with changes.
 * @typedef {{
 *   model: Context['model'], at: string, work: NonNullable<ReturnType<typeof foundIn>>,
 *   pass: (changes: Intervention[], ids?: number[]) => ReturnType<typeof forwardWithInterventions>,
 *   off: (feature: number, row: number, to?: number) => Intervention[],
 * }} Run
 */

/**
 * @template T
 * @param {Context} context @param {string} name @param {(run: Run) => T} use
 * @returns {T | {absent: true}}
 */
export function withFound(context, name, use) {
  const { build, info, ids: own } = context;
  const work = foundIn(context, name);
  if (!work) return { absent: true };
  const model = build({ seed: 0, ...info?.config });
  try {
    return use({
      ...{ model, work, at: featuresAt(readName(name), model.config) },
      pass: (changes, ids = own) => forwardWithInterventions(model, { ids }, changes),
      off: (feature, row, to = 0) => [/** @type {any} */ ({ ...changeOf(name, feature, row), to, of: work.features })],
    });
  } finally {
    model.free();
  }
}

const EXAMPLES = 5; // along the range
const TRIED = 60; // places
const WORDS = 3;

/**
 * `isRight`: whether the place has the feature's label.
 * @typedef {{ids: number[], token: number, value: number, isRight: boolean}} Example
 *
 * `more`, `less`: change of the log-probability of words, with the feature beside without it, over so many places;
 * `from`: the parts without whose output at the token the feature's value there is most another one.
 * @typedef {{
 *   examples: Example[], tried: number, more: {id: number, nats: number}[], less: {id: number, nats: number}[],
 *   value: number, from: {layer: number, head: number | null, value: number}[],
 * }} FeatureAnswer
 */

/**
 * '@feature/encoder.1.out.0/92/9': a feature over the texts, and what it comes from at a token.
 * @param {Context} context @param {string} name @param {string} feature @param {string} row
 * @returns {FeatureAnswer | {absent: true}}
 */
export function feature(context, name, feature, row) {
  const at = rowIn(context, row);
  const n = featureIn(context, name, feature, at);
  return withFound(context, name, (run) => {
    const { features: made, scores, texts } = run.work;
    let place = 0;
    const starts = texts.ids.map(({ length }) => (place += length) - length);
    const examples = made
      .examples(n, { count: EXAMPLES })
      .map(({ text, token, value }) => ({
        ...{ ids: texts.ids[text], token, value },
        isRight: texts.labels[starts[text] + token].includes(scores[n]?.label ?? ''),
      }));
    return { examples, ...writes(context, run, n), ...comesFrom(run, name, n, at) };
  });
}

/**
 * The words that become more and less likely by a feature, at places where it is active.
 * @param {Context} context @param {Run} run @param {number} n
 */
function writes({ gf, info }, { pass, off, work: { features: made, texts } }, n) {
  const places = made.examples(n, { count: TRIED });
  /** @type {Float64Array | null} */
  let sums = null;
  for (const { text, token } of places) {
    const [on, without] = [[], off(n, token)].map((changes) =>
      probabilitiesAt(gf, /** @type {any} */ (pass(changes, texts.ids[text])).logits, token),
    );
    sums ??= new Float64Array(on.length);
    for (const id of on.keys()) sums[id] += Math.log(on[id] + 1e-9) - Math.log(without[id] + 1e-9);
  }
  const mean = Float32Array.from(sums ?? [], (sum) => sum / places.length);
  return { tried: places.length, ...writtenWords(mean, (id) => info?.outputVocabulary[id] ?? '') };
}

/**
 * The value of a feature at a token without each head and FFN before it, at that token alone.
 * @param {Run} run @param {string} name @param {number} n @param {number} row
 */
function comesFrom({ model, at, work, pass }, name, n, row) {
  const { kind, layer, part } = readName(name);
  const stack = /** @type {'encoder' | 'decoder'} */ (kind);
  const valueWith = (/** @type {Intervention[]} */ changes) => {
    pass(changes);
    return work.features.encode(tensorOf(model, at)).data[row * work.features.size + n];
  };
  const value = valueWith([]);
  const places = Array.from({ length: layer + 1 }, (_, each) => [
    ...Array.from({ length: model.config.heads }, (__, head) => ({ layer: each, head })),
    ...(part === 'out' || each < layer ? [{ layer: each, head: null }] : []),
  ]).flat();
  const from = places.map((each) => {
    const own = { kind: stack, layer: each.layer, row, to: /** @type {const} */ (0) };
    return {
      ...each,
      value: valueWith([each.head === null ? { what: 'ffnAt', ...own } : { what: 'headAt', ...own, head: each.head }]),
    };
  });
  return { value, from: from.sort((a, b) => Math.abs(b.value - value) - Math.abs(a.value - value)).slice(0, WORDS) };
}

const MOST = 2; // times its value
const STEPS = 20;

/**
 * The answer over a feature's factor: `of`: two words, the first as computed, and their probabilities at each factor.
 * @typedef {{factors: Float32Array, of: {id: number, shares: Float32Array}[]}} Curve
 */

/**
 * '@feature-curve/encoder.1.out.0/92/9': the probabilities of both answers over the factor of a feature at a token.
 * @param {Context} context @param {string} name @param {string} feature @param {string} row
 * @returns {Curve | {absent: true}}
 */
export function featureCurve(context, name, feature, row) {
  const at = rowIn(context, row);
  const n = featureIn(context, name, feature, at);
  return withFound(context, name, ({ pass, off }) => {
    const factors = Float32Array.from({ length: STEPS + 1 }, (_, i) => (MOST * i) / STEPS);
    const rows = Array.from(factors, (to) =>
      probabilitiesAt(context.gf, /** @type {any} */ (pass(off(n, at, to))).logits, at),
    );
    const [as, ...others] = largest(rows[STEPS / MOST], 2);
    const first = rows.map((each) => largest(each, 1)[0]).find((id) => id !== as) ?? others[0];
    return { factors, of: [as, first].map((id) => ({ id, shares: Float32Array.from(rows, (each) => each[id]) })) };
  });
}

/**
 * A part switched off alone: what is left of the answer, and the answer then.
 * @typedef {{layer: number, index: number, left: number, id: number, share: number}} Off
 * @typedef {{id: number, share: number, neurons: Off[], features: Off[]}} Strip
 */

/**
 * '@feature-strip/encoder.1.out.0/9': the answer at a token with each neuron of the model, and each feature that is
 * active there, switched off at that token alone.
 * @param {Context} context @param {string} name @param {string} row
 * @returns {Strip | {absent: true}}
 */
export function featureStrip(context, name, row) {
  const { gf, ids } = context;
  const at = rowIn(context, row);
  return withFound(context, name, ({ model, work, pass, off, at: place }) => {
    const answer = (/** @type {any} */ { logits }) => probabilitiesAt(gf, logits, at);
    const base = answer(pass([]));
    const { size } = work.features;
    const values = work.features.encode(tensorOf(model, place)).data.subarray(at * size, (at + 1) * size);
    const [id] = largest(base, 1);
    /** @param {number} layer @param {number} index @param {Float32Array} after @returns {Off} */
    function left(layer, index, after) {
      const [first] = largest(after, 1);
      return { layer, index, left: after[id], id: first, share: after[first] };
    }
    const { kind, layer } = readName(name);
    const stack = /** @type {'encoder' | 'decoder'} */ (kind);
    const { d_ff } = model.config;
    const neurons = Array.from({ length: layersOf(stack, model.config) }, (_, each) => {
      const tensor = ffnName(stack, each, neuronRole(/** @type {any} */ (model.config)));
      return Array.from({ length: d_ff }, (__, index) => {
        const patches = [{ name: tensor, index: [0, at, index], value: 0 }];
        return left(each, index, answer(model.forward({ ids, capture: true, patches })));
      });
    }).flat();
    const features = [...values.keys()]
      .filter((n) => values[n] > 0)
      .map((n) => left(layer, n, answer(pass(off(n, at)))));
    return { id, share: base[id], neurons, features };
  });
}

/**
 * The head of a later layer whose attention from the token moves most by the changes: where most of it goes now, and
 * where it went before.
 * @typedef {{layer: number, head: number, arcs: import('../../draw/arcs.js').Arc[]}} Moved
 */

/**
 * '@feature-moved/encoder.1.out.0/9'
 * @param {Context} context @param {string} name @param {string} row
 * @returns {Moved | {absent: true}}
 */
export function featureMoved(context, name, row) {
  const { model: now, ids } = context;
  const at = rowIn(context, row);
  return withFound(context, name, ({ model, pass }) => {
    pass([]);
    const { kind, layer } = readName(name);
    const stack = /** @type {'encoder' | 'decoder'} */ (kind);
    /** @type {{layer: number, head: number, moved: number, rows: Float32Array[]}[]} */
    const all = [];
    for (let each = layer + 1; each < layersOf(stack, model.config); each++) {
      const both = [now, model].map((of) => tensorOf(of, attentionName(stack, each, 'weights')).data);
      for (let head = 0; head < model.config.heads; head++) {
        const start = (head * ids.length + at) * ids.length;
        const [after, before] = both.map((data) => data.slice(start, start + ids.length));
        const moved = after.reduce((sum, value, i) => sum + Math.abs(value - before[i]), 0);
        all.push({ layer: each, head, moved, rows: [after, before] });
      }
    }
    const [most] = all.sort((a, b) => b.moved - a.moved);
    if (!most) return /** @type {{absent: true}} */ ({ absent: true });
    const [after, before] = most.rows.map((weights) => {
      const [key] = largest(weights, 1);
      return { row: at, key, weight: weights[key] };
    });
    /** @type {Moved['arcs']} */
    const arcs = [{ ...after, part: 'selected' }];
    if (before.key !== after.key) arcs.push({ ...before, part: 'before' });
    return { layer: most.layer, head: most.head, arcs };
  });
}
