// The module that a caller gives. Fetched where it is not compiled yet.
import { settle, toBytes } from '../formats/source.js';
import { checkEngine, checkPlatform, compiled, isModule } from './start.js';

/**
 * @param {unknown} given a WasmSource or a promise of one
 * @returns {Promise<WebAssembly.Module>}
 */
export async function toModule(given) {
  checkEngine();
  const source = await settle(given, 'wasm');
  if (isModule(source)) return source;
  checkPlatform();
  return compiled(await toBytes(source, 'wasm', 'a URL, Response, BufferSource or WebAssembly.Module'));
}
