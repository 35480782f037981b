// The numbers behind the map, for whoever reads a table more easily.

const MOST = 4096; // cells

export function createTable() {
  const element = document.createElement('details');
  const box = document.createElement('div');
  element.append(document.createElement('summary'), box);
  element.children[0].textContent = 'Show as table';
  box.className = 'table';
  box.tabIndex = 0;
  box.role = 'region';
  box.ariaLabel = 'Table';
  /** @type {import('./matrix.js').Parts | null} */
  let parts = null;

  function fill() {
    box.replaceChildren();
    if (!element.open || !parts) return;
    const { rows, columns, data, hidden, rowLabels, columnLabels } = parts;
    if (data.length > MOST) return box.append(`At most ${MOST} numbers are shown.`);
    const table = document.createElement('table');
    const head = table.insertRow();
    head.insertCell();
    for (let column = 0; column < columns; column++) addHeader(head, 'col', columnLabels[column]);
    for (let row = 0; row < rows; row++) {
      const line = table.insertRow();
      addHeader(line, 'row', rowLabels[row]);
      for (let at = row * columns; at < (row + 1) * columns; at++)
        line.insertCell().textContent = hidden?.[at] ? 'masked' : formatValue(data[at]);
    }
    box.append(table);
  }
  element.ontoggle = fill;
  return {
    element,
    /** @param {import('./matrix.js').Parts | null} next */
    update(next) {
      element.hidden = !next;
      if (next === parts) return;
      parts = next;
      fill();
    },
  };
}

/** @param {HTMLElement} line @param {string} scope @param {string} text */
function addHeader(line, scope, text) {
  const cell = document.createElement('th');
  const name = document.createElement('bdi'); // a label may run right to left
  cell.scope = scope;
  name.textContent = text;
  cell.append(name);
  line.append(cell);
}
import { formatValue } from '../draw/numbers.js';
