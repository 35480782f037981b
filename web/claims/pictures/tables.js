// All numbers of a figure, in rows and columns.

import { tableOf } from '../../draw/figure.js';
import { textOf } from './scale.js';

/**
 * @typedef {import('../../../src/claims/shared/picture.js').Panel} Panel
 * @typedef {import('../../draw/figure.js').Table} Table
 * @typedef {[label: string, ...values: (number | string)[]]} Row
 */

/** The name of a line of a map. @param {{labels?: string[]}} axis @param {number} i */
export const labelOf = ({ labels }, i) => labels?.[i] ?? String(i);

/** @param {Panel} panel @returns {Table[]} */
export function tablesOf(panel) {
  const { title } = panel;
  if (panel.kind === 'maps') {
    const { columns, rowAxis, columnAxis, maps } = panel;
    const count = maps[0].values.length / columns;
    return maps.map((map) =>
      tableOf(
        `${title}: ${map.title}`,
        Array.from({ length: columns }, (_, c) => `${columnAxis.title} ${labelOf(columnAxis, c)}`),
        Array.from({ length: count }, (_, r) => [
          `${rowAxis.title} ${labelOf(rowAxis, r)}`,
          ...map.values.slice(r * columns, (r + 1) * columns),
        ]),
      ),
    );
  }
  const name = (/** @type {string[]} */ ...parts) => parts.filter(Boolean).join(', ');
  if (panel.kind === 'rows') {
    const { x, rows, series } = panel;
    const columns = [...new Set(rows.flatMap(({ marks }) => marks.map(({ label }) => label)))];
    const lines = rows.flatMap(({ label, marks }) =>
      [...new Set(marks.map((mark) => mark.series))].map((s) => {
        const values = new Map(marks.filter((mark) => mark.series === s).map((mark) => [mark.label, mark.value]));
        return /** @type {Row} */ ([
          name(label, series?.[s].name ?? ''),
          ...columns.map((column) => values.get(column) ?? ''),
        ]);
      }),
    );
    return [
      tableOf(
        `${title}: ${x.title}`,
        columns.map((column) => column || 'value'),
        lines,
      ),
    ];
  }
  const { x, y, series, lines } = panel;
  const names = lines.map((line) => name(series[line.series].name, line.label));
  if (lines.every(({ points }) => points.length === 1)) {
    const rows = lines.map(({ points: [[px, py]] }, l) => /** @type {Row} */ ([names[l], px, py]));
    return [tableOf(title, [x.title, y.title], rows)];
  }
  const places = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => a - b);
  const known = lines.map(({ points }) => new Map(points));
  return [
    tableOf(
      `${title}: ${y.title} by ${x.title}`,
      names,
      places.map((at) => [textOf(x, at), ...known.map((values) => values.get(at) ?? '')]),
    ),
  ];
}
