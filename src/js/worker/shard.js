// Shards of a batch: what a worker and the thread of the trainer both do.
/** @typedef {import('../engine/handle.js').Handle} Handle */
/** @typedef {import('../engine/inputs.js').Batch} Batch */

/**
 * A part of a batch.
 * @typedef {object} Shard
 * @property {number} index of all parts
 * @property {number} first sequences before it
 * @property {Batch} batch
 */

/**
 * The sum of the gradients of `size` shards from number `begin` on.
 * @typedef {{begin: number, size: number, data: Float32Array}} Sum
 */

/**
 * Results of some shards: the core's answer to each up to the first bad one, and their reports (struct step_report) in
 * order.
 * @typedef {{answers: number[], reports: Uint8Array, sums: Sum[]}} Computed
 */

/** Of struct step_report (src/train/trainer.h), with padding. */
export const REPORT_BYTES = 96;

/**
 * Cuts a batch along its sequences, as evenly as can be: a sequence stays whole.
 * @param {Batch} batch
 * @param {number} shards
 * @returns {Shard[]} as many, or as many as there are sequences
 */
export function cut({ sizes, flags, subject, writes }, shards) {
  const { B } = sizes;
  const parts = Math.min(shards, B);
  const begin = (/** @type {number} */ i) => Math.floor((i * B) / parts);
  return Array.from({ length: parts }, (_, index) => {
    const [first, end] = [begin(index), begin(index + 1)];
    const part = writes.map(({ to, data }) => {
      const row = data.length / B;
      const all = to === 'mask'; // one for all sequences
      return { to, data: all ? data : /** @type {Float32Array} */ (data).slice(first * row, end * row) };
    });
    const batch = { sizes: { ...sizes, B: end - first }, flags, subject, writes: part };
    return { index, first, batch };
  });
}

/**
 * Adds a sum to those before it, pairwise: (0 + 1) + (2 + 3) and so on, whoever computes which.
 * @param {Sum[]} sums in the order of shards
 * @param {Sum} next the sum of the shards that follow
 * @param {Float32Array[]} free takes memory that is needed no more
 */
export function push(sums, next, free) {
  let { begin, size, data } = next;
  for (let last = sums.at(-1); last?.size === size && last.begin % (2 * size) === 0; last = sums.at(-1)) {
    add(last.data, data);
    free.push(data);
    ({ begin, data } = last);
    size *= 2;
    sums.pop();
  }
  sums.push({ begin, size, data });
}

/** @param {Float32Array} into @param {Float32Array} from */
export function add(into, from) {
  for (let i = 0; i < into.length; i++) into[i] += from[i];
}

/**
 * The gradients of shards, one after the other.
 * @param {Handle} handle of a model with a trainer
 * @param {Shard[]} shards in their order
 * @param {number} count rows that the loss is the mean of, in all shards; 0: of the only one
 * @param {Float32Array[]} free memory of the gradients' size
 * @returns {Computed}
 */
export function compute(handle, shards, count, free) {
  const { functions, id, memory, struct } = handle;
  /** @type {Computed} */
  const { answers, reports, sums } = { answers: [], reports: new Uint8Array(shards.length * REPORT_BYTES), sums: [] };
  for (const { index, first, batch } of shards) {
    handle.pass.layOut(batch);
    const answer = functions.gf_trainer_shard(struct, id, first, count);
    reports.set(memory.view('uint8', struct, REPORT_BYTES), answers.length * REPORT_BYTES);
    answers.push(answer);
    if (answer < 0) break;
    const gradients = handle.block(1);
    const data = free.pop() ?? new Float32Array(gradients.length);
    data.set(gradients);
    push(sums, { begin: index, size: 1, data }, free);
  }
  return { answers, reports, sums };
}
