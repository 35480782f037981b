// Beam search, against a search that runs every sequence alone. tests/checkpoints.mjs has the sequences and scores of
// transformers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import fc from 'fast-check';
import { load, Vocabulary } from 'glassformer';

const gf = await load({ variant: 'simd' });

/** @param {ArrayLike<number>} row logits */
function logSoftmax(row) {
  const most = Math.max(...Array.from(row));
  const sum = Array.from(row).reduce((so, each) => so + Math.exp(each - most), 0);
  return Array.from(row, (each) => each - most - Math.log(sum));
}

/**
 * The search in the words of transformers' BeamSearchScorer, each sequence with a pass of its own.
 * @param {(ids: number[]) => ArrayLike<number>} logitsOf @param {number[]} prompt @param {any} settings
 */
function reference(logitsOf, prompt, { beams, lengthPenalty = 1, earlyStopping = false, maxTokens, endId, rules }) {
  let open = [{ ids: /** @type {number[]} */ ([]), sum: 0 }];
  /** @type {{ids: number[], score: number}[]} */
  let hypotheses = [];
  const scoreOf = (/** @type {number[]} */ ids, /** @type {number} */ sum) => sum / ids.length ** lengthPenalty;
  const add = (/** @type {number[]} */ ids, /** @type {number} */ sum) => {
    const score = scoreOf(ids, sum);
    const worst = Math.min(...hypotheses.map((each) => each.score));
    if (hypotheses.length < beams || score > worst) hypotheses.push({ ids, score });
    if (hypotheses.length > beams) hypotheses = hypotheses.filter((each) => each.score !== worst);
  };
  let isDone = false;
  for (let step = 0; step < maxTokens && !isDone && open.length; step++) {
    const all = open.flatMap(({ ids, sum }) => {
      const scores = logSoftmax(logitsOf([...prompt, ...ids]));
      rules?.(scores, [...prompt, ...ids]);
      return scores.map((each, id) => ({ ids: [...ids, id], sum: sum + each }));
    });
    all.sort((a, b) => b.sum - a.sum);
    const first = all.slice(0, Math.max(2, 1 + endId.length) * beams);
    open = first.filter(({ ids }) => !endId.includes(ids.at(-1))).slice(0, beams);
    for (const { ids, sum } of first.slice(0, beams)) if (endId.includes(ids.at(-1))) add(ids, sum);
    const reach = earlyStopping === 'never' && lengthPenalty > 0 ? maxTokens : step + 1;
    const worst = Math.min(...hypotheses.map((each) => each.score));
    isDone = hypotheses.length === beams && (earlyStopping === true || worst >= first[0].sum / reach ** lengthPenalty);
  }
  if (!isDone) for (const { ids, sum } of open) add(ids, sum);
  return hypotheses.sort((a, b) => b.score - a.score);
}

const SETTINGS = fc.record({
  kind: fc.constantFrom('decoder', 'encoder-decoder'),
  norm: fc.constantFrom('pre', 'post'),
  positions: fc.constantFrom('learned', 'sinusoidal', 'rotary', 'none'),
  relativeBuckets: fc.constantFrom(0, 6),
  keyValueHeads: fc.constantFrom(0, 1),
  qkNorm: fc.boolean(),
  beside: fc.boolean(),
  cache: fc.boolean(),
  beams: fc.integer({ min: 2, max: 6 }),
  lengthPenalty: fc.constantFrom(0, 0.6, 1, 2, -1),
  earlyStopping: fc.constantFrom(false, true, 'never'),
  maxTokens: fc.integer({ min: 1, max: 7 }),
  ends: fc.integer({ min: 0, max: 2 }),
  length: fc.integer({ min: 1, max: 3 }),
  seed: fc.nat(1e6),
});

test('any model: the sequences and scores of a search that runs each alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      SETTINGS,
      async ({ cache, beside, beams, lengthPenalty, earlyStopping, maxTokens, ends, length, ...given }) => {
        const model = gf.createModel({
          ...given,
          ...(beside && given.positions === 'rotary' && { ropeWidth: 2 }),
          parallel: beside && given.kind === 'decoder' && given.norm === 'pre',
          ...{ d_model: 8, heads: 2, d_ff: 8, layers: 2, vocabulary: 9, maxLength: 12, head: 'linear' },
          initializerRange: 0.8, // or all words are about as likely
        });
        const both = given.kind === 'encoder-decoder';
        const prompt = [1, 5, 3].slice(0, length);
        const input = both
          ? { sourceIds: [2, 3, 4, 6], sourcePadding: [0, 0, 0, 1], targetIds: prompt }
          : { ids: prompt };
        const endId = [4, 7].slice(0, ends);
        const logitsOf = (/** @type {number[]} */ ids) => {
          const { data } = model.forward({ ...input, [both ? 'targetIds' : 'ids']: ids }).logits;
          return data.slice(-9);
        };
        const search = { beams, lengthPenalty, earlyStopping, maxTokens, endId };
        const found = await model.generate(input, { ...search, cache, keep: beams });
        const wanted = reference(logitsOf, prompt, search);
        assert.deepEqual(
          found.beams.map(({ newIds }) => [...newIds]),
          wanted.map(({ ids }) => ids),
        );
        found.beams.forEach(({ score }, i) => assert.ok(Math.abs(score - wanted[i].score) < 1e-4, `${score}`));
        assert.deepEqual(found.ids, found.beams[0].ids);
        // The tree: each sum is its parent's and its own; an end has a score; nothing goes on from an end.
        found.tree.forEach(({ parent, sum, logProbability, step, endedBy, score, id }) => {
          const before = parent === null ? undefined : found.tree[parent];
          assert.ok(Math.abs((before?.sum ?? 0) + logProbability - sum) < 1e-9);
          assert.equal(step, before ? before.step + 1 : 0);
          assert.ok(!before || before.endedBy === undefined || before.endedBy === 'maxTokens');
          assert.equal(score === undefined, endedBy === undefined || endedBy === 'beams');
          if (endedBy === 'endId') assert.ok(endId.includes(id));
        });
        model.free();
      },
    ),
    { numRuns: 120, seed: 53 },
  );
});

test('in a worker, as a loop and for rows: the same, with texts', async () => {
  const there = await load({ variant: 'simd', worker: true });
  after(() => there.terminate());
  const config = { kind: 'decoder', d_model: 8, heads: 2, d_ff: 8, layers: 2, maxLength: 12, head: 'tied', seed: 4 };
  const vocabulary = new Vocabulary(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  const [model, remote] = [
    gf.createModel(/** @type {any} */ ({ ...config, vocabulary })),
    await there.createModel(/** @type {any} */ ({ ...config, vocabulary })),
  ];
  const options = { beams: 3, keep: 2, maxTokens: 4 };
  const own = await model.generate('a b', options);
  assert.equal(own.beams.length, 2);
  assert.equal(own.text, own.beams[0].text);
  assert.match(own.beams[1].newText, /^ [a-g]( [a-g]){3}$/);
  assert.deepEqual(await remote.generate('a b', options), own);
  const rows = await model.generate(['a b', 'c'], options);
  assert.deepEqual(rows[0], own);
  for (const each of [model, remote]) {
    const candidates = [];
    for await (const step of each.generate('a b', options)) {
      assert.equal(step.row, 0);
      candidates.push(...step.candidates);
    }
    assert.deepEqual(
      candidates.map(({ id, sum }) => [id, sum]),
      own.tree.map(({ id, sum }) => [id, sum]),
    );
  }
  // Between two steps another pass may run; a greedy call after it is as before.
  const greedy = await model.generate('a b', { maxTokens: 4 });
  let last;
  for await (const step of model.generate('a b', options)) {
    model.forward({ ids: [6, 5, 4] });
    last = step;
  }
  assert.deepEqual(last.candidates, own.tree.slice(-last.candidates.length));
  assert.deepEqual(await model.generate('a b', { maxTokens: 4 }), greedy);
  assert.deepEqual((await model.generate('a b', { beams: 1, maxTokens: 4 })).ids, greedy.ids);
});

test('what does not go with beams is refused by name', async () => {
  const model = gf.createModel({ kind: 'decoder', vocabulary: 7, d_model: 8, heads: 2, head: 'tied' });
  const asked = (/** @type {object} */ options) => model.generate({ ids: [1], maxTokens: 2, ...options });
  for (const [options, parameter, code] of /** @type {[object, string, string][]} */ ([
    [{ beams: 0 }, 'beams', 'range'],
    [{ beams: 2.5 }, 'beams', 'range'],
    [{ beams: 65 }, 'beams', 'range'],
    [{ lengthPenalty: 1 }, 'lengthPenalty', 'unsupported'],
    [{ beams: 1, earlyStopping: true }, 'earlyStopping', 'unsupported'],
    [{ keep: 1 }, 'keep', 'unsupported'],
    [{ beams: 2, keep: 3 }, 'keep', 'range'],
    [{ beams: 2, earlyStopping: 'ever' }, 'earlyStopping', 'type'],
    [{ beams: 2, temperature: 1 }, 'temperature', 'unsupported'],
    [{ beams: 2, topK: 3 }, 'topK', 'unsupported'],
    [{ beams: 2, topP: 1 }, 'topP', 'unsupported'],
    [{ beams: 2, stop: [[1]] }, 'stop', 'unsupported'],
    [{ beams: 2, window: 4 }, 'window', 'unsupported'],
  ]))
    await assert.rejects(async () => asked(options), { code, parameter }, JSON.stringify(options));
  assert.throws(() => model.generateSync({ ids: [1], beams: 2 }), { code: 'unsupported', parameter: 'beams' });
  assert.equal((await asked({ beams: 2, temperature: 0 })).newIds.length, 2);
  // Beams by the rules of a folder give way to what does not go with them, and to generateSync.
  const rules = { beams: 3, lengthPenalty: 0 };
  const { tree, score } = await asked({ rules });
  assert.equal(tree.length, 12);
  assert.ok(Math.abs(tree.find((each) => each.score === score).sum - score) < 1e-12);
  for (const options of [{ temperature: 1 }, { topK: 2 }, { stop: [[1]] }, { window: 4 }, { beams: 1 }])
    assert.equal((await asked({ rules, ...options })).tree, undefined);
  assert.equal(model.generateSync({ ids: [1], maxTokens: 2, rules }).tree, undefined);
});
