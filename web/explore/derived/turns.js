// Computes the angles by which rotary positions turn queries and keys.

import { headSize } from '../../engine/plan.js';

/**
 * '@turns': the angle by which each pair of dimensions turns from a position to the next, in radians.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function turns({ gf, model }) {
  const { config } = model;
  const { cos, sin } = gf.rotaryTable({
    headWidth: Number(config.ropeWidth) || headSize(config), // of a head that turns in part, its first numbers
    theta: config.ropeTheta,
    scaling: config.ropeScaling,
    factor: config.ropeFactor,
    lowFrequency: config.ropeLowFrequency,
    highFrequency: config.ropeHighFrequency,
    originalLength: config.ropeOriginalLength,
    start: 1,
    length: 1,
  });
  return { turns: Float64Array.from(sin.data, (sine, pair) => Math.atan2(sine, cos.data[pair])) };
}
