// A head or neuron set to zero by its number, against the raw patches that say the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import { load } from 'glassformer';
import { same } from './reference.js';

const gf = await load({ variant: 'simd' });
const SIZES = { vocabulary: 9, d_model: 12, heads: 3, d_ff: 10, layers: 2, decoderLayers: 3, head: 'linear' };
const vectors = (T) => ({
  data: Float32Array.from({ length: 2 * T * 12 }, (_, i) => Math.sin(i + T)),
  shape: [2, T, 12],
});
const ids = (T) => ({ data: Array.from({ length: 2 * T }, (_, i) => (i * 5) % 9), shape: [2, T] });

/** Of each kind a model and a batch of two sequences. */
const CASES = {
  encoder: [{ ...SIZES, kind: 'encoder' }, { ids: ids(5) }],
  decoder: [{ ...SIZES, kind: 'decoder' }, { ids: ids(5) }],
  'encoder-decoder': [
    { ...SIZES, kind: 'encoder-decoder' },
    { sourceIds: ids(4), targetIds: ids(5) },
  ],
  attention: [{ kind: 'attention', d_model: 12, heads: 3 }, { vectors: vectors(5) }],
  'attention with memory': [
    { kind: 'attention', d_model: 12, heads: 3 },
    { vectors: vectors(5), memory: vectors(4) },
  ],
  'feed-forward': [{ kind: 'feed-forward', d_model: 12, d_ff: 10 }, { vectors: vectors(5) }],
};
const models = Object.fromEntries(
  Object.entries(CASES).map(([name, [config]]) => [name, gf.createModel({ ...config, seed: 3 })]),
);
const resultOf = ({ output, logits }) => logits ?? output;
const distance = (a, b) => a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - b.data[i])), 0);

/** The parts switched off, and the patch that does it, written out by hand. */
const EXAMPLES = [
  ['encoder', { layer: 1, head: 2 }, 'encoder.layers.1.self_attn.head_outputs'],
  ['encoder', { layer: 0, neuron: 9 }, 'encoder.layers.0.ffn.activation'],
  ['decoder', { layer: 0, head: 0 }, 'decoder.layers.0.self_attn.head_outputs'],
  ['decoder', { layer: 1, neuron: 4, stack: 'decoder' }, 'decoder.layers.1.ffn.activation'],
  ['encoder-decoder', { stack: 'encoder', layer: 1, head: 1 }, 'encoder.layers.1.self_attn.head_outputs'],
  ['encoder-decoder', { stack: 'decoder', layer: 2, head: 1 }, 'decoder.layers.2.self_attn.head_outputs'],
  [
    'encoder-decoder',
    { stack: 'decoder', attention: 'self', layer: 0, head: 2 },
    'decoder.layers.0.self_attn.head_outputs',
  ],
  ['encoder-decoder', { attention: 'cross', layer: 2, head: 0 }, 'decoder.layers.2.multihead_attn.head_outputs'],
  ['encoder-decoder', { stack: 'encoder', layer: 0, neuron: 3 }, 'encoder.layers.0.ffn.activation'],
  ['encoder-decoder', { stack: 'decoder', layer: 2, neuron: 3 }, 'decoder.layers.2.ffn.activation'],
  ['attention', { head: 1 }, 'head_outputs'],
  ['attention with memory', { head: 2 }, 'head_outputs'],
  ['feed-forward', { neuron: 6 }, 'ffn.activation'],
];

/** The patch that `ablate` stands for. */
const patchOf = ({ head, neuron }, name) => ({
  name,
  index: head === undefined ? [null, null, neuron] : [null, head, null, null],
  value: 0,
});

for (const [name, off, tensor] of EXAMPLES) {
  test(`${name}: ${JSON.stringify(off)} is the patch of ${tensor}, to the bit`, () => {
    const model = models[name];
    const [, batch] = CASES[name];
    const plain = resultOf(model.forward(batch));
    const patched = resultOf(model.forward({ ...batch, capture: true, patches: [patchOf(off, tensor)] }));
    assert.ok(distance(patched, plain) > 1e-5, 'it has an effect');
    same(resultOf(model.forward({ ...batch, ablate: [off] })), patched);
    same(resultOf(model.forward({ ...batch, ablate: [off], capture: true })), patched);
    const { data, shape } = model.tensor(tensor);
    const [, H, T, D] = shape.length === 4 ? shape : [2, 1, shape[1], shape[2]];
    data.forEach((value, i) => {
      const here = off.head === undefined ? i % D === off.neuron : Math.floor(i / (T * D)) % H === off.head;
      if (here) assert.equal(value, 0);
    });
    same(resultOf(model.forward(batch)), plain);
  });
}

test('any heads and neurons together, beside patches and a temperature, are their patches in a row', () => {
  const place = fc.oneof(
    fc.record({ stack: fc.constant('encoder'), layer: fc.nat(1), head: fc.nat(2) }),
    fc.record({ stack: fc.constant('encoder'), layer: fc.nat(1), neuron: fc.nat(9) }),
    fc.record({ stack: fc.constant('decoder'), layer: fc.nat(2), head: fc.nat(2) }),
    fc.record({ attention: fc.constant('cross'), layer: fc.nat(2), head: fc.nat(2) }),
    fc.record({ stack: fc.constant('decoder'), layer: fc.nat(2), neuron: fc.nat(9) }),
  );
  const model = models['encoder-decoder'];
  const [, batch] = CASES['encoder-decoder'];
  fc.assert(
    fc.property(
      fc.array(place, { maxLength: 4 }),
      fc.constantFrom(undefined, 0.5, 3),
      fc.boolean(),
      (ablate, temperature, alsoPatched) => {
        const own = alsoPatched ? [{ name: 'decoder.layers.0.residual1', index: [1, 2, null], value: 0.25 }] : [];
        const options = { ...batch, capture: true, ...(temperature && { temperature }) };
        const patches = ablate.map((off) => {
          const { stack = 'decoder', layer, attention = 'self', head } = off;
          const part = head === undefined ? 'ffn.activation' : 'head_outputs';
          const group = attention === 'cross' ? 'multihead_attn.' : 'self_attn.';
          return patchOf(off, `${stack}.layers.${layer}.${head === undefined ? '' : group}${part}`);
        });
        const wanted = model.forward({ ...options, patches: [...own, ...patches] });
        const kept = model.tensor('decoder.layers.2.out');
        const given = model.forward({ ...options, patches: own, ablate });
        same(given.logits, wanted.logits);
        same(model.tensor('decoder.layers.2.out'), kept);
      },
    ),
    { numRuns: 60, seed: 5 },
  );
});

test('an ablation wins over a patch of the same place', () => {
  const [, batch] = CASES.encoder;
  const name = 'encoder.layers.0.ffn.activation';
  models.encoder.forward({ ...batch, capture: true, ablate: [{ layer: 0, neuron: 2 }], patches: [{ name, value: 4 }] });
  const { data } = models.encoder.tensor(name);
  data.forEach((value, i) => assert.equal(value, i % 10 === 2 ? 0 : 4));
});

test('generate goes on without the head: the same tokens with and without cache', () => {
  const model = models.decoder;
  const ablate = [
    { layer: 0, head: 1 },
    { layer: 1, neuron: 3 },
  ];
  const seen = [];
  let tokens = [1, 2, 3];
  for (let i = 0; i < 8; i++) {
    const { logits } = model.forward({ ids: tokens, ablate });
    const last = logits.data.slice(-9);
    tokens = [...tokens, last.indexOf(Math.max(...last))];
  }
  for (const cache of [true, false]) seen.push(model.generateSync({ ids: [1, 2, 3], maxTokens: 8, ablate, cache }).ids);
  assert.deepEqual([...seen[0]], tokens);
  assert.deepEqual(seen[1], seen[0]);
  const drawn = (more) => [...model.generateSync({ ids: [1], maxTokens: 40, temperature: 1, seed: 2, ...more }).ids];
  assert.notDeepEqual(drawn({ ablate }), drawn({}));
  assert.deepEqual(drawn({ ablate: [] }), drawn({}));
});

test('what has no place is refused by its name, with what there is', () => {
  const both = models['encoder-decoder'];
  const [, pair] = CASES['encoder-decoder'];
  for (const [model, batch, ablate, code, parameter, message] of [
    [both, pair, {}, 'type', 'ablate', /an array of \{layer, head\} or \{layer, neuron\}/],
    [both, pair, [3], 'type', 'ablate[0]', /must be { name, node/],
    [both, pair, [{ layer: 0, head: 1 }], 'missing', 'ablate[0].stack', /encoder, decoder/],
    [both, pair, [{ layer: 0, neuron: 1 }], 'missing', 'ablate[0].stack', /encoder, decoder/],
    [both, pair, [{ stack: 'middle', layer: 0, head: 1 }], 'range', 'ablate[0].stack', /encoder, decoder.*"middle"/],
    [
      both,
      pair,
      [{ stack: 'encoder', attention: 'cross', layer: 0, head: 1 }],
      'range',
      'ablate[0].stack',
      /one of decoder/,
    ],
    [both, pair, [{ attention: 'other', layer: 0, head: 1 }], 'range', 'ablate[0].attention', /self, cross/],
    [both, pair, [{ stack: 'encoder', layer: 2, head: 1 }], 'range', 'ablate[0].layer', /one of 0, 1, got 2/],
    [both, pair, [{ stack: 'decoder', layer: 3, head: 1 }], 'range', 'ablate[0].layer', /one of 0, 1, 2, got 3/],
    [both, pair, [{ stack: 'decoder', layer: 1, head: 3 }], 'range', 'ablate[0].head', /0 to 2, got 3/],
    [both, pair, [{ stack: 'decoder', layer: 1, neuron: 10 }], 'range', 'ablate[0].neuron', /0 to 9, got 10/],
    [both, pair, [{ stack: 'decoder', layer: 1, neuron: 0.5 }], 'range', 'ablate[0].neuron', /got 0\.5/],
    [both, pair, [{ stack: 'decoder', layer: 1, neuron: '1' }], 'type', 'ablate[0].neuron', /"1"/],
    [both, pair, [{}], 'missing', 'ablate[0]', /needs a name, layer, node, role, head or neuron/],
    [both, pair, [{ stack: 'decoder', layer: 1, head: 0, neuron: 0 }], 'shape', 'ablate[0].head', /no axis of a head/],
    [both, pair, [{ stack: 'decoder', layer: 1, head: 0, value: 1 }], 'type', 'ablate[0].value', /one of mean/],
    [
      both,
      pair,
      [{ stack: 'decoder', layer: 1, neuron: 0, attention: 'self' }],
      'range',
      'ablate[0].attention',
      /one of none/,
    ],
    [both, pair, [{ layer: 1, heads: 0 }], 'unknown', 'heads', /did you mean head/],
    [models.encoder, CASES.encoder[1], [{ head: 1 }], 'missing', 'ablate[0].layer', /one of 0, 1/],
    [
      models.encoder,
      CASES.encoder[1],
      [
        { layer: 0, head: 0 },
        { layer: 9, head: 1 },
      ],
      'range',
      'ablate[1].layer',
      /9/,
    ],
    [
      models.encoder,
      CASES.encoder[1],
      [{ stack: 'decoder', layer: 0, head: 1 }],
      'range',
      'ablate[0].stack',
      /encoder/,
    ],
    [models.attention, CASES.attention[1], [{ neuron: 1 }], 'range', 'ablate[0].node', /one of tokens, attention/],
    [models.attention, CASES.attention[1], [{ layer: 1, head: 1 }], 'range', 'ablate[0].layer', /one of 0, got 1/],
    [models['feed-forward'], CASES['feed-forward'][1], [{ head: 1 }], 'range', 'ablate[0].node', /one of tokens, ffn/],
  ]) {
    assert.throws(
      () => model.forward({ ...batch, ablate }),
      (/** @type {any} */ error) => {
        assert.deepEqual(
          [error.name, error.code, error.parameter],
          ['GlassformerError', code, parameter],
          error.message,
        );
        assert.match(error.message, message);
        return true;
      },
      JSON.stringify(ablate),
    );
  }
});
