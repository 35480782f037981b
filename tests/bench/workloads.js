// The timed work: sizes, inputs, arithmetic and the right answer. Each engine has its own file.
import { normal } from './harness.js';
import * as reference from './reference.js';

/**
 * @typedef {object} Workload
 * @property {string} name
 * @property {string} group workloads of a group share a process
 * @property {'matmul' | 'softmax' | 'layerNorm' | 'gelu' | 'softmaxBackward' | 'layerNormBackward' | 'geluBackward' |
 *   'adamw' | 'heads' | 'attention' | 'feed-forward' | 'encoder'} kind
 * @property {Record<string, number>} size M, K, N; or rows R and columns C; or T, C, H, F, layers, and B sequences
 * @property {boolean} [gelu] instead of ReLU
 * @property {number} [flops] where counting them makes sense
 * @property {boolean} [fresh] both factors are new in each call, and the product is read out
 * @property {boolean} [packed] also timed with weights that were packed before
 * @property {[boolean, boolean]} [transposed] op(A), op(B): only ours, the peers' graphs have no such form
 * @property {boolean} [own] only ours: training has no peer here
 */

/** @type {(M: number, K: number, N: number, more?: Partial<Workload>) => Workload} */
const product = (M, K, N, { name = '', ...more } = {}) => ({
  name: `matmul ${M}x${K}x${N}${name}`,
  group: 'matmul',
  kind: 'matmul',
  size: { M, K, N },
  flops: 2 * M * K * N,
  ...more,
});

/** The four forms of one product: A B is among the plain ones. */
const forms = (M, K, N) =>
  [
    [false, true],
    [true, false],
    [true, true],
  ].map(([a, b]) =>
    product(M, K, N, { name: ` ${a ? 'A^T' : 'A'} ${b ? 'B^T' : 'B'}`, group: 'transposed', transposed: [a, b] }),
  );

const attentionFlops = (T, C) => 2 * T * C * 4 * C + 4 * T * T * C;
const encoderFlops = (T, C, F, layers) => layers * (attentionFlops(T, C) + 4 * T * C * F);

const mha = (T) => ({
  name: `MHA T=${T} d=512 h=8`,
  group: 'layers',
  kind: 'attention',
  size: { T, C: 512, H: 8 },
  flops: attentionFlops(T, 512),
});
const stack = (name, group, T, C, H, F, layers) => ({
  name,
  group,
  kind: 'encoder',
  size: { T, C, H, F, layers },
  flops: encoderFlops(T, C, F, layers),
});
/** Sequences that are computed together, as an embedder has them. */
const batch = (name, group, B, T, C, H, F, layers) => ({
  ...stack(name, group, T, C, H, F, layers),
  size: { B, T, C, H, F, layers },
  gelu: true,
  flops: B * encoderFlops(T, C, F, layers),
});
const rows = (name, kind, R, C) => ({ name: `${name} ${R}x${C}`, group: 'rows', kind, size: { R, C } });

/** Of the first step. */
export const ADAMW = /** @type {const} */ ({
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0.01,
});

/** @type {Workload[]} */
export const WORKLOADS = [
  product(16, 64, 64),
  product(128, 128, 128),
  product(512, 512, 512),
  product(512, 512, 512, { name: ', inputs new', fresh: true }),
  product(128, 512, 2048, { packed: true }),
  product(1024, 1024, 1024),
  ...forms(16, 64, 64),
  ...forms(128, 128, 128),
  ...forms(512, 512, 512),
  {
    name: 'FFN T=128 512-2048-512',
    group: 'layers',
    kind: 'feed-forward',
    size: { T: 128, C: 512, F: 2048 },
    flops: 4 * 128 * 512 * 2048,
  },
  mha(128),
  mha(512),
  stack('encoder layer T=128', 'layers', 128, 512, 8, 2048, 1),
  stack('encoder 6 layers T=128', 'base', 128, 512, 8, 2048, 6),
  stack('tiny T=16 d=64 h=4 ff=256, 2 layers', 'tiny', 16, 64, 4, 256, 2),
  batch("MiniLM's shape, 8x32", 'minilm', 8, 32, 384, 12, 1536, 6),
  rows('softmax', 'softmax', 512, 512),
  rows('LayerNorm', 'layerNorm', 512, 512),
  rows('GELU', 'gelu', 128, 2048),
];

const heads = (T, C, H) => ({
  name: `attention T=${T} d=${C} h=${H}`,
  group: 'loops',
  kind: 'heads',
  size: { T, C, H },
  flops: 4 * T * T * C,
});
const small = (name, kind, R, C) => ({ ...rows(name, kind, R, C), group: 'loops' });
const own = (name, kind, R, C) => ({ ...small(name, kind, R, C), own: true });

/** The work of `loops`: the rows above, and each loop by itself, also as a tiny model has it. @type {Workload[]} */
export const LOOPS = [
  ...WORKLOADS.filter(({ group }) => group === 'rows'),
  heads(128, 512, 8),
  own('softmax backward', 'softmaxBackward', 512, 512),
  own('LayerNorm backward', 'layerNormBackward', 512, 512),
  own('GELU backward', 'geluBackward', 128, 2048),
  own('AdamW', 'adamw', 1, 65536),
  small('softmax', 'softmax', 64, 16),
  small('LayerNorm', 'layerNorm', 16, 64),
  small('GELU', 'gelu', 16, 256),
  heads(16, 64, 4),
];

/**
 * A workload's inputs and right answer, the same in every process.
 * @param {Workload} workload
 * @returns {{x: Float32Array, w: Record<string, Float32Array>, expected: Float64Array}} x: the first input; w: the
 *   other factor as `b`, weights by PyTorch's names, or `key` and `value`, or the gradient of the output as `dy`
 */
export function problem({ kind, size, gelu }) {
  const random = normal(1),
    { M, K, N, B = 1, R, T, C, H, F, layers } = size;
  /** @type {Record<string, Float32Array>} */
  const w = {};
  const linear = (weight, bias, rows, columns) => {
    w[weight] = random(rows * columns, 1 / Math.sqrt(columns));
    w[bias] = random(rows, 0.1);
  };
  const attention = (at) => {
    linear(`${at}in_proj_weight`, `${at}in_proj_bias`, 3 * C, C);
    linear(`${at}out_proj.weight`, `${at}out_proj.bias`, C, C);
  };
  const feedForward = (at) => {
    linear(`${at}linear1.weight`, `${at}linear1.bias`, F, C);
    linear(`${at}linear2.weight`, `${at}linear2.bias`, C, F);
  };
  const norm = (at) => {
    w[`${at}weight`] = random(C, 0.1).map((v) => 1 + v);
    w[`${at}bias`] = random(C, 0.1);
  };
  const x = random(kind === 'matmul' ? M * K : (R ?? B * T) * C);
  let expected;
  if (kind === 'matmul') {
    w.b = random(K * N);
    expected = reference.matmul(x, w.b, M, K, N);
  } else if (kind === 'heads') {
    Object.assign(w, { key: random(T * C), value: random(T * C) });
    expected = reference.heads(x, w.key, w.value, T, C, H);
  } else if (kind === 'softmaxBackward') {
    x.set(reference.softmax(x, R, C));
    w.dy = random(R * C);
    expected = reference.softmaxBackward(w.dy, x, C);
  } else if (kind === 'layerNormBackward') {
    norm('');
    w.dy = random(R * C);
    expected = reference.layerNormBackward(w.dy, x, w.weight, 1e-5, C);
  } else if (kind === 'geluBackward') {
    w.dy = random(R * C);
    expected = reference.geluBackward(w.dy, x);
  } else if (kind === 'adamw') {
    w.dy = random(R * C);
    expected = reference.adamw(x, w.dy, ADAMW);
  } else if (kind === 'softmax') expected = reference.softmax(x, R, C);
  else if (kind === 'gelu') expected = reference.gelu(x);
  else if (kind === 'layerNorm') {
    norm('');
    expected = reference.layerNorm(x, w.weight, w.bias, 1e-5, C);
  } else if (kind === 'attention') {
    attention('');
    expected = reference.attention(x, w, '', T, C, H);
  } else if (kind === 'feed-forward') {
    feedForward('');
    expected = reference.feedForward(x, w, '', C, F);
  } else {
    for (let l = 0; l < layers; l++) {
      const at = `encoder.layers.${l}.`;
      attention(`${at}self_attn.`);
      feedForward(at);
      norm(`${at}norm1.`);
      norm(`${at}norm2.`);
    }
    expected = reference.encoder(x, w, layers, T, C, H, F, gelu ? reference.gelu : reference.relu);
  }
  return { x, w, expected };
}
