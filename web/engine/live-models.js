// The models that the worker keeps, each with its last run: one, or two while two plans are shown.

import { checkChanges, editWeights, forwardChanged } from './intervene.js';
import { work } from './derived.js';

/**
 * @typedef {import('./worker.js').Request} Request
 * @typedef {import('./worker.js').Answer} Answer
 * @typedef {import('./worker.js').Model} Model
 *
 * `ran`: the key of the plan whose tensors the model holds. `edits`: of its weights; `originals`: the
 * tensors that these are in, as they were.
 * @typedef {{
 *   key: string, model: Model, absent: string[], ran: string, edits: string, originals: import('./worker.js').Weights,
 *   milliseconds: number, finite: boolean, written: number[] | null, targetIds: number[] | null,
 * }} Run
 */

/** Columns that a canvas of every browser can hold. */
const WIDEST = 16384;

/**
 * @param {import('./worker.js').Engine} gf
 * @param {ReturnType<typeof import('./model-cache.js').createShelf>} shelf
 */
export function createRuns(gf, shelf) {
  /** @type {Run[]} the newest first */
  let runs = [];
  let most = 1;

  /**
   * The model of a configuration: one that is kept if only the seed differs or nothing.
   * @param {Pick<Request, 'config' | 'model' | 'changes'>} wish
   */
  function prepare({ config, model: name, changes }) {
    checkChanges(changes);
    const { seed, ...shape } = config;
    const key = JSON.stringify([shape, name]);
    const known = runs.find((run) => run.key === key);
    const others = runs.filter((run) => run !== known);
    for (const run of others.splice(most - 1)) run.model.free(); // first, so that the next may use its memory
    runs = others;
    const run = known ?? create(key, config, name);
    runs = [run, ...others];
    if (known && !Object.is(run.model.seed, seed)) {
      run.ran = '';
      run.model.initialize(/** @type {number} */ (seed));
      run.edits = '';
      run.originals = new Map();
    }
    const edits = JSON.stringify(changes.filter(({ what }) => what === 'weight'));
    if (run.edits !== edits) {
      run.ran = '';
      run.originals = editWeights(run.model, changes, run.originals);
      run.edits = edits;
    }
    return run;
  }

  /**
   * @param {string} key
   * @param {Record<string, unknown>} config
   * @param {string | null} name of the trained model whose weights it gets
   * @returns {Run}
   */
  function create(key, config, name) {
    const model = gf.createModel(config);
    const weights = shelf.weights(name);
    if (weights) model.loadWeights(weights, { strict: false });
    const absent = weights ? [...model.weights().keys()].filter((each) => !weights.has(each)) : [];
    return {
      key,
      model,
      absent,
      ran: '',
      edits: '[]',
      originals: new Map(),
      milliseconds: 0,
      finite: true,
      written: null,
      targetIds: null,
    };
  }

  return {
    /** @param {Request} request @returns {Answer} */
    answer(request) {
      const { id, key, config, ids, names, masks, model: name, changes, generate } = request;
      for (const parameter of ['d_model', 'd_ff']) {
        const width = Number(config[parameter]);
        if (width > WIDEST)
          throw {
            code: 'range',
            parameter,
            message: `${parameter}: this page draws at most ${WIDEST} columns, got ${width}`,
          };
      }
      most = request.runs;
      const run = prepare(request);
      if (run.ran !== key) forward(run, request);
      const { model, milliseconds, finite, absent, written, targetIds } = run;
      const context = {
        gf,
        model,
        name,
        config,
        ids,
        targetIds,
        weights: shelf.weights(name),
        written,
        changes,
        generate,
        corpus: () => shelf.corpus(name),
      };
      const isLab = (/** @type {string} */ each) => each.startsWith('@');
      /** @param {string} each */
      const tensor = (each) => /** @type {import('./worker.js').Tensor} */ (model.tensor(each));
      const tensors = Object.fromEntries(names.filter((each) => !isLab(each)).map((each) => [each, tensor(each)]));
      const lab = Object.fromEntries(names.filter(isLab).map((each) => [each, work(each, context)]));
      const hidden = Object.fromEntries(Object.entries(masks).map(([kind, each]) => [kind, hiddenCells(model, each)]));
      const { variant, reason, version, memoryBytes } = gf;
      const facts = {
        variant,
        reason,
        version,
        memoryBytes,
        parameters: model.parameterCount,
        milliseconds,
        finite,
        absent,
      };
      return { id, key, tensors, lab, hidden, facts, written };
    },
    /** The model, for what leaves no run behind. @param {Pick<Request, 'config' | 'model' | 'changes'>} wish */
    borrow(wish) {
      const run = prepare(wish);
      run.ran = '';
      return run.model;
    },
    /** After an error nothing is sure. */
    forget() {
      for (const run of runs) run.ran = '';
    },
  };
}

/** @param {Run} run @param {Request} request */
function forward(run, { key, ids, targetIds, generate, changes }) {
  const start = performance.now();
  run.written = generate && translate(run.model, ids, generate);
  run.targetIds = generate && run.written ? [generate.begin, ...run.written.slice(0, -1)] : targetIds;
  const { output } = forwardChanged(
    run.model,
    { ids, ...(run.targetIds ? { targetIds: run.targetIds } : {}) },
    changes,
  );
  run.milliseconds = performance.now() - start;
  run.finite = output.data.every(Number.isFinite);
  run.ran = key;
}

/**
 * The likeliest translation.
 * @param {Model} model
 * @param {number[]} sourceIds
 * @param {NonNullable<Request['generate']>} generate
 */
const translate = (model, sourceIds, { begin, end, maxTokens }) => [
  ...model.generate({ ids: [begin], sourceIds, maxTokens, endId: end }).newIds,
];

/**
 * The cells that a mask hides, from the scores after masking ([1, H, T, S]; all heads alike).
 * @param {Model} model
 * @param {string} name
 */
function hiddenCells(model, name) {
  const scores = model.view(name);
  const { shape } = model.tensors().find((tensor) => tensor.name === name) ?? { shape: [1, 1, 0, 0] };
  return Uint8Array.from(scores.subarray(0, shape[2] * shape[3]), (value) => (value === -Infinity ? 1 : 0));
}
