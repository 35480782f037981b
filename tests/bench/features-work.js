// The work of `features` in each engine: all steps of a dictionary, then a step beside one with ReLU and the bare peak.
import { load } from '../../dist/js/index.js';
import { normal, paired, processor } from './harness.js';
import { FLOPS, loops } from './peak.js';

const [ROWS, WIDTH, SIZE, ACTIVE, BATCH] = [50000, 96, 192, 6, 256];

/**
 * @param {{steps: number}} options
 * @returns {Promise<Record<string, any>[]>} of each variant that this engine runs
 */
export default async function train({ steps }) {
  const draw = normal(3);
  const vectors = { data: Float32Array.from({ length: ROWS * WIDTH }, draw), shape: [ROWS, WIDTH] };
  const found = [];
  for (const variant of /** @type {const} */ (['simd', 'relaxed'])) {
    const gf = await load({ variant }).catch((error) => {
      if (error.code !== 'unsupported') throw error;
    });
    if (!gf) continue;
    const trainers = { step: { activation: 'top-k', active: ACTIVE }, relu: { activation: 'relu' } };
    const made = Object.entries(trainers).map(([name, settings]) => {
      const model = gf.createModel({ kind: 'feed-forward', d_model: WIDTH, d_ff: SIZE, ...settings, seed: 1 });
      const trainer = model.trainer({ loss: 'mse', optimizer: 'adam', learningRate: 0.003 });
      return [name, trainer];
    });
    const { step, relu } = Object.fromEntries(made);
    step.data(vectors);
    const [started, ran] = [performance.now(), processor()];
    for (let i = 0; i < steps; i++) step.step({ draw: BATCH });
    const [seconds, spent] = [(performance.now() - started) / 1000, (processor() - ran) / 1000];
    const megabytes = gf.memoryBytes / 2 ** 20;
    relu.data(vectors);
    const bare = await loops();
    const times = await paired(
      { step: () => step.step({ draw: BATCH }), relu: () => relu.step({ draw: BATCH }), peak: bare[variant] },
      { clock: processor },
    );
    found.push({
      ...{ variant, seconds, processor: spent, step: times.step.median, relu: times.relu.median },
      flops: 5 * 2 * BATCH * WIDTH * SIZE,
      peak: FLOPS / times.peak.min / 1e6,
      megabytes,
      beside: megabytes - (4 * ROWS * WIDTH) / 2 ** 20,
    });
  }
  return found;
}
