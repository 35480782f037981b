// The parts of a model in operators of ONNX's opset 20, as src/model/block.c computes them. Values that the module has
// a tensor of carry its name.
import { GlassformerError } from '../errors.js';
import { Graph } from './proto.js';

/** @typedef {import('../../../dist/generated/settings.js').Config} Config */
/** @typedef {ReadonlyMap<string, {data: Float32Array, shape: readonly number[]}>} Weights */
/** @typedef {{config: Config, weights: Weights, nodes: readonly import('../engine/handle.js').GraphNode[]}} Source */

/**
 * Keys that one stack, or one attention, hides.
 * @typedef {{hidden?: string, mask?: string, whole: boolean}} Masks hidden: booleans [batch, 1, queries, keys];
 *   mask: what is added; whole: it may hide all keys of a query
 */

/** @param {string} activation @returns {never} */
function refuse(activation) {
  throw new GlassformerError('unsupported', 'activation', activation, 'is not known to the export to ONNX');
}

/** Shared by the parts of a model. */
export class Part {
  g = new Graph();
  /** @type {Map<string, string>} */
  #shared = new Map();
  #wanted;
  /** Positions that each sequence has its own of. @type {Set<string>} */
  #own = new Set();

  /** @param {Source} source @param {Set<string>} wanted */
  constructor({ config, weights, nodes }, wanted) {
    this.config = config;
    this.weights = weights;
    this.attentions = nodes.filter(({ kind }) => kind === 'attention');
    this.#wanted = wanted;
  }

  /** Makes it once. @param {string} key @param {() => string} make */
  #once(key, make) {
    const made = this.#shared.get(key) ?? make();
    this.#shared.set(key, made);
    return made;
  }

  /** @param {string} name */
  shapeOf(name) {
    const weight = this.weights.get(name);
    if (!weight) throw new GlassformerError('missing', 'model', name, 'lacks a weight');
    return weight.shape;
  }

  /** A weight, of which there is one initializer. @param {string} name */
  weight(name) {
    const shape = this.shapeOf(name);
    return this.#once(name, () => this.g.constant(shape, /** @type {any} */ (this.weights.get(name)).data, name));
  }

  /** @param {number} value */
  scalar(value) {
    return this.#once(`${value}`, () => this.g.constant([], Float32Array.of(value)));
  }

  /** @param {...number} values */
  integers(...values) {
    return this.#once(`[${values}]`, () => this.g.integers(...values));
  }

  /** @param {string} name @param {readonly string[]} dims @param {'bool' | 'float'} type */
  optional(name, dims, type) {
    return this.#wanted.has(name) ? this.g.input(name, dims, type) : undefined;
  }

  /** Of a self-attention; 0: it sees all. @param {string | null} stack null: the only one @param {number} [layer] */
  windowOf(stack, layer) {
    const found = this.attentions.find((node) => !stack || (node.stack === stack && node.layer === layer));
    return found?.window ?? 0;
  }

  /** The positions in a sequence, 0 to its length - 1. @param {string} x [batch, length, …] */
  positions(x) {
    return this.#once(`positions of ${x}`, () => {
      const { g } = this;
      const zero = this.#once('zero', () => g.constant([], BigInt64Array.of(0n)));
      const one = this.#once('one', () => g.constant([], BigInt64Array.of(1n)));
      const length = g.node('Squeeze', [g.node('Shape', [x], { start: 1, end: 2 })]);
      return g.node('Range', [zero, length, one]);
    });
  }

  /**
   * Where padding hides tokens, the setting positionsFrom says which position the others have.
   * @param {string} x [batch, length, …] @param {string} hidden [batch, length]
   */
  #positionsFrom(x, hidden) {
    const { g, config } = this;
    const index = this.positions(x);
    const visible = g.node('Cast', [g.node('Not', [hidden])], { to: 7 });
    const own =
      config.positionsFrom === 'visible'
        ? g.node('Sub', [g.node('CumSum', [visible, this.integers(1)]), this.integers(1)])
        : g.node('Sub', [index, g.node('ArgMax', [visible], { axis: 1 })]);
    const found = g.node('Where', [hidden, index, own]);
    this.#own.add(found);
    return found;
  }

  /**
   * Positions of an attention on its own that turns queries and keys.
   * @param {string} x @param {string} [padding] @param {string} [memory]
   */
  turnedBy(x, padding, memory) {
    const { positions, positionsFrom } = this.config;
    if (positions !== 'rotary' || memory) return undefined;
    return padding && positionsFrom !== 'index' ? this.#positionsFrom(x, padding) : this.positions(x);
  }

  /** x Wᵀ + b. @param {string} x @param {string} weight @param {string} bias '': none @param {string} [name] */
  linear(x, weight, bias, name) {
    const { g } = this;
    const transposed = g.node('Transpose', [weight], { perm: [1, 0] });
    const product = g.node('MatMul', [x, transposed], {}, bias ? undefined : name);
    return bias ? g.node('Add', [product, this.weights.has(bias) ? this.weight(bias) : bias], {}, name) : product;
  }

  /** @param {string} at prefix of its weights @param {string} x */
  norm(at, x) {
    const { g, config } = this;
    const { d_model: C, normAffine, normKind } = config;
    const gain = normAffine ? this.weight(`${at}weight`) : this.#once('ones', () => ones(g, C));
    if (normKind === 'rms') return this.#rms(x, gain, `${at}out`);
    const bias = normAffine ? [this.weight(`${at}bias`)] : [];
    const epsilon = Math.fround(config.epsilon);
    if (epsilon > 0) {
      const how = { axis: -1, epsilon: { float: epsilon } };
      return g.node('LayerNormalization', [x, gain, ...bias], how, `${at}out`);
    }
    // Without epsilon ONNX divides a row of equal numbers by 0, which here becomes its bias. Nearly equal ones are
    // centred twice, as in src/kernel/norm.c: the rounding of their mean would be large beside their deviation.
    const mean = () => [this.integers(-1)];
    const centre = (/** @type {string} */ from) => g.node('Sub', [from, g.node('ReduceMean', [from, ...mean()])]);
    const centred = centre(centre(x));
    const squares = g.node('Mul', [centred, centred]);
    const deviation = g.node('Sqrt', [g.node('ReduceMean', [squares, ...mean()])]);
    const constant = g.node('Equal', [deviation, this.scalar(0)]);
    const divisor = g.node('Where', [constant, this.scalar(1), deviation]);
    const scaled = g.node('Mul', [g.node('Div', [centred, divisor]), gain], {}, bias.length ? undefined : `${at}out`);
    return bias.length ? g.node('Add', [scaled, ...bias], {}, `${at}out`) : scaled;
  }

  /**
   * RMSNorm over the last axis; a row of zeros without epsilon stays 0.
   * @param {string} x @param {string} gain @param {string} name
   */
  #rms(x, gain, name) {
    const { g } = this;
    const epsilon = Math.fround(this.config.epsilon);
    const mean = g.node('ReduceMean', [g.node('Mul', [x, x]), this.integers(-1)]);
    const square = epsilon > 0 ? g.node('Add', [mean, this.scalar(epsilon)]) : mean;
    const root = g.node('Sqrt', [square]);
    const zero = () => g.node('Equal', [root, this.scalar(0)]);
    const divisor = epsilon > 0 ? root : g.node('Where', [zero(), this.scalar(1), root]);
    return g.node('Mul', [g.node('Div', [x, divisor]), gain], {}, name);
  }

  /** @param {string} x @param {string} name */
  #activation(x, name) {
    const { g } = this;
    const { activation } = this.config;
    /** @type {Record<string, () => string>} */
    const functions = {
      relu: () => g.node('Relu', [x], {}, name),
      gelu: () => g.node('Gelu', [x], {}, name),
      'gelu-tanh': () => g.node('Gelu', [x], { approximate: 'tanh' }, name),
      silu: () => g.node('Mul', [x, g.node('Sigmoid', [x])], {}, name),
      none: () => x,
    };
    return (functions[activation] ?? (() => refuse(activation)))();
  }

  /** The layer before BERT's output head. @param {string} x */
  transform(x) {
    const hidden = this.linear(
      x,
      this.weight('transform.dense.weight'),
      'transform.dense.bias',
      'transform.pre_activation',
    );
    return this.norm('transform.norm.', this.#activation(hidden, 'transform.activation'));
  }

  /** @param {string} at @param {string} x */
  feedForward(at, x) {
    const { ffn, ffnBias } = this.config;
    const map = (/** @type {string} */ from, /** @type {number} */ number, /** @type {string} */ name) => {
      const bias = ffnBias ? `${at}linear${number}.bias` : '';
      return this.linear(from, this.weight(`${at}linear${number}.weight`), bias, `${at}ffn.${name}`);
    };
    let active = this.#activation(map(x, 1, 'pre_activation'), `${at}ffn.activation`);
    if (ffn === 'gated') active = this.g.node('Mul', [active, map(x, 3, 'up')], {}, `${at}ffn.product`);
    return map(active, 2, 'out');
  }

  /**
   * @param {string} [padding] [batch, keys]
   * @param {string} [mask] [queries, keys]
   * @param {{causal: boolean, window: number, queries: string, keys: string}} [ranges] window: from which distance on
   *   keys are hidden, 0: none; queries, keys: values whose second axis they are
   * @returns {Masks}
   */
  masks(padding, mask, ranges) {
    const { g } = this;
    const all = [];
    if (padding) all.push(g.node('Unsqueeze', [padding, this.integers(1, 2)]));
    const { causal, window, queries, keys } = ranges ?? {};
    if (queries && keys && (causal || window)) {
      const columns = this.positions(keys);
      const rows = g.node('Unsqueeze', [this.positions(queries), this.integers(1)]);
      if (causal) all.push(g.node('Greater', [columns, rows]));
      if (window) {
        const distance = g.node('Abs', [g.node('Sub', [columns, rows])]);
        all.push(g.node('GreaterOrEqual', [distance, this.integers(window)]));
      }
    }
    const hidden = all.length > 0 ? all.reduce((a, b) => g.node('Or', [a, b])) : undefined;
    return { hidden, mask, whole: Boolean(padding || mask) };
  }

  /**
   * @param {string} at prefix of its weights
   * @param {string} x [batch, queries, d_model]
   * @param {string | undefined} memory where keys and values come from, if not from x
   * @param {Masks} masks
   * @param {string} [positions] of queries and keys that are turned by them
   */
  attention(at, x, memory, { hidden, mask, whole }, positions) {
    const { g, config } = this;
    const { d_model: C, heads, attentionBias, attentionOutBias, scoreScale, qkNorm } = config;
    const D = config.headWidth || C / heads;
    const N = config.ropeWidth || D;
    const groups = config.keyValueHeads || heads;
    const [A, E] = [heads * D, groups * D];
    const [weight, bias] = ['weight', 'bias'].map((each) =>
      each === 'weight' || attentionBias ? this.weight(`${at}in_proj_${each}`) : '',
    );
    /** @param {string} each @param {readonly number[]} sizes @returns {string[]} */
    const split = (each, sizes) => {
      if (!each) return sizes.map(() => '');
      const names = sizes.map((_, i) => `${each}.${i}`);
      g.node('Split', [each, this.integers(...sizes)], { axis: 0 }, names);
      return names;
    };
    const parts = ['query', 'key', 'value'].map((name) => `${at}${name}.rows`);
    /** @param {string} from @param {string[]} names @param {number[]} sizes */
    const columns = (from, names, sizes) => g.node('Split', [from, this.integers(...sizes)], { axis: 2 }, names);
    if (memory) {
      const [weights, biases] = [weight, bias].map((each) => split(each, [A, 2 * E]));
      this.linear(x, weights[0], biases[0], parts[0]);
      columns(this.linear(memory, weights[1], biases[1]), parts.slice(1), [E, E]);
    } else {
      columns(this.linear(x, weight, bias), parts, [A, E, E]);
    }
    /** [batch, heads, rows, D]. @param {number} i @param {string} name */
    const head = (i, name) => {
      const shape = this.integers(0, 0, i === 0 ? heads : groups, D);
      return g.node('Transpose', [g.node('Reshape', [parts[i], shape])], { perm: [0, 2, 1, 3] }, `${at}${name}`);
    };
    /** As the scores read queries or keys. @param {number} i @param {string} name */
    const positioned = (i, name) => {
      let y = head(i, name);
      if (qkNorm) y = this.#rms(y, this.weight(`${at}${name[0]}_norm.weight`), `${at}${name}_normed`);
      return positions ? this.#rotate(y, positions, { width: D, turned: N }, `${at}${name}_rotated`) : y;
    };
    /** Each group's keys or values for each head that reads them. @param {string} y */
    const shared = (y) => {
      if (groups === heads) return y;
      const apart = g.node('Unsqueeze', [y, this.integers(2)]);
      const repeated = g.node('Expand', [apart, this.integers(heads / groups, 1, 1)]);
      return g.node('Reshape', [repeated, this.integers(0, heads, -1, D)]);
    };
    const query = positioned(0, 'query');
    const keys = g.node('Transpose', [shared(positioned(1, 'key'))], { perm: [0, 1, 3, 2] });
    let scores = g.node('MatMul', [query, keys], {}, `${at}scores`);
    if (scoreScale) {
      scores = g.node('Mul', [scores, this.scalar(1 / Math.fround(Math.sqrt(D)))], {}, `${at}scaled`);
    }
    if (mask) scores = g.node('Add', [scores, mask]);
    if (hidden) scores = g.node('Where', [hidden, this.scalar(-Infinity), scores], {}, `${at}masked`);
    let weights = g.node('Softmax', [scores], { axis: -1 }, whole ? undefined : `${at}weights`);
    if (whole) {
      // A query whose keys are all hidden has weights 0, where softmax would be 0 / 0.
      const largest = g.node('ReduceMax', [scores, this.integers(-1)]);
      const none = g.node('Equal', [largest, this.scalar(-Infinity)]);
      weights = g.node('Where', [none, this.scalar(0), weights], {}, `${at}weights`);
    }
    const outputs = g.node('MatMul', [weights, shared(head(2, 'value'))], {}, `${at}head_outputs`);
    const rows = g.node('Transpose', [outputs], { perm: [0, 2, 1, 3] });
    const concat = g.node('Reshape', [rows, this.integers(0, 0, A)], {}, `${at}concat`);
    return this.linear(
      concat,
      this.weight(`${at}out_proj.weight`),
      attentionBias && attentionOutBias ? `${at}out_proj.bias` : '',
      `${at}out`,
    );
  }

  /**
   * Pairs (i, i + N/2) of the first N numbers of each head turned by the positions, as src/op/position.h says.
   * @param {string} x [batch, heads, rows, width] @param {string} positions [rows] or [batch, rows]
   * @param {{width: number, turned: number}} head turned: N @param {string} name
   */
  #rotate(x, positions, { width, turned: N }, name) {
    const { g } = this;
    const [cosine, sine] = ['Cos', 'Sin'].map((of) =>
      this.#once(`${of} ${positions}`, () => this.#turns(of, positions, N)),
    );
    const [a, b, rest] = [`${name}.first`, `${name}.second`, `${name}.rest`];
    const others = N < width ? [rest] : [];
    const sizes = N < width ? [N / 2, N / 2, width - N] : [N / 2, N / 2];
    g.node('Split', [x, this.integers(...sizes)], { axis: -1 }, [a, b, ...others]);
    const times = (/** @type {string} */ half, /** @type {string} */ by) => g.node('Mul', [half, by]);
    const first = g.node('Sub', [times(a, cosine), times(b, sine)]);
    const second = g.node('Add', [times(b, cosine), times(a, sine)]);
    return g.node('Concat', [first, second, ...others], { axis: -1 }, name);
  }

  /**
   * Cosines or sines, [rows, D/2] or [batch, 1, rows, D/2], of angles in double.
   * @param {string} of @param {string} positions @param {number} D
   */
  #turns(of, positions, D) {
    const { g } = this;
    const frequencies = this.#once('rotary', () =>
      g.constant(
        [D / 2],
        Float64Array.from({ length: D / 2 }, (_, i) => frequencyOf(i, D, this.config)),
        'rotary',
      ),
    );
    const column = g.node('Unsqueeze', [g.node('Cast', [positions], { to: 11 }), this.integers(-1)]);
    const turn = g.node('Cast', [g.node(of, [g.node('Mul', [column, frequencies])])], { to: 1 });
    return this.#own.has(positions) ? g.node('Unsqueeze', [turn, this.integers(1)]) : turn;
  }

  /**
   * A sublayer with its residual connection and norm.
   * @param {string} at of its layer @param {number} number from 1 @param {string} x
   * @param {(x: string) => string} compute
   * @param {string} [from] what it reads
   */
  sublayer(at, number, x, compute, from = x) {
    const { norm, residual } = this.config;
    const branch = compute(norm === 'pre' ? this.norm(`${at}norm${number}.`, from) : from);
    const sum = residual ? this.g.node('Add', [x, branch], {}, `${at}residual${number}`) : branch;
    return norm === 'post' ? this.norm(`${at}norm${number}.`, sum) : sum;
  }

  /**
   * Ids or vectors to the input of the first layer.
   * @param {{prefix: string, table: string, stack: string, length: string, inputs: string, layers: number}} of
   * @param {string} [padding] which positions go by
   */
  #embed({ prefix, table, stack, length, inputs, layers }, padding) {
    const { g, config } = this;
    const { d_model: C, vocabulary, embeddingScale, inputWidth, positions, types } = config;
    const rows = ['batch', length];
    const named = (/** @type {string} */ name) => (inputs ? inputs + name[0].toUpperCase() + name.slice(1) : name);
    /** @type {string} */
    let x;
    let given;
    if (vocabulary > 0) {
      given = g.input(named('ids'), rows, 'int64');
      x = g.node('Gather', [this.weight(table), given]);
      if (embeddingScale) x = g.node('Mul', [x, this.scalar(Math.fround(Math.sqrt(C)))], {}, `${stack}.embedding`);
    } else {
      x = given = g.input(named('vectors'), [...rows, inputWidth || C]);
      const at = `${prefix}input_proj`;
      if (inputWidth) x = this.linear(given, this.weight(`${at}.weight`), `${at}.bias`, `${stack}.embedding`);
    }
    const at = () => (padding ? this.#positionsFrom(given, padding) : this.positions(given));
    if (positions === 'sinusoidal' || positions === 'learned') {
      const encoding =
        positions === 'learned'
          ? g.node('Gather', [this.weight(`${prefix}pos_emb.weight`), at()], {}, `${stack}.positions`)
          : this.#sinusoids(at(), `${stack}.positions`);
      x = g.node('Add', [x, encoding]);
    }
    if (types > 0 && stack === 'encoder') {
      const ids = g.input(named('typeIds'), rows, 'int64');
      x = g.node('Add', [x, g.node('Gather', [this.weight(`${prefix}type_emb.weight`), ids])]);
    }
    if (config.embeddingNorm) x = this.norm(`${prefix}emb_ln.`, x);
    return { input: x, given, turned: positions === 'rotary' && layers > 0 ? at() : undefined };
  }

  /**
   * In double, as angles are large: sin(p / 10000^(2j/C)), the cosines as sines a quarter of a turn ahead.
   * @param {string} at positions @param {string} name
   */
  #sinusoids(at, name) {
    const { g, config } = this;
    const C = config.d_model;
    const frequency = Float64Array.from({ length: C }, (_, i) => Math.exp((-(i - (i % 2)) / C) * Math.log(10000)));
    const phase = Float64Array.from({ length: C }, (_, i) => (i % 2) * (Math.PI / 2));
    const column = g.node('Unsqueeze', [g.node('Cast', [at], { to: 11 }), this.integers(-1)]);
    const constants = [frequency, phase].map((data, i) =>
      this.#once(`sinusoids ${i}`, () => g.constant([C], data, ['frequencies', 'phases'][i])),
    );
    const angles = g.node('Add', [g.node('Mul', [column, constants[0]]), constants[1]]);
    return g.node('Cast', [g.node('Sin', [angles])], { to: 1 }, name);
  }

  /**
   * An encoder or decoder.
   * @param {{prefix: string, table: string, stack: string, length: string, inputs: string, layers: number,
   *   causal: boolean, memory?: {out: string, masks: Masks}}} of prefix: of its tables; length: the name of its axis;
   *   inputs: before the names of its inputs; memory: what cross-attention reads
   */
  stack({ layers, causal, memory, ...of }) {
    const { stack, length, inputs } = of;
    const { kind, heads, d_ff: F, finalNorm, positionsFrom, parallel } = this.config;
    const optional = () => this.optional(inputs ? `${inputs}Padding` : 'padding', ['batch', length], 'bool');
    const before = positionsFrom === 'index' ? undefined : optional();
    const { input, given, turned } = this.#embed({ ...of, layers }, before);
    let x = input;
    const padding = before ?? optional();
    const masked = kind !== 'encoder-decoder' || stack === 'decoder'; // the additive mask is the decoder's
    const mask = masked ? this.optional('mask', [length, length], 'float') : undefined;
    /** @type {Map<number, Masks>} by the window of a layer */
    const masks = new Map();
    for (let layer = 0; layer < layers; layer++) {
      const name = `${stack}.layers.${layer}.`;
      const start = x;
      if (heads > 0) {
        const window = this.windowOf(stack, layer);
        const own = masks.get(window) ?? this.masks(padding, mask, { causal, window, queries: given, keys: given });
        masks.set(window, own);
        x = this.sublayer(name, 1, x, (y) => this.attention(`${name}self_attn.`, y, undefined, own, turned));
      }
      if (memory) {
        const { out, masks: others } = memory;
        x = this.sublayer(name, 2, x, (y) => this.attention(`${name}multihead_attn.`, y, out, others));
      }
      const read = parallel ? start : x;
      if (F > 0) x = this.sublayer(name, memory ? 3 : 2, x, (y) => this.feedForward(name, y), read);
    }
    return { out: finalNorm ? this.norm(`${stack}.norm.`, x) : x, padding };
  }
}

/** Gains of a norm that has none. @param {Graph} g @param {number} size */
const ones = (g, size) => g.constant([size], new Float32Array(size).fill(1), 'ones');

/**
 * The frequency of pair i of D/2, scaled, as src/op/position.c has it.
 * @param {number} i
 * @param {number} D
 * @param {Config} config
 */
function frequencyOf(i, D, { ropeTheta, ropeScaling, ropeFactor, ropeLowFrequency, ropeHighFrequency, ...config }) {
  const plain = Math.exp(((-2 * i) / D) * Math.log(ropeTheta));
  if (ropeScaling === 'none') return plain;
  const turns = (config.ropeOriginalLength * plain) / (2 * Math.PI);
  const between = (turns - ropeLowFrequency) / (ropeHighFrequency - ropeLowFrequency);
  const kept = ropeScaling === 'linear' ? 0 : Math.min(Math.max(between, 0), 1);
  return plain * (kept + (1 - kept) / ropeFactor);
}
