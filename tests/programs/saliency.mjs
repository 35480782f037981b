// Which words the answer "rabbit" for "it" hangs on: the length of its gradient at each word's embedding.
import { load } from 'glassformer';
const gf = await load({ variant: 'simd' });
const { model, tokenizer } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const words = 'the rabbit did not eat the carrot because it was hungry .'.split(' ');
const logit = { at: words.indexOf('it'), id: tokenizer.id('rabbit') };
const { gradients } = await model.gradients(words.join(' '), { logit, of: [{ node: 'embedding' }] });
const [{ data, shape }] = gradients.values();
const lengths = words.map((_, i) => Math.hypot(...data.subarray(i * shape[2], (i + 1) * shape[2])));
words[lengths.indexOf(Math.max(...lengths))]; // → 'rabbit'
lengths.slice(0, 3); // → [0.27, 1.40, 0.32]
