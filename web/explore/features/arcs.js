// The attention of the selected head as arcs over the sentence, where its words stand on one line.

import { html, render, svg } from 'lit-html';
import { formatShare } from '../../draw/share.js';
import { attentionName } from '../../engine/plan.js';
import { component } from '../../kit/component.js';
import { weightsAt } from '../shared/weights.js';

/**
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * `part`: the cell that is selected, another of its row, one of another row.
 * @typedef {{row: number, key: number, weight: number, part: 'selected' | 'row' | 'other'}} Arc
 * @typedef {{rows: Stack, keys: Stack, arcs: Arc[], isOff: boolean}} ArcsData
 * @typedef {{x: number, y: number}} Point
 */

const LEAST_OF_ROW = 0.1; // a thinner one says nothing
const LEAST_OF_OTHERS = 0.25;
const LONGEST = 64; // words: more never stand on one line
const [LOW, STEEP, LABEL] = [9, 0.09, 9]; // px: the lowest arc, its growth for each px between words, half a label
const LOOP = 16; // px: half the width of the arc from a word to itself

/** @type {import('../index.js').Feature} */
export const arcs = {
  name: 'arcs',
  slot: 'input',
  first: true,
  typing: true, // an unknown word moves the others
  needs: ({ state: { selection } }) => [attentionName(selection.kind, selection.layer, 'weights')],
  render({ result, state }) {
    const now = weightsAt(result, state);
    if (!now) return result.plan.settings.heads ? undefined : null;
    const { stack, columnStack, rowWords, columnWords } = now;
    const isSelf = stack === columnStack;
    // A generated target shows what the decoder wrote; it read the word before, so every arc would be off by one.
    const isShifted = isSelf && result.plan.tokens[stack]?.predicted;
    if (isShifted || now.row < 0 || now.key < 0 || Math.max(rowWords.length, columnWords.length) > LONGEST) return null;
    return html`${overWords({ rows: stack, keys: columnStack, arcs: arcsOf(now), isOff: isOff(result, now) })}`;
  },
};

const overWords = component((root) => {
  root.id = root.className = 'arcs';
  root.ariaHidden = 'true';
  /** @type {ArcsData} */
  let last;
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
    /** @param {ArcsData} data */
    update(data) {
      last = data;
      stop();
      const strips = [...new Set([data.rows, data.keys])].map(stripOf);
      if (strips.includes(null)) return redraw();
      // Draws once it is laid out: the observer reports each new element.
      for (const list of strips) for (const each of [list, ...(list?.children ?? [])]) if (each) sizes.observe(each);
    },
    destroy: stop,
  };
});

/**
 * The selected cell's arc, the others of its row, and of every other row the strongest.
 * @param {NonNullable<ReturnType<typeof weightsAt>>} now
 * @returns {Arc[]}
 */
function arcsOf({ data, row, key, rowWords, columnWords, stack, columnStack }) {
  /** @type {Arc[]} */
  const all = [{ row, key, weight: data[row * columnWords.length + key], part: 'selected' }];
  for (let each = 0; each < rowWords.length; each++) {
    const weights = [...data.subarray(each * columnWords.length, (each + 1) * columnWords.length)];
    const most = Math.max(...weights);
    weights.forEach((weight, column) => {
      if (stack === columnStack && column === each) return;
      if (each === row && column !== key && weight >= LEAST_OF_ROW) all.push({ row, key: column, weight, part: 'row' });
      if (each !== row && weight === most && weight >= LEAST_OF_OTHERS)
        all.push({ row: each, key: column, weight, part: 'other' });
    });
  }
  return all;
}

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {{selection: import('../../app/schema.js').Selection}} shown
 */
function isOff({ plan: { interventions } }, { selection: { kind, layer, head, mean } }) {
  return (
    !mean &&
    interventions.some(
      (each) => each.what === 'head' && !each.to && each.kind === kind && each.layer === layer && each.head === head,
    )
  );
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

/** @param {HTMLElement} root @param {ArcsData} data */
function draw(root, data) {
  const [rows, keys] = [stripOf(data.rows), stripOf(data.keys)];
  root.hidden = !isLine(rows) || !isLine(keys);
  if (root.hidden) return;
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
