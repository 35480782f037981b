// Numbers as CSV and JSON. Each float is written with all digits that it takes to read it back.

/** @typedef {import('../draw/figure.js').Table} Table */

/** A cell by RFC 4180. @param {string} text */
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Several tables stand one below the other, each under its name. @param {Table[]} tables */
export const csvOf = (...tables) =>
  tables
    .map(({ name, data, rows, columns }) => {
      const lines = [...(tables.length > 1 ? [quoted(name)] : []), ['', ...columns].map(quoted).join(',')];
      rows.forEach((label, row) =>
        lines.push(
          [label, ...columns.map((_, column) => String(data[row * columns.length + column]))].map(quoted).join(','),
        ),
      );
      return `${lines.join('\r\n')}\r\n`;
    })
    .join('\r\n');

/**
 * JSON has no NaN and no infinity, so they are written as strings. Several tables become a list.
 * @param {Table[]} tables
 */
export function jsonOf(...tables) {
  const plain = tables.map(({ name, shape, rows, columns, data }) => ({
    name,
    shape,
    rows,
    columns,
    data: Array.from(data, (value) => (Number.isFinite(value) ? value : String(value))),
  }));
  return `${JSON.stringify(plain.length > 1 ? plain : plain[0])}\n`;
}

/**
 * @typedef {import('../draw/figure.js').Table & {data: ArrayLike<number>}} TensorTable
 */

/**
 * A tensor as rows and columns: its last axis goes across, all others down.
 * @param {string} name
 * @param {{data: ArrayLike<number>, shape: number[]}} tensor
 * @param {readonly string[]} words of the tokens, for the axis before the last if it is as long
 * @returns {TensorTable}
 */
export function tableOfTensor(name, { data, shape }, words) {
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
