// Trains dictionaries of features, or fetches one, and keeps them, beside the models of the worker, which alone fetches
// this.

import { load } from 'glassformer';
import { loadFeatures, trainFeatures } from 'glassformer/features';
import { creek, placeLabels } from 'glassformer/tasks';
import { dictionaryOf } from './interventions.js';
import { get } from './model-cache.js';
import { featuresAt } from './patches.js';
import { shippedFeatures } from './plan.js';
import { ruleLabels, setLabels } from './rules.js';
import { weightNames } from './weights.js';

/**
 * @typedef {import('glassformer/features').Features} Features
 * @typedef {ReturnType<Features['score']>[number]} Score
 * @typedef {import('./derived.js').Context} Context
 *
 * The texts that it is trained on: their ids, and each place's labels; `isGrammar`: a grammar gives these.
 * @typedef {{ids: number[][], labels: string[][], isGrammar: boolean}} Texts
 *
 * `unexplained`: of the last steps, in the end of the held-out part; `features`: as they are now; `isDone`: and stay;
 * `sha256`: of their file, where the browser computes one; `go`: the training waits for it, until the page asks again.
 * @typedef {{
 *   step: number, steps: number, unexplained: number, seconds: number, texts: Texts | null,
 *   features: Features | null, isDone: boolean, scores: Score[] | null, sha256: string, error: unknown,
 *   until: number, go: () => void, paused: () => void, abort: AbortController,
 * }} Work
 */

/** Of the stream and of a layer's neurons; measured on creek (src/docs/guides/features.md). */
const SIZES = { out: { features: 256, active: 5 }, ffn: { features: 192, active: 6 } };
const STEPS = 2000;
const PART = 100; // ms between two questions of the page
const LEAST = 400; // places: fewer show no structure
const MANY = 40; // examples that a set of tokens is made of
const SMOOTH = 0.1; // share of the last batch in the shown one

/** By engine, then by model and name. @type {WeakMap<object, Map<string, Work>>} */
const kept = new WeakMap();

/**
 * The engine that trains, with the same bits on every machine, where the page computes in the faster variant.
 * @type {Promise<import('./worker.js').Engine> | null}
 */
let simd = null;

/**
 * A model in the engine that trains; the given one is freed where that is another. One tensor after the other, as a
 * large model may not fit a third time.
 * @param {import('./worker.js').Model} model @param {Context['gf']} gf
 */
async function exactModel(model, gf) {
  if (gf.variant === 'simd') return model;
  try {
    const twin = (await (simd ??= load({ variant: 'simd' }))).createModel(model.config);
    for (const name of weightNames(model)) {
      const tensor = /** @type {import('./protocol.js').Tensor} */ (model.tensor(name));
      twin.loadWeights({ [name]: tensor }, { strict: false });
    }
    return twin;
  } finally {
    model.free();
  }
}

/** The SHA-256 of a dictionary's file; '' where the browser has none: on an insecure address. @param {Features} made */
async function sha256Of(made) {
  const bytes = await crypto.subtle?.digest('SHA-256', /** @type {Uint8Array<ArrayBuffer>} */ (made.save()));
  return [...new Uint8Array(bytes ?? [])].map((each) => each.toString(16).padStart(2, '0')).join('');
}

/** @typedef {Pick<Context, 'gf' | 'name'>} Place of a dictionary: it is of the model as it was trained */

/** @param {Place} place @param {string} name */
const keyOf = ({ name: model }, name) => `${model} ${name}`;

/** @param {Place} place */
function worksOf({ gf }) {
  const works = kept.get(gf) ?? new Map();
  kept.set(gf, works);
  return works;
}

/** The parts of a dictionary's name. @param {string} name */
export function readName(name) {
  const [kind, layer, part, seed] = name.split('.');
  return { kind, layer: Number(layer), part: /** @type {'ffn' | 'out'} */ (part), seed: Number(seed) };
}

/**
 * A dictionary that has been found.
 * @param {Place} place @param {string} name
 * @returns {{features: Features, scores: Score[], texts: Texts} | null}
 */
export function foundIn(place, name) {
  const work = worksOf(place).get(keyOf(place, name));
  return work?.isDone && work.scores ? /** @type {any} */ (work) : null;
}

/**
 * Goes on with a dictionary's training for a while; begins it, and ends another one that has not ended.
 * @param {Context} context @param {string} name
 * @returns {Promise<Work | null>} null: there are no texts to train it on
 */
export async function trainOn(context, name) {
  const works = worksOf(context);
  const key = keyOf(context, name);
  if (!hasTexts(context)) return null;
  for (const [other, each] of works) {
    if (other === key || each.isDone) continue;
    each.abort.abort();
    each.go();
    works.delete(other);
  }
  const work = works.get(key) ?? begin(context, name);
  works.set(key, work);
  const start = performance.now();
  if (work.isDone) work.scores ??= scoresOf(work, context);
  else
    await new Promise((resolve) => {
      work.paused = () => resolve(null);
      setTimeout(resolve, 2 * PART); // before the first step it reads the texts
      work.until = start + PART;
      work.go();
    });
  work.seconds += (performance.now() - start) / 1000;
  if (!work.error) return work;
  works.delete(key);
  throw work.error;
}

/** @param {Context} context @param {string} name @returns {Work} */
function begin(context, name) {
  const { part, seed, ...place } = readName(name);
  const file = shippedFeatures(context.name, name);
  /** @type {Work} */
  const work = {
    ...{ step: 0, steps: STEPS, unexplained: 1, seconds: 0, texts: null, features: null, isDone: false, scores: null },
    ...{ sha256: '', error: null, until: 0, go: () => {}, paused: () => {}, abort: new AbortController() },
  };
  async function train() {
    await new Promise((resolve) => void setTimeout(resolve)); // the page's own question comes first
    /** @type {import('./worker.js').Model | undefined} */
    let model;
    try {
      model = await exactModel(context.build({ seed: 0, ...context.info?.config }), context.gf);
      work.texts = textsOf(context);
      const at = featuresAt({ ...place, part }, model.config);
      const features = file
        ? await fetchFeatures(file, model, work)
        : await trainFeatures(model, {
            ...{ at, ids: work.texts.ids, ...SIZES[part], steps: STEPS, seed, signal: work.abort.signal },
            async onProgress({ step, unexplained, features: now }) {
              work.unexplained += (step === 1 ? 1 : SMOOTH) * (unexplained - work.unexplained);
              work.step = step;
              if (performance.now() < work.until) return;
              work.features = await now();
              work.paused();
              await new Promise((resolve) => void (work.go = () => resolve(null)));
            },
          });
      const sha256 = await sha256Of(features);
      if (!file) work.unexplained = Number(features.unexplained);
      Object.assign(work, { features, isDone: true, step: STEPS, sha256 });
    } catch (error) {
      work.error = error;
      if (!work.abort.signal.aborted) simd = null; // it may have trapped
    } finally {
      model?.free();
      work.paused();
    }
  }
  train();
  return work;
}

/**
 * A dictionary that lies beside the page, with the texts of the model read through it, of which it says the share that
 * is not rebuilt: neither model nor dictionary was trained on them.
 * @param {string} file @param {import('./worker.js').Model} model @param {Work} work
 */
async function fetchFeatures(file, model, work) {
  const { signal } = work.abort;
  const features = await loadFeatures(new Uint8Array(await get(file, 'arrayBuffer', signal)), { model });
  const { unexplained } = await features.read(model, { ids: /** @type {Texts} */ (work.texts).ids, signal });
  work.unexplained = unexplained;
  return features;
}

/** Whether there are enough. @param {Context} context */
function hasTexts({ name, corpus, info }) {
  if (name === 'creek') return true;
  const own = info && corpus();
  return Boolean(own) && !own?.targetIds && Number(own?.ids.reduce((sum, { length }) => sum + length, 0)) >= LEAST;
}

/**
 * The texts of a model: of its grammar, none of them trained on, else its corpus.
 * @param {Context} context
 * @returns {Texts}
 */
function textsOf({ name, corpus, info }) {
  if (name === 'creek') {
    const { sentences } = creek.heldOut(info?.recipe.dataSeed ?? 0, { limit: 1 });
    const ids = sentences.map(({ tokens }) => creek.vocabulary.ids(tokens.map(({ word }) => word)));
    return { ids, labels: placeLabels(sentences), isGrammar: true };
  }
  const ids = corpus()?.ids.filter(({ length }) => length > 1) ?? [];
  return { ids, labels: ruleLabels(ids.map((list) => list.map(wordIn(info)))), isGrammar: false };
}

/** @param {Context['info']} info @returns {(id: number) => string} */
const wordIn = (info) => (id) => info?.vocabulary[id] ?? String(id);

/**
 * The best label of each feature; where only rules give names, also that its token is one of a few.
 * @param {Work} work @param {Context} context
 */
function scoresOf(work, { info }) {
  const features = /** @type {Features} */ (work.features);
  const { ids, labels, isGrammar } = /** @type {Texts} */ (work.texts);
  if (isGrammar) return features.score(labels);
  let place = 0;
  const starts = ids.map(({ length }) => (place += length) - length);
  const sets = setLabels(
    ids.flat().map(wordIn(info)),
    Array.from({ length: features.size }, (_, n) =>
      features
        .examples(n, { count: MANY })
        .flatMap(({ text, token, value, heldOut }) => (heldOut ? [] : [{ place: starts[text] + token, value }])),
    ),
  );
  const all = labels.map((own, i) => [...own, ...sets[i]]);
  work.texts = { ids, labels: all, isGrammar }; // the examples of a feature have these, too
  return features.score(all);
}

/**
 * The changes with the dictionaries that they are of.
 * @template {import('./interventions.js').Intervention} T
 * @param {readonly T[]} interventions @param {Place} context
 */
export const withDictionaries = (interventions, context) =>
  interventions.map((change) =>
    change.what === 'feature' ? { ...change, of: foundIn(context, dictionaryOf(change))?.features } : change,
  );
