// Computes the reference cases of relative positions and of T5, under the names of Hugging Face's T5.
import { vjp } from 'glassformer/derivatives';
import { only } from './golden-read.js';

/** @typedef {import('./golden-cases.js').Case & {cotangent: Record<string, any>}} Case */
/** @typedef {{data: ArrayLike<number>, shape: number[]}} Tensor */

const TABLE = 'relative_bias.weight';

/** @param {number} length @param {(i: number) => number} at */
const floats = (length, at) => Float32Array.from({ length }, (_, i) => at(i));

/** @param {any} gf @param {object} config @param {(model: any) => any} use */
function withModel(gf, config, use) {
  const model = gf.createModel(config);
  try {
    return use(model);
  } finally {
    model.free();
  }
}

/** An attention with relative positions. @param {Record<string, any>} p */
const attentionOf = ({ heads, buckets, max_distance, bidirectional, d = heads, d_kv = 1 }) => ({
  ...{ kind: 'attention', d_model: d, heads, headWidth: d_kv, scoreScale: false, attentionBias: false },
  ...{ relativeBuckets: buckets, relativeDistance: max_distance, causal: !bidirectional },
});

/**
 * The biases of the last queries of a text, [heads, queries, keys]. One direction takes a later key for the query's
 * own.
 * @param {any} model after a pass @param {number} heads @param {number} queries @param {number} keys
 */
function biasOf(model, heads, queries, keys) {
  const before = model.tensor('relative_bias.before').data;
  const after = model.config.causal ? undefined : model.tensor('relative_bias.after').data;
  const data = floats(heads * queries * keys, (i) => {
    const [row, key] = [Math.floor(i / keys), i % keys];
    const [h, query] = [Math.floor(row / queries), keys - queries + (row % queries)];
    return key > query ? (after ?? before)[h * keys + (after ? key - query : 0)] : before[h * keys + query - key];
  });
  return { data, shape: [heads, queries, keys] };
}

/** A pass over as many zeros as there are keys. @param {any} model @param {Record<string, any>} p */
function pass(model, { Tk, heads }) {
  const inputs = { vectors: { data: new Float32Array(Tk * heads), shape: [1, Tk, heads] }, capture: true };
  model.forward(inputs);
  return inputs;
}

/** Our name for a weight of T5's, and which third of it the case's is. @param {string} name */
function nameOf(name) {
  const part = ['q', 'k', 'v'].indexOf(/(?:^|Attention\.)([qkv])\.weight$/.exec(name)?.[1] ?? '');
  const norm = (/** @type {string} */ number) => `norm${Number(number) + 1}.`;
  const ours = name
    .replace(/^shared\./, 'src_emb.')
    .replace(/^lm_head\./, 'generator.')
    .replace('.final_layer_norm.', '.norm.')
    .replace('block.0.layer.0.SelfAttention.relative_attention_bias', 'relative_bias')
    .replace(/^relative_attention_bias/, 'relative_bias')
    .replace('.block.', '.layers.')
    .replace(/layer\.([012])\.layer_norm\./, (_, number) => norm(number))
    .replace(/layer\.\d\.SelfAttention\./, 'self_attn.')
    .replace(/layer\.\d\.EncDecAttention\./, 'multihead_attn.')
    .replace(/(^|attn\.)[qkv]\.weight$/, '$1in_proj_weight')
    .replace(/(^|attn\.)o\.weight$/, '$1out_proj.weight')
    .replace(/layer\.\d\.DenseReluDense\.(wi|wi_0)\./, 'linear1.')
    .replace(/layer\.\d\.DenseReluDense\.wi_1\./, 'linear3.')
    .replace(/layer\.\d\.DenseReluDense\.wo\./, 'linear2.');
  return { ours, part };
}

/** The weights of a case by our names, projections joined. @param {Map<string, Tensor>} weights */
function weightsOf(weights) {
  /** @type {Map<string, Tensor[]>} */
  const joined = new Map();
  for (const [name, tensor] of weights) {
    const { ours, part } = nameOf(name);
    joined.set(ours, Object.assign(joined.get(ours) ?? [], { [Math.max(part, 0)]: tensor }));
  }
  return new Map(
    [...joined].map(([name, parts]) => {
      const rows = parts.reduce((sum, { shape }) => sum + shape[0], 0);
      const data = Float32Array.from(parts.flatMap((part) => [...part.data]));
      return [name, { data, shape: [rows, ...parts[0].shape.slice(1)] }];
    }),
  );
}

/** Gradients by the case's names. @param {any} model that has them @param {Iterable<string>} names */
const slopesOf = (model, names) =>
  Object.fromEntries(
    [...names].map((name) => {
      const { ours, part } = nameOf(name);
      const { data, shape } = model.tensor(`grad.${ours}`);
      const size = data.length / 3;
      if (part < 0) return [name, { data, shape }];
      return [name, { data: data.slice(part * size, (part + 1) * size), shape: [shape[0] / 3, shape[1]] }];
    }),
  );

/** @param {Case} c */
function attentionCase(c) {
  const { input, params: p, weights } = c;
  only(p, { causal: !p.bidirectional });
  return {
    config: attentionOf(p),
    weights: weightsOf(weights),
    inputs: { vectors: input.x, padding: input.key_padding_mask, capture: true },
  };
}

/** @param {Case} c */
function modelCase(c) {
  const { input, params, weights } = c;
  const p = params.config;
  only(p, { model_type: 't5' });
  const isTied = p.tie_word_embeddings ?? true;
  const [gate, activation] = p.feed_forward_proj === 'gated-gelu' ? ['gated', 'gelu-tanh'] : ['plain', 'relu'];
  if (gate === 'plain') only(p, { feed_forward_proj: 'relu' });
  const config = {
    ...{ kind: 'encoder-decoder', vocabulary: params.vocab, d_model: p.d_model, heads: p.num_heads },
    ...{ headWidth: p.d_kv, d_ff: p.d_ff, layers: p.num_layers },
    decoderLayers: p.num_decoder_layers ?? p.num_layers,
    ...{ positions: 'none', embeddingScale: false, norm: 'pre', normKind: 'rms', epsilon: p.layer_norm_epsilon },
    ...{ finalNorm: true, tiedEmbeddings: true, scoreScale: false, attentionBias: false, ffnBias: false },
    ...{ ffn: gate, activation, head: isTied ? 'tied' : 'linear', headBias: false, headScale: isTied },
    relativeBuckets: p.relative_attention_num_buckets,
    relativeDistance: p.relative_attention_max_distance,
  };
  const inputs = { sourceIds: input.ids, targetIds: input.decoder_ids, sourcePadding: input.padding, capture: true };
  return { config, weights: weightsOf(weights), inputs };
}

/** @type {Record<string, (gf: any, c: any) => Record<string, any>>} */
export const forward = {
  relative_bias: (gf, { params: p, weights }) =>
    withModel(gf, attentionOf(p), (model) => {
      const of = (/** @type {ArrayLike<number>} */ data) => {
        model.loadWeights({ [TABLE]: { data, shape: [p.buckets, p.heads] } }, { strict: false });
        pass(model, p);
        return biasOf(model, p.heads, p.Tq, p.Tk);
      };
      // With its own number for each bucket, a table tells which one is read.
      const { data } = of(floats(p.buckets * p.heads, (i) => Math.floor(i / p.heads)));
      const buckets = { data: Int32Array.from(data.subarray(0, p.Tq * p.Tk)), shape: [p.Tq, p.Tk] };
      return { buckets, y: of(weights.get('relative_attention_bias.weight').data) };
    }),

  t5_attention: (gf, c) => {
    const { config, weights, inputs } = attentionCase(c);
    return withModel(gf, config, (model) => {
      model.loadWeights(weights);
      const { output } = model.forward(inputs);
      const T = c.input.x.shape[1];
      const bias = biasOf(model, c.params.heads, T, T);
      const raw = model.tensor('scores');
      return {
        ...{ q: model.tensor('query'), k: model.tensor('key'), v: model.tensor('value'), bias },
        scores: {
          data: floats(raw.data.length, (i) => raw.data[i] + bias.data[i % bias.data.length]),
          shape: raw.shape,
        },
        ...{ weights: model.tensor('weights'), head_out: model.tensor('head_outputs') },
        ...{ concat: model.tensor('concat'), y: output },
      };
    });
  },

  t5: (gf, c) => {
    const { config, weights, inputs } = modelCase(c);
    return withModel(gf, config, (model) => {
      model.loadWeights(weights);
      const { logits } = model.forward(inputs);
      const all = (/** @type {string} */ stack, /** @type {number} */ count, /** @type {string} */ before) => [
        [`${before}hidden0`, model.tensor(`${stack}.input`)],
        ...Array.from({ length: count }, (_, i) => [
          `${before}hidden${i + 1}`,
          model.tensor(`${stack}.layers.${i}.out`),
        ]),
        [`${before}hidden${count + 1}`, model.tensor(`${stack}.norm.out`)],
      ];
      const cross = Array.from({ length: config.decoderLayers }, (_, i) => [
        `cross${i}`,
        model.tensor(`decoder.layers.${i}.multihead_attn.weights`),
      ]);
      const V = config.vocabulary;
      const flat = { data: logits.data, shape: [logits.data.length / V, V] };
      const labels = { data: c.input.targets.data, shape: [flat.shape[0]] };
      return {
        ...Object.fromEntries([...all('encoder', config.layers, 'encoder.'), ...cross]),
        ...Object.fromEntries(all('decoder', config.decoderLayers, '')),
        ...{ logits, loss: gf.crossEntropy(flat, labels, { ignoreIndex: c.params.ignore_index }).loss },
      };
    });
  },
};

/** Gradients by the case's names. @type {Record<string, (gf: any, c: any) => Record<string, any>>} */
export const gradients = {
  relative_bias: (gf, { params: p, cotangent: { y } }) =>
    withModel(gf, attentionOf(p), (model) => {
      const { heads, Tq, Tk, bidirectional } = p;
      const data = new Float32Array(heads * Tk * Tk);
      y.data.forEach((/** @type {number} */ value, /** @type {number} */ i) => {
        const [h, query, key] = [Math.floor(i / Tq / Tk), Tk - Tq + (Math.floor(i / Tk) % Tq), i % Tk];
        data[(h * Tk + query) * Tk + (bidirectional ? key : Math.min(key, query))] += value;
      });
      const cotangents = { masked: { data, shape: [1, heads, Tk, Tk] } };
      const { vectors } = pass(model, p);
      const found = vjp(model, { vectors, cotangents, of: [TABLE] }).gradients;
      return { 'relative_attention_bias.weight': found.get(TABLE) };
    }),

  t5_attention: (gf, c) => {
    const { config, weights, inputs } = attentionCase(c);
    return withModel(gf, config, (model) => {
      model.loadWeights(weights);
      model.trainer({ loss: 'linear' }).gradients({ ...inputs, labels: c.cotangent.y });
      return { x: model.tensor('grad.input'), ...slopesOf(model, c.weights.keys()) };
    });
  },

  t5: (gf, c) => {
    const { config, weights, inputs } = modelCase(c);
    return withModel(gf, config, (model) => {
      model.loadWeights(weights);
      model.trainer({ ignoreIndex: c.params.ignore_index }).gradients({ ...inputs, labels: c.input.targets });
      return slopesOf(model, c.weights.keys());
    });
  },
};
