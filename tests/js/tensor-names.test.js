// The reference of tensor names, against models of any settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import { load } from 'glassformer';
import { tensorNames, tensorsOfKind } from '../../src/tools/tensor-names.mjs';

const gf = await load({ variant: 'simd' });
const KINDS = ['encoder', 'decoder', 'encoder-decoder', 'attention', 'feed-forward'];
const rowsOf = Object.fromEntries(
  KINDS.map((kind) => [kind, new Map(tensorsOfKind(gf, kind).map((row) => [row.name, row]))]),
);

const SIZES = {
  B: 2,
  S: 3,
  H: 4,
  T: 5,
  C: 24,
  F: 11,
  V: 13,
  'target V': 13,
  types: 7,
  I: 9,
  O: 8,
  R: 12,
  maxLength: 19,
};
const zeros = (shape, of = Array) => ({ data: of.from({ length: shape.reduce((a, b) => a * b) }, () => 0), shape });

/** Any settings and inputs that go together. */
const settings = fc.record({
  kind: fc.constantFrom(...KINDS),
  vocabulary: fc.constantFrom(0, SIZES.V),
  d_ff: fc.constantFrom(0, SIZES.F),
  heads: fc.constantFrom(0, SIZES.H),
  types: fc.constantFrom(0, SIZES.types),
  norm: fc.constantFrom('none', 'pre', 'post'),
  positions: fc.constantFrom('none', 'sinusoidal', 'learned', 'rotary'),
  head: fc.constantFrom('none', 'linear', 'tied'),
  headBias: fc.boolean(),
  headTransform: fc.boolean(),
  finalNorm: fc.boolean(),
  embeddingNorm: fc.boolean(),
  normAffine: fc.boolean(),
  residual: fc.boolean(),
  attentionBias: fc.boolean(),
  attentionOutBias: fc.boolean(),
  qkNorm: fc.boolean(),
  keyValueHeads: fc.constantFrom(0, 1, 2),
  headWidth: fc.constantFrom(0, 14),
  normKind: fc.constantFrom('layer', 'rms'),
  ffn: fc.constantFrom('plain', 'gated'),
  ffnBias: fc.boolean(),
  tiedEmbeddings: fc.boolean(),
  inputWidth: fc.constantFrom(0, SIZES.I),
  outputWidth: fc.constantFrom(0, 0, SIZES.O),
  relativeBuckets: fc.constantFrom(0, SIZES.R),
});
const given = fc.record({ padding: fc.boolean(), mask: fc.boolean(), memory: fc.boolean() });

/** The tensors of a pass of such a model, with their shapes; undefined where the settings do not go together. */
function listedBy({ kind, ...wanted }, { padding, mask, memory }) {
  const alone = kind === 'attention' || kind === 'feed-forward';
  // Without a table nothing is tied to it or added to it; otherwise hardly a model would be without.
  const bare = { types: 0, head: 'none', headTransform: false, embeddingNorm: false, tiedEmbeddings: false };
  const others = { ...wanted, ...(wanted.vocabulary ? {} : bare) };
  if (others.vocabulary) others.inputWidth = 0;
  if (others.head !== 'none') others.outputWidth = 0;
  if (kind !== 'encoder-decoder') others.tiedEmbeddings = false;
  if (kind === 'decoder') others.types = 0;
  if (kind === 'encoder-decoder') others.heads = SIZES.H;
  if (!others.heads && !alone)
    Object.assign(others, { qkNorm: false, keyValueHeads: 0, headWidth: 0, relativeBuckets: 0 });
  const common = { kind, d_model: SIZES.C, heads: SIZES.H, layers: 2, decoderLayers: 2, maxLength: SIZES.maxLength };
  let model;
  try {
    const { attentionBias, attentionOutBias, qkNorm, keyValueHeads, headWidth, ffn, ffnBias, relativeBuckets } = others;
    const positions = others.positions === 'rotary' ? 'rotary' : 'none';
    const own =
      kind === 'attention'
        ? { attentionBias, attentionOutBias, qkNorm, keyValueHeads, headWidth, positions, relativeBuckets }
        : { d_ff: SIZES.F, ffn, ffnBias };
    model = gf.createModel({ ...common, ...(alone ? own : others) });
  } catch (error) {
    assert.equal(error.code, 'config');
    return undefined;
  }
  const { B, S, T, C } = SIZES;
  const I = others.inputWidth || C;
  const length = kind === 'encoder' ? S : T;
  const inputs = {};
  const isPair = kind === 'encoder-decoder';
  if (alone) inputs.vectors = zeros([B, T, C], Float32Array);
  else if (others.vocabulary) inputs[isPair ? 'sourceIds' : 'ids'] = zeros([B, kind === 'decoder' ? T : S]);
  else inputs[isPair ? 'sourceVectors' : 'vectors'] = zeros([B, kind === 'decoder' ? T : S, I], Float32Array);
  if (kind === 'encoder-decoder') {
    if (others.vocabulary) inputs.targetIds = zeros([B, T]);
    else inputs.targetVectors = zeros([B, T, I], Float32Array);
  }
  const keys = kind === 'attention' && memory ? S : length;
  if (kind === 'attention' && memory) inputs.memory = zeros([B, S, C], Float32Array);
  if (kind !== 'feed-forward') {
    if (padding) inputs[isPair ? 'sourcePadding' : 'padding'] = zeros([B, isPair ? S : keys]);
    if (padding && isPair) inputs.targetPadding = zeros([B, T]);
    if (mask) inputs.mask = zeros([length, keys], Float32Array);
  }
  model.forward({ ...inputs, capture: true });
  const list = model.tensors();
  model.free();
  return list;
}

/** Letters that depend on the settings. */
function lettersOf({ keyValueHeads: G, headWidth: D }) {
  const { H, C } = SIZES;
  const sizes = { G: G || H, D: D || C / H };
  return { ...SIZES, ...sizes, HD: H * sizes.D, '(H + 2G)D': (H + 2 * sizes.G) * sizes.D };
}

test('every tensor of any model is in the reference, with its shape and what it is', () => {
  const seen = Object.fromEntries(KINDS.map((kind) => [kind, new Set()]));
  fc.assert(
    fc.property(settings, given, (config, inputs) => {
      const list = listedBy(config, inputs);
      fc.pre(list);
      for (const { name, shape, node, role, region, patchable } of list) {
        const row = rowsOf[config.kind].get(name.replace(/layers\.\d+/, 'layers.N'));
        assert.ok(row, `${config.kind}: ${name}`);
        seen[config.kind].add(row.name);
        assert.deepEqual([row.node, row.role, row.region, row.patchable], [node, role, region, patchable], name);
        if (config.kind === 'attention' && inputs.memory) continue; // its keys are of another length
        assert.deepEqual(
          row.shape.map((letter, axis) =>
            name.endsWith('.vectors') && axis === 2 ? shape[2] : lettersOf(config)[letter],
          ),
          shape,
          name,
        );
      }
    }),
    { numRuns: 400, seed: 7 },
  );
  // and the reference names none that no model has
  for (const kind of KINDS) {
    const never = [...rowsOf[kind].keys()].filter((name) => !seen[kind].has(name));
    assert.deepEqual(never, [], kind);
  }
});

test('what a tensor is said to need holds', () => {
  const { encoder } = rowsOf;
  assert.deepEqual(encoder.get('logits').only, ["head: 'linear'", "head: 'tied'"]);
  assert.deepEqual(encoder.get('encoder.layers.N.ffn.activation').never, ['d_ff: 0']);
  assert.deepEqual(encoder.get('encoder.padding').only, ['padding']);
  assert.deepEqual(encoder.get('encoder.layers.N.self_attn.weights').never, ['heads: 0']);
  assert.deepEqual(rowsOf['encoder-decoder'].get('encoder.norm.weight').never, [
    'normAffine: false',
    'finalNorm: false',
  ]);
});

test('the Markdown has a table for each kind, whole rows and a meaning in each', () => {
  const text = tensorNames(gf);
  assert.deepEqual(
    [...text.matchAll(/^## (.+)$/gm)].map(([, kind]) => kind),
    KINDS,
  );
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  for (const line of lines) assert.equal(line.split('|').length, 7, line);
  assert.ok(!/undefined|NaN/.test(text));
  const count = KINDS.reduce((sum, kind) => sum + rowsOf[kind].size, 0);
  assert.equal(lines.length, count + 2 * KINDS.length);
});
