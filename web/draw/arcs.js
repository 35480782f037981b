// Attention as arcs over a sentence: above a line of words, or between its lines.

import { html, nothing, render, svg } from 'lit-html';
import { formatShare } from './numbers.js';

/**
 * `part`: the cell that is selected, another of its row, one of another row; `before`: where its head attended before a
 * feature was changed.
 * @typedef {{row: number, key: number, weight: number, part: 'selected' | 'row' | 'other' | 'before'}} Arc
 * `rows`, `keys`: the strips of words, of words.js, if they are there.
 * @typedef {{
 *   rows: () => HTMLElement | null, keys: () => HTMLElement | null, arcs: Arc[], isOff: boolean,
 * }} ArcsData
 *
 * A word's middle and the number of its line; `isSeen`: the strip is not scrolled past it. A line of words, the space
 * above it, and its words' left and right ends; the lines of two strips are one list. `isMirrored`: the first word is
 * the rightmost.
 * @typedef {{x: number, line: number, isSeen: boolean}} Place
 * @typedef {{
 *   top: number, bottom: number, space: number, ends: [left: number, right: number][], isMirrored: boolean,
 * }} Line
 * @typedef {{x: number, y: number}} Point
 */

const LEAST_OF_ROW = 0.1; // a thinner one says nothing
const LEAST_OF_OTHERS = 0.25;
const MANY = 64; // words: of more, the arcs of other rows would cover each other
const [LOW, STEEP, LABEL] = [9, 0.09, 9]; // px: the lowest arc, its growth for each px between words, half a label
const LOOP = 16; // px: half the width of the arc from a word to itself
const EDGE = 6; // px: how far from a line's ends an arc passes it
const [SHORT, BESIDE] = [80, 30]; // px: the label of an arc that would be hidden stands so far beside it

/** @param {HTMLElement} root */
export function createArcs(root) {
  root.className = 'arcs';
  root.ariaHidden = 'true';
  /** @type {ArcsData} */
  let last;
  let frame = 0;
  const redraw = () => void (root.isConnected && draw(root, last)); // a strip that scrolls may outlive it
  const redrawSoon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(redraw);
  };
  // Also when the faces of the text arrive. Drawn in the next frame: WebKit counts what is drawn here as a loop.
  const sizes = new ResizeObserver(redrawSoon);
  const stop = () => {
    sizes.disconnect();
    cancelAnimationFrame(frame);
  };
  return {
    /** @param {ArcsData} data */
    update(data) {
      last = data;
      stop();
      const strips = [...new Set([data.rows(), data.keys()])];
      if (strips.includes(null)) return void (root.hidden = true);
      // Draws once it is laid out: the observer reports each new element.
      for (const list of strips) {
        for (const each of [list, ...wordsIn(list)]) if (each) sizes.observe(each);
        if (list) list.onscroll = redrawSoon;
      }
    },
    destroy: stop,
  };
}

/**
 * The selected cell's arc, the others of its row, and of every other row the strongest.
 * @param {{
 *   data: Float32Array, row: number, key: number, rowWords: readonly string[], columnWords: readonly string[],
 *   isSelf: boolean,
 * }} now weights [rows, columns] flat; `isSelf`: rows and columns are the same words
 * @param {number} [grown] rows that are shown
 * @returns {Arc[]}
 */
export function arcsOf({ data, row, key, rowWords, columnWords, isSelf }, grown = Infinity) {
  /** @type {Arc[]} */
  const all = [{ row, key, weight: data[row * columnWords.length + key], part: 'selected' }];
  for (let each = 0; each < Math.min(rowWords.length, grown); each++) {
    if (each !== row && rowWords.length > MANY) continue;
    const weights = [...data.subarray(each * columnWords.length, (each + 1) * columnWords.length)];
    const most = Math.max(...weights);
    weights.forEach((weight, column) => {
      if (isSelf && column === each) return;
      if (each === row && column !== key && weight >= LEAST_OF_ROW) all.push({ row, key: column, weight, part: 'row' });
      if (each !== row && weight === most && weight >= LEAST_OF_OTHERS)
        all.push({ row: each, key: column, weight, part: 'other' });
    });
  }
  return all;
}

/** @param {HTMLElement | null} list @returns {Iterable<HTMLElement>} */
const wordsIn = (list) => list?.querySelectorAll('.token') ?? [];

/** @param {HTMLElement} root @param {ArcsData} data */
function draw(root, data) {
  const frame = /** @type {Element} */ (root.parentElement).getBoundingClientRect();
  /** @type {Line[]} */
  const lines = [];
  const [rows, keys] = [data.rows(), data.keys()];
  const to = placesOf(keys, lines, frame); // the source stands above
  const from = rows === keys ? to : placesOf(rows, lines, frame);
  const [selected, ...others] = data.arcs.flatMap((arc) => {
    const [start, end] = [from.get(String(arc.row)), to.get(String(arc.key))];
    if (!start || !end || (arc.part !== 'selected' && !(start.isSeen && end.isSeen))) return [];
    return [{ ...arc, ...(start.line === end.line ? over(start, end, arc.part, lines) : between(start, end, lines)) }];
  });
  root.hidden = selected?.part !== 'selected';
  if (root.hidden) return;
  render(
    html`<svg>${others.map(
      ({ path, weight, part, label }) =>
        svg`<path class="arc ${part}" d=${path} opacity=${(0.15 + 0.6 * weight).toFixed(2)}></path>${
          part === 'before'
            ? svg`<text class="arc-weight" transform="translate(${label.x} ${label.y})" dy="0.35em">was ${formatShare(
                weight,
              )}</text>`
            : nothing
        }`,
    )}${chosen(selected, data.isOff)}</svg>`,
    root,
  );
}

/**
 * The arc of the selected cell with its weight in a gap.
 * @param {Arc & ReturnType<typeof over>} arc
 * @param {boolean} isOff
 */
function chosen({ path, weight, start, end, label }, isOff) {
  const isLoop = start.x === end.x && start.y === end.y;
  return svg`
    <linearGradient id="arc-colours" gradientUnits="userSpaceOnUse" x1=${end.x} y1=${end.y} x2=${start.x} y2=${start.y}>
      <stop offset="0" class="at-key"></stop><stop offset="1" class="at-query"></stop>
    </linearGradient>
    <path class=${isOff ? 'arc selected off' : 'arc selected'} d=${path} stroke-width=${(1.5 + 3.5 * weight).toFixed(1)}
      stroke=${isLoop ? 'var(--query)' : 'url(#arc-colours)'}></path>
    <text class="arc-weight" transform="translate(${label.x} ${label.y})" dy="0.35em">${
      isOff ? 'head off' : formatShare(weight)
    }</text>`;
}

/**
 * Where the words of a strip stand; its lines join `lines`. Words scrolled out of sight lie at its edge.
 * @param {HTMLElement | null} list @param {Line[]} lines @param {DOMRect} frame
 * @returns {Map<string | undefined, Place>}
 */
function placesOf(list, lines, frame) {
  const places = new Map();
  const box = list?.getBoundingClientRect() ?? frame;
  const inside = (/** @type {number} */ y) => Math.round(Math.max(box.top, Math.min(box.bottom, y)) - frame.top);
  const isMirrored = list?.dir === 'rtl';
  let end = -Infinity;
  for (const token of wordsIn(list)) {
    const { left, right, top, bottom } = /** @type {Element} */ (token.firstElementChild).getBoundingClientRect();
    if (top > end - 1) {
      const start = inside(top);
      const space = start - (lines.at(-1)?.bottom ?? start - bandOf(token));
      lines.push({ top: start, bottom: inside(bottom), space, ends: [], isMirrored });
    }
    end = bottom;
    lines.at(-1)?.ends[isMirrored ? 'unshift' : 'push']([left - frame.left, right - frame.left]);
    const x = Math.round((left + right) / 2 - frame.left);
    const isSeen = top >= box.top - 1 && bottom <= box.bottom + 1;
    places.set(token.dataset.row ?? token.dataset.key, { x, line: lines.length - 1, isSeen });
  }
  return places;
}

/** The space for arcs above the first line of a strip. @param {Element} token */
const bandOf = (token) => parseFloat(getComputedStyle(token).getPropertyValue('--band'));

/**
 * An arc above a line.
 * @param {Place} from @param {Place} to @param {Arc['part']} part @param {Line[]} lines
 */
function over(from, to, part, lines) {
  const { top, space } = lines[from.line];
  const [start, end] = [from, to].map(({ x }) => ({ x, y: top + 2 }));
  const rise = (part === 'selected' ? 3 * LABEL : LOW) + STEEP * Math.abs(end.x - start.x);
  const height = Math.max(LOW, Math.min(space - (part === 'selected' ? LABEL : 2 * LABEL), rise));
  const y = start.y - (4 / 3) * height; // a cubic reaches 3/4 of its handles
  const out = start.x === end.x ? LOOP : 0;
  const path = `M${start.x} ${start.y}C${start.x + out} ${y} ${end.x - out} ${y} ${end.x} ${end.y}`;
  return { path, start, end, label: { x: (start.x + end.x) / 2, y: start.y - height } };
}

/**
 * An arc between two lines; it passes those in between through a gap of theirs.
 * @param {Place} from @param {Place} to @param {Line[]} lines
 */
function between(from, to, lines) {
  const [upper, lower] = from.line < to.line ? [from, to] : [to, from];
  let [x, y] = [upper.x, lines[upper.line].bottom + 1];
  const begin = { x, y };
  let path = `M${x} ${y}`;
  let label = { x, y, across: -1 };
  for (let at = upper.line + 1; at <= lower.line; at++) {
    const { top, bottom, ends, isMirrored } = lines[at];
    const isLast = at === lower.line;
    const next = isLast ? lower.x : nearest(gapsOf(ends), x + (lower.x - x) / (lower.line - at + 1));
    const middle = (y + top) / 2;
    path += `C${x} ${middle} ${next} ${middle} ${next} ${top + 2}`;
    if (!isLast) path += `V${bottom}`;
    const across = Math.abs(next - x);
    if (across > label.across)
      label = { x: across < SHORT ? besideOf(x, next, isMirrored) : (x + next) / 2, y: middle, across };
    [x, y] = [next, isLast ? top + 2 : bottom];
  }
  const finish = { x, y };
  const [start, end] = upper === from ? [begin, finish] : [finish, begin];
  return { path, start, end, label };
}

/** Where the text goes on, not beyond its beginning. @param {number} a @param {number} b @param {boolean} isMirrored */
const besideOf = (a, b, isMirrored) => (isMirrored ? Math.min(a, b) - BESIDE : Math.max(a, b) + BESIDE);

/** Between the words of a line, and beside it. @param {Line['ends']} ends */
const gapsOf = (ends) => [
  ends[0][0] - EDGE,
  ...ends.slice(1).flatMap(([left], i) => (left - ends[i][1] > 2 ? (left + ends[i][1]) / 2 : [])),
  ends[ends.length - 1][1] + EDGE,
];

/** @param {number[]} values @param {number} to */
const nearest = (values, to) =>
  Math.round(values.reduce((best, each) => (Math.abs(each - to) < Math.abs(best - to) ? each : best)));
