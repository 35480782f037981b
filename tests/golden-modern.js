// Computes the reference cases of today's decoders: RMSNorm, rotary positions, gated feed-forward networks and grouped
// heads, under the names of Hugging Face's Llama.
import { ACTIVATION } from './golden-cases.js';
import { only } from './golden-read.js';

/** @typedef {import('./golden-cases.js').Case} Case */
/** @typedef {{data: ArrayLike<number>, shape: number[]}} Tensor */

/** The settings of a case's block. @param {Record<string, any>} p */
export function blockOf(p) {
  only(p, { rope_layout: 'half', causal: true, norm_first: true, start_pos: 0 });
  const s = p.rope_scaling;
  const windowed = p.window_layers ?? null;
  const all = Array.from({ length: p.layers ?? 1 }, (_, i) => i);
  return {
    d_model: p.d,
    heads: p.heads,
    keyValueHeads: p.kv_heads,
    headWidth: p.head_dim,
    d_ff: p.d_ff ?? 0,
    ffn: 'gated',
    activation: ACTIVATION[p.activation ?? 'silu'],
    norm: 'pre',
    normKind: 'rms',
    epsilon: p.eps,
    positions: 'rotary',
    ropeTheta: p.rope_theta,
    ...(s && { ropeScaling: s.rope_type, ropeFactor: s.factor }),
    ...(s?.rope_type === 'llama3' && {
      ropeLowFrequency: s.low_freq_factor,
      ropeHighFrequency: s.high_freq_factor,
      ropeOriginalLength: s.original_max_position_embeddings,
    }),
    qkNorm: p.qk_norm,
    attentionBias: p.qkv_bias,
    attentionOutBias: p.o_bias,
    ffnBias: p.mlp_bias ?? false,
    window: p.window ?? 0,
    globalLayers: windowed ? all.filter((i) => !windowed.includes(i)).reduce((bits, i) => bits | (1 << i), 0) : 0,
    causal: true,
    embeddingScale: false,
  };
}

/** @param {Record<string, any>} p */
const modelOf = (p) => ({
  ...blockOf(p),
  kind: 'decoder',
  vocabulary: p.vocab,
  layers: p.layers,
  finalNorm: p.final_norm,
  head: p.tied_head ? 'tied' : 'linear',
  headBias: p.head_bias,
});

/** @param {Record<string, any>} p */
const layerOf = (p) => ({ ...blockOf(p), kind: 'decoder', layers: 1, finalNorm: false });

const PARTS = ['q_proj', 'k_proj', 'v_proj'];

/** Our name for a weight, and which part of it the case's is. @param {string} name @param {string} [stack] */
function nameOf(name, stack = 'decoder.') {
  const part = PARTS.findIndex((each) => name.includes(each));
  const ours = name
    .replace(/^model\.embed_tokens\./, 'tok_emb.')
    .replace(/^lm_head\./, 'generator.')
    .replace(/^model\.norm\./, 'decoder.norm.')
    .replace(/^model\.(?=layers\.)/, stack)
    .replace(/[qkv]_proj\./, 'in_proj_')
    .replace('o_proj.', 'out_proj.')
    .replace('input_layernorm.', 'norm1.')
    .replace('post_attention_layernorm.', 'norm2.')
    .replace(/(mlp\.)?gate_proj\./, 'linear1.')
    .replace(/(mlp\.)?up_proj\./, 'linear3.')
    .replace(/(mlp\.)?down_proj\./, 'linear2.');
  return { ours, part };
}

/** The names of a case's op. @type {Record<string, (name: string) => {ours: string, part: number}>} */
const NAMES = {
  gqa: (name) => nameOf(name),
  gated_ffn: (name) => nameOf(name),
  llama_layer: (name) => nameOf(`model.layers.0.${name}`),
  llama: (name) => nameOf(name),
  train_llama: (name) => nameOf(name),
};

/** The weights of a case by our names, projections joined. @param {string} op @param {Map<string, Tensor>} weights */
export function weightsOf(op, weights) {
  /** @type {Map<string, Tensor[]>} */
  const joined = new Map();
  for (const [name, tensor] of weights) {
    const { ours, part } = NAMES[op](name);
    if (part < 0) joined.set(ours, [tensor]);
    else joined.set(ours, Object.assign(joined.get(ours) ?? [], { [part]: tensor }));
  }
  return new Map(
    [...joined].map(([name, parts]) => {
      const rows = parts.reduce((sum, { shape }) => sum + shape[0], 0);
      const data = Float32Array.from(parts.flatMap((part) => [...part.data]));
      return [name, { data, shape: [rows, ...parts[0].shape.slice(1)] }];
    }),
  );
}

/**
 * Reads a tensor of ours under the case's NAME.
 * @param {Case} c @param {string} op @param {string} name @param {(ours: string) => Tensor} read
 */
export function read(c, op, name, read) {
  const { ours, part } = NAMES[op](name);
  const tensor = read(ours);
  if (part < 0) return tensor;
  const { heads, kv_heads: groups, head_dim: width } = c.params;
  const rows = [heads * width, groups * width, groups * width];
  const from = rows.slice(0, part).reduce((sum, each) => sum + each, 0);
  const columns = tensor.data.length / tensor.shape[0];
  const data = Array.prototype.slice.call(tensor.data, from * columns, (from + rows[part]) * columns);
  return { data, shape: [rows[part], ...tensor.shape.slice(1)] };
}

/** @param {any} gf @param {object} config @param {string} op @param {Case} c @param {object} inputs
 * @param {(model: any, result: any) => any} get */
function run(gf, config, op, c, inputs, get) {
  const model = gf.createModel(config);
  try {
    model.loadWeights(weightsOf(op, c.weights));
    const plain = model.forward({ ...inputs });
    const result = model.forward({ ...inputs, capture: true });
    for (const name of Object.keys(result))
      if (
        result[name].data.some((/** @type {number} */ v, /** @type {number} */ i) => !Object.is(v, plain[name].data[i]))
      )
        throw new Error(`capture changes ${name}`);
    return get(model, result);
  } finally {
    model.free();
  }
}

/** The angles of a case. @param {Record<string, any>} p */
const anglesOf = ({ rope_theta: theta, rope_scaling: s }) => ({
  theta,
  ...(s && { scaling: s.rope_type, factor: s.factor }),
  ...(s?.rope_type === 'llama3' && {
    lowFrequency: s.low_freq_factor,
    highFrequency: s.high_freq_factor,
    originalLength: s.original_max_position_embeddings,
  }),
});

/**
 * (B,heads,T,D) turned by the positions of its tokens, [T] or [B,T].
 * @param {any} gf @param {Tensor} x @param {Tensor} positions @param {Record<string, any>} p @param {boolean} [inverse]
 */
function turned(gf, x, positions, p, inverse = false) {
  const [B, H, T, D] = x.shape;
  const given = positions.data;
  const data = Int32Array.from({ length: B * H * T }, (_, row) =>
    given.length === T ? given[row % T] : given[Math.floor(row / (H * T)) * T + (row % T)],
  );
  const flat = { data: x.data, shape: [B * H, T, D] };
  const interleaved = p.rope_layout === 'interleaved';
  const options = { ...anglesOf(p), positions: { data, shape: [B * H, T] }, interleaved, inverse };
  return { data: gf.rotary(flat, options).data, shape: x.shape };
}

/** (B,T,heads D) as (B,heads,T,D), or back. @param {Tensor} x @param {number} heads @param {boolean} [back] */
function apart(x, heads, back = false) {
  const [B, T, D] = back ? [x.shape[0], x.shape[2], x.shape[3]] : [x.shape[0], x.shape[1], x.shape[2] / heads];
  const data = new Float32Array(B * heads * T * D);
  for (let i = 0; i < data.length; i++) {
    const [d, h] = [i % D, Math.floor(i / D) % heads];
    const [t, b] = [Math.floor(i / (D * heads)) % T, Math.floor(i / (D * heads * T))];
    const other = ((b * heads + h) * T + t) * D + d;
    if (back) data[i] = x.data[other];
    else data[other] = x.data[i];
  }
  return { data, shape: back ? [B, T, heads * D] : [B, heads, T, D] };
}

/** (B,G,S,D) of keys with cached ones before them. @param {Tensor} past @param {Tensor} now */
function after(past, now) {
  const [B, G, P, D] = past.shape;
  const S = P + now.shape[2];
  const data = Float32Array.from({ length: B * G * S * D }, (_, i) => {
    const [row, head] = [Math.floor(i / D) % S, Math.floor(i / (D * S))];
    return row < P ? past.data[(head * P + row) * D + (i % D)] : now.data[(head * (S - P) + row - P) * D + (i % D)];
  });
  return { data, shape: [B, G, S, D] };
}

/** Rows from .. end of (B,G,S,D). @param {Tensor} x @param {number} from @param {number} end */
function rowsOf(x, from, end) {
  const [B, G, S, D] = x.shape;
  const count = end - from;
  const data = Float32Array.from({ length: B * G * count * D }, (_, i) => {
    const [row, head] = [Math.floor(i / D) % count, Math.floor(i / (D * count))];
    return x.data[(head * S + from + row) * D + (i % D)];
  });
  return { data, shape: [B, G, count, D] };
}

/** Attention of queries after cached keys, from the operations on arrays; with the steps' gradients. */
function afterPast(/** @type {any} */ gf, /** @type {any} */ c) {
  const { input, params: p, cotangent } = c;
  only(p, { causal: true, qkv_bias: false, o_bias: false, qk_norm: false, eps: p.eps });
  const weight = (/** @type {string} */ name) => c.weights.get(`${name}.weight`);
  const linear = (/** @type {any} */ x, /** @type {string} */ name) => gf.matmul(x, weight(name), { transposeB: true });
  const { heads: H, kv_heads: G, past: P, T, B } = p;
  const positions = { data: Array.from({ length: T }, (_, i) => p.start_pos + i), shape: [T] };
  const q = apart(linear(input.x, 'q_proj'), H);
  const k = apart(linear(input.x, 'k_proj'), G);
  const v = apart(linear(input.x, 'v_proj'), G);
  const [qRot, kRot] = [turned(gf, q, positions, p), turned(gf, k, positions, p)];
  const [allK, allV] = [after(input.past_k, kRot), after(input.past_v, v)];
  const S = P + T;
  const grouped = (/** @type {Tensor} */ x) => {
    const size = S * p.head_dim;
    const data = Array.from({ length: B * H }, (_, i) => {
      const from = (Math.floor(i / H) * G + Math.floor((i % H) / (H / G))) * size;
      return [...Array.prototype.slice.call(x.data, from, from + size)];
    }).flat();
    return apart({ data, shape: [B, H, S, p.head_dim] }, H, true);
  };
  const mask = Float32Array.from({ length: T * S }, (_, i) => {
    const [query, key] = [P + Math.floor(i / S), i % S];
    return key > query || (p.window && key <= query - p.window) ? -Infinity : 0;
  });
  const given = [apart(qRot, H, true), grouped(allK), grouped(allV)];
  const r = gf.attention(...given, { heads: H, mask: { data: mask, shape: [T, S] } });
  const results = {
    ...{ q, k, v, q_rot: qRot, k_rot: kRot, present_k: allK, present_v: allV, scores: r.scores, weights: r.weights },
    ...{ head_out: apart(r.output, H), concat: r.output, y: linear(r.output, 'o_proj') },
  };
  const slopes = () => {
    const back = (/** @type {any} */ dy, /** @type {string} */ name) => gf.matmul(dy, weight(name));
    const flat = (/** @type {any} */ x) => ({ data: x.data, shape: [x.data.length / x.shape.at(-1), x.shape.at(-1)] });
    const slope = (/** @type {any} */ dy, /** @type {any} */ x) => gf.matmul(flat(dy), flat(x), { transposeA: true });
    const { query, key, value } = gf.attentionBackward(...given, back(cotangent.y, 'o_proj'), {
      weights: r.weights,
      heads: H,
    });
    const summed = (/** @type {Tensor} */ x) => {
      const parts = apart(x, H);
      const size = S * p.head_dim;
      const data = new Float32Array(B * G * size);
      parts.data.forEach((value, i) => {
        const head = Math.floor(i / size);
        data[(Math.floor(head / H) * G + Math.floor((head % H) / (H / G))) * size + (i % size)] += value;
      });
      return { data, shape: [B, G, S, p.head_dim] };
    };
    const [dk, dv] = [summed(key), summed(value)];
    const dq = apart(turned(gf, apart(query, H), positions, p, true), H, true);
    const dkNow = apart(turned(gf, rowsOf(dk, P, S), positions, p, true), G, true);
    const dvNow = apart(rowsOf(dv, P, S), G, true);
    const parts = [back(dq, 'q_proj'), back(dkNow, 'k_proj'), back(dvNow, 'v_proj')];
    return {
      x: gf.add(gf.add(parts[0], parts[1]), parts[2]),
      past_k: rowsOf(dk, 0, P),
      past_v: rowsOf(dv, 0, P),
      'q_proj.weight': slope(dq, input.x),
      'k_proj.weight': slope(dkNow, input.x),
      'v_proj.weight': slope(dvNow, input.x),
      'o_proj.weight': slope(cotangent.y, r.output),
    };
  };
  return { results, slopes };
}

/** @type {Record<string, (gf: any, c: Case) => Record<string, any>>} */
export const forward = {
  rmsnorm: (gf, { input: { x }, params: p, weights }) => {
    const { output, meanSquare } = gf.rmsNorm(x, { weight: weights.get('weight'), epsilon: p.eps });
    const data = Float64Array.from(meanSquare.data, (square) => 1 / Math.sqrt(square + p.eps));
    return { y: output, rrms: { data, shape: meanSquare.shape } };
  },

  rope_table: (gf, { input: { positions }, params: p }) => {
    const { cos, sin } = gf.rotaryTable({ ...anglesOf(p), headWidth: p.head_dim, positions });
    // The angle of position 1 is the frequency.
    const one = gf.rotaryTable({ ...anglesOf(p), headWidth: p.head_dim, start: 1, length: 1 });
    const data = Float64Array.from(one.sin.data, (sine, i) => Math.atan2(sine, one.cos.data[i]));
    return { inv_freq: { data, shape: [p.head_dim / 2] }, cos, sin };
  },

  rope: (gf, { input: { q, k, positions }, params: p }) => {
    only(p, { heads: q.shape[1], kv_heads: k.shape[1], head_dim: q.shape[3] });
    return { q_rot: turned(gf, q, positions, p), k_rot: turned(gf, k, positions, p) };
  },

  gated_ffn: (gf, c) => {
    const { input, params: p } = c;
    const outer = input.x.shape.slice(0, -1);
    const flat = { data: input.x.data, shape: [1, input.x.data.length / p.d, p.d] };
    const shaped = (/** @type {Tensor} */ t) => ({ data: t.data, shape: [...outer, t.shape.at(-1)] });
    return run(gf, ffnOf(p), 'gated_ffn', c, { vectors: flat }, (m, { output }) => ({
      gate: shaped(m.tensor('ffn.pre_activation')),
      up: shaped(m.tensor('ffn.up')),
      hidden: shaped(m.tensor('ffn.product')),
      y: shaped(output),
    }));
  },

  gqa: (gf, c) => {
    const { input, params: p } = c;
    if (p.past) return afterPast(gf, c).results;
    const inputs = { vectors: input.x, padding: input.key_padding_mask };
    return run(gf, { ...blockOf(p), kind: 'attention' }, 'gqa', c, inputs, (m, { output }) => ({
      q: m.tensor('query'),
      k: m.tensor('key'),
      v: m.tensor('value'),
      ...(p.qk_norm && { q_normed: m.tensor('query_normed'), k_normed: m.tensor('key_normed') }),
      q_rot: m.tensor('query_rotated'),
      k_rot: m.tensor('key_rotated'),
      present_k: m.tensor('key_rotated'),
      present_v: m.tensor('value'),
      scores: m.tensor('scaled'),
      weights: m.tensor('weights'),
      head_out: m.tensor('head_outputs'),
      concat: m.tensor('concat'),
      y: output,
    }));
  },

  llama_layer: (gf, c) =>
    run(gf, layerOf(c.params), 'llama_layer', c, { vectors: c.input.x }, (m, { output }) => {
      const of = (/** @type {string} */ name) => m.tensor(`decoder.layers.0.${name}`);
      return {
        input_layernorm: of('norm1.out'),
        weights: of('self_attn.weights'),
        self_attn: of('self_attn.out'),
        post_attention_layernorm: of('norm2.out'),
        mlp: of('ffn.out'),
        y: output,
      };
    }),

  llama: (gf, c) => {
    const { input, params: p } = c;
    return run(gf, modelOf(p), 'llama', c, { ids: input.ids }, (m, { output, logits }) => {
      const each = (/** @type {(i: number) => [string, Tensor]} */ entry) =>
        Object.fromEntries(Array.from({ length: p.layers }, (_, i) => entry(i)));
      return {
        hidden0: m.tensor('decoder.input'),
        ...each((i) => [`hidden${i + 1}`, m.tensor(`decoder.layers.${i}.out`)]),
        ...each((i) => [`weights${i}`, m.tensor(`decoder.layers.${i}.self_attn.weights`)]),
        norm: output,
        logits: inParts(m, input.ids, logits, p.parts),
        loss: lossOf(gf, logits, input.targets, p.ignore_index),
        ...(p.greedy > 0 && { greedy: greedy(m, [...input.ids.data.subarray(0, 2)], p.greedy) }),
      };
    });
  },
};

/** Gradients of operations. @type {Record<string, (gf: any, c: any) => Record<string, any> | undefined>} */
export const OPERATION = {
  rmsnorm: (gf, { input: { x }, params: p, weights, cotangent: { y } }) =>
    gf.rmsNormBackward(x, y, { weight: weights.get('weight'), epsilon: p.eps }),
  rope: (gf, { input: { positions }, params: p, cotangent: { q_rot: q, k_rot: k } }) => {
    only(p, { heads: q.shape[1], kv_heads: k.shape[1], head_dim: q.shape[3] });
    return { q: turned(gf, q, positions, p, true), k: turned(gf, k, positions, p, true) };
  },
  gqa: (gf, c) => (c.params.past ? afterPast(gf, c).slopes() : undefined),
};

/** @param {Record<string, any>} p */
const ffnOf = (p) => ({
  kind: 'feed-forward',
  d_model: p.d,
  d_ff: p.d_ff,
  heads: 1,
  ffn: 'gated',
  activation: ACTIVATION[p.activation],
  ffnBias: p.mlp_bias,
});

/** @param {any} gf @param {any} logits @param {any} labels @param {number} ignoreIndex */
function lossOf(gf, logits, labels, ignoreIndex) {
  const V = logits.shape.at(-1);
  const flat = { data: logits.data, shape: [logits.data.length / V, V] };
  return gf.crossEntropy(flat, { data: labels.data, shape: [labels.data.length] }, { ignoreIndex }).loss;
}

/**
 * The logits, which passes over the first ids, then over more of them, must give to the bit: what came before is kept.
 * @param {any} m @param {any} ids @param {any} logits @param {number[]} parts
 */
function inParts(m, ids, logits, parts) {
  const [B, T] = ids.shape;
  const V = logits.shape[2];
  for (let row = 0; row < B; row++) {
    for (const [i] of parts.entries()) {
      const end = parts.slice(0, i + 1).reduce((sum, part) => sum + part);
      const { data } = m.forward({ ids: ids.data.slice(row * T, row * T + end) }).logits;
      const at = data.findIndex(
        (/** @type {number} */ x, /** @type {number} */ j) => x !== logits.data[row * T * V + j],
      );
      if (at >= 0) throw new Error(`parts ${parts}: logits[${at}] of row ${row} is ${data[at]}`);
    }
  }
  return logits;
}

/**
 * Greedy tokens with and without the cache, which must agree.
 * @param {any} m @param {number[]} ids @param {number} n
 */
function greedy(m, ids, n) {
  const data = m.generateSync({ ids, maxTokens: n, temperature: 0 }).ids;
  const slow = m.generateSync({ ids, maxTokens: n, temperature: 0, cache: false }).ids;
  if (`${data}` !== `${slow}`) throw new Error(`the cache changes greedy tokens: ${data}, without it ${slow}`);
  return { data, shape: [data.length] };
}

/**
 * A case as a model that trains: its configuration, the batch, the loss, and the model's inputs by the case's names.
 * @type {Record<string, (c: any) => {config: object, batch: object, trainer: object, inputs?: Record<string, string>}>}
 */
export const AS_MODEL = {
  gated_ffn: ({ input: { x }, params: p, cotangent }) => {
    const flat = (/** @type {any} */ t) => ({ data: t.data, shape: [1, t.data.length / p.d, p.d] });
    return {
      config: ffnOf(p),
      batch: { vectors: flat(x), labels: flat(cotangent.y) },
      trainer: { loss: 'linear' },
      inputs: { x: 'input' },
    };
  },
  gqa: ({ input, params: p, cotangent }) => ({
    config: { ...blockOf(p), kind: 'attention' },
    batch: { vectors: input.x, padding: input.key_padding_mask, labels: cotangent.y },
    trainer: { loss: 'linear' },
    inputs: { x: 'input' },
  }),
  llama_layer: ({ input, params: p, cotangent }) => ({
    config: layerOf(p),
    batch: { vectors: input.x, labels: cotangent.y },
    trainer: { loss: 'linear' },
    inputs: { x: 'decoder.vectors' },
  }),
  llama: ({ input, params: p }) => ({
    config: modelOf(p),
    batch: { ids: input.ids, labels: input.targets },
    trainer: { ignoreIndex: p.ignore_index },
  }),
};

export const trainedModel = modelOf;
