// Whether `maxOperations` counts what takes time: for narrow and wide models the time of a pass, as multiply-adds of a
// large product that runs in turns with it, divided by the count that refuses it. 1 is exact.
import { load } from '../../dist/js/node.js';
import { normal, paired, processor } from './harness.js';

const SIZE = 512; // of the large product
const T = 1024;

const attention = (/** @type {number} */ heads, /** @type {number} */ width) => ({
  name: `attention, ${heads} heads of ${width}`,
  config: { kind: 'attention', heads, d_model: heads * width },
});
const ffn = (/** @type {number} */ d_model, /** @type {number} */ d_ff, /** @type {string} */ activation) => ({
  name: `feed-forward, ${d_model} to ${d_ff}, ${activation}`,
  config: { kind: 'feed-forward', d_model, d_ff, activation },
});
const encoder = (/** @type {object} */ config) => ({
  name: `encoder ${JSON.stringify(config).replace(/["{}]/g, '')}`,
  config: { kind: 'encoder', vocabulary: 7, head: 'none', ...config },
});

const WORKLOADS = [
  ...[1, 2, 4, 8, 16, 32, 64].map((width) => attention(8, width)),
  ...[1, 64].map((heads) => attention(heads, 1)),
  ...['relu', 'gelu', 'gelu-tanh', 'silu', 'none'].flatMap((activation) =>
    [1, 8, 64].map((d_model) => ffn(d_model, 512, activation)),
  ),
  ...[1, 8, 64, 256].map((d_model) => encoder({ d_model, heads: 0, d_ff: 1, layers: 8, norm: 'pre' })),
  ...[8, 64].map((d_model) =>
    encoder({ d_model, heads: 0, d_ff: 1, layers: 0, head: 'linear', outputVocabulary: 5e3 }),
  ),
  encoder({ d_model: 16, heads: 2, d_ff: 32, layers: 2 }),
  encoder({ d_model: 256, heads: 4, d_ff: 1024, layers: 1 }),
];

/**
 * @param {import('./run.mjs').Options} options
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function cost({ workloads, quick }) {
  const gf = await load({ variant: 'simd', maxOperations: Infinity });
  const effort = { ...(quick ? { rounds: 3, minMs: 20 } : { rounds: 9, minMs: 60 }), clock: processor };
  const a = { data: normal(7)(SIZE ** 2), shape: [SIZE, SIZE] };
  const rows = [];
  for (const { name, config } of WORKLOADS) {
    if (workloads.length && !workloads.some((part) => name.includes(part))) continue;
    const model = gf.createModel(config);
    const { kind, d_model } = model.config;
    const input =
      kind === 'encoder'
        ? { ids: Array.from({ length: T }, (_, i) => i % 7) }
        : { vectors: { data: normal(8)(T * d_model), shape: [T, d_model] } };
    const count = counted(() => model.forward({ ...input, maxOperations: 1 }));
    const { pass, product } = await paired(
      { pass: () => model.forward(input), product: () => gf.matmul(a, a) },
      effort,
    );
    const taken = (pass.median / product.median) * SIZE ** 3;
    rows.push([name, pass.median, count / 1e6, taken / 1e6, taken / count]);
    model.free();
  }
  const ratios = rows.map((row) => Number(row[4]));
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2));
  return {
    title: `What maxOperations counts, over ${T} tokens`,
    tables: [{ title: 'Times and counts', columns: ['pass', 'ms', 'counted, M', 'taken, M', 'taken / counted'], rows }],
    notes: [`taken / counted: ${least} to ${most}`],
  };
}

/** @param {() => unknown} call that is refused */
function counted(call) {
  try {
    call();
  } catch (error) {
    return Number(/** @type {any} */ (error).value);
  }
  throw new Error('was not refused');
}
