// A card's link to Explore or Train: at every switch it can be read there without a rest, and shows what the card says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { makeSquare } from 'glassformer/tasks';
import { defaultState, readLink } from '../../../web/app/schema.js';
import { related } from '../../../web/claims/related.js';
import { claims } from '../../../src/claims/index.js';
import { largestDifference } from '../../../src/claims/shared/numbers.js';
import { train } from '../../../src/claims/shared/train.js';
import { makePlan } from '../../../web/engine/plan.js';
import { readAddress } from '../../../web/train/schema.js';
import { hashOf } from '../../../web/train/run/look.js';
import { TASKS, fetchTask, recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { readModel } from '../../../src/models/measure.mjs';

/** @typedef {import('../../../web/claims/worker.js').WholeClaim} WholeClaim */

const gf = await load({ variant: 'simd' });
const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));
const modules = new Map(claims.map((module) => [module.claim.number, /** @type {WholeClaim} */ (module)]));

/** @param {number} number @param {import('../../../web/claims/schema.js').Params} [params] */
const linkOf = (number, params = {}) => related(modules.get(number) ?? assert.fail(), params).matching;

/** Each combination of a card's switches. @param {WholeClaim['claim']} claim */
const settingsOf = ({ inputs }) =>
  inputs.reduce(
    (all, { name, values }) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{ seed: 3 }],
  );

for (const { claim } of modules.values())
  test(`${claim.number}. ${claim.name}: its link can be read at each of its switches`, () => {
    for (const params of settingsOf(claim)) {
      const found = linkOf(claim.number, params);
      if (!found) continue;
      const { place, href, note } = found;
      assert.match(note, /\w/);
      if (place === 'Train') {
        const { refused, settings } = readAddress(href, recipes);
        assert.deepEqual(refused, [], href);
        if (claim.seeded) assert.equal(settings.seed, 3);
      } else if (/model=untrained/.test(href)) {
        const { state, refused } = readLink(href, defaultState());
        assert.deepEqual(refused, [], href);
        if (claim.seeded) assert.equal(state.settings.seed, 3);
        makePlan(state);
      } else assert.deepEqual(readLink(href, defaultState(), readModel('translate')).refused, [], href);
    }
  });

test('most cards have a link; those whose experiment neither place has, have none', () => {
  const none = [...modules.keys()].filter((number) => !linkOf(number));
  assert.deepEqual(
    none,
    [34, 5, 6, 23, 1, 31, 21, 12, 29, 15, 14, 11, 45, 47, 13, 42, 43, 44, 46, 18, 19, 51, 49, 50, 38, 39, 24, 27],
  );
  assert.equal(linkOf(10, { target: 'a×b on [0, 1]²' }), null);
  assert.equal(linkOf(9, { gain: 4 }), null);
});

/**
 * The model that a link to Train makes.
 * @param {number} number
 * @param {import('../../../web/claims/schema.js').Params} params
 * @param {number} most steps
 */
async function trained(number, params, most) {
  const found = linkOf(number, params) ?? assert.fail();
  const { task, settings } = readAddress(found.href, recipes);
  const run = await createRun(gf, task, settings);
  await run.go(most);
  return run.model;
}

/**
 * The model that a claim trains.
 * @param {any} task
 * @param {any} config
 * @param {any} trainer
 * @param {number} seed
 * @param {number} steps
 */
async function own(task, config, trainer, seed, steps) {
  const model = gf.createModel({ ...config, seed });
  if (task.initial) model.loadWeights(task.initial(seed), { strict: false });
  const all = task.batches(seed);
  await train(
    model.trainer(trainer),
    () => all.next().value,
    steps,
    async () => {},
  );
  return model;
}

test('links to the card’s own run give its weights', async () => {
  const { reverse } = TASKS;
  await fetchTask('square');
  const steps = 10;
  const rows = /** @type {const} */ ([
    [
      2,
      { d_k: 32, learningRate: 2e-3, seed: 3 },
      reverse,
      { d_model: 32, heads: 1, scoreScale: false },
      { learningRate: 2e-3 },
    ],
    [14, { task: 'reverse', heads: 4, seed: 3 }, reverse, { heads: 4 }, {}],
    [7, { neurons: 16, activation: 'gelu', seed: 3 }, makeSquare({ hidden: 16 }), { activation: 'gelu' }, {}],
  ]);
  for (const [number, params, task, config, trainer] of rows) {
    const { config: base, trainer: recipe } = /** @type {any} */ (task);
    const model = await own(task, { ...base, ...config }, { ...recipe, ...trainer }, 3, steps);
    assert.equal(await hashOf(await trained(number, params, steps)), await hashOf(model), `${number}`);
  }
});

test('without positions the words of both sentences have the same outputs in Explore’s model too', () => {
  const outputs = (/** @type {import('../../../web/claims/schema.js').Params} */ params) => {
    const { state } = readLink((linkOf(4, params) ?? assert.fail()).href, defaultState());
    return ['the mat sat on the cat', state.text].map((text) => {
      const { config, ids } = makePlan({ ...state, text });
      const model = gf.createModel(/** @type {any} */ (config));
      return [...model.forward({ ids }).output.data];
    });
  };
  const wordOf = (/** @type {number[]} */ output, /** @type {number} */ at) => output.slice(32 * at, 32 * at + 32);
  const differ = (/** @type {number[][]} */ [mat, cat]) =>
    Math.max(...[0, 5, 2, 3, 4, 1].map((to, from) => largestDifference(wordOf(cat, from), wordOf(mat, to))));
  assert.ok(differ(outputs({})) < 3e-6);
  assert.ok(differ(outputs({ mask: 'causal' })) > 0.4);
  assert.ok(differ(outputs({ positions: 'sinusoidal' })) > 0.4);
});
