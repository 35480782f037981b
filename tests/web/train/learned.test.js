// Each live task is learnt by the page's recipe within the steps that the page states. Here in Node, as a test of the
// page shows that its runs have the same bits; run.test.js has the short ones, on three seeds. GLASSFORMER_SEEDS=all
// takes three of these, too.
import { test } from 'node:test';
import { load } from 'glassformer';
import { TEXTS } from '../../../web/train/tasks.js';
import { solved } from './solved.js';

const gf = await load({ variant: 'simd' });

for (const task of ['reverse-variable', 'sort', 'addition', 'induction', 'story'])
  for (const seed of process.env.GLASSFORMER_SEEDS === 'all' ? [0, 1, 2] : [1])
    test(`${task}, seed ${seed}, is learnt within ${TEXTS[task].within}`, () => solved(gf, task, seed));
