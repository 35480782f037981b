// Why a weight is what it is: query · key, scale, softmax among its competitors, times value, to the head's share of
// the layer's output; played row by row.

import { html, nothing } from 'lit-html';
import { bar } from '../../draw/bar.js';
import { bars, limitsOf } from '../../draw/bars.js';
import { tableOf } from '../../draw/figure.js';
import { inlineMath, letter, root, space } from '../../draw/math.js';
import { formatShare } from '../../draw/share.js';
import { shortValue } from '../../draw/short.js';
import { headsOff, temperatureOf } from '../../engine/interventions.js';
import { attentionKinds, attentionPath } from '../../engine/plan.js';
import { acting, figure } from '../../kit/figure.js';
import { createPlayer } from '../shared/player.js';
import { restOf, softmaxOf, standingOf } from '../shared/standing.js';
import { selectedIn } from '../shared/words.js';

/**
 * One head and one query: `query`, `key` and `value` have the head's dimensions; `set`: the head's output is set by
 * hand; `off`: the heads that are set to 0; `place`: kind and layer; `scale`: what the score is divided by, 1 for
 * nothing; of the derived value: `output` of the head, `scores` to `weights` one number for each key, `norms` of what
 * each head adds to the output of the layer.
 * @typedef {ReturnType<typeof import('../derived/head-share.js').headShare> & {
 *   title: string, where: string, mean: boolean, row: number, column: number, head: number, rowWord: string,
 *   columnWords: string[], query: Float32Array, key: Float32Array, value: Float32Array,
 *   set: boolean, off: number[], place: string, scale: number, temperature: number,
 * }} ComputationData
 * @typedef {ReturnType<typeof createPlayer>} Player
 * @typedef {ReturnType<Player['frame']>} Frame
 */

const RIVALS = 2;
const CHOICES = ['click', 'keydown', 'input'];

/** @type {Player} */
let player;
/** The reader opens a weight by choosing its cell, wherever it stands; what moves while they type does not. */
let chose = false;

/**
 * @param {import('../../app/schema.js').Selection} selection
 * @param {number} row the cursor's; the derived answers for the last if it is beyond
 */
const shareName = ({ kind, layer, head }, row) => `@head-share/${attentionPath(kind, layer)}/${head}/${row}`;

/** @type {import('../index.js').Feature} */
export const computation = {
  name: 'computation',
  slot: 'why',
  nodes: ['attention'],
  aside: true,
  local: { cell: '', dimension: null }, // which is pointed at, and of which cell
  needs: ({ state: { selection, cursor } }) => [
    ...['query', 'key', 'value'].map((name) => `${attentionPath(selection.kind, selection.layer)}.${name}`),
    shareName(selection, cursor?.row ?? 0),
  ],
  begin({ local }) {
    player = createPlayer(() => local({}));
    for (const type of CHOICES)
      document.addEventListener(
        type,
        (event) => void (chose = 'key' in event ? event.key === 'Enter' : type === 'click'),
        true,
      );
  },
  frame: () => panel(nothing),
  blank: () => html`<div id="computation" hidden></div>`, // where a skip link leads
  render({ local, ...context }, { local: remember }) {
    const data = dataOf(context);
    if (!data) return undefined;
    const { title, row, column, rowWord, columnWords, query, temperature, scores, output } = data;
    const cell = [title, row, column, temperature, columnWords, scores, output].join('/');
    const dimension = local.cell === cell ? local.dimension : null;
    const name = `${title}, ${rowWord} to ${columnWords[column]}`;
    const frame = player.frame(cell, query.length);
    return panel(
      html`${head(data, frame, player)}${steps(
        data,
        frame,
        dimension,
        pointing(query.length, dimension, (next) => remember({ cell, dimension: next })),
      )}`,
      figure({ name: `${name}, step by step`, select: '.why-steps', tables: () => tables(data) }),
      playing({ cell, of: `${title}/${columnWords}`, at: `${row}/${column}` }),
    );
  },
};

/** @param {unknown} body @param {unknown[]} acts */
const panel = (body, ...acts) => html`
  <section class="panel why" id="why-panel" aria-labelledby="computation-title">
    <div id="computation" ${acts[0]} ${acts[1]}>${body}</div>
  </section>`;

/** Plays a cell that the reader has chosen. @type {(shown: {cell: string, of: string, at: string}) => unknown} */
const playing = acting(
  (element, next, before) => {
    if (next.cell === before?.cell) return;
    const isOpened = chose && before && next.of === before.of && next.at !== before.at;
    if (isOpened && !matchMedia('(prefers-reduced-motion: reduce)').matches) player.open(element.children[0]);
    chose = false;
  },
  () => player.pause(),
);

/**
 * @param {Omit<import('../index.js').Context, 'local'>} context
 * @returns {ComputationData | undefined} undefined: not all of it is here
 */
function dataOf({ result, state }) {
  const { selection, kind, title, rowWords, columnWords, row, key } = selectedIn(result, state);
  const { layer, head: at, mean } = selection;
  const { settings, interventions } = result.plan;
  const share = result.derived.get(shareName(selection, state.cursor.row));
  const size = settings.d_model / settings.heads;
  const hasKinds = attentionKinds(settings).length > 1;
  /** @param {string} name @param {number} length of the sequence @param {number} i */
  const vector = (name, length, i) =>
    result.tensors
      .get(`${attentionPath(kind, layer)}.${name}`)
      ?.data.slice((at * length + i) * size, (at * length + i + 1) * size);
  const query = vector('query', rowWords.length, row);
  const keyVector = vector('key', columnWords.length, key);
  const value = vector('value', columnWords.length, key);
  if (!share || !query || !keyVector || !value) return undefined;
  return {
    ...share,
    title: `${title}, layer ${layer + 1}, head ${at + 1} of ${settings.heads}`,
    where: `${hasKinds ? `${title.toLowerCase()}, ` : ''}layer ${layer + 1}, head ${at + 1}`,
    mean: Boolean(mean),
    row,
    column: key,
    rowWord: rowWords[row],
    columnWords,
    query,
    key: keyVector,
    value,
    head: at,
    set: interventions.some(
      (each) => each.what === 'head' && each.kind === kind && each.layer === layer && each.head === at,
    ),
    place: `${kind} ${layer}`,
    off: headsOff(interventions, kind, layer),
    scale: settings.scoreScale ? Math.sqrt(size) : 1,
    temperature: temperatureOf(interventions),
  };
}

/** @param {Pick<ComputationData, 'query' | 'key'>} data */
const termsOf = ({ query, key }) => Float32Array.from(query, (q, d) => q * key[d]);

/** @param {Pick<ComputationData, 'value' | 'weights' | 'column'>} data */
const weightedOf = ({ value, weights, column }) => Float32Array.from(value, (v) => v * weights[column]);

/**
 * What the reader points at in the first row, by pointer or keys.
 * @param {number} size @param {number | null} dimension @param {(next: number | null) => void} point
 */
const pointing = (size, dimension, point) => ({
  /** @param {PointerEvent} event */
  point({ currentTarget, clientX }) {
    const shown = /** @type {Element} */ (/** @type {Element} */ (currentTarget).querySelector('svg'));
    const { left, width } = shown.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / width) * size);
    point(at >= 0 && at < size ? at : null);
  },
  leave: () => point(null),
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

/**
 * @param {ComputationData} data @param {Frame} frame
 * @param {Player} play
 */
function head(data, { position, last, row, isPlaying }, play) {
  const { weights, column, where, mean, query } = data;
  const text = `${rowNames(data)[row]}${position < query.length ? `, ${position} of ${query.length} products` : ''}`;
  return html`<div class="why-head">
    <h2 id="computation-title">Why ${formatShare(weights[column])}?</h2>
    <p class="formula">${formula(data)}</p>
    <div class="why-player" role="group" aria-label="Steps of the computation">
      <button type="button" aria-label="Step back" @click=${() => play.step(-1)}>‹</button>
      <button type="button" aria-label="Step forward" @click=${() => play.step(1)}>›</button>
      <button type="button" class="why-play" @click=${play.toggle}>${isPlaying ? 'Pause' : 'Play'}</button>
    </div>
    <p class="why-line">In ${where}, ${word(data, 'query')} ${reasonOf(data)}${
      mean ? ' The map shows the mean of all heads, these are the steps of one.' : ''
    }</p>
    <input type="range" min="1" max=${last} .value=${String(position)} aria-label="Place in the computation"
      aria-valuetext=${text}
      @input=${(/** @type {any} */ { target }) => play.seek(Number(target.value))}>
  </div>`;
}

/** What the query does with the key, and why. @param {ComputationData} data */
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
function formula({ query, scale, temperature }) {
  const divisors = [...(scale === 1 ? [] : [root(query.length)]), ...(temperature === 1 ? [] : [temperature])];
  return inlineMath(
    ...['softmax', '(', letter('q', 'query'), '·', letter('k', 'key')],
    ...divisors.flatMap((each) => ['/', each]),
    ...[')', space('0.2em'), letter('v', 'value')],
  );
}

/** What the rows are called. @param {Pick<ComputationData, 'query'>} data */
const rowNames = ({ query }) => ['query · key', `÷ √${query.length}`, 'softmax', '× value'];

/**
 * The query's or the key's word in its colour, which lights where it stands elsewhere.
 * @param {Pick<ComputationData, 'row' | 'rowWord' | 'column' | 'columnWords'>} data @param {'query' | 'key'} what
 */
const word = ({ row, rowWord, column, columnWords }, what) =>
  what === 'query'
    ? html`<bdi class=${classOf(rowWord, 'query')} data-row=${row}>${rowWord}</bdi>`
    : html`<bdi class=${classOf(columnWords[column], 'key')} data-key=${column}>${columnWords[column]}</bdi>`;

/** Punctuation stands in quotes. @param {string} text @param {string} name */
const classOf = (text, name) => `${name} word ${/[\p{L}\p{N}]/u.test(text) ? '' : 'quoted'}`;

/** @param {ComputationData} data @param {number} at */
const other = ({ columnWords }, at) =>
  html`<bdi class=${classOf(columnWords[at], '')} data-key=${at}>${columnWords[at]}</bdi>`;

/** The other keys that are not masked, the strongest first. @param {ComputationData} data */
function rivalsOf({ masked, column }) {
  return [...masked.keys()]
    .filter((at) => at !== column && masked[at] > -Infinity)
    .sort((a, b) => masked[b] - masked[a])
    .slice(0, RIVALS);
}

/**
 * @param {ComputationData} data
 * @param {Frame} frame
 * @param {number | null} dimension that is pointed at
 * @param {Record<'point' | 'leave' | 'move', (event: any) => void>} on
 */
function steps(data, { row, terms }, dimension, on) {
  const rows = [products(data, terms, dimension, on), scaling(data), softmax(data), values(data)];
  return html`<ol class="why-steps">${rows.map(
    ({ name, content, number, note }, at) => html`<li class="why-step ${name} ${at > row ? 'ahead' : ''}">
      ${content}<div class="why-result">${number}<p>${note}</p></div></li>`,
  )}</ol>`;
}

/** @param {string} text */
const big = (text) => html`<strong class="why-number">${text}</strong>`;

/**
 * @param {ComputationData} data @param {number} terms how many are summed
 * @param {number | null} dimension @param {Parameters<typeof steps>[3]} on
 */
function products(data, terms, dimension, on) {
  const { query, key, scores, column, row } = data;
  const all = termsOf(data);
  const size = all.length;
  const limits = limitsOf(query, key);
  const at = dimension ?? all.reduce((best, term, d) => (Math.abs(term) > Math.abs(all[best]) ? d : best), 0);
  const factors = html`<span class="query">${shortValue(query[at])}</span> ×
    <span class="key">${shortValue(key[at])}</span>`;
  const partial = terms < size;
  const sum = partial ? all.subarray(0, terms).reduce((so, term) => so + term, 0) : scores[column];
  return {
    name: 'products',
    content: html`<div class="why-terms" role="slider" tabindex="0" aria-label="Dimension" aria-valuemin="0"
      aria-valuemax=${size - 1} aria-valuenow=${at}
      aria-valuetext="${at}: ${shortValue(query[at])} × ${shortValue(key[at])} = ${shortValue(all[at])}"
      @pointermove=${on.point} @pointerdown=${on.point} @pointerleave=${on.leave} @blur=${on.leave} @keydown=${on.move}>
      <span class="why-label" data-row=${row}>query of ${word(data, 'query')}</span>
      ${bars(query, limits, { name: 'query', dimension, row })}
      <span class="why-label" data-key=${column}>key of ${word(data, 'key')}</span>
      ${bars(key, limits, { name: 'key', dimension, key: column })}
      <span class="why-label">product</span>
      ${bars(all, limitsOf(all), { name: 'product', dimension, count: terms })}</div>`,
    number: big(shortValue(sum)),
    note: partial
      ? `sum of ${terms} of ${size}`
      : dimension === null
        ? html`largest${all[at] < 0 ? ' in size' : ''}: ${factors}`
        : html`dimension ${at}: ${factors} = ${shortValue(all[at])}`,
  };
}

/** @param {ComputationData} data */
function scaling({ query, scaled, masked, weights, column, scale, temperature }) {
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
          : nothing
      }`,
    number: big(shortValue(isMasked ? -Infinity : scaled[column])),
    note: notes.join(', '),
  };
}

/** @param {ComputationData} data */
function softmax(data) {
  const { masked, weights, columnWords, column } = data;
  const rivals = rivalsOf(data);
  const listed = [column, ...rivals];
  const rest = restOf(data, listed);
  const restWeight = rest.reduce((so, at) => so + weights[at], 0);
  const line = (/** @type {number} */ at) => html`<li data-key=${at} class=${at === column ? 'here' : ''}>
    <bdi class=${classOf(columnWords[at], at === column ? 'key' : '')}>${columnWords[at]}</bdi>
    <span>${shortValue(masked[at])}</span>${bar(weights[at])}<span>${formatShare(weights[at])}</span></li>`;
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

/** How the weight compares with the strongest other. @param {ComputationData} data @param {number | undefined} rival */
function comparison(data, rival) {
  const { masked, weights, column } = data;
  const { isSet, weight } = softmaxOf(data);
  if (isSet) return `set by an intervention; the softmax gave ${formatShare(weight)}`;
  if (rival === undefined || masked[column] === -Infinity) return '';
  if (!weights[rival] || Number.isNaN(weights[column])) return '';
  const times = html`${shortValue(weights[column] / weights[rival])} times ${other(data, rival)}`;
  const lead = masked[column] - masked[rival];
  if (softmaxOf({ ...data, column: rival }).isSet) return times; // which then does not follow from the scores
  if (!lead) return html`as much as ${other(data, rival)}`;
  return html`${times}: it ${lead < 0 ? 'trails' : 'leads'} by ${shortValue(Math.abs(lead))}`;
}

/** @param {ComputationData} data */
function values(data) {
  const { value, norms, head, off, set, place, column } = data;
  const total = norms.reduce((so, each) => so + each, 0);
  return {
    name: 'values',
    content: html`<span class="why-label" data-key=${column}>× <span class="value">value</span></span>
      ${bars(weightedOf(data), limitsOf(value), { name: 'value', key: column, whole: value })}`,
    number: html`<strong class="why-number" data-head=${`${place} ${head}`}>${formatShare(
      total ? norms[head] / total : 0,
    )}</strong>`,
    note: off.includes(head)
      ? 'head off: it adds nothing'
      : `head ${head + 1}’s share of what attention adds${set ? '; set by an intervention' : ''}`,
  };
}

/** All numbers of the computation. @param {ComputationData} data */
function tables(data) {
  const { title, columnWords, scores, scaled, masked, weights, query, key, value, output, norms } = data;
  /** @param {string} name @param {string[]} labels @param {Record<string, Float32Array>} columns */
  const table = (name, labels, columns) =>
    tableOf(
      `${title}, ${name}`,
      Object.keys(columns),
      labels.map((label, i) => [label, ...Object.values(columns).map((each) => each[i])]),
    );
  return [
    table('the row', columnWords, { score: scores, scaled, masked, weight: weights }),
    table(
      'the cell',
      Array.from(query, (_, d) => `dimension ${d}`),
      { q: query, k: key, 'q × k': termsOf(data), v: value, 'α v': weightedOf(data), z: output },
    ),
    table(
      'the heads',
      Array.from(norms, (_, head) => `head ${head + 1}`),
      { norm: norms },
    ),
  ];
}
