// Sets the speed at which a run is shown.

import { readText, writeText } from '../kit/kept.js';

/** So fast that a task takes some seconds to be seen. */
const WATCH = -1;
/** As many steps as there can be. */
const FAST = 0;

/** @type {[number, string][]} steps a second */
export const SPEEDS = [
  [WATCH, 'to watch'],
  [FAST, 'as fast as it goes'],
  [200, '200 steps/s'],
  [50, '50 steps/s'],
  [10, '10 steps/s'],
  [2, '2 steps/s'],
];
const SECONDS = 7; // that a run takes to be watched
const NAME = 'glassformer-train-speed';

/** Steps a second; 0: as many as there can be. @param {number} speed @param {number} steps of the run */
export const perSecondOf = (speed, steps) => (speed === WATCH ? Math.max(2, Math.round(steps / SECONDS)) : speed);

/** The speed that the reader chose last. */
export function readSpeed() {
  const kept = Number(readText(NAME) ?? WATCH);
  return SPEEDS.some(([speed]) => speed === kept) ? kept : WATCH;
}

/** @param {number} speed */
export const keepSpeed = (speed) => writeText(NAME, String(speed));
