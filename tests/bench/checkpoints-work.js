// Opens a file of a model and uses it, in its own process: seconds, and the memory that it took.
import { pathToFileURL } from 'node:url';
import { load } from '../../dist/js/node.js';
import { use } from './checkpoints-use.js';

/**
 * @param {{variant: 'simd' | 'relaxed', folder: string, format: string, tokens: number}} options
 */
export default async function open({ variant, folder, format, tokens }) {
  const gf = await load({ variant });
  const at = pathToFileURL(`${folder}/`).href;
  const before = process.memoryUsage.rss();
  let peak = before;
  const onProgress = () => (peak = Math.max(peak, process.memoryUsage.rss()));
  const start = performance.now();
  const file = new URL('model.safetensors', at);
  const source = format === 'glassformer' ? file : { config: new URL('config.json', at), weights: file };
  const { model } = await gf.loadModel(source, { onProgress });
  onProgress();
  const opened = performance.now() - start;
  const used = use(model, tokens);
  return { weights: 4 * model.parameterCount, peak: peak - before, module: gf.memoryBytes, opened, ...used };
}
