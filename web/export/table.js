// Numbers as CSV and JSON. Each float is written with all digits that it takes to read it back.

/** @typedef {import('./sheet.js').Sheet} Sheet */

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
