// The matrices of a model that computes stand in memory as products read them; nobody outside may notice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const V = 21; // the last five rows of the table are no whole panel

const configs = fc.record({
  kind: fc.constantFrom('encoder', 'decoder', 'encoder-decoder'),
  d_model: fc.constantFrom(8, 16, 24),
  d_ff: fc.integer({ min: 1, max: 40 }),
  head: fc.constantFrom('tied', 'linear', 'none'),
  positions: fc.constantFrom('learned', 'sinusoidal'),
  seed: fc.nat(1000),
});

/** @param {object} config */
const make = (config) =>
  /** @type {any} */ (
    gf.createModel(/** @type {any} */ ({ vocabulary: V, heads: 2, layers: 2, maxLength: 16, ...config }))
  );

/** One whose matrices stay rows, as a view of one was handed out. @param {object} config */
function withRows(config) {
  const model = make(config);
  model.view(matrixOf(model));
  return model;
}

const weightsOf = (/** @type {any} */ model) => model.tensors().filter((/** @type {any} */ t) => t.region === 'weight');
const matrixOf = (/** @type {any} */ model) =>
  weightsOf(model).find((/** @type {any} */ { name }) => /linear1.weight/.test(name)).name;

/** @param {string} kind @param {number[]} ids */
const optionsOf = (kind, ids, capture = false) => ({
  ids,
  ...(capture && { capture }),
  ...(kind === 'encoder-decoder' && { targetIds: ids.toReversed() }),
});

/** All weights, whole and by rows. @param {any} model */
const read = (model) =>
  weightsOf(model).map((/** @type {any} */ { name, shape }) => [
    name,
    model.tensor(name),
    shape.length > 1 ? [0, shape[0] - 1].map((row) => model.tensor({ name, row })) : null,
  ]);

test('what is computed, read, written and trained is the same to the bit', () => {
  const ids = fc.array(fc.nat(V - 1), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(configs, ids, ids, fc.nat(V - 1), (config, first, second, id) => {
      const pair = [withRows(config), make(config)];
      const same = (/** @type {(model: any) => any} */ of) => {
        const [wanted, got] = pair.map(of);
        assert.deepEqual(got, wanted);
      };
      same((model) => model.forward(optionsOf(config.kind, first)));
      same((model) => model.forward(optionsOf(config.kind, first.toReversed()))); // the second pass arranges
      same(read);
      same((model) => model.forward(optionsOf(config.kind, second, true)));
      same((model) => model.tensors().map((/** @type {any} */ { name }) => model.tensor(name)));
      if (config.kind === 'decoder' && config.head !== 'none')
        same((model) => model.generate({ ids: [id], maxTokens: 4 }));
      same((model) => {
        const [{ name }] = weightsOf(model); // a token embedding
        const table = model.tensor(name);
        table.data[id * config.d_model] += 0.5;
        model.loadWeights({ [name]: table }, { strict: false });
        return [0, 1].map((at) => model.forward(optionsOf(config.kind, [id, ...second].slice(at, 12))));
      });
      same(read);
      same((model) => model.clone().forward(optionsOf(config.kind, first)));
      same((model) => [...model.save()]);
      same((model) => model.forward(optionsOf(config.kind, first)));
      if (config.head !== 'none') {
        same((model) => {
          const trainer = model.trainer({ learningRate: 0.1 });
          const { loss } = trainer.step({ ...optionsOf(config.kind, first), targets: first });
          return [loss, read(model), model.forward(optionsOf(config.kind, second))];
        });
      }
      same((model) => (model.initialize(7), model.forward(optionsOf(config.kind, second))));
      for (const model of pair) model.free();
    }),
    { numRuns: 60 },
  );
});

test('a view shows rows, whenever it is taken, and stays true', () => {
  const config = { kind: 'decoder', d_model: 16, d_ff: 20, head: 'tied' };
  const [plain, model] = [withRows(config), make(config)];
  const name = matrixOf(model);
  for (const each of [plain, model]) for (const id of [3, 1]) each.forward({ ids: [id, 2, 3] });
  const view = model.view(name);
  assert.deepEqual(view, plain.view(name));
  for (const each of [plain, model]) {
    each.view(name)[17] = 3;
    each.forward({ ids: [1, 2, 3] });
  }
  assert.equal(view[17], 3);
  assert.deepEqual(view, plain.view(name));
  assert.deepEqual(model.tensor('logits'), plain.tensor('logits'));
  // That of what is no matrix changes nothing of where matrices stand.
  const other = make(config);
  const bias = other.view('decoder.layers.0.linear1.bias');
  bias[3] = plain.view('decoder.layers.0.linear1.bias')[3] = 2;
  assert.deepEqual(
    other.loadWeights({ [name]: plain.tensor(name) }, { strict: false }) ?? other.forward({ ids: [4, 1] }),
    plain.forward({ ids: [4, 1] }),
  );
  for (const each of [plain, model, other]) each.free();
});
