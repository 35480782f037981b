// What a layer's neurons add to the stream, and which of them are alike.

import { chain } from '../shared/order.js';

/** More neurons than these are not compared with each other; the weakest come last. */
const MOST = 1024;

/**
 * `norms`: length of each neuron's column of linear2; `words`: [d_ff, V], what that column gives
 * each output word through the last norm's `gain`, if there is one, and the output table. null: no
 * way leads there.
 * @typedef {{norms: Float32Array, words: import('../../engine/protocol.js').Tensor | null, gain: boolean}}
 *   NeuronsAnswer
 */

/**
 * '@neurons/encoder/1'
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function neurons({ gf, model }, stack, layer) {
  const { data, shape } = tensor(model, `${stack}.layers.${layer}.linear2.weight`);
  const [channels, count] = shape;
  const squares = new Float64Array(count);
  data.forEach((value, i) => (squares[i % count] += value * value));
  const norms = Float32Array.from(squares, Math.sqrt);
  const table = outputTable(model, stack);
  if (!table) return { norms, words: null, gain: false };
  const gain = lastGain(model, stack);
  const a = {
    data: gain ? data.map((value, i) => value * gain.data[Math.floor(i / count)]) : data,
    shape: [channels, count],
  };
  return { norms, words: gf.matmul({ a, transposeA: true, b: table, transposeB: true }), gain: gain !== null };
}

/**
 * '@similar/encoder/1': an order in which neurons that are active at the same tokens of this text
 * stand side by side; those that never are come last.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function similar({ gf, model }, stack, layer) {
  const { data, shape } = tensor(model, `${stack}.layers.${layer}.ffn.activation`);
  const [, tokens, count] = shape;
  const squares = new Float64Array(count);
  data.forEach((value, i) => (squares[i % count] += value * value));
  const strongest = [...squares.keys()].sort((a, b) => squares[b] - squares[a] || a - b);
  const compared = strongest.filter((neuron) => squares[neuron] > 0).slice(0, MOST);
  const size = compared.length;
  if (size === 0) return { order: Int32Array.from(strongest) };
  const columns = compared.flatMap((neuron) =>
    Array.from({ length: tokens }, (_, row) => data[row * count + neuron] / Math.sqrt(squares[neuron])),
  );
  const one = { data: Float32Array.from(columns), shape: [size, tokens] };
  const { data: cosines } = gf.matmul({ a: one, b: one, transposeB: true });
  return { order: Int32Array.from([...chain(cosines, size).map((i) => compared[i]), ...strongest.slice(size)]) };
}

/** @param {import('../../engine/worker.js').Model} model @param {string} name */
const tensor = (model, name) => /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(name));

/**
 * @param {import('../../engine/worker.js').Model} model
 * @param {string[]} names the first that the model has
 */
function first(model, names) {
  const own = new Set(model.tensors().map(({ name }) => name));
  const found = names.find((name) => own.has(name));
  return found === undefined ? null : tensor(model, found);
}

/** @param {import('../../engine/worker.js').Model} model @param {string} stack */
function outputTable(model, stack) {
  const { head, kind } = model.config;
  const speaks = head !== 'none' && (kind !== 'encoder-decoder' || stack === 'decoder');
  return speaks ? first(model, ['generator.weight', 'tgt_emb.weight', 'src_emb.weight', 'tok_emb.weight']) : null;
}

/**
 * The gain of the last norm before the output table: a final one, or that of the last post-norm layer.
 * @param {import('../../engine/worker.js').Model} model
 * @param {string} stack
 */
function lastGain(model, stack) {
  const { norm, layers, decoderLayers, kind } = model.config;
  const last = `${stack}.layers.${(kind === 'encoder-decoder' && stack === 'decoder' ? decoderLayers : layers) - 1}`;
  return first(model, [
    `${stack}.norm.weight`,
    ...(norm === 'post' ? [`${last}.norm3.weight`, `${last}.norm2.weight`] : []),
  ]);
}
