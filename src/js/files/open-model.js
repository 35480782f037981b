import { emptyModel } from '../engine/engine.js';
import { GlassformerError, checked } from '../errors.js';
import { fill, weightType, weightsReader } from './fill.js';
import { handleOf } from '../engine/model.js';
import { isNarrow, modelOfTensors, readModelFile, resultOf, wordsOf } from './model-file.js';
import { OPEN_OPTIONS, hold, openFile } from '../formats/safetensors-stream.js';
import { widenFile } from '../formats/eight-bits.js';
import { product, readOptions } from '../arrays/tensor.js';
import { measure } from './weights-error.js';

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../formats/source.js').FileSource} FileSource */
/** @typedef {import('../formats/safetensors-stream.js').OpenOptions} OpenOptions */
/** @typedef {import('../formats/eight-bits.js').FloatsFile} FloatsFile */

/** Bytes that 32-bit WebAssembly may have here (emscripten.mk). */
const MOST = 2 ** 31;

/**
 * A model from its file, tensor by tensor: at no time is more than the model and a piece of some 4 MB in memory. The
 * header is checked, and the memory is taken, before the first tensor is read. A refused or aborted file leaves
 * nothing behind.
 *
 * The method `gf.loadModel` of `glassformer` calls it for all that is not in memory already.
 * @param {Engine} gf
 * @param {FileSource | PromiseLike<FileSource>} source address, Response (or what `fetch` gives), Blob or bytes of a
 *   safetensors file with a configuration; in Node also a path or file: URL
 * @param {OpenOptions & import('./fill.js').WeightOptions} [options]
 * @returns {Promise<import('./model-file.js').ModelFile>}
 * @throws {GlassformerError} as the method; memory with the bytes that are needed; the signal's reason
 * @example
 * import { load } from 'glassformer';
 * import { loadModel } from 'glassformer/checkpoints';
 * const gf = await load();
 * const small = gf.createModel({ kind: 'encoder', vocabulary: 2 });
 * const file = new Blob([await small.save({ vocabulary: ['a', 'creek'] })]);
 * const { model, tokenizer } = await loadModel(gf, file, { signal: AbortSignal.timeout(10_000) });
 * tokenizer.decode([0, 1]); // → 'a creek'
 */
export async function loadModel(gf, source, options = {}) {
  const readers = { ...OPEN_OPTIONS, weights: weightsReader };
  const { signal, onProgress, weights: wanted } = readOptions(options, readers);
  const opened = await openFile(source, { signal, onProgress: () => {} }, refuseTorch);
  try {
    const file = isNarrow(opened) ? widenFile(opened) : opened;
    const read = readModelFile(gf, file);
    const weights = weightType(wanted, read.config, read.trainer ? [] : file.tensors.values());
    const config = { ...read.config, weights };
    for (const [name, { dtype }] of file.tensors) {
      if (!/^B?F\d\d$/.test(dtype)) throw new GlassformerError('dtype', name, dtype, 'a weight must be of floats');
    }
    // A run is made of four blocks that are one in memory; it is read as a whole.
    if (read.trainer) return await modelOfTensors(gf, { ...read, config }, await readAll(file));
    const model = modelOfZeros(gf, config, file.tensors);
    try {
      const words = await wordsOf(model, read.said, file.metadata);
      if (wanted === 'int8') await hold(opened, { left: file.size });
      await fill(model, file, { signal, onProgress });
      const isNew = wanted === 'int8' && read.config.weights !== 'int8';
      const weightsError = isNew ? await measure(gf, model, pourOf(file)) : read.weightsError;
      const { checkpoint } = read;
      return resultOf(model, words, { trainer: undefined, metadata: file.metadata, weightsError, checkpoint });
    } catch (error) {
      model.free();
      throw error;
    }
  } finally {
    opened.close();
  }
}

/**
 * @param {FloatsFile} file
 * @returns {import('./weights-error.js').Pour}
 */
function pourOf(file) {
  return async (target) => {
    for (const name of file.tensors.keys()) {
      if (!target(name)) continue;
      for await (const { data, at } of file.pieces(name)) target(name)?.put(data, at);
    }
  };
}

/** @returns {never} */
function refuseTorch() {
  const why = 'was saved by PyTorch: give its folder, or { config, weights }';
  throw new GlassformerError('format', 'file', undefined, why);
}

/** @param {FloatsFile} file */
async function readAll(file) {
  const tensors = new Map();
  for (const [name, { shape }] of file.tensors) tensors.set(name, { data: await file.read(name), shape });
  return tensors;
}

/**
 * A model of zeros, with enough memory left for a pass over one token.
 * @param {Engine} gf
 * @param {unknown} config
 * @param {Map<string, {shape: number[]}>} tensors whose numbers it is to hold, to say what is needed
 * @returns {Model}
 * @throws {GlassformerError} memory, config, type, unknown
 */
export function modelOfZeros(gf, config, tensors) {
  let model;
  try {
    model = emptyModel(gf, config);
    const { functions, id, config: whole, memory } = handleOf(model);
    const [encoder, decoder] = [/^encoder/.test(whole.kind), /decoder$/.test(whole.kind)];
    const source = Number(encoder || whole.kind === 'attention');
    checked(functions.gf_model_prepare(id, 1, source, Number(decoder || !encoder), 0, 0), 'config', undefined, memory);
    return model;
  } catch (error) {
    model?.free();
    if (!(error instanceof GlassformerError && error.code === 'memory')) throw error;
    const needed = bytesOf(tensors.values(), Object(config).weights);
    const part = model ? 'a pass over one token does not fit beside its weights, which' : 'its weights';
    throw tooLarge(gf, needed, part, error);
  }
}

/**
 * Bytes of weights in memory.
 * @param {Iterable<{shape: number[]}>} tensors
 * @param {import('./fill.js').WeightType} [weights]
 */
function bytesOf(tensors, weights) {
  const bytes = { bf16: 2, f16: 2, int8: 36 / 32, f32: 4 }[weights ?? 'f32'];
  let needed = 0;
  for (const { shape } of tensors) needed += Math.ceil(product(shape) * (shape.length === 2 ? bytes : 4));
  return needed;
}

/** @param {Engine} gf @param {number} needed @param {string} part @param {unknown} [cause] */
function tooLarge(gf, needed, part, cause) {
  const why =
    `${part} take ${digits(needed)} bytes. The engine has at most ${digits(MOST)}, of which ` +
    `${digits(MOST - gf.memoryBytes)} are not in use yet: call free() of other models, or open a smaller one. Needed`;
  return new GlassformerError('memory', 'file', needed, why, cause);
}

/**
 * Refuses a model that cannot fit, whatever its numbers are: before its files are fetched.
 * @param {Engine} gf
 * @param {{shape: number[]}[]} tensors
 * @param {import('./fill.js').WeightType} [wanted] as large files have them, 16 bits, where it is not said
 */
export function expectFitting(gf, tensors, wanted = 'bf16') {
  const needed = bytesOf(tensors, wanted);
  if (needed > MOST) throw tooLarge(gf, needed, 'its weights');
}

/** @param {number} bytes */
function digits(bytes) {
  return bytes.toLocaleString('en');
}
