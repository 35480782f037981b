// The classic script glassformer.global.js, for <script src>, also from file:. The module `simd` is in it; `relaxed`
// stands beside it on a server, and where it cannot be fetched `simd` steps in.
import { loadBuiltIn } from './load.js';

export * from './api.js';

/** As that of index.js. @param {any} [options] @returns {Promise<any>} */
export async function load(options = {}) {
  const { variant = 'auto', wasm } = Object(options);
  const simd = () => loadBuiltIn({ ...options, variant: 'simd' });
  const open = variant === 'auto' && wasm === undefined;
  if (open && globalThis.location?.protocol === 'file:') return simd();
  return loadBuiltIn(options).catch((error) => {
    if (open && Object(error).parameter === 'wasm') return simd();
    throw error;
  });
}
