// A capture of some layers; that its numbers are those of a whole one: kept.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const model = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 3, head: 'tied' });
const ids = [1, 2, 3, 4];
const refused = (code, message, call) =>
  assert.throws(call, (error) => error.code === code && message.test(error.message));

test('a layer that is left out is refused by name', () => {
  model.forward({ ids, capture: [{ layer: 1 }] });
  assert.equal(model.tensor('decoder.layers.1.self_attn.scores').shape[1], 2);
  const name = 'decoder.layers.2.self_attn.weights';
  const hint = /needs capture: true, or a selector of it in capture, in forward/;
  refused('unknown', hint, () => model.tensor(name));
  const pass = (more) => model.forward({ ids, capture: [{ layer: 1 }], ...more });
  // Patches and ablations need more tensors, captured beside it.
  pass({ patches: [{ name, value: 0 }] });
  assert.equal(Math.max(...model.tensor(name).data), 0);
  pass({ ablate: [{ layer: 2, head: 0 }] });
  const layers = model
    .tensors()
    .filter(({ role }) => role === 'scores')
    .map(({ layer }) => layer);
  assert.deepEqual(layers, [1, 2]);
  model.forward({ ids, ablate: [{ layer: 2, head: 0 }] });
  refused('unknown', hint, () => model.tensor('decoder.layers.1.self_attn.weights'));
  refused('missing', /ablate\[0\].layer.*0, 1, 2/, () => pass({ ablate: [{ head: 0 }] }));
  const ablated = pass({ ablate: [{ layer: 1, head: 0 }] }).logits.data;
  assert.deepEqual(ablated, model.forward({ ids, ablate: [{ layer: 1, head: 0 }] }).logits.data);
});

test('the bytes of a pass, before it runs', () => {
  const long = (options) => model.forwardBytes({ ids: Array(256).fill(1), ...options });
  const sizes = [{}, { capture: [{ layer: 2 }], logits: false }, { capture: [{ layer: 2 }] }, { capture: true }];
  const bytes = sizes.map(long);
  assert.deepEqual(
    bytes,
    bytes.toSorted((a, b) => a - b),
  );
  assert.equal(long({ ablate: [{ layer: 0, head: 1 }] }), bytes[2]);
  assert.equal(long({ capture: true, patches: [{ layer: 0, value: 1 }] }), bytes[3]);
  assert.equal(model.forwardBytes({ ids: Array(1e5).fill(1), capture: true }), Infinity);
  refused('token', /ids/, () => model.forwardBytes({ ids: [9] }));
});

test('what is no choice of layers is refused', () => {
  const pass = (capture) => () => model.forward({ ids, capture });
  refused('range', /capture\[1\].layer.*from 0 to 2/, pass([{ layer: 0 }, { layer: 3 }]));
  refused('type', /capture: must be true, false or selectors: \[{ layer: 0 }\]/, pass({ layers: [1] }));
  refused('missing', /capture\[0\]: needs a name, layer/, pass([{}]));
  refused('unknown', /^layers: unknown, did you mean layer/, pass([{ layers: 1 }]));
  refused('unknown', /decoder.layers.1.out/, pass(['decoder.layers.1.outs']));
  refused('type', /capture: must be true, false or/, pass(1));
});

test('a selector keeps the layers of the tensors that it means', () => {
  const names = () =>
    model
      .tensors()
      .filter(({ role }) => role === 'scores')
      .map(({ layer }) => layer);
  for (const [capture, layers] of [
    [['decoder.layers.2.ffn.activation'], [2]],
    [
      [
        { layer: 1, head: 1 },
        { layer: 0, node: 'ffn', neuron: 3 },
      ],
      [0, 1],
    ],
    [[{ node: 'attention', role: 'weights' }], [0, 1, 2]],
    [[], []],
  ]) {
    model.forward({ ids, capture });
    assert.deepEqual(names(), layers, JSON.stringify(capture));
  }
});

test('each of 64 layers can be kept alone', () => {
  const deep = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 64 });
  for (const layers of [[0, 31], [32], [63]]) {
    deep.forward({ ids, capture: layers.map((layer) => ({ layer })) });
    const kept = deep.tensors().filter(({ region, layer }) => region === 'intermediate' && layer !== null);
    assert.deepEqual([...new Set(kept.map(({ layer }) => layer))], layers);
  }
  deep.free();
});

test('the logits of a row are those among all, also of a text that goes on', () => {
  const pass = (options) => model.forward({ ids, ...options });
  const { data } = pass({}).logits;
  const rows = ids.map((_, row) => data.subarray(9 * row, 9 * row + 9));
  pass({ ids: [1, 2], logits: false });
  assert.equal(pass({ logits: false, capture: true }).logits, undefined);
  rows.forEach((row, i) => assert.deepEqual(model.logitsAt(i), { data: row, shape: [1, 9] }));
  assert.equal(model.tensor('probabilities').shape[1], 1);
  refused('range', /an integer from -4 to 3/, () => model.logitsAt(4));
  assert.deepEqual(model.generateSync({ ids, maxTokens: 2 }), model.clone().generateSync({ ids, maxTokens: 2 }));
  refused('state', /forward with logits: false; the answer after a layer is trace\(input\)\.lens/, () =>
    model.logitsAt(0),
  );
  pass({});
  refused('state', /needs forward with logits: false/, () => model.logitsAt(0));
});

const HEADED = { kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2, layers: 2, seed: 4, headTransform: true };

test('logits that were not computed are refused, not those of an earlier pass', () => {
  for (const config of [
    { ...HEADED, head: 'tied' },
    { ...HEADED, kind: 'decoder', causal: true, head: 'linear' },
  ]) {
    const own = gf.createModel(config);
    const of = (/** @type {any[]} */ list) =>
      list.filter((name) => /^(transform[.](pre|act|norm[.](mean|out))|logits|prob)/.test(name));
    const listed = () => of(own.tensors().map(({ name }) => name));
    const nodes = () => own.graph().filter(({ kind }) => kind === 'logits' || kind === 'probabilities');
    for (const capture of [false, true]) {
      own.forward({ ids, capture });
      const names = listed();
      assert(names.includes('logits'));
      const nothing = (/** @type {string} */ when) => {
        assert.deepEqual(listed(), [], when);
        assert(nodes().every(({ tensor }) => tensor === null));
        for (const name of names) {
          refused('state', /was not computed: forward ran with logits: false/, () => own.tensor(name));
          refused('state', /was not computed/, () => own.view(name));
        }
      };
      for (const row of [0, 2]) {
        own.forward({ ids: [...ids, row], logits: false, capture });
        nothing('before logitsAt');
        const { data } = own.logitsAt(row);
        assert.deepEqual(listed(), names);
        assert.deepEqual(own.tensor('logits'), { data, shape: [1, 1, 9] });
        own.forward({ ids, logits: false, capture });
        nothing('after the next pass');
        refused('range', /row/, () => own.logitsAt(99));
        nothing('after a row that there is not');
      }
      // Whatever changes what the pass computed from ends logitsAt.
      for (const change of [() => own.initialize(3), () => own.loadWeights(own.weights()), () => own.trainer()]) {
        own.forward({ ids, logits: false, capture });
        change();
        refused('state', /needs forward with logits: false/, () => own.logitsAt(0));
        nothing('after other weights');
      }
      own.forward({ ids, capture });
      assert.deepEqual(listed(), names);
    }
    own.free();
  }
});

test('logitsAt computes from the patches of its pass', () => {
  const batch = { data: [1, 2, 3, 4, 5, 6], shape: [2, 3] };
  for (const config of [HEADED, { ...HEADED, kind: 'decoder' }, { ...HEADED, kind: 'encoder-decoder' }]) {
    const own = gf.createModel({ ...config, head: 'linear' });
    const inputs = config.kind === 'encoder-decoder' ? { sourceIds: batch, targetIds: batch } : { ids: batch };
    const given = { ...inputs, capture: true };
    own.forward(given);
    const names = own
      .tensors()
      .flatMap(({ name, patchable }) => (patchable && name.startsWith('transform') ? [name] : []));
    assert.deepEqual(names, ['transform.pre_activation', 'transform.activation', 'transform.norm.out']);
    const plain = own.forward(given).logits.data;
    for (const name of [...names, `${config.kind === 'encoder' ? 'encoder' : 'decoder'}.layers.1.out`]) {
      for (const index of [undefined, [0, null, 2], [1, 2, null], [null, 1, 3]]) {
        const patches = [
          { name, index, value: 5 },
          { name, index: [0, 1, 7], value: -3 },
        ];
        const { data } = own.forward({ ...given, patches }).logits;
        assert(data.some((each, i) => each !== plain[i]));
        own.forward({ ...given, patches, logits: false });
        for (const row of [3, 0, 5, 1, 2, 4, 1]) {
          assert.deepEqual(own.logitsAt(row).data, data.slice(9 * row, 9 * row + 9), `${name} ${index} ${row}`);
        }
        own.forward({ ...given, logits: false });
        assert.deepEqual(own.logitsAt(1).data, plain.slice(9, 18));
      }
    }
    const bad = (/** @type {any} */ patch) => () => own.forward({ ...given, logits: false, patches: [patch] });
    refused('range', /patches\[0\].index\[1\]/, bad({ name: names[0], index: [0, 3, 0], value: 1 }));
    refused('shape', /patches\[0\].value/, bad({ name: names[0], value: [1, 2] }));
    refused('range', /patches\[0\].name/, bad({ name: 'transform.dense.bias', value: 1 }));
    own.free();
  }
});
