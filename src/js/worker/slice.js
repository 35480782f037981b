// A thread's slice of a pass: the rows of each matrix that are its own, as every row of a layer's result is a sum of
// its own. The core computes it (gf_slice_next); what the next product reads whole goes from thread to thread in
// between, in moved buffers.
import { checked } from '../errors.js';

/** The pieces of a slice, by the thread that sends them. */
export class Inbox {
  /** @type {any[][]} */
  #come = [];
  /** @type {({resolve: (message: any) => void, reject: (reason: unknown) => void} | undefined)[]} */
  #waiting = [];
  /** @type {unknown} */
  #lost;

  /** @param {(MessagePort | null)[]} ports to the other threads */
  constructor(ports) {
    this.ports = ports;
    ports.forEach((port, from) => {
      this.#come[from] = [];
      if (port) port.onmessage = ({ data }) => this.#take(from, data);
    });
  }

  /** @param {number} from @param {any} message */
  #take(from, message) {
    const waiting = this.#waiting[from];
    this.#waiting[from] = undefined;
    if (waiting) waiting.resolve(message);
    else this.#come[from].push(message);
  }

  /** @param {number} from @returns {Promise<any>} */
  next(from) {
    return new Promise((resolve, reject) => {
      if (this.#lost) throw this.#lost;
      if (this.#come[from].length) resolve(this.#come[from].shift());
      else this.#waiting[from] = { resolve, reject };
    });
  }

  /** Nothing more comes. @param {unknown} reason */
  lose(reason) {
    this.#lost = reason;
    for (const waiting of this.#waiting) waiting?.reject(reason);
    for (const port of this.ports) port?.close();
  }
}

/** Answers of a thread about a pass, before any of them begins it. */
export const FITS = 0;
export const TOO_LARGE = 1;
/** Its rows of the weights did not fit, either. */
export const LACKING = 2;

/** One model's slice in one thread. */
export class Slice {
  /**
   * @param {Pick<import('../engine/start.js').Core, 'memory' | 'functions' | 'struct'>} core
   * @param {number} id of the model, whole in the first thread
   * @param {number} index of the thread
   * @param {Inbox} inbox
   */
  constructor(core, id, index, inbox) {
    this.core = core;
    this.id = id;
    this.index = index;
    this.ports = inbox.ports;
    this.inbox = inbox;
  }

  /**
   * Begins a pass over T new positions after `past`, for which the model is laid out.
   * @param {number} past @param {number} T
   * @returns {number} negative where it cannot
   */
  begin(past, T) {
    return this.core.functions.gf_slice_begin(this.id, this.ports.length - 1, past, T);
  }

  /**
   * Computes a pass that has begun in all threads.
   * @param {number} own FITS and so on
   * @returns {Promise<number>} the worst that any of them says; not 0: nothing was computed
   */
  async run(own) {
    const { functions, struct } = this.core;
    const verdict = await this.#agree(own);
    if (verdict !== FITS) return verdict;
    while (checked(functions.gf_slice_next(struct, this.id), 'forward') > 0) await this.#exchange();
    return FITS;
  }

  /** The worst answer of all threads about a pass. @param {number} own */
  async #agree(own) {
    for (const port of this.ports) port?.postMessage(own);
    let worst = own;
    for (let other = 0; other < this.ports.length; other++) {
      if (other !== this.index) worst = Math.max(worst, await this.inbox.next(other));
    }
    return worst;
  }

  /** This thread's columns of the array that the core names go to the others, or the first one alone; theirs come. */
  async #exchange() {
    const { memory, struct } = this.core;
    const [to, row, rows, first, ...begin] = memory.view('int32', struct, 5 + this.ports.length);
    const widthOf = (/** @type {number} */ index) => begin[index + 1] - begin[index];
    const own = to + (first && this.index ? 0 : 4 * begin[this.index]);
    const receivers = this.ports.filter((port, index) => port && (!first || index === 0));
    if (receivers.length && widthOf(this.index))
      this.#send(this.#columns(own, row, rows, widthOf(this.index)), receivers);
    for (let other = 0; other < this.ports.length && !(first && this.index); other++) {
      if (other === this.index || !widthOf(other)) continue;
      this.#scatter(to + 4 * begin[other], row, await this.inbox.next(other), widthOf(other));
    }
  }

  /** @param {Float32Array} data moved to the last @param {(MessagePort | null)[]} receivers */
  #send(data, receivers) {
    receivers.forEach((port, i) => {
      const piece = i < receivers.length - 1 ? data.slice() : data;
      port?.postMessage(piece, [piece.buffer]);
    });
  }

  /** @param {number} from @param {number} row @param {number} rows @param {number} width */
  #columns(from, row, rows, width) {
    const { float32 } = this.core.memory.heaps;
    const data = new Float32Array(rows * width);
    for (let r = 0, at = from / 4; r < rows; r++, at += row) data.set(float32.subarray(at, at + width), r * width);
    return data;
  }

  /** @param {number} to @param {number} row @param {Float32Array} data @param {number} width */
  #scatter(to, row, data, width) {
    const { float32 } = this.core.memory.heaps;
    for (let i = 0, at = to / 4; i < data.length; i += width, at += row) float32.set(data.subarray(i, i + width), at);
  }
}
