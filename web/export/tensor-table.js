// A tensor of any rank as a table.

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
