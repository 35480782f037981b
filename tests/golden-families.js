// Computes the reference cases of GPT-NeoX, Gemma and Phi-3 under the names of their files: what is read of config.json
// and how tensors are cut and joined is that of the package's families.
import { vjp } from 'glassformer/derivatives';
import { FAMILIES } from '../src/js/files/families/index.js';
import { partsOf, shapeOf, unrolled } from '../src/js/files/families/match.js';
import { only } from './golden-read.js';

/** @typedef {import('./golden-cases.js').Case & {cotangent: Record<string, any>}} Case */
/** @typedef {{data: ArrayLike<number>, shape: number[]}} Tensor */
/** @typedef {Record<string, any>} Json */

/**
 * A case's model: its settings, the family of its files, and what the case leaves out of their names.
 * @typedef {{family: import('../src/js/files/families/read.js').Family, settings: Json, before: string}} Of
 */

/** @param {'gpt_neox' | 'gemma' | 'phi3'} name @param {Json} config @param {number} vocabulary @returns {Of} */
function wholeOf(name, config, vocabulary) {
  const family = FAMILIES[name];
  const said = Object.create(config, { vocab_size: { value: vocabulary } });
  const isTied = (config.tie_word_embeddings ?? !family.untied) === true;
  const settings = { ...family.read(said), ...family.head.settings, head: isTied ? 'tied' : 'linear' };
  only(config, { model_type: name });
  return { family, settings, before: family.prefix };
}

/** @param {Json} p @returns {Of} */
function layerOf(p) {
  only(p, { causal: true });
  const config = {
    ...{ vocab_size: 1, hidden_size: p.d, num_attention_heads: p.heads, intermediate_size: p.d_ff },
    ...{ num_hidden_layers: 1, hidden_act: p.hidden_act, layer_norm_eps: p.eps, attention_bias: p.attention_bias },
    ...{ rotary_pct: p.rotary_pct, rotary_emb_base: p.rope_theta, use_parallel_residual: p.use_parallel_residual },
  };
  const settings = { ...FAMILIES.gpt_neox.read(config), vocabulary: 0, finalNorm: false };
  return { family: FAMILIES.gpt_neox, settings, before: 'layers.0.' };
}

/** Queries, keys and values alone. @param {Json} p @param {boolean} hasBias @returns {Of} */
function projectionsOf({ d, heads, kv_heads: groups, head_dim: width, layout }, hasBias) {
  const name = layout === 'neox' ? 'gpt_neox' : 'phi3';
  if (!/^(neox|phi3)$/.test(layout)) throw new Error(`params.layout: ${layout} is not computed here`);
  const settings = { kind: 'attention', d_model: d, heads, keyValueHeads: groups, headWidth: width };
  return { family: FAMILIES[name], settings: { ...settings, attentionBias: hasBias, layers: 1 }, before: 'qkv' };
}

/** @param {Json} p @returns {Of} */
function networkOf({ d, d_ff, activation }) {
  const settings = { kind: 'feed-forward', d_model: d, d_ff, heads: 1, ffn: 'gated', activation, ffnBias: false };
  return { family: FAMILIES.phi3, settings: { ...settings, layers: 1 }, before: 'layers.0.mlp.' };
}

/** @type {Record<string, (c: Pick<Case, 'params' | 'weights'>) => Of>} */
const MODELS = {
  gpt_neox: ({ params: p }) => wholeOf('gpt_neox', p.config, p.vocab),
  gemma: ({ params: p }) => wholeOf('gemma', p.config, p.vocab),
  phi3: ({ params: p }) => wholeOf('phi3', p.config, p.vocab),
  neox_layer: ({ params: p }) => layerOf(p),
  fused_qkv: ({ params: p, weights }) => projectionsOf(p, weights.has('qkv.bias')),
  fused_gated_ffn: ({ params: p }) => networkOf(p),
};

/**
 * Where the rows of each tensor of the case stand in our weights.
 * @param {Of} of
 */
function placesOf({ family, settings, before }) {
  const { prefix, tensors, head } = family;
  const alone = /^(attention|feed-forward)$/.test(settings.kind) ? /^decoder\.layers\.0\.(self_attn\.)?/ : /^$/;
  const table = settings.head === 'linear' ? { 'generator.weight': [{ name: head.table, layout: 'plain' }] } : {};
  const named = (/** @type {string} */ name) => {
    if (before === 'qkv') return name.replace(/.*(query_key_value|qkv_proj)/, 'qkv');
    if (before !== prefix) return name.replace(before, '');
    return name === head.table ? name : prefix + name;
  };
  return unrolled(/** @type {any} */ ({ ...tensors, ...table }), settings).flatMap(([to, sources]) => {
    const [rows, ...columns] = shapeOf(to, settings);
    const width = columns.reduce((product, size) => product * size, 1);
    let at = 0;
    return partsOf(to, rows, sources.length, settings).map((part, i) => {
      const source = sources[i];
      const all = { total: part, spans: [{ from: 0, rows: part, to: 0 }] };
      const { total, spans } = source.layout === 'cut' ? source.cut(part, settings) : all;
      const place = { name: named(source.name), to: to.replace(alone, ''), rows, columns, width, total, at };
      at += part;
      return { ...place, isGain: source.layout === 'gain', spans };
    });
  });
}

/** The weights of a case by our names. @param {string} op @param {Map<string, Tensor>} weights @param {any} c */
export function weightsOf(op, weights, c) {
  /** @type {Map<string, {data: Float32Array, shape: number[]}>} */
  const found = new Map();
  const known = new Set();
  for (const { name, to, rows, columns, width, at, isGain, spans } of placesOf(MODELS[op](c))) {
    const given = weights.get(name);
    if (!given) continue;
    known.add(name);
    const own = found.get(to) ?? { data: new Float32Array(rows * width), shape: [rows, ...columns] };
    for (const span of spans)
      for (let i = 0; i < span.rows * width; i++)
        own.data[(at + span.to) * width + i] = given.data[span.from * width + i] + Number(isGain);
    found.set(to, own);
  }
  for (const name of weights.keys()) if (!known.has(name)) throw new Error(`weight.${name} is not known`);
  return found;
}

/**
 * A tensor of ours under the case's NAME, cut and joined as its file has it.
 * @param {Case} c @param {string} op @param {string} name @param {(ours: string) => Tensor} of
 */
export function read(c, op, name, of) {
  const places = placesOf(MODELS[op](c)).filter((each) => each.name === name);
  const [{ total, columns, width }] = places;
  const data = new Float32Array(total * width);
  for (const { to, at, spans } of places)
    for (const span of spans)
      for (let i = 0; i < span.rows * width; i++) data[span.from * width + i] = of(to).data[(at + span.to) * width + i];
  return { data, shape: [total, ...columns] };
}

/**
 * A case's model with its weights.
 * @template T
 * @param {any} gf @param {string} op @param {Case} c @param {(model: any) => T} use
 * @returns {T}
 */
function withModel(gf, op, c, use) {
  const { layers, ...settings } = MODELS[op](c).settings;
  const isAlone = /^(attention|feed-forward)$/.test(settings.kind);
  const model = gf.createModel(isAlone ? settings : { ...settings, layers });
  try {
    model.loadWeights(weightsOf(op, c.weights, c), { strict: op !== 'fused_qkv' });
    return use(model);
  } finally {
    model.free();
  }
}

/** @param {any} gf @param {string} op @param {Case} c */
const whole = (gf, op, c) =>
  withModel(gf, op, c, (model) => {
    const { ids, targets } = c.input;
    const plain = model.forward({ ids });
    const { output, logits } = model.forward({ ids, capture: true });
    if (logits.data.some((/** @type {number} */ v, /** @type {number} */ i) => !Object.is(v, plain.logits.data[i])))
      throw new Error('capture changes logits');
    const layers = Array.from({ length: model.config.layers }, (_, i) => `decoder.layers.${i}.`);
    const V = logits.shape.at(-1);
    const flat = { data: logits.data, shape: [logits.data.length / V, V] };
    const labels = { data: targets.data, shape: [targets.data.length] };
    const { loss } = gf.crossEntropy(flat, labels, { ignoreIndex: c.params.ignore_index });
    return {
      hidden0: model.tensor('decoder.input'),
      ...Object.fromEntries(layers.map((at, i) => [`hidden${i + 1}`, model.tensor(`${at}out`)])),
      ...Object.fromEntries(layers.map((at, i) => [`weights${i}`, model.tensor(`${at}self_attn.weights`)])),
      [`hidden${layers.length + 1}`]: output,
      logits,
      loss,
    };
  });

/** [B,heads,T,D] turned in part. @param {any} gf @param {any} x @param {Json} p @param {boolean} [inverse] */
function turned(gf, x, p, inverse = false) {
  only(p, { rope_layout: 'half', heads: x.shape[1], head_dim: x.shape[3] });
  const [B, H, T, D] = x.shape;
  const options = { theta: p.rope_theta, width: p.rotary_ndims, start: p.start_pos, inverse };
  return { data: gf.rotary({ data: x.data, shape: [B * H, T, D] }, options).data, shape: x.shape };
}

/** @param {any} t */
const flat = (t) => ({ data: t.data, shape: [1, t.data.length / t.shape.at(-1), t.shape.at(-1)] });
const plusOne = (/** @type {any} */ { data, shape }) => ({ data: data.map((/** @type {number} */ w) => 1 + w), shape });

/** @type {Record<string, (gf: any, c: any) => Record<string, any>>} */
export const forward = {
  gpt_neox: (gf, c) => whole(gf, 'gpt_neox', c),
  gemma: (gf, c) => whole(gf, 'gemma', c),
  phi3: (gf, c) => whole(gf, 'phi3', c),

  neox_layer: (gf, c) =>
    withModel(gf, 'neox_layer', c, (model) => {
      const plain = model.forward({ vectors: c.input.x });
      const { output } = model.forward({ vectors: c.input.x, capture: true });
      if (output.data.some((/** @type {number} */ v, /** @type {number} */ i) => v !== plain.output.data[i]))
        throw new Error('capture changes output');
      const of = (/** @type {string} */ name) => model.tensor(`decoder.layers.0.${name}`);
      return {
        input_layernorm: of('norm1.out'),
        q: of('self_attn.query'),
        k: of('self_attn.key'),
        v: of('self_attn.value'),
        weights: of('self_attn.weights'),
        attention: of('self_attn.out'),
        y: output,
      };
    }),

  fused_qkv: (gf, c) =>
    withModel(gf, 'fused_qkv', c, (model) => {
      model.forward({ vectors: c.input.x, capture: true });
      return { q: model.tensor('query'), k: model.tensor('key'), v: model.tensor('value') };
    }),

  fused_gated_ffn: (gf, c) =>
    withModel(gf, 'fused_gated_ffn', c, (model) => {
      const { output } = model.forward({ vectors: flat(c.input.x), capture: true });
      const shaped = (/** @type {Tensor} */ t) => ({
        data: t.data,
        shape: [...c.input.x.shape.slice(0, -1), t.shape.at(-1)],
      });
      const of = (/** @type {string} */ name) => shaped(model.tensor(`ffn.${name}`));
      return { gate: of('pre_activation'), up: of('up'), hidden: of('product'), y: shaped(output) };
    }),

  partial_rope: (gf, { input: { q, k }, params: p }) => ({ q_rot: turned(gf, q, p), k_rot: turned(gf, k, p) }),

  rmsnorm_gain1: (gf, { input: { x }, params: p, weights }) => ({
    y: gf.rmsNorm(x, { weight: plusOne(weights.get('weight')), epsilon: p.eps }).output,
  }),
};

/** Gradients of operations. @type {Record<string, (gf: any, c: any) => Record<string, any>>} */
export const OPERATION = {
  partial_rope: (gf, { params: p, cotangent: { q_rot: q, k_rot: k } }) => ({
    q: turned(gf, q, p, true),
    k: turned(gf, k, p, true),
  }),

  rmsnorm_gain1: (gf, { input: { x }, params: p, weights, cotangent: { y } }) =>
    gf.rmsNormBackward(x, y, { weight: plusOne(weights.get('weight')), epsilon: p.eps }),

  fused_qkv: (gf, c) =>
    withModel(gf, 'fused_qkv', c, (model) => {
      const { q, k, v } = c.cotangent;
      const names = [...c.weights.keys()];
      const of = ['input', 'in_proj_weight', ...(names.includes('qkv.bias') ? ['in_proj_bias'] : [])];
      const cotangents = { query: q, key: k, value: v };
      const { gradients } = vjp(model, /** @type {any} */ ({ vectors: c.input.x, cotangents, of }));
      const found = (/** @type {string} */ ours) => /** @type {any} */ (gradients.get(ours));
      return {
        x: found('input'),
        ...Object.fromEntries(names.map((name) => [name, read(c, 'fused_qkv', name, found)])),
      };
    }),
};

/** @param {string} op */
const ofWords = (op) => (/** @type {any} */ c) => ({
  config: MODELS[op](c).settings,
  batch: { ids: c.input.ids, labels: c.input.targets },
  trainer: { ignoreIndex: c.params.ignore_index },
});

/** As in golden-modern.js. @type {typeof import('./golden-modern.js').AS_MODEL} */
export const AS_MODEL = {
  gpt_neox: ofWords('gpt_neox'),
  gemma: ofWords('gemma'),
  phi3: ofWords('phi3'),
  neox_layer: (c) => ({
    config: MODELS.neox_layer(c).settings,
    batch: { vectors: c.input.x, labels: c.cotangent.y },
    trainer: { loss: 'linear' },
    inputs: { x: 'decoder.vectors' },
  }),
  fused_gated_ffn: (c) => {
    const { settings } = MODELS.fused_gated_ffn(c);
    return {
      config: { ...settings, layers: undefined },
      batch: { vectors: flat(c.input.x), labels: flat(c.cotangent.y) },
      trainer: { loss: 'linear' },
      inputs: { x: 'input' },
    };
  },
};
