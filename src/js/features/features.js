import { tagOf } from '../arrays/arrays.js';
import { GlassformerError, foreign } from '../errors.js';
import { configOf, isTrace } from '../engine/trace.js';
import { calls } from '../engine/named.js';
import { turnOf } from '../engine/turns.js';
import { WAYS, chosenWay } from '../engine/patches.js';
import { writeSafetensors } from '../formats/checkpoint.js';
import { present } from '../arrays/object.js';
import { expectShape, finite, flag, floats, integer, listOf, optional, readOptions } from '../arrays/tensor.js';
import { Corpus, detectorsOf, examplesOf, expectLabels } from './corpus.js';
import { writeCfg } from './cfg.js';
import { CORPUS, idsOf, meanOf, vectorsOf } from './read-corpus.js';
import { centeredOf, changeRows, decodeRows, encodeRows, inputsOf, tableOf, transposed } from './compute.js';
import { tensorAt } from './sites.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../engine/trace.js').Trace<any>} Trace */
/** @typedef {import('../worker/remote-types.js').RemoteTrace<any>} RemoteTrace */
/** @typedef {import('../engine/selector.js').Selector} Selector */

/**
 * A dictionary as it is computed. Matrices are row-major: encoder [width, size], decoder [size, width].
 * @typedef {object} Spec
 * @property {'standard' | 'topk' | 'jumprelu' | 'gated'} architecture
 * @property {number} width of the vectors
 * @property {number} size count of features
 * @property {number} [k] of topk: how many stay active
 * @property {Float32Array} encoder
 * @property {Float32Array} [encoderBias] [size], of all but gated
 * @property {Float32Array} decoder
 * @property {Float32Array} decoderBias [width]
 * @property {Float32Array} [threshold] [size], of jumprelu
 * @property {Float32Array} [gateBias] [size], of gated
 * @property {Float32Array} [magnitudeBias] [size], of gated
 * @property {Float32Array} [rMag] [size], of gated
 * @property {Float32Array} [scaling] [size], of features in the decoder
 * @property {boolean} [subtractsBias] the decoder's bias is taken from the input
 * @property {'none' | 'constant_norm_rescale' | 'layer_norm'} normalize
 * @property {boolean} [rescales] values count by the norm of their decoder row
 * @property {Selector} [at] the place in the model
 * @property {import('./sites.js').Hook} [hook] the same, where no model has said yet which tensor that is
 * @property {'mean' | Float32Array} [centered] taken from the model's vectors before all else: their mean, or this
 *   [width]
 * @property {Record<string, unknown>} [metadata] of its cfg.json
 * @property {Record<string, any>} [facts] of its training, as JSON has them
 * @property {import('./corpus.js').Corpus} [corpus] on which it was trained; no file keeps it
 */

/**
 * A change of one feature: exactly one of `set`, `scale` and `add`.
 * @typedef {object} Edit
 * @property {number} feature from 0
 * @property {number} [set] the value that it gets
 * @property {number} [scale] factor of its value
 * @property {number} [add] added to its value
 */

/** Vectors [.., width], a trace, or a trace of a worker. @typedef {Floats | Trace | RemoteTrace} Vectors */

/**
 * The result of what reads vectors: a promise where they are in a worker.
 * @template {Vectors} X
 * @typedef {X extends RemoteTrace ? Promise<FloatTensor> : FloatTensor} Computed
 */

/** Vectors that are encoded at a time, and active features of one where the dictionary does not say how many. */
const CHUNK = 256;
const FEW = 64;

/** Keys of the metadata of a dictionary's own file. */
export const CFG = 'cfg.json';
export const OWN = 'glassformer.features';

/** @param {unknown} x @returns {x is RemoteTrace} */
const isRemoteTrace = (x) => calls.has(Object(x)) && 'output' in Object(x);

/**
 * The part of a model's activations that a sparse autoencoder has learned to name: each vector at one place in the
 * model is the sum of a few directions, its active features, and of an error that they do not rebuild. Made by
 * `loadFeatures` and `trainFeatures`.
 *
 * All of it is computed in JavaScript: in double precision, rounded to float32 once. Of equal values top-k keeps
 * the lower feature. Cunningham et al. 2023, "Sparse Autoencoders Find Highly Interpretable Features in Language
 * Models"; Bricken et al. 2023, "Towards Monosemanticity"; Gao et al. 2024, "Scaling and evaluating sparse
 * autoencoders" (top-k); Rajamanoharan et al. 2024 (gated, jumprelu).
 * @example
 * import { writeSafetensors } from 'glassformer';
 * import { loadFeatures } from 'glassformer/features';
 * const metadata = { hook_name: 'blocks.0.hook_resid_post' };
 * const config = { architecture: 'topk', k: 1, d_in: 2, d_sae: 3, metadata };
 * const [W_enc, W_dec] = [[[1, 0, -1], [0, 1, -1]], [[1, 0], [0, 1], [-1, -1]]];
 * const weights = writeSafetensors({ W_enc, W_dec, b_enc: [0, 0, 0], b_dec: [0, 0] });
 * const features = await loadFeatures({ config, weights });
 * features.encode([[2, 1], [-1, -3]]).data; // → [2, 0, 0, 0, 0, 4]
 */
export class Features {
  #table;
  /** @type {Selector | undefined} */
  #at;
  /** @type {Corpus | undefined} */
  #read;

  /** @internal @param {Spec} spec */
  constructor(spec) {
    this.#table = tableOf(spec);
    this.#at = spec.at;
  }

  /**
   * The place in the model: the name of a tensor, or a selector. Without a model it is that of the last trace, and
   * undefined before.
   * @example
   * features.at; // → 'decoder.layers.0.out'
   */
  get at() {
    Features.#of(this);
    return this.#at;
  }

  /**
   * Count of numbers in a vector.
   * @example
   * features.width; // → 2
   */
  get width() {
    return Features.#of(this).spec.width;
  }

  /**
   * Count of features.
   * @example
   * features.size; // → 3
   */
  get size() {
    return Features.#of(this).spec.size;
  }

  /**
   * Features that top-k keeps in each vector, at most; undefined of other architectures.
   * @example
   * features.active; // → 1
   */
  get active() {
    return Features.#of(this).spec.k;
  }

  /**
   * Facts of its training; none of a dictionary from elsewhere.
   * @example
   * features.facts; // → {}
   */
  get facts() {
    return Features.#of(this).spec.facts ?? {};
  }

  /**
   * The share of the variance of held-out vectors that is not rebuilt; undefined of a dictionary from elsewhere.
   * @returns {number | undefined}
   * @example
   * features.unexplained; // → undefined
   */
  get unexplained() {
    return this.facts.unexplained;
  }

  /**
   * Whether each feature is active anywhere in the corpus; undefined of a dictionary from elsewhere.
   * @returns {readonly boolean[] | undefined}
   * @example
   * features.alive; // → undefined
   */
  get alive() {
    return this.facts.alive;
  }

  /**
   * The places of the corpus: each token of each text. `trainFeatures` leaves the one that it learned from, `read`
   * puts another one in its place; a file keeps none.
   * @returns {import('./corpus.js').Places}
   * @throws {GlassformerError} missing
   * @example
   * trained.places.text.length; // → 160
   */
  get places() {
    return this.#corpus().places;
  }

  /**
   * Where a feature is active in the corpus.
   * @param {number} feature from 0
   * @returns {import('./corpus.js').Activity} from its largest value on
   * @throws {GlassformerError} range, missing
   * @example
   * const { places, values } = trained.activity(0);
   * places.length === values.length; // → true
   */
  activity(feature) {
    return this.#corpus().activities()[this.#feature(feature)];
  }

  /**
   * Examples of a feature in the corpus, along its range: the first has its largest value, the last a small one.
   * @param {number} feature from 0
   * @param {{count?: number}} [options] count: how many at most [5]
   * @returns {import('./corpus.js').Example[]} at most one of a text
   * @throws {GlassformerError} range, missing
   * @example
   * trained.examples(0, { count: 3 }).length <= 3; // → true
   */
  examples(feature, options) {
    const { count } = readOptions(options ?? {}, { count: optional(integer(1, 1e6), 5) });
    return examplesOf(this.#corpus(), this.#feature(feature), count);
  }

  /**
   * The label that each feature detects best. Its threshold is the one of the largest F1 on the training part; the
   * counts are of the held-out part.
   * @param {readonly (readonly string[])[]} labels of each place of the corpus, as `placeLabels` of
   *   `glassformer/tasks` gives them
   * @returns {(import('./corpus.js').Detector | undefined)[]} by feature; undefined where it is never active in the
   *   training part
   * @throws {GlassformerError} type, shape, missing
   * @example
   * const labels = ids.flatMap((row) => row.map((id) => [`token ${id}`]));
   * trained.score(labels).length; // → 6
   */
  score(labels) {
    const corpus = this.#corpus();
    return detectorsOf(corpus, expectLabels(labels, corpus.places.text.length));
  }

  /**
   * Reads a corpus, so that examples, activities and scores are of it: of a dictionary from a file, which has none.
   * @param {import('../engine/model.js').Model<any> | import('../worker/remote-types.js').RemoteModel<any>} model
   * @param {import('./read-corpus.js').CorpusOptions} options `texts` or `ids`
   * @returns {Promise<{unexplained: number, alive: boolean[]}>} unexplained: the share of the held-out vectors’
   *   variance that is not rebuilt; alive: of each feature, whether it is active anywhere in the corpus
   * @throws {GlassformerError} type, missing, unknown, range; foreign for what is no model; config for one with two
   *   stacks; shape for vectors of another width; as `model.trace`
   * @example
   * const { unexplained } = await features.read(model, { ids });
   * features.examples(0, { count: 1 }).length; // → 1
   */
  async read(model, options) {
    const table = Features.#of(this);
    const { size, width, k = FEW } = table.spec;
    const given = readOptions(options, CORPUS);
    given.signal?.throwIfAborted();
    const rows = await idsOf(model, given, 'features.read');
    const at = this.#place({ config: model.config });
    const { vectors, width: found, places } = await vectorsOf(model, rows, { ...given, at });
    expectLast({ data: vectors, shape: [places.text.length, found] }, width, 'at');
    const corpus = new Corpus(places, size, Math.min(k, size));
    const mean = centeredOf(table, Float32Array.from(meanOf(vectors, places.heldOut, width)));
    let [missed, all] = [0, 0];
    let turn = Date.now();
    for (let from = 0; from < places.text.length; from += CHUNK) {
      given.signal?.throwIfAborted();
      const data = vectors.subarray(from * width, (from + CHUNK) * width);
      const inputs = inputsOf(table, data);
      const wanted = centeredOf(table, data);
      const values = encodeRows(table, inputs);
      const rebuilt = decodeRows(table, values, inputs);
      for (let r = 0; r < inputs.count; r++) {
        corpus.add(values.subarray(r * size, (r + 1) * size));
        for (let i = 0; places.heldOut[from + r] && i < width; i++) {
          missed += (wanted[r * width + i] - rebuilt[r * width + i]) ** 2;
          all += (wanted[r * width + i] - mean[i]) ** 2;
        }
      }
      turn = await turnOf(turn);
    }
    this.#read = corpus;
    const alive = corpus.activities().map((activity) => activity.places.length > 0);
    return { unexplained: all ? missed / all : 0, alive };
  }

  #corpus() {
    const corpus = this.#read ?? Features.#of(this).spec.corpus;
    if (corpus) return corpus;
    const why = 'is not there, as a file does not keep it: features.read(model, { texts }) reads one';
    throw new GlassformerError('missing', 'corpus', undefined, why);
  }

  /** @param {unknown} feature */
  #feature(feature) {
    return integer(0, this.size - 1)(feature, 'feature');
  }

  /**
   * The features of vectors: what each is made of.
   * @template {Vectors} X
   * @param {X} x vectors [.., width] as the model has them at `at`; or a trace, which has that tensor
   * @returns {Computed<X>} [.., size], 0 where a feature is not active; a promise for the trace of a worker
   * @throws {GlassformerError} shape; range for numbers that are not finite; as `trace.tensor`
   * @example
   * features.encode(model.trace({ ids: [1, 2, 3] })).shape; // → [1, 3, 3]
   * features.encode([2, 1]).data; // → [2, 0, 0]
   */
  encode(x) {
    const table = Features.#of(this);
    return this.#with(x, ({ data, shape }) => ({
      data: encodeRows(table, inputsOf(table, data)),
      shape: [...shape.slice(0, -1), table.spec.size],
    }));
  }

  /**
   * The vectors that features stand for. A mean that was removed from the model's vectors stays away: where it was,
   * a LayerNorm removes it again.
   * @template {Vectors} [X=Floats]
   * @param {Floats} features [.., size]
   * @param {X} [x] the vectors that were encoded, or their trace: needed where each was normalized by its own length or
   *   deviation
   * @returns {Computed<X>} [.., width]; a promise for the trace of a worker
   * @throws {GlassformerError} shape; missing without `x` where that is needed; range for numbers that are not finite
   * @example
   * features.decode([0, 0, 4]).data; // → [-4, -4]
   */
  decode(features, x) {
    const table = Features.#of(this);
    const { size, width, normalize } = table.spec;
    const given = floats(features, 'features');
    expectLast(given, size, 'features');
    const values = finite(given, 'features');
    const shape = [...given.shape.slice(0, -1), width];
    if (x === undefined) {
      if (normalize === 'none') return /** @type {any} */ ({ data: decodeRows(table, values, undefined), shape });
      const why = `needed: the vectors that were encoded, as ${normalize} is undone with their own numbers`;
      throw new GlassformerError('missing', 'x', undefined, why);
    }
    return this.#with(x, (vectors) => {
      expectShape(vectors, shape, 'x');
      return { data: decodeRows(table, values, inputsOf(table, vectors.data)), shape };
    });
  }

  /**
   * The direction of a feature: one unit of it adds this to a vector. Where vectors are normalized, times the vector's
   * own length or deviation.
   * @param {number} feature from 0
   * @returns {Float32Array} [width]
   * @throws {GlassformerError} range
   * @example
   * features.vector(2); // → [-1, -1]
   */
  vector(feature) {
    const { spec, units } = Features.#of(this);
    const n = integer(0, spec.size - 1)(feature, 'feature');
    return spec.decoder.slice(n * spec.width, (n + 1) * spec.width).map((value) => value * units[n]);
  }

  /**
   * Vectors after some of their features are changed, at every token: x + decode(changed) − decode(encode(x)). What
   * the features do not rebuild stays as it is.
   * @template {Vectors} X
   * @param {X} x vectors [.., width], or a trace
   * @param {readonly Edit[]} edits in their order
   * @returns {Computed<X>} [.., width]; a promise for the trace of a worker
   * @throws {GlassformerError} shape; range; missing and unknown where an edit has none or two of set, scale and add
   * @example
   * const trace = model.trace({ ids: [1, 2, 3] });
   * const value = features.change(trace, [{ feature: 2, scale: 2 }]);
   * model.forward({ ids: [1, 2, 3], patches: [{ at: features.at, value }] }).logits.shape; // → [1, 3, 10]
   * features.change([2, 1], [{ feature: 0, set: 0 }]).data; // → [0, 1]
   */
  change(x, edits) {
    const table = Features.#of(this);
    const read = readEdits(table.spec.size)(edits, 'edits');
    return this.#with(x, ({ data, shape }) => ({ data: changeRows(table, data, read), shape }));
  }

  /**
   * One safetensors file, which `loadFeatures` takes. Its tensors have SAELens's names, and `cfg.json` stands in its
   * metadata.
   * @param {{float16?: boolean}} [options] float16: round the numbers to half precision
   * @returns {Uint8Array}
   * @throws {GlassformerError} type, unknown; range for a number beyond 16 bits
   * @example
   * (await loadFeatures(features.save({ float16: true }))).size; // → 3
   */
  save(options = {}) {
    const { spec, rows } = Features.#of(this);
    const { float16 } = readOptions(options, { float16: optional(flag, false) });
    const { width, size, centered, facts } = spec;
    const whole = { ...spec, encoder: transposed(rows, size, width) };
    const tensors = Object.entries(NAMES).flatMap(([name, key]) => {
      const data = whole[key];
      const shape = name === 'W_enc' ? [width, size] : name === 'W_dec' ? [size, width] : [data?.length ?? 0];
      return data ? [/** @type {const} */ ([name, { data, shape }])] : [];
    });
    if (typeof centered === 'object') tensors.push([SHIFT, { data: centered, shape: [width] }]);
    const own = { at: spec.at, centered: typeof centered === 'object' ? SHIFT : centered, facts };
    const metadata = { [CFG]: JSON.stringify(writeCfg(spec)), [OWN]: JSON.stringify(own) };
    return writeSafetensors(Object.fromEntries(tensors), { metadata, float16 });
  }

  static {
    present(this, 'GlassformerFeatures', (features) => ({
      at: features.#at,
      width: features.#table?.spec.width,
      size: features.#table?.spec.size,
    }));
  }

  /** @param {Features} self @returns {import('./compute.js').Table} */
  static #of(self) {
    if (#table in Object(self)) return self.#table;
    throw foreign(self, 'a dictionary of features');
  }

  /**
   * Hands vectors on: given ones, or those of a trace.
   * @param {unknown} x
   * @param {(vectors: FloatTensor) => FloatTensor} then
   * @returns {any}
   */
  #with(x, then) {
    const read = (/** @type {FloatTensor} */ vectors) => {
      expectLast(vectors, this.#table.spec.width, 'x');
      finite(vectors, 'x');
      return then(vectors);
    };
    if (isTrace(x)) return read(/** @type {FloatTensor} */ (x.tensor(this.#place({ config: configOf(x) }))));
    if (isRemoteTrace(x)) return (async () => read(/** @type {any} */ (await x.tensor(this.#place()))))();
    if (/^Glassformer/.test(tagOf(x))) {
      throw new GlassformerError('type', 'x', x, 'must be vectors, or a trace: what model.trace gives');
    }
    return read(floats(x, 'x'));
  }

  /** @param {{config?: any}} [model] @returns {Selector} */
  #place({ config } = {}) {
    const { at, hook } = this.#table.spec;
    if (at !== undefined) return at;
    if (hook && config) return (this.#at = tensorAt(hook, config));
    const why =
      'needed: a trace of a worker does not say its settings. Open the features with loadFeatures(…, { model })';
    throw new GlassformerError('missing', 'model', undefined, why);
  }
}

/**
 * Names of tensors in files.
 * @type {Record<string, 'encoder' | 'encoderBias' | 'decoder' | 'decoderBias' | 'threshold' | 'gateBias' |
 *   'magnitudeBias' | 'rMag' | 'scaling'>}
 */
export const NAMES = {
  W_enc: 'encoder',
  b_enc: 'encoderBias',
  W_dec: 'decoder',
  b_dec: 'decoderBias',
  threshold: 'threshold',
  b_gate: 'gateBias',
  b_mag: 'magnitudeBias',
  r_mag: 'rMag',
  scaling_factor: 'scaling',
};

/** The name in a file of what is taken from the model's vectors. */
export const SHIFT = 'x_shift';

/** @param {FloatTensor} given @param {number} length of its last axis @param {string} name */
function expectLast({ shape }, length, name) {
  if (shape.at(-1) === length) return;
  throw new GlassformerError('shape', name, shape, `must have shape [.., ${length}]`);
}

/**
 * Edits of a dictionary with so many features.
 * @param {number} size
 * @returns {import('../arrays/tensor.js').Reader<Edit[]>}
 */
export const readEdits = (size) =>
  listOf((each, parameter) => {
    const edit = readOptions(each, { feature: integer(0, size - 1), ...WAYS }, `${parameter}.`);
    chosenWay(edit, parameter);
    return edit;
  }, 'an array of { feature, set }');
