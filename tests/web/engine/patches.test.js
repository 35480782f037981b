// The numbers that a change is put in the place of, and those that come from another pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { forwardWithInterventions, traceWithInterventions } from '../../../web/engine/intervene.js';
import { howToRun } from '../../../web/engine/part.js';
import * as patches from '../../../web/engine/patches.js';

const gf = await load({ variant: 'simd' });
const sizes = { vocabulary: 12, d_model: 8, heads: 2, layers: 2, d_ff: 12, maxLength: 16, head: 'tied', seed: 3 };
const both = { ...sizes, kind: 'encoder-decoder', layers: 3, decoderLayers: 2 };
const [ids, others, targetIds] = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 0]]; // prettier-ignore

/** @param {object} config */
const modelOf = (config) => /** @type {any} */ (gf.createModel(/** @type {any} */ (config)));
/** @param {any} model @param {any} input @param {object[]} list @returns {number[]} the logits */
const run = (model, input, ...list) => [
  ...forwardWithInterventions(model, input, /** @type {any} */ (list)).logits.data,
];
/** @param {any} model @param {string} name @param {number} row */
function rowOf(model, name, row) {
  const { data, shape } = model.tensor(name);
  return data.slice(row * shape[2], (row + 1) * shape[2]);
}

test('each change has a tensor of the engine, and its place in it', () => {
  const place = { kind: 'encoder', layer: 1, head: 1, row: 2, key: 3 };
  const skip = { ...place, what: 'skip', sublayer: 1 };
  /** @type {[any, string, (number | null)[]][]} */
  const table = [
    [{ ...place, what: 'head' }, 'encoder.layers.1.self_attn.head_outputs', [0, 1, null, null]],
    [{ ...place, what: 'headAt', kind: 'cross' }, 'decoder.layers.1.multihead_attn.head_outputs', [0, 1, 2, null]],
    [{ ...place, what: 'cell', kind: 'decoder' }, 'decoder.layers.1.self_attn.weights', [0, 1, 2, 3]],
    [{ ...place, what: 'ffnAt' }, 'encoder.layers.1.ffn.out', [0, 2, null]],
    [{ ...place, what: 'ffnAt', kind: 'cross' }, 'decoder.layers.1.ffn.out', [0, 2, null]],
    [{ ...place, what: 'feature', part: 'out' }, 'encoder.layers.1.out', [0, 2, null]],
    [{ ...place, what: 'feature', part: 'ffn' }, 'encoder.layers.1.ffn.activation', [0, 2, null]],
    [{ ...place, what: 'neuron', neuron: 7 }, 'encoder.layers.1.ffn.activation', [0, null, 7]],
    [{ ...place, what: 'patch', after: 0 }, 'encoder.input', [0, 2, null]],
    [{ ...place, what: 'patch', after: 2, kind: 'decoder' }, 'decoder.layers.1.out', [0, 2, null]],
    [{ ...skip, node: 'attention', kind: 'cross' }, 'decoder.layers.1.multihead_attn.out', [0, null, null]],
    [{ ...skip, node: 'ffn' }, 'encoder.layers.1.ffn.out', [0, null, null]],
    [{ ...skip, node: 'norm' }, 'encoder.layers.1.norm1.out', [0, null, null]],
    [{ ...skip, node: 'norm', kind: 'cross', sublayer: 3 }, 'decoder.layers.1.norm3.out', [0, null, null]],
    [{ what: 'swap', kind: 'encoder', row: 1, to: 2 }, 'encoder.positions', [1, null]],
    [{ what: 'exit', kind: 'encoder', to: 1 }, 'encoder.layers.2.out', [0, null, null]],
    [{ what: 'exit', kind: 'decoder', to: 1 }, 'decoder.layers.1.out', [0, null, null]],
  ];
  const model = modelOf(both);
  model.forward({ sourceIds: ids, targetIds, capture: true });
  for (const [change, name, index] of table) {
    assert.deepEqual(patches.patchTarget(change, both), { name, index });
    const { shape } = model.tensor(name);
    assert.equal(shape.length, index.length, name);
    assert(
      index.every((each, axis) => Number(each) < shape[axis] && (each !== null || shape[axis] > 1)),
      name,
    );
  }
  const neuron = { what: 'neuron', kind: 'decoder', layer: 0, neuron: 3, to: 0 };
  const { name } = patches.patchTarget(/** @type {any} */ (neuron), { ...both, ffn: 'gated' });
  assert.equal(name, 'decoder.layers.0.ffn.product');
  assert.deepEqual(patches.layersOf('decoder', { kind: 'decoder', layers: 5 }), 5);
  const outside = (/** @type {number} */ sublayer, /** @type {object} */ config, kind = 'encoder') =>
    patches.patchTarget(/** @type {any} */ ({ ...skip, kind, node: 'norm', sublayer }), config).name;
  const [embeddingNorm, finalNorm, headTransform] = [true, true, true];
  assert.deepEqual(
    [
      ...[
        outside(0, { embeddingNorm, finalNorm }),
        outside(4, { embeddingNorm, finalNorm }),
        outside(0, { finalNorm }),
      ],
      ...[
        outside(4, { finalNorm, headTransform }),
        outside(4, { embeddingNorm, headTransform }),
        outside(0, {}, 'cross'),
      ],
      ...[outside(4, { finalNorm }), outside(0, { finalNorm }, 'decoder')],
    ],
    [
      ...['emb_ln.out', 'encoder.norm.out', 'encoder.norm.out', 'transform.norm.out', 'transform.norm.out'],
      ...['decoder.norm.out', 'encoder.norm.out', 'decoder.norm.out'],
    ],
  );
});

test('neurons are set one by one; numbers of other passes come later, or are taken', () => {
  const neurons = { what: 'neurons', kind: 'encoder', layer: 1, first: 4, last: 6, to: 0 };
  const one = { what: 'neuron', kind: 'encoder', layer: 1, to: 0 };
  assert.deepEqual(
    patches.cellsOf(/** @type {any} */ (neurons)),
    [4, 5, 6].map((neuron) => ({ ...one, neuron })),
  );
  assert.deepEqual(patches.cellsOf(/** @type {any} */ (one)), [one]);
  for (const [change, isLater, isTaken] of /** @type {[any, boolean, boolean][]} */ ([
    [one, false, false],
    [{ ...one, to: 'mean' }, false, true],
    [{ what: 'ffnAt', to: [1] }, false, true],
    [{ what: 'headAt', to: [1] }, false, true],
    [{ what: 'patch' }, false, true],
    [{ what: 'swap', to: 1 }, true, true],
    [{ what: 'exit', to: 1 }, true, true],
    [{ what: 'feature', to: 0 }, true, true],
    [{ what: 'skip', node: 'norm', to: 0 }, true, true],
    [{ what: 'skip', node: 'ffn', to: 0 }, false, false],
  ]))
    assert.deepEqual([patches.isLater(change), patches.isTaken(change)], [isLater, isTaken], JSON.stringify(change));
});

test('a token’s stream is that of another text, the mean of the tokens, or a mixture with its own', () => {
  const encoder = modelOf({ ...sizes, kind: 'encoder' });
  const two = modelOf(both);
  for (const [model, input, name] of /** @type {[any, any, string][]} */ ([
    [encoder, { ids }, 'ids'],
    [two, { ids, targetIds }, 'sourceIds'],
  ])) {
    const given = input.targetIds ? { sourceIds: ids, targetIds } : { ids };
    const stream = (/** @type {number} */ after) => (after ? `encoder.layers.${after - 1}.out` : 'encoder.input');
    const of = (/** @type {object} */ options, /** @type {number} */ after, /** @type {number} */ row) => {
      model.forward({ ...given, ...options, capture: true });
      return rowOf(model, stream(after), row);
    };
    const wanted = (/** @type {[number, number, Float32Array][]} */ ...list) => {
      const made = list.map(([after, row, value]) => ({ name: stream(after), index: [0, row, null], value }));
      return [...model.forward({ ...given, capture: true, patches: made }).logits.data];
    };
    const patch = { what: 'patch', kind: 'encoder', after: 1, row: 2, from: others, share: 1 };
    const taken = of({ [name]: others }, 1, 2);
    assert.deepEqual(run(model, input, patch), wanted([1, 2, taken]));
    assert.notDeepEqual(run(model, input, patch), run(model, input));
    const own = of({}, 1, 2);
    const mixed = own.map((/** @type {number} */ value, /** @type {number} */ i) => 0.75 * value + 0.25 * taken[i]);
    assert.deepEqual(run(model, input, { ...patch, share: 0.25 }), wanted([1, 2, mixed]));
    const rows = ids.map((_, row) => of({}, 0, row));
    const mean = rows[0].map(
      (/** @type {unknown} */ _, /** @type {number} */ i) => rows.reduce((sum, each) => sum + each[i], 0) / 4,
    );
    const half = rows[1].map((/** @type {number} */ value, /** @type {number} */ i) => 0.5 * value + 0.5 * mean[i]);
    const atMean = { ...patch, after: 0, row: 1, from: 'mean' };
    assert.deepEqual(run(model, input, atMean), wanted([0, 1, mean]));
    // Several at once: two of one text, one of a third, one of the mean.
    const third = [8, 8, 1, 1];
    const list = [patch, { ...patch, row: 0, after: 2 }, { ...patch, row: 3, from: third }, { ...atMean, share: 0.5 }];
    assert.deepEqual(
      run(model, input, ...list),
      wanted([1, 2, taken], [2, 0, of({ [name]: others }, 2, 0)], [1, 3, of({ [name]: third }, 1, 3)], [0, 1, half]),
    );
    // An FFN's output at a token, beside the streams.
    const written = 'encoder.layers.0.ffn.out';
    model.forward({ ...given, [name]: others, capture: true });
    const value = rowOf(model, written, 1);
    const ffn = { what: 'ffnAt', kind: 'encoder', layer: 0, row: 1, to: others };
    const patches = [{ name: written, index: [0, 1, null], value }];
    const { logits } = model.forward({ ...given, capture: true, patches });
    assert.deepEqual(run(model, input, ffn), [...logits.data]);
    const both = [{ name: stream(1), index: [0, 2, null], value: taken }, ...patches];
    assert.deepEqual(run(model, input, patch, ffn), [
      ...model.forward({ ...given, capture: true, patches: both }).logits.data,
    ]);
    // A head's output at a token: of its own matrix, beside the rest.
    const outputs = 'encoder.layers.1.self_attn.head_outputs';
    model.forward({ ...given, [name]: others, capture: true });
    const { data, shape } = model.tensor(outputs);
    const [, , tokens, width] = shape;
    const output = data.slice((tokens + 2) * width, (tokens + 3) * width);
    const head = { what: 'headAt', kind: 'encoder', layer: 1, head: 1, row: 2, to: others };
    const putIn = [{ name: outputs, index: [0, 1, 2, null], value: output }, ...patches];
    assert.deepEqual(run(model, input, head, ffn), [
      ...model.forward({ ...given, capture: true, patches: putIn }).logits.data,
    ]);
    assert.throws(() => run(model, input, { ...head, to: [1, 2, 3] }), {
      message: /^“Encoder layer 2, head 2 at token 2: from the other sentence”: the other sentence has 3 tokens, /,
    });
    assert.throws(() => run(model, input, { ...ffn, to: [1, 2, 3] }), {
      message: /^“Encoder layer 1, FFN at token 1: from the other sentence”: the other sentence has 3 tokens, /,
    });
    const label = '“Encoder layer 1, token 2: from the other sentence”';
    for (const [from, why] of /** @type {[number[], string][]} */ ([
      [[1, 2, 3], 'the other sentence has 3 tokens, this one 4.'],
      [[1, 2, 3, 99], 'the model cannot read the other sentence.'],
    ]))
      assert.throws(() => run(model, input, { ...patch, row: 1 }, { ...patch, from }), {
        message: `${label}: ${why} Remove it or choose another text.`,
      });
  }
  const odd = Object.assign(modelOf({ ...sizes, kind: 'encoder' }), {});
  const { forward } = odd;
  odd.forward = (/** @type {any} */ options) => {
    if (options.ids === others) throw new TypeError('odd');
    return forward.call(odd, options);
  };
  const patch = { what: 'patch', kind: 'encoder', after: 1, row: 2, from: others, share: 1 };
  assert.throws(() => run(odd, { ids }, patch), { name: 'TypeError', message: 'odd' });
});

test('a change that the model or the text does not have is named, and how to go on', () => {
  const model = modelOf({ ...sizes, kind: 'encoder' });
  const at = { kind: 'encoder', layer: 1, head: 1, row: 1 };
  const cell = { ...at, what: 'cell', key: 1, to: 0.5 };
  const head = { ...at, what: 'head', to: 0 };
  const settings = ' does not exist in this model. Remove it or choose other settings.';
  const other = ' Remove it or choose another text.';
  const text = ` does not exist in this text.${other}`;
  const number = ': the number is too large. Remove it or choose another one.';
  const patch = { ...at, what: 'patch', after: 1, from: 'mean', share: 1 };
  const exit = { what: 'exit', kind: 'encoder', to: 1 };
  for (const [list, message] of /** @type {[any[], string][]} */ ([
    [[{ ...cell, row: 9 }], `“Encoder layer 2, head 2, row 9 → column 1: 0.5”${text}`],
    [[{ ...cell, key: 9 }], `“Encoder layer 2, head 2, row 1 → column 9: 0.5”${text}`],
    [[{ ...cell, head: 9 }], `“Encoder layer 2, head 10, row 1 → column 1: 0.5”${settings}`],
    [[head, { ...cell, to: 1e39 }], `“Encoder layer 2, head 2, row 1 → column 1: 1e+39”${number}`],
    [[{ ...head, what: 'headAt', row: 9 }], `“Encoder layer 2, head 2 at token 9: off”${text}`],
    [[{ ...head, what: 'headAt', head: 9 }], `“Encoder layer 2, head 10 at token 1: off”${settings}`],
    [
      [{ ...head, what: 'feature', part: 'out', seed: 0, feature: 3 }],
      `“Encoder layer 2, stream at token 1: feature 3 off”: its features have not been found yet.${other}`,
    ],
    [[{ ...head, what: 'ffnAt', row: 9 }], `“Encoder layer 2, FFN at token 9: off”${text}`],
    [[{ ...head, what: 'ffnAt', layer: 9 }], `“Encoder layer 10, FFN at token 1: off”${settings}`],
    [[head, { ...head, what: 'neuron', neuron: 99 }], `“Encoder layer 2, neuron 99: off”${settings}`],
    [
      [head, { ...at, what: 'neurons', first: 10, last: 13, to: 0 }],
      `“Encoder layer 2, neurons 10 to 13: off”${settings}`,
    ],
    [[{ ...patch, row: 9 }], `“Encoder layer 1, token 9: from the mean of the tokens”${text}`],
    [[exit, { ...cell, row: 9 }, head], `“Encoder layer 2, head 2, row 9 → column 1: 0.5”${text}`],
    [
      [{ what: 'swap', kind: 'encoder', row: 0, to: 4 }],
      `“Encoder positions 0 (token 0) and 4 (token 4) swapped”: the text has 4 tokens.${other}`,
    ],
    [
      [{ what: 'swap', kind: 'encoder', row: 4, to: 0 }],
      `“Encoder positions 4 (token 4) and 0 (token 0) swapped”: the text has 4 tokens.${other}`,
    ],
    [[{ ...exit, to: 3 }], `“Encoder read after layer 3”: the model has 2 layers.${other}`],
  ]))
    // prettier-ignore
    assert.throws(() => run(model, { ids }, ...list), { message }, message);
  assert.throws(
    () => run(model, { ids: [1, 99] }, head),
    { name: 'GlassformerError' },
    'what no change is to blame for',
  );
  assert.deepEqual(run(model, { ids }, { ...exit, to: 2 }), run(model, { ids }));
});

test('a trace has the numbers of the same pass; a temperature of its own, and what it keeps of a long text', () => {
  const model = modelOf({ ...sizes, kind: 'encoder' });
  const head = { what: 'head', kind: 'encoder', layer: 1, head: 1, to: 0 };
  for (const list of /** @type {any[][]} */ ([
    [],
    [head],
    [{ what: 'temperature', value: 2 }],
    [{ what: 'temperature', value: 2 }, head],
  ])) {
    const trace = traceWithInterventions(model, { ids }, list);
    const name = 'encoder.layers.1.self_attn.weights';
    const traced = [...trace.tensor(name).data];
    trace.free();
    const logits = run(model, { ids }, ...list);
    assert.deepEqual([...model.tensor(name).data], traced);
    const ablate = list.includes(head) ? [{ layer: 1, head: 1 }] : [];
    const temperature = list[0]?.value ?? 1;
    assert.deepEqual(logits, [...model.forward({ ids, ablate, temperature }).logits.data]);
  }

  const bytes = (/** @type {number} */ count) => ({
    config: both,
    forwardBytes: (/** @type {any} */ options) => (asked.push(options), count),
  });
  /** @type {object[]} */
  const asked = [];
  const how = (/** @type {number} */ count, /** @type {any[]} */ list, input = /** @type {any} */ ({ ids })) =>
    howToRun(/** @type {any} */ (bytes(count)), input, { layer: 1, row: 0 }, list);
  assert.deepEqual(how(2 ** 29, [head]), { capture: true });
  const kept = (/** @type {number[]} */ ...layers) => ({ capture: layers.map((layer) => ({ layer })), logits: false });
  const at = (/** @type {object} */ more) => ({ kind: 'encoder', layer: 0, row: 0, ...more });
  for (const [list, layers] of /** @type {[any[], number[]][]} */ ([
    [[], [1]],
    [
      [head, at({ what: 'head', layer: 0 })],
      [1, 0],
    ],
    [[{ what: 'temperature', value: 2 }, at({ what: 'weight', name: 'x' })], [1]],
    [[at({ what: 'swap', to: 1 })], [1]],
    [
      [at({ what: 'patch', after: 0 }), at({ what: 'patch', after: 3 })],
      [1, 2],
    ],
    [[at({ what: 'exit', to: 1 })], [1, 0, 2]],
    [[at({ what: 'head', layer: 3 })], [1]],
  ]))
    assert.deepEqual(how(2 ** 29 + 1, list), kept(...layers), JSON.stringify(list));
  how(1, [], { ids, targetIds });
  assert.deepEqual(
    [asked[0], asked.at(-1)],
    [
      { ids, capture: true },
      { sourceIds: ids, targetIds, capture: true },
    ],
  );
});
