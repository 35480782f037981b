// Draws how a weight comes about: query · key, scale, softmax among its competitors, times value, to the share of the
// head in the output of its layer; played row by row.

import { html, nothing } from 'lit-html';
import { bar, bars, limitsOf } from './bars.js';
import { equation } from './equation.js';
import { inlineMath, letter, root, space } from './math.js';
import { formatShare, shortValue } from './numbers.js';
import { restOf, standingOf } from './standing.js';
import { big, whySteps, wordIn } from './why.js';

/**
 * One head and one query: `query`, `key` and `value` have the head's dimensions, and a score is the product of the
 * first two; `stages`: what these were and are (`stagesOfQuery`), `earlier`: what made them so; `shared`: how many
 * heads have these keys and values; `place`: kind and layer; `scale`: what the score is divided by, 1 for nothing;
 * `output` of the head, `scores` to `weights` one number for each key, `norms` of what each head adds to the output of
 * the layer. Where an intervention or a mean is made, `lineNote` ends the first sentence, `shareNote` says in place of
 * other words what the last number is, and `replaced` gives the weight that the softmax gave a key, else undefined.
 * @typedef {Record<'scores' | 'scaled' | 'masked' | 'weights' | 'output' | 'norms', Float32Array> & {
 *   title: string, where: string, row: number, column: number, head: number, rowWord: string,
 *   columnWords: string[], query: Float32Array, key: Float32Array, value: Float32Array,
 *   stages: {name: string, query: Float32Array, key: Float32Array}[], shared: number, earlier: Earlier | null,
 *   place: string, scale: number, temperature: number, lineNote?: string, shareNote?: string,
 *   replaced?: (column: number) => number | undefined,
 * }} ComputationData
 * `gains` of the norms of queries and keys; `turns`: the angle of each pair of dimensions from position to position.
 * @typedef {{
 *   gains: {query: Float32Array, key: Float32Array} | null, epsilon: number, turns: Float64Array | null,
 * }} Earlier
 * @typedef {import('./why.js').Frame} Frame
 *
 * A row before the product; `show` draws it with some of its parts done and one dimension pointed at.
 * @typedef {{
 *   label: string, unit: string, parts: number,
 *   show: (done: number, dimension: number | null, word: Word, point: (dimension: number | null) => void) =>
 *     import('./why.js').Step,
 * }} Row
 * @typedef {(data: ComputationData, what: 'query' | 'key') => unknown} Word
 */

const RIVALS = 2;

/** @param {Pick<ComputationData, 'query' | 'key'>} data */
export const termsOf = ({ query, key }) => Float32Array.from(query, (q, d) => q * key[d]);

/** @param {Pick<ComputationData, 'value' | 'weights' | 'column'>} data */
export const weightedOf = ({ value, weights, column }) => Float32Array.from(value, (v) => v * weights[column]);

/**
 * Handlers that select a dimension of the first row by pointer or keys.
 * @param {number} size @param {number | null} dimension @param {(next: number | null) => void} point
 */
export const pointing = (size, dimension, point) => ({
  /** @param {PointerEvent} event */
  point({ currentTarget, clientX }) {
    const shown = /** @type {Element} */ (/** @type {Element} */ (currentTarget).querySelector('svg'));
    const { left, width } = shown.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / width) * size);
    point(at >= 0 && at < size ? at : null);
  },
  leave: () => point(null),
  choose: point,
  /** @param {KeyboardEvent} event */
  move(event) {
    const at = dimension ?? -1;
    /** @type {Record<string, number>} */
    const targets = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: size - 1 };
    if (!(event.key in targets)) return;
    event.preventDefault();
    point(Math.max(0, Math.min(size - 1, targets[event.key])));
  },
});

/** @param {ComputationData} data @param {Row[]} before @param {Frame} frame @returns {import('./why.js').Said} */
export function weightSaid(data, before, { row, part, parts }) {
  const { weights, column, where, lineNote = '' } = data;
  const units = [...before.map(({ unit }) => unit), 'products'];
  return {
    id: 'computation-title',
    title: `Why ${formatShare(weights[column])}?`,
    formula: formula(data),
    line: html`In ${where}, ${word(data, 'query')} ${reasonOf(data)}${sharers(data)}${lineNote}`,
    text: `${[...before.map(({ label }) => label), ...rowNames(data)][row]}${
      part < parts ? `, ${part} of ${parts} ${units[row]}` : ''
    }`,
  };
}

/** The parts that each row plays. @param {ComputationData} data @param {Row[]} [before] */
export const weightParts = ({ query }, before = []) => [...before.map(({ parts }) => parts), query.length, 1, 1, 1];

/** The heads that have the same keys and values. @param {ComputationData} data */
function sharers({ shared, head: at }) {
  if (shared === 1) return '';
  const first = at - (at % shared) + 1;
  return ` Heads ${first} ${shared > 2 ? 'to' : 'and'} ${first + shared - 1} share these keys and values.`;
}

/** Says whether the query attends to the key, and why. @param {ComputationData} data */
function reasonOf(data) {
  const { kind, rival, others, count } = standingOf(data);
  const key = word(data, 'key');
  const at = rival < 0 ? '' : other(data, rival);
  const [own, low, high] = [data.weights[data.column], ...others].map(formatShare);
  const each = count > 2 ? ' each' : '';
  const rest = `the other${each && 's'} ${low === high ? `${low}${each}` : `${low.replace('\u00a0%', '')} to ${high}`}`;
  return {
    set: html`attends to ${key}: an intervention set this weight.`,
    hidden: html`cannot attend to ${key}: the mask hides it.`,
    broken: html`attends to ${key}, with a weight that is no number.`,
    alone: html`attends to ${key}: no other key is in sight.`,
    even: html`spreads its attention almost evenly over ${count} keys: ${key} gets ${own}, ${rest}.`,
    tie: html`attends to ${key}, and as much to ${at}: ${own} each.`,
    near: html`attends most to ${key}, and hardly less to ${at}: ${own} and ${high}.`,
    most: html`attends to ${key}: no other key fits its query better.`,
    more: html`attends most to ${key}, as an intervention set another weight.`,
    slightly: html`attends to ${key}, and slightly more to ${at}: ${own} and ${high}.`,
    less: html`attends to ${key}, but more to ${at}.`,
    hardly: html`hardly attends to ${key}, and most to ${at}.`,
    none: html`does not attend to ${key}: its weight is 0.`,
  }[kind];
}

/** @param {ComputationData} data */
function formula({ query, scale, temperature, earlier, masked, scaled }) {
  const divisors = [...(scale === 1 ? [] : [root(query.length)]), ...(temperature === 1 ? [] : [temperature])];
  const turn = earlier?.turns ? [letter('R')] : []; // by its position
  const isBiased = masked.some((score, at) => Number.isFinite(score) && score !== scaled[at]); // by the distance
  return inlineMath(
    ...['softmax', '(', ...turn, letter('q', 'query'), '·', ...turn, letter('k', 'key')],
    ...divisors.flatMap((each) => ['/', each]),
    ...(isBiased ? ['+', letter('b')] : []),
    ...[')', space('0.2em'), letter('v', 'value')],
  );
}

/** The names of the rows. @param {Pick<ComputationData, 'query'>} data */
const rowNames = ({ query }) => ['query · key', `÷ √${query.length}`, 'softmax', '× value'];

/**
 * @param {Pick<ComputationData, 'row' | 'rowWord' | 'column' | 'columnWords'>} data @param {'query' | 'key'} what
 */
const word = ({ row, rowWord, column, columnWords }, what) =>
  what === 'query' ? wordIn(rowWord, what, { row }) : wordIn(columnWords[column], what, { key: column });

/** @param {ComputationData} data @param {number} at */
const other = ({ columnWords }, at) => wordIn(columnWords[at], '', { key: at });

/** The other keys that are not masked, the strongest first. @param {ComputationData} data */
function rivalsOf({ masked, column }) {
  return [...masked.keys()]
    .filter((at) => at !== column && masked[at] > -Infinity)
    .sort((a, b) => masked[b] - masked[a])
    .slice(0, RIVALS);
}

/**
 * @param {ComputationData} data
 * @param {Row[]} before
 * @param {Frame} frame
 * @param {number | null} dimension that is pointed at
 * @param {Record<'point' | 'leave' | 'move' | 'choose', (event: any) => void>} on
 */
export function weightSteps(data, before, { row, part }, dimension, on) {
  const earlier = before.map(({ show }, at) =>
    show(at < row ? Infinity : at > row ? 0 : part, dimension, word, on.choose),
  );
  const terms = row < before.length ? 0 : row > before.length ? data.query.length : part;
  return whySteps([...earlier, products(data, terms, dimension, on), scaling(data), softmax(data), values(data)], row);
}

/**
 * Score, scaled score and lead over the strongest other key as they are printed: each follows from those before.
 * @param {ComputationData} data
 */
function printedOf(data) {
  const { scores, scaled, masked, weights, column, scale, temperature } = data;
  const rivals = rivalsOf(data);
  const [first] = rivals;
  const isFree = masked[column] === scaled[column]; // the mask adds nothing to it
  const others = rivals.map((at) => masked[at]);
  const own = rivals.length + 1;
  const { operands, results } = equation(
    [scores[column], ...others, ...(isFree ? [] : [masked[column]])],
    [
      { value: scaled[column], from: ([score]) => score / scale / temperature },
      ...(first === undefined
        ? []
        : [
            { value: masked[column] - masked[first], from: (/** @type {number[]} */ known) => known[own] - known[1] },
            {
              value: weights[column] / weights[first],
              from: (/** @type {number[]} */ known) => Math.exp(known[known.length - 1]),
              isShort: true,
            },
          ]),
    ],
  );
  const [score, ...rest] = operands;
  const [scaledText, lead = '', times = ''] = results;
  return {
    score,
    rivals: rest,
    own: isFree ? scaledText : (rest[rivals.length] ?? ''),
    scaled: scaledText,
    lead,
    times,
  };
}

/** Describes the query and the key after the earlier rows. @type {Record<string, string>} */
const NOW = { _normed: 'normed', _rotated: 'turned' };

/**
 * @param {ComputationData} data @param {number} terms how many are summed
 * @param {number | null} dimension @param {Parameters<typeof weightSteps>[4]} on
 */
function products(data, terms, dimension, on) {
  const { query, key, scores, column, row, stages } = data;
  const now = NOW[stages[stages.length - 1].name];
  const all = termsOf(data);
  const size = all.length;
  const limits = limitsOf(query, key);
  const at = dimension ?? all.reduce((best, term, d) => (Math.abs(term) > Math.abs(all[best]) ? d : best), 0);
  const {
    operands: [q, k],
    results: [qk],
  } = equation([query[at], key[at]], [{ value: all[at], from: ([a, b]) => a * b }]);
  const factors = html`<span class="query">${q}</span> × <span class="key">${k}</span>`;
  const partial = terms < size;
  const sum = partial ? all.subarray(0, terms).reduce((so, term) => so + term, 0) : scores[column];
  return {
    name: 'products',
    content: html`<div class="why-terms" role="slider" tabindex="0" aria-label="Dimension" aria-valuemin="0"
      aria-valuemax=${size - 1} aria-valuenow=${at}
      aria-valuetext="${at}: ${q} × ${k} = ${qk}"
      @pointermove=${on.point} @pointerdown=${on.point} @pointerleave=${on.leave} @blur=${on.leave} @keydown=${on.move}>
      <span class="why-label" data-row=${row}>${now ? `query, ${now}` : html`query of ${word(data, 'query')}`}</span>
      ${bars(query, limits, { name: 'query', dimension, row })}
      <span class="why-label" data-key=${column}>${now ? `key, ${now}` : html`key of ${word(data, 'key')}`}</span>
      ${bars(key, limits, { name: 'key', dimension, key: column })}
      <span class="why-label">product</span>
      ${bars(all, limitsOf(all), { name: 'product', dimension, count: terms })}</div>`,
    number: big(partial ? shortValue(sum) : printedOf(data).score),
    note: partial
      ? `sum of ${terms} of ${size}`
      : dimension === null
        ? html`largest${all[at] < 0 ? ' in size' : ''}: ${factors}`
        : html`dimension ${at}: ${factors} = ${qk}`,
  };
}

/** @param {ComputationData} data */
function scaling(data) {
  const { query, scaled, masked, weights, column, scale, temperature } = data;
  const isMasked = masked[column] === -Infinity;
  const notes = [
    ...(scale === 1 ? ['switched off'] : []),
    ...(temperature === 1 ? [] : [`temperature ${temperature}`]),
  ];
  return {
    name: 'scale',
    content: html`<span class="why-label">${`÷ √${query.length}${temperature === 1 ? '' : ` ÷ ${temperature}`}`}</span>
      ${
        isMasked
          ? html`<p class="why-masked">masked: score −∞${weights[column] ? '' : ', weight exactly 0'}</p>`
          : masked[column] === scaled[column]
            ? nothing
            : html`<p class="why-masked">with what the head adds for this distance: ${printedOf(data).own}</p>`
      }`,
    number: big(isMasked ? '−∞' : printedOf(data).scaled),
    note: notes.join(', '),
  };
}

/** @param {ComputationData} data */
function softmax(data) {
  const { weights, columnWords, column } = data;
  const rivals = rivalsOf(data);
  const listed = [column, ...rivals];
  const rest = restOf(data, listed);
  const restWeight = rest.reduce((so, at) => so + weights[at], 0);
  const printed = printedOf(data);
  const scoreOf = (/** @type {number} */ at) => (at === column ? printed.own : printed.rivals[rivals.indexOf(at)]);
  const line = (/** @type {number} */ at) => html`<li data-key=${at} class=${at === column ? 'here' : ''}>
    ${wordIn(columnWords[at], at === column ? 'key' : '', {})}
    <span>${scoreOf(at)}</span>${bar(weights[at])}<span>${formatShare(weights[at])}</span></li>`;
  return {
    name: 'softmax',
    content: html`<span class="why-label">softmax</span><ul class="why-rivals">
      ${listed.map(line)}
      ${
        rest.length
          ? html`<li><span class="why-rest">${`${rest.length} other key${rest.length > 1 ? 's' : ''}`}</span>
          ${bar(restWeight)}<span>${formatShare(restWeight)}</span></li>`
          : nothing
      }</ul>`,
    number: big(formatShare(weights[column])),
    note: comparison(data, rivals[0]),
  };
}

/** Compares the weight with the strongest other one. @param {ComputationData} data @param {number | undefined} rival */
function comparison(data, rival) {
  const { masked, weights, column, replaced } = data;
  const before = replaced?.(column);
  if (before !== undefined) return `set by an intervention; the softmax gave ${formatShare(before)}`;
  if (rival === undefined || masked[column] === -Infinity) return '';
  if (!weights[rival] || Number.isNaN(weights[column])) return '';
  const printed = printedOf(data);
  const times = html`${printed.times} times ${other(data, rival)}`;
  const lead = masked[column] - masked[rival];
  if (replaced?.(rival) !== undefined) return times; // which then does not follow from the scores
  if (!lead) return html`as much as ${other(data, rival)}`;
  return html`${times}: it ${lead < 0 ? 'trails' : 'leads'} by ${printed.lead.replace('−', '')}`;
}

/** Says what the last number is. @param {number} head */
export const shareWords = (head) => `head ${head + 1}’s share of what attention adds`;

/** @param {ComputationData} data */
function values(data) {
  const { value, norms, head, place, column, shareNote = shareWords(head) } = data;
  const total = norms.reduce((so, each) => so + each, 0);
  return {
    name: 'values',
    content: html`<span class="why-label" data-key=${column}>× <span class="value">value</span></span>
      ${bars(weightedOf(data), limitsOf(value), { name: 'value', key: column, whole: value })}`,
    number: html`<strong class="why-number" data-head=${`${place} ${head}`}>${formatShare(
      total ? norms[head] / total : 0,
    )}</strong>`,
    note: shareNote,
  };
}
