// The file of a model, from its configuration and weights: for the entry, and for the client of a worker.
import { GlassformerError } from './errors.js';
import { modelProto } from './onnx-graph.js';
import { bytesOf } from './onnx-proto.js';

/** @typedef {import('./onnx-graph.js').Weights} Weights */
/** @typedef {import('../../dist/generated/settings.js').Config} Config */

/** A protobuf of 2 GiB or more is refused by those that read it. */
const LIMIT = 2 ** 31 - 1;

/**
 * @param {unknown} options
 * @returns {readonly string[]} the inputs that it names
 */
function read(options) {
  if (Object.prototype.toString.call(options) !== '[object Object]') {
    throw new GlassformerError('type', 'options', options, "must be an object like { inputs: ['padding'] }");
  }
  const { inputs = [], ...rest } = /** @type {Record<string, unknown>} */ (options);
  const [other] = Object.keys(rest);
  if (other !== undefined) throw new GlassformerError('unknown', other, rest[other], 'exportOnnx takes inputs alone');
  if (!Array.isArray(inputs)) throw new GlassformerError('type', 'inputs', inputs, 'must be an array of names');
  return [...new Set(inputs)];
}

/**
 * @param {Config} config
 * @param {Weights} weights
 * @param {unknown} options OnnxOptions
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function onnxOf(config, weights, options) {
  const proto = modelProto(config, weights, read(options));
  if (proto.length > LIMIT) {
    throw new GlassformerError('memory', 'model', proto.length, `is too large: an ONNX file ends at ${LIMIT} bytes`);
  }
  try {
    return bytesOf(proto);
  } catch {
    throw new GlassformerError('memory', 'model', proto.length, 'there is no memory for a file of so many bytes');
  }
}

/**
 * The same of a model in a worker, whose weights come over once, without a copy.
 * @param {unknown[]} given model and options
 */
export async function ofRemote([model, options = {}]) {
  const { config, weights } = Object(model);
  if (typeof weights !== 'function') {
    throw new GlassformerError('foreign', 'model', model, 'must be a model in a worker of this engine');
  }
  read(options);
  return onnxOf(config, await weights(), options);
}
