import { files } from './files/all-files.js';
import { GlassformerError } from './errors.js';
import { checkPlace, readLoad, start, toModule } from './engine/start.js';
import { choose, maddHere } from './engine/variant.js';

/** @typedef {import('./engine/start.js').Variant} Variant */

/**
 * `load` of an entry that has modules of its own.
 * @param {{variant?: Variant | 'auto', wasm?: unknown, maxOperations?: number}} options
 * @param {(variant: Variant) => Uint8Array | undefined} [beside] the module where there is a file of it
 */
export async function loadBuiltIn(options, beside) {
  const { wasm, ...wanted } = readLoad(options);
  if (wasm !== undefined) return start(await toModule(wasm), { ...wanted, files });
  checkPlace();
  const { variant, reason } = choose(wanted.variant, maddHere());
  return start(await toModule(beside?.(variant) ?? (await carried(variant))), { ...wanted, files }, reason);
}

/**
 * The module that the package carries: gzip in base64, which every bundler takes as it is.
 * @param {Variant} variant
 * @returns {Promise<BufferSource>}
 */
async function carried(variant) {
  try {
    // Two literal imports, because bundlers follow no computed one. The files exist in dist/ only.
    const packed = variant === 'simd' ? await import('../simd.wasm.js') : await import('../relaxed.wasm.js');
    return await unpack(packed.default);
  } catch (error) {
    throw new GlassformerError(
      'unsupported',
      'wasm',
      undefined,
      "the package's own module could not be imported; where that is not allowed, as in service workers and some " +
        `edge runtimes, take load from 'glassformer/core' and give it wasm (${error})`,
      error,
    );
  }
}

/**
 * @param {string} base64 of a module, zipped
 * @returns {Promise<BufferSource>}
 */
export async function unpack(base64) {
  // Node has both steps at hand, where the machinery of its streams takes 40 ms to start. A call, so
  // that no bundler looks for these modules.
  const { process } = /** @type {any} */ (globalThis);
  const zlib = process?.getBuiltinModule?.('node:zlib');
  if (zlib) return zlib.gunzipSync(process.getBuiltinModule('node:buffer').Buffer.from(base64, 'base64'));
  const zipped =
    /** @type {any} */ (Uint8Array).fromBase64?.(base64) ??
    Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const { body } = new Response(zipped);
  return new Response(body?.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
