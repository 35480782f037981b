// The work of `variants`: it uses neither Node nor the page, so that all engines run the same lines.
import { load } from '../../dist/js/index.js';
import { normal, paired, processor } from './harness.js';
import { FLOPS, loops } from './peak.js';

/** The tiles of gf_tile (src/wasm/api.h). */
const TILES = [4, 6];

/**
 * Times every variant and tile that this engine can run, each against the others, and the bare loops of probe.js.
 * @param {{rounds?: number, minMs?: number, warmupMs?: number, titles?: string[],
 *   probes: Awaited<ReturnType<typeof import('./probe.js').probes>>}} given titles: of workloads, default all
 * @returns {Promise<{chosen: string, reason: string, fused: boolean, peak: Record<string, number>,
 *   probe: Record<string, {name: string, speed: number}>,
 *   times: Record<string, Record<string, import('./harness.js').Timing>>}>} chosen: the contestant that load() takes;
 *   fused: whether relaxed_madd rounds once; peak of registers alone in GFLOP/s; probe: the best bare loop of either
 *   variant, in GFLOP/s; times in milliseconds by workload and contestant
 */
export default async function measure({ probes, titles = Object.keys(WORKLOADS), ...effort }) {
  const { gf, tile } = await open();
  const timing = { ...effort, clock: processor };
  const contestants = await contestantsHere();
  const bare = await bareLoops(probes);
  const times = {};
  const probe = {};
  for (const title of titles) {
    const workload = WORKLOADS[title];
    const ours = Object.fromEntries(contestants.map(([name, one]) => [name, workload(one)]));
    const isProbed = title === 'matmul 512³';
    const all = await paired({ ...ours, ...(isProbed && bare) }, timing);
    times[title] = Object.fromEntries(Object.keys(ours).map((name) => [name, all[name]]));
    if (!isProbed) continue;
    for (const { variant, name, rows } of probes) {
      const timed = all[`probe ${variant} ${name}`];
      if (!timed) continue;
      const speed = (2 * (512 - (512 % rows)) * 512 ** 2) / timed.median / 1e6;
      if (!(probe[variant]?.speed > speed)) probe[variant] = { name, speed };
    }
  }
  const limits = await paired(await loops(), timing);
  return {
    chosen: `${gf.variant} ${tile()} rows`,
    reason: gf.reason,
    fused: 'relaxed' in limits && isFused(),
    peak: Object.fromEntries(Object.entries(limits).map(([name, { min }]) => [name, FLOPS / min / 1e6])),
    probe,
    times,
  };
}

/** The probes that this engine compiles, each as a call of a product of 512³. */
async function bareLoops(probes) {
  const calls = {};
  for (const { name, variant, base64 } of probes) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    if (!WebAssembly.validate(bytes)) continue;
    const { instance } = await WebAssembly.instantiate(bytes);
    const { product, memory } = /** @type {any} */ (instance.exports);
    const size = 4 * 512 ** 2;
    new Float32Array(memory.buffer, 0, 2 * 512 ** 2).set(normal(7)(2 * 512 ** 2));
    calls[`probe ${variant} ${name}`] = () => product(0, size, 2 * size, 3 * size, 512);
  }
  return calls;
}

/** Every way to run the engine here, by name, each with its own instance. */
async function contestantsHere() {
  const found = [];
  for (const variant of /** @type {const} */ (['simd', 'relaxed'])) {
    for (const rows of TILES) {
      let opened;
      try {
        opened = await open(variant);
      } catch (error) {
        if (error.code !== 'unsupported') throw error;
        break;
      }
      opened.exports.gf_tile(rows);
      found.push([`${variant} ${rows} rows`, opened]);
    }
  }
  return found;
}

/**
 * An engine with its exports, which the package keeps to itself, and the tile that it asked for: both are seen as the
 * module starts.
 * @param {'simd' | 'relaxed'} [variant] without it, load() chooses
 */
async function open(variant) {
  const { instantiate } = WebAssembly;
  let exports;
  let tile = 0; // as it was answered
  WebAssembly.instantiate = async (...given) => {
    const instance = await instantiate(...given);
    ({ exports } = instance);
    return { exports: { ...exports, gf_tile: (rows) => (tile = exports.gf_tile(rows)) } };
  };
  try {
    return { gf: await load(variant && { variant }), exports, tile: () => tile };
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
  for (const [at, count] of [
    [a, M * K],
    [b, K * N],
  ])
    new Float32Array(exports.memory.buffer, at, count).set(random(count));
  return () => exports.gf_matmul(y, a, b, 1, M, K, N, 0, 0);
}

function forward(gf, shape, T) {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 0, seed: 7, ...shape });
  const vectors = { data: normal(7)(T * shape.d_model), shape: [1, T, shape.d_model] };
  return () => model.forward({ vectors });
}

/** f(x, y) = the first lane of relaxed_madd(x, x, y). */
const MADD = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  7,
  1,
  96,
  2,
  125,
  125,
  1,
  125,
  3,
  2,
  1,
  0,
  7,
  5,
  1,
  1,
  102,
  0,
  0,
  10,
  22,
  1,
  20,
  0,
  32,
  0,
  253,
  19,
  32,
  0,
  253,
  19,
  32,
  1,
  253,
  19,
  253,
  133,
  2,
  253,
  31,
  0,
  11,
);

/** Whether relaxed_madd rounds once: x² less the rounded x² is then what rounding took away, else 0. */
function isFused() {
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(MADD)).exports;
  const x = 1 + 2 ** -13; // its square needs 27 bits
  return f(x, -Math.fround(x * x)) !== 0;
}
