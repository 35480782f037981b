// Measures the engine's peak: chains of multiplications and additions that never leave the registers.

const CHAINS = 12; // each waits for itself: multiplication 4 cycles and addition 2 to 4, on up to 3 vector units
const ROUNDS = 8; // of all chains in one turn of the loop, so that its own instructions vanish
const LANES = 4;

/** LEB128 of a small number. @param {number} n */
export const number = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
export const section = (id, bytes) => [id, ...number(bytes.length), ...bytes];
const get = (local) => [0x20, local],
  set = (local) => [0x21, local];
export const simd = (code, ...more) => [0xfd, ...number(code), ...more];

/**
 * A module with one function f(turns): f32. Locals: 0 turns, 1 and 2 the factors, then the chains.
 * @param {boolean} fused
 */
function assemble(fused) {
  const splat = (value, local) => [
    0x43,
    ...new Uint8Array(new Float32Array([value]).buffer),
    ...simd(0x13),
    ...set(local),
  ];
  const chains = Array.from({ length: CHAINS }, (_, i) => 3 + i);
  // acc = a b + acc cannot leave the loop where fused; unfused a b could, so there it is acc = acc a + b.
  const step = (acc) =>
    fused
      ? [...get(1), ...get(2), ...get(acc), ...simd(0x105), ...set(acc)]
      : [...get(acc), ...get(1), ...simd(0xe6), ...get(2), ...simd(0xe4), ...set(acc)];
  const turn = Array.from({ length: ROUNDS }, () => chains.flatMap(step)).flat();
  const code = [
    ...splat(0.9999, 1),
    ...splat(0.0001, 2),
    ...chains.flatMap((acc, i) => splat(1 + i, acc)),
    0x03,
    0x40,
    ...turn,
    ...get(0),
    0x41,
    1,
    0x6b,
    0x22,
    0,
    0x0d,
    0,
    0x0b, // loop: turns -= 1, again while not 0
    ...get(3),
    ...chains.slice(1).flatMap((acc) => [...get(acc), ...simd(0xe4)]),
    ...simd(0x1f, 0),
    0x0b,
  ];
  const body = [1, CHAINS + 2, 0x7b, ...code];
  return Uint8Array.from([
    0,
    97,
    115,
    109,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7d]),
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 102, 0, 0]),
    ...section(10, [1, ...number(body.length), ...body]),
  ]);
}

const TURNS = 20000;

/** Floating-point operations of one call of a loop. */
export const FLOPS = TURNS * CHAINS * ROUNDS * LANES * 2;

/**
 * The loops, to be timed beside the workloads.
 * @returns {Promise<Record<string, () => number>>} simd: multiply and add; relaxed: fused, where the engine has it
 */
export async function loops() {
  const found = {};
  for (const [name, fused] of /** @type {const} */ ([
    ['simd', false],
    ['relaxed', true],
  ])) {
    const bytes = assemble(fused);
    if (!WebAssembly.validate(bytes)) continue;
    const { instance } = await WebAssembly.instantiate(bytes);
    const run = /** @type {(turns: number) => number} */ (instance.exports.f);
    found[name] = () => run(TURNS);
  }
  return found;
}
