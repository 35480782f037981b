// Learns the product of two numbers, and stops once the loss on numbers that it never sees falls no more.
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const model = await gf.createModel({ kind: 'encoder', inputWidth: 2, outputWidth: 1, d_model: 16, layers: 1 });
const trainer = await model.trainer({ loss: 'mse', learningRate: 0.003 });
const vectors = (seed) => Array.from({ length: 64 }, (_, i) => [[Math.sin(seed + 7 * i), Math.cos(3 * seed + 5 * i)]]);
const batch = (seed) => ({ vectors: vectors(seed), labels: vectors(seed).map(([[a, b]]) => [[a * b]]) });
const losses = [];
const onProgress = async () => {
  const count = losses.push((await trainer.loss(batch(-1))).loss);
  return losses.indexOf(Math.min(...losses)) > count - 30; // the best one is among the last 30
};
await trainer.train(batch, { onProgress });
Math.min(...losses) < 0.01; // → true
