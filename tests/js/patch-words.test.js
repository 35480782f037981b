// The words of a patch: set, add, scale, apply and from, over one row, several or all, counted from either end.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load } from 'glassformer';
import { gradients } from 'glassformer/derivatives';

const gf = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
after(() => there.terminate());

const config = { kind: 'decoder', vocabulary: 20, d_model: 8, heads: 2, layers: 2, head: 'tied', seed: 3 };
const model = gf.createModel(config);
const ids = [1, 2, 3, 4, 5, 6];
const at = { layer: 0 };
const vector = Float32Array.from({ length: 8 }, (_, i) => i / 4 - 1);

/** The stream after layer 0 of a pass with patches, and its logits. @param {any[]} patches @param {any} [given] */
function patched(patches, given = ids) {
  const { logits } = /** @type {any} */ (model.forward({ ids: given, capture: true, patches }));
  return { stream: model.tensor('decoder.layers.0.out').data, logits: logits.data };
}
const plain = patched([]);

/** @param {(value: number, i: number, row: number) => number} change @param {number} [rows] */
const changed = (change, rows = ids.length) =>
  plain.stream.slice(0, 8 * rows).map((value, i) => change(value, i % 8, Math.floor(i / 8)));

test('a vector goes to each row, or to those named; value is set', () => {
  assert.deepEqual(
    patched([{ at, set: vector }]).stream,
    changed((_, i) => vector[i]),
  );
  for (const rows of [[1, 4], [4, 1], [-2, -5], [1]]) {
    const { stream } = patched([{ at, rows, set: vector }]);
    const of = rows.map((row) => (row + 6) % 6);
    assert.deepEqual(
      stream,
      changed((value, i, row) => (of.includes(row) ? vector[i] : value)),
    );
    assert.deepEqual(patched([{ at, rows, value: vector }]).stream, stream);
    const { data } = { data: of.flatMap(() => [...vector]) };
    assert.deepEqual(patched([{ at, rows, set: data }]).stream, stream);
  }
  const heads = { node: 'attention', role: 'head_outputs', layer: 1, rows: [0, -1], set: [1, 2, 3, 4] };
  model.forward({ ids, capture: true, patches: [heads] });
  const { data, shape } = model.tensor('decoder.layers.1.self_attn.head_outputs');
  assert.deepEqual(shape, [1, 2, 6, 4]);
  for (const [head, row] of [
    [0, 0],
    [0, 5],
    [1, 0],
    [1, 5],
  ])
    assert.deepEqual([...data.subarray((head * 6 + row) * 4, (head * 6 + row) * 4 + 4)], [1, 2, 3, 4]);
});

test('add and scale take what the pass computes there, with all that is patched before', () => {
  const add = (/** @type {any} */ more) => patched([{ at, ...more }]).stream;
  assert.deepEqual(
    add({ add: vector }),
    changed((value, i) => Math.fround(value + vector[i])),
  );
  assert.deepEqual(
    add({ add: 2, row: -1 }),
    changed((value, _, row) => (row === 5 ? Math.fround(value + 2) : value)),
  );
  assert.deepEqual(
    add({ scale: -0.5, rows: [0, 2] }),
    changed((value, _, row) => (row === 0 || row === 2 ? value * -0.5 : value)),
  );
  const both = patched([
    { at, add: vector },
    { at, scale: 2 },
  ]);
  assert.deepEqual(
    both.stream,
    changed((value, i) => Math.fround(value + vector[i]) * 2),
  );
  // The second one sees what the first has changed, in whichever order they are named.
  const first = { at: { layer: 0, head: 1 }, set: 0 };
  const then = { at: { layer: 1 }, scale: 3 };
  const { stream } = patched([first]);
  const { logits } = patched([then, first]);
  assert.deepEqual(patched([first, then]).logits, logits);
  assert.deepEqual(patched([then, first]).stream, stream);
  model.forward({ ids, capture: true, patches: [first] });
  const alone = model.tensor('decoder.layers.1.out').data;
  model.forward({ ids, capture: true, patches: [first, then] });
  assert.deepEqual(
    model.tensor('decoder.layers.1.out').data,
    alone.map((value) => value * 3),
  );
});

test('apply is a function of what stands there', () => {
  /** @type {any[]} */
  const seen = [];
  const look = { at, apply: (/** @type {any} */ { data, shape }) => void seen.push([[...data], shape]) };
  assert.deepEqual(patched([look]).logits, plain.logits);
  assert.deepEqual(seen, [[[...plain.stream], [1, 6, 8]]]);
  patched([{ ...look, rows: [1, 2] }]);
  patched([{ ...look, at: { layer: 0, row: -1 } }]);
  assert.deepEqual(
    seen.slice(1).map(([, shape]) => shape),
    [
      [1, 2, 8],
      [1, 8],
    ],
  );
  assert.deepEqual(seen[2][0], [...plain.stream.slice(40)]);
  const doubled = changed((value, _, row) => (row === 5 ? value * 2 : value));
  for (const apply of [
    (/** @type {any} */ { data }) => data.map((/** @type {number} */ value) => value * 2),
    (/** @type {any} */ { data, shape }) => ({ data: [...data].map((value) => value * 2), shape }),
    (/** @type {any} */ { data }) => void data.forEach((value, i) => (data[i] = value * 2)),
  ])
    assert.deepEqual(patched([{ at, row: -1, apply }]).stream, doubled);
});

test('the numbers of another text, in the row that is named, of whatever length', () => {
  const other = [7, 8, 9, 1];
  const from = model.trace({ ids: other });
  const { data } = from.tensor('decoder.layers.0.out');
  const row = (/** @type {number} */ n) => data.subarray(8 * n, 8 * n + 8);
  for (const more of [{ row: 2 }, { rows: [2] }, { row: -4, fromRow: 2 }, { row: 2, fromRow: -2 }])
    assert.deepEqual(
      patched([{ at, from, ...more }]).stream,
      changed((value, i, at) => (at === 2 ? row(2)[i] : value)),
    );
  // Each from its own end.
  assert.deepEqual(
    patched([{ at, from, row: -1 }]).stream,
    changed((value, i, at) => (at === 5 ? row(3)[i] : value)),
  );
  assert.deepEqual(
    patched([{ at, set: from, rows: [0, 4], fromRow: 1 }]).stream,
    changed((value, i, at) => (at === 0 || at === 4 ? row(1)[i] : value)),
  );
  const heads = { layer: 1, node: 'attention', role: 'head_outputs', rows: [5, 0], fromRow: 3 };
  const wanted = from.tensor('decoder.layers.1.self_attn.head_outputs').data;
  model.forward({ ids, capture: true, patches: [{ .../** @type {any} */ (heads), from }] });
  const got = model.tensor('decoder.layers.1.self_attn.head_outputs').data;
  for (const [head, to] of [
    [0, 0],
    [0, 5],
    [1, 0],
    [1, 5],
  ])
    assert.deepEqual(
      got.subarray((head * 6 + to) * 4, (head * 6 + to) * 4 + 4),
      wanted.subarray((head * 4 + 3) * 4, (head * 4 + 3) * 4 + 4),
    );
  assert.throws(() => patched([{ at, from }]), {
    code: 'shape',
    parameter: 'patches[0].from',
    message: /the passes have 6 and 4 tokens: name rows, as row and fromRow$/,
  });
});

test('row -1 is the last one everywhere', async () => {
  const trace = model.trace({ ids });
  assert.deepEqual(trace.tensor({ layer: 0, row: -1 }), trace.tensor({ layer: 0, row: 5 }));
  assert.deepEqual(await trace.attribution(-1), await trace.attribution(5));
  assert.deepEqual(await trace.decided(-1), await trace.decided(5));
  model.forward({ ids, logits: false });
  assert.deepEqual(model.logitsAt(-1), model.logitsAt(5));
  assert.deepEqual(trace.tensor({ layer: 1, head: 0, row: -6 }), trace.tensor({ layer: 1, head: 0, row: 0 }));
  const of = /** @type {any} */ (['decoder.input']);
  assert.deepEqual(
    gradients(model, { ids, logit: { at: -1, id: 3 }, of }),
    gradients(model, { ids, logit: { at: 5, id: 3 }, of }),
  );
  const ablate = (/** @type {number} */ row) =>
    /** @type {any} */ (model.forward({ ids, ablate: [{ layer: 0, head: 1, row }] })).logits;
  assert.deepEqual(ablate(-1), ablate(5));
  assert.throws(() => trace.tensor({ layer: 0, row: -7 }), {
    code: 'range',
    message: /an integer from -6 to 5, got -7/,
  });
  assert.throws(() => trace.tensor({ layer: 0, row: 6 }), { code: 'range' });
});

test('a steering vector while generating: each token as a pass with the patch says, here and in a worker', async () => {
  const { data: vectors } = model.tensor('tok_emb.weight');
  const patches = [{ at: { layer: 1 }, add: vectors.slice(8 * 9, 8 * 10).map((value) => 50 * value) }];
  const { ids: steered } = await model.generate({ ids: [1, 2], maxTokens: 5, patches });
  const { ids: free } = await model.generate({ ids: [1, 2], maxTokens: 5 });
  assert.notDeepEqual(steered, free);
  assert.equal(steered[2], 9);
  for (let length = 2; length < 7; length++) {
    const { data } = /** @type {any} */ (model.forward({ ids: steered.slice(0, length), patches })).logits;
    const last = data.subarray(20 * (length - 1));
    assert.equal(last.indexOf(Math.max(...last)), steered[length]);
  }
  const distant = await there.createModel(config);
  assert.deepEqual((await distant.generate({ ids: [1, 2], maxTokens: 5, patches })).ids, steered);
  const more = [
    { at, scale: 2, rows: [0, -1] },
    { at: { layer: 1 }, set: vector, row: -2 },
  ];
  assert.deepEqual(
    (await distant.forward({ ids, patches: more })).logits,
    model.forward({ ids, patches: more }).logits,
  );
  await assert.rejects(
    distant.forward({ ids, patches: [/** @type {any} */ ({ at, apply: () => {} })] }),
    /patches\[0\]\.apply/,
  );
  await distant.free();
});

test('a patch that says too little or too much is refused by name, and changes nothing', () => {
  const from = model.trace({ ids: [1, 2] });
  const { data } = model.forward({ ids }).logits;
  /** @type {[any, string, RegExp][]} */
  const cases = [
    [{ at }, 'missing', /^patches\[0\]\.set: needed: one of set, add, scale, from, apply, value$/],
    [{ at, set: 1, add: 2 }, 'unknown', /^patches\[0\]\.add: set says it already, got 2/],
    [{ at, set: 1, fromRow: 2 }, 'missing', /^patches\[0\]\.from: needed with fromRow: a trace/],
    [{ at, add: 1, fromRow: 2 }, 'missing', /^patches\[0\]\.from: needed with fromRow/],
    [{ at, from, fromRow: 1 }, 'missing', /^patches\[0\]\.row: needed with fromRow: the row that gets it/],
    [{ at, from, fromRow: 2, row: 1 }, 'range', /patches\[0\]\.rows\[0\]: must be an integer from -2 to 1, got 2/],
    [{ at, rows: [1], row: 1, set: 1 }, 'unknown', /^patches\[0\]\.rows: row says it already/],
    [{ at, rows: 1, set: 1 }, 'type', /^patches\[0\]\.rows: must be an array of rows, got 1/],
    [{ at, rows: [6], set: 1 }, 'range', /^patches\[0\]\.rows\[0\]: must be an integer from -6 to 5, got 6/],
    [{ at, row: 1.5, set: 1 }, 'range', /^patches\[0\]\.row: /],
    [{ at, add: [1, 2, 3] }, 'shape', /^patches\[0\]\.add: must be one number, 8 for each row or 48, got 3/],
    [{ at, set: [1, 2, 3], row: 1 }, 'shape', /^patches\[0\]\.set: must be one number or 8, got 3/],
    [{ at, add: NaN }, 'range', /^patches\[0\]\.add: must be a finite number/],
    [{ at, scale: 'mean' }, 'type', /^patches\[0\]\.scale: must be a number, numbers, a tensor, got "mean"/],
    [{ at, scale: from }, 'type', /^patches\[0\]\.scale/],
    [{ at, apply: 3 }, 'type', /^patches\[0\]\.apply: must be a function, got 3/],
    [{ at, apply: () => [1] }, 'shape', /^patches\[0\]\.apply: must give 48 numbers, got 1/],
    [{ at, apply: async () => [1] }, 'type', /^patches\[0\]\.apply/],
    [{ at, apply: () => vector.map(() => NaN) }, 'range', /^patches\[0\]\.apply/],
    [{ at, feature: 1, set: 1 }, 'missing', /^patches\[0\]\.of: needed with feature: features/],
    [{ at, sets: 1 }, 'unknown', /^sets: unknown, did you mean set\?/],
  ];
  for (const [patch, code, message] of cases)
    assert.throws(() => model.forward({ ids, patches: [patch] }), { code, message }, JSON.stringify(patch));
  assert.deepEqual(model.forward({ ids }).logits.data, data);
});
