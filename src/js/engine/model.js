import { GlassformerError, filesOf, foreign } from '../errors.js';
import { generate } from './generate.js';
import { omittedOf, readCapture } from './capture.js';
import { CAPTURE, ONE_ROW } from './flags.js';
import { Handle } from './handle.js';
import { isPacked, readPacked } from './packed.js';
import { planOf, readBatch } from './inputs.js';
import { isNamed } from '../arrays/names.js';
import { namedInput } from './named.js';
import { awaitedOrLooped, present } from '../arrays/object.js';
import { CHANGES, capturing, runPatched } from './patches.js';
import { partOf, readSelector, selected } from './selector.js';
import {
  choice,
  expectShape,
  flag,
  integer,
  optional,
  refuseType,
  seed as seedReader,
  snapshot,
  tensorName,
} from '../arrays/tensor.js';
import { Trace } from './trace.js';
import { Trainer } from './trainer.js';
import { asAsked, atOnce, inTurns } from './turns.js';
import { loadWeights } from './weights.js';

/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('./named.js').Ids} Ids */
/** @typedef {import('../arrays/tensor.js').Ints} Ints */
/** @typedef {import('../arrays/tensor.js').Flags} Flags */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('../arrays/tensor.js').Tensor<Float32Array | Int32Array | Uint8Array>} AnyTensor */

/**
 * Shapes: B batch, S source length (encoder), T target length (decoder), C d_model, I `inputWidth`, or C without one.
 * A single sequence may come without the batch axis.
 * @typedef {object} ForwardOptions
 * @property {Ids} [ids] [B,S] of an encoder, [B,T] of a decoder: tokens of the only stack
 * @property {Floats} [vectors] [B,S,I] or [B,T,I], instead of ids where `vocabulary` is 0
 * @property {Ints} [typeIds] [B,S], token types (segments), default all 0; only with `types`
 * @property {Flags} [padding] [B,S] or [B,T], 1 = hidden from self-attention; the setting `positionsFrom` says whether
 *   positions go by it
 * @property {Ids} [sourceIds] [B,S], encoder-decoder only, like all with source, target or memory in their names
 * @property {Floats} [sourceVectors] [B,S,I], instead of sourceIds where `vocabulary` is 0
 * @property {Ints} [sourceTypeIds] [B,S], as `typeIds`
 * @property {Flags} [sourcePadding] [B,S]
 * @property {Ids} [targetIds] [B,T]
 * @property {Floats} [targetVectors] [B,T,I], instead of targetIds where `vocabulary` is 0
 * @property {Flags} [targetPadding] [B,T]
 * @property {Flags} [memoryPadding] [B,S], 1 = hidden from cross-attention; default `sourcePadding`
 * @property {Floats} [memory] [B,S,C], kind attention: keys and values come from it
 * @property {Floats | 'causal'} [mask] [queries, keys], added to the scaled scores of self-attention, in an
 *   encoder-decoder of the decoder's; -Infinity hides; 'causal' hides what comes later
 * @property {boolean | readonly import('./selector.js').Selector[]} [capture] keep every intermediate, or those of the
 *   layers that selectors like `{ layer: 3 }` name, readable by `tensor`
 * @property {boolean} [logits] false: compute none, and keep memory for one row only; see `logitsAt`
 * @property {import('./patches.js').Patch[]} [patches] numbers put in the place of computed ones, or added to them,
 *   each as soon as its tensor is computed, so that all that follows changes; their layers are captured
 * @property {import('./patches.js').Ablation[]} [ablate] heads and neurons set to 0 or their mean, after the patches;
 *   their layers are captured
 * @property {number} [temperature] the scores of every attention are divided by it, default 1
 * @property {number} [maxOperations] multiply-adds that this call may take; default: the engine's, see `load`
 */

/**
 * The input of a pass: ids, vectors where `vocabulary` is 0, a text or texts where the model knows its tokenizer, or a
 * result of `tokenizer.encode`; in an encoder-decoder all of these are the source. Or inputs by name, with options
 * beside them.
 * @typedef {Ids | Floats | ForwardOptions} Input
 */

/**
 * `forward` in a worker whose passes are cut over threads.
 * @type {(model: Model, input: Input, options: ForwardOptions | undefined,
 *   slices: import('../worker/slices.js').Slices) => Promise<object>}
 */
export let forwardCut;

/** @param {Handle} handle after a pass @param {import('./inputs.js').Batch} batch of it */
function resultsOf(handle, { flags }) {
  const result = (/** @type {string} */ name) => /** @type {FloatTensor} */ (handle.read(handle.get(name)));
  const output = result('output');
  const { head, outputWidth } = handle.config;
  if (outputWidth) return { output, values: result('values') };
  return head === 'none' || flags & ONE_ROW ? { output } : { output, logits: result('logits') };
}

const GENERATING = 'is generating: only read it meanwhile';

/** Frees models that nobody holds. Pass only the id: a reference would keep the model alive. */
const dropped =
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry((/** @type {Pick<Handle, 'functions' | 'id'>} */ { functions, id }) => {
        functions.gf_model_destroy(id);
      })
    : undefined; // some edge runtimes

/**
 * The handle that computes a model, for modules beside it.
 * @type {(model: Model) => Handle}
 */
export let handleOf;

/**
 * A view for a module beside it, which does not hand it on: the model may be given back afterwards. A copy of a weight
 * in 16 bits.
 * @type {(model: Model, name: string) => Float32Array}
 */
export let viewOf;

/** The function that writes each format. @type {Record<string, string>} */
const WRITERS = { glassformer: 'saveModel', huggingface: 'saveCheckpoint', onnx: 'exportOnnx' };
const readFormat = choice(Object.keys(WRITERS));

/**
 * A Transformer. Made by `createModel`; holds memory of its engine until `free`, or until the garbage collector finds
 * that nobody holds it, which may be late, and is never after `view`. `using` frees it at the end of the block.
 *
 * Vaswani et al. 2017, "Attention Is All You Need", section 3; weights carry the names, shapes and
 * layouts of PyTorch's nn.Transformer.
 * @template {FloatTensor | undefined} [Logits=FloatTensor | undefined] a tensor where the setting `head` is known
 * @example
 * import { load } from 'glassformer';
 * const gf = await load();
 * const model = gf.createModel({ kind: 'decoder', vocabulary: 10, d_model: 8, heads: 2, layers: 1, head: 'tied' });
 * model.forward({ ids: [1, 2, 3], capture: true }).logits.shape; // → [1, 3, 10]
 * model.tensor('decoder.layers.0.self_attn.weights').shape; // → [1, 2, 3, 3]
 */
export class Model {
  static {
    handleOf = (self) => Model.#ready(self);
    viewOf = (self, name) => {
      const handle = Model.#live(self);
      const info = handle.get(name);
      return /** @type {Float32Array} */ (isPacked(info) ? readPacked(handle, info) : handle.lend(info));
    };
    forwardCut = async (self, input, options, slices) => {
      const { handle, batch, given } = Model.#reading(self, input, options);
      if (given) runPatched(handle, batch, given);
      else await slices.forward(handle, batch);
      return resultsOf(handle, batch);
    };
  }

  #handle;
  #plan;
  /** @type {number | undefined} counted when it is asked for, at the latest before the tensors are gone */
  #count;
  #freed = false;

  /**
   * @internal
   * @param {import('./start.js').Core} core
   * @param {unknown} options
   * @param {boolean} [empty] all weights 0: drawing those of 124 million takes 8 s
   */
  constructor(core, options, empty) {
    this.#handle = new Handle(core, options);
    const { functions, id } = this.#handle;
    dropped?.register(this, { functions, id }, this.#handle);
    if (!empty) this.#handle.initialize(this.#handle.seed);
    this.#plan = planOf(this.#handle.config, { capture: readCapture, logits: optional(flag, true), ...CHANGES });
  }

  /**
   * Every setting, defaults filled in.
   * @example
   * model.config.heads; // → 2
   */
  get config() {
    return Model.#of(this).#handle.config;
  }

  /**
   * The seed of the last initialization of the weights.
   * @example
   * model.seed; // → 1
   */
  get seed() {
    return Model.#of(this).#handle.seed;
  }

  /**
   * The tokenizer of this model, from its file, its folder or `createModel`; else undefined.
   * @returns {import('../text/texts.js').BaseTokenizer | undefined}
   * @example
   * (await gf.loadModel(import.meta.resolve('glassformer/models/creek'))).model.tokenizer.size; // → 147
   */
  get tokenizer() {
    return Model.#of(this).#handle.texts.tokenizer;
  }

  /**
   * The same for the target of an encoder-decoder.
   * @example
   * model.targetTokenizer; // → undefined
   * @returns {import('../text/texts.js').BaseTokenizer | undefined}
   */
  get targetTokenizer() {
    return Model.#of(this).#handle.texts.targetTokenizer;
  }

  /**
   * Floats in all weights.
   * @example
   * model.parameterCount; // → 690
   */
  get parameterCount() {
    const model = Model.#of(this);
    return (model.#count ??= model.#handle
      .list()
      .reduce((sum, { region, size }) => sum + (region === 'weight' ? size : 0), 0));
  }

  /**
   * Fresh weights: matrices Xavier uniform, embeddings normal with deviation 1/sqrt(C), gains 1,
   * biases 0. The same seed gives the same bits on every machine; a tensor's bits do not depend on
   * which other tensors exist.
   * @param {number} seed integer, 0..2^32-1
   * @category Weights
   * @example
   * model.initialize(7);
   * model.seed; // → 7
   */
  initialize(seed) {
    const handle = Model.#ready(this);
    handle.initialize(seedReader(seed, 'seed'));
  }

  /**
   * One pass over a batch. In a causal decoder, a single sequence that begins like the last one computes only its new
   * tokens, for the same bits: none where it is shorter. As in `generate`, any other use of the model in between ends
   * that, and `view` for good.
   * @overload
   * @param {Exclude<Input, ForwardOptions> | ForwardOptions & {logits?: true}} input ids; a text or texts, where the
   *   model knows its tokenizer; what `tokenizer.encode` gives; or inputs and options by name
   * @param {Omit<ForwardOptions, 'logits'> & {logits?: true}} [options] more of them
   * @returns {{output: FloatTensor, logits: Logits, values?: FloatTensor}} output [B,T,C] ([B,S,C] of an encoder),
   *   logits [B,T,V] where the model has a head, values [B,T,outputWidth] where it has that
   * @throws {GlassformerError} type, missing, unknown, shape, dtype, range, token, limit, memory, freed; for a
   *   bad patch in a batch of another shape than the last, that one's results are gone
   * @category Computing
   * @example
   * const { output, logits } = model.forward({ ids: [[1, 2, 3], [4, 5, 6]] });
   * output.shape; // → [2, 3, 8]
   * logits.shape; // → [2, 3, 10]
   * model.forward([1, 2, 3], { ablate: [{ layer: 0, head: 1 }] }).output.shape; // → [1, 3, 8]
   */
  /**
   * Without logits.
   * @overload
   * @param {Input} input
   * @param {ForwardOptions} [options]
   * @returns {{output: FloatTensor, logits?: Logits, values?: FloatTensor}}
   * @category Computing
   * @example
   * model.forward({ ids: [1, 2, 3], logits: false }).logits; // → undefined
   */
  /**
   * @param {any} input
   * @param {any} [options]
   * @returns {any}
   */
  forward(input, options) {
    const { handle, batch, given } = Model.#reading(this, input, options);
    if (given) runPatched(handle, batch, given);
    else handle.pass.forward(batch);
    return /** @type {any} */ (resultsOf(handle, batch));
  }

  /**
   * A pass whose numbers stay readable after later ones, until nobody holds the trace or it is freed. It captures all,
   * unless `capture` says otherwise.
   * @param {Input} input
   * @param {ForwardOptions} [options] may also stand in the input
   * @returns {Trace<Logits>}
   * @throws {GlassformerError} as `forward`
   * @category Looking inside
   * @example
   * const [one, other] = [[1, 2, 3], [4, 2, 3]].map((ids) => model.trace({ ids }));
   * one.tensor({ layer: 0, head: 1 }).shape; // → [3, 4]
   * const patched = model.forward({ ids: [1, 2, 3], patches: [{ at: { layer: 0, row: 2 }, from: other }] });
   * patched.logits.data.at(-1) === other.logits.data.at(-1); // → true
   */
  trace(input, options) {
    const named = { capture: true, ...namedInput(Model.#live(this), input, options) };
    const { handle, batch, given: changes = {} } = Model.#reading(this, named);
    // The caller may change its arrays later.
    const writes = batch.writes.map(({ to, data }) => ({ to, data: /** @type {Int32Array} */ (data).slice() }));
    if (changes.patches || changes.ablate || changes.temperature) runPatched(handle, batch, changes);
    else handle.pass.forward(batch);
    const live = () => Model.#live(this);
    const run = { live, handle, batch: { ...batch, writes }, changes, results: resultsOf(handle, batch) };
    return /** @type {Trace<Logits>} */ (new Trace(run));
  }

  /**
   * The gradients of one logit, or of a loss, with respect to the tensors that selectors name, and only those: see
   * `gradients` of `glassformer/derivatives`.
   * @template {import('../derivatives/model-derivatives.js').GradientOptions} O
   * @param {Input} input
   * @param {O} options may also stand in the input
   * @returns {Promise<import('../derivatives/model-derivatives.js').GradientsOf<O>>}
   * @throws {GlassformerError} as `forward`; unknown for a tensor without gradient, range for a logit that there is not
   * @category Looking inside
   * @example
   * const of = [{ node: 'embedding' }];
   * const { gradients } = await model.gradients({ ids: [1, 2, 3] }, { logit: { at: 2, id: 4 }, of });
   * gradients.get(of[0]).shape; // → [1, 3, 8]
   * await model.gradients({ ids: [1, 2, 3] }, { labels: [2, 3, 4], of }).then(({ count }) => count); // → 3
   */
  async gradients(input, options) {
    const { gradients } = await filesOf(Model.#live(this).core).derivatives();
    return /** @type {any} */ (gradients(this, /** @type {any} */ (namedInput(Model.#live(this), input, options))));
  }

  /**
   * The bytes that the activations of `forward` with these options take, which it does not run: the weights and copies
   * of results come on top.
   * @param {Input} input as `forward` takes it
   * @param {ForwardOptions} [options]
   * @returns {number} Infinity where no engine can hold them
   * @throws {GlassformerError} as `forward`
   * @category Computing
   * @example
   * const ids = new Int32Array(400);
   * model.forwardBytes({ ids, capture: true }) > 4 * model.forwardBytes({ ids }); // → true
   */
  forwardBytes(input, options) {
    Model.#live(this);
    const { batch, given } = Model.#read(this, input, options);
    const handle = Model.#live(this);
    capturing(handle, batch, given);
    return handle.pass.bytesOf(batch);
  }

  /**
   * The logits of one token after `forward` with `logits: false`, from the output of that pass, with its patches: for a
   * large vocabulary those of a long text take more memory than all else. Same bits as among all.
   * @param {number} row from 0, of all tokens of the batch one after the other; -1 is the last
   * @returns {FloatTensor} [1,V]
   * @throws {GlassformerError} state unless `forward` with `logits: false` was the last to use the model; range
   * @category Computing
   * @example
   * model.forward({ ids: [1, 2, 3], logits: false }).logits; // → undefined
   * model.logitsAt(2).shape; // → [1, 10]
   */
  logitsAt(row) {
    const handle = Model.#ready(this);
    handle.pass.computeLogits(integer(-(2 ** 31), 2 ** 31 - 1)(row, 'row'));
    const { data, shape } = handle.read(handle.get('logits'));
    return /** @type {FloatTensor} */ ({ data, shape: shape.slice(1) });
  }

  /**
   * One vector for each row of tokens: the last layer's, pooled. In `glassformer/core` a function:
   * `embed(model, rows, options)`.
   * @param {Input} rows as `forward` takes them; texts are cut at the model's limit
   * @param {import('./embed.js').EmbedOptions} [options]
   * @returns {Promise<FloatTensor>} [B,C]
   * @throws {GlassformerError} config for a model that is no encoder or decoder; as `forward`
   * @category Computing
   * @example
   * const { data, shape } = await model.embed([[1, 2, 3], [4, 5, 6]], { pooling: 'mean', normalize: true });
   * shape; // → [2, 8]
   * Math.hypot(...data.slice(0, 8)); // → 1.000
   */
  async embed(rows, options) {
    const { embed } = await filesOf(Model.#live(this).core).embed();
    return embed(this, rows, options);
  }

  /**
   * Classifies texts with the head of a BERT, DistilBERT or RoBERTa that was trained on classes of texts
   * (`…ForSequenceClassification`). For `glassformer/core`, `glassformer/checkpoints` has a function:
   * `classify(model, rows, options)`.
   * @param {Input} rows as `forward` takes them; texts are cut at the model's limit
   * @param {Parameters<typeof import('./classify.js').classify>[2]} [options]
   * @returns {Promise<import('./classify.js').Classified[]>} for each row `{ label, index, score, scores }`
   * @throws {GlassformerError} config for a model without such a head; unsupported for a `problem_type` that is not
   *   computed here; as `forward`
   * @category Computing
   * @example
   * const { model: bert } = await gf.loadModel('node_modules/glassformer/dist/checkpoints/bert-classes/');
   * const [{ label, score, scores }] = await bert.classify('the creek was cold');
   * label; // → 'water'
   * score === scores.water; // → true
   */
  async classify(rows, options) {
    const { classify } = await filesOf(Model.#live(this).core).classify();
    return classify(this, rows, options);
  }

  /**
   * Classifies each token with a head that was trained on classes of tokens (`…ForTokenClassification`, or a clone with
   * `head: 'classes', of: 'tokens'`). `glassformer/checkpoints` has a function, as for `classify`.
   * @param {Input} rows as `forward` takes them; texts are cut at the model's limit
   * @param {Parameters<typeof import('./classify.js').classify>[2]} [options]
   * @returns {Promise<import('./classify.js').ClassifiedToken[][]>} for each row and each token that is not hidden, the
   *   tokenizer's own included, `{ at, id, label, index, score, scores }`
   * @throws {GlassformerError} config for a model without such a head; as `forward`
   * @category Computing
   * @example
   * const { model: bert } = await gf.loadModel('node_modules/glassformer/dist/checkpoints/bert/');
   * const tagger = await bert.clone({ head: 'classes', of: 'tokens', labels: ['noun', 'other'] });
   * const [tokens] = await tagger.classifyTokens('the creek was cold');
   * tokens.length; // → 6
   * tokens[2].at; // → 2
   */
  async classifyTokens(rows, options) {
    const { classifyTokens } = await filesOf(Model.#live(this).core).classify();
    return classifyTokens(this, rows, options);
  }

  /**
   * Answers a question with the most probable span of a text. The head gives each token a probability as a start and as
   * an end; a span has their product, and at most `longest` tokens. For a `…ForQuestionAnswering`, or a clone with
   * `head: 'spans'`.
   * `glassformer/checkpoints` has a function, as for `classify`.
   * @param {string | import('./question.js').Asked & import('./question.js').AnswerOptions} question or ids of both
   *   with the places of the text, where the model knows no tokenizer
   * @param {string} [text] with the answer in it
   * @param {import('./question.js').AnswerOptions} [options]
   * @returns {Promise<import('./spans.js').Answer>} `{ text, probability, start, end, ids }`
   * @throws {GlassformerError} config for a model without such a head; range for a text longer than the model reads; as
   *   `forward`
   * @category Computing
   * @example
   * const { model: bert } = await gf.loadModel('node_modules/glassformer/dist/checkpoints/bert/');
   * const reader = await bert.clone({ head: 'spans' });
   * const { start, end } = await reader.answer('was it cold', 'the creek was cold', { longest: 2 });
   * end - start < 2; // → true
   */
  async answer(question, text, options) {
    return (await filesOf(Model.#live(this).core).classify()).answer(this, question, text, options);
  }

  /**
   * Lists the tensors that can be read now: weights always; inputs and results after `forward`; every intermediate
   * after `forward` with `capture`, or those of the layers it names; gradients after a trainer's `step` or `gradients`.
   * The page Tensor names of the reference lists them by kind of model (tensor-names.mjs makes it).
   * @returns {(import('./handle.js').TensorFacts & import('./handle.js').Place)[]}
   * @category Looking inside
   * @example
   * model.forward({ ids: [1, 2, 3], capture: true });
   * const [scores] = model.tensors().filter(({ node, role }) => node === 'attention' && role === 'scores');
   * scores.name; // → 'decoder.layers.0.self_attn.scores'
   * scores.shape; // → [1, 2, 3, 3]
   */
  tensors() {
    const handle = Model.#live(this);
    return handle
      .list()
      .filter((info) => handle.pass.isComputed(info))
      .map(({ facts }) => ({ ...facts, shape: [...facts.shape] }));
  }

  /**
   * The model graph: its nodes in the order in which a pass computes them. Under post-LN a sublayer is
   * attention or ffn, add, norm; under pre-LN norm, attention or ffn, add; without residual there is no
   * add. A layer on its own stands behind one node of tokens for its input, one for its memory.
   * @returns {import('./handle.js').GraphNode[]}
   * @category Looking inside
   * @example
   * model.graph().map(({ kind }) => kind).slice(0, 4); // → ['tokens', 'embedding', 'positions', 'attention']
   */
  graph() {
    return Model.#live(this).graph();
  }

  /**
   * A copy of one tensor, of one head's matrix in it, or of a row.
   * @template {import('./selector.js').Selector} const S
   * @param {S} selector its name, dotted, as `tensors` lists it; or where it stands, and which part of it
   * @returns {import('./results.js').TensorOf<S>}
   * @throws {GlassformerError} type, unknown, freed; range, shape for a part that the tensor does not have; state for
   *   logits, and the tensors before them, after `forward` with `logits: false`, until `logitsAt` computes a row's
   * @category Looking inside
   * @example
   * model.tensor('decoder.layers.0.linear1.weight').shape; // → [16, 8]
   * model.forward({ ids: [1, 2, 3], capture: true });
   * model.tensor({ name: 'decoder.layers.0.self_attn.weights', head: 1 }).shape; // → [3, 3]
   * model.tensor({ layer: 0, node: 'attention', role: 'weights', head: 1 }).shape; // → [3, 3]
   */
  tensor(selector) {
    if (arguments.length > 1) {
      throw new GlassformerError('unknown', 'arguments', arguments.length, 'call tensor({ name, head })');
    }
    const parsed = readSelector(selector, 'selector', '');
    const handle = Model.#live(this);
    const { name } = selected(handle, parsed, 'selector');
    return /** @type {any} */ (handle.read(partOf(handle.computed(name), parsed)));
  }

  /**
   * A live view of one dense tensor, without a copy. It dies (length 0) when the memory grows, and
   * shows other data after `free` and once `forward` or `generate` has laid the memory out for another batch
   * shape: take it again for each use. Numbers written through the view of a weight count from the next
   * pass on. A view of a matrix keeps all matrices as rows, with which passes over few tokens take longer; `tensor`
   * does not. The garbage collector never gives back a model that has handed out a view: call `free`.
   * @template {string} N
   * @param {N} name
   * @returns {import('./results.js').TensorOf<N>['data']}
   * @throws {GlassformerError} type, unknown, freed; state for a tensor that is not dense, or is kept in 8 or 16 bits,
   *   or that `tensor` refuses so
   * @category Looking inside
   * @example
   * const bias = model.view('decoder.layers.0.linear1.bias');
   * bias.fill(1); // changes the model
   * model.tensor('decoder.layers.0.linear1.bias').data[0]; // → 1
   */
  view(name) {
    const handle = Model.#live(this);
    const info = handle.computed(tensorName(name, 'name'));
    if (!info.dense) throw new GlassformerError('state', 'name', name, 'is not dense, use tensor()');
    dropped?.unregister(handle); // a subarray of the view cannot keep the model alive
    return /** @type {any} */ (handle.lendForGood(info));
  }

  /**
   * Copies of all weights, by PyTorch's names.
   * @returns {Map<string, FloatTensor>}
   * @category Weights
   * @example
   * const weights = model.weights();
   * weights.get('decoder.layers.0.self_attn.in_proj_weight').shape; // → [24, 8]
   */
  weights() {
    const handle = Model.#live(this);
    const weights = handle.list().filter(({ region }) => region === 'weight');
    return new Map(weights.map((info) => [info.name, /** @type {FloatTensor} */ (handle.read(info))]));
  }

  /**
   * Replaces weights: all that are given, or on any error none.
   * @param {Map<string, Floats | AnyTensor> | Record<string, Floats | AnyTensor>} weights finite
   *   floats by name, as `readSafetensors` gives them
   * @param {{rename?: (name: string) => string | null, strict?: boolean}} [options] `rename`: from
   *   the given name to this model's, null to ignore it. `strict` (default true): an unknown name
   *   and a weight not given are errors
   * @throws {GlassformerError} type, unknown, missing, shape, dtype, range, freed
   * @category Weights
   * @example
   * const other = gf.createModel({ ...model.config, seed: 2 });
   * model.loadWeights(other.weights());
   * model.forward({ ids: [1] }).output.data[0] === other.forward({ ids: [1] }).output.data[0]; // → true
   */
  loadWeights(weights, options) {
    loadWeights(Model.#ready(this), weights, options);
    Model.#of(this).#handle.weightsError = undefined;
  }

  /**
   * Another model of the same configuration, seed and weights, to the bit; without trainer. Nothing of
   * it leaves the engine's memory.
   * @overload
   * @param {Partial<Omit<import('./config.js').Config, 'head'>>} [changes] settings that it has otherwise; its weights
   *   must be among this model's, and the seed is this model's
   * @returns {Model<Logits>}
   * @throws {GlassformerError} type, unknown, config; unknown for a weight that this model lacks, shape for one of
   *   another shape; memory, freed
   * @category Weights
   * @example
   * const twin = model.clone();
   * twin.forward({ ids: [1] }).output.data[0] === model.forward({ ids: [1] }).output.data[0]; // → true
   * model.clone({ scoreScale: false }).config.scoreScale; // → false
   */
  /**
   * With another output head.
   * @overload
   * @param {Partial<import('./config.js').Config>} changes
   * @returns {Model}
   * @category Weights
   * @example
   * model.clone({ head: 'none' }).forward({ ids: [1] }).logits; // → undefined
   */
  /**
   * An encoder with an output head for classes of texts (or of tokens), to be trained and then asked by `classify`: the
   * pooler of its family and a linear map, drawn from the seed, or those of its folder where that has as many classes.
   * @overload
   * @param {import('./classify.js').ClassesOptions & Partial<Omit<import('./config.js').Config, 'head'>>} changes
   * @returns {Promise<Model>}
   * @throws {GlassformerError} config for a model that is no encoder; unsupported for the classes of a family, or a
   *   `problem_type`, that are not trained here; as above
   * @category Weights
   * @example
   * const { model: bert } = await gf.loadModel('node_modules/glassformer/dist/checkpoints/bert/');
   * const tuned = await bert.clone({ head: 'classes', labels: ['cold', 'warm'] });
   * tuned.trainer().step({ ids: ['the creek was cold', 'a warm cat'], labels: [0, 1] }).count; // → 2
   */
  /**
   * An encoder with a head for spans (`…ForQuestionAnswering`): two numbers for each token, as a start and as an end.
   * Its `trainer({ loss: 'spans' })` takes `spans`, `answer` gives the best one.
   * @overload
   * @param {import('./classify.js').SpansOptions & Partial<Omit<import('./config.js').Config, 'head'>>} changes
   * @returns {Promise<Model>}
   * @throws {GlassformerError} config for a model that is no encoder of tokens; as above
   * @category Weights
   * @example
   * const { model: bert } = await gf.loadModel('node_modules/glassformer/dist/checkpoints/bert/');
   * const reader = await bert.clone({ head: 'spans' });
   * const trainer = await reader.trainer({ loss: 'spans', learningRate: 0.001 });
   * trainer.step({ ids: ['the creek was cold'], spans: [[1, 2]] }).count; // → 2
   */
  /**
   * @param {any} [changes]
   * @returns {any}
   */
  clone(changes = {}) {
    const handle = Model.#live(this);
    if (!isNamed(changes)) refuseType('changes', changes, 'settings by name');
    if (changes.head === 'classes' || changes.head === 'spans')
      return filesOf(handle.core)
        .classify()
        .then(({ withClasses }) => withClasses(this, changes));
    const copy = new Model(handle.core, { ...handle.config, ...changes, seed: handle.seed }, true);
    try {
      for (const info of copy.#handle.list()) {
        if (info.region !== 'weight') continue;
        const own = handle.get(info.name);
        expectShape(own, info.shape, info.name);
        copy.#handle.put(info, isPacked(own) ? readPacked(handle, own) : handle.lend(own));
      }
      copy.#handle.checkpoint = handle.checkpoint;
      copy.#handle.texts = { ...handle.texts, ...copy.#handle.texts };
    } catch (error) {
      copy.free();
      throw error;
    }
    return copy;
  }

  /**
   * Continues a sequence token by token. Awaited it gives the whole; looped over, one token after the other, as the
   * loop asks for them: leave the loop, or abort `signal`, to end it. Where the ids begin like those of the last call,
   * and nothing else has used the model since, it computes only the new tokens, for the same bits.
   *
   * The event loop turns between tokens, every 30 ms. While the whole is awaited, all else of the model but reading is
   * refused; between two tokens of a loop the model may do other things, whose changes count from the next token on.
   * @template {import('./generate.js').Prompt} I
   * @param {I} input a text where the model knows its tokenizer, of an encoder-decoder the source; ids, or what
   *   `encode` gives; or inputs and options by name. Rows give an array: each as its own call would, with `seed`
   *   plus its number
   * @param {import('./generate.js').GenerateOptions} [options]
   * @returns {Promise<import('./generate.js').GeneratedOf<I>> & AsyncIterable<import('./generate.js').Token>}
   * @throws {GlassformerError} config for a model that cannot; type, missing, unknown, shape, dtype, range, token,
   *   limit, memory, freed; the signal's reason
   * @category Computing
   * @example
   * const { ids, newIds } = await model.generate([1, 2, 3], { maxTokens: 4, temperature: 1, seed: 5 });
   * ids.length; // → 7
   * newIds.length; // → 4
   * const heard = [];
   * for await (const { id } of model.generate({ ids: [1, 2, 3] })) if (heard.push(id) === 4) break;
   * heard.length; // → 4
   */
  generate(input, options) {
    Model.#of(this);
    const given = [snapshot(input), snapshot(options)];
    const generating = () => {
      const handle = Model.#live(this);
      return generate(handle, given[0], given[1], { slices: handle.core.slices });
    };
    return awaitedOrLooped(
      async () => Model.#generating(this, () => inTurns(generating())),
      () => asAsked(generating(), (run) => Model.#generating(this, run)),
      true,
    );
  }

  /**
   * The whole of `generate` at once: the thread does nothing else meanwhile. Not in a worker.
   * @template {import('./generate.js').Prompt} I
   * @param {I} input
   * @param {import('./generate.js').GenerateOptions} [options]
   * @returns {import('./generate.js').GeneratedOf<I>}
   * @throws {GlassformerError} as `generate`
   * @category Computing
   * @example
   * const both = model.generateSync([[1, 2, 3], [4]], { maxTokens: 4 });
   * both.map(({ ids }) => ids.length); // → [7, 5]
   * model.generateSync({ ids: [1], maxTokens: 9, topP: 0.9, stop: [[4, 2]] }).endedBy; // → 'maxTokens'
   */
  generateSync(input, options) {
    return Model.#generating(this, (handle) => atOnce(generate(handle, input, options, { sync: true })));
  }

  /**
   * The files `config.json`, `model.safetensors` and, where it reads texts, `tokenizer.json` of the model's family, as
   * Hugging Face's `from_pretrained` and `gf.loadModel` read them: of the family whose folder it came from; else an
   * encoder as a BERT, a decoder as the first of GPT-2, Llama, Mistral, Qwen2 and Qwen3 that has all of its settings.
   * @overload
   * @param {{format: 'huggingface'} & import('../files/save-checkpoint.js').SaveCheckpointOptions} options
   * @returns {Promise<import('../files/save-checkpoint.js').SavedCheckpoint>}
   * @throws {GlassformerError} unsupported for the setting that the family, or the nearest one, does not have, and for
   *   a word of a `Vocabulary` that a tokenizer.json cannot say; type, unknown, freed; range for a number beyond half
   *   and for an unknown family
   * @category Training and saving
   * @example
   * const { model: gpt2 } = await gf.loadModel('node_modules/glassformer/dist/checkpoints/gpt2/');
   * const folder = await gpt2.save({ format: 'huggingface' });
   * Object.keys(folder); // → ['config.json', 'model.safetensors', 'tokenizer.json']
   * await model.save({ format: 'huggingface' }); // throws unsupported
   */
  /**
   * This model as a safetensors file, which `gf.loadModel` takes; others read its weights by PyTorch's names. A head
   * for `classify` stays behind. Or, with `format: 'onnx'`, an ONNX file, which onnxruntime and others run: the same
   * numbers but for rounding; batch and length are chosen in each run, and `exportOnnx` of `glassformer/onnx` says
   * more.
   *
   * `glassformer/core` has a function for each format: `saveModel(model, options)` of its own, `saveCheckpoint` of
   * `glassformer/checkpoints`, `exportOnnx` of `glassformer/onnx`.
   * @overload
   * @param {import('../files/save-model.js').SaveOptions & {format?: 'glassformer'} &
   *   import('../files/save-model.js').Rounding | {format: 'onnx'} & import('../entries/onnx.js').OnnxOptions}
   *   [options] float16, int8: round the weights, else those in 8 or 16 bits are written as they are; inputs: optional
   *   inputs of `forward` that an ONNX graph shall have
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   * @throws {GlassformerError} type, unknown, freed; range for a vocabulary of another size, a number beyond half;
   *   unsupported, memory
   * @category Training and saving
   * @example
   * const file = await model.save({ recipe: { seed: 7 }, float16: true });
   * (await gf.loadModel(file)).recipe; // → { seed: 7 }
   * (await model.save({ format: 'onnx' })).length > 4 * model.parameterCount; // → true
   */
  /**
   * @param {any} [options]
   * @returns {any}
   */
  save(options = {}) {
    return Model.#save(this, options); // an async method with overloads loses its comments in the types
  }

  /** @param {Model} self @param {any} options @returns {Promise<any>} */
  static async #save(self, options) {
    const files = /** @type {any} */ (filesOf(Model.#live(self).core));
    if (!isNamed(options)) {
      throw new GlassformerError(
        'type',
        'options',
        options,
        "call save({ format: 'onnx' }), or 'huggingface' for files",
      );
    }
    const { format = 'glassformer', ...others } = options;
    if ('names' in others) {
      throw new GlassformerError('unknown', 'names', others.names, "is called format: save({ format: 'huggingface' })");
    }
    const write = WRITERS[readFormat(format, 'format')];
    return files[write](self, others);
  }

  /**
   * A trainer for this model. A model has one: asked again, it gets the new settings and keeps its
   * moments and step count.
   * @overload
   * @param {import('./trainer.js').TrainerOptions & import('./trainer.js').Frozen & {shards?: undefined,
   *   workers?: undefined, adapters?: undefined}} [options]
   * @returns {Trainer}
   * @throws {GlassformerError} config, type, unknown, memory, freed
   * @category Training and saving
   * @example
   * const trainer = model.trainer({ learningRate: 0.01, schedule: 'cosine', warmup: 10, steps: 100 });
   * trainer.step({ ids: [1, 2, 3], labels: [2, 3, 4] }).step; // → 1
   */
  /**
   * A trainer whose steps are cut into shards, which workers compute at the same time: several cores, without shared
   * memory or special headers. `step` returns a promise; until it is settled, all else of the model but reading is
   * refused. The same shards give the same bits with any number of workers. Where none can be started, as under a
   * Content-Security-Policy without blob: in worker-src, the calling thread computes, and `workers` is 0.
   * @overload
   * @param {import('./trainer.js').TrainerOptions & import('./trainer.js').Frozen & import('./trainer.js').Shards &
   *   ({workers: number} | {shards: number})} options
   * @returns {import('./trainer.js').ShardedTrainer}
   * @throws {GlassformerError} config, type, unknown, range, memory, freed
   * @category Training and saving
   * @example
   * const trainer = model.trainer({ learningRate: 0.01, shards: 2, workers: 2 });
   * const { step } = await trainer.step({ ids: [[1, 2, 3], [4, 5, 6]], labels: [[2, 3, 4], [5, 6, 7]] });
   * step; // → 1
   * trainer.free();
   */
  /**
   * A trainer of low-rank adapters (LoRA, Hu et al. 2021). The model computes with them merged into its matrices, and
   * is saved so; the trainer's `state` keeps them apart, and resumes to the bit. Its `save` and `restore` are refused,
   * as are `shards`, `workers` and `frozen`.
   * @overload
   * @param {import('./trainer.js').TrainerOptions & {adapters: import('./adapters.js').Adapters}} options
   * @returns {Promise<Trainer>}
   * @throws {GlassformerError} config, type, unknown, range, memory, freed; shape for a weight that is no matrix
   * @category Training and saving
   * @example
   * const of = ['self_attn.in_proj_weight', 'linear1.weight'];
   * const adapted = await model.trainer({ learningRate: 0.01, adapters: { rank: 1, of } });
   * adapted.step({ ids: [1, 2, 3], labels: [2, 3, 4] }).step; // → 1
   */
  /**
   * A trainer of a head for spans: the mean of the cross-entropies of starts and ends, over the places of a row. Its
   * `save` is refused, as are `adapters`, `shards`, `workers` and `labelSmoothing`.
   * @overload
   * @param {Omit<import('./trainer.js').TrainerOptions, 'loss'> & import('./trainer.js').Frozen &
   *   {loss: 'spans'}} options
   * @returns {Promise<import('./spans.js').TrainerOfSpans>}
   * @throws {GlassformerError} config, type, unknown, range, memory, freed
   * @category Training and saving
   * @example
   * const { model: bert } = await gf.loadModel('node_modules/glassformer/dist/checkpoints/bert/');
   * const trainer = await (await bert.clone({ head: 'spans' })).trainer({ loss: 'spans' });
   * trainer.loss({ ids: ['the creek was cold', 'a cat'], spans: [[1, 2], [-100, -100]] }).count; // → 2
   */
  /**
   * @param {any} [options]
   * @returns {any}
   */
  trainer(options = {}) {
    if (options?.adapters || options?.loss === 'spans')
      return filesOf(Model.#live(this).core)
        .classify()
        .then(({ adapted }) => adapted(this, options));
    return new Trainer(() => Model.#ready(this), options, this);
  }

  /**
   * Gives the memory back. Afterwards every method throws `freed`, also those of its trainers and running loops, but to
   * free it again does nothing. You keep all that it gave you: results, copies of tensors, settings, and the numbers of
   * a trace, whose `lens`, `attribution` and `decided` throw `freed`.
   * @category Training and saving
   * @example
   * model.free();
   * model.forward({ ids: [1] }); // throws freed
   */
  free() {
    if (Model.#of(this).#freed) return;
    const handle = Model.#ready(this);
    void this.parameterCount;
    dropped?.unregister(handle);
    handle.destroy();
    this.#freed = true;
  }

  static {
    present(this, 'GlassformerModel', (model) => {
      const { kind, d_model, heads, layers, vocabulary } = model.config;
      const freed = model.#freed && { freed: true };
      return { kind, d_model, heads, layers, vocabulary, parameters: model.parameterCount, ...freed };
    });
  }

  /**
   * @param {Model} self
   * @returns {Model} the same, if it is one
   */
  static #of(self) {
    if (#handle in Object(self)) return self;
    throw foreign(self, 'a model');
  }

  /**
   * @param {Model} self
   * @returns {Handle}
   */
  static #live(self) {
    const model = Model.#of(self);
    if (model.#freed) {
      const which = `the ${model.config.kind} of ${model.parameterCount} parameters`;
      throw new GlassformerError('freed', 'model', undefined, `${which} was freed`);
    }
    return model.#handle;
  }

  /**
   * Reads the options of a forward pass.
   * @param {Model} self
   * @param {unknown} input
   * @param {unknown} options
   */
  static #read(self, input, options) {
    const { batch, given } = readBatch(self.#plan, namedInput(self.#handle, input, options));
    const { capture, logits } = given;
    const handle = Model.#live(self);
    const omitted = omittedOf(handle, capture);
    if (omitted) Object.assign(batch, { flags: batch.flags | CAPTURE, omitted });
    if (!logits && self.config.head !== 'none') batch.flags |= ONE_ROW;
    return { batch, given };
  }

  /**
   * Reads the arguments of `forward`.
   * @param {Model} self
   * @param {unknown} input
   * @param {unknown} options
   * @returns {{handle: Handle, batch: import('./inputs.js').Batch, given?: import('./patches.js').Changes}}
   *   given: with changes of the pass
   */
  static #reading(self, input, options = undefined) {
    const handle = Model.#ready(self);
    const { batch, given } = Model.#read(self, input, options);
    const { patches, ablate, temperature } = given;
    handle.pass.afford(batch);
    return { handle, batch, given: patches || ablate || temperature ? given : undefined };
  }

  /**
   * For methods that do more than read: keeps callers from pulling the layout away under `generate`, and from changing
   * weights under a step.
   * @param {Model} self
   * @returns {Handle}
   */
  static #ready(self) {
    const handle = Model.#live(self);
    handle.pass.begin();
    return handle;
  }

  /**
   * @template T
   * @param {Model} self
   * @param {(handle: Handle) => T} run
   * @returns {T}
   */
  static #generating(self, run) {
    const handle = Model.#ready(self);
    return handle.pass.during(GENERATING, () => run(handle));
  }
}
