import { embedded, unpack } from '../engine/embedded.js';
import { files } from './all-files.js';
import { imported } from './files.js';
import { GlassformerError } from '../errors.js';
import { checkPlatform, compiled, isModule, readLoad, start } from '../engine/start.js';
import { choose, maddHere } from '../engine/variant.js';

/** @typedef {import('../engine/start.js').Variant} Variant */

/**
 * `load` of an entry that has modules of its own.
 * @param {any} options
 * @param {(variant: Variant) => Uint8Array | undefined} [beside] the module where there is a file of it
 * @returns {Promise<any>}
 */
export async function loadBuiltIn(options, beside) {
  if (Object(options).worker) return (await import('../worker/remote.js')).loadRemote(options);
  const { wasm, ...wanted } = readLoad(options);
  if (wasm !== undefined) {
    const module = isModule(wasm) ? wasm : (await imported(import('../engine/given.js'))).toModule(wasm);
    return start(await module, { ...wanted, files });
  }
  checkPlatform();
  const { variant, reason } = choose(wanted.variant, maddHere());
  return start(await compiled(beside?.(variant) ?? (await unpacked(variant))), { ...wanted, files }, reason);
}

/**
 * @param {Variant} variant
 * @returns {Promise<Uint8Array>}
 */
async function unpacked(variant) {
  try {
    return await unpack(await embedded(variant));
  } catch (error) {
    throw new GlassformerError(
      'unsupported',
      'wasm',
      undefined,
      `could not be imported; in service workers and edge runtimes, give it to load of 'glassformer/core' (${error})`,
      error,
    );
  }
}
