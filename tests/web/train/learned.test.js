// Each live task is learnt by the page's recipe within the steps that the page states. Here in Node, as a test of the
// page shows that its runs have the same bits; run.test.js has the short ones, on three seeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { TEXTS } from '../../../web/train/tasks.js';

const gf = await load({ variant: 'simd' });

for (const task of ['reverse-variable', 'sort', 'addition', 'induction', 'story']) {
  const { within, measure } = TEXTS[task];
  test(`${task} is learnt within ${within}`, async (t) => {
    const run = await createRun(gf, task, { ...recipeOf(task), seed: 1 });
    const isSolved = () => run.checks().some((each) => each[measure] >= 0.99);
    await run.go(Number(within.replace(/\D/g, '')), () => !isSolved());
    t.diagnostic(`${run.checks().at(-1)?.step} steps`);
    assert(isSolved(), `${run.checks().at(-1)?.[measure]}`);
    run.free();
  });
}
