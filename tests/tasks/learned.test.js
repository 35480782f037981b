// Recipes keep their word: each live task is learned in its stated steps, here, on the held-out data of each seed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { examine, liveTasks } from '../../src/tasks/index.js';
import { ofTheDay } from '../of-the-day.js';

const gf = await load({ variant: 'simd' });

/** Where the head is that solves it, and the least weight it then gives to where the solution is. */
const HEADS = {
  reverse: [0, 0.5],
  'reverse-variable': [1, 0.8],
  sort: [1, 0.35],
  induction: [1, 0.9],
  story: [1, 0.7],
};

/** Of which one seed is tried, another one each day, as they take longest; GLASSFORMER_SEEDS=all tries all three. */
const LONG = ['reverse-variable', 'sort', 'addition', 'induction', 'story'];
const SEEDS = [0, 1, 2];

for (const task of liveTasks) {
  const { name, about } = task;
  for (const seed of LONG.includes(name) ? ofTheDay(SEEDS) : SEEDS) {
    test(`${name}, seed ${seed}: ${about.measure} within ${about.steps} steps, by the head that it says`, async (t) => {
      const model = gf.createModel({ ...task.config, seed });
      if (task.initial) model.loadWeights(task.initial(seed), { strict: false });
      const trainer = model.trainer(task.trainer);
      const heldOut = task.heldOut(seed);
      // Without maps, where it has some.
      const measured = () => (task.headScore ? examine(model, heldOut, { maps: false }) : task.score(model, heldOut));
      let score = await measured();
      assert.equal(task.isLearned(score), false, 'untrained');
      while (!task.isLearned(score) && trainer.steps < about.steps) {
        trainer.step(task.batch(trainer.steps, seed));
        if (trainer.steps % 25 === 0) score = await measured();
      }
      t.diagnostic(`${trainer.steps} steps, ${about.measure} ${score[about.measure].toFixed(4)}`);
      assert.ok(task.isLearned(score), `${score[about.measure]}`);
      if (name in HEADS) {
        const { heads, best, chance } = await task.headScore(model);
        assert.equal(heads.length, task.config.layers * task.config.heads);
        t.diagnostic(`head ${best.layer}.${best.head} ${best.mass.toFixed(3)}, chance ${chance.toFixed(3)}`);
        assert.ok(best.layer === HEADS[name][0] && best.mass > HEADS[name][1] && best.mass > 1.5 * chance);
      }
      model.free();
    });
  }
}
