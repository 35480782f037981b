// Saves a run in the middle and goes on from the file: it ends at the weights of a run that was not stopped.
import { load } from 'glassformer';
import { sort } from 'glassformer/tasks';

const gf = await load({ variant: 'simd' });
const begin = () => gf.createModel({ ...sort.config, seed: 3 }).trainer(sort.trainer);
function train(trainer, steps) {
  while (trainer.steps < steps) trainer.step(sort.batch(trainer.steps));
  return trainer;
}
const file = await train(begin(), 50).save(); // bytes, for a disk or a server
const { trainer } = await gf.loadModel(file);
const [resumed, straight] = [trainer, begin()].map((run) => train(run, 100).snapshot().weights);
console.log(`resumed from ${file.length} bytes, now at step ${trainer.steps}`);
console.log(`the same weights: ${resumed.every((weight, i) => weight === straight[i])}`);
