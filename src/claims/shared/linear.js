// Linear algebra that an experiment needs to find its inputs, in double precision.

/**
 * Solves A x = b for each column of B by Gaussian elimination with pivots.
 * @param {readonly (readonly number[])[]} a [n,n]
 * @param {readonly (readonly number[])[]} b [n,m]
 * @returns {number[][]} [n,m]
 */
export function solve(a, b) {
  const n = a.length;
  const rows = a.map((row, i) => [...row, ...b[i]]);
  for (let c = 0; c < n; c++) {
    exchange(rows, c, pivotOf(rows, c, c));
    for (let r = 0; r < n; r++) if (r !== c) eliminate(rows, r, c, c);
  }
  return rows.map((row, i) => row.slice(n).map((value) => value / row[i]));
}

/**
 * The linear map that takes rows x to rows y with the least squared error, by the normal equations.
 * @param {readonly (readonly number[])[]} x
 * @param {readonly (readonly number[])[]} y
 * @param {number} [ridge] added to the diagonal, where columns of x are nearly dependent
 * @returns {number[][]} y = x W
 */
export function leastSquares(x, y, ridge = 0) {
  const cross = (/** @type {typeof x} */ other) =>
    x[0].map((_, i) => other[0].map((_, j) => x.reduce((sum, row, r) => sum + row[i] * other[r][j], 0)));
  const square = cross(x);
  square.forEach((row, i) => (row[i] += ridge));
  return solve(square, cross(y));
}

/**
 * The part of a vector that is orthogonal to the rows of a matrix.
 * @param {readonly number[]} vector
 * @param {readonly (readonly number[])[]} rows independent
 */
export function project(vector, rows) {
  const dot = (/** @type {readonly number[]} */ a, /** @type {readonly number[]} */ b) =>
    a.reduce((sum, value, i) => sum + value * b[i], 0);
  const factors = solve(
    rows.map((row) => rows.map((other) => dot(row, other))),
    rows.map((row) => [dot(row, vector)]),
  );
  return vector.map((value, i) => value - factors.reduce((sum, [factor], r) => sum + factor * rows[r][i], 0));
}

/** @param {number[][]} rows @param {number} from @param {number} column */
function pivotOf(rows, from, column) {
  let best = from;
  for (let r = from; r < rows.length; r++) if (Math.abs(rows[r][column]) > Math.abs(rows[best][column])) best = r;
  return best;
}

/** @param {number[][]} rows @param {number} a @param {number} b */
function exchange(rows, a, b) {
  [rows[a], rows[b]] = [rows[b], rows[a]];
}

/** @param {number[][]} rows @param {number} target @param {number} pivot @param {number} column */
function eliminate(rows, target, pivot, column) {
  const factor = rows[target][column] / rows[pivot][column];
  rows[target] = rows[target].map((value, i) => value - factor * rows[pivot][i]);
}
