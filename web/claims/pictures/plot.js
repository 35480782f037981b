// Curves and rows of points as SVG, of which mouse, finger and keys read the numbers.

import { format, span } from '../numbers.js';
import { scaleOf } from './scale.js';
import { partsOf, spoken } from '../wording.js';

/**
 * @typedef {import('../../../src/claims/shared/picture.js').Axis} Axis
 * @typedef {import('../../../src/claims/shared/picture.js').Curves} Curves
 * @typedef {import('../../../src/claims/shared/picture.js').Rows} Rows
 *
 * A point that can be read: where it is drawn, its text, and the line that it is on.
 * @typedef {{x: number, y: number, text: string, path: SVGElement | null}} Spot
 * @typedef {{nodes: SVGElement[], spots: Spot[][], height: number}} Drawing `spots`: by line, in order
 */

const SVG = 'http://www.w3.org/2000/svg';
// In px, at a font of 16 px.
const LETTER = 6.6;
const LINE = 16;
const DOT = 3.5;
const PAD = 8;
/** Of curves, unless the style sheet says otherwise. */
const HEIGHT = 230;
const FONT = 15; // px of the page, of which the figure's 12 are made
const NEAR = 32;
export const DASHES = ['none', '7 3', '2 3', '8 3 2 3'];
const SHAPES = [
  `M${-DOT} 0a${DOT} ${DOT} 0 1 0 ${2 * DOT} 0a${DOT} ${DOT} 0 1 0 ${-2 * DOT} 0Z`,
  'M-3 -3H3V3H-3Z',
  'M0 -4.6L4.6 0L0 4.6L-4.6 0Z',
  'M0 -4.4L4.4 3.4H-4.4Z',
];

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [content] */
function make(tag, attributes, content = '') {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = content;
  return made;
}

/** @param {number} series @param {boolean} [target] */
export const classOf = (series, target) => `picture-series picture-${target ? 'target' : `hue-${series % 4}`}`;

/** The sign of a point of a series. @param {number} series @param {number} x @param {number} y */
export const dot = (series, x, y) =>
  make('path', {
    class: `picture-dot ${classOf(series)}`,
    'fill-opacity': 0.55, // a saved figure keeps attributes
    d: SHAPES[series % 4],
    transform: `translate(${x} ${y})`,
  });

const SHIFT = /** @type {Record<string, number>} */ ({ '': 0, _: 3, '^': -4 }); // px of indices at a font of 12 px

/**
 * Attributes, as a saved figure keeps no style.
 * @param {number} x @param {number} y @param {string} content @param {string} [anchor] @param {string} [name]
 */
function text(x, y, content, anchor = 'start', name = 'picture-number') {
  const made = make('text', { x, y, 'text-anchor': anchor, class: name, 'paint-order': 'stroke' });
  const parts = partsOf(content);
  if (parts.length === 1) made.textContent = parts[0].text;
  let at = 0;
  for (const { mark, text: part } of parts.length === 1 ? [] : parts) {
    if (!part) continue; // its shift would be lost
    made.append(make('tspan', { dy: SHIFT[mark] - at, ...(mark ? { 'font-size': '9px' } : {}) }, part));
    at = SHIFT[mark];
  }
  return made;
}

/** @param {string} content */
const widthOf = (content) => spoken(content).length * LETTER;

/** @typedef {readonly [x: number, y: number]} Ink a place where something is drawn */

/** Along a line, so close that no letter fits between. @param {Ink[]} points */
const along = (points) =>
  points.flatMap(([x, y], i) => {
    const [fromX, fromY] = points[Math.max(0, i - 1)];
    const steps = Math.ceil(Math.hypot(x - fromX, y - fromY) / 4) || 1;
    return Array.from({ length: steps }, (_, s) => {
      const share = (s + 1) / steps;
      return /** @type {Ink} */ ([fromX + share * (x - fromX), fromY + share * (y - fromY)]);
    });
  });

/**
 * The name of a horizontal level, above or below it, as far to the right as nothing else is drawn there.
 * @param {string} name
 * @param {number} y of the level
 * @param {{left: number, right: number, top: number, floor: number}} frame
 * @param {readonly Ink[]} ink
 */
function levelName(name, y, { left, right, top, floor }, ink) {
  const width = widthOf(name);
  for (let end = right; end - width > left; end -= LETTER)
    for (const base of [y - 4, y + 14]) {
      const isFree = !ink.some(
        ([px, py]) => px > end - width - DOT && px < end + DOT && py > base - 10 - DOT && py < base + 2 + DOT,
      );
      if (isFree && base - 10 > top - LINE && base < floor) return text(end, base, name, 'end', 'picture-name');
    }
  return text(right, y - 4, name, 'end', 'picture-name');
}

/** @param {Axis} axis @param {number} value */
const valueText = ({ percent, labels, beyond }, value) =>
  value === Infinity && beyond
    ? beyond
    : labels
      ? labels[value]
      : percent
        ? `${format(Number((100 * value).toPrecision(4)))} %`
        : format(value);

/** @param {Curves} panel @param {number} width @param {number} height @returns {Drawing} */
function drawCurves({ x, y, series, lines, levels = [] }, width, height) {
  const all = lines.flatMap(({ points }) => points);
  const on = (/** @type {boolean} */ vertical) =>
    levels.filter((level) => Boolean(level.vertical) === vertical).map(({ at }) => at);
  // the titles of axis and vertical levels stand above each other
  const [top, bottom] = [(levels.some(({ vertical }) => vertical) ? 2.5 : 1.6) * LINE, 2.6 * LINE];
  const inner = height - top - bottom - 2 * PAD;
  const up = scaleOf(y, [...all.map(([, one]) => one), ...on(false)], inner / LINE, true);
  const left = PAD + LETTER * Math.max(...up.ticks.map(({ text: one }) => one.length));
  const right = width - PAD - LETTER;
  const across = scaleOf(x, [...all.map(([one]) => one), ...on(true)], (right - left - 2 * PAD) / LETTER);
  const toX = (/** @type {number} */ value) => round(left + PAD + across.share(value) * (right - left - 2 * PAD));
  const toY = (/** @type {number} */ value) => round(top + PAD + (1 - up.share(value)) * inner);
  const floor = height - bottom;
  /** @type {Spot[][]} */
  const spots = [];
  /** @type {Ink[]} */
  const ink = [];
  const drawn = lines.map(({ series: s, label, points, joined, dots }) => {
    const { name, target } = series[s];
    const group = make('g', { class: classOf(s, target) });
    const known = points.filter(([, value]) => !Number.isNaN(value));
    const path = joined
      ? group.appendChild(
          make('path', {
            class: 'picture-line',
            d: known.map(([px, py], i) => `${i ? 'L' : 'M'}${toX(px)} ${toY(py)}`).join(''),
            'stroke-dasharray': target ? '1 3' : DASHES[s % 4],
          }),
        )
      : null;
    known.forEach(([px, py], i) => {
      if (!(Array.isArray(dots) ? dots.includes(i) : dots)) return;
      if (Number.isFinite(py)) group.append(dot(s, toX(px), toY(py)));
      else group.append(text(toX(px), toY(py) + 4, '▲', 'middle', 'picture-beyond'));
    });
    const places = known.map(([px, py]) => /** @type {Ink} */ ([toX(px), toY(py)]));
    ink.push(...(joined ? along(places) : places));
    spots.push(
      known.map(([px, py]) => ({
        x: toX(px),
        y: toY(py),
        path,
        text:
          `${[name, label].filter(Boolean).join(', ')}: ` +
          `${x.title} ${valueText(x, px)}, ${y.title} ${valueText(y, py)}`,
      })),
    );
    return group;
  });
  return {
    height,
    spots,
    nodes: [
      text(0, 12, y.title, 'start', 'picture-title'),
      text(right, height - 4, x.title, 'end', 'picture-title'),
      ...up.ticks.flatMap(({ at, text: one }) => [
        make('path', { class: 'picture-grid', d: `M${left} ${toY(at)}H${right}` }),
        text(left - 6, toY(at) + 4, one, 'end'),
      ]),
      ...across.ticks.flatMap(({ at, text: one }) => [
        make('path', { class: 'picture-axis', d: `M${toX(at)} ${floor}v4` }),
        text(toX(at), floor + LINE, one, 'middle'),
      ]),
      make('path', { class: 'picture-axis', d: `M${left} ${top}V${floor}H${right}` }),
      ...levels.map(({ at, vertical }) =>
        make('path', {
          class: 'picture-level',
          d: vertical ? `M${toX(at)} ${top}V${floor}` : `M${left} ${toY(at)}H${right}`,
        }),
      ),
      ...drawn,
      ...levels.map(({ name, at, vertical }) =>
        vertical
          ? text(toX(at), top - 4, name, toX(at) > (left + right) / 2 ? 'end' : 'start', 'picture-name')
          : levelName(name, toY(at), { left, right, top, floor }, ink),
      ),
    ],
  };
}

/** @param {Rows} panel @param {number} width @returns {Drawing} */
function drawRows({ x, series, rows, levels = [], bars }, width) {
  const all = rows.flatMap(({ marks }) => marks);
  const [left, right] = [PAD, width - PAD - LETTER];
  const top = levels.length ? LINE : 0;
  const high = 32 + 8 * (series?.length ?? 1);
  const floor = top + rows.length * high;
  const across = scaleOf(
    x,
    [...all.map(({ value }) => value), ...levels.map(({ at }) => at)],
    (right - left - 2 * PAD) / LETTER,
  );
  const toX = (/** @type {number} */ value) => round(left + PAD + across.share(value) * (right - left - 2 * PAD));
  /** @type {Spot[][]} */
  const spots = [];
  /** Where words stand in a row, from and to. @type {[from: number, to: number][][]} */
  const taken = [];
  const drawn = rows.flatMap(({ label, marks }, r) => {
    const base = top + r * high;
    const values = marks.map(({ value }) => value);
    const written = x.percent ? `${span(values.map((value) => Number((100 * value).toPrecision(3))))} %` : span(values);
    const fits = !series && values.length > 0 && widthOf(label + written) + 2 * LETTER < right - left;
    taken.push([
      [left, left + widthOf(label)],
      ...(fits ? [/** @type {[number, number]} */ ([right - widthOf(written), right])] : []),
    ]);
    spots.push(
      marks.map(({ series: s, label: seed, value }) => ({
        x: toX(value),
        y: base + 24 + 8 * (series ? s : 0),
        path: null,
        text: `${[label, series?.[s].name, seed].filter(Boolean).join(', ')}: ${valueText(x, value)}`,
      })),
    );
    return [
      make('path', { class: 'picture-grid', d: `M${left} ${base + 24}H${right}` }),
      text(left, base + 12, label, 'start', 'picture-label'),
      ...(fits ? [text(right, base + 12, written, 'end', 'picture-name')] : []),
      ...marks.map(({ series: s, value }, i) => {
        const spot = spots[r][i];
        if (value === Infinity) return text(spot.x, spot.y + 4, '▶', 'end', 'picture-beyond');
        return bars
          ? make('path', {
              class: `picture-bar ${classOf(s)}`,
              d: `M${toX(Math.max(0, x.low ?? 0))} ${base + 18}H${spot.x}v12H${toX(0)}Z`,
            })
          : dot(s, spot.x, spot.y);
      }),
    ];
  });
  return {
    height: floor + 2.4 * LINE,
    spots,
    nodes: [
      make('path', { class: 'picture-axis', d: `M${left} ${floor}H${right}` }),
      ...across.ticks.flatMap(({ at, text: one }) => [
        make('path', { class: 'picture-axis', d: `M${toX(at)} ${floor}v4` }),
        text(toX(at), floor + LINE, one, 'middle'),
      ]),
      text(right, floor + 2.2 * LINE, x.title, 'end', 'picture-title'),
      ...levels.flatMap(({ name, at }) => [
        make('path', {
          class: 'picture-level',
          // not through the words of a row
          d: taken
            .map((words, r) => {
              const isFree = words.every(([from, to]) => toX(at) < from - 3 || toX(at) > to + 3);
              return `M${toX(at)} ${top + r * high + (isFree ? 0 : LINE)}V${top + (r + 1) * high}`;
            })
            .join(''),
        }),
        text(toX(at), top - 4, name, toX(at) > (left + right) / 2 ? 'end' : 'start', 'picture-name'),
      ]),
      ...drawn,
    ],
  };
}

/**
 * @param {Curves | Rows} panel
 * @param {(text: string) => void} onRead the text of the point that is pointed at, or ''
 */
export function createPlot(panel, onRead) {
  const box = document.createElement('div');
  box.className = 'picture-plot';
  box.tabIndex = 0;
  box.role = 'application';
  box.ariaRoleDescription = 'chart';
  box.ariaLabel = spoken(summaryOf(panel));
  const svg = make('svg', { 'aria-hidden': 'true' });
  box.append(svg);
  /** @type {Spot[][]} */
  let spots = [];
  let [line, index] = [-1, 0];
  let [shown, inner] = [0, 1];
  const ring = make('circle', { class: 'picture-here', r: 7 });

  /** @param {number} width in pixels */
  const draw = (width) => {
    if (width === shown || width < 1) return;
    shown = width;
    const style = getComputedStyle(box);
    inner = width / ((parseFloat(style.fontSize) || FONT) / FONT); // text as large as around it
    const height = parseFloat(style.getPropertyValue('--plot-height')) || HEIGHT;
    const drawing = panel.kind === 'curves' ? drawCurves(panel, inner, height) : drawRows(panel, inner);
    spots = drawing.spots;
    svg.setAttribute('viewBox', `0 0 ${inner} ${drawing.height}`);
    svg.replaceChildren(...drawing.nodes, ring);
    go(line, index); // the reader stays at the same point
  };

  /** @param {number} nextLine -1: nowhere @param {number} nextIndex */
  const go = (nextLine, nextIndex) => {
    spots[line]?.[index]?.path?.classList.remove('here');
    [line, index] = [nextLine, nextIndex];
    const spot = spots[line]?.[index];
    ring.setAttribute('visibility', spot ? 'visible' : 'hidden');
    onRead(spot?.text ?? '');
    if (!spot) return;
    spot.path?.classList.add('here');
    ring.setAttribute('cx', String(spot.x));
    ring.setAttribute('cy', String(spot.y));
  };

  const point = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const bounds = svg.getBoundingClientRect();
    const unit = inner / bounds.width;
    const [x, y] = [(clientX - bounds.left) * unit, (clientY - bounds.top) * unit];
    let best = { distance: NEAR, line: -1, index: 0 };
    spots.forEach((list, l) =>
      list.forEach((spot, i) => {
        const distance = Math.hypot(spot.x - x, spot.y - y);
        if (distance < best.distance) best = { distance, line: l, index: i };
      }),
    );
    go(best.line, best.index);
  };
  box.addEventListener('pointermove', point);
  box.addEventListener('pointerdown', point);
  box.addEventListener('pointerleave', () => go(-1, 0));
  box.addEventListener('blur', () => go(-1, 0));
  box.addEventListener('keydown', (event) => {
    const used = spots.flatMap((list, l) => (list.length ? [l] : []));
    if (event.altKey || event.ctrlKey || event.metaKey || !used.length) return;
    const at = Math.max(0, used.indexOf(line));
    const turn = (/** @type {number} */ by) => {
      const to = used[(at + by + used.length) % used.length];
      go(to, Math.min(index, spots[to].length - 1));
    };
    const last = spots[used[at]].length - 1;
    const step = (/** @type {number} */ to) => go(used[at], Math.min(last, Math.max(0, to)));
    const from = line < 0 ? -1 : index;
    const moves = /** @type {Record<string, () => void>} */ ({
      ArrowRight: () => step(from + 1),
      ArrowLeft: () => step(line < 0 ? last : from - 1),
      ArrowDown: () => (line < 0 ? step(0) : turn(1)),
      ArrowUp: () => (line < 0 ? step(0) : turn(-1)),
      Home: () => step(0),
      End: () => step(last),
      Escape: () => go(-1, 0),
    });
    if (!(event.key in moves)) return;
    event.preventDefault();
    moves[event.key]();
  });

  draw(520);
  new ResizeObserver(([{ contentRect }]) => requestAnimationFrame(() => draw(contentRect.width))).observe(box);
  return box;
}

/** A sentence for readers who do not see it. @param {Curves | Rows} panel */
function summaryOf(panel) {
  if (panel.kind === 'rows') {
    const rows = panel.rows.map(({ label, marks }) => `${label}: ${span(marks.map(({ value }) => value))}`);
    return `${panel.title}. ${rows.join('; ')}`;
  }
  const parts = panel.series.map(({ name }, s) => {
    const values = panel.lines.filter(({ series }) => series === s).flatMap(({ points }) => points.map(([, y]) => y));
    return values.length ? `${name}: ${span(values)}` : '';
  });
  return `${panel.title}, ${panel.y.title} against ${panel.x.title}. ${parts.filter(Boolean).join('; ')}`;
}

/** @param {number} value */
const round = (value) => Math.round(10 * value) / 10;
