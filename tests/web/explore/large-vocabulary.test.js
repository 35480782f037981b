// Derived values of a model whose output table is large: only what is in sight is computed, in as few products as fit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'glassformer';
import { headShare } from '../../../web/draw/head-share.js';
import { weight } from '../../../web/explore/derived/tensors.js';
import { lens } from '../../../web/explore/derived/logit-lens.js';
import { neurons } from '../../../web/explore/derived/neuron.js';
import { stream } from '../../../web/explore/derived/residual-stream.js';
import { neuronsName } from '../../../web/explore/shared/neurons.js';
import { descending, largest } from '../../../web/explore/shared/order.js';
import { probabilities } from '../../../web/explore/shared/answer-row.js';

const gf = await load({ variant: 'simd' });
const ids = Array.from({ length: 40 }, (_, i) => (7919 * i) % 997);

/** @param {object} config @param {(context: any) => unknown} body */
async function withRun(config, body) {
  const model = gf.createModel({ kind: 'decoder', d_model: 8, heads: 2, d_ff: 32, head: 'tied', seed: 3, ...config });
  model.forward({ ids, capture: true });
  await body({ gf, model, ids, interventions: [] });
  model.free();
}

/** @param {number} d_ff @param {number} vocabulary @param {object} cursor */
const nameOf = (d_ff, vocabulary, cursor) =>
  neuronsName(
    /** @type {any} */ ({ config: { vocabulary }, settings: { d_ff } }),
    'decoder/0',
    /** @type {any} */ ({ cursor }),
  );

test('the words of all neurons are asked for where they are few, else of those in sight', () => {
  assert.equal(nameOf(256, 400, { row: 3, neuron: 7 }), '@neurons/decoder/0');
  assert.equal(nameOf(3072, 50257, { row: 3, neuron: 7 }), '@neurons/decoder/0/3/7');
  assert.equal(nameOf(3072, 50257, { row: 3, neuron: null }), '@neurons/decoder/0/3/');
});

test('what the neurons in sight promote is what all of them do, to the bit', () =>
  withRun({ vocabulary: 1000, layers: 2, norm: 'pre', finalNorm: true }, (context) => {
    const all = /** @type {any} */ (neurons(context, 'decoder', '1'));
    const activation = context.model.tensor('decoder.layers.1.ffn.activation').data;
    for (const [row, chosen] of [
      [5, 9],
      [39, 31],
      [500, 0],
    ]) {
      const some = /** @type {any} */ (neurons(context, 'decoder', '1', String(row), String(chosen)));
      const values = [...activation.subarray(32 * Math.min(row, 39), 32 * Math.min(row, 39) + 32)];
      assert.equal(values[some.which[0]], Math.max(...values));
      assert.ok(some.which.includes(chosen));
      assert.deepEqual(some.words.shape, [some.which.length, 1000]);
      some.which.forEach((/** @type {number} */ n, /** @type {number} */ i) =>
        assert.deepEqual(
          some.words.data.slice(1000 * i, 1000 * i + 1000),
          all.words.data.slice(1000 * n, 1000 * n + 1000),
        ),
      );
    }
    const strongest = /** @type {any} */ (neurons(context, 'decoder', '1', '5', ''));
    assert.equal(strongest.which.length, 8);
  }));

test('the lens of a large table: each readout is what its state gives alone', () =>
  withRun({ vocabulary: 50_000, layers: 9 }, async (context) => {
    const { model } = context;
    const { readouts } = /** @type {import('../../../web/explore/derived/logit-lens.js').Lens} */ (await lens(context));
    assert.equal(readouts.length, 10);
    const b = model.tensor('tok_emb.weight');
    readouts.forEach(({ ids: found, probabilities }, readout) => {
      const state = model.tensor(readout ? `decoder.layers.${readout - 1}.out` : 'decoder.input');
      const a = { data: state.data, shape: [40, 8] };
      const logits = gf.matmul(a, b, { transposeB: true });
      const bias = model.tensors().some(({ name }) => name === 'out_proj.bias')
        ? model.tensor('out_proj.bias').data
        : null;
      if (bias)
        logits.data.forEach((/** @type {number} */ _, /** @type {number} */ i) => (logits.data[i] += bias[i % 50_000]));
      const { data } = gf.softmax(logits);
      for (const row of [0, 39]) {
        const own = data.subarray(50_000 * row, 50_000 * row + 50_000);
        assert.equal(
          probabilities[5 * row],
          own.reduce((x, y) => Math.max(x, y)),
        );
        assert.equal(own[found[5 * row]], probabilities[5 * row]);
      }
    });
  }));

test('the largest are the first in the order of all', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 1, max: 6 }), (list, count) => {
      const values = Float32Array.from(list);
      assert.deepEqual(largest(values, count), [...descending(values, values.length)].slice(0, count));
    }),
  ));

test('what the page reads of a pass takes no view, after which the next pass would compute all again', () =>
  withRun({ vocabulary: 997, layers: 2 }, (context) => {
    Object.defineProperty(context.model, 'view', { value: () => assert.fail('a view') });
    stream(context);
    assert.deepEqual(probabilities(context), gf.softmax(context.model.tensor('logits')));
    assert.equal(weight(context, 'tok_emb.weight', '3', '2').value, context.model.tensor('tok_emb.weight').data[26]);
    const { norms } = headShare(context, 'decoder.layers.1.self_attn', '1', '99');
    assert.equal(norms.length, 2);
    const { data, shape } = context.model.tensor('decoder.layers.1.self_attn.out');
    const whole = Math.hypot(...data.slice(-shape[2]));
    assert.ok(Math.abs(norms[0] - norms[1]) < whole && whole < norms[0] + norms[1], 'of a triangle');
  }));
