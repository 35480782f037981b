import { bytesOf } from '../arrays/arrays.js';
import { NO_HEAD, configured, putSettings, readTrainerSettings, readersOf } from './config.js';
import { GlassformerError, checked, filesOf, foreign } from '../errors.js';
import { operationsReader } from './cost.js';
import { CAPTURE, TRAIN, VECTOR_TARGETS } from './flags.js';
import { expectFloats } from './packed.js';
import { planOf, readBatch, labelsOf } from './inputs.js';
import { namedInput } from './named.js';
import { isNamed, nearest } from '../arrays/names.js';
import { pathOf } from '../arrays/nested.js';
import { present } from '../arrays/object.js';
import { CHANGES, withChanges } from './patches.js';
import { turnOf } from './turns.js';
import {
  any,
  expectRank,
  expectShape,
  finite,
  flag,
  floatArray,
  floats,
  integer,
  listOf,
  maybe,
  optional,
  readOptions,
  tensorName,
} from '../arrays/tensor.js';

/** @typedef {import('./handle.js').Handle} Handle */
/** @typedef {import('./model.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Ints} Ints */
/** @typedef {import('./named.js').Ids} Ids */
/** @typedef {import('../../../dist/generated/settings.js').TrainerOptions} TrainerOptions */
/**
 * @typedef {object} Frozen
 * @property {readonly string[]} [frozen] weights that stay as they are: names as `model.tensors()` has them, or what
 *   names begin with up to a dot ('encoder.layers.0'). They have gradients, which count neither in `gradientNorm` nor
 *   in clipping, and are not decayed; as with requires_grad_(False) in PyTorch [[]]
 */
/**
 * @typedef {object} Shards
 * @property {number} [shards] parts into which a batch is cut along its sequences, 1 to 1024, as evenly as can be.
 *   Their gradients are added pairwise: the same bits, whoever computes them; other numbers differ by rounding.
 *   Default 4 with `workers`, whatever their number, as 2 and 4 of them share these evenly; else 1
 * @property {number} [workers] 0 to 64 threads that compute the shards, each with a copy of the model, 0: the calling
 *   one; not among the settings, as it changes no bit. With it, or with more than 1 shard, `step` returns a promise
 * @property {import('../worker/remote-types.js').RemoteOptions['worker']} [worker] the source of workers where a page's
 *   policy forbids blob: the address of a file with the text of `glassformer/worker-thread`, or a function
 *   that gives workers
 */
/** @typedef {Required<TrainerOptions & Frozen>} AllSettings */
/**
 * The members that only a trainer with shards has.
 * @typedef {object} Sharded
 * @property {(batch: TrainingBatch) => Promise<StepReport>} step the same step; it rejects with the same errors, and
 *   with `state` when a worker has ended: no weight is changed, and the next step starts new workers
 * @property {Readonly<AllSettings & {shards: number}>} settings every setting, defaults filled in
 * @property {number} workers that compute the shards; from the first step on 0 where none could be started
 */
/** A trainer whose steps are computed in shards. @typedef {Omit<Trainer, keyof Sharded> & Sharded} ShardedTrainer */
/**
 * @typedef {object} Labels
 * @property {Ints | Floats} labels token ids [B,T] of the logits, or values ([B,S] of an encoder); for the losses mse
 *   and linear floats [B,T,outputWidth], or [B,T,C] of the output where the model has none
 * @property {import('../arrays/tensor.js').Flags} [lossMask] [B,T], 1 = counts in the loss; default: all do
 */

/**
 * The arguments of `forward` except `capture` and changes, with `labels` and `lossMask`.
 * @typedef {Omit<ForwardOptions, 'capture' | 'patches' | 'ablate' | 'temperature'> & Labels} TrainingBatch
 */

/**
 * In the place of a batch: rows drawn from the data set.
 * @typedef {object} Drawn
 * @property {number} draw how many, 1 or more
 */

/**
 * Changes to the model for one call, as in `forward`.
 * @typedef {Pick<ForwardOptions, 'patches' | 'ablate' | 'temperature'>} Changes
 */

/**
 * @typedef {object} StepReport
 * @property {number} loss before the step, with dropout; of cross-entropy nats per counted label
 * @property {number} gradientNorm of all gradients together, before clipping
 * @property {number} learningRate of this step
 * @property {number} step number of this step, from 1
 * @property {number} count labels that the loss is the mean of
 */

/**
 * Copies, to be kept as they are: the weights as they lie in memory.
 * @typedef {object} Snapshot
 * @property {Float32Array} weights all of them
 */

/**
 * The parts of a state besides the weights.
 * @typedef {object} Moments
 * @property {Float32Array} moment1 the optimiser's first, as the weights lie
 * @property {Float32Array} moment2 its second
 * @property {number} steps taken
 */

/**
 * All that decides how training goes on: weights, moments, number of steps.
 * @typedef {Snapshot & Moments} State
 */

/** gf_trainer_block's numbers. */
const BLOCKS = { weights: 0, moment1: 2, moment2: 3 };

/** @type {import('../arrays/tensor.js').Reader<readonly string[]>} */
const names = (value, name) => Object.freeze(listOf(tensorName, 'an array of names', name)(value, name));

/**
 * Settings that affect results. A file may set these; the worker count is the caller's choice.
 * @param {import('./config.js').Setting[]} table
 * @returns {Record<string, import('../arrays/tensor.js').Reader<any>>}
 */
export const savedReaders = (table) => ({
  ...readersOf(table),
  frozen: optional(names, Object.freeze([])),
  shards: maybe(integer(1, 1024)),
});

/** Of struct step_report (src/train/trainer.h): a double, two floats and two ints, a name, an int. */
const WHERE_AT = 24;
const GRADIENT_AT = 88;
const NOT_FINITE = -6;
/** Of `gradient` there: a weight is not finite after the step. */
const AFTER = 2;

/**
 * The model of a trainer. A property would be shown and sent with the trainer.
 * @type {(trainer: Trainer) => import('./model.js').Model}
 */
export let modelOf;

/**
 * Trains one model; made by `model.trainer`, of no use after `model.free` or when the model has been
 * given another trainer. It allocates memory at its start and at a batch of another shape only.
 * @example
 * import { load } from 'glassformer';
 * const gf = await load();
 * const model = gf.createModel({ kind: 'decoder', vocabulary: 10, d_model: 8, heads: 2, layers: 1, head: 'tied' });
 * const trainer = model.trainer({ learningRate: 0.02 });
 * for (let i = 0; i < 100; i++) trainer.step({ ids: [1, 2, 3], labels: [2, 3, 4] });
 * trainer.loss({ ids: [1, 2, 3], labels: [2, 3, 4] }).loss < 0.1; // → true
 */
export class Trainer {
  static {
    modelOf = (self) => {
      if (#model in Object(self)) return self.#model;
      throw new GlassformerError('foreign', 'trainer', self, 'must be a trainer that model.trainer has made');
    };
  }

  #live;
  #model;
  /** @type {import('./inputs.js').Plan<any>} */
  #plan;
  /** @type {import('./inputs.js').Plan<any>} the same with `capture` and changes */
  #seen;
  /** @type {(() => Promise<typeof import('../worker/shards.js')>) | undefined} of a trainer with shards */
  #late;
  /** @type {Shards['worker']} */
  #worker;
  /** Rows of the data set. */
  #rows = 0;
  /**
   * @internal
   * @param {() => Handle} live the model's handle, or its error
   * @param {unknown} options
   * @param {import('./model.js').Model} model
   */
  constructor(live, options, model) {
    const handle = live();
    const table = readTrainerSettings(handle);
    const readers = { ...savedReaders(table), workers: maybe(integer(0, 64)), worker: any };
    const {
      worker,
      workers,
      shards = workers === undefined ? 1 : 4,
      ...rest
    } = /** @type {any} */ (readOptions(options, readers));
    const settings = /** @type {AllSettings & {shards?: number}} */ (rest);
    if (workers >= 0 || shards > 1) {
      settings.shards = shards;
      this.#late = handle.core.files?.shards;
      /** @type {any} only of a trainer with shards */
      this.workers = workers ?? 0;
      this.#worker = worker;
    }
    expectFloats(handle, 'trained');
    const { kind, head, outputWidth } = handle.config;
    const alone = kind === 'attention' || kind === 'feed-forward';
    if (settings.loss === 'crossEntropy' && head === 'none' && !outputWidth && !alone) {
      throw new GlassformerError('config', 'loss', settings.loss, NO_HEAD);
    }
    if (settings.loss === 'crossEntropy' && outputWidth === 1) {
      throw new GlassformerError('config', 'loss', settings.loss, "must be 'mse' where outputWidth is 1");
    }
    handle.pass.changeWeights();
    handle.toRows();
    handle.memory.withScratch((scratch) => {
      const words = putSettings(handle, scratch, table, /** @type {any} */ (settings));
      const spans = trained(handle, settings.frozen);
      const place = settings.frozen.length && scratch.put(Int32Array.from([...spans, 0])); // an empty list, too
      configured(
        handle.functions.gf_trainer_start(handle.id, words, place, spans.length / 2),
        table,
        settings,
        handle.memory,
      );
    });
    handle.forget();
    handle.trainer?.free();
    handle.trainer = this;
    this.#model = model;
    this.#live = live;
    const labels = labelsOf(handle.config, settings);
    this.#plan = planOf(handle.config, {}, { labels });
    this.#seen = planOf(handle.config, { capture: optional(flag, false), ...CHANGES }, { labels });
    /**
     * Every setting, defaults filled in.
     * @type {Readonly<AllSettings>}
     */
    this.settings = Object.freeze(settings);
  }

  /**
   * Steps taken.
   * @example
   * trainer.step({ ids: [1, 2], labels: [2, 3] });
   * trainer.steps; // → 1
   */
  get steps() {
    const { functions, id } = Trainer.#mine(this);
    return functions.gf_trainer_steps(id);
  }

  /**
   * One step on a batch, or on rows of the data set (`data`). When the loss or a gradient is not finite, or a weight
   * that trains or a moment of it would not be after the step, no weight, moment or count changes, and the error's
   * `parameter` names the first such tensor.
   * @param {TrainingBatch | Drawn | Ids | Floats} batch inputs as `forward` takes them
   * @param {Partial<TrainingBatch>} [options] more of them by name
   * @returns {StepReport}
   * @throws {GlassformerError} number; the codes of `forward`; state when the model has been given
   *   another trainer
   * @category Training
   * @example
   * const { loss, gradientNorm, learningRate, count } = trainer.step({ ids: [1, 2, 3], labels: [2, 3, -100] });
   * learningRate; // → 0.01
   * count; // → 2
   * loss > 0 && gradientNorm > 0; // → true
   */
  step(batch, options) {
    const own = #live in Object(this);
    const drawn = own && isNamed(batch) && 'draw' in batch;
    const run = drawn ? Trainer.#draw : own && this.workers >= 0 ? Trainer.#share : Trainer.#run;
    return /** @type {any} */ (run(this, 'gf_trainer_step', batch, options));
  }

  /**
   * Puts a data set into the module's memory, in the place of the one before: of a feed-forward layer alone. Then
   * `step({ draw: 256 })` takes a step on so many of its rows, each as likely as any other, which the settings' `seed`
   * and the number of the step decide; no number is copied from here.
   * @param {Floats} vectors [N,C] rows of the input
   * @param {Floats} [labels] [N,C] what the output is compared with; default: the vectors, which it is to rebuild
   * @throws {GlassformerError} type, dtype, shape, number, memory, state; config for another kind of model, or the loss
   *   crossEntropy
   * @category Training
   * @example
   * const layer = gf.createModel({ kind: 'feed-forward', d_model: 2, d_ff: 8 });
   * const rebuilding = layer.trainer({ loss: 'mse', learningRate: 0.05 });
   * rebuilding.data([[1, 0], [0, 1], [1, 1], [0, 0]]);
   * const reports = await rebuilding.train((step) => (step < 200 ? { draw: 16 } : undefined));
   * reports[199].loss < 0.01; // → true
   */
  data(vectors, labels) {
    const handle = Trainer.#mine(this);
    const { functions, id, memory, config } = handle;
    const { kind, d_model: C } = config;
    if (kind !== 'feed-forward') throw new GlassformerError('config', 'kind', kind, "must be 'feed-forward'");
    if (this.settings.loss === 'crossEntropy') {
      throw new GlassformerError('config', 'loss', this.settings.loss, "must be 'mse' or 'linear'");
    }
    const read = (/** @type {unknown} */ given, /** @type {string} */ name) => {
      const tensor = floats(given, name);
      expectRank(tensor, 2, 2, name);
      expectShape(tensor, [tensor.shape[0], C], name);
      finite(tensor, name);
      return tensor;
    };
    const own = read(vectors, 'vectors');
    const [N] = own.shape;
    const other = labels === undefined ? undefined : read(labels, 'labels');
    expectShape(other, [N, C], 'labels');
    const pointer = checked(functions.gf_trainer_data(id, N, Number(Boolean(other))), 'vectors', [N, C], memory);
    memory.view('float32', pointer, N * C).set(own.data);
    if (other) memory.view('float32', pointer + 4 * N * C, N * C).set(other.data);
    this.#rows = N;
  }

  /**
   * A step on each batch, with turns of the event loop between, every 16 ms: the page goes on.
   * @param {import('./train.js').Batches} batches an iterable of batches, which may be asynchronous, or a function that
   *   is given the number of the step, from 0, and gives its batch; undefined ends the training
   * @param {import('./train.js').TrainOptions} [options] `onProgress` is called with the report of each step: returning
   *   false ends the training. An aborted `signal` rejects with its reason
   * @returns {Promise<StepReport[]>} the reports of all steps
   * @throws {GlassformerError} as `step`; the signal's reason, and what batches or `onProgress` throw
   * @category Training
   * @example
   * const batch = { ids: [1, 2, 3], labels: [2, 3, 4] };
   * const reports = await trainer.train(() => batch, { onProgress: ({ step }) => step < 5 });
   * reports.length; // → 5
   */
  async train(batches, options) {
    let turn = Date.now();
    const take = async (/** @type {TrainingBatch} */ batch) => {
      turn = await turnOf(turn);
      return this.step(batch);
    };
    const { train } = await Trainer.#mine(this).core.train();
    return train(take, batches, options);
  }

  /**
   * Ends the workers, where there are any, even within a step, which then changes nothing and rejects: `freed`. Later
   * steps compute the same in the calling thread. `model.free` and the model's next trainer end them too.
   * @category Training
   * @example
   * trainer.free();
   */
  free() {
    if (!(#live in Object(this))) throw foreign(this, 'a trainer');
    if (this.workers) this.#late?.().then(({ free }) => free(this));
    this.workers &&= 0;
  }

  /**
   * The loss of a batch, without dropout; it may be infinite or NaN. Nothing is learnt. With `patches`, `ablate` or
   * `temperature` that of the changed model.
   * @param {TrainingBatch & Changes & {capture?: boolean} | Ids | Floats} batch capture: keep every intermediate
   * @param {Partial<TrainingBatch & Changes & {capture?: boolean}>} [options] more of it
   * @returns {{loss: number, count: number}} as in a step's report
   * @throws {GlassformerError} the codes of `forward`, state
   * @category Training
   * @example
   * trainer.loss({ ids: [1, 2, 3], labels: [2, 3, 4], ablate: [{ head: 0 }] }).count; // → 3
   */
  loss(batch, options) {
    const { loss, count } = Trainer.#run(this, 'gf_trainer_loss', batch, options);
    return { loss, count };
  }

  /**
   * The gradients that the next step would take, without the step: afterwards
   * `model.tensor('grad.' + name)` reads that of any weight; with `capture` also that of inputs and
   * intermediates. With `patches` or `ablate`, which capture too, or `temperature` those of the changed model: that of
   * a patched number is the patch's, and the number it replaced has none. `glassformer/derivatives` has gradients
   * without a trainer.
   * @param {TrainingBatch & Changes & {capture?: boolean} | Ids | Floats} batch
   * @param {Partial<TrainingBatch & Changes & {capture?: boolean}>} [options] more of it
   * @returns {{loss: number, gradientNorm: number, count: number}} as in a step's report
   * @throws {GlassformerError} number; the codes of `forward`; state
   * @category Training
   * @example
   * trainer.gradients({ ids: [1, 2], labels: [2, 3] });
   * model.tensor('grad.decoder.layers.0.linear1.weight').shape; // → [16, 8]
   */
  gradients(batch, options) {
    const { loss, gradientNorm, count } = Trainer.#run(this, 'gf_trainer_gradients', batch, options);
    return { loss, gradientNorm, count };
  }

  /**
   * A copy of the weights, cheap enough for a timeline.
   * @returns {Snapshot}
   * @category Keeping and resuming
   * @example
   * const before = trainer.snapshot();
   * before.weights.length >= model.parameterCount; // → true
   */
  snapshot() {
    return { weights: Trainer.#mine(this).block(BLOCKS.weights).slice() };
  }

  /**
   * Puts a snapshot's weights back; moments and number of steps stay.
   * @param {Snapshot} snapshot of a model of the same configuration
   * @throws {GlassformerError} type, missing, unknown, dtype, shape, range, state
   * @category Keeping and resuming
   * @example
   * const before = trainer.snapshot();
   * trainer.step({ ids: [1, 2], labels: [2, 3] });
   * trainer.restore(before);
   */
  restore(snapshot) {
    Trainer.#write(this, snapshot, ['weights']);
  }

  /**
   * The state for `resume`. It can be stored, or sent to a worker.
   * @returns {State}
   * @category Keeping and resuming
   * @example
   * const state = trainer.state();
   * Object.keys(state); // → ['weights', 'moment1', 'moment2', 'steps']
   */
  state() {
    const handle = Trainer.#mine(this);
    const block = (/** @type {keyof typeof BLOCKS} */ name) => handle.block(BLOCKS[name]).slice();
    return { weights: block('weights'), moment1: block('moment1'), moment2: block('moment2'), steps: this.steps };
  }

  /**
   * The run as one file: weights, moments, number of steps, settings and configuration, as they are at the call.
   * `gf.loadModel` takes it, and gives model and trainer. In `glassformer/core` a function, which waits for nothing:
   * `saveTrainer(trainer, options)`.
   * @param {import('../files/save-model.js').SaveOptions} [options]
   * @returns {Promise<Uint8Array>}
   * @throws {GlassformerError} type, unknown, range, freed, state
   * @category Keeping and resuming
   * @example
   * trainer.step({ ids: [1, 2], labels: [2, 3] });
   * const { trainer: later } = await gf.loadModel(await trainer.save());
   * later.steps; // → 1
   */
  async save(options) {
    return filesOf(Trainer.#mine(this).core).saveTrainer(this, options);
  }

  /**
   * Goes on from a state or a file: with the same settings, with the same bits as if training had not stopped. Every
   * number must be finite, and none of `moment2` negative. A state is taken at once; for a file there is a promise (in
   * `glassformer/core` `resumeTrainer(trainer, file)` takes it at once).
   * @template {State | ArrayBuffer | Uint8Array} S
   * @param {S} state of a trainer of a model of the same configuration, or what its `save` gave
   * @returns {S extends State ? void : Promise<void>}
   * @throws {GlassformerError} type, missing, unknown, dtype, shape, range, state, format
   * @category Keeping and resuming
   * @example
   * trainer.step({ ids: [1, 2], labels: [2, 3] });
   * const later = gf.createModel(model.config).trainer(trainer.settings);
   * later.resume(trainer.state());
   * later.steps; // → 1
   */
  resume(state) {
    const file = bytesOf(state);
    if (file) return /** @type {any} */ (filesOf(Trainer.#mine(this).core).resumeTrainer(this, file));
    const { steps } = Trainer.#write(this, state, Object.keys(BLOCKS), { steps: integer(0, 2 ** 31 - 2) });
    const { functions, id } = Trainer.#mine(this);
    return /** @type {any} */ (functions.gf_trainer_resume(id, steps), undefined);
  }

  static {
    present(this, 'GlassformerTrainer', (trainer) => {
      const { optimizer, learningRate, loss } = trainer.settings;
      let steps;
      try {
        ({ steps } = trainer);
      } catch (error) {
        steps = /** @type {Error} */ (error).message; // of a model that was freed, or has another trainer
      }
      return { optimizer, learningRate, loss, steps };
    });
  }

  /**
   * @param {Trainer} self
   * @param {unknown} from
   * @param {string[]} names of blocks
   * @param {Record<string, import('../arrays/tensor.js').Reader<any>>} [others] further members of `from`
   * @returns {Record<string, any>} the members that were read; the blocks stand in memory
   */
  static #write(self, from, names, others) {
    const handle = Trainer.#mine(self);
    const block = floatArray(handle.block(BLOCKS.weights).length);
    const given = readOptions(from, { ...Object.fromEntries(names.map((name) => [name, block])), ...others });
    for (const name of names) expectState(handle, name, given[name].data);
    handle.pass.changeWeights();
    for (const name of names) handle.block(BLOCKS[/** @type {keyof typeof BLOCKS} */ (name)]).set(given[name].data);
    return given;
  }

  /**
   * @param {Trainer} self
   * @param {string} call
   * @param {unknown} input
   * @param {unknown} options
   */
  static #read(self, call, input, options) {
    const handle = Trainer.#mine(self);
    const named = namedInput(handle, input, options);
    const { batch, given } = readBatch(call === 'gf_trainer_step' ? self.#plan : self.#seen, named);
    handle.pass.afford(batch, call === 'gf_trainer_loss' ? 1 : 3); // backward is twice forward
    batch.flags |= TRAIN | (given.capture ? CAPTURE : 0);
    return { handle, batch, given };
  }

  /**
   * @param {Trainer} self
   * @param {string} call
   * @param {unknown} input
   * @param {unknown} options
   */
  static #run(self, call, input, options) {
    const { handle, batch, given } = Trainer.#read(self, call, input, options);
    const { functions, struct, id } = handle;
    const answer = withChanges(handle, batch, given, (changes) => functions[call](struct, id, changes));
    return Trainer.#report(handle, answer, batch);
  }

  /**
   * A step on rows of the data set.
   * @param {Trainer} self
   * @param {string} call
   * @param {unknown} input
   */
  static #draw(self, call, input) {
    const handle = Trainer.#mine(self);
    const { functions, struct, id } = handle;
    const { draw } = readOptions(input, { draw: integer(1, 1 << 20), maxOperations: maybe(operationsReader()) });
    const refuse = (/** @type {string} */ why) => {
      throw new GlassformerError('state', 'draw', draw, why);
    };
    if (!self.#rows) refuse('there is no data set: call trainer.data first');
    if (self.workers >= 0) refuse('a trainer with shards or workers draws none: give it batches');
    const sizes = { B: 1, S: 0, T: draw };
    /** @type {import('./inputs.js').Batch} */
    const batch = { sizes, flags: TRAIN | VECTOR_TARGETS, subject: 'draw', writes: [] };
    handle.pass.afford(batch, 3);
    handle.pass.layOut(batch);
    checked(functions.gf_trainer_draw(id), 'draw');
    return Trainer.#report(handle, functions[call](struct, id), batch);
  }

  /**
   * A step in shards.
   * @param {Trainer} self
   * @param {string} call
   * @param {unknown} input
   * @param {unknown} options
   */
  static async #share(self, call, input, options) {
    const { handle, batch } = Trainer.#read(self, call, input, options);
    for (const write of batch.writes) write.data = /** @type {Float32Array} */ (write.data).slice();
    return handle.pass.during('is taking a step: await it', async () => {
      const { step } = await (self.#late ?? filesOf(handle.core).shards)();
      return Trainer.#report(handle, await step(handle, self, batch, self.#worker), batch);
    });
  }

  /**
   * @param {Handle} handle
   * @param {number} answer of the core
   * @param {import('./inputs.js').Batch} batch
   * @returns {StepReport}
   */
  static #report({ memory, struct }, answer, batch) {
    const { float64, float32, int32 } = memory.heaps;
    const word = struct / 4;
    const count = int32[word + 4];
    if (answer === NOT_FINITE) {
      const gradient = int32[(struct + GRADIENT_AT) / 4];
      const first = { name: memory.text(struct + WHERE_AT), gradient: gradient > 0 };
      const where = count === 0 ? 'labels' : gradient === AFTER ? first.name : origin(first, batch);
      const why =
        count === 0
          ? 'none of them counts'
          : gradient === AFTER
            ? 'or a moment of it would not be finite after this step'
            : 'is not finite';
      throw new GlassformerError('number', where, undefined, `${why}; no weight was changed`);
    }
    checked(answer, 'batch', undefined, memory);
    return {
      loss: float32[word + 2],
      gradientNorm: float32[word + 3],
      learningRate: float64[struct / 8],
      step: int32[word + 5],
      count,
    };
  }

  /**
   * @param {Trainer} self
   * @returns {Handle} the model's, whose trainer this is
   */
  static #mine(self) {
    if (!(#live in Object(self))) throw foreign(self, 'a trainer');
    const handle = self.#live();
    if (handle.trainer !== self) {
      throw new GlassformerError('state', 'trainer', undefined, 'the model has been given another trainer');
    }
    return handle;
  }
}

/**
 * Refuses numbers that no step leaves: the next one would make NaN of the root of a negative second moment.
 * @param {Handle} handle
 * @param {string} block
 * @param {Float32Array} values of all its tensors, which it names as a file does
 */
function expectState(handle, block, values) {
  const [prefix, low, wanted] =
    block === 'moment2'
      ? ['moment2.', 0, '0 or more, and finite']
      : [block === 'weights' ? '' : `${block}.`, -Infinity, 'finite'];
  for (const { name, shape, begin, end } of weightsOf(handle)) {
    let at = begin; // a loop, as findIndex takes five times as long
    while (at < end && Number.isFinite(values[at]) && values[at] >= low) at++;
    if (at === end) continue;
    const path = pathOf(prefix + name, at - begin, shape);
    throw new GlassformerError('range', prefix + name, values[at], `${path} must be ${wanted}`);
  }
}

/**
 * Where the weights lie, in floats from the first.
 * @param {Handle} handle
 */
function weightsOf(handle) {
  const weights = handle.list().filter(({ region }) => region === 'weight');
  return weights.map(({ name, shape, pointer, size }) => {
    const begin = (pointer - weights[0].pointer) / 4;
    return { name, shape, begin, end: begin + size };
  });
}

/**
 * The error of a name that no weight begins with.
 * @param {string} parameter @param {string} part @param {readonly {name: string}[]} weights
 */
export function noWeight(parameter, part, weights) {
  const known = weights.flatMap(({ name }) => name.split('.').map((_, i, words) => words.slice(0, i + 1).join('.')));
  const near = nearest(part, [...new Set(known)]);
  const why = near ? `did you mean ${near}?` : 'model.weights() has their names';
  return new GlassformerError('unknown', parameter, part, `no weight begins so; ${why}`);
}

/**
 * Where the weights that are not frozen lie.
 * @param {Handle} handle
 * @param {readonly string[]} frozen
 * @returns {number[]} begin and end of each, in floats from the first weight
 */
function trained(handle, frozen) {
  const weights = weightsOf(handle);
  let rest = weights;
  for (const part of frozen) {
    const others = (/** @type {{name: string}} */ { name }) => !`${name}.`.startsWith(`${part}.`);
    if (weights.every(others)) throw noWeight('frozen', part, weights);
    rest = rest.filter(others);
  }
  return rest.flatMap(({ begin, end }) => [begin, end]);
}

/**
 * @param {{name: string, gradient: boolean}} first tensor that is not finite, of those that the core checks (no
 *   label is); its name is '' where there is none
 * @param {import('./inputs.js').Batch} batch
 * @returns {string} where it began
 */
function origin({ name, gradient }, { writes }) {
  if (name && !gradient) return name;
  const labels = writes.find(({ to }) => to === 'targetVectors');
  return labels && !Array.from(labels.data).every(Number.isFinite) ? 'labels' : name || 'loss';
}
