// The rows of Why before the product, in today's models: queries and keys divided by their root mean square (qkNorm),
// then turned by their positions, pair by pair of dimensions. Fetched with the first that needs it.

import { html, nothing, svg } from 'lit-html';
import { bars, limitsOf } from '../../draw/bars.js';
import { equation } from '../../draw/equation.js';
import { shortValue, withMinus } from '../../draw/numbers.js';
import { addStyle } from '../../kit/feature.js';
import style from './turned.css';

/**
 * @typedef {import('../../draw/weight-why.js').ComputationData} ComputationData
 * @typedef {import('../../draw/weight-why.js').Row} Row
 *
 * One pair of dimensions: angles of query and key in radians before and after, how far each has turned, and the
 * lengths as a share of the longest pair of the vector.
 * @typedef {{
 *   turn: number, query: {angle: number, turned: number, length: number},
 *   key: {angle: number, turned: number, length: number}, before: number, after: number,
 * }} Pair
 */

addStyle(style);

/** @param {ComputationData} data @returns {Row[]} */
export function earlierRows(data) {
  const { gains, turns } = /** @type {NonNullable<ComputationData['earlier']>} */ (data.earlier);
  return [...(gains ? [normRow(data)] : []), ...(turns ? [turnRow(data, turns)] : [])];
}

/** The root mean square, by which a norm divides a vector. @param {Float32Array} x @param {number} epsilon */
export const rootMeanSquare = (x, epsilon) =>
  Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length + epsilon);

/** @param {ComputationData} data @returns {Row} */
function normRow(data) {
  const { stages, earlier, row, column } = data;
  const [raw, normed] = stages;
  const epsilon = earlier?.epsilon ?? 0;
  const divisor = (/** @type {'query' | 'key'} */ what) => shortValue(rootMeanSquare(raw[what], epsilon));
  return {
    label: 'RMSNorm',
    unit: '',
    parts: 1,
    show: (done, dimension, word) => ({
      name: 'normed',
      content: html`<div class="why-terms">
        <span class="why-label" data-row=${row}>query of ${word(data, 'query')}</span>
        ${bars(done ? normed.query : raw.query, limitsOf(raw.query, normed.query), { name: 'query', dimension, row })}
        <span class="why-label" data-key=${column}>key of ${word(data, 'key')}</span>
        ${bars(done ? normed.key : raw.key, limitsOf(raw.key, normed.key), { name: 'key', dimension, key: column })}
        </div>`,
      number: nothing,
      note: html`<span class="query">query</span> ÷ ${divisor('query')}, <span class="key">key</span> ÷
        ${divisor('key')}, each × its gain`,
    }),
  };
}

/** @param {ComputationData} data @param {Float64Array} turns @returns {Row} */
function turnRow(data, turns) {
  const { row, column } = data;
  const pairs = pairsOf(data, turns);
  return {
    label: 'rotary',
    unit: 'pairs',
    parts: pairs.length,
    show(done, dimension, word, point) {
      const isPlaying = done > 0 && done < pairs.length;
      const at = isPlaying ? done - 1 : (dimension ?? 0) % pairs.length;
      const pair = pairs[at];
      const isTurned = at < done;
      const apart = row - column;
      const turn = pair.turn * DEGREES;
      const { operands, results } = equation([turn], [{ value: apart * turn, from: ([each]) => apart * each }]);
      const about = `${pairs.length} pairs of dimensions, each turned by its own angle`;
      const rest = data.stages[0].query.length - 2 * pairs.length; // a part of the head turns
      const choose = (/** @type {PointerEvent} */ event) => point(pairAt(event));
      return {
        name: 'turns',
        content: html`<div class="turns-picture">
          ${large(pair, isTurned)}
          <div class="turns-pairs" role="img" aria-label=${about} @pointermove=${choose} @pointerdown=${choose}
            @pointerleave=${() => point(null)}>${pairs.map((each, i) => small(each, i, i < done, i === at))}</div>
          <p class="turns-line">Pair ${at} of each vector turns ${operands[0]}° a position: the
            <span class="query">query</span>, ${word(data, 'query')}, ${row} ${times(row)}, the
            <span class="key">key</span>, ${word(data, 'key')}, ${column} ${times(column)}. Only the distance counts:
            ${withMinus(String(apart))} × ${operands[0]}° = ${results[0]}°.${
              rest ? ` The other ${rest} dimensions of the head do not turn.` : nothing
            }</p></div>`,
        number: html`<strong class="why-number">${degrees(isTurned ? pair.after : pair.before)}</strong>`,
        note: isTurned ? `between them, was ${degrees(pair.before)}` : 'between them',
      };
    },
  };
}

/** @param {number} count */
const times = (count) => (count === 1 ? 'time' : 'times');

/** @param {ComputationData} data @param {Float64Array} turns @returns {Pair[]} */
export function pairsOf({ stages, row, column }, turns) {
  const half = turns.length;
  const [before, after] = stages.slice(-2);
  const longest = (/** @type {Float32Array} */ x) =>
    turns.reduce((most, _, i) => Math.max(most, Math.hypot(x[i], x[i + half])), 0) || 1;
  const most = { query: longest(before.query), key: longest(before.key) };
  const positions = { query: row, key: column };
  return Array.from(turns, (turn, i) => {
    const hand = (/** @type {'query' | 'key'} */ what) => {
      const x = before[what];
      const angle = Math.atan2(x[i + half], x[i]);
      return { angle, turned: positions[what] * turn, length: Math.hypot(x[i], x[i + half]) / most[what] };
    };
    const angleAfter = (/** @type {'query' | 'key'} */ what) => Math.atan2(after[what][i + half], after[what][i]);
    const [query, key] = [hand('query'), hand('key')];
    return {
      turn,
      query,
      key,
      before: wrapped(query.angle - key.angle),
      after: wrapped(angleAfter('query') - angleAfter('key')),
    };
  });
}

/** Between −π and π. @param {number} angle */
const wrapped = (angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

const DEGREES = 180 / Math.PI;

/** @param {number} angle */
const degrees = (angle) => `${shortValue(angle * DEGREES)}°`;

/** The pair under the pointer. @param {PointerEvent} event */
function pairAt({ target }) {
  const pair = target instanceof Element && target.closest('[data-pair]');
  return pair ? Number(pair.getAttribute('data-pair')) : null;
}

/**
 * The rotation of a hand as a style, within one full turn, so that readers can follow it.
 * @param {number} angle
 */
const rotation = (angle) => `rotate: ${((-angle * DEGREES) % 360).toFixed(2)}deg`;

/**
 * A vector of two dimensions as a hand.
 * @param {Pair['query']} hand @param {string} name @param {boolean} isTurned
 */
function hand({ angle, turned, length }, name, isTurned) {
  const [x, y] = [length * Math.cos(angle), -length * Math.sin(angle)];
  return svg`<line class=${name} x2=${x.toFixed(3)} y2=${y.toFixed(3)}
    .style=${isTurned ? rotation(turned) : 'rotate: 0deg'}></line>`;
}

/** @param {Pair} pair @param {number} i @param {boolean} isTurned @param {boolean} isHere */
const small = (pair, i, isTurned, isHere) => html`<svg viewBox="-1.1 -1.1 2.2 2.2" aria-hidden="true"
  class=${`turns-dial ${isHere ? 'here' : ''}`} data-pair=${i}><circle r="1"></circle>
  ${hand(pair.key, 'key', isTurned)}${hand(pair.query, 'query', isTurned)}</svg>`;

/** One pair, with the way that each hand has turned. @param {Pair} pair @param {boolean} isTurned */
const large = (
  { query, key },
  isTurned,
) => html`<svg viewBox="-1.1 -1.1 2.2 2.2" aria-hidden="true" class="turns-large">
  <circle r="1"></circle>
  ${isTurned ? [pale(key, 'key'), pale(query, 'query'), arc(key, 'key', 0.5), arc(query, 'query', 0.7)] : nothing}
  ${hand(key, 'key', isTurned)}${hand(query, 'query', isTurned)}</svg>`;

/** Where a hand was. @param {Pair['query']} of @param {string} name */
const pale = ({ angle, length }, name) =>
  svg`<line class=${`${name} pale`} x2=${length * Math.cos(angle)} y2=${-length * Math.sin(angle)}></line>`;

/** @param {Pair['query']} of @param {string} name @param {number} radius */
function arc({ angle, turned }, name, radius) {
  if (Math.abs(turned) >= 2 * Math.PI) return svg`<circle class=${`${name} way`} r=${radius}></circle>`;
  const end = (/** @type {number} */ at) => `${radius * Math.cos(at)} ${-radius * Math.sin(at)}`;
  const isLong = Math.abs(turned) > Math.PI ? 1 : 0;
  return svg`<path class=${`${name} way`}
    d="M ${end(angle)} A ${radius} ${radius} 0 ${isLong} 0 ${end(angle + turned)}"></path>`;
}
