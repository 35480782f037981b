// The challenges: each is met by a run of the engine and missed by another, here and in the page; and what is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress, writeAddress } from '../../../web/train/schema.js';
import { judge } from '../../../web/train/challenges/judge.js';
import { CHALLENGES } from '../../../web/train/challenges/list.js';
import { readRecords, withRun } from '../../../web/train/challenges/records.js';
import { hashOf } from '../../../web/train/run/look.js';
import { TASKS, recipeOf } from '../../../web/train/run/recipes.js';
import { RESULTS } from '../../../web/shared/train-lessons.js';
import { createBrowser, until } from './dom.js';
import { nodeRun } from './node.js';

const NAME = RESULTS;
const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));
/** @param {string} id */
const challengeOf = (id) => /** @type {any} */ (CHALLENGES.find((each) => each.id === id));

const SMALLEST = { d_model: 4, d_ff: 0, headBias: false, attentionBias: false, embeddingScale: false };
/** Runs: what they change of the recipe, and at which step they are judged. */
const KNOWN = {
  bare: {
    met: [{ residual: false, d_ff: 0, warmup: 0, learningRate: 0.01 }, 50],
    missed: [{ residual: false, learningRate: 0.0001 }, 100],
    refused: [{ heads: 1 }, 100, /^Residual connections/],
  },
  break: {
    met: [{ positions: 'none' }, 1000],
    missed: [{ causal: true }, 1000],
    refused: [{ positions: 'none', learningRate: 0 }, 0, /^It changes 2 of/],
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

test('five challenges: the engine meets each at its par, and misses each', async () => {
  assert.deepEqual(
    CHALLENGES.map(({ id }) => id),
    Object.keys(KNOWN),
  );
  for (const challenge of CHALLENGES) {
    const { task, par, id } = challenge;
    const { met, missed, refused } = KNOWN[id];
    const { attempt } = await attemptOf(task, met[0], met[1]);
    const verdict = judge(challenge, attempt, recipeOf(task));
    const { score, ...said } = verdict;
    assert.deepEqual(
      { ...said, says: '' },
      { refused: '', isOver: true, isMet: true, says: '' },
      `${id}: ${said.says}`,
    );
    assert.equal(score ?? 1, par, id);
    const before = { ...attempt, step: attempt.step - 1 };
    const open = judge(challenge, before, recipeOf(task));
    assert.deepEqual([open.isOver, open.isMet, open.score], [false, false, null], `${id}: one step before`);
    const other = judge(challenge, (await attemptOf(task, missed[0], missed[1])).attempt, recipeOf(task));
    assert.deepEqual([other.refused, other.isOver, other.isMet, other.score], ['', true, false, null], id);
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
  assert.equal(judge(fast, { ...attempt, step: 24 }, recipe).isOver, false);
  assert.equal(judge(fast, { ...attempt, step: 24, failure: /** @type {any} */ ({}) }, recipe).isOver, true);
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
  const verdict = { refused: '', isOver: true, isMet: false, says: '', score: null };
  const met = { ...verdict, isMet: true };
  const run = (/** @type {string} */ key) => ({ key, link: `${key}&step=9`, hash: '' });
  const empty = { tries: [], best: null };
  const limited = challengeOf('break');
  assert.deepEqual(withRun(empty, limited, { ...verdict, refused: 'no' }, run('a')), empty);
  assert.deepEqual(withRun(empty, limited, { ...verdict, isOver: false }, run('a')), empty);
  const two = ['a', 'a', 'b'].reduce((record, key) => withRun(record, limited, verdict, run(key)), empty);
  assert.deepEqual(two, { tries: ['a', 'b'], best: null });
  const won = withRun(two, limited, met, run('c'));
  assert.deepEqual(won.best, { score: 3, link: 'c&step=9', hash: '' });
  const lost = withRun(two, limited, verdict, run('c'));
  assert.deepEqual(withRun(lost, limited, met, run('d')), lost, 'a fourth try does not count');
  const open = challengeOf('small');
  const first = withRun(empty, open, { ...met, score: 400 }, run('a'));
  assert.equal(withRun(first, open, { ...met, score: 400 }, run('b')).best?.link, 'a&step=9');
  assert.equal(withRun(first, open, { ...met, score: 112 }, run('b')).best?.score, 112);
});

test('hostile stored values are ignored', () => {
  const link = writeAddress(
    { task: 'reverse', settings: { ...recipeOf('reverse'), d_ff: 0 }, step: 175 },
    recipeOf('reverse'),
  );
  const best = { score: 4618, link, hash: 'a'.repeat(64) };
  const kept = (/** @type {unknown} */ value) => {
    globalThis.localStorage = /** @type {any} */ ({ getItem: () => value });
    return readRecords(recipes).get('small');
  };
  const small = (/** @type {unknown} */ each) => kept(JSON.stringify({ small: each }));
  try {
    assert.deepEqual(small({ tries: [link, link], best }), { tries: [link], best });
    const empty = { tries: [], best: null };
    for (const value of [null, '{', '[]', 'null', '7', '{"small":null}', '{"small":{"tries":{"length":9},"best":[]}}'])
      assert.deepEqual(kept(value), empty, String(value));
    for (const hostile of [
      { score: -1 },
      { score: '1' },
      { score: 1e300 },
      { hash: '<b>' },
      { hash: null },
      { link: 'javascript:alert(1)' },
      { link: '#/train?task=sort&step=5' },
      { link: `${link}&d_model=1e9` },
      { link: 7 },
    ])
      assert.deepEqual(
        small({ tries: [hostile.link], best: { ...best, ...hostile } })?.best,
        null,
        JSON.stringify(hostile),
      );
    assert.deepEqual(small({ tries: ['javascript:alert(1)', 5, null], best: null }), empty);
  } finally {
    Reflect.deleteProperty(globalThis, 'localStorage');
  }
});

test('in the page: judged beside the run, counted, proved by hash; its link leads to the same verdict', async () => {
  const open = createBrowser();
  const tab = await open('#/train');
  await tab.at(0);
  const title = /^XOR, small/;
  /** What the list says of it. @param {typeof tab} of @param {RegExp} text */
  const said = async ({ there }, text) => there('.challenges li', new RegExp(`${title.source}.*${text.source}`));
  await tab.unfold('challenges');
  await tab.press('Start: XOR, small');
  await until(() => /task=xor/.test(tab.address()));
  await tab.at(0);
  const line = '.train-challenge';
  await tab.there(line, /Tries: 0\. Train this run to its end\./);
  assert.equal(tab.document.activeElement?.textContent?.trim(), 'Train');
  await tab.fill('#train-d_ff', '2');
  await until(() => /d_ff=2/.test(tab.address()));
  await tab.press('Train');
  await tab.there(line, /Tries: 1\. This run does not meet the goal\./);
  await tab.at(400);
  await tab.fill('#train-activation', 'silu');
  await until(() => /activation=silu/.test(tab.address()));
  await tab.press('Train');
  await tab.there(line, /Tries: 2\. ✓ This run meets the goal\./);
  await tab.at(400);
  const best = await said(tab, /Best: 2 neurons \(d_ff: 2, Activation: SiLU\)/);
  const { hash } = await attemptOf('xor', { d_ff: 2, activation: 'silu' }, 400);
  assert.equal(best.querySelector('summary code').textContent, hash.slice(0, 12));
  assert.equal(best.querySelector('.challenge-proof > code').textContent, hash);
  const link = best.querySelector('a').getAttribute('href');
  const { settings, step } = readAddress(link, recipes);
  assert.deepEqual([settings.d_ff, settings.activation, step], [2, 'silu', 400]);
  const next = await tab.reload();
  await next.at(400);
  await next.unfold('challenges');
  await said(next, /Tries: 2\./);
  assert.equal(JSON.parse(String(next.stored(NAME))).neurons.best.hash, hash);
  await next.close();
  const other = await createBrowser()(link);
  await other.at(400);
  await other.unfold('challenges');
  const met = await said(other, /This run meets the goal\./);
  assert.equal(met.querySelector('summary code').textContent, hash.slice(0, 12));
  await other.close();
});
