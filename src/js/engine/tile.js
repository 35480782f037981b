/** The V8 from which on six unrolled rows of a product at a time are faster than four. */
const SIX_ROWS_FROM = 13;

/**
 * The register tile of products (gf_tile in src/wasm/api.h) that suits the JavaScript engine, by what it says of
 * itself: timing it at the start would measure how it warms up. Measurements: src/kernel/tile.c.
 * @param {{process?: any, navigator?: any}} world globalThis
 * @returns {0 | 4 | 6}
 */
export function tileFor({ process, navigator }) {
  const { v8, bun } = process?.versions ?? {};
  // Bun names a V8 for Node's sake, but is JavaScriptCore. Chromium 130 has V8 13.0.
  const agent = bun ? 'AppleWebKit' : (navigator?.userAgent ?? '');
  const version = bun ? 0 : parseInt(v8) || Number(/Chrome\/(\d+)/.exec(agent)?.[1]) / 10;
  if (version) return version < SIX_ROWS_FROM ? 4 : 0;
  return /Firefox/.test(agent) ? 0 : /AppleWebKit/.test(agent) ? 6 : 4;
}
