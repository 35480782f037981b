// Goes on with a story: by the likeliest words, then as three draws have it.
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const { model, tokenizer } = await gf.loadModel(import.meta.resolve('glassformer/models/continue'));
const text = 'One day a hungry fox and a girl saw';
const endId = tokenizer.id('end');
for (const seed of [0, 1, 2, 3]) {
  const { newText } = await model.generate(text, { maxTokens: 30, temperature: seed && 1, seed, endId });
  console.log(`…${newText}`);
}
