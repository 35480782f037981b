// The models that the worker keeps alive, each with its last run: one, or two while a state is pinned.

import { weightNames } from './weights.js';
import { derive, isDerived } from './derived.js';
import { labelOf } from './model-settings.js';
import { howToRun, inputOf, namesOfPart } from './part.js';

/**
 * @typedef {import('./protocol.js').RunRequest} RunRequest
 * @typedef {import('./protocol.js').ModelQuery} ModelQuery
 * @typedef {import('./worker.js').Model} Model
 *
 * `name`: of the trained model whose weights it has. `ran`: the key of the plan whose tensors it holds; `part`: the
 * only layer that was kept, null: all were; `how`: its options; `logits`: of the pass, until the page has them.
 * `edits`: of its weights; `originals`: the numbers in their places as they were.
 * @typedef {{
 *   key: string, name: string | null, seed: unknown, model: Model, absent: string[], ran: string,
 *   part: number | null, how?: ReturnType<typeof howToRun>, logits?: import('./protocol.js').Tensor, edits: string,
 *   originals: import('./edit-weights.js').Cell[],
 *   milliseconds: number, finite: boolean, written: number[] | null, targetIds: number[] | null,
 * }} LiveModel
 */

/** Columns that a canvas of every browser can hold. */
const WIDEST = 16384;

/**
 * @param {import('./worker.js').Engine} gf
 * @param {ReturnType<typeof import('./model-cache.js').createModelCache>} cache
 */
export function createLiveModels(gf, cache) {
  /** @type {LiveModel[]} the newest first */
  let live = [];
  let most = 1;

  /**
   * The model of a configuration: one that is kept if only the seed differs or nothing.
   * @param {ModelQuery} query
   */
  async function prepare({ config, model: name, interventions }) {
    if (interventions.length) (await import('./intervene.js')).checkInterventions(interventions);
    const { seed, ...shape } = config;
    const key = JSON.stringify([shape, name]);
    const kept = live.find((each) => each.key === key);
    const others = live.filter((each) => each !== kept);
    const gone = others.splice(most - 1);
    // The others first, so that the next may use their memory.
    const twin = !kept && cache.given(name) ? [...others, ...gone].find((each) => each.name === name) : undefined;
    for (const run of gone) if (run !== twin) run.model.free();
    live = twin && gone.includes(twin) ? [...others, twin] : others;
    if (kept) cache.given(name)?.release();
    const run = kept ?? (await create(key, config, name, twin));
    if (live.length > others.length) twin?.model.free();
    live = [run, ...others];
    if (kept && !Object.is(run.seed, seed)) initialize(run, seed);
    await edit(run, interventions);
    return run;
  }

  /**
   * @param {string} key
   * @param {Record<string, unknown>} config
   * @param {string | null} name of the trained model whose weights it gets
   * @param {LiveModel} [twin] one with these weights
   * @returns {Promise<LiveModel>}
   */
  async function create(key, config, name, twin) {
    const given = cache.given(name);
    const model = given ? await given.make(gf, config, twin) : build(config, name);
    const known = cache.weights(name) ?? given?.names;
    return {
      key,
      name,
      seed: config.seed,
      model,
      absent: known ? weightNames(model).filter((each) => !known.has(each)) : [],
      ...fresh(),
      ...NOT_RUN,
    };
  }

  /** @param {Record<string, unknown>} config @param {string | null} name */
  function build(config, name) {
    const model = gf.createModel(config);
    const weights = cache.weights(name);
    if (weights) model.loadWeights(weights, { strict: false });
    return model;
  }

  return {
    /** @param {RunRequest} given @returns {Promise<import('./protocol.js').RunResponse>} */
    async run(given) {
      const { id, key, config, ids, model: name, generate, focus } = given;
      checkWidth(config);
      const interventions = await withDictionaries(gf, given);
      const request = { ...given, interventions };
      most = request.plans;
      const run = await prepare(request);
      if (run.ran !== key || (run.part ?? focus.layer) !== focus.layer) await forward(run, request, cache.info(name));
      const { model, written, targetIds, part, how, originals } = run;
      const context = {
        gf,
        model,
        name,
        isPart: part !== null,
        ...{ how, config, ids, targetIds },
        build: (/** @type {Record<string, unknown>} */ each) =>
          cache.given(name)?.copy(gf, each, run) ?? build(each, name),
        written,
        interventions,
        originals,
        generate,
        ...{ corpus: () => cache.corpus(name), info: cache.info(name) },
      };
      const { tensors, derived, hidden } = await readOut(context, request, run);
      const facts = factsOf(gf, run);
      return { type: 'result', id, key, tensors, derived, hidden, facts, written };
    },
    /** The model, for what leaves no run behind. @param {ModelQuery} query */
    async borrow(query) {
      const run = await prepare(query);
      run.ran = '';
      return run.model;
    },
    /** After an error nothing is sure. */
    forget() {
      for (const run of live) run.ran = '';
    },
  };
}

/**
 * The changes, those of features with their dictionaries.
 * @param {import('./worker.js').Engine} gf @param {RunRequest} of
 */
const withDictionaries = async (gf, { model: name, interventions }) =>
  interventions.some(({ what }) => what === 'feature')
    ? (await import('./dictionaries.js')).withDictionaries(interventions, { gf, name })
    : interventions;

/** @param {Record<string, unknown>} config */
function checkWidth(config) {
  for (const parameter of ['d_model', 'd_ff']) {
    const width = Number(config[parameter]);
    if (width > WIDEST)
      throw {
        code: 'range',
        parameter,
        message: `${labelOf(parameter)} must be at most ${WIDEST.toLocaleString('en')} on this page, not ${width}.`,
      };
  }
}

/** Before the first pass. */
const NOT_RUN = { milliseconds: 0, finite: true, written: null, targetIds: null };

/** A model that has run nothing, with no weight edited. */
const fresh = () => ({ ran: '', part: null, edits: '[]', originals: [] });

/** @param {LiveModel} run @param {unknown} seed */
function initialize(run, seed) {
  run.model.initialize(/** @type {number} */ (seed));
  Object.assign(run, { seed, ...fresh() });
}

/**
 * Puts edited weights in their places, and the others back.
 * @param {LiveModel} run
 * @param {RunRequest['interventions']} interventions
 */
async function edit(run, interventions) {
  const edits = JSON.stringify(interventions.filter(({ what }) => what === 'weight'));
  if (run.edits === edits) return;
  const { editWeights } = await import('./edit-weights.js');
  run.ran = '';
  run.originals = editWeights(run.model, interventions, run.originals);
  run.edits = edits;
}

/**
 * The facts of a run that the page shows.
 * @param {import('./worker.js').Engine} gf
 * @param {LiveModel} run
 */
const factsOf = ({ variant, reason, version, memoryBytes }, { model, milliseconds, finite, absent, part }) => ({
  variant,
  reason,
  version,
  memoryBytes,
  parameters: model.parameterCount,
  milliseconds,
  finite,
  absent,
  part,
});

/**
 * Reads the requested values of a run.
 * @param {Parameters<typeof derive>[1]} context
 * @param {RunRequest} request
 * @param {LiveModel} run
 */
async function readOut(context, request, run) {
  const { part, logits } = run;
  if (request.names.includes('logits')) run.logits = undefined; // they move to the page
  const names = part === null ? request.names : namesOfPart(request.names, request.focus);
  const maskNames = part === null ? request.maskNames : inLayer(request.maskNames, part);
  const { model } = context;
  /** @param {string} each */
  const tensor = (each) =>
    /** @type {import('./protocol.js').Tensor} */ ((each === 'logits' && logits) || model.tensor(each));
  /** @type {import('./protocol.js').RunResponse['derived']} */
  const derived = {};
  for (const each of names.filter(isDerived)) derived[each] = await derive(each, context);
  return {
    tensors: Object.fromEntries(names.filter((each) => !isDerived(each)).map((each) => [each, tensor(each)])),
    derived,
    hidden: Object.fromEntries(Object.entries(maskNames).map(([kind, each]) => [kind, hiddenCells(model, each)])),
  };
}

/** The same of another layer than the first. @param {RunRequest['maskNames']} names @param {number} layer */
const inLayer = (names, layer) =>
  Object.fromEntries(Object.entries(names).map(([kind, name]) => [kind, name.replace('.0.', `.${layer}.`)]));

/** @param {LiveModel} run @param {RunRequest} request @param {import('./target.js').Facts} [facts] of the model */
async function forward(run, { key, ids, targetIds, generate, interventions, focus }, facts) {
  const start = performance.now();
  run.written = generate && (await import('./target.js')).writeTarget(run.model, ids, generate, facts);
  run.targetIds = generate && run.written ? [generate.begin, ...run.written.slice(0, -1)] : targetIds;
  const input = { ids, ...(run.targetIds ? { targetIds: run.targetIds } : {}) };
  const how = howToRun(run.model, input, focus, interventions);
  run.ran = '';
  run.how = how;
  const { output, logits } = interventions.length
    ? (await import('./intervene.js')).forwardWithInterventions(run.model, input, interventions, how)
    : run.model.forward({ ...inputOf(input), ...how });
  run.logits = logits;
  run.part = how.capture === true ? null : focus.layer;
  run.milliseconds = performance.now() - start;
  run.finite = output.data.every(Number.isFinite);
  run.ran = key;
}

/**
 * The cells that a mask hides, from the scores after masking ([1, H, T, S]; all heads alike).
 * @param {Model} model
 * @param {string} name
 */
function hiddenCells(model, name) {
  return Uint8Array.from(model.tensor({ name, head: 0 }).data, (value) => (value === -Infinity ? 1 : 0));
}
