// Which head carries the answer "carrot" from one sentence into the other.
import { load } from 'glassformer';
const gf = await load({ variant: 'simd' });
const { model, tokenizer } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const of = (word) => `the rabbit did not eat the carrot because it was ${word} .`;
const from = await model.trace(of('fresh'));
const lead = []; // of "rabbit" over "carrot" at "it"
for (const head of [0, 1]) {
  const { logits } = await model.forward(of('hungry'), { patches: [{ at: { layer: 2, head }, from }] });
  const at = 8 * tokenizer.size;
  lead.push(logits.data[at + tokenizer.id('rabbit')] - logits.data[at + tokenizer.id('carrot')]);
}
lead; // → [5.42, -0.58]
