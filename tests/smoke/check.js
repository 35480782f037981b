// The program's expected results: attention by its formula in double precision, the rest as plain Node computes it.
import assert from 'node:assert/strict';

const HEADS = 2;

/** softmax(Q Kᵀ / √d) V of the program's x, causal, each head alone. */
function attention() {
  const x = Array.from({ length: 24 }, (_, i) => Math.fround(Math.sin(i)));
  const [rows, width] = [3, 8];
  const size = width / HEADS;
  const output = Array(24).fill(0);
  const weights = Array(HEADS * rows * rows).fill(0);
  for (let head = 0; head < HEADS; head++) {
    for (let row = 0; row < rows; row++) {
      const at = (/** @type {number} */ r, /** @type {number} */ i) => x[r * width + head * size + i];
      const powers = Array.from({ length: row + 1 }, (_, key) => {
        let score = 0;
        for (let i = 0; i < size; i++) score += at(row, i) * at(key, i);
        return Math.exp(score / Math.sqrt(size));
      });
      const sum = powers.reduce((a, b) => a + b);
      powers.forEach((power, key) => {
        weights[(head * rows + row) * rows + key] = power / sum;
        for (let i = 0; i < size; i++) output[row * width + head * size + i] += (power / sum) * at(key, i);
      });
    }
  }
  return { output, weights };
}

/** @param {string} name @param {number[]} actual @param {number[]} right @param {number} tolerance */
function near(name, actual, right, tolerance) {
  assert.equal(actual.length, right.length, `${name}: ${actual.length} numbers in place of ${right.length}`);
  right.forEach((value, i) =>
    assert(Math.abs(actual[i] - value) <= tolerance, `${name}[${i}] is ${actual[i]}, not ${value}`),
  );
}

/**
 * @typedef {object} Answer of fixtures/program.js
 * @property {string} variant
 * @property {string[]} shapes
 * @property {number[]} output
 * @property {number[]} weights
 * @property {number[]} inner
 * @property {number[]} losses
 * @property {Entries} [entries] of plain Node
 */

/**
 * @typedef {object} Entries of fixtures/entries.js
 * @property {string} variant
 * @property {string[]} names
 * @property {number} workers
 * @property {Record<string, number[]>} numbers
 */

/**
 * Refuses a wrong answer. The simd variant gives the same bits everywhere, the relaxed one rounds some sums once.
 * @param {Answer | Entries} given
 * @param {Answer} right what plain Node gives with the simd variant
 */
export function check(given, right) {
  assert.match(String(given?.variant), /^(simd|relaxed)$/, `no answer of the program: ${JSON.stringify(given)}`);
  if ('numbers' in given) {
    const { names, workers, numbers } = /** @type {Entries} */ (right.entries);
    assert.deepEqual([given.names, given.workers], [names, workers]);
    for (const [name, values] of Object.entries(numbers))
      near(name, given.numbers[name], values, given.variant === 'simd' ? 0 : 1e-4);
    return;
  }
  assert.deepEqual(given.shapes, ['3 8', '2 3 3', '1 4 3 3']);
  for (const [name, values] of Object.entries(attention())) near(name, given[name], values, 1e-6);
  for (const name of ['inner', 'losses']) near(name, given[name], right[name], given.variant === 'simd' ? 0 : 1e-4);
}
