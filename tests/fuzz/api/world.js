// The world of a sequence of calls: one engine, the objects that they have made, and the bits of all of it.
import { types } from 'node:util';
import { OwnError } from './values.js';

/** @typedef {import('./draw.js').Draw} Draw */

/**
 * One model with what is known of it. `gone`: the walk has freed it itself; `held`: calls on it
 * that have not settled.
 * @typedef {{model: any, config: any, name: string, freed: boolean, gone?: boolean, trainer?: any, held: number,
 *   seen?: Seen, bits: Bits}} Entry
 * @typedef {{names: string, weights: ArrayBufferView[], others: (ArrayBufferView | string)[]}} Seen
 * @typedef {{life: string, weights: number, moments: string, others: number}} Bits
 * @typedef {keyof Bits} Part
 */

/** The model whose bits no call on others may change. */
const PROBE = { kind: 'decoder', vocabulary: 7, d_model: 4, heads: 2, layers: 1, d_ff: 4, head: 'tied', seed: 3 };
const MODELS = 5;
const THINGS = 24;

/** An invariant that does not hold. */
export class Finding extends Error {
  /** @type {string | undefined} for people */
  call;
}

/** Weights of a model that is kept: all of them are compared after each call. */
const LARGEST = 1e6;

/** Processor time in ms, as a machine may be busy with other things. @param {NodeJS.CpuUsage} start */
export function busySince(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

export class World {
  /** @type {Entry[]} the probe is not among them */
  models = [];
  /** @type {{trainer: any, of: Entry}[]} */
  trainers = [];
  /** @type {{trace: any, of: Entry}[]} the last traces, read long after their passes */
  traces = [];
  /** @type {any[]} files, states, tensors, vocabularies and other results */
  things = [];
  /** @type {{promise: Promise<unknown>, name: string, held: Entry[]}[]} calls that have not settled */
  pending = [];
  /**
   * Of the calls that run now, the innermost last. `spent`: ms of its hooks, which are not its own.
   * @type {{fired: number, spent: number, check: () => void, rebase: () => void}[]}
   */
  running = [];
  /** Sources of errors that are not the library's. @type {Set<unknown>} */
  own = new Set();
  made = 0;

  /**
   * @param {any} gf
   * @param {(d: Draw, world: World) => void} inner what a getter calls
   */
  constructor(gf, inner) {
    this.gf = gf;
    this.inner = inner;
    const model = gf.createModel(PROBE);
    this.probe = /** @type {Entry} */ ({ model, config: model.config, name: 'probe', freed: false, held: 0 });
    this.askProbe();
    this.probe.bits = this.bitsOf(this.probe);
  }

  /** @returns {string} the bits of a pass of the probe */
  askProbe() {
    const { output, logits } = this.probe.model.forward({ ids: [[1, 2, 3]], capture: true });
    return `${hash(output.data)} ${hash(logits.data)}`;
  }

  /**
   * @param {Draw} d
   * @param {'models' | 'trainers' | 'things'} list
   * @returns {any}
   */
  some(d, list) {
    return this[list].length ? d.pick(/** @type {any[]} */ (this[list])) : undefined;
  }

  /** @param {any} value what a call gave, of use to later ones */
  keep(value) {
    if (value === null || !/^(object|function)$/.test(typeof value) || types.isProxy(value)) return;
    this.things.push(value);
    if (this.things.length > THINGS) this.things.shift();
  }

  /** @param {any} model */
  adopt(model) {
    if (model.parameterCount > LARGEST) return void model.free();
    const entry = /** @type {Entry} */ ({ model, name: `m${this.made++}`, freed: false, held: 0 });
    entry.config = model.config;
    entry.bits = this.bitsOf(entry);
    this.models.push(entry);
    if (this.models.length > MODELS) {
      const old = /** @type {Entry} */ (this.models.find(({ held }) => !held) ?? entry);
      this.models = this.models.filter((each) => each !== old);
      old.model.free();
      old.freed = old.gone = true;
    }
  }

  /** @param {any} trainer @param {Entry} of */
  train(trainer, of) {
    of.trainer = trainer;
    if (!of.freed) of.bits = this.bitsOf(of);
    this.trainers.push({ trainer, of });
    if (this.trainers.length > 6) this.trainers.shift();
  }

  /**
   * A live view of a model's tensor.
   * @param {Draw} d
   * @param {number} [length] of the view, where there is such a one
   */
  view(d, length) {
    const entry = this.some(d, 'models') ?? this.probe;
    const infos = entry.freed ? [] : entry.model.tensors();
    if (infos.length === 0) return undefined;
    const wanted = infos.filter(({ shape }) => shape.reduce((all, size) => all * size, 1) === length);
    try {
      const view = entry.model.view(d.pick(wanted.length ? wanted : infos).name);
      // A copy of the probe's: calls may write into what they are given to fill.
      return entry === this.probe ? view.slice() : view;
    } catch {
      return undefined;
    }
  }

  /**
   * A function for a getter, callback or proxy: it throws, detaches, frees, grows the memory, or makes a call.
   * @param {Draw} d
   * @param {any} [value] what it stands before
   * @returns {() => void}
   */
  hook(d, value) {
    const kind = d.int(0, 9);
    const entry = this.some(d, 'models');
    const after = d.chance(0.7) ? 0 : d.int(1, 5);
    const then = d;
    let times = 0;
    return () => {
      if (times++ !== after || this.running.length === 0 || this.running.length > 2) return;
      const outer = this.running[this.running.length - 1];
      const used = process.cpuUsage();
      try {
        outer.check();
        outer.fired++;
        if (kind === 0) {
          const error = new OwnError();
          this.own.add(error);
          throw error;
        }
        if (kind === 1) detachAll(value);
        else if (kind === 2 && entry) this.free(entry);
        else if (kind === 3) this.gf.matmul([[1]], { data: new Float32Array(2 ** 18), shape: [1, 2 ** 18] });
        else this.inner(then, this);
        outer.rebase();
      } finally {
        outer.spent += busySince(used);
      }
    };
  }

  /** @param {Entry} entry */
  free(entry) {
    try {
      entry.model.free();
      entry.freed = true;
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'state') throw error;
    }
  }

  /**
   * @param {Entry} entry
   * @param {boolean} [whole] false: a quick check, of the tensors known and without the moments
   * @returns {Bits}
   */
  bitsOf(entry, whole = true) {
    const { model, held } = entry;
    if (entry.freed) return { life: 'freed', weights: 0, moments: 'freed', others: 0 };
    const dead = (/** @type {any} */ view) => typeof view !== 'string' && view.byteLength === 0;
    let { seen } = entry;
    if (whole || !seen || seen.weights.some(dead) || seen.others.some(dead)) seen = this.read(entry);
    let weights = 0;
    for (const view of seen.weights) weights = hash(view, weights);
    let others = hash(seen.names);
    for (const view of seen.others) others = hash(typeof view === 'string' ? model.tensor(view).data : view, others);
    const moments = held ? 'held' : whole ? momentsOf(entry.trainer) : entry.bits.moments;
    return { life: `seed ${model.seed}`, weights, others, moments };
  }

  /** The readable parts of a model. @param {Entry} entry @returns {Seen} */
  read(entry) {
    const list = entry.model.tensors();
    const names = list.map((/** @type {any} */ { name, shape }) => `${name} ${shape}`).join();
    const words = (/** @type {any} */ { name }) => {
      try {
        const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size } = entry.model.view(name);
        const Type = size === 4 ? Int32Array : Uint8Array;
        return new Type(buffer, byteOffset, byteLength / size);
      } catch {
        return name; // not dense
      }
    };
    const of = (/** @type {boolean} */ isWeight) =>
      list.filter((/** @type {any} */ { region }) => (region === 'weight') === isWeight).map(words);
    return (entry.seen = { names, weights: of(true), others: of(false) });
  }

  /** All models, the probe among them. */
  entries() {
    return [this.probe, ...this.models];
  }

  /** Takes the present bits for those that may not change. */
  rebase() {
    for (const entry of this.entries()) entry.bits = this.bitsOf(entry);
  }
}

/** @param {any} trainer */
function momentsOf(trainer) {
  if (!trainer) return '';
  try {
    const { moment1, moment2, steps } = trainer.state();
    return `${steps} ${hash(moment1)} ${hash(moment2)}`;
  } catch (error) {
    return /** @type {any} */ (error).code;
  }
}

/** @param {any} value */
function detachAll(value) {
  if (ArrayBuffer.isView(value)) {
    try {
      structuredClone(value.buffer, { transfer: [/** @type {any} */ (value.buffer)] });
    } catch {
      // Shared memory and WebAssembly's cannot.
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value).slice(0, 4)) {
      const { value: inner } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      if (ArrayBuffer.isView(inner)) detachAll(inner);
    }
  }
}

/**
 * FNV-1a over words, or over a text's letters.
 * @param {any} data
 * @param {number} [start]
 */
export function hash(data, start = 0x811c9dc5) {
  let sum = start;
  if (typeof data === 'string') {
    for (let i = 0; i < data.length; i++) sum = Math.imul(sum ^ data.charCodeAt(i), 0x01000193);
    return sum;
  }
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size } = data;
  const words =
    size === 1 ? new Uint8Array(buffer, byteOffset, byteLength) : new Int32Array(buffer, byteOffset, byteLength / 4);
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i], 0x01000193);
  return sum;
}
