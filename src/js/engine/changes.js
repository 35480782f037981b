/** @typedef {[address: number, value: number]} Place */

/**
 * Writes struct gf_changes (src/wasm/api.h) of a pass.
 * @param {import('../arrays/memory.js').Scratch} scratch
 * @param {Place[]} writes that get other numbers
 * @param {[place: number, gradient: Float32Array][]} [cotangents]
 * @param {number} [temperature]
 * @returns {number} its address; 0: nothing changes
 */
export function writeChanges(scratch, writes, cotangents = [], temperature = 1) {
  if (!writes.length && !cotangents.length && temperature === 1) return 0;
  const words = new Int32Array(2 * writes.length);
  const numbers = new Float32Array(words.buffer);
  writes.forEach(([address, value], i) => {
    words[2 * i] = address;
    numbers[2 * i + 1] = value;
  });
  const rows = cotangents.flatMap(([place, gradient]) => [place, scratch.put(gradient), gradient.length]);
  const at = [scratch.put(words), scratch.put(Int32Array.from(rows))];
  const given = Int32Array.from([at[0], writes.length, at[1], cotangents.length, 0]);
  new Float32Array(given.buffer)[4] = temperature;
  return scratch.put(given);
}
