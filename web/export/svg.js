// A map as a stand-alone SVG image: title, axes, labels, legend, cells.

import { cellWords, fillPixels } from '../draw/canvas.js';
import { invalidPixel, maskedPixel } from '../draw/color.js';
import { beginning } from '../kit/letters.js';

/** @typedef {import('../draw/map.js').MapData} MapData */

export const INK = {
  light: { page: '#ffffff', text: '#1d1f24', soft: '#555a63', line: '#c8ccd2' },
  dark: { page: '#17181c', text: '#eceef2', soft: '#a9afba', line: '#43474f' },
};
const FONT = 12;
export const PAD = 16;
const MOST_RECTS = 4096; // more cells become one embedded image
const WIDEST_LABEL = 160;
const BAR = 160;

/** @param {number} pixel of a colour table */
const hex = (pixel) =>
  `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;

/** Replaces characters that XML cannot hold. @param {string} text */
export const escaped = (text) =>
  text
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** About how wide a text is; East Asian signs and emoji are as wide as high. @param {string} text */
const widthOf = (text) =>
  [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) > 0x2e7f ? 1 : 0.6) * FONT, 0);

/** @param {import('../draw/axis.js').Axis} axis @param {number} count */
const labelsOf = ({ label }, count) => Array.from({ length: count }, (_, i) => label(i));

/**
 * @param {MapData} map
 * @param {(matrix: import('../draw/canvas.js').Matrix) => string} imageOf the cells as an image's URL, one pixel a cell
 * @returns {{svg: string, width: number, height: number}}
 */
export function svgOf(map, imageOf) {
  const { name, matrix } = map;
  const ink = INK[matrix.scheme];
  const layout = layoutOf(map);
  const { left, top, width, height } = layout;
  const inner = `width="${layout.cellWidth * matrix.columns}" height="${layout.cell * matrix.rows}"`;
  const frame = `x="${left}" y="${top}" ${inner}`;
  const at = cellWords(map.cursor, map);
  const parts = [
    `<rect width="${width}" height="${height}" fill="${ink.page}"/>`,
    write(PAD, PAD + 14, name, ' font-size="15" font-weight="600"'),
    ...legend(map),
    ...axes(map, layout),
    cells(matrix, layout, frame, imageOf),
    `<rect ${frame} fill="none" stroke="${ink.line}"/>`,
    write(PAD, height - PAD, `${at.where}: ${at.value}`, ` fill="${ink.soft}"`),
  ];
  return {
    svg:
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="${FONT}" fill="${ink.text}" role="img">` +
      `<title>${escaped(name)}</title>\n${parts.filter(Boolean).join('\n')}\n</svg>\n`,
    width,
    height,
  };
}

/** @param {number} x @param {number} y @param {string} text @param {string} [more] attributes */
const write = (x, y, text, more = '') => `<text x="${round(x)}" y="${round(y)}"${more}>${escaped(text)}</text>`;

/** @typedef {ReturnType<typeof layoutOf>} Layout of the cells, in the space that labels and legend leave */

/** @param {MapData} map */
function layoutOf({ name, matrix: { rows, columns }, rowAxis, columnAxis }) {
  const isWide = columns > 3 * rows;
  const cell = Math.max(3, Math.min(28, Math.floor(720 / (isWide ? rows : Math.max(rows, columns)))));
  const cellWidth = isWide ? Math.max(2, Math.min(28, Math.floor(960 / columns))) : cell;
  const rowLabels = labelsOf(rowAxis, rows);
  const columnLabels = labelsOf(columnAxis, columns);
  const columnSpace = Math.min(WIDEST_LABEL, Math.max(...columnLabels.map(widthOf)));
  const left = PAD + 22 + Math.min(WIDEST_LABEL, Math.max(...rowLabels.map(widthOf)));
  const top = PAD + 90 + columnSpace;
  const width = Math.ceil(Math.max(left + cellWidth * columns, 420, PAD + widthOf(name) * 1.3) + PAD);
  const height = Math.ceil(top + cell * rows + PAD + 20);
  return { cell, cellWidth, rowLabels, columnLabels, columnSpace, left, top, width, height };
}

/** Titles and labels. @param {MapData} map @param {Layout} layout */
function axes({ matrix, rowAxis, columnAxis }, layout) {
  const { cell, cellWidth, rowLabels, columnLabels, columnSpace, left, top } = layout;
  const soft = ` fill="${INK[matrix.scheme].soft}"`;
  const step = (/** @type {number} */ size) => Math.ceil((FONT + 2) / size);
  /** @param {number} i */
  const turned = (i) => ` transform="translate(${round(left + (i + 0.5) * cellWidth + 4)} ${top - 6}) rotate(-90)"`;
  return [
    write(left, top - 8 - columnSpace - 10, `${columnAxis.title} →`, soft),
    write(PAD, top - 6, `${rowAxis.title} ↓`, soft),
    ...rowLabels.map((label, i) =>
      i % step(cell) ? '' : write(left - 6, top + (i + 0.5) * cell + 4, short(label), ' text-anchor="end"'),
    ),
    ...columnLabels.map((label, i) => (i % step(cellWidth) ? '' : write(0, 0, short(label), turned(i)))),
  ];
}

/**
 * @param {MapData['matrix']} matrix @param {Layout} layout
 * @param {string} frame the attributes of their place @param {Parameters<typeof svgOf>[1]} imageOf
 */
function cells(matrix, { left, top, cell, cellWidth }, frame, imageOf) {
  const { rows, columns } = matrix;
  if (rows * columns > MOST_RECTS) {
    const href = escaped(imageOf(matrix));
    return `<image ${frame} preserveAspectRatio="none" image-rendering="pixelated" href="${href}"/>`;
  }
  const pixels = new Uint32Array(rows * columns);
  fillPixels(pixels, matrix);
  const rects = Array.from(pixels, (pixel, i) => {
    if (matrix.hidden?.[i] === 2) return ''; // an empty cell
    const attributes = `x="${left + (i % columns) * cellWidth}" y="${top + Math.floor(i / columns) * cell}"`;
    return `<rect ${attributes} width="${cellWidth}" height="${cell}" fill="${hex(pixel)}"/>`;
  });
  return `<g shape-rendering="crispEdges">${rects.join('')}</g>`;
}

/** @param {MapData} map */
function legend({ matrix: { scheme, scale, hidden, data }, scaleTitle }) {
  const soft = ` fill="${INK[scheme].soft}"`;
  const { table, low, high, root, ticks } = scale;
  const y = PAD + 36;
  const steps = 64;
  const x = PAD + widthOf(scaleTitle) + 12;
  const ends = [low, low + (high - low) * (root && low === 0 ? 0.25 : 0.5), high].map(
    (value, i) => ticks?.[i] ?? String(Number(value.toPrecision(3))).replace('-', '−'),
  );
  const boxes = [
    hidden?.includes(1) && { text: 'masked', pixel: maskedPixel(scheme) },
    data.some((value, i) => Number.isNaN(value) && !hidden?.[i]) && {
      text: 'not a number',
      pixel: invalidPixel(scheme),
    },
  ].filter(Boolean);
  const bar = Array.from({ length: steps }, (_, i) => {
    const color = hex(table[Math.round((i / (steps - 1)) * (table.length - 1))]);
    const attributes = `x="${round(x + (i * BAR) / steps)}" y="${y - 10}"`;
    return `<rect ${attributes} width="${BAR / steps}" height="10" fill="${color}"/>`;
  });
  return [
    write(PAD, y, scaleTitle, soft),
    `<g shape-rendering="crispEdges">${bar.join('')}</g>`,
    ...ends.map((text, i) =>
      write(x + (i * BAR) / 2, y + 14, text, `${soft} font-size="10" text-anchor="${['start', 'middle', 'end'][i]}"`),
    ),
    ...boxes.flatMap((box, i) =>
      box
        ? [
            `<rect x="${round(x + BAR + 20 + i * 80)}" y="${y - 10}" width="11" height="11" ` +
              `fill="${hex(box.pixel)}" stroke="${INK[scheme].line}"/>`,
            write(x + BAR + 36 + i * 80, y, box.text, soft),
          ]
        : [],
    ),
  ];
}

/** @param {string} label */
function short(label) {
  return widthOf(label) <= WIDEST_LABEL ? label : `${beginning(label, 20)}…`;
}

/** @param {number} value */
export const round = (value) => Math.round(value * 100) / 100;
