// Trains a model to say eight digits in reverse, until 99 of 100 rows that it has never seen are right.
import { load } from 'glassformer';
import { reverse } from 'glassformer/tasks';

const gf = await load({ variant: 'simd' }); // the same numbers on every machine
const model = gf.createModel({ ...reverse.config, seed: 1 });
const trainer = model.trainer(reverse.trainer);
let right = 0;
while (right < 0.99) {
  const { loss, step } = trainer.step(reverse.batch(trainer.steps));
  if (step % 25 > 0) continue;
  right = (await reverse.score(model)).sequences;
  console.log(`step ${step}: loss ${loss.toFixed(3)}, ${(100 * right).toFixed(1)} % of the rows right`);
}
