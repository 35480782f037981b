// Marks on the cells of a map that were set by hand, with a description for screen readers.

/** @typedef {{row: number | null, column: number, text: string}} Mark `row`: null for the whole column */

/** @param {HTMLElement} root of a map (map.js) */
export function createMarks(root) {
  const cells = /** @type {HTMLElement} */ (root.querySelector('.map-cells'));
  const layer = cells.appendChild(document.createElement('div'));
  layer.className = 'map-marks';
  return {
    /** @param {readonly Mark[]} marks @param {number} rows @param {number} columns of the map */
    update(marks, rows, columns) {
      cells.ariaDescription = marks.length ? `Set by hand: ${marks.map(({ text }) => text).join('; ')}.` : '';
      layer.replaceChildren(
        ...marks.map(({ row, column }) => {
          const mark = document.createElement('div');
          mark.className = 'map-mark';
          Object.assign(mark.style, {
            left: `${(100 * column) / columns}%`,
            width: `${100 / columns}%`,
            top: `${(100 * (row ?? 0)) / rows}%`,
            height: `${row === null ? 100 : 100 / rows}%`,
          });
          return mark;
        }),
      );
    },
  };
}

/** Frames around whole rows of a map; neighbours share one. @param {HTMLElement} root of a map (map.js) */
export function createFrames(root) {
  const layer = /** @type {HTMLElement} */ (root.querySelector('.map-cells')).appendChild(
    document.createElement('div'),
  );
  layer.className = 'map-marks';
  let drawn = '';
  return {
    /** @param {readonly number[]} rows in order @param {number} count of the map's rows */
    update(rows, count) {
      const wanted = `${rows} of ${count}`;
      if (wanted === drawn) return;
      drawn = wanted;
      layer.replaceChildren(
        ...runs(rows).map(([first, length]) => {
          const frame = document.createElement('div');
          frame.className = 'map-frame';
          Object.assign(frame.style, { top: `${(100 * first) / count}%`, height: `${(100 * length) / count}%` });
          return frame;
        }),
      );
    },
  };
}

/**
 * Numbers that follow each other: where each run begins, and its length.
 * @param {readonly number[]} numbers in order
 */
export function runs(numbers) {
  /** @type {[number, number][]} */
  const found = [];
  for (const each of numbers) {
    const last = found.at(-1);
    if (last && last[0] + last[1] === each) last[1]++;
    else found.push([each, 1]);
  }
  return found;
}
