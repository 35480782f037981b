// The work of `big` in each engine: GPT-2's shape with random weights, a token and a few with the cache, and a plain
// read of the same bytes in the same memory.
import { paired, processor } from './harness.js';
import { checked } from '../../dist/js/errors.js';
import { open } from './ours.js';
import { reader } from './read.js';

const [CACHE, PAST, ROWS, CAPACITY] = [2, 16, 8, 64];

/**
 * @param {{variant: 'simd' | 'relaxed', config: any, products: [number, number, number][],
 *   timing: Parameters<typeof paired>[1]}} options products: inputs and outputs of the matrices, and how many of them
 * @returns {Promise<{bytes: number, timings: Record<string, {median: number, min: number}>}>} milliseconds
 */
export default async function work({ variant, config, products, timing }) {
  const { core, gf } = await open(variant);
  const { functions: f } = core;
  const model = gf.createModel(config);
  const bytes = 4 * model.parameterCount;
  const last = model.view('decoder.norm.bias'); // and the token embedding is the first
  const weights = last.byteOffset + last.byteLength - bytes;
  const scratch = f.gf_alloc(2 ** 18 + 4 * 4 * config.vocabulary) >>> 0; // four rows, and their logits
  const read = reader(core.memory);
  const calls = { read: () => read(weights, bytes) };
  /** @type {Record<string, number>} */
  const handles = { f32: core.handle };
  const models = [model]; // kept: one that nobody holds is freed
  for (const type of ['bf16', 'f16', 'int8']) {
    models.push(model.clone({ weights: type }));
    handles[type] = core.handle;
  }
  for (const id of [0, 1]) model.forward({ ids: [id] }); // after which its matrices stand as products read them
  for (const [type, handle] of Object.entries(handles)) {
    checked(f.gf_model_prepare(handle, 1, 0, PAST, CAPACITY, CACHE), 'prepare');
    checked(f.gf_model_forward(handle), 'forward');
    for (let rows = 1; rows <= ROWS; rows *= 2) {
      calls[`${type}, ${rows}`] = () => checked(f.gf_model_step(handle, PAST, rows), 'step');
    }
  }
  for (const [K, N, count] of products) {
    // Each time another matrix, so that none stays in a cache; whatever stands there is taken for its rows.
    let turn = 0;
    const from = () => weights + 4 * K * N * (turn++ % Math.max(1, Math.min(count, Math.floor(bytes / (4 * K * N)))));
    for (const rows of [1, 4]) {
      calls[`${K} to ${N}, ${rows}`] = () => f.gf_matmul(scratch + 2 ** 18, scratch, from(), 1, rows, K, N, 0, 1);
    }
  }
  const all = await paired(calls, { ...timing, clock: processor });
  models.forEach((each) => each.free());
  const typing = await typed(gf.createModel(config), { ...timing, clock: processor }); // one without views
  const timings = Object.fromEntries(
    Object.entries({ ...all, ...typing }).map(([name, { median, min }]) => [name, { median, min }]),
  );
  return { bytes, timings };
}

/**
 * A text whose last token changes, and one whose first does, all captured. One after the other: in turn each would
 * find the other's text.
 * @param {import('glassformer').Model} model
 * @param {Parameters<typeof paired>[1]} timing
 */
async function typed(model, timing) {
  const text = Array.from({ length: 14 }, (_, i) => 997 * i);
  let turn = 0;
  const pass = (/** @type {number} */ at) => () =>
    void model.forward({ ids: text.with(at, turn++ % 9), capture: true });
  return { ...(await paired({ last: pass(13) }, timing)), ...(await paired({ whole: pass(0) }, timing)) };
}
