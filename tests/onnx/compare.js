// Runs exported models in onnxruntime-web and compares what comes out with ours.
import { InferenceSession, Tensor, env } from 'onnxruntime-web';
import { caseOf, feedsOf, shake } from './cases.js';

env.wasm.numThreads = 1;
env.logLevel = 'error';

/** Of the largest number of a tensor. */
export const TOLERANCE = 2e-5;

/** A tensor as its input's type. @param {string} type @param {{data: any, shape: number[]}} tensor */
function feed(type, { data, shape }) {
  return new Tensor(/** @type {any} */ (type), type === 'int64' ? BigInt64Array.from(data, BigInt) : data, shape);
}

/**
 * The largest difference of two tensors, as a share of the largest number.
 * @param {string} name
 * @param {{data: ArrayLike<number>, dims: readonly number[]}} got
 * @param {{data: Float32Array, shape: number[]}} expected
 */
export function difference(name, got, expected) {
  if (`${got.dims}` !== `${expected.shape}`) throw new Error(`${name} is [${got.dims}], not [${expected.shape}]`);
  let largest = Number.MIN_VALUE;
  let worst = 0;
  expected.data.forEach((value, i) => {
    if (!Number.isFinite(value)) throw new Error(`${name} is ${value}: the case is of no use`);
    largest = Math.max(largest, Math.abs(value));
    worst = Math.max(worst, Math.abs(value - got.data[i])); // NaN stays
  });
  return worst / largest;
}

/**
 * An ONNX file and the model that it was made of, on the same inputs.
 * @param {any} model
 * @param {Uint8Array} file
 * @param {Record<string, {data: any, shape: number[]}>[]} passes of one session
 * @returns {Promise<number>} the largest difference of all outputs, as above
 */
export async function compare(model, file, passes) {
  const session = await InferenceSession.create(file);
  try {
    let worst = 0;
    for (const feeds of passes) {
      const expected = model.forward(feeds);
      const metadata = /** @type {any[]} */ (session.inputMetadata);
      const given = Object.fromEntries(metadata.map(({ name, type }) => [name, feed(type, feeds[name])]));
      if (metadata.length !== Object.keys(feeds).length) throw new Error(`takes ${session.inputNames}`);
      const got = await session.run(given);
      if (`${Object.keys(got).sort()}` !== `${Object.keys(expected).sort()}`)
        throw new Error(`gives ${Object.keys(got)}`);
      for (const [name, tensor] of Object.entries(expected)) {
        const off = difference(name, /** @type {any} */ (got[name]), tensor);
        if (!(off <= TOLERANCE)) throw new Error(`${name} is off by ${off.toExponential(1)} of its largest number`);
        worst = Math.max(worst, off);
      }
    }
    return worst;
  } finally {
    await session.release();
  }
}

/**
 * One random model: exported, and run at two batch sizes and lengths through one session.
 * @param {any} gf
 * @param {string} kind
 * @param {number} seed
 */
export async function judge(gf, kind, seed) {
  const { config, inputs, lengths, r } = caseOf(kind, seed);
  const model = gf.createModel(config);
  try {
    shake(model, r);
    const file = await model.save({ format: 'onnx', inputs });
    const passes = lengths.map((each) => feedsOf(model.config, inputs, each, r));
    return await compare(model, file, passes);
  } finally {
    model.free();
  }
}
