// Shows the model's answer for "it" if it stopped after each layer.
import { load } from 'glassformer';
const gf = await load({ variant: 'simd' });
const { model, tokenizer } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const text = 'the rabbit did not eat the carrot because it was hungry .';
const trace = await model.trace(text);
const answers = [];
for (let layer = 0; layer < model.config.layers; layer++) {
  const [words] = tokenizer.decode(await gf.argmax(await trace.lens(layer)));
  answers.push(words.split(' ')[8]); // of "it"
}
answers; // → ['it', 'it', 'rabbit']
