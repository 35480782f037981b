import { activationBackward, layerNormBackward, softmaxBackward } from '../engine/backward.js';
import { layerNorm, matmul, softmax } from '../engine/ops.js';
import { positionsOf, spread } from './pull-back.js';

// Tangents forward through a model, beside the numbers of a captured pass; derivatives.js documents it. The Jacobian of
// each operation is symmetric in its input (softmax, LayerNorm without gain, an activation), so that its backward
// function gives the product with it too, or the operation is linear in each factor.

/** @typedef {import('../engine/handle.js').Handle} Handle */
/** @typedef {Float32Array | null} Tangent of a tensor as it lies in memory; null: all 0 */
/** @typedef {{x: Float32Array, dx: Tangent}} Pair a value and its tangent */

/** @param {Tangent} a @param {Tangent} b @returns {Tangent} */
const sum = (a, b) => (a && b ? a.map((value, i) => value + b[i]) : (a ?? b));

/**
 * (B,length,H*D) as (B,H,length,D), or back.
 * @param {Float32Array} data @param {number[]} sizes B, length, H, D @param {boolean} [back]
 */
function heads(data, [B, length, H, D], back = false) {
  const to = new Float32Array(data.length);
  for (let b = 0; b < B; b++)
    for (let t = 0; t < length; t++)
      for (let h = 0; h < H; h++) {
        const [apart, together] = [((b * H + h) * length + t) * D, ((b * length + t) * H + h) * D];
        for (let d = 0; d < D; d++) to[(back ? together : apart) + d] = data[(back ? apart : together) + d];
      }
  return to;
}

/** One pass of tangents through a model that has just run, with capture. */
class Push {
  /** @type {Map<number, Float32Array>} what the caller gave, by the address of the tensor */
  own = new Map();
  /** @type {Map<number, Tangent>} what was found */
  found = new Map();
  /** @type {string | null} */
  overflow = null;

  /**
   * @param {Handle} handle
   * @param {{B: number, S: number, T: number}} sizes
   * @param {number} temperature
   * @param {number[]} places addresses of patched numbers
   */
  constructor(handle, { B, S, T }, temperature, places) {
    this.handle = handle;
    this.config = /** @type {Record<string, any>} */ (handle.config);
    this.sizes = { B, S, T };
    this.temperature = temperature;
    this.places = new Set(places);
    this.C = Number(this.config.d_model);
  }

  /** The numbers of a tensor as they lie in memory. @param {string} name @returns {Float32Array} */
  value(name) {
    const { pointer, size } = this.handle.get(name);
    return this.handle.memory.copy('float32', pointer, size);
  }

  /** The tangent that a weight was given. @param {string} name @returns {Tangent} */
  weight(name) {
    return this.own.get(this.handle.get(name).pointer) ?? null;
  }

  /**
   * Takes note of a tensor's tangent.
   * @param {string} name
   * @param {Tangent} computed
   * @returns {Pair}
   */
  at(name, computed) {
    const { pointer } = this.handle.get(name);
    let dx = computed;
    if (dx && this.places.size) dx = dx.map((value, i) => (this.places.has(pointer + 4 * i) ? 0 : value));
    dx = sum(dx, this.own.get(pointer) ?? null);
    this.found.set(pointer, dx);
    if (dx && !this.overflow && !dx.every(Number.isFinite)) this.overflow = name;
    return { x: this.value(name), dx };
  }

  /**
   * a b^T of rows, for each of the leading ones.
   * @param {Float32Array} a @param {Float32Array} b @param {number} K @param {number} [outer]
   * @param {boolean} [plain] a b
   */
  product(a, b, K, outer = 1, plain = false) {
    const [R, N] = [a.length / K / outer, b.length / K / outer];
    const shape = plain ? [outer, K, N] : [outer, N, K];
    return matmul(this.handle.core, {
      a: { data: a, shape: [outer, R, K] },
      b: { data: b, shape },
      transposeB: !plain,
      maxOperations: Infinity,
    }).data;
  }

  /**
   * The tangent of x W^T + bias, or of a part of its rows.
   * @param {Pair} input
   * @param {string} weight
   * @param {string | false} bias
   * @param {number} K columns of x
   * @param {[first: number, end: number]} [rows] of the weight
   * @returns {Tangent}
   */
  linear({ x, dx }, weight, bias, K, [first, end] = [0, Infinity]) {
    const cut = (/** @type {Tangent} */ w) => w && w.subarray(first * K, end * K);
    const part = cut(this.weight(weight));
    const from = bias && this.weight(bias);
    const y = sum(
      dx && this.product(dx, /** @type {Float32Array} */ (cut(this.value(weight))), K),
      part && this.product(x, part, K),
    );
    if (!from) return y;
    const added = from.subarray(first, end);
    const length = (x.length / K) * added.length;
    return sum(
      y,
      Float32Array.from({ length }, (_, i) => added[i % added.length]),
    );
  }

  /** @param {string} prefix of a LayerNorm's names @param {Pair} input @returns {Pair} */
  norm(prefix, { x, dx }) {
    const { C, config, handle } = this;
    const shape = [x.length / C, C];
    const given = { x: { data: x, shape }, epsilon: config.epsilon };
    let y = dx && layerNormBackward(handle.core, { ...given, gradient: { data: dx, shape } }).x.data;
    if (config.normAffine) {
      const gain = this.value(`${prefix}weight`);
      const [dgain, dbias] = ['weight', 'bias'].map((name) => this.weight(prefix + name));
      y = y && y.map((value, i) => value * gain[i % C]);
      if (dgain)
        y = sum(
          y,
          layerNorm(handle.core, given).output.data.map((value, i) => value * dgain[i % C]),
        );
      if (dbias)
        y = sum(
          y,
          x.map((_, i) => dbias[i % C]),
        );
    }
    return this.at(`${prefix}out`, y);
  }

  /**
   * @param {string} prefix of an attention's names
   * @param {Pair} input of the queries
   * @param {Pair} from of keys and values
   * @param {[T: number, S: number]} lengths
   * @returns {Pair}
   */
  attention(prefix, input, from, [T, S]) {
    const { C, config, handle, sizes, temperature } = this;
    const { B } = sizes;
    const H = Number(config.heads);
    const D = C / H;
    const bias = config.attentionBias && `${prefix}in_proj_bias`;
    const project = (/** @type {string} */ name, /** @type {Pair} */ pair, /** @type {number} */ part) => {
      const rows = /** @type {[number, number]} */ ([part * C, (part + 1) * C]);
      const { x, dx } = this.at(prefix + name, this.linear(pair, `${prefix}in_proj_weight`, bias, C, rows));
      const apart = [B, part ? S : T, H, D];
      return { x: heads(x, apart), dx: dx && heads(dx, apart) };
    };
    const [q, k, v] = [project('query', input, 0), project('key', from, 1), project('value', from, 2)];
    const scores = sum(q.dx && this.product(q.dx, k.x, D, B * H), k.dx && this.product(q.x, k.dx, D, B * H));
    const { dx: raw } = this.at(`${prefix}scores`, scores);
    const scale = (config.scoreScale ? 1 / Math.sqrt(D) : 1) / temperature;
    const { dx: scaled } = this.at(`${prefix}scaled`, raw && raw.map((value) => value * scale));
    const hidden = this.value(`${prefix}masked`);
    const { x: masked, dx } = this.at(
      `${prefix}masked`,
      scaled && scaled.map((value, i) => (hidden[i] === -Infinity ? 0 : value)),
    );
    const shape = [masked.length / S, S];
    let slope = null;
    if (dx) {
      const output = softmax(handle.core, { x: { data: masked, shape } });
      slope = softmaxBackward(handle.core, { output, gradient: { data: dx, shape } }).data;
    }
    const weights = this.at(`${prefix}weights`, slope);
    const mixed = sum(
      weights.dx && this.product(weights.dx, v.x, S, B * H, true),
      v.dx && this.product(weights.x, v.dx, S, B * H, true),
    );
    const concat = this.at(`${prefix}concat`, mixed && heads(mixed, [B, T, H, D], true));
    const outBias = config.attentionBias && `${prefix}out_proj.bias`;
    return this.at(`${prefix}out`, this.linear(concat, `${prefix}out_proj.weight`, outBias, C));
  }

  /**
   * The activation of a linear map.
   * @param {string} prefix of the names of what is computed
   * @param {Pair} input
   * @param {string[]} weights weight and bias
   * @returns {Pair}
   */
  active(prefix, input, [weight, bias]) {
    const { C, config, handle } = this;
    const before = this.at(`${prefix}pre_activation`, this.linear(input, weight, bias, C));
    const shape = [before.x.length];
    const slope =
      before.dx &&
      activationBackward(handle.core, {
        x: { data: before.x, shape },
        gradient: { data: before.dx, shape },
        activation: config.activation,
      }).data;
    return this.at(`${prefix}activation`, slope);
  }

  /** What the output head reads, of one with `headTransform`. @param {Pair} input @returns {Pair} */
  transform(input) {
    const active = this.active('transform.', input, ['transform.dense.weight', 'transform.dense.bias']);
    return this.norm('transform.norm.', active);
  }

  /** @param {string} prefix of an FFN's names @param {Pair} input @returns {Pair} */
  ffn(prefix, input) {
    const weights = [`${prefix}linear1.weight`, `${prefix}linear1.bias`];
    const active = this.active(`${prefix}ffn.`, input, weights);
    const y = this.linear(active, `${prefix}linear2.weight`, `${prefix}linear2.bias`, Number(this.config.d_ff));
    return this.at(`${prefix}ffn.out`, y);
  }

  /**
   * @param {string} prefix of a layer's names
   * @param {Pair} input
   * @param {number} T
   * @param {Pair} [memory]
   * @returns {Pair}
   */
  layer(prefix, input, T, memory) {
    const { config, sizes } = this;
    const sublayers = [
      (/** @type {Pair} */ pair) => this.attention(`${prefix}self_attn.`, pair, pair, [T, T]),
      memory && ((/** @type {Pair} */ pair) => this.attention(`${prefix}multihead_attn.`, pair, memory, [T, sizes.S])),
      config.d_ff > 0 && ((/** @type {Pair} */ pair) => this.ffn(prefix, pair)),
    ];
    let stream = input;
    let number = 0;
    for (const sublayer of sublayers) {
      if (!sublayer) continue;
      number++;
      const norm = `${prefix}norm${number}.`;
      const branch = sublayer(config.norm === 'pre' ? this.norm(norm, stream) : stream);
      stream = config.residual ? this.at(`${prefix}residual${number}`, sum(stream.dx, branch.dx)) : branch;
      if (config.norm === 'post') stream = this.norm(norm, stream);
    }
    return stream;
  }

  /**
   * @param {'encoder' | 'decoder'} name
   * @param {{tables: string, table: string, layers: number, length: number}} parts tables: what the names of its own
   *   tables begin with; table: of tokens
   * @param {Pair} [memory]
   * @returns {Pair}
   */
  stack(name, { tables, table, layers, length }, memory) {
    const { C, config, sizes } = this;
    const ids = batchIds(this, `${name}.ids`, sizes.B * length);
    const dtable = ids && this.weight(table);
    const scale = config.embeddingScale ? Math.sqrt(C) : 1;
    const rows = (/** @type {Tangent} */ of, /** @type {ArrayLike<number>} */ at, factor = 1) =>
      of && Float32Array.from({ length: at.length * C }, (_, i) => factor * of[at[Math.floor(i / C)] * C + (i % C)]);
    let { dx } = ids ? this.at(`${name}.embedding`, rows(dtable, ids, scale)) : this.at(`${name}.vectors`, null);
    if (config.positions === 'learned') {
      const order = Array.from({ length: sizes.B * length }, (_, i) => i % length);
      dx = sum(dx, rows(this.weight(`${tables}pos_emb.weight`), order));
    }
    const types = name === 'encoder' && config.types > 0 && batchIds(this, 'encoder.types', sizes.B * length);
    if (types) dx = sum(dx, rows(this.weight(`${tables}type_emb.weight`), types));
    let stream = this.at(`${name}.input`, dx);
    if (config.embeddingNorm) stream = this.norm(`${tables}emb_ln.`, stream);
    for (let i = 0; i < layers; i++) stream = this.layer(`${name}.layers.${i}.`, stream, length, memory);
    if (config.finalNorm) stream = this.norm(`${name}.norm.`, stream);
    return this.at(`${name}.out`, stream.dx);
  }

  run() {
    const { C, config, sizes } = this;
    const { kind } = config;
    if (kind === 'feed-forward') return this.ffn('', this.at('input', null));
    if (kind === 'attention') {
      const input = this.at('input', null);
      const memory = sizes.S > 0 ? this.at('memory', null) : input;
      return this.attention('', input, memory, [sizes.T, sizes.S || sizes.T]);
    }
    const both = kind === 'encoder-decoder';
    const [source, target] = both ? ['src_', 'tgt_'] : ['', ''];
    const tokens = (/** @type {string} */ tables) => (both ? `${tables}emb.weight` : 'tok_emb.weight');
    let table = tokens(source);
    let out;
    if (kind !== 'decoder')
      out = this.stack('encoder', { tables: source, table, layers: config.layers, length: sizes.S });
    if (kind !== 'encoder') {
      if (!config.tiedEmbeddings) table = tokens(target);
      const layers = both ? config.decoderLayers : config.layers;
      out = this.stack('decoder', { tables: target, table, layers, length: sizes.T }, out);
    }
    if (config.head === 'none') return out;
    const weight = config.head === 'tied' ? table : 'generator.weight';
    const read = config.headTransform ? this.transform(/** @type {Pair} */ (out)) : /** @type {Pair} */ (out);
    const y = this.linear(read, weight, config.headBias && 'generator.bias', C);
    return this.at('logits', y);
  }
}

/** @param {Push} push @param {string} name @param {number} length @returns {Int32Array | null} null: there are none */
function batchIds({ handle }, name, length) {
  const info = handle.list().find((each) => each.name === name);
  return info ? /** @type {any} */ (handle.memory.copy('int32', info.pointer, length)) : null;
}

/**
 * The tangents of a model's tensors, given those of others.
 * @param {Handle} handle of a model that has just run, with capture
 * @param {import('../engine/inputs.js').Batch} batch
 * @param {any} given
 * @param {number[]} places addresses of patched numbers
 * @returns {import('../derivatives.js').Tangents}
 */
export function pushForward(handle, { sizes }, { tangents, of, temperature = 1 }, places) {
  const push = new Push(handle, /** @type {any} */ (sizes), temperature, places);
  for (const [name, { data }] of tangents) {
    const info = handle.get(name);
    const placed = spread(info, data);
    push.own.set(info.pointer, /** @type {Float32Array} */ (sum(placed, push.own.get(info.pointer) ?? null)));
  }
  push.run();
  const read = (/** @type {string} */ name) => {
    const info = handle.get(name);
    const dx = push.found.get(info.pointer) ?? push.own.get(info.pointer);
    const data = new Float32Array(info.size);
    if (dx) positionsOf(info).forEach((at, i) => (data[i] = dx[at]));
    return { data, shape: [...info.shape] };
  };
  return { tangents: new Map(of.map((/** @type {string} */ name) => [name, read(name)])), overflow: push.overflow };
}
