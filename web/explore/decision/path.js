// The decisive path over a map: from row to row the cell of the largest effect.

/** @param {HTMLElement} root of a map (map.js) */
export function createPath(root) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'decision-path');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.ariaHidden = 'true';
  const [line, dots] = ['line', 'dots'].map((name) => {
    const path = document.createElementNS(svg.namespaceURI ?? '', 'path');
    path.setAttribute('class', `decision-${name}`);
    return svg.appendChild(path);
  });
  root.querySelector('.map-cells')?.append(svg);
  return {
    /** @param {Float32Array} effects @param {number} rows @param {number} columns */
    update(effects, rows, columns) {
      const points = Array.from({ length: rows }, (_, row) => {
        const own = effects.subarray(row * columns, (row + 1) * columns).map(Math.abs);
        return `${own.indexOf(Math.max(...own)) + 0.5} ${row + 0.5}`;
      });
      svg.setAttribute('viewBox', `0 0 ${columns} ${rows}`);
      line.setAttribute('d', `M ${points.join(' L ')}`);
      dots.setAttribute('d', points.map((point) => `M ${point} h 0`).join(' '));
    },
  };
}
