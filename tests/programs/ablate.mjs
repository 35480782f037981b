// Answers for "it" with all heads of the model creek, and without the head that finds the word behind it.
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const { model, tokenizer } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const text = 'the rabbit did not eat the carrot because it was hungry .';
const { ids } = tokenizer.encode(text);
const at = text.split(' ').indexOf('it');
for (const ablate of [[], [{ layer: 2, head: 1 }]]) {
  const { data } = gf.softmax(model.forward({ ids, ablate }).logits);
  const row = data.subarray(at * tokenizer.size, (at + 1) * tokenizer.size);
  const best = row.indexOf(Math.max(...row));
  console.log(`${ablate.length} heads off: it = ${tokenizer.token(best)}, p = ${row[best].toFixed(3)}`);
}
