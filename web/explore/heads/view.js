// Every head of every layer as a small map; one of them is selected.

import { paintMatrix } from '../../draw/canvas.js';
import { hueOf, probabilityScale } from '../../draw/color.js';
import { announceFigure } from '../../draw/figure.js';

/**
 * One row of the grid: the weights of all heads of one attention, [heads, rows, columns] flat.
 * @typedef {{
 *   kind: string, kindTitle: string, layer: number, heads: number, rows: number, columns: number,
 *   data: Float32Array, hidden: Uint8Array, marks: (string | null)[], rowWords: string[], columnWords: string[],
 * }} HeadsRow
 * `marks`: one word about each head that is set by hand.
 *
 * `mean`: the mean of the layer's heads is shown instead of the one head.
 * @typedef {{kind: string, layer: number, head: number, mean?: boolean}} HeadPlace
 *
 * @typedef {{
 *   layers: HeadsRow[], selected: HeadPlace, colours: 'linear' | 'root', scheme: import('../../draw/color.js').Scheme,
 * }} HeadsData
 */

const LEAST_TILE = 17; // px, of style.css

/** The marks for screen readers. @type {Record<string, string>} */
const SPOKEN = { off: 'off', mean: 'replaced by its average' };

/**
 * @param {HTMLElement} root
 * @param {{onSelect: (place: HeadPlace) => void}} options
 */
export function create(root, { onSelect }) {
  const group = document.createElement('div');
  const note = document.createElement('p');
  group.className = 'heads';
  group.role = 'radiogroup';
  group.ariaLabel = 'Heads';
  note.className = 'hint';
  root.append(group, note);
  /** @type {HeadsData | null} */
  let data = null;
  let shape = '';
  /** @type {HTMLElement[][]} buttons by row and head */
  let tiles = [];
  let tile = 0; // their width, read at most once: reading forces a layout

  /** Whether a tile has fewer pixels than these. @param {number} cells */
  function isLarger(cells) {
    if (cells <= LEAST_TILE) return false;
    tile ||= tiles[0][0].clientWidth;
    return cells > tile * devicePixelRatio;
  }

  /** @param {HeadsData} next the tiles of another model shape */
  function build({ layers }) {
    group.replaceChildren();
    group.style.setProperty('--heads', String(layers[0].heads));
    tiles = layers.map((row, index) => {
      if (row.kind !== layers[index - 1]?.kind) group.append(labelled('p', 'heads-kind', row.kindTitle));
      const line = labelled('div', 'heads-row', '');
      const name = labelled('span', 'heads-layer', `${row.layer + 1}`);
      name.title = `Layer ${row.layer + 1}`;
      const buttons = Array.from({ length: row.heads }, (_, head) => {
        const button = createTile(row, head);
        button.addEventListener('click', () => onSelect({ kind: row.kind, layer: row.layer, head }));
        return button;
      });
      line.append(name, ...buttons);
      group.append(line);
      return buttons;
    });
  }

  group.addEventListener('keydown', (event) => {
    if (!data || event.ctrlKey || event.altKey || event.metaKey) return;
    const { layers, selected } = data;
    const index = layers.findIndex((row) => row.kind === selected.kind && row.layer === selected.layer);
    const lastHead = layers[index].heads - 1;
    const target = placeByKey(event.key, index, selected.head, layers.length - 1, lastHead);
    if (!target) return;
    event.preventDefault();
    const row = Math.max(0, Math.min(layers.length - 1, target[0]));
    const head = Math.max(0, Math.min(lastHead, target[1]));
    onSelect({ kind: layers[row].kind, layer: layers[row].layer, head });
    tiles[row]?.[head]?.focus();
  });

  return {
    /** @param {HeadsData | null} next */
    update(next) {
      data = next;
      group.hidden = !next;
      announceFigure(root, next && { name: 'All heads', element: group, tables: () => next.layers.map(tableOfRow) });
      if (!next) {
        note.textContent = 'No tokens, so no heads to show.';
        return;
      }
      const { layers, selected, colours, scheme } = next;
      const nextShape = layers.map((row) => `${row.kind} ${row.layer} ${row.heads}`).join();
      if (nextShape !== shape) {
        shape = nextShape;
        build(next);
        tile = 0;
      }
      const scale = probabilityScale(scheme, colours === 'root');
      let shrunk = false;
      layers.forEach((row, index) => {
        const shrinks = isLarger(Math.max(row.rows, row.columns));
        shrunk ||= shrinks;
        tiles[index].forEach((button, head) => {
          button.firstElementChild?.classList.toggle('shrunk', shrinks);
          drawTile(button, row, head, scale, next);
        });
      });
      note.textContent =
        'Rows: layers; columns: heads. The colour scale is that of the large map.' +
        (selected.mean ? ' The large map shows the mean of the heads in dashed frames.' : '') +
        (shrunk ? ' Each pixel is the mean of several cells.' : '');
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/**
 * @param {string} key
 * @param {number} row of the grid, as `head` the present one
 * @param {number} head
 * @param {number} lastRow
 * @param {number} lastHead
 * @returns {[number, number] | undefined} the row and head that it leads to, which may be beyond an end
 */
function placeByKey(key, row, head, lastRow, lastHead) {
  /** @type {Record<string, [number, number]>} */
  const places = {
    ...{ ArrowLeft: [row, head - 1], ArrowRight: [row, head + 1], Home: [row, 0], End: [row, lastHead] },
    ...{ ArrowUp: [row - 1, head], ArrowDown: [row + 1, head], PageUp: [0, head], PageDown: [lastRow, head] },
  };
  return places[key];
}

/** @param {string} tag @param {string} className @param {string} text */
function labelled(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** @param {HeadsRow} row @param {number} head */
function createTile({ kind, layer }, head) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'head';
  button.dataset.head = `${kind} ${layer} ${head}`;
  button.role = 'radio';
  const mark = labelled('span', 'head-mark', '');
  mark.ariaHidden = 'true';
  button.append(document.createElement('canvas'), mark);
  return button;
}

/**
 * @param {HTMLElement} button
 * @param {HeadsRow} row
 * @param {number} head
 * @param {import('../../draw/color.js').Scale} scale
 * @param {HeadsData} data
 */
function drawTile(button, row, head, scale, { selected, scheme }) {
  const { rows, columns, hidden, kind, kindTitle, layer } = row;
  const data = row.data.subarray(head * rows * columns, (head + 1) * rows * columns);
  paintMatrix(/** @type {HTMLCanvasElement} */ (button.firstChild), { rows, columns, scale, scheme, hidden, data });
  const isRow = kind === selected.kind && layer === selected.layer;
  const isSelected = isRow && head === selected.head;
  button.ariaChecked = String(isSelected && !selected.mean);
  button.tabIndex = isSelected ? 0 : -1;
  const mark = row.marks[head];
  button.ariaLabel = `${kindTitle}, layer ${layer + 1}, head ${head + 1}${mark ? `, ${SPOKEN[mark]}` : ''}`;
  button.title = button.ariaLabel;
  button.classList.toggle('changed', Boolean(mark));
  button.classList.toggle('off', mark === 'off');
  const { color, style } = hueOf(scheme, head);
  button.style.borderBottom = `4px ${style} ${color}`;
  /** @type {Element} */ (button.lastChild).textContent = mark;
  button.classList.toggle('in-mean', isRow && Boolean(selected.mean));
}

/** @param {HeadsRow} row @returns {import('../../draw/figure.js').Table} */
const tableOfRow = ({ kindTitle, layer, heads, rows, columns, data, rowWords, columnWords }) => ({
  name: `${kindTitle}, layer ${layer + 1}`,
  shape: [heads, rows, columns],
  data,
  columns: columnWords,
  rows: Array.from({ length: heads }, (_, head) => rowWords.map((word) => `head ${head + 1} ${word}`)).flat(),
});
