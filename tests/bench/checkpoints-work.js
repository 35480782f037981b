// Opens a file of a model and uses it, in a process of its own: seconds, and the memory that it took.
import { pathToFileURL } from 'node:url';
import { load } from '../../dist/js/node.js';
import { median } from './harness.js';

const TOKENS = 32;

/**
 * @param {{variant: 'simd' | 'relaxed', folder: string, format: string, tokens: number}} options
 */
export default async function open({ variant, folder, format, tokens }) {
  const gf = await load({ variant });
  const at = pathToFileURL(`${folder}/`).href;
  const before = process.memoryUsage.rss();
  let peak = before;
  const onProgress = () => (peak = Math.max(peak, process.memoryUsage.rss()));
  let start = performance.now();
  const lap = () => {
    const [from, now] = [start, performance.now()];
    start = now;
    return now - from;
  };
  const file = new URL('model.safetensors', at);
  const source = format === 'glassformer' ? file : { config: new URL('config.json', at), weights: file };
  const { model } = await gf.loadModel(source, { onProgress });
  onProgress();
  const opened = lap();
  const ids = Array.from({ length: TOKENS }, (_, i) => (i * 997) % model.config.vocabulary);
  model.forward({ ids, capture: true });
  const maps = model
    .tensors()
    .filter(({ node, role }) => node === 'attention' && role === 'weights')
    .reduce((count, { name }) => count + model.tensor(name).shape[1], 0);
  const first = lap();
  /** @type {number[]} */
  const times = [];
  model.generate({ ids, maxTokens: tokens + 1, onToken: () => void times.push(lap()) });
  const weights = 4 * model.parameterCount;
  return { weights, peak: peak - before, module: gf.memoryBytes, opened, maps, first, token: median(times.slice(1)) };
}
