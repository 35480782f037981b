import { load } from 'glassformer';
const pool = [];
for (let i = 0; i < 2; i++) {
  const gf = await load({ worker: true });
  pool.push({ gf, calls: 0, ...(await gf.loadModel(import.meta.resolve('glassformer/models/continue'))) });
}
async function answer(text, signal) {
  const [least] = pool.sort((a, b) => a.calls - b.calls);
  least.calls++;
  return Promise.resolve(least.model.generate(text, { maxTokens: 3, signal })).finally(() => least.calls--);
}
(await Promise.all(['One day', 'a fox', 'a girl'].map((text) => answer(text)))).length; // → 3
await answer('One day', AbortSignal.abort()).catch(({ name }) => name); // → 'AbortError'
for (const { gf } of pool) gf.terminate();
