// The challenges: each is met by a run of the engine and missed by another, here and in the page; and what is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAttempt } from '../../../web/lessons/attempt.js';
import { challenges } from '../../../web/lessons/challenges.js';
import { readProgress } from '../../../web/lessons/progress.js';
import { readAddress, taskOf, writeAddress } from '../../../web/train/schema.js';
import { checkedRun, factsOfRun } from '../../../web/train/facts.js';
import { hashOf } from '../../../web/train/run/look.js';
import { TASKS, recipeOf } from '../../../web/train/run/recipes.js';
import { createBrowser, until } from './dom.js';
import { nodeRun } from './node.js';

const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));
/** @param {string} id */
const challengeOf = (id) => /** @type {any} */ (challenges.find((each) => each.id === id));

const SMALLEST = { d_model: 4, d_ff: 0, headBias: false, attentionBias: false, embeddingScale: false };
/** Runs: what they change of the recipe, and at which step they are judged. */
const KNOWN = {
  bare: {
    met: [{ residual: false, d_ff: 0, warmup: 0, learningRate: 0.01 }, 50],
    missed: [{ residual: false, learningRate: 0.0001 }, 100],
    refused: [{ heads: 1 }, 100, /yet[.] Residual connections/],
  },
  break: {
    met: [{ positions: 'none' }, 1000],
    missed: [{ causal: true }, 1000],
    refused: [{ positions: 'none', learningRate: 0 }, 0, /yet[.] It changes 2 of/],
  },
  fast: {
    met: [{ embeddingScale: false, warmup: 5, learningRate: 0.01, heads: 1, d_model: 64 }, 25],
    missed: [{ positions: 'none' }, 200],
    refused: [{ batch: 65 }, 0, /must not exceed 64/],
  },
  neurons: { met: [{ d_ff: 1, activation: 'silu', steps: 2000 }, 475], missed: [{ d_ff: 2 }, 400] },
  small: {
    met: [{ ...SMALLEST, learningRate: 0.01, steps: 2000 }, 975],
    missed: [{ ...SMALLEST, positions: 'none' }, 400],
  },
};

/** A run of the engine as the page reports it. @param {string} task @param {object} changed @param {number} step */
async function attemptOf(task, changed, step) {
  const run = await nodeRun({ ...recipeOf(task), ...changed }, task);
  await run.go(step);
  const { settings, failure, model } = run;
  const attempt = { task, settings, changes: run.changes(), checks: run.checks(), step: run.step, failure };
  const hash = await hashOf(model);
  run.free();
  return { attempt: { ...attempt, parameters: model.parameterCount }, hash };
}

/** @param {any} challenge @param {any} attempt @param {any} recipe */
const judge = (challenge, attempt, recipe) => challenge.judge(factsOfRun(attempt, recipe));

test('five challenges: the engine meets each at its par, and misses each', async () => {
  assert.deepEqual(
    challenges.map(({ id }) => id),
    Object.keys(KNOWN),
  );
  for (const challenge of challenges) {
    const { par, id } = challenge;
    const task = taskOf(challenge.link);
    const { met, missed, refused } = KNOWN[id];
    const { attempt } = await attemptOf(task, met[0], met[1]);
    const verdict = judge(challenge, attempt, recipeOf(task));
    const { score, ...said } = verdict;
    assert.deepEqual({ ...said, says: '' }, { refused: '', isTry: true, isMet: true, says: '' }, `${id}: ${said.says}`);
    assert.equal(score ?? 1, par, id);
    const before = { ...attempt, step: attempt.step - 1 };
    const open = judge(challenge, before, recipeOf(task));
    assert.deepEqual([open.isTry, open.isMet, open.score], [false, false, null], `${id}: one step before`);
    const other = judge(challenge, (await attemptOf(task, missed[0], missed[1])).attempt, recipeOf(task));
    assert.deepEqual([other.refused, other.isTry, other.isMet, other.score], ['', true, false, null], id);
    if (!refused) continue;
    const settings = { ...recipeOf(task), ...refused[0] };
    const broken = judge(challenge, { ...attempt, settings }, recipeOf(task));
    assert.match(broken.refused, refused[2], id);
    assert.equal(broken.isMet, false);
  }
});

test('a rule holds for what changes on the way, and a run that cannot go on is over', () => {
  const [recipe, checks] = [recipeOf('order'), [{ step: 25, sequences: 1 }]];
  const attempt = /** @type {any} */ ({
    settings: recipe,
    changes: [],
    checks,
    step: 50,
    failure: null,
    parameters: 9,
  });
  const fast = challengeOf('fast');
  assert.equal(judge(fast, attempt, recipe).score, 25);
  assert.match(judge(fast, { ...attempt, changes: [[10, { batch: 256 }]] }, recipe).refused, /batch size/);
  assert.equal(judge(fast, { ...attempt, step: 24 }, recipe).isTry, false);
  assert.equal(judge(fast, { ...attempt, step: 24, failure: /** @type {any} */ ({}) }, recipe).isTry, true);
  const sort = recipeOf('sort');
  const broken = { ...attempt, settings: { ...sort, positions: 'none' }, checks: [{ step: 1000, sequences: 0 }] };
  assert.equal(judge(challengeOf('break'), { ...broken, step: 1000 }, sort).isMet, true);
  const changed = { ...broken, step: 1000, changes: [[5, { learningRate: 0 }]] };
  assert.match(judge(challengeOf('break'), /** @type {any} */ (changed), sort).refused, /changes the training/);
  for (const [change, refused] of /** @type {const} */ ([
    [{}, /changes none of/],
    [{ seed: 2 }, /changes the training/],
    [{ d_ff: 0 }, /changes the size/],
  ]))
    assert.match(judge(challengeOf('break'), { ...broken, settings: { ...sort, ...change } }, sort).refused, refused);
});

test('tries: the same run is one, a refused or open one is none; the best result stays', () => {
  /** The scores and what is said after runs of a challenge. @param {string} id @param {[string, object][]} runs */
  function after(id, ...runs) {
    const attempt = createAttempt(
      /** @type {any} */ ({ place: 'train', rest: 0, read: (run) => run }),
      () => {},
      readProgress(),
    );
    const verdict = { isMet: false, isTry: true, says: '', refused: '', score: null };
    attempt.start({ ...challengeOf(id), judge: (facts) => facts });
    attempt.begun();
    for (const [key, found] of runs)
      attempt.read({ facts: { ...verdict, ...found }, key, proof: { link: `#/train?${key}`, hash: '' } });
    const { record, count, solved, verdict: last } = attempt.data();
    return { best: record.best, link: record.link, count, solved, says: last.says };
  }
  const none = { best: undefined, link: undefined, count: 0, solved: null };
  const met = { isMet: true };
  assert.deepEqual(after('break', ['a', { isTry: false, refused: 'no' }]), { ...none, says: '' });
  assert.deepEqual(after('break', ['a', {}], ['a', {}], ['b', {}]), { ...none, count: 2, says: '' });
  const won = { best: 3, link: '#/train?c', count: 3, solved: 3, says: '' };
  assert.deepEqual(after('break', ['a', {}], ['a', {}], ['b', {}], ['c', met]), won);
  const fourth = after('break', ['a', {}], ['b', {}], ['c', {}], ['d', met]);
  assert.deepEqual({ ...fourth, says: '' }, { ...none, count: 3, says: '' }, 'a fourth try does not count');
  assert.match(fourth.says, /^All 3 tries are used/);
  assert.equal(after('small', ['a', { ...met, score: 400 }], ['b', { ...met, score: 400 }]).link, '#/train?a');
  assert.equal(after('small', ['a', { ...met, score: 400 }], ['b', { ...met, score: 112 }]).best, 112);
});

test('what is kept: also in the form of before; hostile values are ignored', () => {
  const recipe = recipeOf('reverse');
  const link = writeAddress({ task: 'reverse', settings: { ...recipe, d_ff: 0 }, step: 175 }, recipe);
  const best = { best: 4618, link, hash: 'a'.repeat(64) };
  /** @param {Record<string, unknown>} kept by name */
  function small(kept) {
    const getItem = (/** @type {string} */ name) => {
      const value = kept[name] ?? null;
      return value === null || typeof value === 'string' ? value : JSON.stringify(value);
    };
    globalThis.localStorage = /** @type {any} */ ({ getItem });
    const record = /** @type {any} */ (readProgress().records.get('small') ?? {});
    return { ...record, link: checkedRun(record.link, 'reverse', recipes) && record.link };
  }
  const before = (/** @type {unknown} */ each) => small({ 'glassformer-challenges': { small: each } });
  try {
    assert.deepEqual(small({ 'glassformer-book': { records: { small: best } } }), best);
    assert.deepEqual(before({ tries: [link], best: { score: 4618, link, hash: best.hash } }), best);
    for (const value of [null, '{', '[]', 'null', '7', '{"small":null}', '{"small":{"tries":{"length":9},"best":[]}}'])
      for (const name of ['glassformer-challenges', 'glassformer-book', 'glassformer-puzzles'])
        assert.equal(small({ [name]: value }).best, undefined, String(value));
    for (const score of [-1, '1', 1e300]) assert.equal(before({ best: { score } }).best, undefined);
    for (const hash of ['<b>', null, 7]) assert.equal(before({ best: { score: 1, hash } }).hash, undefined);
    for (const other of ['javascript:alert(1)', '#/train?task=sort&step=5', `${link}&d_model=1e9`, 7])
      assert.equal(before({ best: { score: 1, link: other } }).link, null, String(other));
  } finally {
    Reflect.deleteProperty(globalThis, 'localStorage');
  }
});

test('in the page: judged beside the run, counted, proved by hash; its link leads to the same verdict', async () => {
  const open = createBrowser();
  const tab = await open('#/train?task=xor&challenge=1');
  const panel = '#train-lesson';
  await until(() => tab.address() === '#/train?task=xor');
  await tab.at(0);
  await tab.there(panel, /Challenge 4 of 5.*XOR, small.*Train this run to its end\..*So far: 0 tries\./);
  await tab.fill('#train-d_ff', '2');
  await until(() => /d_ff=2/.test(tab.address()));
  await tab.press('Train');
  await tab.there(panel, /This run does not meet the goal\..*So far: 1 try\./);
  await tab.at(400);
  await tab.fill('#train-activation', 'silu');
  await until(() => /activation=silu/.test(tab.address()));
  await tab.press('Train');
  await tab.there(panel, /✓ This run meets the goal\. Solved at.*So far: 2 tries\. Best: 2 neurons/);
  await tab.at(400);
  await tab.there('.puzzle-proof', /The best: d_ff: 2, Activation: SiLU\. Open this run/);
  const { hash } = await attemptOf('xor', { d_ff: 2, activation: 'silu' }, 400);
  const proof = await tab.there('.challenge-proof');
  assert.equal(proof.querySelector('summary code').textContent, hash.slice(0, 12));
  assert.equal(proof.querySelector(':scope > code').textContent, hash);
  const link = tab.all('.puzzle-proof a')[0].getAttribute('href');
  const { settings, step } = readAddress(link, recipes);
  assert.deepEqual([settings.d_ff, settings.activation, step], [2, 'silu', 400]);
  const next = await tab.reload('#/train?task=xor&challenge=1');
  await next.there(panel, /Best: 2 neurons.*d_ff: 2/);
  assert.equal(JSON.parse(String(next.stored('glassformer-book'))).records.neurons.hash, hash);
  await next.press('Close');
  assert.equal(next.text(`${panel}:not([hidden])`), '');
  await next.close();
  const other = await createBrowser()(`${link}&challenge=1`);
  await other.at(400);
  await other.there(panel, /This run meets the goal\./);
  assert.equal((await other.there('.challenge-proof summary code')).textContent, hash.slice(0, 12));
  await other.close();
});
