// Generating: the cache is only faster, draws come from the seed, and what stops it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { withModelOf } from './engines.js';
import { random, refused } from './reference.js';

const engines = [await load({ variant: 'simd' })];
try {
  engines.push(await load({ variant: 'relaxed' }));
} catch (error) {
  assert.equal(error.code, 'unsupported'); // load.test.js asserts that it is rightly so
}
const [gf] = engines;

const SMALL = {
  d_model: 16,
  heads: 4,
  d_ff: 24,
  layers: 2,
  decoderLayers: 2,
  maxLength: 32,
  head: 'linear',
  vocabulary: 13,
};
const DECODER = { ...SMALL, kind: 'decoder' };
const BOTH = { ...SMALL, kind: 'encoder-decoder', targetVocabulary: 9 };

const withModel = (config, body, engine = gf) => withModelOf(engine, config, body);

/** The logits that each new token was chosen from, as bits. */
function traced(model, options) {
  const rows = [];
  const logits = (row) => void rows.push(Buffer.from(row.buffer).toString('hex'));
  return { ...model.generateSync({ ...options, logits }), rows };
}

for (const engine of engines) {
  test(`with a cache: the same tokens from the same logits, to the bit (${engine.variant})`, () => {
    for (let seed = 0; seed < 24; seed++) {
      const r = random(seed);
      const both = r.bool();
      const config = {
        ...(both ? BOTH : DECODER),
        seed,
        norm: r.pick(['pre', 'post', 'none']),
        positions: r.pick(['none', 'sinusoidal', 'learned']),
        activation: r.pick(['relu', 'gelu']),
        finalNorm: r.bool(),
        layers: r.int(0, 2),
        d_ff: r.pick([0, 24]),
      };
      withModel(
        config,
        (model) => {
          const ids = Array.from({ length: r.int(1, 7) }, () => r.int(0, 8));
          const options = {
            ...(both ? { targetIds: ids, sourceIds: [1, 2, 3, 4] } : { ids }),
            maxTokens: r.int(1, 12),
            temperature: r.pick([0, 0.7, 2]),
            topK: r.pick([0, 1, 4]),
            seed,
            ...(both && r.bool() && { sourcePadding: [0, 0, 0, 1] }),
          };
          const fast = traced(model, options);
          const slow = traced(model, { ...options, cache: false });
          assert.equal(fast.rows.length, options.maxTokens);
          assert.deepEqual(fast, slow);
          assert.deepEqual(traced(model, options), fast, 'and again');
          assert.deepEqual([...fast.ids], [...ids, ...fast.newIds]);
        },
        engine,
      );
    }
  });
}

test('greedy takes the largest logit of a forward pass over the prompt', () => {
  withModel({ ...DECODER, seed: 3 }, (model) => {
    const { newIds } = model.generateSync({ ids: [4, 5, 6], maxTokens: 1 });
    const row = model.forward({ ids: [4, 5, 6] }).logits.data.slice(2 * 13);
    assert.equal(newIds[0], row.indexOf(Math.max(...row)));
  });
});

test('topK 1 equals greedy at any temperature', () => {
  withModel({ ...DECODER, seed: 9 }, (model) => {
    const greedy = model.generateSync({ ids: [1], maxTokens: 20 }).newIds;
    for (const temperature of [0.1, 1, 50]) {
      assert.deepEqual(model.generateSync({ ids: [1], maxTokens: 20, temperature, topK: 1, seed: 4 }).newIds, greedy);
    }
  });
});

test('draws come from the seed, and follow the probabilities', () => {
  withModel({ ...DECODER, seed: 1, layers: 0 }, (model) => {
    const draw = (seed) => model.generateSync({ ids: [2], maxTokens: 16, temperature: 1.5, seed }).newIds;
    assert.deepEqual(draw(1), draw(1));
    assert.notDeepEqual(draw(1), draw(2));
    const logits = model.forward({ ids: [2] }).logits;
    const weights = gf.softmax({ data: logits.data.map((x) => x / 1.5), shape: [13] }).data;
    const count = new Array(13).fill(0);
    const N = 4000;
    for (let seed = 0; seed < N; seed++)
      count[model.generateSync({ ids: [2], maxTokens: 1, temperature: 1.5, seed }).newIds[0]]++;
    weights.forEach((p, id) => {
      const sigma = Math.sqrt(N * p * (1 - p));
      assert.ok(Math.abs(count[id] - N * p) < 5 * sigma + 1, `${id}: ${count[id]} of ${N}, expected ${N * p}`);
    });
    const top = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, 3);
    const seen = new Set();
    for (let seed = 0; seed < 200; seed++)
      seen.add(model.generateSync({ ids: [2], maxTokens: 1, temperature: 5, topK: 3, seed }).newIds[0]);
    assert.deepEqual([...seen].sort(), top.sort());
  });
});

test('endId stops, and is part of the result', () => {
  withModel({ ...DECODER, seed: 2 }, (model) => {
    const all = [...model.generateSync({ ids: [1], maxTokens: 30, temperature: 1, seed: 0 }).newIds];
    const endId = all[5];
    const stop = all.indexOf(endId);
    for (const cache of [true, false]) {
      const { ids, newIds } = model.generateSync({ ids: [1], maxTokens: 30, temperature: 1, seed: 0, endId, cache });
      assert.deepEqual([...newIds], all.slice(0, stop + 1));
      assert.deepEqual([...ids], [1, ...newIds]);
      assert.ok(Array.isArray(ids) && Array.isArray(newIds));
    }
  });
});

test('onToken sees each token and may stop', () => {
  withModel(DECODER, (model) => {
    const seen = [];
    const { newIds } = model.generateSync({
      ids: [1],
      maxTokens: 9,
      onToken: (id, index) => {
        seen.push([id, index]);
        return index < 3;
      },
    });
    assert.deepEqual(
      seen,
      [...newIds].map((id, index) => [id, index]),
    );
    assert.equal(newIds.length, 4);
  });
});

test('maxTokens 0 and 1', () => {
  withModel(DECODER, (model) => {
    assert.deepEqual(model.generateSync({ ids: [1, 2], maxTokens: 0 }), {
      ids: [1, 2],
      newIds: [],
      endedBy: 'maxTokens',
      seed: 0,
    });
    assert.equal(model.generateSync({ ids: [1, 2], maxTokens: 1 }).newIds.length, 1);
  });
});

test('a model without causal mask generates, with all tokens in sight', () => {
  withModel({ ...DECODER, causal: false }, (model) => {
    for (let seed = 0; seed < 20; seed++) {
      const options = { ids: [1, 2], maxTokens: 12, temperature: 1, seed };
      assert.deepEqual(model.generateSync({ ...options, cache: false }).newIds, model.generateSync(options).newIds);
    }
    const { newIds } = model.generateSync({ ids: [1, 2], maxTokens: 2 });
    const row = model.forward({ ids: [1, 2, newIds[0]] }).logits.data.slice(2 * 13);
    assert.equal(newIds[1], row.indexOf(Math.max(...row)));
  });
});

test('forward after generate is as before', () => {
  withModel(DECODER, (model) => {
    const before = model.forward({ ids: [1, 2, 3] }).logits.data;
    model.generateSync({ ids: [1, 2, 3], maxTokens: 5 });
    assert.deepEqual(model.forward({ ids: [1, 2, 3] }).logits.data, before);
  });
});

test('learned positions end at maxLength; the last one can be used', () => {
  withModel({ ...DECODER, positions: 'learned', maxLength: 8 }, (model) => {
    for (const cache of [true, false]) {
      // The ninth is not fed back.
      for (const maxTokens of [6, 7]) {
        const { ids, endedBy } = model.generateSync({ ids: [1, 2, 3], maxTokens, cache });
        assert.deepEqual([ids.length, endedBy], [9, maxTokens === 6 ? 'maxTokens' : 'maxLength']);
      }
      refused(() => model.generateSync({ ids: Array(9).fill(1), maxTokens: 0, cache }), 'range', 'ids');
    }
  });
  withModel({ ...DECODER, maxLength: 8 }, (model) =>
    assert.equal(model.generateSync({ ids: [1], maxTokens: 20 }).newIds.length, 20),
  );
});

test('a refused generate changes nothing', () => {
  withModel(DECODER, (model) => {
    const { logits } = model.forward({ ids: [1, 2] });
    const good = { ids: [1], maxTokens: 2 };
    for (const [change, code, parameter] of [
      [{ ids: [13] }, 'token', 'ids'],
      [{ ids: [] }, 'shape', 'ids'],
      [{ ids: undefined }, 'missing', 'ids'],
      [{ ids: { data: [1, 2], shape: [2, 1] } }, 'shape', 'ids'],
      [{ maxTokens: -1 }, 'range', 'maxTokens'],
      [{ maxTokens: 1.5 }, 'range', 'maxTokens'],
      [{ temperature: -1 }, 'range', 'temperature'],
      [{ temperature: NaN }, 'range', 'temperature'],
      [{ temperature: '1' }, 'type', 'temperature'],
      [{ topK: 14 }, 'range', 'topK'],
      [{ topK: -1 }, 'range', 'topK'],
      [{ seed: 1.5 }, 'range', 'seed'],
      [{ endId: 13 }, 'token', 'endId'],
      [{ endId: -1 }, 'token', 'endId'],
      [{ cache: 1 }, 'type', 'cache'],
      [{ onToken: 1 }, 'type', 'onToken'],
      [{ sourceIds: [1] }, 'unknown', 'sourceIds'],
      [{ maxToken: 1 }, 'unknown', 'maxToken'],
    ]) {
      refused(() => model.generateSync({ ...good, ...change }), code, parameter);
      assert.deepEqual(model.tensor('logits'), logits);
    }
  });
  withModel(BOTH, (model) => {
    refused(() => model.generateSync({ targetIds: [1], maxTokens: 1 }), 'missing', 'sourceIds');
    refused(() => model.generateSync({ targetIds: [9], sourceIds: [1], maxTokens: 1 }), 'token', 'targetIds');
    refused(() => model.generateSync({ targetIds: [1], sourceIds: [13], maxTokens: 1 }), 'token', 'sourceIds');
    refused(
      () => model.generateSync({ targetIds: [1], sourceIds: [1, 2], sourcePadding: [1], maxTokens: 1 }),
      'shape',
      'sourcePadding',
    );
    refused(
      () => model.generateSync({ targetIds: [1], sourceIds: [1], memoryPadding: [1, 0], maxTokens: 1 }),
      'shape',
      'memoryPadding',
    );
  });
  withModel({ ...SMALL, kind: 'encoder' }, (model) =>
    refused(() => model.generateSync({ ids: [1], maxTokens: 1 }), 'config', 'kind'),
  );
  withModel({ ...DECODER, head: 'none' }, (model) =>
    refused(() => model.generateSync({ ids: [1], maxTokens: 1 }), 'config', 'head'),
  );
});

test('logits that are not numbers are an error, not a token', () => {
  withModel(DECODER, (model) => {
    model.view('generator.bias')[3] = NaN;
    for (const temperature of [0, 1]) {
      refused(() => model.generateSync({ ids: [1], maxTokens: 1, temperature }), 'range', 'logits');
    }
    model.initialize(0);
    assert.equal(model.generateSync({ ids: [1], maxTokens: 2 }).newIds.length, 2);
  });
});

test('onToken may read the model but not pull it away', () => {
  withModel(DECODER, (model) => {
    let calls = 0;
    model.generateSync({
      ids: [1],
      maxTokens: 1,
      onToken: () => {
        calls++;
        for (const call of [
          () => model.forward({ ids: [1] }),
          () => model.free(),
          () => model.initialize(1),
          () => model.loadWeights(new Map()),
          () => model.generateSync({ ids: [1], maxTokens: 1 }),
        ]) {
          refused(call, 'state', 'model');
        }
        assert.ok(model.tensors().length > 0 && model.weights().size > 0);
      },
    });
    assert.equal(calls, 1);
    assert.throws(
      () =>
        model.generateSync({
          ids: [1],
          maxTokens: 3,
          onToken: () => {
            throw new Error('mine');
          },
        }),
      /^Error: mine$/,
    );
    assert.equal(
      model.generateSync({ ids: [1], maxTokens: 3 }).newIds.length,
      3,
      'an error in onToken leaves the model usable',
    );
  });
});

test('with a window it reads on from its last half: as prompts of that half do, with cache or without', () => {
  for (let seed = 0; seed < 20; seed++) {
    const r = random(seed);
    const both = r.bool();
    const window = r.int(1, 9);
    const positions = r.pick(['none', 'sinusoidal', 'learned']);
    withModel({ ...(both ? BOTH : DECODER), seed, positions, maxLength: 12 }, (model) => {
      const givenOf = (ids) => (both ? { targetIds: ids, sourceIds: [5, 6] } : { ids });
      const given = givenOf([1, 2, 3, 4]);
      const tokens = [1, 2, 3, 4];
      const rows = [];
      let context = [...tokens];
      while (tokens.length < 40) {
        if (context.length > window) context = context.slice(-Math.ceil(window / 2));
        const { rows: row, newIds } = traced(model, { ...givenOf(context), maxTokens: 1 });
        rows.push(...row);
        context.push(newIds[0]);
        tokens.push(newIds[0]);
      }
      for (const more of [{}, { cache: false }, { ablate: [] }]) {
        const seen = model.generateSync({ ...given, maxTokens: 36, window, ...more });
        assert.deepEqual([...seen.ids], tokens, `${window} ${positions} ${JSON.stringify(more)}`);
      }
      const logits = [];
      const onToken = () => {
        const { data, shape } = model.tensor('logits');
        const V = shape.at(-1);
        logits.push(Buffer.from(data.slice(-V).buffer).toString('hex'));
      };
      model.generateSync({ ...given, maxTokens: 36, window, cache: false, onToken });
      assert.deepEqual(logits, rows);
    });
  }
});

test('a window that is never filled changes nothing; one beyond the learned positions is refused', () => {
  withModel({ ...DECODER, positions: 'learned', maxLength: 12 }, (model) => {
    const options = { ids: [1, 2], maxTokens: 10, temperature: 1, seed: 3 };
    assert.deepEqual(traced(model, { ...options, window: 12 }), traced(model, options));
    assert.deepEqual(
      [...model.generateSync({ ...options, maxTokens: 100, window: 12 }).ids.slice(0, 12)],
      [...model.generateSync(options).ids],
    );
    assert.equal(model.generateSync({ ...options, maxTokens: 100 }).endedBy, 'maxLength');
    for (const window of [0, 13, 2.5]) refused(() => model.generateSync({ ...options, window }), 'range', 'window');
  });
});

test('patches hold in every pass: of a head they do what an ablation does, of a token from its place on', () => {
  withModel({ ...DECODER, seed: 5 }, (model) => {
    const options = { ids: [1, 2, 3], maxTokens: 12, temperature: 1, seed: 4, cache: false };
    const name = 'decoder.layers.1.self_attn.head_outputs';
    const patches = [{ name, index: [null, 2, null, null], value: 0 }];
    const ablated = traced(model, { ...options, ablate: [{ layer: 1, head: 2 }] });
    assert.deepEqual(traced(model, { ...options, patches }), ablated);
    assert.notDeepEqual(ablated.rows, traced(model, options).rows);
    assert.deepEqual(traced(model, { ...options, patches: [] }), traced(model, options));

    const place = [{ name: 'decoder.layers.0.self_attn.out', index: [0, 1, null], value: 3 }];
    const tokens = [...options.ids];
    for (let i = 0; i < 12; i++) {
      const { logits } = model.forward({ ids: tokens, capture: true, patches: place });
      const row = logits.data.slice(-13);
      tokens.push(row.indexOf(Math.max(...row)));
    }
    assert.deepEqual([...model.generateSync({ ids: options.ids, maxTokens: 12, patches: place }).ids], tokens);
    const both = { ablate: [{ layer: 0, head: 1 }], patches, window: 6 };
    assert.equal(model.generateSync({ ...options, ...both, maxTokens: 40 }).newIds.length, 40);

    const before = digestOf(model);
    refused(() => model.generateSync({ ...options, patches: [{ name: 'decoder', value: 0 }] }), 'unknown', 'name');
    refused(() => model.generateSync({ ...options, patches: {} }), 'type', 'patches');
    const far = [{ ...place[0], index: [0, 3, null] }];
    refused(() => model.generateSync({ ...options, patches: far }), 'range', 'patches[0].index[1]');
    assert.equal(digestOf(model), before);
  });
});

/** The weights of a model, as bits. */
const digestOf = (model) =>
  [...model.weights().values()].map(({ data }) => Buffer.from(data.buffer).toString('hex')).join();
