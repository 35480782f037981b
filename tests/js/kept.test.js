// A text that begins like the last one finds what was computed kept: only faster, and gone with what it came of.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eachEngine, withModelOf } from './engines.js';
import { loadWrapped } from './wrapped.js';

const SMALL = { d_model: 16, heads: 4, d_ff: 24, layers: 2, decoderLayers: 2, maxLength: 64, head: 'linear' };
const KINDS = [
  { ...SMALL, kind: 'decoder', vocabulary: 13 },
  { ...SMALL, kind: 'encoder-decoder', vocabulary: 13, targetVocabulary: 9 },
];

/** The logits of each choice as bits, and the tokens. */
function traced(model, options) {
  const rows = [];
  const logits = (row) => void rows.push(Buffer.from(row.buffer).toString('hex'));
  return [rows, model.generateSync({ ...options, logits })];
}

const inputOf = ({ ids, sourceIds, targetIds, sourcePadding }) =>
  sourceIds ? { sourceIds, targetIds, ...(sourcePadding && { sourcePadding }) } : { ids };

/** All that can be read, as bits. */
const readOut = (model) =>
  model.tensors().map(({ name }) => {
    const { data, shape } = model.tensor(name);
    return [name, shape, Buffer.from(data.buffer).toString('hex')];
  });

/** The tensors of a whole capture that a smaller one keeps. */
const keptOf = (model, capture) => {
  const layers = capture === true ? [0, 1] : capture && capture.map(({ layer }) => layer);
  const kept = model.tensors().filter(({ region, layer, name }) => {
    if (layers && region === 'intermediate') return layer === null || layers.includes(layer);
    return region !== 'intermediate' || name.endsWith('positions');
  });
  return readOut(model).filter(([name]) => kept.some((each) => each.name === name));
};

const bias = (model) => model.view('generator.bias');
/** Events between two calls; `given` changes the other model in the same way. */
const EVENTS = [
  () => {},
  () => {},
  () => {},
  (model, given) => model.forward(inputOf(given)),
  (model, given) => model.forward({ ...inputOf(given), temperature: 2 }),
  (model, given) => model.forward({ ...inputOf(given), ablate: [{ layer: 1, head: 2, stack: 'decoder' }] }),
  (model) => model.initialize(7),
  (model) => model.loadWeights(model.weights()),
  (model) => model.loadWeights({ 'generator.bias': bias(model).map((each) => each + 1) }, { strict: false }),
  (model) => bias(model).fill(0.25),
  (model, given) => model.generateSync({ ...given, cache: false }),
  (model, given) => model.generateSync({ ...given, ablate: [{ layer: 1, head: 2, stack: 'decoder' }] }),
  (model, given) =>
    model
      .trainer({ learningRate: 0.1 })
      .step({ ...inputOf(given), labels: (given.targetIds ?? given.ids).map(() => 3) }),
];

eachEngine(40)('calls with common beginnings give the bits of a model that keeps nothing', (gf, r) => {
  const { window, ...config } = {
    ...r.pick(KINDS),
    seed: r.int(0, 99),
    norm: r.pick(['pre', 'post']),
    positions: r.pick(['none', 'sinusoidal', 'learned']),
    window: r.pick([0, 3]),
  };
  withModelOf(gf, { ...config, ...(config.kind === 'decoder' && { window }) }, (model) => {
    const twin = model.clone();
    let ids = [1];
    let sourceIds = [1, 2, 3];
    for (let call = 0; call < 12; call++) {
      const grown = Array.from({ length: r.int(0, 9) }, () => r.int(0, 8));
      ids = [...ids.slice(0, r.int(1, ids.length)), ...grown].slice(0, 40);
      if (r.int(0, 4) === 0) sourceIds = [r.int(0, 8), 2, 3];
      const given = {
        ...(config.kind === 'decoder' ? { ids } : { sourceIds, targetIds: ids }),
        maxTokens: r.int(1, 9),
        temperature: r.pick([0, 1]),
        seed: call,
        ...(r.int(0, 3) === 0 && { window: r.int(2, 12) }),
        ...(config.kind !== 'decoder' && call % 3 && { sourcePadding: [0, 1, 0] }),
      };
      assert.deepEqual(traced(model, given), traced(twin, { ...given, cache: false }), `call ${call}`);
      const event = r.pick(EVENTS);
      for (const each of [model, twin]) event(each, given);
    }
    twin.free();
  });
});

eachEngine(40)('passes with common beginnings give the bits of full ones in every tensor', (gf, r) => {
  const kind = r.pick(['decoder', 'decoder', 'encoder-decoder']);
  const isAlone = kind === 'decoder';
  const config = {
    kind,
    d_model: 16,
    d_ff: 24,
    layers: 2,
    decoderLayers: 2,
    maxLength: 64,
    vocabulary: 13,
    head: r.pick(['linear', 'none']),
    heads: isAlone ? r.pick([0, 4]) : 4,
    seed: r.int(0, 99),
    norm: r.pick(['pre', 'post', 'none']),
    positions: r.pick(['none', 'sinusoidal', 'learned']),
  };
  if (isAlone && config.heads) config.window = r.pick([0, 3]);
  config.positionsFrom = r.pick(['index', 'first', 'visible']);
  const events = config.head === 'linear' && config.heads ? EVENTS : [() => {}];
  withModelOf(gf, config, (model) => {
    const twin = model.clone();
    let ids = [1];
    let sourceIds = [1, 2, 3];
    for (let call = 0; call < 10; call++) {
      const grown = Array.from({ length: r.int(0, r.pick([3, 30])) }, () => r.int(0, 8));
      ids = [...ids.slice(0, r.int(1, ids.length)), ...grown].slice(0, 40);
      if (r.int(0, 4) === 0) sourceIds = [r.int(0, 8), 2, 3];
      const given = { ...(isAlone ? { ids } : { sourceIds, targetIds: ids }), maxTokens: 3 };
      const options = {
        ...inputOf(given),
        capture: r.pick([false, true, true, r.pick([[], [0], [1], [1, 0]]).map((layer) => ({ layer }))]),
        ...(r.int(0, 3) === 0 && { logits: false }),
        ...(r.int(0, 3) === 0 && { [isAlone ? 'padding' : 'targetPadding']: ids.map((_, i) => Number(i % 5 === 3)) }),
        ...(r.int(0, 5) === 0 && { mask: ids.map((_, t) => ids.map((_, s) => ((s + t) % 7 === 6 ? -1 : 0))) }),
      };
      model.forward(options);
      const full = twin.clone();
      full.forward({ ...options, capture: options.capture !== false });
      assert.deepEqual(readOut(model), keptOf(full, options.capture), `call ${call}`);
      full.free();
      const event = r.pick(events);
      for (const each of [model, twin]) event(each, given);
    }
    twin.free();
  });
});

test('after a short prompt a long one runs as a whole, and one of a few more tokens in steps', async () => {
  let steps = 0;
  const counted =
    (it) =>
    (...given) =>
      ++steps && it(...given);
  const gf = await loadWrapped((it, name) => (name === 'gf_model_step' ? counted(it) : it));
  const model = gf.createModel({ ...KINDS[0], maxLength: 100 });
  const stepsOf = (length, maxTokens = 1) => {
    steps = 0;
    model.generateSync({ ids: Array(length).fill(1), maxTokens });
    return steps;
  };
  assert.equal(stepsOf(1, 60), 59);
  assert.equal(stepsOf(40), 0);
  assert.equal(stepsOf(42), 1);
  assert.equal(stepsOf(50), 1);
});
