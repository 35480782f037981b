// node src/tools/tensor-names.mjs SIMD.wasm FILE.md
//
// Writes the reference of tensor names, as the engine tells them: for each kind of model every tensor that
// model.tensors() can list after a pass with capture, its shape, what it is, and the setting or input it depends on.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { load } from '../js/entries/index.js';

/** Sizes that all differ, so that each number of a shape stands for one letter. */
const SIZES = { B: 10, S: 3, H: 4, G: 2, T: 5, D: 14, types: 7, F: 11, R: 12, V: 13, O: 8, I: 9, maxLength: 19, C: 24 };
const ROWS = { HD: 56, '(H + 2G)D': 112 };
const TARGET_V = 17;
const LETTERS = new Map(
  Object.entries({ ...SIZES, ...ROWS, 'target V': TARGET_V }).map(
    ([letter, size]) => /** @type {const} */ ([size, letter]),
  ),
);

const tensor = (/** @type {number[]} */ shape, of = Array) => ({
  data: of.from({ length: shape.reduce((a, b) => a * b) }, () => 0),
  shape,
});
const { B, S, T, C } = SIZES;
const VECTORS = { S: tensor([B, S, C], Float32Array), T: tensor([B, T, C], Float32Array) };
const IDS = { S: tensor([B, S]), T: tensor([B, T]) };

/**
 * Inputs of a pass of each kind: ids or vectors, and the optional ones.
 * @type {Record<string, {ids: object, vectors: object, inputs: Record<string, object>}>}
 */
const KINDS = {
  encoder: {
    ids: { ids: IDS.S },
    vectors: { vectors: VECTORS.S },
    inputs: { padding: IDS.S, mask: tensor([S, S], Float32Array) },
  },
  decoder: {
    ids: { ids: IDS.T },
    vectors: { vectors: VECTORS.T },
    inputs: { padding: IDS.T, mask: tensor([T, T], Float32Array) },
  },
  'encoder-decoder': {
    ids: { sourceIds: IDS.S, targetIds: IDS.T },
    vectors: { sourceVectors: VECTORS.S, targetVectors: VECTORS.T },
    inputs: { sourcePadding: IDS.S, targetPadding: IDS.T, memoryPadding: IDS.S, mask: tensor([T, T], Float32Array) },
  },
  attention: {
    ids: { vectors: VECTORS.T },
    vectors: { vectors: VECTORS.T },
    inputs: { memory: VECTORS.S, padding: IDS.T, mask: tensor([T, T], Float32Array) },
  },
  'feed-forward': { ids: { vectors: VECTORS.T }, vectors: { vectors: VECTORS.T }, inputs: {} },
};

const COMMON = {
  d_model: C,
  heads: SIZES.H,
  keyValueHeads: SIZES.G,
  headWidth: SIZES.D,
  d_ff: SIZES.F,
  maxLength: SIZES.maxLength,
  layers: 1,
  decoderLayers: 1,
};
/** Settings that another one must go with. */
const ELSEWHERE = ['headBias', 'headTransform', 'tiedEmbeddings', 'parallel', 'headScale'];
const CHOICES = {
  norm: ['pre', 'none'],
  positions: ['learned', 'rotary', 'none'],
  head: ['linear', 'tied'],
  normKind: ['rms'],
  ffn: ['gated'],
};
/** The ones of these and of the switches that a layer on its own has. @type {Record<string, string[]>} */
const OWN = { attention: ['attentionBias', 'attentionOutBias', 'qkNorm'], 'feed-forward': ['ffnBias'] };

/**
 * `only`: the settings and inputs one of which it needs; `never`: those with any of which it is not there.
 * @typedef {{name: string, shape: string[], node: string | null, role: string, region: string, patchable: boolean,
 *   only: string[], never: string[]}} Row
 */

/**
 * Every tensor of a kind. In names N stands for the number of a layer.
 * @param {import('../js/engine/engine.js').Engine} gf
 * @param {string} kind
 * @returns {Row[]}
 */
export function tensorsOfKind(gf, kind) {
  const { ids, vectors, inputs } = KINDS[kind];
  const alone = 'vectors' in ids;
  const words = alone ? {} : { vocabulary: SIZES.V, ...(kind === 'encoder-decoder' && { targetVocabulary: TARGET_V }) };
  /** @param {object} config @param {object} [given] */
  const listed = (config, given = ids) => {
    const model = gf.createModel(/** @type {any} */ ({ kind, ...COMMON, ...words, ...config }));
    model.forward(/** @type {any} */ ({ ...given, capture: true }));
    const list = model.tensors().map((facts) => ({ ...facts, name: facts.name.replace(/layers\.\d+/, 'layers.N') }));
    const all = model.config;
    model.free();
    return { list, config: all };
  };

  const plain = listed({});
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** Notes what is there beside another list, and what is not. */
  const note = (
    /** @type {string} */ setting,
    /** @type {typeof plain.list} */ list,
    /** @type {typeof plain.list} */ before,
  ) => {
    const names = new Set(list.map(({ name }) => name));
    const known = new Set(before.map(({ name }) => name));
    for (const { name, shape, node, role, region, patchable } of list) {
      const row = rows.get(name) ?? {
        name,
        shape: shape.map(letterOf),
        node,
        role,
        region,
        patchable,
        only: [],
        never: [],
      };
      rows.set(name, row);
      if (!known.has(name)) row.only.push(setting);
    }
    for (const name of known) if (!names.has(name)) rows.get(name)?.never.push(setting);
  };
  note('', plain.list, plain.list);
  for (const [name, value] of Object.entries(plain.config)) {
    if (typeof value === 'boolean' && !ELSEWHERE.includes(name) && (!alone || OWN[kind].includes(name))) {
      note(`${name}: ${!value}`, listed({ [name]: !value }).list, plain.list);
    }
  }
  if (!alone) {
    for (const [name, choices] of Object.entries(CHOICES)) {
      for (const choice of choices) note(`${name}: '${choice}'`, listed({ [name]: choice }).list, plain.list);
    }
    const head = { head: 'linear' };
    note('headBias: false', listed({ ...head, headBias: false }).list, listed(head).list);
    for (const normKind of ['layer', 'rms']) {
      const others = { ...head, normKind };
      note('headTransform: true', listed({ ...others, headTransform: true }).list, listed(others).list);
    }
    const rms = { normKind: 'rms' };
    for (const name of ['finalNorm', 'embeddingNorm']) {
      note(`${name}: true`, listed({ ...rms, [name]: true }).list, listed({ ...rms, [name]: false }).list);
    }
    note('vocabulary: 0', listed({ vocabulary: 0, targetVocabulary: 0 }, vectors).list, plain.list);
    const wide = { vocabulary: 0, targetVocabulary: 0, inputWidth: SIZES.I };
    note('inputWidth', listed(wide, narrowed(vectors)).list, listed({ ...wide, inputWidth: 0 }, vectors).list);
    note('outputWidth', listed({ outputWidth: SIZES.O }).list, plain.list);
    const related = { relativeBuckets: SIZES.R };
    note('relativeBuckets', listed(related).list, plain.list);
    note('causal: true', listed({ ...related, causal: true }).list, listed({ ...related, causal: false }).list);
    note('d_ff: 0', listed({ d_ff: 0 }).list, plain.list);
    if (kind !== 'encoder-decoder')
      note('heads: 0', listed({ heads: 0, keyValueHeads: 0, headWidth: 0 }).list, plain.list);
    if (kind !== 'decoder') note('types', listed({ types: SIZES.types }).list, plain.list);
    if (kind === 'encoder-decoder') {
      note('tiedEmbeddings: true', listed({ tiedEmbeddings: true, targetVocabulary: 0 }).list, plain.list);
    }
  }
  if (kind === 'attention') {
    const related = { relativeBuckets: SIZES.R };
    note("positions: 'rotary'", listed({ positions: 'rotary' }).list, plain.list);
    note('relativeBuckets', listed(related).list, plain.list);
    note('causal: true', listed({ ...related, causal: true }).list, listed(related).list);
  }
  if (kind === 'feed-forward') note("ffn: 'gated'", listed({ ffn: 'gated' }).list, plain.list);
  if (!alone) {
    const gated = listed({ ffn: 'gated' }).list;
    note('ffnBias: false', listed({ ffn: 'gated', ffnBias: false }).list, gated);
  }
  for (const [name, value] of Object.entries(inputs)) {
    note(name, listed({}, { ...ids, [name]: value }).list, plain.list);
  }
  return [...rows.values()];
}

/** Vectors of the width that comes in. @param {object} inputs */
const narrowed = (inputs) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, { shape }]) => [name, tensor([...shape.slice(0, 2), SIZES.I], Float32Array)]),
  );

/** @param {number} size */
const letterOf = (size) => LETTERS.get(size) ?? String(size);

/** @type {Record<string, string>} what each role says in words */
const MEANING = {
  'tokens: ids': 'the tokens given',
  'tokens: types': 'the token types given',
  'tokens: vectors': 'the vectors given; I wide with `inputWidth`',
  'tokens: memory': 'what keys and values come from, as given',
  'embedding: table': 'a row for each token',
  'embedding: type_table': 'a row for each token type',
  'embedding: weight': 'W of the projection of the vectors',
  'embedding: bias': 'its bias',
  'embedding: out': 'rows of the table, times √C with `embeddingScale`; or the vectors projected',
  'positions: table': 'a learned row for each position',
  'positions: encoding': 'what is added to the embedding of each position',
  'attention: in_proj_weight': 'W of query, key and value, below each other',
  'attention: in_proj_bias': 'their biases',
  'attention: out_proj_weight': 'W of the output projection',
  'attention: out_proj_bias': 'its bias',
  'attention: q_norm_weight': 'gain of the norm of queries, the same for each head',
  'attention: k_norm_weight': 'gain of the norm of keys',
  'attention: query': 'queries of each head',
  'attention: key': 'keys of each head',
  'attention: value': 'values of each head',
  'attention: query_normed': 'queries after their RMSNorm',
  'attention: key_normed': 'keys after their RMSNorm',
  'attention: query_rotated': 'queries turned by their positions',
  'attention: key_rotated': 'keys turned by their positions',
  'attention: scores': 'q·k of each pair, before scale and masks',
  'attention: scaled': 'scores divided by √D (and by the temperature)',
  'attention: masked': 'scaled plus masks, -Infinity where hidden; plus the bias of `relativeBuckets`',
  'attention: weights': 'softmax of masked, each row sums to 1',
  'attention: concat': 'the outputs of the heads side by side',
  'attention: head_outputs': 'weights times values, the same numbers by head',
  'attention: out': 'concat through the output projection',
  'attention: padding': 'where no token is, as given',
  'attention: mask': 'what is added to the scaled scores, as given',
  'add: out': 'the residual sum',
  'norm: weight': 'gain',
  'norm: bias': 'bias, of a LayerNorm',
  'norm: mean': 'mean of each vector, of a LayerNorm',
  'norm: variance': 'variance of each vector, of a LayerNorm',
  'norm: mean_square': 'mean of the squares of each vector, of an RMSNorm',
  'norm: out': 'the normalised vectors',
  'ffn: linear1_weight': 'W1, a row for each neuron',
  'ffn: linear1_bias': 'its bias',
  'ffn: linear2_weight': 'W2, a column for each neuron',
  'ffn: linear2_bias': 'its bias',
  'ffn: linear3_weight': 'W3, a row for each neuron',
  'ffn: linear3_bias': 'its bias',
  'ffn: pre_activation': 'x W1ᵀ + b1 of each neuron',
  'ffn: activation': 'the activation of each neuron',
  'ffn: up': 'x W3ᵀ + b3 of each neuron',
  'ffn: product': 'activation times up',
  'ffn: out': 'what the network adds',
  'transform: weight': 'W of the linear map',
  'transform: bias': 'its bias',
  'transform: pre_activation': 'x Wᵀ + b of the output',
  'transform: out': 'its activation',
  'logits: weight': 'a row for each token',
  'logits: bias': 'a number for each token',
  'logits: out': 'a score for each token',
  'values: weight': 'W of the projection of the output',
  'values: bias': 'its bias',
  'values: out': 'numbers for each token',
  'probabilities: out': 'softmax of the logits',
  relative_table: 'a number for each bucket of distances and each head',
  relative_before: 'what each head adds to a scaled score, by how far the key is before the query',
  relative_after: 'the same of a key after the query',
  rotation: 'cosines, then sines, by which each position turns',
  input: 'what the first layer reads',
  layer_out: 'what the next layer reads',
  stack_out: 'output of the stack',
  output: 'what `forward` returns',
};

const INTRODUCTION = `# Tensor names

What \`model.tensors()\` can list after a pass with \`capture: true\`, by kind of model; the engine itself makes this
list. Weights can be read at any time. **N** is the number of a layer, from 0. Weights carry PyTorch's names, shapes
and layouts. The gradient of a weight, after \`trainer.gradients\` or \`trainer.step\`, is \`grad.\` and its name; with
\`capture\` also that of an intermediate.

Letters: B batch, S source length (of an encoder; of the \`memory\` of an attention layer), T target length (of a
decoder, or of a layer on its own), C \`d_model\`, H \`heads\`, G \`keyValueHeads\` (H unless set), D \`headWidth\`
(C / H unless set, so that HD = C and (H + 2G)D = 3C), F \`d_ff\`, R \`relativeBuckets\`, V \`vocabulary\`,
I \`inputWidth\`, O \`outputWidth\`. An intermediate that is marked *patch* can be named in the \`patches\` of
\`forward\`.
`;

/** @param {string[]} list */
const either = (list) => list.map((one) => `\`${one}\``).join(' or ');

/**
 * The reference as Markdown.
 * @param {import('../js/engine/engine.js').Engine} gf
 * @returns {string}
 */
export function tensorNames(gf) {
  const parts = Object.keys(KINDS).map((kind) => {
    const lines = tensorsOfKind(gf, kind).map(({ name, shape, node, role, region, patchable, only, never }) => {
      const what = node ? `${node}: ${role}` : role;
      const exists = [only.length ? `only with ${either(only)}` : '', never.length ? `not with ${either(never)}` : ''];
      return [
        '',
        `\`${name}\``,
        `[${shape.join(', ')}]`,
        MEANING[what],
        `${what}, ${region}${patchable ? ', *patch*' : ''}`,
        exists.filter(Boolean).join(', '),
        '',
      ].join(' | ');
    });
    const head = ['tensor', 'shape', 'what it is', 'node: role, region', 'exists'];
    return [
      `## ${kind}`,
      '',
      `| ${head.join(' | ')} |`,
      '|---|---|---|---|---|',
      ...lines.map((line) => line.trim()),
      '',
    ];
  });
  return [INTRODUCTION, ...parts.flat()].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [wasm, file] = process.argv.slice(2);
  writeFileSync(file, tensorNames(await load({ variant: 'simd', wasm: readFileSync(wasm) })));
}
