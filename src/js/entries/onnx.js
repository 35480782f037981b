/**
 * Models for other engines, as ONNX files.
 *
 * @module glassformer/onnx
 */
import { tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { WITHOUT_TOP_K, expectKnown } from '../engine/known.js';
import { handleOf, viewOf } from '../engine/model.js';
import { EXPORT, onnxOf, readInputs } from '../files/onnx-file.js';

/** @typedef {import('../engine/model.js').Model} Model */

/**
 * @typedef {object} OnnxOptions
 * @property {readonly ('padding' | 'sourcePadding' | 'targetPadding' | 'memoryPadding' | 'mask' | 'memory')[]} [inputs]
 *   which of the inputs that `forward` may be given the graph shall have; each is then needed in every run. Default:
 *   none
 */

/**
 * A model as an ONNX file (ModelProto; IR 9, opset 20), which onnxruntime and others run: the same numbers but for
 * rounding. `model.save({ format: 'onnx' })` is the same, as a promise.
 *
 * Inputs and outputs have the names and shapes of `forward`: `ids` or `vectors`, `typeIds` where the model has `types`
 * (of an encoder-decoder `sourceIds`, `targetIds` and so on), and those that `inputs` names; `logits` where it has a
 * head, or `values`, and `output`. Ids are int64, padding is bool (true = hidden), all else float32. Batch and length
 * are chosen again in each run; the batch axis is always there. Initializers have the names of `model.weights()`, which
 * are PyTorch's.
 *
 * The file is made in one piece, so that beside it no second copy of the weights is needed.
 * @param {Model} model
 * @param {OnnxOptions} [options]
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {GlassformerError} foreign, freed; type, unknown, range for inputs that this kind of model has not;
 *   unsupported for a setting that the export does not know; memory where the file would be 2 GiB or cannot be held
 * @example
 * import { load } from 'glassformer';
 * import { exportOnnx } from 'glassformer/onnx';
 * const gf = await load();
 * const model = gf.createModel({ kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1, head: 'tied' });
 * const file = exportOnnx(model, { inputs: ['padding'] }); // inputs ids and padding, outputs logits and output
 * file instanceof Uint8Array; // → true
 */
export function exportOnnx(model, options = {}) {
  if (tagOf(model) !== 'GlassformerModel' || typeof model.tensors !== 'function') {
    throw new GlassformerError('foreign', 'model', model, 'must be a model that an engine of this thread has made');
  }
  const inputs = readInputs(options);
  expectKnown(handleOf(model), WITHOUT_TOP_K, EXPORT);
  const nodes = model.graph();
  /** @type {Map<string, {data: any, shape: number[]}>} views, so that nothing is copied but into the file */
  const weights = new Map();
  for (const { name, region, shape } of model.tensors()) {
    if (region === 'weight') weights.set(name, { data: viewOf(model, name), shape });
  }
  return onnxOf({ config: model.config, nodes, weights }, inputs);
}
