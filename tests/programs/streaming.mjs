// A story from a worker, word by word, until it is enough; and one that a signal ends.
import { load } from 'glassformer';

const gf = await load({ worker: true });
const { model } = await gf.loadModel(import.meta.resolve('glassformer/models/continue'));
let story = '';
for await (const { text } of model.generate('One day a hungry fox', { stop: ['the end'] })) story += text;
story.endsWith('the end'); // → true
const stop = new AbortController();
const { signal } = stop;
const heard = [];
const read = async () => {
  for await (const { text } of model.generate('One day', { signal })) if (heard.push(text) === 3) stop.abort();
};
await read().catch(({ name }) => [name, heard.length]); // → ['AbortError', 3]
gf.terminate();
