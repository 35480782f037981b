/** The V8 from which on six rows of a product at a time are faster than four. Products of 512^3,
 * GFLOP/s by four | six: V8 13.6 (Node 24) 38 | 46, Chromium 156 38 | 44; but V8 12.4 (Node 22)
 * 38 | 21, which moves all loads to the front and spills. */
const SIX_ROWS_FROM = 13;

/**
 * Rows of the register tile of products (gf_tile in src/wasm/api.h) that suit the JavaScript engine,
 * by what it says of itself: timing it at the start would measure how it warms up.
 * @param {{process?: any, navigator?: any}} world globalThis
 * @returns {number}
 */
export function tileFor({ process, navigator }) {
  const { v8, bun } = process?.versions ?? {};
  const chromium = /Chrome\/(\d+)/.exec(navigator?.userAgent)?.[1];
  // Bun names a V8 for Node's sake, but is JavaScriptCore. Chromium 130 has V8 13.0.
  const version = v8 && !bun ? parseInt(v8) : Number(chromium) / 10;
  return version >= SIX_ROWS_FROM ? 6 : 4;
}
