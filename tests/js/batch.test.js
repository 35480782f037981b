// Several sequences in one call: each as its own call, in this thread and in a worker.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load } from 'glassformer';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const far = await loadWorker({ variant: 'simd' });
after(() => far.terminate());
const CONFIG = { kind: 'decoder', vocabulary: 13, d_model: 16, heads: 4, layers: 2, head: 'linear', maxLength: 32 };
const ROWS = [[1, 2, 3], [4], Int32Array.of(1, 2, 5, 6, 7), [1, 2, 3]];

/** A call for each row. */
const single = (model, { ids, seed = 0, ...options }) =>
  ids.map((row, i) => model.generateSync({ ...options, ids: row, seed: seed + i }));

test('each row gives what a call for it gives, also of an encoder-decoder', async () => {
  const model = gf.createModel(CONFIG);
  const remote = await far.createModel(CONFIG);
  for (const options of [
    { maxTokens: 6 },
    { maxTokens: 9, temperature: 1, topP: 0.9, repetitionPenalty: 1.3, seed: 7 },
    { maxTokens: 20, temperature: 2, seed: 1, stop: [[4], [2, 3]], endId: 9, window: 6 },
    { maxTokens: 3, cache: false, ablate: [{ layer: 1, head: 2 }] },
    { maxTokens: 0 },
  ]) {
    const wanted = single(model, { ids: ROWS, ...options });
    assert.deepEqual(model.generateSync({ ids: ROWS, ...options }), wanted);
    assert.deepEqual(await model.generate({ ids: ROWS, ...options }), wanted);
    assert.deepEqual(await remote.generate({ ids: ROWS, ...options }), wanted);
  }
  const drawn = model.generateSync({ ids: [[1], [1]], maxTokens: 9, temperature: 2, seed: 0 });
  assert.notDeepEqual(drawn[0], drawn[1], 'of one prompt two continuations');
  assert.deepEqual(model.generateSync({ ids: [[1]], maxTokens: 2, seed: 2 ** 32 - 1 }).length, 1);

  const both = gf.createModel({ ...CONFIG, kind: 'encoder-decoder' });
  const sources = { sourceIds: [[1, 2], [3, 4, 5]], sourcePadding: [[0, 1], [0, 0, 0]] }; // prettier-ignore
  const results = both.generateSync({ targetIds: [[1], [1, 2]], ...sources, maxTokens: 5 });
  results.forEach((result, i) => {
    const source = { sourceIds: sources.sourceIds[i], sourcePadding: sources.sourcePadding[i] };
    assert.deepEqual(result, both.generateSync({ targetIds: [[1], [1, 2]][i], ...source, maxTokens: 5, seed: i }));
  });
});

test('onToken of generateSync hears the row; false ends all of it', () => {
  const model = gf.createModel(CONFIG);
  const whole = model.generateSync({ ids: ROWS, maxTokens: 8 });
  const heard = [];
  const onToken = (id, index, row) => heard.push([id, index, row]) < 11;
  const results = model.generateSync({ ids: ROWS, maxTokens: 8, onToken });
  assert.deepEqual(
    heard.map(([, index, row]) => [index, row]),
    [...[0, 1, 2, 3, 4, 5, 6, 7].map((index) => [index, 0]), ...[0, 1, 2].map((index) => [index, 1])],
  );
  assert.deepEqual(
    results.map(({ newIds, endedBy }) => [newIds.length, endedBy]),
    [[8, 'maxTokens'], [3, 'onToken'], [0, 'onToken'], [0, 'onToken']], // prettier-ignore
  );
  results.forEach(({ ids, newIds }, i) => {
    assert.deepEqual([...ids], [...ROWS[i], ...newIds]);
    assert.deepEqual(newIds, whole[i].newIds.slice(0, newIds.length));
  });
});

test('what does not fit is refused by its row, before the first token', () => {
  const model = gf.createModel(CONFIG);
  const both = gf.createModel({ ...CONFIG, kind: 'encoder-decoder' });
  let tokens = 0;
  const refused = (changes, code, parameter, message = /./, of = model) => {
    const options = { ...(of === model && { ids: ROWS }), maxTokens: 2, onToken: () => tokens++, ...changes };
    assert.throws(() => of.generateSync(options), { code, parameter, message });
  };
  refused({ ids: [[1], [99]] }, 'token', 'ids[1]', /ids\[1\]\[0\] is 99/);
  refused({ ids: [[1], []] }, 'shape', 'ids[1]');
  refused({ ids: [[1], 'two'] }, 'type', 'ids[1]', /tokenizer\.encode|must be/);
  refused({ ids: [[1], undefined] }, 'missing', 'ids[1]');
  refused({ maxTokens: -1 }, 'range', 'maxTokens');
  refused({ maxTokens: 2, maxOperations: 20_000 }, 'limit', 'ids[0]');
  refused({ targetIds: [[1], [2]], sourceIds: [[1]] }, 'type', 'sourceIds', /as many rows as targetIds/, both);
  refused({ targetIds: [[1], [2]], sourceIds: [1, 2, 3] }, 'type', 'sourceIds', /as many rows/, both);
  refused({ targetIds: [[1], [2]], sourceIds: [[1], [99]] }, 'token', 'sourceIds[1]', /./, both);
  refused({ ids: ROWS, targetIds: [[1]], sourceIds: [[1]] }, 'unknown', 'ids', /did you mean sourceIds\?/, both);
  refused({ ids: { data: [1, 2], shape: [2, 1] } }, 'shape', 'ids', /must be one sequence/);
  assert.equal(tokens, 0);
});

test('a loop over rows gives the tokens of one after the other', async () => {
  for (const model of [gf.createModel(CONFIG), await far.createModel(CONFIG)]) {
    const heard = [];
    for await (const { id, row } of model.generate({ ids: ROWS, maxTokens: 3 })) heard.push([row, id]);
    const results = await model.generate({ ids: ROWS, maxTokens: 3 });
    const wanted = results.flatMap(({ newIds }, row) => [...newIds].map((id) => [row, id]));
    assert.deepEqual(heard, wanted);
  }
});
