/**
 * The module inside the package: gzip in base64, which every bundler takes as it is.
 * @param {'simd' | 'relaxed'} variant
 * @returns {Promise<string>}
 */
export async function embedded(variant) {
  // Two literal imports, because bundlers follow no computed one. The files exist in dist/ only.
  const packed = variant === 'simd' ? await import('../simd.wasm.js') : await import('../relaxed.wasm.js');
  return packed.default;
}

/**
 * @param {string} base64 of a module, zipped
 * @returns {Promise<Uint8Array>}
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
  return new Uint8Array(await new Response(body?.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}
