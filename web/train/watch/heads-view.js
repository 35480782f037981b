// Every head of every layer on one held-out example, and the chosen one as a large map.

import { paintMatrix } from '../../draw/canvas.js';
import { hueOf, probabilityScale } from '../../draw/color.js';
import { createMap } from '../../draw/map.js';
import { cellOf } from '../state.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../run/look.js').LayerMaps} LayerMaps
 */

const [HEIGHT, LOW] = [300, 172]; // px, of the map; in a low window the curves are to stand below it
const TILES = 44; // px

/**
 * @param {HTMLElement} root
 * @param {Pick<import('../view.js').TrainActions, 'onHead' | 'onCell'>} actions
 */
export function createHeads(root, { onHead, onCell }) {
  const grid = document.createElement('div');
  const large = document.createElement('div');
  large.className = 'train-map';
  root.append(grid, large);
  const tiles = createTiles(grid, onHead);
  const map = createMap(large, {
    min: 6,
    max: 34,
    get height() {
      return (innerHeight < 800 ? LOW : HEIGHT) - (grid.hidden ? 0 : TILES);
    },
    empty: 'No attention heads.',
    onCursor: onCell,
  });

  return {
    /** @param {TrainState} state */
    update(state) {
      const { report, head: chosen, scheme, settings } = state;
      const inspection = report?.inspection;
      if (!inspection) return;
      const { maps } = inspection;
      const common = { scale: probabilityScale(scheme), scheme, hidden: settings.causal ? maskOf(maps[0].size) : null };
      /** @param {LayerMaps} layer @param {number} head */
      const matrixOf = ({ size, data }, head) => ({
        ...common,
        rows: size,
        columns: size,
        data: data.subarray(head * size * size, (head + 1) * size * size),
      });
      tiles.update(maps, chosen, matrixOf);
      root.classList.toggle('unpicked', !state.cell);
      grid.hidden = maps.length === 1 && maps[0].heads === 1;
      const { words } = inspection.rows[inspection.example];
      const axis = { label: (/** @type {number} */ i) => words[i] };
      map.update({
        name: `Attention of layer ${chosen.layer + 1}, head ${chosen.head + 1}`,
        matrix: matrixOf(maps[chosen.layer], chosen.head),
        scaleTitle: 'attention weight',
        rowAxis: { ...axis, title: 'query', noun: 'query' },
        columnAxis: { ...axis, title: 'key', noun: 'key' },
        cursor: cellOf(state),
      });
    },
  };
}

/**
 * A small map for each head; the arrow keys choose the one beside.
 * @param {HTMLElement} grid
 * @param {import('../view.js').TrainActions['onHead']} onHead
 */
function createTiles(grid, onHead) {
  grid.className = 'heads train-grid';
  grid.role = 'radiogroup';
  grid.ariaLabel = 'Heads';
  /** @type {HTMLButtonElement[][]} by layer and head */
  let tiles = [];
  let shape = '';

  /** @param {LayerMaps[]} maps */
  function build(maps) {
    grid.style.setProperty('--heads', String(maps[0]?.heads ?? 1));
    tiles = maps.map(({ layer, heads }) =>
      Array.from({ length: heads }, (_, head) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'head';
        button.role = 'radio';
        button.ariaLabel = button.title = `Layer ${layer + 1}, head ${head + 1}`;
        button.append(document.createElement('canvas'));
        button.addEventListener('click', () => onHead({ layer, head }));
        return button;
      }),
    );
    const rows = tiles.map((buttons, layer) => {
      const row = document.createElement('div');
      row.className = 'heads-row';
      const name = document.createElement('span');
      name.className = 'heads-layer';
      name.textContent = String(layer + 1);
      name.title = `Layer ${layer + 1}`;
      row.append(name, ...buttons);
      return row;
    });
    grid.replaceChildren(...rows);
  }

  grid.addEventListener('keydown', (event) => {
    const layer = tiles.findIndex((row) => row.some((each) => each === event.target));
    const head = tiles[layer]?.findIndex((each) => each === event.target) ?? -1;
    /** @type {Record<string, [number, number]>} */
    const targets = {
      ArrowLeft: [layer, head - 1],
      ArrowRight: [layer, head + 1],
      ArrowUp: [layer - 1, head],
      ArrowDown: [layer + 1, head],
    };
    const [row, column] = targets[event.key] ?? [-1, -1];
    const next = tiles[row]?.[column];
    if (!targets[event.key]) return;
    event.preventDefault();
    next?.click();
    next?.focus();
  });

  return {
    /**
     * @param {LayerMaps[]} maps
     * @param {TrainState['head']} chosen
     * @param {(layer: LayerMaps, head: number) => import('../../draw/canvas.js').Matrix} matrixOf
     */
    update(maps, chosen, matrixOf) {
      const next = maps.map(({ heads }) => heads).join();
      if (next !== shape) build(maps);
      shape = next;
      tiles.forEach((buttons, layer) =>
        buttons.forEach((button, head) => {
          const isChosen = layer === chosen.layer && head === chosen.head;
          const matrix = matrixOf(maps[layer], head);
          paintMatrix(/** @type {HTMLCanvasElement} */ (button.firstChild), matrix);
          const { color, style } = hueOf(matrix.scheme, head);
          button.style.borderBottom = `4px ${style} ${color}`;
          button.ariaChecked = String(isChosen);
          button.tabIndex = isChosen ? 0 : -1;
        }),
      );
    },
  };
}

/** @type {Map<number, Uint8Array>} */
const masks = new Map();

/** The cells that a causal mask hides. @param {number} size */
function maskOf(size) {
  const found =
    masks.get(size) ?? Uint8Array.from({ length: size * size }, (_, i) => Number(i % size > Math.floor(i / size)));
  masks.set(size, found);
  return found;
}
