// Opens a checkpoint in a page: from the files that its input has, or from addresses.

/** @typedef {import('glassformer').Engine} Engine */

/** @type {Engine | undefined} */
let engine;

/** The engine of this page. @param {'simd' | 'relaxed'} variant */
async function engineOf(variant) {
  const { load } = await import('/dist/js/index.js');
  return (engine ??= await load({ variant }));
}

/** @type {import('glassformer').Model | undefined} the model that stands open */
export let model;

/**
 * @param {{variant: 'simd' | 'relaxed', way: 'file' | 'address', folder: string, format: string}} options
 * @returns {Promise<{seconds: number, weights: number, module: number, first: number}>} first: a number that it
 *   computes
 */
export default async function open({ variant, way, folder, format }) {
  const gf = await engineOf(variant);
  model?.free();
  const input = /** @type {HTMLInputElement} */ (document.querySelector('input'));
  const files = Object.fromEntries([...(input.files ?? [])].map((file) => [file.name, file]));
  const source = (/** @type {string} */ name) => (way === 'file' ? files[name] : new URL(`${folder}${name}`, origin));
  const weights = source('model.safetensors');
  const start = performance.now();
  const opened = await gf.loadModel(format === 'glassformer' ? weights : { config: source('config.json'), weights });
  const seconds = (performance.now() - start) / 1e3;
  ({ model } = opened);
  const { logits } = model.forward({ ids: [1, 2, 3] });
  return { seconds, weights: 4 * model.parameterCount, module: gf.memoryBytes, first: logits.data[7] };
}
