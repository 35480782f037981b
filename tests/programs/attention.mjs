// Shows where each word of a sentence attends, in the head of the model creek that finds the word behind a pronoun.
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const { model } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const text = 'the creek was cold and the spunky dog wanted to jump over it .';
const words = text.split(' ');
model.forward(text, { capture: true });
const { data } = model.tensor({ name: 'encoder.layers.2.self_attn.weights', head: 1 }); // [queries, keys]
for (const [at, word] of words.entries()) {
  const row = data.subarray(at * words.length, (at + 1) * words.length);
  const key = row.indexOf(Math.max(...row));
  console.log(`${word} → ${words[key]} ${row[key].toFixed(2)}`);
}
