// What each engine runs for `variants`: it knows neither Node nor the page, so that all of them run the same lines.
import { load } from '../../dist/glassformer.js';
import { normal, paired } from './harness.js';

const PEAK_ACCUMULATORS = 12;
const PEAK_TURNS = 20000;

/**
 * Times every variant and tile that this engine can run, each against the others.
 * @param {{rounds?: number, minMs?: number, warmupMs?: number}} effort
 * @returns {Promise<{choice: {variant: string, reason: string}, fused: boolean, peak: Record<string, number>,
 *   times: Record<string, Record<string, {median: number, min: number}>>}>} whether relaxed_madd rounds once; peak of
 *   registers alone in GFLOP/s; times in milliseconds by workload and contestant
 */
export default async function measure(effort) {
  const opened = await contestantsHere();
  const contestants = Object.entries(opened);
  const relaxed = contestants.some(([, { gf }]) => gf.variant === 'relaxed');
  const { variant, reason } = opened['load()'].gf;
  const times = {};
  for (const [title, workload] of Object.entries(WORKLOADS)) {
    times[title] = await paired(Object.fromEntries(contestants.map(([name, one]) => [name, workload(one)])), effort);
  }
  const limits = await paired({ simd: peak(false), ...(relaxed && { relaxed: peak(true) }) }, effort);
  const flops = PEAK_ACCUMULATORS * PEAK_TURNS * 8;
  return {
    choice: { variant, reason },
    fused: relaxed && isFused(),
    peak: Object.fromEntries(Object.entries(limits).map(([name, { min }]) => [name, flops / min / 1e6])),
    times,
  };
}

/** Every way to run the engine here, each with an instance of its own. */
async function contestantsHere() {
  const found = { simd: await open('simd'), 'load()': await open() };
  try {
    found.relaxed = await open('relaxed');
  } catch (error) {
    if (error.code !== 'unsupported') throw error;
    return found;
  }
  if (!found.relaxed.exports.gf_tile) return found;
  delete found.relaxed;
  for (const rows of [4, 6]) {
    const opened = await open('relaxed');
    opened.exports.gf_tile(rows);
    found[`relaxed ${rows} rows`] = opened;
  }
  return found;
}

/**
 * An engine with its exports, which the package keeps to itself: they are taken as the module starts.
 * @param {'simd' | 'relaxed'} [variant] without it, load() chooses
 */
async function open(variant) {
  const { instantiate } = WebAssembly;
  let exports;
  WebAssembly.instantiate = async (...given) => {
    const instance = await instantiate(...given);
    ({ exports } = instance);
    return instance;
  };
  try {
    return { gf: await load(variant && { variant }), exports };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

/** Each makes its inputs and returns the call to be timed. */
const WORKLOADS = {
  'matmul 512³': ({ exports }) => matmul(exports, 512, 512, 512),
  'matmul 16×64×64': ({ exports }) => matmul(exports, 16, 64, 64),
  'encoder layer T=128': ({ gf }) => forward(gf, { d_model: 512, heads: 8, d_ff: 2048, layers: 1 }, 128),
  'tiny model': ({ gf }) => forward(gf, { d_model: 64, heads: 4, d_ff: 256, layers: 2 }, 16),
};

function matmul(exports, M, K, N) {
  const [y, a, b] = [M * N, M * K, K * N].map((count) => exports.gf_alloc(4 * count));
  const random = normal(7);
  for (const [at, count] of [[a, M * K], [b, K * N]]) new Float32Array(exports.memory.buffer, at, count).set(random(count));
  return () => exports.gf_matmul(y, a, b, 1, M, K, N, 0, 0);
}

function forward(gf, shape, T) {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 0, seed: 7, ...shape });
  const vectors = { data: normal(7)(T * shape.d_model), shape: [1, T, shape.d_model] };
  return () => model.forward({ vectors });
}

// ---- The limit: registers only, every accumulator a chain of its own.

const SPLAT = [253, 19]; // f32x4.splat
const ADD = [253, 228, 1];
const MUL = [253, 230, 1];
const MADD = [253, 133, 2]; // f32x4.relaxed_madd

function module(parameters, result, code) {
  const section = (id, body) => [id, ...leb(body.length), ...body];
  const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0,
    ...section(1, [1, 96, parameters.length, ...parameters, 1, result]), ...section(3, [1, 0]),
    ...section(7, [1, 1, 102, 0, 0]), ...section(10, [1, ...leb(code.length), ...code]));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f;
}

function leb(number) {
  return number < 128 ? [number] : [number & 127 | 128, ...leb(number >> 7)];
}

/** Multiply–adds in PEAK_ACCUMULATORS chains: a = a x + y, or fused a = x y + a. @param {boolean} fused */
function peak(fused) {
  const [turns, x, y, first] = [0, 2, 3, 4];
  const get = (local) => [32, local];
  const chains = Array.from({ length: PEAK_ACCUMULATORS }, (_, i) => first + i);
  const body = chains.flatMap((a) => [
    ...(fused ? [...get(x), ...get(y), ...get(a), ...MADD] : [...get(a), ...get(x), ...MUL, ...get(y), ...ADD]), 33, a]);
  const sum = chains.flatMap((a, i) => [...get(a), ...(i ? ADD : [])]);
  const run = module([127, 125], 125, [
    1, PEAK_ACCUMULATORS + 2, 123, // locals: v128
    ...get(1), ...SPLAT, 33, x, ...get(1), ...SPLAT, 33, y,
    3, 64, ...body, ...get(turns), 65, 1, 107, 34, turns, 13, 0, 11, // loop: … if (--turns) again
    ...sum, 253, 31, 0, 11, // f32x4.extract_lane 0
  ]);
  return () => run(PEAK_TURNS, 0.5);
}

/** Whether relaxed_madd rounds once: x² - x² rounded is then the rounding error, not 0. */
function isFused() {
  const x = 1 + 2 ** -13; // its square needs 27 bits
  const square = Math.fround(x * x);
  const run = module([125, 125], 125, [0, 32, 0, ...SPLAT, 32, 0, ...SPLAT, 32, 1, ...SPLAT, ...MADD, 253, 31, 0, 11]);
  return run(x, -square) !== 0;
}
