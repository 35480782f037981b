// The file of a model, from its configuration and weights: for the entry, and for the client of a worker.
import { tagOf } from '../arrays/arrays.js';
import { WITHOUT_TOP_K, refuseUnknown } from '../engine/known.js';
import { calls } from '../engine/named.js';
import { GlassformerError } from '../errors.js';
import { modelProto } from '../formats/onnx-graph.js';
import { bytesOf } from '../formats/proto.js';
import { listOf, tensorName } from '../arrays/tensor.js';

/** @typedef {import('../formats/onnx-graph.js').Source} Source */

/** A protobuf of 2 GiB or more is refused by those that read it. */
const LIMIT = 2 ** 31 - 1;

/** Completes the error about an unknown setting: "is not known to the export to ONNX". */
export const EXPORT = 'the export to ONNX';

/** Names of inputs. */
const names = listOf(tensorName, 'an array of names', 'inputs');

/**
 * @param {unknown} options OnnxOptions
 * @returns {readonly string[]} the inputs that it names
 */
export function readInputs(options) {
  if (tagOf(options) !== 'Object') {
    throw new GlassformerError('type', 'options', options, "must be an object like { inputs: ['padding'] }");
  }
  const { inputs = [], ...rest } = /** @type {Record<string, unknown>} */ (options);
  const [other] = Object.keys(rest);
  if (other !== undefined) throw new GlassformerError('unknown', other, rest[other], 'an ONNX file takes inputs alone');
  return [...new Set(names(inputs, 'inputs'))];
}

/**
 * @param {Source} source
 * @param {readonly string[]} inputs
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function onnxOf(source, inputs) {
  const proto = modelProto(source, inputs);
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
 * @param {any} model
 * @param {unknown} options
 */
export async function ofRemote(model, options) {
  const inputs = readInputs(options);
  refuseUnknown(await calls.get(model)?.('unknownTo', WITHOUT_TOP_K), model.config, EXPORT);
  return onnxOf({ config: model.config, nodes: await model.graph(), weights: await model.weights() }, inputs);
}
