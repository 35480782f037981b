import { configured, readConfig, settingOf } from './config.js';
import { GlassformerError, checked } from '../errors.js';
import { CAPTURE } from './flags.js';
import { LISTED, STRUCT_BYTES } from '../arrays/memory.js';
import { nearest } from '../arrays/names.js';
import { Pass } from './pass.js';
import { expectFloats, isPacked, readPacked, typeOf, writePacked } from './packed.js';

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('../arrays/memory.js').Dtype} Dtype */
/** @typedef {import('../arrays/memory.js').Memory} Memory */

/**
 * @typedef {'weight' | 'input' | 'result' | 'intermediate' | 'gradient'} Region
 */

/**
 * Where in the model graph a tensor or node stands.
 * @typedef {object} Place
 * @property {'encoder' | 'decoder' | null} stack null outside of both
 * @property {number | null} layer from 0
 * @property {number | null} sublayer of its layer, from 1, as PyTorch numbers norms
 * @property {'self' | 'cross' | null} attention of its sublayer: where keys and values come from
 */

/**
 * Facts about a tensor; the words of node and role are listed in src/model/roles.h.
 * @typedef {object} TensorFacts
 * @property {string} name dotted, as PyTorch has it where it is a weight
 * @property {number[]} shape size of each axis
 * @property {Dtype | 'bfloat16' | 'float16' | 'int8'} dtype of its numbers, which `tensor` gives as float32 where they
 *   have 8 or 16 bits
 * @property {Region} region its part in the model
 * @property {string | null} node the kind of node of the model graph that computes or owns it:
 *   'attention', 'ffn', 'norm' ...; null between nodes
 * @property {string} role in that node: 'query', 'scores', 'activation', 'weight', 'out' ...
 * @property {boolean} patchable `forward` takes patches of it
 */

/**
 * @typedef {Omit<TensorFacts, 'node'> & {
 *   facts: TensorFacts & Place, strides: number[], pointer: number, dense: boolean, size: number, arranged: boolean,
 *   live: import('../arrays/memory.js').Arrays[Dtype], first?: number,
 * }} Info
 *   `facts`: what users see; `first`: of a part, its first element; strides in elements; `dense`: they lie row-major
 *   without gaps; `arranged`: see #arrange; `live`: see #elements
 */

/**
 * The operation of a node of the model graph.
 * @typedef {'tokens' | 'embedding' | 'positions' | 'attention' | 'add' | 'norm' | 'ffn' | 'transform' | 'logits'
 *   | 'probabilities' | 'values'} NodeKind
 */

/**
 * Facts about a node of the model graph.
 * @typedef {object} NodeFacts
 * @property {NodeKind} kind its operation
 * @property {string | null} tensor its output, null where that cannot be read now (without `capture` most cannot)
 * @property {string | null} weight the table of an embedding or of learned positions, the matrix of projected vectors,
 *   of logits and of values, the gain of a norm
 * @property {number[]} inputs indexes of the nodes that it reads, of an add the stream and the sublayer's output, of
 *   cross-attention the queries' and the encoder's last
 * @property {boolean} stream its output is a state of the residual stream
 * @property {boolean} residual a residual connection leads around its sublayer
 * @property {number} window of self-attention: how many positions a query sees to each side, its own included; 0: all
 */

/** One node of the model graph. @typedef {Place & NodeFacts} GraphNode */

/** Of struct tensor_info (src/model/tensors.h): twenty words, then the name. */
const NAME_AT = 80;
/** Enumerations of gf_name. */
const DTYPES = 0;
const REGIONS = 1;
const ROLES = 2;
const NODES = 3;
const STACKS = 4;
const ATTENTIONS = 5;
const NO_VIEW = new Float32Array(0);

/** The number of elements from the first to the last. @param {Info} info */
export const extentOf = ({ shape, strides }) =>
  shape.reduce((end, length, axis) => end + (length - 1) * strides[axis], 1);

/** Whether it may be arranged. @param {Info} info */
const isMatrix = ({ region, facts }) => region === 'weight' && facts.shape.length > 1;

/** One model of the C core, behind functions that check their answers but not their arguments. */
export class Handle {
  /** @type {Map<string, Info>} of this layout, filled as asked */
  #infos = new Map();
  /** @type {Info[]} of this layout, all of them, once asked */
  #list = [];
  /** @type {Map<string, Info> | undefined} of any captured layout */
  #known;
  /** @type {{free: () => void} | undefined} the only trainer that may use this model now */
  trainer;
  /**
   * The layout of its matrices: rows, over which no pass has run yet; used rows, of which the next pass makes panels,
   * as products read them fastest; rows that stay, as a view was handed out or the core cannot arrange them.
   * @type {'rows' | 'used' | 'panels' | 'stay'}
   */
  #matrices = 'rows';
  /** The worker that runs it, and its remaining work. */
  pass = new Pass(this);
  /**
   * Of a model from a checkpoint: its config.json, its generation_config.json, and its head for classes of texts.
   * @type {{family: import('../files/families/index.js').FamilyName, config: Record<string, unknown>,
   *   classifier?: import('./classify.js').Classifier, generation?: Record<string, unknown>,
   *   gains?: ReadonlyMap<string, Float32Array>} | undefined} gains: of norms as the file keeps them, less 1
   */
  checkpoint;

  /**
   * The rounding error of a model in int8, until other weights come.
   * @type {import('../files/weights-error.js').WeightsError | undefined}
   */
  weightsError;
  /**
   * @param {Core} core
   * @param {unknown} options settings and seed, as the caller gave them
   * @param {(words: number) => number} [create] in the core
   */
  constructor(core, options, create = core.functions.gf_model_create) {
    const { config, words, seed, settings, texts } = readConfig(core, options);
    const { memory } = core;
    memory.write('int32', core.words, words);
    /** The core's id of this model. */
    this.id = configured(create(core.words), settings, config, memory);
    this.config = config;
    /** The tokenizers. */
    this.texts = texts;
    this.core = core;
    this.memory = memory;
    this.functions = core.functions;
    this.seed = seed;
    /** No sequence is longer. */
    this.longest = settingOf(settings, 'maxLength').high;
    this.struct = core.struct;
  }

  /** @param {number} seed */
  initialize(seed) {
    this.pass.changeWeights();
    this.toRows();
    this.weightsError = undefined;
    checked(this.functions.gf_model_initialize(this.id, seed), 'initialize');
    this.seed = seed;
  }

  destroy() {
    this.pass.end();
    this.trainer?.free();
    this.core.slices?.free(this);
    checked(this.functions.gf_model_destroy(this.id), 'free');
  }

  /**
   * A tensor for users.
   * @param {string} name
   * @returns {Info}
   */
  computed(name) {
    const info = this.get(name);
    if (this.pass.isComputed(info)) return info;
    const why = 'was not computed: forward ran with logits: false; logitsAt(row) computes those of a row';
    throw new GlassformerError('state', 'name', name, why);
  }

  /**
   * One of the trainer's blocks, live; see gf_trainer_block.
   * @param {number} which
   * @returns {Float32Array}
   */
  block(which) {
    const size = checked(this.functions.gf_trainer_size(this.id), 'trainer');
    return this.memory.view('float32', this.functions.gf_trainer_block(this.id, which), size);
  }

  /**
   * The tensors that can be read now, in the core's order.
   * @returns {Info[]}
   */
  list() {
    const length = checked(this.functions.gf_model_tensor_count(this.id), 'tensors');
    if (this.#list.length !== length) {
      const { gf_model_tensors: list } = this.functions;
      this.#list = listed(this, (first, count) => checked(list(this.struct, this.id, first, count), 'tensors', first));
      for (const info of this.#list) this.#infos.set(info.name, info); // each look-up is a walk
    }
    return this.#list;
  }

  /**
   * Lays float32 matrices out as products read them fastest, in the same place, or as rows again: for passes of few
   * tokens a half to two thirds of the time. No number changes.
   * @param {boolean} wanted
   */
  #arrange(wanted) {
    const done = this.functions.gf_model_arrange(this.id, Number(wanted)) === 0;
    this.#matrices = !done ? 'stay' : wanted ? 'panels' : 'rows';
    if (!done) return;
    this.pass.weights++; // other threads copied them as they stood
    this.forget();
  }

  /** Before a pass. @param {boolean} isOneOfMany a single one gains nothing by panels */
  settle(isOneOfMany) {
    if (this.#matrices === 'used' || (isOneOfMany && this.#matrices === 'rows')) this.#arrange(true);
    else if (this.#matrices === 'rows') this.#matrices = 'used';
  }

  /** As rows: for training, and for what writes or shows them where they stand. */
  toRows() {
    if (this.#matrices === 'panels') this.#arrange(false);
    else if (this.#matrices === 'used') this.#matrices = 'rows';
  }

  /** Where tensors lie is to be asked again. */
  forget() {
    this.#infos.clear();
    this.#list = [];
  }

  /**
   * The nodes of the model graph; see Model.graph.
   * @returns {GraphNode[]}
   */
  graph() {
    const { struct, id, functions } = this;
    const names = this.list().map((info) => (this.pass.isComputed(info) ? info.name : null));
    const length = checked(functions.gf_model_node_count(id), 'graph');
    return Array.from({ length }, (_, index) => {
      checked(functions.gf_model_node(struct, id, index), 'graph', index);
      const [kind, ...words] = this.memory.view('int32', struct, 12);
      const [tensor, weight, first, second, stream, residual, window] = words.slice(4);
      return {
        kind: this.memory.name(NODES, kind),
        ...graphPlaceOf(this.memory, words),
        tensor: names[tensor] ?? null,
        weight: names[weight] ?? null,
        inputs: [first, second].filter((input) => input >= 0),
        stream: stream === 1,
        residual: residual === 1,
        window,
      };
    });
  }

  /**
   * @param {string} name
   * @returns {Info}
   */
  get(name) {
    let info = this.#infos.get(name);
    if (!info) {
      const index = this.#search(name);
      if (index < 0) this.#refuse(name);
      checked(this.functions.gf_model_tensors(this.struct, this.id, index, 1), 'tensor', index);
      this.#infos.set(name, (info = infoAt(this.memory, this.struct)));
    }
    return info;
  }

  /** The tensors of a captured pass over one token, by name: what they are to the model holds for every pass. */
  known() {
    this.#known ??= new Map(tensorsOf(this.core, this.config, CAPTURE).map((info) => [info.name, info]));
    return this.#known;
  }

  /**
   * @param {string} name that no tensor has now
   * @returns {never}
   */
  #refuse(name) {
    const captured = this.known();
    const known = [...this.list().map((info) => info.name), ...captured.keys()];
    const needs = captured.has(name)
      ? `capture: true${this.pass.flags & CAPTURE ? ', or a selector of it in capture,' : ''} in forward`
      : known.includes(name.replace(/^grad[.]/, '')) && 'trainer.gradients()';
    const near = nearest(name.replace(/ffn[.]hidden\w*$/, 'ffn.activation'), known);
    const hint = needs ? `needs ${needs}` : `unknown, did you mean ${near ?? 'one of tensors()'}?`;
    throw new GlassformerError('unknown', 'name', name, hint);
  }

  /**
   * A copy of a tensor, dense.
   * @param {Info} info
   */
  read(info) {
    const { shape, strides } = info;
    const isPlain = typeOf(info) === 0;
    const from = isPlain ? this.#elements(info) : readPacked(this, info, info.first, extentOf(info));
    if (info.dense) return { data: isPlain ? from.slice() : from, shape: [...shape] };
    const data = new /** @type {Float32ArrayConstructor} */ (from.constructor)(info.size);
    gather(data, from, shape, strides);
    return { data, shape: [...shape] };
  }

  /**
   * A live view of a dense tensor; of a weight until the next pass.
   * @param {Info} info
   */
  lend(info) {
    if (isPacked(info)) expectFloats(this, 'viewed');
    if (isMatrix(info)) this.toRows();
    return this.memory.view(/** @type {Dtype} */ (info.dtype), info.pointer, info.size);
  }

  /**
   * A live view of a dense tensor, for the caller to keep.
   * @param {Info} info
   */
  lendForGood(info) {
    this.pass.isViewed = true;
    const view = this.lend(info);
    if (isMatrix(info)) this.#matrices = 'stay';
    return view;
  }

  /**
   * @param {Info} info of a dense tensor
   * @param {ArrayLike<number>} data
   * @param {number} [from] the first element that is written
   */
  put(info, data, from = 0) {
    this.pass.changeWeights();
    if (isPacked(info)) writePacked(this, info, data, from);
    else this.lend(info).set(data, from);
  }

  /**
   * @param {string} name of a weight, or an input of the present layout
   * @param {ArrayLike<number>} data
   */
  write(name, data) {
    const info = this.get(name);
    if (info.region === 'weight') this.put(info, data);
    else this.#elements(info).set(data);
  }

  /**
   * The values of an input of the present layout, valid until the memory grows.
   * @param {string} name
   */
  held(name) {
    return this.#elements(this.get(name));
  }

  /**
   * From a tensor's first element to its last; the view is kept until the memory grows.
   * @param {Info} info
   */
  #elements(info) {
    if (info.live.length === 0) {
      info.live = this.memory.view(/** @type {Dtype} */ (info.dtype), info.pointer, extentOf(info));
    }
    return info.live;
  }

  /**
   * @param {string} name
   * @returns {number} index, negative when there is none
   */
  #search(name) {
    const { struct } = this;
    // A longer or a foreign-letter name exists in no model.
    if (name.length >= STRUCT_BYTES - NAME_AT || !/^[\x21-\x7e]+$/.test(name)) return -1;
    this.memory.write(
      'uint8',
      struct,
      Array.from(`${name}\0`, (letter) => letter.charCodeAt(0)),
    );
    return this.functions.gf_model_find(this.id, struct);
  }
}

/**
 * The tensors of a model that need not exist: nothing is allocated.
 * @param {Core} core
 * @param {unknown} options settings, as for a model
 * @param {number} [captured] 1: those of a captured pass over one token; 0: the weights
 * @returns {Info[]} whose data are nowhere
 */
export function tensorsOf(core, options, captured = 0) {
  const { memory, functions, struct } = core;
  const { config, words, settings } = readConfig(core, options);
  memory.write('int32', core.words, words);
  return listed(core, (first, count) =>
    configured(functions.gf_config_tensors(struct, core.words, captured, first, count), settings, config, memory),
  );
}

/**
 * Lists all, in as few walks of the core as fit: two walks for each tensor took most of 1.9 ms in a
 * capture of creek.
 * @param {Pick<Core, 'memory' | 'struct'>} core
 * @param {(first: number, count: number) => number} list writes so many to the struct and says how many there were
 * @returns {Info[]}
 */
function listed({ memory, struct }, list) {
  /** @type {Info[]} */
  const infos = [];
  for (let count = LISTED; count === LISTED;) {
    count = list(infos.length, LISTED);
    for (let i = 0; i < count; i++) infos.push(infoAt(memory, struct + i * STRUCT_BYTES));
  }
  return infos;
}

/**
 * @param {Memory} memory
 * @param {number[]} words of struct graph_place (src/model/tensors.h)
 * @returns {Place}
 */
function graphPlaceOf(memory, [stack, layer, sublayer, attention]) {
  return {
    stack: memory.name(STACKS, stack),
    layer: layer < 0 ? null : layer,
    sublayer: sublayer || null,
    attention: memory.name(ATTENTIONS, attention),
  };
}

/**
 * @param {Memory} memory
 * @param {number} struct pointer
 * @returns {Info}
 */
function infoAt(memory, struct) {
  const words = Array.from(memory.view('int32', struct, NAME_AT / 4));
  const [pointer, type, where, rank] = words;
  const shape = words.slice(4, 4 + rank);
  const strides = words.slice(8, 8 + rank);
  const name = memory.text(struct + NAME_AT);
  const stored = memory.name(DTYPES, type);
  const arranged = stored === 'panels';
  const dtype = arranged ? 'float32' : stored;
  const region = words[19] ? 'gradient' : memory.name(REGIONS, where);
  const role = memory.name(ROLES, words[12]);
  const node = memory.name(NODES, words[13]);
  const { stack, layer, sublayer, attention } = graphPlaceOf(memory, words.slice(14));
  const patchable = words[18] === 1;
  let size = 1;
  let dense = true;
  for (let axis = rank - 1; axis >= 0; axis--) {
    dense &&= shape[axis] === 1 || strides[axis] === size;
    size *= shape[axis];
  }
  // Each property by name: with spreads the list of creek's captured tensors takes 1.2 ms instead of 0.2.
  const facts = { name, shape, dtype, region, node, role, stack, layer, sublayer, attention, patchable };
  return { name, shape, dtype, region, role, patchable, facts, strides, pointer, dense, size, arranged, live: NO_VIEW };
}

/**
 * Copies a strided tensor row by row.
 * @param {Float32Array} into dense
 * @param {Float32Array | Int32Array | Uint8Array} from
 * @param {number[]} shape
 * @param {number[]} strides
 */
function gather(into, from, shape, strides) {
  const last = shape.length - 1;
  const length = shape[last];
  const index = new Array(last).fill(0);
  for (let row = 0; row < into.length; row += length) {
    const start = index.reduce((sum, at, axis) => sum + at * strides[axis], 0);
    for (let i = 0; i < length; i++) into[row + i] = from[start + i * strides[last]];
    for (let axis = last - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
  }
}
