// Good arguments of models, trainers and derivatives.

/** @typedef {import('./draw.js').Draw} Draw */
/** @typedef {import('./world.js').Entry} Entry */

const KINDS = ['encoder', 'decoder', 'decoder', 'encoder-decoder', 'attention', 'feed-forward'];

/** @param {Draw} d */
export function config(d) {
  const heads = d.int(1, 2);
  const vocabulary = d.chance(0.75) ? d.int(2, 9) : 0;
  const kind = d.pick(KINDS);
  const settings = {
    kind,
    heads,
    d_model: d.chance(0.1) ? 16 : heads * d.int(1, 4),
    d_ff: d.pick([0, 1, 3, 8]),
    layers: d.pick([0, 1, 1, 2]),
    ...(/coder/.test(kind) && vocabulary && { vocabulary, head: d.pick(['none', 'linear', 'tied', 'tied']) }),
    ...(kind === 'encoder-decoder' && { decoderLayers: d.pick([0, 1, 2]) }),
  };
  if (/coder/.test(kind) && !vocabulary && d.chance(0.5)) Object.assign(settings, { inputWidth: d.int(1, 5) });
  const free = /coder/.test(kind) && (settings.head ?? 'none') === 'none';
  if (free && d.chance(0.4)) Object.assign(settings, { outputWidth: d.pick([1, 2, 2, 3]) });
  const others = {
    positions: d.pick(['none', 'sinusoidal', 'learned', 'rotary', 'rotary']),
    maxLength: d.int(3, 12),
    norm: d.pick(['none', 'pre', 'post']),
    activation: d.pick(['relu', 'gelu', 'gelu-tanh', 'none', 'silu']),
    causal: d.chance(0.5),
    residual: d.chance(0.8),
    attentionBias: d.chance(0.5),
    finalNorm: d.chance(0.5),
    normAffine: d.chance(0.8),
    scoreScale: d.chance(0.5),
    window: d.pick([0, 1, 3]),
    globalLayers: d.int(0, 3),
    globalLayersAbove: d.int(0, 3),
    epsilon: d.pick([0, 1e-6, 1]),
    positionsFrom: d.pick(['index', 'first', 'visible']),
    initializerRange: d.pick([0, 0.02, 1]),
    normKind: d.pick(['layer', 'rms', 'rms']),
    ffn: d.pick(['plain', 'gated', 'gated']),
    ffnBias: d.chance(0.5),
    keyValueHeads: d.pick([0, 1, heads]),
    headWidth: d.pick([0, 2, 4, 5]),
    qkNorm: d.chance(0.7),
    relativeBuckets: d.pick([0, 4, 9, 32]),
    relativeDistance: d.pick([5, 20, 128]),
    attentionOutBias: d.chance(0.5),
    ropeTheta: d.pick([1, 100, 500000]),
    ropeScaling: d.pick(['none', 'linear', 'llama3']),
    ropeFactor: d.pick([1, 4.5]),
    ropeLowFrequency: d.pick([0, 1, 4]),
    ropeHighFrequency: d.pick([3, 4.5]),
    ropeOriginalLength: d.int(1, 99),
    ...(vocabulary &&
      settings.head && { headBias: d.chance(0.5), headTransform: d.chance(0.5), headScale: d.chance(0.5) }),
    ...(vocabulary && { embeddingScale: d.chance(0.5) }),
    ...(kind === 'encoder-decoder' &&
      vocabulary && { tiedEmbeddings: d.chance(0.5), targetVocabulary: d.pick([0, 5, vocabulary]) }),
    ...(settings.head === 'linear' && { outputVocabulary: d.int(1, 9) }),
    ...(settings.d_model === 16 && { weights: d.pick(['f32', 'bf16', 'f16', 'int8']) }),
    seed: d.int(0, 2 ** 31),
    ...(kind === 'encoder' && vocabulary && { types: d.pick([0, 2]), embeddingNorm: d.chance(0.5) }),
  };
  for (const [name, value] of Object.entries(others)) if (d.chance(0.3)) Object.assign(settings, { [name]: value });
  const { d_ff = 0, ffn, headTransform, positions, norm, residual, headWidth } = /** @type {any} */ (settings);
  const turns = positions === 'rotary' && (headWidth || settings.d_model / heads) >= 2;
  if (turns && d.chance(0.3)) Object.assign(settings, { ropeWidth: 2 });
  const beside = /^(en|de)coder$/.test(kind) && norm === 'pre' && residual !== false && d_ff > 0;
  if (beside && d.chance(0.4)) Object.assign(settings, { parallel: true });
  const pools = kind === 'encoder' && vocabulary && settings.head !== 'none' && !headTransform;
  if (pools && d.chance(0.2)) Object.assign(settings, { headPooler: d.pick(['tanh', 'relu']) });
  const fits = d_ff > 0 && ffn !== 'gated' && !headTransform;
  if (fits && d.chance(0.1)) Object.assign(settings, { activation: 'top-k', active: d.int(1, d_ff) });
  return settings;
}

/**
 * The batch of one pass of a model.
 * @param {Draw} d
 * @param {any} of its configuration
 */
export function batch(d, of) {
  const {
    kind,
    vocabulary: V,
    targetVocabulary,
    tiedEmbeddings,
    types,
    d_model: C,
    inputWidth,
    maxLength,
    positions,
  } = of;
  const I = inputWidth || C;
  const longest = positions === 'learned' ? Math.min(maxLength, 5) : 5;
  const [B, S, T] = [d.int(1, 3), d.int(1, longest), d.int(1, longest)];
  const row = B === 1 && d.chance(0.3) ? [] : [B];
  if (kind === 'feed-forward') return { sizes: [B, T], given: { vectors: d.tensor([...row, T, C]) } };
  if (kind === 'attention') {
    const memory = d.chance(0.3);
    const K = memory ? S : T;
    const more = { ...(memory && { memory: d.tensor([...row, S, C]) }), ...hidden(d, 'padding', [...row, K]) };
    return { sizes: [B, T], given: { vectors: d.tensor([...row, T, C]), ...more } };
  }
  const own = kind === 'decoder' ? T : S;
  const isPair = kind === 'encoder-decoder';
  const name = (/** @type {string} */ one) => (isPair ? `source${one[0].toUpperCase()}${one.slice(1)}` : one);
  const first = V ? { [name('ids')]: d.idTensor([...row, own], V) } : { [name('vectors')]: d.tensor([...row, own, I]) };
  const given = { ...first, ...hidden(d, name('padding'), [...row, own]) };
  if (types && d.chance(0.5)) Object.assign(given, { [name('typeIds')]: d.idTensor([...row, own], types) });
  if (!isPair) {
    if (d.chance(0.15)) Object.assign(given, { mask: d.tensor([own, own]) });
    return { sizes: [B, own], given };
  }
  const labels = tiedEmbeddings ? V : targetVocabulary || V;
  const second = V ? { targetIds: d.idTensor([...row, T], labels) } : { targetVectors: d.tensor([...row, T, I]) };
  Object.assign(given, second, hidden(d, 'targetPadding', [...row, T]), hidden(d, 'memoryPadding', [...row, S]));
  return { sizes: [B, T], given };
}

/** @param {Draw} d @param {string} name @param {number[]} shape */
const hidden = (d, name, shape) => d.chance(0.15) && { [name]: d.flagTensor(shape) };

/** The targets of a loss. @param {Draw} d @param {any} of @param {number[]} sizes @param {any} loss */
export function labels(
  d,
  { outputWidth, outputVocabulary, vocabulary, targetVocabulary, d_model, kind, tiedEmbeddings, headPooler = 'none' },
  sizes,
  loss,
) {
  if (loss !== 'crossEntropy') return d.tensor([...sizes, outputWidth || d_model]);
  const targetsOf = kind === 'encoder-decoder' && !tiedEmbeddings ? targetVocabulary || vocabulary : vocabulary;
  const shape = headPooler === 'none' ? sizes : sizes.slice(0, 1); // of a pooler one for each row
  const count = shape.reduce((product, size) => product * size, 1);
  const ids = d.ids(count, outputWidth || outputVocabulary || targetsOf || d_model);
  return { data: Int32Array.from(ids, (id) => (d.chance(0.1) ? -100 : id)), shape };
}

/** Of each row a start and an end, or none. @param {Draw} d @param {number[]} sizes */
export function spans(d, [rows, tokens]) {
  const pairs = Array.from({ length: rows }, () => {
    const start = d.int(0, tokens - 1);
    return d.chance(0.1) ? [-100, -100] : [start, d.int(start, tokens - 1)];
  });
  return { data: Int32Array.from(pairs.flat()), shape: [rows, 2] };
}

/** Changes to a pass. @param {Draw} d @param {Entry} entry */
export function changes(d, { model, config: { heads, layers, kind, d_ff } }) {
  const given = /** @type {any} */ ({});
  if (d.chance(0.15)) given.temperature = d.pick([1, 0.5, 2]);
  const patchable = model.tensors().filter((/** @type {any} */ info) => info.patchable);
  if (patchable.length && d.chance(0.4)) {
    const { name, shape } = d.pick(patchable);
    const all = d.chance(0.4);
    const index = all ? {} : { index: shape.map((/** @type {number} */ size) => d.pick([d.int(0, size - 1), null])) };
    given.patches = [{ name, ...index, value: d.pick([0, 1, -3, 0.5]) }];
    given.capture = true;
  }
  if (d.chance(0.2)) {
    const layer = { layer: d.int(0, Math.max(0, layers - 1)) };
    const part = d.chance(0.5) ? { head: d.int(0, heads - 1) } : { neuron: d.int(0, Math.max(0, d_ff - 1)) };
    given.ablate = [
      { ...layer, ...part, ...(kind === 'encoder-decoder' && { stack: d.pick(['encoder', 'decoder']) }) },
    ];
  }
  return given;
}

/** @param {Draw} d @param {any} of */
export function trainerSettings(d, { head, outputWidth, kind, vocabulary, layers }) {
  const tokens = head !== 'none' || outputWidth > 0 || !/coder/.test(kind);
  const settings = { loss: tokens && d.chance(0.7) ? 'crossEntropy' : d.pick(['mse', 'linear']) };
  const others = {
    optimizer: d.pick(['adamw', 'adam', 'sgd']),
    learningRate: d.pick([0, 0.001, 0.1]),
    schedule: d.pick(['constant', 'linear', 'cosine', 'noam']),
    warmup: d.int(0, 3),
    steps: d.int(0, 9),
    clip: d.pick([0, 1]),
    momentum: d.pick([0, 0.9]),
    weightDecay: d.pick([0, 0.1]),
    dropout: d.pick([0, 0.5]),
    labelSmoothing: d.pick([0, 0.1]),
    seed: d.int(0, 9),
    frozen: d.pick([[], ['encoder.layers.0'], ['decoder.layers.0'], ['tok_emb']]),
  };
  for (const [name, value] of Object.entries(others)) if (d.chance(0.25)) Object.assign(settings, { [name]: value });
  if (kind === 'encoder' && vocabulary && outputWidth === 2 && d.chance(0.8)) settings.loss = 'spans';
  else if (layers && d.chance(0.3)) {
    const of = d.pick([['linear1.weight'], ['in_proj_weight', 'linear2.weight'], ['tok_emb.weight']]);
    const also = d.chance(0.3) && { also: ['output_proj'] };
    Object.assign(settings, {
      adapters: { rank: d.pick([1, 1, 2, 3]), of, ...also, ...(d.chance(0.3) && { alpha: 4 }) },
    });
  }
  return settings;
}
