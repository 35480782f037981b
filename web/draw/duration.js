// Durations as people read them.

const LONG = 90; // seconds: from here on minutes

/** @param {number} seconds */
const minutes = (seconds) => `${Math.round(seconds / 60).toLocaleString('en')} minutes`;

/** Estimates a duration, to one digit: "about 4 s". @param {number} seconds */
export const aboutText = (seconds) =>
  `about ${seconds < LONG ? `${Math.max(1, Number(seconds.toPrecision(1)))} s` : minutes(seconds)}`;

/** Formats a measured duration: "12 ms", "3.4 s". @param {number} seconds */
export function durationText(seconds) {
  if (seconds < 5e-4) return 'less than 1 ms';
  if (seconds < 0.9995) return `${Math.round(1000 * seconds)} ms`;
  return seconds < LONG ? `${seconds.toFixed(1)} s` : minutes(seconds);
}
