// Sinusoidal positions: each dimension holds the sine or cosine of an angle at a position.

import { equation } from '../../draw/equation.js';

const DECIMALS = 4; // as the map’s numbers have

/** The angle is the position ÷ `slow`. @param {number} dimension @param {number} width */
export const waveOf = (dimension, width) => ({
  name: dimension % 2 ? /** @type {const} */ ('cos') : /** @type {const} */ ('sin'),
  slow: 10000 ** ((dimension - (dimension % 2)) / width),
});

/**
 * The angle at a position and what it gives.
 * @param {number} position @param {number} dimension @param {number} width @param {number} value
 */
export function printedWave(position, dimension, width, value) {
  const { name, slow } = waveOf(dimension, width);
  const angle = position / slow;
  const steps = [
    { value: angle, from: () => angle },
    { value, from: (/** @type {number[]} */ [turned]) => Math[name](turned) },
  ];
  const { results } = equation([], steps, DECIMALS);
  return { angle: results[0], value: results[1] };
}
