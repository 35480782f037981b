/** @typedef {'simd' | 'relaxed'} Variant */

/** f(x, y): the first lane of f32x4.relaxed_madd(x, x, y), opcode 0x105. */
const MADD = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  7,
  1,
  96,
  2,
  125,
  125,
  1,
  125,
  3,
  2,
  1,
  0,
  7,
  5,
  1,
  1,
  102,
  0,
  0,
  10,
  22,
  1,
  20,
  0,
  32,
  0,
  253,
  19,
  32,
  0,
  253,
  19,
  32,
  1,
  253,
  19,
  253,
  133,
  2,
  253,
  31,
  0,
  11,
);

/**
 * What the multiply-add of relaxed SIMD is in this WebAssembly engine. Not fused, it is a product
 * and a sum, each rounded, and gains nothing.
 * @returns {'missing' | 'not fused' | 'fused'}
 */
export function maddHere() {
  if (!WebAssembly.validate(MADD)) return 'missing';
  const { f } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(MADD)).exports);
  const x = 1 + 2 ** -13; // its square needs 27 bits: what rounding takes away shows if it is done once
  return f(x, -Math.fround(x * x)) === 0 ? 'not fused' : 'fused';
}

/**
 * @param {{requested: Variant | 'auto', madd: ReturnType<typeof maddHere>, given: boolean}} situation
 *   given: whether the caller brings the module
 * @returns {{variant: Variant, reason: string}} reason: one sentence for people
 */
export function choose({ requested, madd, given }) {
  if (requested !== 'auto') return { variant: requested, reason: `The caller asked for ${requested}.` };
  if (given) return { variant: 'simd', reason: 'The caller gave a module without naming its variant.' };
  return {
    variant: madd === 'fused' ? 'relaxed' : 'simd',
    reason: `The multiply-add of relaxed SIMD is ${madd} in this engine.`,
  };
}

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
