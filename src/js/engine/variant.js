import { GlassformerError } from '../errors.js';

/** @typedef {import('./start.js').Variant} Variant */

/** f(x, y): the first lane of f32x4.relaxed_madd(x, x, y), opcode 0x105. */
const MADD = /* @__PURE__ */ new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 125, 125, 1, 125, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 22, 1, 20, 0,
  32, 0, 253, 19, 32, 0, 253, 19, 32, 1, 253, 19, 253, 133, 2, 253, 31, 0, 11,
]);

/**
 * The kind of multiply-add that relaxed SIMD has in this WebAssembly engine. Not fused, it is a product
 * and a sum, each rounded, and gains nothing.
 * @returns {'missing' | 'not fused' | 'fused'}
 */
export function maddHere() {
  try {
    const { f } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(MADD)).exports);
    const x = 1 + 2 ** -13; // its square needs 27 bits: what rounding takes away shows if it is done once
    return f(x, -Math.fround(x * x)) === 0 ? 'not fused' : 'fused';
  } catch {
    return 'missing';
  }
}

/**
 * Which of the package's own modules to run.
 * @param {Variant | 'auto'} requested
 * @param {ReturnType<typeof maddHere>} madd
 * @returns {{variant: Variant, reason: string}} reason: one sentence for people
 * @throws {GlassformerError} unsupported
 */
export function choose(requested, madd) {
  if (requested === 'relaxed' && madd === 'missing') {
    throw new GlassformerError(
      'unsupported',
      'variant',
      requested,
      'this engine has no relaxed SIMD; simd and auto work',
    );
  }
  if (requested !== 'auto') return { variant: requested, reason: '' };
  return {
    variant: madd === 'fused' ? 'relaxed' : 'simd',
    reason: `The multiply-add of relaxed SIMD is ${madd} in this engine.`,
  };
}
