// Arcs between the words of the strips, where these stand on one line each.

import { html, render, svg } from 'lit-html';
import { formatShare } from '../../draw/share.js';

/**
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * `part`: the cell that is selected, another of its row, one of another row.
 * @typedef {{row: number, key: number, weight: number, part: 'selected' | 'row' | 'other'}} Arc
 * @typedef {{rows: Stack, keys: Stack, arcs: Arc[], isOff: boolean}} ArcsData
 * @typedef {{x: number, y: number}} Point
 */

const [LOW, STEEP, LABEL] = [9, 0.09, 9]; // px: the lowest arc, its growth for each px between words, half a label
const LOOP = 16; // px: half the width of the arc from a word to itself

/** @param {HTMLElement} root */
export function create(root) {
  /** @type {ArcsData | null} */
  let last = null;
  let frame = 0;
  const redraw = () => draw(root, last);
  // Also when the faces of the text arrive. Drawn in the next frame: WebKit counts what is drawn here as a loop.
  const sizes = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(redraw);
  });
  const stop = () => {
    sizes.disconnect();
    cancelAnimationFrame(frame);
  };
  return {
    /** @param {ArcsData | null} data */
    update(data) {
      last = data;
      stop();
      const strips = data ? [...new Set([data.rows, data.keys])].map(stripOf) : [];
      if (!strips.length || strips.some((list) => !list || list.closest('[hidden]'))) return redraw();
      // Draws once it is laid out: the observer reports each new element.
      for (const list of strips) for (const each of [list, ...(list?.children ?? [])]) if (each) sizes.observe(each);
    },
    destroy() {
      stop();
      root.replaceChildren();
    },
  };
}

/** @param {Stack} stack */
const stripOf = (stack) => /** @type {HTMLElement | null} */ (document.querySelector(`#tokens-${stack} .tokens`));

/** Whether the words stand on one line, all of it in sight. @param {HTMLElement | null} list */
function isLine(list) {
  if (!list?.firstElementChild) return false;
  const [first, end] = [list.firstElementChild, list.lastElementChild].map(
    (each) => /** @type {HTMLElement} */ (each).offsetTop,
  );
  return first === end && list.scrollWidth <= list.clientWidth + 1;
}

/** @param {HTMLElement} root @param {ArcsData | null} data */
function draw(root, data) {
  const [rows, keys] = data ? [stripOf(data.rows), stripOf(data.keys)] : [null, null];
  root.hidden = !data || !isLine(rows) || !isLine(keys);
  if (!data || root.hidden) return;
  const frame = root.getBoundingClientRect();
  const isSelf = data.rows === data.keys;
  const from = placesOf(rows, 'row', frame, false);
  const to = placesOf(keys, isSelf ? 'asKey' : 'key', frame, !isSelf); // the source stands above
  const height = isSelf ? (from.get('0')?.y ?? 0) - bandTop(rows, frame) : 0;
  const drawn = data.arcs.flatMap((arc) => {
    const [start, end] = [from.get(String(arc.row)), to.get(String(arc.key))];
    return start && end
      ? [{ ...arc, start, end, path: isSelf ? over(start, end, arc, height) : across(start, end) }]
      : [];
  });
  const [selected, ...others] = drawn;
  if (selected?.part !== 'selected') return void (root.hidden = true);
  render(
    html`<svg>${others.map(
      ({ path, weight, part }) =>
        svg`<path class="arc ${part}" d=${path} opacity=${(0.15 + 0.6 * weight).toFixed(2)}></path>`,
    )}${chosen(selected, data.isOff, height)}</svg>`,
    root,
  );
}

/**
 * The arc of the selected cell with its weight in a gap.
 * @param {Arc & {start: Point, end: Point, path: string}} arc
 * @param {boolean} isOff
 * @param {number} height
 */
function chosen({ start, end, path, weight }, isOff, height) {
  const x = (start.x + end.x) / 2;
  const y = height ? start.y - heightOf(start, end, 'selected', height) : (start.y + end.y) / 2;
  const width = Math.abs(end.x - start.x);
  return svg`
    <linearGradient id="arc-colours" gradientUnits="userSpaceOnUse" x1=${end.x} y1=${end.y} x2=${start.x} y2=${start.y}>
      <stop offset="0" class="at-key"></stop><stop offset="1" class="at-query"></stop>
    </linearGradient>
    <path class=${isOff ? 'arc selected off' : 'arc selected'} d=${path} stroke-width=${(1.5 + 3.5 * weight).toFixed(1)}
      stroke=${width < 1 ? 'var(--query)' : 'url(#arc-colours)'}></path>
    <text class="arc-weight" transform="translate(${x} ${y})" dy="0.35em">${
      isOff ? 'head off' : formatShare(weight)
    }</text>`;
}

/**
 * Where an arc begins or ends at each word.
 * @param {HTMLElement | null} list @param {string} name @param {DOMRect} frame @param {boolean} below the word
 * @returns {Map<string | undefined, Point>}
 */
function placesOf(list, name, frame, below) {
  return new Map(
    /** @type {HTMLElement[]} */ ([...(list?.children ?? [])]).map((token) => {
      const { left, width, top, bottom } = /** @type {Element} */ (token.firstElementChild).getBoundingClientRect();
      const y = below ? bottom - frame.top + 1 : top - frame.top + 2;
      return [token.dataset[name], { x: Math.round(left + width / 2 - frame.left), y: Math.round(y) }];
    }),
  );
}

/** The top of the space for arcs above a strip. @param {HTMLElement | null} list @param {DOMRect} frame */
function bandTop(list, frame) {
  const line = list?.closest('.tokens-line');
  if (!line) return 0;
  return line.getBoundingClientRect().top - parseFloat(getComputedStyle(line).getPropertyValue('--band')) - frame.top;
}

/** @param {Point} start @param {Point} end @param {Arc['part']} part @param {number} height */
const heightOf = (start, end, part, height) =>
  Math.max(
    LOW,
    Math.min(
      part === 'selected' ? height - LABEL : height - 2 * LABEL,
      (part === 'selected' ? 3 * LABEL : LOW) + STEEP * Math.abs(end.x - start.x),
    ),
  );

/** @param {Point} start @param {Point} end @param {Arc} arc @param {number} height */
function over(start, end, { part }, height) {
  const top = start.y - (4 / 3) * heightOf(start, end, part, height); // a cubic reaches 3/4 of its handles
  const out = start.x === end.x ? LOOP : 0;
  return `M${start.x} ${start.y}C${start.x + out} ${top} ${end.x - out} ${top} ${end.x} ${end.y}`;
}

/** @param {Point} start @param {Point} end */
function across(start, end) {
  const y = (start.y + end.y) / 2;
  return `M${start.x} ${start.y}C${start.x} ${y} ${end.x} ${y} ${end.x} ${end.y}`;
}
