// Describes the picture of a claim as plain data from the numbers of a run; the page draws it.

/**
 * @typedef {import('./claim.js').Numbers} Numbers
 * @typedef {import('./claim.js').Params} Params
 *
 * `labels`: of the places 0, 1, 2 …, where they are no numbers; `beyond`: what infinity stands for.
 * @typedef {{
 *   title: string, log?: boolean, low?: number, high?: number, ticks?: number[], percent?: boolean,
 *   labels?: string[], beyond?: string,
 * }} Axis
 *
 * A line or a set of points that has an entry in the legend. `target`: what the others are measured by.
 * @typedef {{name: string, target?: boolean}} Series
 * @typedef {[x: number, y: number]} Point
 *
 * `series`: which; `label`: what tells it from others of the series; `dots`: false for a mere line, or the indices of
 * the points that have one; `joined`: whether the points are.
 * @typedef {{series: number, label: string, points: Point[], dots?: boolean | number[], joined?: boolean}} Line
 * @typedef {{name: string, at: number, vertical?: boolean}} Level
 *
 * @typedef {{
 *   kind: 'curves', title: string, note?: string, x: Axis, y: Axis, series: Series[], lines: Line[], levels?: Level[],
 * }} Curves
 *
 * Numbers side by side under their names, on one axis. `bars`: from 0 on. `wide`: with a line of the page for itself.
 * @typedef {{series: number, label: string, value: number}} Mark
 * @typedef {{
 *   kind: 'rows', title: string, note?: string, x: Axis, series?: Series[], rows: {label: string, marks: Mark[]}[],
 *   levels?: Level[], bars?: boolean, wide?: boolean,
 * }} Rows
 *
 * Matrices of one shape on one scale: `share` from 0 to 1, or `signed`.
 * @typedef {{
 *   kind: 'maps', title: string, note?: string, scale: 'share' | 'signed', columns: number,
 *   rowAxis: Pick<Axis, 'title' | 'labels'>, columnAxis: Pick<Axis, 'title' | 'labels'>,
 *   maps: {title: string, values: readonly number[]}[],
 * }} Maps
 *
 * @typedef {Curves | Rows | Maps} Panel
 * @typedef {Panel[]} Picture
 *
 * @callback PictureOf
 * @param {any} numbers that a run gave
 * @param {Params} params of the run
 * @returns {Picture}
 */

/** The seeds of a run. @param {Params} params */
export const seedsOf = ({ seed = 0, seeds = 5 }) =>
  Array.from({ length: Number(seeds) }, (_, i) => `seed ${Number(seed) + i}`);

/**
 * A line for each seed.
 * @param {Params} params
 * @param {number} series
 * @param {readonly number[][]} lists of y by seed
 * @param {(i: number) => number} x of the i-th
 * @param {Partial<Line>} [more]
 * @returns {Line[]}
 */
export function bySeed(params, series, lists, x, more) {
  const names = seedsOf(params);
  return lists.map((list, s) => ({
    series,
    label: names[s] ?? '',
    points: list.map((y, i) => /** @type {Point} */ ([x(i), y])),
    joined: true,
    dots: true,
    ...more,
  }));
}

/**
 * Marks for each seed, or the only one.
 * @param {Params} params
 * @param {number | readonly number[]} values
 * @param {number} [series]
 * @returns {Mark[]}
 */
export const marks = (params, values, series = 0) =>
  typeof values === 'number'
    ? [{ series, label: '', value: values }]
    : values.map((value, s) => ({ series, label: seedsOf(params)[s], value }));

/**
 * A list with an entry for each of the numbers that there are.
 * @template T
 * @param {unknown} number
 * @param {() => T[]} make
 * @returns {T[]}
 */
export const given = (number, make) => (number === undefined ? [] : make());

/** 0 to count − 1. @param {number} count */
export const range = (count) => Array.from({ length: count }, (_, i) => i);

export const STEP = { title: 'step', low: 0 };
