// Where a claim begins to hold: one of its numbers over two quantities, cell by cell. What Node and the page share.

/**
 * @typedef {import('./claim.js').Claim} Claim
 * @typedef {import('./claim.js').Boundary} Boundary
 * @typedef {{x: number, y: number, params: import('./claim.js').Params}} Cell indices of its values, and the switches
 * of the run that measures it; the others stay as the sentence has them
 */

/**
 * The cells of a claim's map, row by row.
 * @param {Pick<Claim, 'inputs' | 'seeded'> & {boundary: Boundary}} claim
 * @returns {Cell[]}
 */
export function cellsOf({ inputs, seeded, boundary: { x, y, seeds } }) {
  const isSwitch = (/** @type {string} */ name) => inputs.some((input) => input.name === name);
  return y.values.flatMap((row, i) =>
    x.values.map((column, j) => ({
      x: j,
      y: i,
      params: {
        ...(isSwitch(x.name) && { [x.name]: column }),
        ...(isSwitch(y.name) && { [y.name]: row }),
        ...(seeded && { seeds }),
      },
    })),
  );
}

/**
 * The number of a cell: of a list over seeds their mean.
 * @param {Pick<Boundary, 'x' | 'measure'>} boundary
 * @param {{x: number}} cell
 * @param {import('./claim.js').Numbers} numbers of the run with its switches
 * @throws {RangeError} for numbers that do not have it
 */
export function numberOf({ x, measure: { name, isNamedByX } }, cell, numbers) {
  const own = isNamedByX ? `${name}${x.values[cell.x]}` : name;
  const values = /** @type {number[]} */ ([numbers[own] ?? []].flat());
  if (values.length === 0) throw new RangeError(`The run has no number “${own}”.`);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The number of a cell and, where the map has a twin, that of the control in the same run.
 * @param {Boundary} boundary
 * @param {{x: number}} cell
 * @param {import('./claim.js').Numbers} numbers
 * @returns {number[]}
 */
export const numbersOf = ({ x, measure, twin }, cell, numbers) =>
  [measure, ...(twin ? [twin] : [])].map((one) => numberOf({ x, measure: one }, cell, numbers));
