// A text too long for the numbers of all layers: one layer at a time, and the answer of one row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { namesOfPart, rowName } from '../../../web/engine/part.js';
import { PROBABILITIES } from '../../../web/engine/plan.js';
import { createResults } from '../../../web/engine/results.js';

const gf = await load({ variant: 'simd' });
const config = { kind: 'decoder', vocabulary: 50, d_model: 8, heads: 8, d_ff: 8, layers: 64, head: 'tied', seed: 1 };
const ids = Array.from({ length: 300 }, (_, i) => (7 * i) % 50);
const weights = (/** @type {number} */ layer) => `decoder.layers.${layer}.self_attn.weights`;
const names = [weights(2), weights(5), 'logits', PROBABILITIES, '@stream', '@lens'];
const query = { type: 'run', id: 1, config, targetIds: null, model: null, generate: null, plans: 1, names };
const maskNames = { decoder: 'decoder.layers.0.self_attn.masked' };

test('what the worker answers of a long text, and of a short one', async () => {
  const live = createLiveModels(gf, createModelCache());
  const run = (/** @type {any} */ given) =>
    live.run(/** @type {any} */ ({ ...query, maskNames, key: 'long', ...given }));
  const off = { what: 'head', kind: 'decoder', layer: 7, head: 1, to: 0 };
  for (const { interventions, layers } of [
    { interventions: [], layers: [5, 2] },
    { interventions: [off], layers: [2] },
  ]) {
    const whole = gf.createModel(config);
    const ablate = interventions.map(({ layer, head }) => ({ layer, head }));
    const { logits } = whole.forward({ ids, ablate });
    for (const layer of layers) {
      const key = `long ${interventions.length}`;
      const { tensors, derived, facts, hidden } = await run({ ids, interventions, key, focus: { layer, row: 4 } });
      whole.forward({ ids, capture: [{ layer }, { layer: 7 }], ablate });
      assert.equal(facts.part, layer);
      assert.deepEqual(Object.keys(tensors), [weights(layer)]);
      assert.deepEqual(tensors[weights(layer)], whole.tensor(weights(layer)));
      assert.deepEqual(derived[rowName(4)].logits, logits?.data.slice(4 * 50, 5 * 50));
      const measured = derived['@stream'].decoder.nodes.filter((/** @type {any} */ { norms }) => norms);
      assert.ok(measured.every((/** @type {any} */ node) => [null, layer, 7].includes(node.layer)));
      assert.equal(hidden.decoder.length, 300 * 300);
    }
    whole.free();
  }
  const short = await run({
    ids: [1, 2],
    interventions: [],
    key: 'short',
    names: names.slice(0, 4),
    focus: { layer: 5, row: 0 },
  });
  assert.equal(short.facts.part, null);
  assert.deepEqual(Object.keys(short.tensors), [weights(2), weights(5), 'logits']);
});

test('the layer before is at hand as long as it fits, what is of a layer is asked for again', () => {
  const results = createResults();
  const plan = /** @type {any} */ ({ key: 'a' });
  const size = 2 ** 24; // a quarter of the memory
  const add = (/** @type {number} */ layer) =>
    results.add(
      plan,
      /** @type {any} */ ({
        tensors: { [weights(layer)]: { data: new Float32Array(size), shape: [size] } },
        derived: { '@stream': {} },
        facts: { part: layer },
      }),
      undefined,
    );
  [0, 1, 2, 3, 4].forEach(add);
  assert.deepEqual([...(results.of(plan)?.tensors.keys() ?? [])], [1, 2, 3, 4].map(weights));
  assert.equal(results.missing(plan, [weights(4), '@stream'], 4), null);
  assert.deepEqual(results.missing(plan, [weights(3), '@stream'], 3), ['@stream']);
});

test('the names that there are of one layer', () => {
  const asked = [...names, '@before/{}', '@decision/1/', '@norm/decoder/5/1', 'decoder.input', 'decoder.layers.55.out'];
  const kept = [weights(5), rowName(9), '@stream', '@norm/decoder/5/1', 'decoder.input'];
  assert.deepEqual(namesOfPart(asked, { layer: 5, row: 9 }), kept);
});
