// A prompt that begins like the last one finds its keys and values kept: only faster, and gone with what they came of.
import assert from 'node:assert/strict';

import { eachEngine, withModelOf } from './engines.js';

const SMALL = { d_model: 16, heads: 4, d_ff: 24, layers: 2, decoderLayers: 2, maxLength: 64, head: 'linear' };
const KINDS = [
  { ...SMALL, kind: 'decoder', vocabulary: 13 },
  { ...SMALL, kind: 'encoder-decoder', vocabulary: 13, targetVocabulary: 9 },
];

/** The logits of each choice as bits, and the tokens. */
function traced(model, options) {
  const rows = [];
  const logits = (row) => void rows.push(Buffer.from(row.buffer).toString('hex'));
  return [rows, model.generate({ ...options, logits })];
}

const bias = (model) => model.view('generator.bias');
/** What happens between two calls; what it is given changes the other model in the same way. */
const EVENTS = [
  () => {},
  () => {},
  () => {},
  (model, { ids, sourceIds }) => model.forward(sourceIds ? { ids: sourceIds, targetIds: ids } : { ids }),
  (model) => model.initialize(7),
  (model) => model.loadWeights(model.weights()),
  (model) => model.loadWeights({ 'generator.bias': bias(model).map((each) => each + 1) }, { strict: false }),
  (model) => bias(model).fill(0.25),
  (model, given) => model.generate({ ...given, cache: false }),
  (model, given) => model.generate({ ...given, ablate: [{ layer: 1, head: 2, stack: 'decoder' }] }),
  (model, { ids, sourceIds }) =>
    model
      .trainer({ learningRate: 0.1 })
      .step({ ...(sourceIds ? { ids: sourceIds, targetIds: ids } : { ids }), targets: ids.map(() => 3) }),
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
        ids,
        maxTokens: r.int(1, 9),
        temperature: r.pick([0, 1]),
        seed: call,
        ...(r.int(0, 3) === 0 && { window: r.int(2, 12) }),
        ...(config.kind !== 'decoder' && { sourceIds }),
      };
      assert.deepEqual(traced(model, given), traced(twin, { ...given, cache: false }), `call ${call}`);
      const event = r.pick(EVENTS);
      for (const each of [model, twin]) event(each, given);
    }
    twin.free();
  });
});
