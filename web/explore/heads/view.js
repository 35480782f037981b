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
      if (row.kind !== layers[index - 1]?.kind) {
        const title = document.createElement('p');
        title.className = 'heads-kind';
        title.textContent = row.kindTitle;
        group.append(title);
      }
      const line = document.createElement('div');
      line.className = 'heads-row';
      const name = document.createElement('span');
      name.className = 'heads-layer';
      name.textContent = `${row.layer + 1}`;
      name.title = `Layer ${row.layer + 1}`;
      line.append(name);
      const buttons = Array.from({ length: row.heads }, (_, head) => {
        const button = document.createElement('button');
        const canvas = document.createElement('canvas');
        button.type = 'button';
        button.className = 'head';
        button.dataset.head = `${row.kind} ${row.layer} ${head}`;
        button.role = 'radio';
        const mark = document.createElement('span');
        mark.className = 'head-mark';
        mark.ariaHidden = 'true';
        button.append(canvas, mark);
        button.addEventListener('click', () => onSelect({ kind: row.kind, layer: row.layer, head }));
        return button;
      });
      line.append(...buttons);
      group.append(line);
      return buttons;
    });
  }

  group.addEventListener('keydown', (event) => {
    if (!data || event.ctrlKey || event.altKey || event.metaKey) return;
    const { layers, selected } = data;
    const index = layers.findIndex((row) => row.kind === selected.kind && row.layer === selected.layer);
    const lastHead = layers[index].heads - 1;
    /** @type {Record<string, [number, number]>} */
    const targets = {
      ArrowLeft: [index, selected.head - 1],
      ArrowRight: [index, selected.head + 1],
      ArrowUp: [index - 1, selected.head],
      ArrowDown: [index + 1, selected.head],
      Home: [index, 0],
      End: [index, lastHead],
      PageUp: [0, selected.head],
      PageDown: [layers.length - 1, selected.head],
    };
    const target = targets[event.key];
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
        const { rows, columns, kind, kindTitle, layer, marks } = row;
        const shrinks = isLarger(Math.max(rows, columns));
        shrunk ||= shrinks;
        const size = rows * columns;
        tiles[index].forEach((button, head) => {
          const canvas = /** @type {HTMLCanvasElement} */ (button.firstChild);
          paintMatrix(canvas, {
            rows,
            columns,
            scale,
            scheme,
            hidden: row.hidden,
            data: row.data.subarray(head * size, (head + 1) * size),
          });
          canvas.classList.toggle('shrunk', shrinks);
          const isRow = kind === selected.kind && layer === selected.layer;
          const isSelected = isRow && head === selected.head;
          button.ariaChecked = String(isSelected && !selected.mean);
          button.tabIndex = isSelected ? 0 : -1;
          const mark = marks[head];
          button.ariaLabel = `${kindTitle}, layer ${layer + 1}, head ${head + 1}${mark ? `, ${SPOKEN[mark]}` : ''}`;
          button.title = button.ariaLabel;
          button.classList.toggle('changed', Boolean(mark));
          button.classList.toggle('off', mark === 'off');
          const { color, style } = hueOf(scheme, head);
          button.style.borderBottom = `4px ${style} ${color}`;
          /** @type {Element} */ (button.lastChild).textContent = mark;
          button.classList.toggle('in-mean', isRow && Boolean(selected.mean));
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

/** @param {HeadsRow} row @returns {import('../../draw/figure.js').Table} */
const tableOfRow = ({ kindTitle, layer, heads, rows, columns, data, rowWords, columnWords }) => ({
  name: `${kindTitle}, layer ${layer + 1}`,
  shape: [heads, rows, columns],
  data,
  columns: columnWords,
  rows: Array.from({ length: heads }, (_, head) => rowWords.map((word) => `head ${head + 1} ${word}`)).flat(),
});
