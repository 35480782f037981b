// A share between 0 and 1 as people read it.

/**
 * Per cent with two significant digits: "91 %", "5.3 %", "0.72 %". Only nothing is 0 %, and only the whole 100 %.
 * @param {number} share
 */
export const formatShare = (share) => `${percentOf(100 * share)}\u00a0%`;

/** @param {number} percent */
function percentOf(percent) {
  if (percent > 0 && percent < 0.01) return '<0.01';
  if (percent >= 99.5 && percent < 100) return '>99';
  return percent < 10 ? String(Number(percent.toPrecision(2))) : percent.toFixed(0);
}
