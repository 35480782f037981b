// Where a verdict turns.

/** @typedef {import('../../src/claims/index.js').Verdict} Verdict */
/** @typedef {import('../../src/claims/index.js').Value} Value */

/**
 * Neighbouring values between which the verdict changes.
 * @param {readonly Value[]} values
 * @param {readonly Verdict[]} verdicts
 * @returns {[before: Value, after: Value][]}
 */
export const turnsIn = (values, verdicts) =>
  values.flatMap((value, i) =>
    i > 0 && verdicts[i] !== verdicts[i - 1] ? [/** @type {[Value, Value]} */ ([values[i - 1], value])] : [],
  );
