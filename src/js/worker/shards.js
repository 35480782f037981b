// A trainer's steps in shards, whose gradients workers compute: a chunk that the first such step fetches.
import { connect } from './connect.js';
import { GlassformerError } from '../errors.js';
import { spawn } from './platform.js';
import { add, compute, cut, push, REPORT_BYTES } from './shard.js';

/** @typedef {import('../engine/handle.js').Handle} Handle */
/** @typedef {import('../engine/inputs.js').Batch} Batch */
/** @typedef {import('./shard.js').Computed} Computed */
/** @typedef {import('./shard.js').Shard} Shard */

/**
 * A worker's task; `steps` have been taken.
 * @typedef {{shards: Shard[], count: number, steps: number}} Job
 */

/** gf_trainer_block's numbers. */
const WEIGHTS = 0;
const GRADIENTS = 1;

/** Of struct step_report (src/train/trainer.h), in words. */
const LOSS = 2;
const COUNT = 4;
const NOT_FINITE = -6;

/** A worker with a copy of the model. */
class Helper {
  /** @type {Float32Array[]} goes there and back, so that no step allocates */
  buffers = [];

  /** @param {ReturnType<typeof connect>} connection @param {number} to what computes there */
  constructor(connection, to) {
    this.connection = connection;
    this.to = to;
  }

  /**
   * @param {Float32Array} weights
   * @param {Job} job
   * @returns {Promise<Computed>}
   */
  async compute(weights, job) {
    const buffers = this.buffers.length ? this.buffers : [new Float32Array(weights.length)];
    this.buffers = [];
    buffers[0].set(weights);
    const moved = buffers.map(({ buffer }) => buffer);
    const computed = await this.connection.call('', [{ ...job, buffers }], { to: this.to, moved });
    this.buffers = computed.sums.map((/** @type {{data: Float32Array}} */ { data }) => data);
    return computed;
  }
}

/** Ends the workers of trainers that nobody holds. @type {FinalizationRegistry<Helper[]> | undefined} */
const dropped =
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry((helpers) => helpers.forEach(({ connection }) => connection.terminate(undefined)))
    : undefined; // some edge runtimes

/** Those who compute the shards of one trainer. */
class Team {
  #handle;
  #settings;
  /** @type {Helper[] | undefined} undefined before the first step, and when one was lost */
  #helpers;
  /** @type {Float32Array[]} memory of the calling thread's sums */
  #free = [];

  #source;

  /**
   * @param {Handle} handle
   * @param {import('../engine/trainer.js').Sharded} trainer
   * @param {import('../engine/trainer.js').Shards['worker']} source
   */
  constructor(handle, { settings, workers }, source) {
    this.#source = source;
    this.#handle = handle;
    this.#settings = settings;
    this.workers = workers;
  }

  /** Ends the workers; steps go on in the calling thread. */
  free() {
    this.#end(new GlassformerError('freed', 'trainer', undefined, 'its workers were ended; no weight was changed'));
    this.workers = 0;
  }

  /** @param {Batch} batch */
  async step(batch) {
    const shards = cut(batch, this.#settings.shards);
    const count = shards.length > 1 ? this.#count(batch) : 0;
    const { memory, struct } = this.#handle;
    if (shards.length > 1 && count === 0) {
      memory.heaps.int32[struct / 4 + COUNT] = 0;
      return NOT_FINITE;
    }
    await this.#start();
    return this.#finish(this.workers ? await this.#there(shards, count) : [this.#here(shards, count)]);
  }

  /** Labels that the loss is the mean of. @param {Batch} batch */
  #count({ sizes, writes }) {
    const given = (/** @type {string} */ name) => writes.find(({ to }) => to === name)?.data;
    const [ids, mask] = [given('targets'), given('lossMask')];
    const { B, S, T } = sizes;
    const rows = Array.from({ length: B * (T || S) }, (_, row) => row);
    return rows.filter((row) => (!mask || mask[row]) && ids?.[row] !== this.#settings.ignoreIndex).length;
  }

  /** @param {Shard[]} shards @param {number} count @returns {Computed} */
  #here(shards, count) {
    return compute(this.#handle, shards, count, this.#free);
  }

  /** @param {Shard[]} shards @param {number} count @returns {Promise<Computed[]>} */
  async #there(shards, count) {
    const helpers = /** @type {Helper[]} */ (this.#helpers).slice(0, shards.length);
    const { functions, id } = this.#handle;
    const steps = functions.gf_trainer_steps(id);
    const weights = this.#handle.block(WEIGHTS);
    const begin = (/** @type {number} */ i) => Math.floor((i * shards.length) / helpers.length);
    const computed = Promise.all(
      helpers.map((helper, i) =>
        helper.compute(weights, { shards: shards.slice(begin(i), begin(i + 1)), count, steps }),
      ),
    );
    try {
      // Meanwhile, so that gradients can be read, as after a step here.
      this.#handle.pass.layOut(shards[shards.length - 1].batch);
      return await computed;
    } catch (error) {
      computed.catch(() => {}); // where it was not awaited
      this.#end(error); // the next step starts others
      if (error instanceof GlassformerError && error.parameter !== 'worker') throw error;
      const why = `one has ended; no weight was changed, and the next step starts others (${error})`;
      throw new GlassformerError('freed', 'workers', undefined, why);
    }
  }

  /**
   * Adds the shards up and takes the optimiser's step.
   * @param {Computed[]} computed in the order of the shards
   * @returns {number} the core's answer
   */
  #finish(computed) {
    const handle = this.#handle;
    const { functions, id, memory, struct } = handle;
    const each = computed.flatMap(({ answers, reports }) =>
      answers.map((answer, i) => ({ answer, report: reports.slice(i * REPORT_BYTES, (i + 1) * REPORT_BYTES) })),
    );
    const bad = each.find(({ answer }) => answer < 0);
    if (bad) {
      memory.write('uint8', struct, bad.report);
      return bad.answer;
    }
    /** @type {import('./shard.js').Sum[]} */
    const sums = [];
    for (const sum of computed.flatMap(({ sums }) => sums)) push(sums, sum, this.workers ? [] : this.#free);
    while (sums.length > 1) {
      const last = /** @type {import('./shard.js').Sum} */ (sums.pop());
      add(sums[sums.length - 1].data, last.data);
      if (!this.workers) this.#free.push(last.data);
    }
    handle.block(GRADIENTS).set(sums[0].data);
    if (!this.workers) this.#free.push(sums[0].data);
    const words = each.map(({ report }) => report.buffer);
    const { float32, int32 } = memory.heaps;
    float32[struct / 4 + LOSS] = words.reduce((total, each) => total + new Float32Array(each)[LOSS], 0);
    int32[struct / 4 + COUNT] = words.reduce((total, each) => total + new Int32Array(each)[COUNT], 0);
    return functions.gf_trainer_apply(struct, id);
  }

  /** Starts the workers where they do not run; where none can be started there are none. */
  async #start() {
    if (this.#helpers) return;
    const { workers } = this;
    const started = await Promise.allSettled(Array.from({ length: workers }, () => this.#helper()));
    this.#helpers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (this.#helpers.length < workers || this.workers < workers) this.free();
    else dropped?.register(this, this.#helpers);
  }

  async #helper() {
    const { core, config } = this.#handle;
    const connection = connect(await spawn(this.#source), {
      unpack: (value) => (value?.$object ? Number(value.$object) : value),
    });
    try {
      return new Helper(connection, await connection.call('helper', [core.module, config, this.#settings]));
    } catch (error) {
      connection.terminate(error);
      throw error;
    }
  }

  /** @param {unknown} reason */
  #end(reason) {
    for (const { connection } of this.#helpers ?? []) connection.terminate(reason);
    this.#helpers = undefined;
  }
}

/** @type {WeakMap<object, Team>} */
const teams = new WeakMap();

/**
 * One step; `trainer.workers` tells afterwards how many there are.
 * @param {Handle} handle
 * @param {import('../engine/trainer.js').Trainer} trainer
 * @param {Batch} batch whose data is its own
 * @param {import('../engine/trainer.js').Shards['worker']} [source]
 * @returns {Promise<number>} the core's answer, its report in the struct; nothing has changed where it is negative
 */
export async function step(handle, trainer, batch, source) {
  const team = teams.get(trainer) ?? new Team(handle, /** @type {any} */ (trainer), source);
  teams.set(trainer, team);
  const answer = await team.step(batch);
  trainer.workers = team.workers;
  return answer;
}

/** Ends the workers; steps go on in the calling thread. @param {import('../engine/trainer.js').Trainer} trainer */
export function free(trainer) {
  teams.get(trainer)?.free();
}
