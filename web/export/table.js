// Numbers as CSV and JSON. Each float is written with all digits that it takes to read it back.

/**
 * Named numbers in rows and columns, as a file of them is read.
 * @typedef {{name: string, shape: number[], data: ArrayLike<number>, rows: string[], columns: string[]}} Sheet
 */

/** A cell by RFC 4180. @param {string} text */
const quoted = text => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** @param {Sheet} sheet */
export function csvOf({ data, rows, columns }) {
  const lines = [['', ...columns].map(quoted).join(',')];
  rows.forEach((label, row) => lines.push([quoted(label), ...columns.map((_, column) => String(data[row * columns.length + column]))].join(',')));
  return `${lines.join('\r\n')}\r\n`;
}

/** JSON has no NaN and no infinity, so those stand there as words. @param {Sheet} sheet */
export const jsonOf = ({ name, shape, data, rows, columns }) =>
  `${JSON.stringify({ name, shape, rows, columns, data: Array.from(data, value => (Number.isFinite(value) ? value : String(value))) })}\n`;

/**
 * A tensor as rows and columns: its last axis goes across, all others down.
 * @param {string} name
 * @param {{data: ArrayLike<number>, shape: number[]}} tensor
 * @param {readonly string[]} words of the tokens, for the axis before the last if it is as long
 * @returns {Sheet}
 */
export function sheetOfTensor(name, { data, shape }, words) {
  const across = shape.at(-1) ?? 1;
  const outer = shape.slice(0, -1);
  const count = outer.reduce((product, size) => product * size, 1);
  const rows = Array.from({ length: count }, (_, row) => {
    let rest = row;
    const index = outer.map((_, axis) => {
      const inner = outer.slice(axis + 1).reduce((product, size) => product * size, 1);
      const at = Math.floor(rest / inner);
      rest %= inner;
      return at;
    });
    const word = outer.at(-1) === words.length && words.length ? ` ${words[row % words.length]}` : '';
    return `[${index.join(', ')}]${word}`;
  });
  return { name, shape, data, rows, columns: Array.from({ length: across }, (_, column) => String(column)) };
}
