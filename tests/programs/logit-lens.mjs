// Shows the model's answer for "it" if it stopped after each layer.
import { load } from 'glassformer';
const gf = await load({ variant: 'simd' });
const { model, tokenizer } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const text = 'the rabbit did not eat the carrot because it was hungry .';
const trace = await model.trace(text);
const answers = [];
for (let layer = 0; layer < model.config.layers; layer++) {
  const { data, shape } = await trace.lens(layer);
  const row = data.subarray(8 * shape[2], 9 * shape[2]); // of "it"
  answers.push(tokenizer.token(row.indexOf(Math.max(...row))));
}
answers; // → ['it', 'it', 'rabbit']
