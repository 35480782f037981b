// The work of `growth`: one forward pass of each shape, each in its own engine, whose memory never shrinks.
import { load } from '../../dist/js/index.js';
import { normal, paired, processor } from './harness.js';

const LONG = 1; // GFLOP from which few repetitions are enough
const SOFTMAX = 20; // operations a score: callgrind counts 19 natively

/**
 * @param {{shapes: {T: number, d_model: number, layers: number}[], heads: number, capture: boolean, quick: boolean}}
 *   options
 * @returns {Promise<{variant: string, rows: {gflop: number, ms: number | null, bytes: number | null}[]}>} the least
 *   time and the size of the engine's memory after the passes; null where that much memory is refused
 */
export default async function grow({ shapes, heads, capture, quick }) {
  const rows = [];
  let variant = '';
  for (const { T, d_model, layers } of shapes) {
    const gflop =
      (layers * (2 * T * (4 * d_model ** 2 + 2 * d_model * 4 * d_model) + T * T * (4 * d_model + SOFTMAX * heads))) /
      1e9;
    const gf = await load();
    ({ variant } = gf);
    const model = gf.createModel({
      kind: 'encoder',
      vocabulary: 0,
      d_model,
      heads,
      d_ff: 4 * d_model,
      layers,
      maxLength: T,
    });
    const vectors = { data: normal(7)(T * d_model), shape: [T, d_model] };
    try {
      const effort =
        gflop > LONG || quick ? { rounds: 2, minMs: 1, warmupMs: 50 } : { rounds: 9, minMs: 20, warmupMs: 150 };
      const { forward } = await paired(
        { forward: () => model.forward({ vectors, capture }) },
        { ...effort, clock: processor },
      );
      rows.push({ gflop, ms: forward.min, bytes: gf.memoryBytes });
    } catch (error) {
      if (error.code !== 'memory') throw error;
      rows.push({ gflop, ms: null, bytes: null });
    }
    model.free();
  }
  return { variant, rows };
}
