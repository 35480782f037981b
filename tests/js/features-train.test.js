// Dictionaries of features trained on a model's activations: the same here and in a worker, rebuilt vectors, detectors,
// examples, and changes of the model by one feature.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import fc from 'fast-check';

import { load } from 'glassformer';
import { detectors, loadFeatures, trainFeatures } from 'glassformer/features';
import { creek, placeLabels } from 'glassformer/tasks';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const there = await loadWorker({ variant: 'simd' });
after(() => there.terminate());

const FILE = readFileSync(new URL('../../web/models/creek.safetensors', import.meta.url));
const { model } = await gf.loadModel(FILE);
const { model: remote } = await there.loadModel(FILE);
const sentences = creek.heldOut(0).sentences.slice(0, 400);
const IDS = sentences.map(({ tokens }) => tokens.map(({ word }) => creek.vocabulary.id(word)));
const LABELS = placeLabels(sentences);
const AT = 'encoder.layers.1.out';
const HOW = { at: AT, ids: IDS, features: 96, active: 4, steps: 300, seed: 0 };
const idsOf = (/** @type {string} */ text) => text.split(' ').map((word) => creek.vocabulary.id(word));
const TIRED = idsOf('the dog did not jump over the creek because it was tired .');
const hash = (/** @type {any} */ features) => createHash('sha256').update(features.save()).digest('hex');

const trained = await trainFeatures(model, HOW);

test('it rebuilds held-out vectors, keeps so many features, and counts what is alive', () => {
  assert.ok(trained.unexplained < 0.2, `${trained.unexplained}`);
  const trace = model.trace({ ids: TIRED, capture: true });
  const x = trace.tensor(AT);
  const z = trained.encode(trace);
  assert.deepEqual(z.shape, [1, TIRED.length, 96]);
  const y = trained.decode(z);
  let [missed, all] = [0, 0];
  x.data.forEach((value, i) => {
    missed += (value - y.data[i]) ** 2;
    all += value ** 2;
  });
  assert.ok(missed < 0.3 * all, `${missed / all}`);
  for (let t = 0; t < TIRED.length; t++) {
    const count = z.data.subarray(t * 96, (t + 1) * 96).filter((value) => value > 0).length;
    assert.ok(count > 0 && count <= 4, `${count}`);
  }
  const alive = /** @type {boolean[]} */ (trained.alive);
  alive.forEach((isAlive, n) => assert.equal(isAlive, trained.activity(n).places.length > 0, `feature ${n}`));
});

test('its activities over the corpus are what encode says of each text', () => {
  const { text, token, heldOut } = trained.places;
  assert.equal(text.length, IDS.flat().length);
  assert.equal(heldOut.length, text.length);
  const share = heldOut.reduce((sum, each) => sum + each, 0) / heldOut.length;
  assert.ok(Math.abs(share - 0.3) < 0.08, `${share}`);
  const start = text.indexOf(7);
  const z = trained.encode(model.trace({ ids: IDS[7], capture: true })).data;
  for (let n = 0; n < 96; n++) {
    const { places, values } = trained.activity(n);
    for (let i = 1; i < values.length; i++) assert.ok(values[i] <= values[i - 1], 'from the largest on');
    IDS[7].forEach((_, t) => {
      const at = places.indexOf(start + t);
      assert.equal(token[start + t], t);
      assert.ok(Math.abs((at < 0 ? 0 : values[at]) - z[t * 96 + n]) < 1e-4, `feature ${n} at ${t}`);
    });
  }
});

test('the same file here, again and in a worker; another seed gives another', async () => {
  assert.equal(hash(await trainFeatures(model, HOW)), hash(trained));
  const far = await trainFeatures(remote, HOW);
  assert.equal(hash(far), hash(trained));
  assert.deepEqual(far.examples(3), trained.examples(3));
  const [one, other] = [0, 1].map((seed) => trainFeatures(model, { ...HOW, steps: 3, seed }));
  assert.notEqual(hash(await one), hash(await other));
});

test('its file opens with the same numbers and without the corpus', async () => {
  const opened = await loadFeatures(trained.save());
  assert.equal(opened.at, AT);
  assert.equal(opened.unexplained, trained.unexplained);
  assert.deepEqual(opened.alive, trained.alive);
  const trace = model.trace({ ids: TIRED, capture: true });
  assert.deepEqual(opened.encode(trace), trained.encode(trace));
  assert.throws(() => opened.examples(0), { code: 'missing', parameter: 'corpus' });
});

/** The best label of a unit, by trying each threshold and label. */
function naive(values, labels, heldOut) {
  const part = (held) => [...values.keys()].filter((place) => heldOut[place] === held);
  const count = (places, label, threshold) => {
    const fired = places.filter((place) => values[place] > 0 && values[place] >= threshold);
    const right = fired.filter((place) => labels[place].includes(label)).length;
    const labelled = places.filter((place) => labels[place].includes(label)).length;
    const all = fired.length + labelled;
    return { right, fired: fired.length, labelled, f1: all ? (2 * right) / all : 0 };
  };
  const [train, held] = [part(0), part(1)];
  const thresholds = new Set(values.filter((value) => value > 0));
  let most = -1;
  for (const label of new Set(labels.flat())) {
    for (const threshold of thresholds) {
      const found = count(train, label, threshold);
      if (found.right > 0) most = Math.max(most, found.f1);
    }
  }
  const at = (label, threshold) => [train, held].map((places) => count(places, label, threshold));
  return { most, at };
}

test('a detector has the largest F1 of the training part, and counts of the held-out part', () => {
  const place = fc.record({
    value: fc.integer({ min: -1, max: 5 }),
    labels: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
    heldOut: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 30 }), (all) => {
      const labels = all.map((each) => each.labels);
      const heldOut = Uint8Array.from(all, (each) => Number(each.heldOut));
      const places = { text: new Int32Array(all.length), token: Int32Array.from(all.keys()), heldOut };
      const values = all.map((each) => each.value);
      const [found] = detectors(
        values.map((value) => [value]),
        labels,
        places,
      );
      const { most, at } = naive(values, labels, heldOut);
      if (!found) return assert.equal(most, -1);
      const [trainPart, heldPart] = at(found.label, found.threshold);
      assert.equal(trainPart.f1, most);
      const { right, fired, labelled, f1, precision, recall } = found;
      assert.deepEqual({ right, fired, labelled, f1 }, heldPart);
      assert.equal(precision, fired ? right / fired : 0);
      assert.equal(recall, labelled ? right / labelled : 0);
    }),
    { seed: 2 },
  );
  const scores = trained.score(LABELS);
  assert.ok(scores.filter((each) => each && each.f1 >= 0.8).length > 5, 'some features stand for one thing');
});

test('examples lie along the range of a feature, each of another text', () => {
  const counts = Array.from({ length: 96 }, (_, feature) => trained.activity(feature).places.length);
  const n = counts.indexOf(Math.max(...counts));
  const { places, values } = trained.activity(n);
  const examples = trained.examples(n, { count: 5 });
  assert.equal(examples.length, 5);
  assert.equal(examples[0].value, values[0]);
  assert.equal(new Set(examples.map(({ text }) => text)).size, 5);
  assert.ok(examples[4].value < values[0] / 2, 'down to small values');
  for (const { text, token, value } of examples) {
    const place = [...places].findIndex((at) => trained.places.text[at] === text && trained.places.token[at] === token);
    assert.equal(values[place], value);
  }
});

test('a patch changes a feature by its difference, at its row alone, and may be one of many', () => {
  const row = TIRED.indexOf(creek.vocabulary.id('it'));
  const trace = model.trace({ ids: TIRED, capture: true });
  const z = trained.encode(trace).data.subarray(row * 96, (row + 1) * 96);
  const n = z.indexOf(Math.max(...z));
  const x = trace.tensor(AT);
  const read = (/** @type {any[]} */ patches) => model.forward({ ids: TIRED, patches }).logits.data;
  for (const way of [{ set: 0 }, { scale: 2 }, { add: -0.1 }]) {
    const changed = trained.change(x, [{ feature: n, ...way }]).data;
    const value = changed.subarray(row * 48, (row + 1) * 48);
    const wanted = read([{ name: AT, row, value }]);
    assert.deepEqual(read([{ at: AT, row, of: trained, feature: n, ...way }]), wanted);
    assert.deepEqual(read([{ row, of: trained, feature: n, ...way, name: AT }]), wanted, 'a selector of its own');
    assert.deepEqual(read([{ of: trained, feature: n, ...way }]), read([{ name: AT, value: changed }]), 'all rows');
    assert.notDeepEqual(wanted, read([]));
  }
  const both = trained.change(trained.change(x, [{ feature: n, set: 0 }]), [{ feature: (n + 1) % 96, set: 1 }]);
  const two = [
    { of: trained, feature: n, set: 0 },
    { of: trained, feature: (n + 1) % 96, set: 1 },
  ];
  assert.deepEqual(read(two), read([{ name: AT, value: both }]));
  // A change before its place counts: the head's output is 0 when the feature is read.
  const off = { layer: 0, head: 1, role: 'head_outputs', value: 0 };
  const without = model.trace({ ids: TIRED, capture: true, patches: [off] }).tensor(AT);
  const after = trained.change(without, [{ feature: n, set: 0 }]);
  assert.deepEqual(read([off, { of: trained, feature: n, set: 0 }]), read([off, { name: AT, value: after }]));
});

test('changes in two layers: the second reads what the first has changed', async () => {
  const first = await trainFeatures(model, { ...HOW, at: { layer: 0, node: 'ffn', role: 'activation' }, steps: 100 });
  const x = model.trace({ ids: TIRED, capture: true }).tensor(/** @type {any} */ (first.at));
  const feature = first.encode(x).data.findIndex((value) => value > 0) % 96;
  const patch = { of: first, feature, scale: 3 };
  const between = model.trace({ ids: TIRED, capture: true, patches: [patch] }).tensor(AT);
  const value = trained.change(between, [{ feature: 5, set: 1 }]);
  const second = { of: trained, feature: 5, set: 1 };
  const read = (/** @type {any[]} */ patches) => model.forward({ ids: TIRED, patches }).logits.data;
  assert.deepEqual(read([second, patch]), read([patch, { name: AT, value }]));
  assert.deepEqual(read([patch, second]), read([patch, { name: AT, value }]));
});

test('changes at a norm and at the attention beside it: in the order of the model, pre-norm or post-norm', async () => {
  const at = (/** @type {string} */ name) => `encoder.layers.1.${name}`;
  for (const norm of ['pre', 'post']) {
    const config = { kind: 'encoder', norm, vocabulary: 11, d_model: 48, heads: 2, layers: 2, head: 'linear', seed: 1 };
    const [own, far] = [gf.createModel(/** @type {any} */ (config)), await there.createModel(config)];
    const ids = [1, 2, 3, 4];
    const normed = { of: trained, at: at('norm1.out'), feature: 5, add: 1 };
    const attended = { of: trained, at: at('self_attn.out'), feature: 7, add: 1 };
    const [first, second] = norm === 'pre' ? [normed, attended] : [attended, normed];
    const between = own.trace({ ids, capture: true, patches: [first] }).tensor(second.at);
    const value = trained.change(between, [{ feature: second.feature, add: 1 }]);
    const wanted = own.forward({ ids, patches: [first, { name: second.at, value }] }).logits;
    for (const patches of [
      [normed, attended],
      [attended, normed],
    ]) {
      // prettier-ignore
      assert.deepEqual(own.forward({ ids, patches }).logits, wanted, norm);
      assert.deepEqual((await far.forward({ ids, patches })).logits, wanted, `${norm}, in a worker`);
    }
    own.free();
    await far.free();
  }
});

test('a patch of a feature is the same in a worker', async () => {
  const row = 9;
  const off = { layer: 0, head: 1, role: 'head_outputs', value: 0 };
  for (const patches of [
    [{ of: trained, row, feature: 3, set: 0.5 }],
    [off, { of: trained, feature: 3, add: 0.2 }, { of: trained, row, feature: 4, add: 1 }],
  ]) {
    const given = { ids: TIRED, patches };
    const here = model.forward(given).logits;
    assert.deepEqual((await remote.forward(given)).logits, here);
    const trace = await remote.trace({ ...given, capture: true });
    assert.deepEqual(await trace.tensor(AT), model.trace({ ...given, capture: true }).tensor(AT));
    assert.deepEqual(await trained.encode(trace), trained.encode(model.trace({ ...given, capture: true })));
  }
});

test('progress comes with each step and can end the training; a signal aborts it', async () => {
  /** @type {any[]} */
  const seen = [];
  const ended = await trainFeatures(model, {
    ...HOW,
    async onProgress({ step, steps, unexplained, features }) {
      seen.push(unexplained);
      if (step === 10) assert.equal((await features()).encode(new Float32Array(48)).shape.at(-1), 96);
      return step < 20 && steps === 300;
    },
  });
  assert.equal(seen.length, 20);
  assert.ok(seen[19] < seen[0] && seen[0] > 0.3, `${seen[0]} to ${seen[19]}`);
  assert.equal(ended.facts.steps, 20);
  assert.equal(hash(ended), hash(await trainFeatures(model, { ...HOW, steps: 20 })), 'ended there is trained so far');
  const controller = new AbortController();
  const onProgress = () => controller.abort(new Error('enough'));
  await assert.rejects(trainFeatures(model, { ...HOW, signal: controller.signal, onProgress }), /enough/);
});

test('what does not fit is refused by name', async () => {
  const refused = (/** @type {object} */ more, /** @type {object} */ error, of = model) =>
    assert.rejects(trainFeatures(of, /** @type {any} */ ({ ...HOW, ...more })), error);
  await refused({ ids: undefined }, { code: 'missing', parameter: 'texts' });
  await refused({ texts: ['the dog'] }, { code: 'unknown', parameter: 'ids' });
  await refused({ ids: [[1, 2], []] }, { parameter: 'ids[1]' });
  await refused({ ids: [[1, 2]] }, { code: 'range', parameter: 'texts', value: 1 });
  await refused({ at: 'encoder.layers.9.out' }, { code: 'unknown' });
  await refused({ at: { layer: 0, node: 'attention', role: 'weights' } }, { code: 'shape', parameter: 'at' });
  await refused({ active: 97 }, { code: 'range', parameter: 'active', value: 97 });
  await refused({ feature: 3 }, { code: 'unknown', parameter: 'feature' });
  await refused({ heldOut: 1 }, { parameter: 'heldOut' });
  const pair = gf.createModel({ kind: 'encoder-decoder', vocabulary: 9, d_model: 8, heads: 2, head: 'tied' });
  await refused({}, { code: 'config', parameter: 'kind' }, /** @type {any} */ (pair));
  const forward = (/** @type {any} */ patch) => () => model.forward({ ids: TIRED, patches: [patch] });
  assert.throws(forward({ of: trained, feature: 96, set: 0 }), { code: 'range', parameter: 'patches[0].feature' });
  assert.throws(forward({ of: trained, feature: 1 }), { code: 'missing', parameter: 'patches[0].set' });
  assert.throws(forward({ of: trained, feature: 1, set: 0, add: 1 }), { code: 'unknown', parameter: 'patches[0].add' });
  assert.throws(forward({ of: trained, feature: 1, set: 0, value: 1 }), {
    code: 'unknown',
    parameter: 'patches[0].value',
  });
  assert.throws(forward({ of: {}, feature: 1, set: 0 }), { code: 'type', parameter: 'patches[0].of' });
  assert.throws(forward({ at: AT, feature: 1, value: 0 }), { code: 'missing', parameter: 'patches[0].of' });
  const elsewhere = { layer: 0, node: 'ffn', role: 'activation' };
  assert.throws(forward({ of: trained, at: elsewhere, feature: 1, set: 0 }), { code: 'shape' });
});
