// Draws the calls of the random walk.
import { Random } from 'glassformer/tasks';

/** Draws of one call. A call has its own generator, so that a sequence stays the same without some of its calls. */
export class Draw {
  #random;

  /** @param {number} seed of the run @param {number} call */
  constructor(seed, call) {
    this.#random = new Random(seed, call);
  }

  /** @param {number} low @param {number} high */
  int(low, high) {
    return low + (this.#random.next() % (high - low + 1));
  }

  float() {
    return 2 * this.#random.uniform() - 1;
  }

  /** @param {number} probability */
  chance(probability) {
    return this.#random.chance(probability);
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.int(0, list.length - 1)];
  }

  /** @param {number} length */
  floats(length) {
    return Float32Array.from({ length }, () => this.float());
  }

  /** @param {number} length @param {number} limit */
  ids(length, limit) {
    return Array.from({ length }, () => this.int(0, limit - 1));
  }

  /**
   * Floats of a shape, in one of the forms that arguments take.
   * @param {number[]} shape
   * @param {(data: Float32Array) => void} [change]
   */
  tensor(shape, change) {
    const data = this.floats(shape.reduce((product, size) => product * size, 1));
    change?.(data);
    if (this.chance(0.6)) return { data, shape };
    if (this.chance(0.3)) return { data: Float64Array.from(data), shape };
    return this.chance(0.3) ? { data: Array.from(data), shape } : nest(Array.from(data), shape);
  }

  /**
   * Ids of a shape.
   * @param {number[]} shape
   * @param {number} limit
   */
  idTensor(shape, limit) {
    const list = this.ids(
      shape.reduce((product, size) => product * size, 1),
      limit,
    );
    if (this.chance(0.5)) return nest(list, shape);
    return { data: this.chance(0.8) ? Int32Array.from(list) : BigInt64Array.from(list, BigInt), shape };
  }

  /** @param {number[]} shape */
  flagTensor(shape) {
    const list = this.ids(
      shape.reduce((product, size) => product * size, 1),
      4,
    ).map((value) => Number(value === 0));
    return this.chance(0.5) ? nest(list, shape) : { data: Uint8Array.from(list), shape };
  }
}

/**
 * @param {any[]} list
 * @param {number[]} shape
 * @returns {any[]}
 */
function nest(list, shape) {
  for (const size of shape.slice(1).reverse()) {
    list = Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size));
  }
  return list;
}
