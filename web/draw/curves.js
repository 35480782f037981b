// Lines over a common horizontal axis, as SVG: axes with round numbers, one style a line, a marker at one place.

import { labelStep } from './axis.js';

/**
 * `points`: x ascending; NaN and what is missing breaks the line.
 * @typedef {{
 *   name: string, xs: ArrayLike<number>, ys: ArrayLike<number>, style?: 'solid' | 'dashed', color?: string,
 *   dash?: string,
 * }} Line
 * @typedef {{
 *   title: string, xTitle: string, lines: Line[], to: number, high: number, at: number | null,
 *   format?: (value: number) => string, summary: string, low?: number,
 * }} CurvesData `to`: the end of the horizontal axis; `high`: of the vertical one; `at`: where the marker stands;
 * `low`: where a vertical axis in powers of ten begins, from one to another
 */

const SVG = 'http://www.w3.org/2000/svg';
const LEFT = 44;
const BOTTOM = 20;
const TOP = 8;
const RIGHT = 10;
const TICK_SPACE = { x: 56, y: 28 }; // px
const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/**
 * @param {HTMLElement} root
 * @param {{height: number, onPick?: (x: number) => void}} options
 */
export function createCurves(root, { height, onPick }) {
  const svg = make('svg', { class: 'curves', height: String(height), role: 'img' });
  root.append(svg);
  const axes = make('g', {});
  const marker = make('path', { class: 'curves-at' });
  const drawn = make('g', {});
  svg.append(axes, marker, drawn);
  let axesShown = ''; // text is what takes long to lay out
  let width = 0;
  /** @type {CurvesData | null} */
  let data = null;

  const observer = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    requestAnimationFrame(draw); // not here: changing sizes here is an error in the console
  });
  observer.observe(root);

  svg.addEventListener('click', (event) => {
    if (!data) return;
    const share = (event.clientX - svg.getBoundingClientRect().left - LEFT) / (width - LEFT - RIGHT);
    onPick?.(Math.round(Math.min(1, Math.max(0, share)) * data.to));
  });

  function draw() {
    if (!data || width <= LEFT + RIGHT) return;
    const { lines, to, high, at, summary, low, format = plain.format } = data;
    const inner = { width: width - LEFT - RIGHT, height: height - TOP - BOTTOM };
    const x = (/** @type {number} */ value) => LEFT + (value / to) * inner.width;
    const share = (/** @type {number} */ value) =>
      low ? Math.max(0, Math.log(value / low) / Math.log(high / low)) : value / high;
    const y = (/** @type {number} */ value) => TOP + (1 - Math.min(1, share(value))) * inner.height;
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    svg.setAttribute('aria-label', summary);
    const axesOf = () => [
      ...(low ? powers(low, high) : ticks(high, inner.height / TICK_SPACE.y)).flatMap((value) => [
        make('path', { class: 'curves-grid', d: `M${LEFT} ${y(value)}H${width - RIGHT}` }),
        text(LEFT - 6, y(value) + 4, low ? powerOf(value) : format(value), 'end'),
      ]),
      ...ticks(to, inner.width / TICK_SPACE.x).map((value) =>
        text(
          Math.min(x(value), width - 2),
          height - 5,
          plain.format(value),
          value === 0 ? 'start' : x(value) > width - TICK_SPACE.x / 2 ? 'end' : 'middle',
        ),
      ),
      make('path', { class: 'curves-axis', d: `M${LEFT} ${TOP}V${TOP + inner.height}H${width - RIGHT}` }),
    ];
    const wanted = [width, to, high, low].join();
    if (wanted !== axesShown) axes.replaceChildren(...axesOf());
    axesShown = wanted;
    marker.setAttribute('d', at === null ? '' : `M${x(at)} ${TOP}v${inner.height}`);
    while (drawn.childElementCount > lines.length) drawn.lastElementChild?.remove();
    lines.forEach(({ xs, ys, style = 'solid', color = '', dash = '' }, i) => {
      const path = /** @type {SVGPathElement} */ (drawn.children[i] ?? drawn.appendChild(make('path', {})));
      path.setAttribute('class', `curves-line ${style}`);
      path.setAttribute('d', pathOf(xs, ys, x, y, inner.width));
      path.style.stroke = color;
      path.style.strokeDasharray = dash;
    });
  }

  return {
    /** @param {CurvesData} next */
    update(next) {
      data = next;
      draw();
    },
    destroy() {
      observer.disconnect();
      svg.remove();
    },
  };
}

/**
 * A path with at most two points a pixel: the lowest and the highest of those that share one.
 * @param {ArrayLike<number>} xs
 * @param {ArrayLike<number>} ys
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 * @param {number} width in pixels
 */
function pathOf(xs, ys, x, y, width) {
  const step = Math.max(1, Math.floor(xs.length / width));
  let path = '';
  let pen = 'M';
  const add = (/** @type {number} */ i) => {
    path += `${pen}${x(xs[i]).toFixed(1)} ${y(ys[i]).toFixed(1)}`;
    pen = 'L';
  };
  for (let from = 0; from < xs.length; from += step) {
    let [low, high] = [from, from];
    for (let i = from; i < Math.min(from + step, xs.length); i++) {
      if (ys[i] < ys[low]) low = i;
      if (ys[i] > ys[high]) high = i;
    }
    if (Number.isFinite(ys[low]) && Number.isFinite(ys[high])) {
      add(Math.min(low, high));
      if (low !== high) add(Math.max(low, high));
    } else pen = 'M';
  }
  return path;
}

/** Round numbers from 0 to a limit. @param {number} limit @param {number} count how many fit */
function ticks(limit, count) {
  const unit = 10 ** Math.floor(Math.log10(limit) - 3);
  const step = unit * labelStep(unit, (limit / Math.max(1, count)) * (1 - 1e-9));
  return Array.from({ length: Math.floor(limit / step + 1e-9) + 1 }, (_, i) => i * step);
}

/** A power of ten as it is written where space is short. @param {number} value */
function powerOf(value) {
  const exponent = Math.round(Math.log10(value));
  if (Math.abs(exponent) < 4) return plain.format(value);
  return `10${String(exponent).replace(/./g, (sign) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '⁻')}`;
}

/** Powers of ten from one to another, at most about six of them. @param {number} low @param {number} high */
function powers(low, high) {
  const first = Math.round(Math.log10(low));
  const count = Math.round(Math.log10(high)) - first;
  const step = Math.ceil(count / 5);
  return Array.from({ length: Math.floor(count / step) + 1 }, (_, i) => 10 ** (first + i * step));
}

/** @param {number} x @param {number} y @param {string} content @param {string} anchor */
function text(x, y, content, anchor) {
  const made = make('text', { x: String(x), y: String(y), 'text-anchor': anchor, class: 'curves-number' });
  made.textContent = content;
  return made;
}

/** @param {string} tag @param {Record<string, string>} attributes */
function make(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
