// What recipes reach, in their stated steps, of three seeds: trained here, on the held-out data of each seed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { examine, induction } from '../../src/tasks/index.js';

const gf = await load({ variant: 'simd' });

for (const seed of [0, 1, 2]) {
  test(`induction, seed ${seed}: 99 % of the letters within 425 steps, by an induction head`, async (t) => {
    const model = gf.createModel({ ...induction.config, seed });
    const trainer = model.trainer(induction.trainer);
    const heldOut = induction.heldOut(seed);
    let accuracy = 0;
    while (accuracy < 0.99 && trainer.steps < 425) {
      trainer.step(induction.batch(trainer.steps, seed));
      if (trainer.steps % 25 === 0) ({ accuracy } = await examine(model, heldOut, { maps: false }));
    }
    const { best, chance } = await induction.score(model, heldOut);
    t.diagnostic(
      `${trainer.steps} steps, accuracy ${accuracy.toFixed(3)}, head ${best.layer}.${best.head} ${best.mass}`,
    );
    assert.ok(accuracy >= 0.99, `${accuracy}`);
    assert.ok(best.layer === 1 && best.mass > 0.9 && chance < 0.3, `${best.mass}`);
    model.free();
  });
}
