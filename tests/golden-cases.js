// Computes each kind of reference case through the public API: the case's op, then a
// function that gives every output of it by the case's own names. See tests/golden/README.md.

import { only } from './golden-read.js';

/**
 * @typedef {{data: ArrayLike<number>, shape: number[]}} Tensor
 * @typedef {object} Case
 * @property {string} op
 * @property {Record<string, any>} params
 * @property {Record<string, any>} meta
 * @property {Record<string, any>} input     tensors by name, without 'input.'
 * @property {Map<string, any>} weights      likewise, without 'weight.'
 */

/** @type {Record<string, string>} */
export const ACTIVATION = { relu: 'relu', gelu_erf: 'gelu', gelu_tanh: 'gelu-tanh', silu: 'silu', top_k: 'top-k' };

/** Our name for a weight of a case. @type {Record<string, (name: string) => string>} */
export const renames = {
  encoder: (name) => `encoder.${name}`,
  gpt2: (name) => name.replace(/^blocks\./, 'decoder.').replace(/^ln_f\./, 'decoder.norm.'),
  bert: (name) => name.replace(/^word_emb\./, 'tok_emb.'),
  seq2seq: (name) => name.replace(/^transformer\./, ''),
};

/** @param {any} t ids @param {number} pad */
export const isPad = (t, pad) => ({ data: Uint8Array.from(t.data, (id) => Number(id === pad)), shape: t.shape });

/** @type {Record<string, (gf: any, c: Case) => Record<string, Tensor | number>>} */
export const forward = {
  matmul: (gf, { input: { a, b }, params: p }) => ({
    y: gf.matmul(a, b, { transposeA: p.transA, transposeB: p.transB }),
  }),

  softmax: (gf, { input: { x }, params: p }) => {
    if (p.axis !== -1 && p.axis !== x.shape.length - 1) throw new Error(`softmax over axis ${p.axis}`);
    return { y: gf.softmax(x) };
  },

  layernorm: (gf, { input: { x }, params: p, weights }) => {
    const r = gf.layerNorm(x, { weight: weights.get('weight'), bias: weights.get('bias'), epsilon: p.eps });
    const rstd = Float64Array.from(r.variance.data, (v) => 1 / Math.sqrt(v + p.eps));
    return { y: r.output, mean: r.mean, rstd: { data: rstd, shape: r.variance.shape } };
  },

  relu: (gf, { input: { x } }) => ({ y: gf.relu(x) }),
  gelu_erf: (gf, { input: { x } }) => ({ y: gf.gelu(x) }),
  gelu_tanh: (gf, { input: { x } }) => ({ y: gf.gelu(x, { approximate: 'tanh' }) }),
  silu: (gf, { input: { x } }) => ({ y: gf.activation(x, 'silu') }),
  top_k: (gf, { input: { x }, params: { active } }) => ({ y: gf.activation(x, 'top-k', { active }) }),

  pos_encoding: (gf, { input, params: p }) => ({
    pe: gf.positionalEncoding({ d_model: p.d, positions: input.positions.data }),
  }),

  embed_pe: (gf, { input: { ids }, params: p, weights }) => {
    // the sum comes from a model without layers, after start_pos tokens that stand in front
    const start = p.start_pos ?? 0;
    const [B, T] = ids.shape;
    const long = new Int32Array(B * (start + T));
    for (let b = 0; b < B; b++) long.set(ids.data.subarray(b * T, b * T + T), b * (start + T) + start);
    const config = {
      kind: 'encoder',
      vocabulary: p.vocab,
      d_model: p.d,
      heads: 1,
      layers: 0,
      maxLength: start + T,
      positions: 'sinusoidal',
      embeddingScale: p.scale_sqrt_d,
    };
    const y = model(
      gf,
      config,
      weights,
      (name) => name.replace(/^tok\./, 'tok_emb.'),
      { ids: { data: long, shape: [B, start + T] } },
      (_, { output }) => rows(output, start, T),
    );
    return {
      emb: gf.embedding(ids, weights.get('tok.weight'), { scale: p.scale_sqrt_d ? Math.sqrt(p.d) : 1 }),
      pe: gf.positionalEncoding({ d_model: p.d, length: T, start }),
      y,
    };
  },

  cross_entropy: (gf, { input: { logits, targets }, params: p }) => {
    const r = gf.crossEntropy(logits, targets, {
      reduction: p.reduction,
      ignoreIndex: p.ignore_index,
      labelSmoothing: p.label_smoothing,
    });
    return { loss: r.loss, logprob: r.logProbabilities };
  },

  sdpa: (gf, { input, params: p }) => {
    only(p, { heads: input.q.shape[1] });
    const r = gf.attention(input.q, input.k, input.v, {
      causal: p.causal,
      keyPadding: input.key_padding_mask,
      mask: input.attn_mask,
    });
    return { scores: r.scores, weights: r.weights, out: r.output };
  },

  mha: (gf, { input, params: p, weights }) => {
    const r = gf.multiHeadAttention(input.x, {
      memory: input.memory,
      weights,
      heads: p.heads,
      causal: p.causal,
      keyPadding: input.key_padding_mask,
      mask: input.attn_mask,
    });
    return {
      q: r.query,
      k: r.key,
      v: r.value,
      scores: r.scaled,
      weights: r.weights,
      head_out: r.headOutputs,
      concat: r.concat,
      y: r.output,
    };
  },

  ffn: (gf, { input: { x }, params: p, weights }) => {
    // position-wise, so that leading axes beyond the batch are no more than positions
    const outer = x.shape.slice(0, -1),
      plain = outer.length === 1 || outer.length === 2;
    const flat = plain ? x : { data: x.data, shape: [x.data.length / p.d, p.d] };
    const r = gf.feedForward(flat, { weights, activation: ACTIVATION[p.activation], active: p.active });
    const unflatten = (/** @type {Tensor} */ t) => ({ data: t.data, shape: [...outer, t.shape[t.shape.length - 1]] });
    return { pre: unflatten(r.preActivation), hidden: unflatten(r.activation), y: unflatten(r.output) };
  },

  encoder_layer: (gf, { input, params: p, weights }) => {
    const { output, tensors } = gf.encoderLayer(input.x, {
      weights,
      heads: p.heads,
      ...layerOptions(p),
      causal: p.causal,
      keyPadding: input.key_padding_mask,
      mask: input.attn_mask,
    });
    return { ...layerOutputs(tensors, ['self_attn', 'norm1', 'linear1', 'linear2', 'norm2']), y: output };
  },

  decoder_layer: (gf, { input, params: p, weights }) => {
    const { output, tensors } = gf.decoderLayer(input.x, {
      memory: input.memory,
      weights,
      heads: p.heads,
      ...layerOptions(p),
      causal: p.causal,
      keyPadding: input.key_padding_mask,
      memoryKeyPadding: input.memory_key_padding_mask,
      mask: input.attn_mask,
    });
    return {
      ...layerOutputs(tensors, ['self_attn', 'norm1', 'multihead_attn', 'norm2', 'linear1', 'linear2', 'norm3']),
      y: output,
    };
  },

  encoder: (gf, { input, params: p, weights, meta }) => {
    const config = {
      kind: 'encoder',
      vocabulary: 0,
      layers: p.layers,
      positions: 'none',
      embeddingScale: false,
      maxLength: p.T,
      finalNorm: p.final_norm,
      causal: p.causal,
      ...stack(p),
    };
    return model(
      gf,
      config,
      weights,
      renames.encoder,
      { vectors: input.x, padding: input.key_padding_mask },
      (m, { output }) => {
        // a case with generated weights stores only the first and the last position of each layer
        const part = (/** @type {Tensor} */ t) => (meta.generated ? join(rows(t, 0, 1), rows(t, p.T - 1, 1)) : t);
        return { ...layers(p.layers, (i) => [`layer${i}`, part(m.tensor(`encoder.layers.${i}.out`))]), y: output };
      },
    );
  },

  transformer: (gf, { input, params: p, weights }) => {
    const config = {
      kind: 'encoder-decoder',
      vocabulary: 0,
      layers: p.enc_layers,
      decoderLayers: p.dec_layers,
      positions: 'none',
      embeddingScale: false,
      maxLength: Math.max(p.Ts, p.Tt),
      finalNorm: p.final_norm,
      causal: p.causal_target,
      ...stack(p),
    };
    return model(
      gf,
      config,
      weights,
      (name) => name,
      {
        sourceVectors: input.src,
        targetVectors: input.tgt,
        sourcePadding: input.src_key_padding_mask,
        targetPadding: input.tgt_key_padding_mask,
      },
      (m, { output }) => ({ memory: m.tensor('encoder.out'), y: output }),
    );
  },

  gpt2: (gf, { input, params: p, weights }) => {
    const config = {
      kind: 'decoder',
      vocabulary: p.vocab,
      layers: p.layers,
      positions: 'learned',
      maxLength: p.Tmax,
      embeddingScale: false,
      finalNorm: p.final_norm,
      causal: p.causal,
      head: p.tied_head ? 'tied' : 'linear',
      headBias: p.head_bias,
      ...stack(p),
    };
    return model(gf, config, weights, renames.gpt2, { ids: input.ids }, (m, { logits }) => ({
      hidden0: m.tensor('decoder.input'),
      ...layers(p.layers, (i) => [`hidden${i + 1}`, m.tensor(`decoder.layers.${i}.out`)]),
      logits,
      loss: loss(gf, logits, input.targets, p.ignore_index),
      ...(p.greedy > 0 && { greedy: greedy(m, [...input.ids.data.subarray(0, Math.min(2, p.T))], p.greedy) }),
    }));
  },

  bert: (gf, { input, params: p, weights }) => {
    const config = {
      kind: 'encoder',
      vocabulary: p.vocab,
      types: p.types,
      layers: p.layers,
      positions: 'learned',
      maxLength: p.Tmax,
      embeddingScale: false,
      embeddingNorm: true,
      finalNorm: p.final_norm,
      causal: p.causal,
      ...stack(p),
    };
    return model(
      gf,
      config,
      weights,
      renames.bert,
      { ids: input.ids, typeIds: input.type_ids, padding: input.key_padding_mask },
      (m, { output }) => ({
        hidden0: m.tensor('emb_ln.out'),
        ...layers(p.layers, (i) => [`hidden${i + 1}`, m.tensor(`encoder.layers.${i}.out`)]),
        y: output,
      }),
    );
  },

  seq2seq: (gf, { input, params: p, weights }) => {
    const config = {
      kind: 'encoder-decoder',
      vocabulary: p.vocab,
      layers: p.enc_layers,
      decoderLayers: p.dec_layers,
      positions: 'sinusoidal',
      maxLength: Math.max(p.Ts, p.Tt),
      embeddingScale: p.scale_sqrt_d,
      finalNorm: p.final_norm,
      head: p.tied_head ? 'tied' : 'linear',
      headBias: weights.has('generator.bias'),
      ...stack(p),
    };
    const rename = (/** @type {string} */ name) =>
      p.tied_head && name === 'generator.weight' ? null : renames.seq2seq(name);
    return model(
      gf,
      config,
      weights,
      rename,
      {
        sourceIds: input.src,
        targetIds: input.tgt,
        sourcePadding: isPad(input.src, p.pad_id),
        targetPadding: isPad(input.tgt, p.pad_id),
      },
      (_, { logits }) => ({ logits, loss: loss(gf, logits, input.targets, p.pad_id) }),
    );
  },
};

/**
 * Builds a model, loads the case's weights, and runs it twice: capturing must not change a bit.
 * @param {any} gf @param {object} config @param {Map<string, any>} weights
 * @param {(name: string) => string | null} rename @param {object} inputs
 * @param {(model: any, result: any) => any} read
 */
function model(gf, config, weights, rename, inputs, read) {
  const m = gf.createModel(config);
  try {
    m.loadWeights(weights, { rename });
    const plain = m.forward({ ...inputs });
    const result = m.forward({ ...inputs, capture: true });
    for (const name of Object.keys(result)) {
      const i = result[name].data.findIndex(
        (/** @type {number} */ v, /** @type {number} */ j) => !Object.is(v, plain[name].data[j]),
      );
      if (i >= 0)
        throw new Error(`capture changes ${name}[${i}] from ${plain[name].data[i]} to ${result[name].data[i]}`);
    }
    return read(m, result);
  } finally {
    m.free();
  }
}

/** The settings that every kind of stack has. @param {Record<string, any>} p */
export const stack = (p) => ({ d_model: p.d, heads: p.heads, d_ff: p.d_ff, ...layerOptions(p) });

/** @param {Record<string, any>} p */
export const layerOptions = (p) => ({
  activation: ACTIVATION[p.activation],
  norm: p.norm_first ? 'pre' : 'post',
  epsilon: p.eps,
});

/** PyTorch's submodules by name: what each put out. @param {Map<string, any>} tensors @param {string[]} modules */
function layerOutputs(tensors, modules) {
  const ours = (/** @type {string} */ name) =>
    tensors.get(name === 'linear1' ? 'ffn.pre_activation' : name === 'linear2' ? 'ffn.out' : `${name}.out`);
  return Object.fromEntries(modules.map((name) => [name, ours(name)]));
}

/** @param {number} count @param {(i: number) => [string, Tensor]} entry */
const layers = (count, entry) => Object.fromEntries(Array.from({ length: count }, (_, i) => entry(i)));

/** @param {any} gf @param {any} logits @param {any} labels @param {number} ignoreIndex */
function loss(gf, logits, labels, ignoreIndex) {
  const V = logits.shape.at(-1);
  const flat = { data: logits.data, shape: [logits.data.length / V, V] };
  return gf.crossEntropy(flat, { data: labels.data, shape: [labels.data.length] }, { ignoreIndex }).loss;
}

/**
 * Greedy tokens with and without the cache, which must agree.
 * @param {any} m
 * @param {number[]} ids
 * @param {number} maxTokens
 */
function greedy(m, ids, maxTokens) {
  const data = m.generateSync({ ids, maxTokens, temperature: 0 }).ids;
  const slow = m.generateSync({ ids, maxTokens, temperature: 0, cache: false }).ids;
  if (`${data}` !== `${slow}`) throw new Error(`the cache changes greedy tokens: ${data}, without it ${slow}`);
  return { data, shape: [data.length] };
}

/** Positions start..start+count-1 of (B,T,C). @param {any} t @param {number} start @param {number} count */
function rows(t, start, count) {
  const [B, T, C] = t.shape;
  const data = new Float32Array(B * count * C);
  for (let b = 0; b < B; b++)
    data.set(t.data.subarray((b * T + start) * C, (b * T + start + count) * C), b * count * C);
  return { data, shape: [B, count, C] };
}

/** (B,1,C) and (B,1,C) to (B,2,C). @param {any} x @param {any} y */
function join(x, y) {
  const [B, , C] = x.shape;
  const data = new Float32Array(B * 2 * C);
  for (let b = 0; b < B; b++) {
    data.set(x.data.subarray(b * C, b * C + C), 2 * b * C);
    data.set(y.data.subarray(b * C, b * C + C), (2 * b + 1) * C);
  }
  return { data, shape: [B, 2, C] };
}
