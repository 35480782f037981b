// The computation of one cell in steps: query · key → scale → mask → softmax → weighted value → output.

import { html, nothing, render } from 'lit-html';
import { bar } from '../../draw/bar.js';
import { formatValue } from '../../draw/canvas.js';
import { frac, inlineMath, live, math, num, root, row, space, sub, sum, sup } from '../../draw/math.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { hueMark } from '../../draw/hue.js';
import { createStrip } from '../../draw/strip.js';
import { cells, headRow } from '../../draw/table.js';

/**
 * All of one head and one query: `query`, `key`, `value` and `output` have the head's dimensions, `values` are those
 * of all keys, `scores` to `weights` one number for each key; `norms` is the norm of what each head
 * adds to the output of the layer, `whole` the norm of that output; `set`: the head's output is set by hand;
 * `off`: the heads that are set to 0; `place`: kind and layer.
 * @typedef {{
 *   title: string, mean: boolean, row: number, column: number, head: number, rowWord: string, columnWords: string[],
 *   query: Float32Array, key: Float32Array, value: Float32Array, output: Float32Array,
 *   values: Float32Array,
 *   scores: Float32Array, scaled: Float32Array, masked: Float32Array, weights: Float32Array,
 *   norms: Float32Array, whole: number, set: boolean, off: number[], place: string,
 *   scale: number, temperature: number, scheme: import('../../draw/color.js').Scheme,
 * }} ComputationData
 * `scale`: what the score is divided by, 1 for nothing.
 */

const MOST_KEYS = 16;

const ROOT = inlineMath(root(sub('d', 'k')));

/** The two strips of the story. @param {ComputationData} data */
export function stripsOf({ query, key, value, output, weights, column, scheme, set }) {
  const columns = query.length;
  const terms = Float32Array.from(query, (q, d) => q * key[d]);
  const moved = Float32Array.from(value, (v) => v * weights[column]);
  return {
    products: {
      labels: ['q', 'k', 'q × k'],
      data: joined(query, key, terms),
      columns,
      scheme,
      title: 'Query, key and their products',
      describe: (/** @type {number | null} */ at) =>
        descriptionOf(
          at ?? largest(terms),
          at === null ? 'Largest term, ' : '',
          (d) => `${signed(query[d])} × ${signed(key[d])} = ${formatValue(terms[d])}`,
        ),
    },
    values: {
      labels: ['v', 'α v', 'z'],
      data: joined(value, moved, output),
      columns,
      scheme,
      title: 'Value, weighted value, output',
      describe: (/** @type {number | null} */ at) =>
        descriptionOf(at ?? largest(output), at === null ? 'Largest output, ' : '', (d) => {
          const product = `${formatValue(weights[column])} × ${signed(value[d])} = ${formatValue(moved[d])}`;
          const z = formatValue(output[d]);
          return `${product}, ${set ? `but z is set to ${z}` : `of z = ${z}`}`;
        }),
    },
    terms,
    moved,
  };
}

/**
 * @param {HTMLElement} root
 * @param {{fetchPlayer: () => Promise<typeof import('./player.js').createPlayer>}} options
 */
export function create(root, { fetchPlayer }) {
  const products = createStrip();
  const values = createStrip();
  /** @type {ComputationData | null} */
  let shown = null;
  /** @type {ReturnType<typeof import('./player.js').createPlayer> | null} */
  let player = null;
  /** @type {Promise<typeof import('./player.js').createPlayer> | null} */
  let fetching = null;

  /** Fetched when the reader comes to it. @param {(player: import('./player.js').Player) => void} [then] */
  async function withPlayer(then) {
    if (!player) {
      const make = await (fetching ??= fetchPlayer());
      if (!shown) return;
      if (!player) {
        player = make(root, { products, values });
        player.update(shown, stripsOf(shown), false);
      }
    }
    then?.(player);
  }

  // The reader opens a weight by choosing its cell, wherever it stands; what moves while they type does not.
  let chose = false;
  /** @param {Event} event */
  function onChoice(event) {
    chose = event instanceof KeyboardEvent ? event.key === 'Enter' : event.type === 'click';
  }
  for (const type of ['click', 'keydown', 'input']) document.addEventListener(type, onChoice, true);

  /** @param {ComputationData} data @param {ComputationData} last */
  const isOpened = (data, last) =>
    chose &&
    data.title === last.title &&
    (data.row !== last.row || data.column !== last.column) &&
    data.columnWords === last.columnWords &&
    !matchMedia('(prefers-reduced-motion: reduce)').matches;

  return {
    /** @param {ComputationData | null} data */
    update(data) {
      const last = shown;
      shown = data;
      root.hidden = !data;
      if (!data) {
        player?.destroy();
        return void announceFigure(root, null);
      }
      const strips = stripsOf(data);
      products.update(strips.products);
      values.update(strips.values);
      render(story(data, strips.terms, strips.moved, { bar: playerBar(), products, values }), root);
      player?.update(data, strips, Boolean(last && isSame(data, last)));
      if (last && isOpened(data, last)) withPlayer((each) => shown === data && each.open());
      chose = false;
      announceFigure(root, {
        name: `${data.title}, ${data.rowWord} to ${data.columnWords[data.column]}, step by step`,
        element: /** @type {Element} */ (root.querySelector('.story')),
        tables: () => tables(data, strips.terms, strips.moved),
      });
    },
    destroy() {
      for (const type of ['click', 'keydown', 'input']) document.removeEventListener(type, onChoice, true);
      player?.destroy();
      render(nothing, root);
    },
  };

  /** @param {InputEvent} event */
  function onSeek({ target }) {
    const { min, max, value } = /** @type {HTMLInputElement} */ (target);
    const share = (Number(value) - Number(min)) / (Number(max) - Number(min));
    withPlayer((each) => each.seek(share));
  }

  /** What plays the steps; it moves the elements itself, so nothing here is bound. */
  function playerBar() {
    return html`<div class="player" role="group" aria-label="Steps of the computation"
      @pointerenter=${() => withPlayer()} @focusin=${() => withPlayer()}>
      <button type="button" class="player-play" @click=${() => withPlayer((each) => each.toggle())}>Play</button>
      <button type="button" aria-label="Step back" @click=${() => withPlayer((each) => each.step(-1))}>‹</button>
      <button type="button" aria-label="Step forward" @click=${() => withPlayer((each) => each.step(1))}>›</button>
      <input type="range" min="0" max="1" value="1" step="1" aria-label="Place in the computation"
        aria-valuetext="Weighted sum" @input=${onSeek}>
      <p class="player-line"></p></div>`;
  }
}

/**
 * The six steps of one weight.
 * @param {ComputationData} data @param {Float32Array} terms @param {Float32Array} moved
 * @param {import('./player.js').StripPair & {bar: unknown}} parts the player's bar and the strips of steps 1 and 5
 */
function story(data, terms, moved, { bar, products, values }) {
  const { title, mean, rowWord, columnWords, column, set } = data;
  const { query, key, value, output, scores, scaled, masked, weights } = data;
  const [score, weight] = [formatValue(scores[column]), formatValue(weights[column])];
  const from = html`<bdi class="quoted">${rowWord}</bdi>`;
  const to = html`<bdi class="quoted">${columnWords[column]}</bdi>`;
  const hidden = masked[column] === -Infinity;
  return html`
    <p class="view-title">${title}: ${from} → ${to}</p>
    ${
      mean
        ? html`<p class="hint">The map shows the mean of the layer’s heads; these are the steps of one head.</p>`
        : nothing
    }
    ${bar}
    <ol class="story">
      <li><div><h3><span>1. </span>Query times key</h3>
        <p class="formula">${math(
          ...['q', '·', 'k', '=', sum('d'), sub('q', 'd'), sub('k', 'd')],
          ...['=', live('score', score)],
        )}</p>
        <p class="hint">The query of ${from} is compared with the key of ${to}: each dimension in which both have
          the same sign raises the score.</p></div>
        <div>${products.element}${numbers('All terms', ['d', 'q', 'k', 'q × k'], query.length, (d) => [
          query[d],
          key[d],
          terms[d],
        ])}</div></li>
      <li>${scaling(data)}</li>
      <li><div><h3><span>3. </span>Mask</h3>
        <p class="formula">${math(...['m', '=', live('masked', hidden ? '−∞' : formatValue(masked[column]))])}</p></div>
        <p class="hint">${
          hidden
            ? html`Masked: ${from} may not attend to ${to}; a score of −∞ gives a weight of exactly 0.`
            : html`Not masked: the score stays ${formatValue(scaled[column])}.`
        }</p></li>
      <li>${softmax(data)}</li>
      <li><div><h3><span>5. </span>Weight times value</h3>
        <p class="formula">${math(
          ...['z', set ? '≠' : '=', sum('s'), sub('α', 's'), sub('v', 's'), ',', space('0.8em')],
          ...['α', 'v', '=', live('weight', weight), 'v'],
        )}</p>
        <p class="hint">α v is the contribution of ${to} to ${from}; z, the head’s output there, is
          ${set ? 'set by an intervention, not ' : ''}the sum over all keys.</p></div>
        <div>${values.element}${numbers('All dimensions', ['d', 'v', 'α v', 'z'], value.length, (d) => [
          value[d],
          moved[d],
          output[d],
        ])}</div></li>
      <li>${heads(data)}</li>
    </ol>`;
}

/**
 * All numbers of the computation.
 * @param {ComputationData} data
 * @param {Float32Array} terms
 * @param {Float32Array} moved
 */
function tables(
  { title, columnWords, scores, scaled, masked, weights, query, key, value, output, norms },
  terms,
  moved,
) {
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
      { q: query, k: key, 'q × k': terms, v: value, 'α v': moved, z: output },
    ),
    table(
      'the heads',
      Array.from(norms, (_, head) => `head ${head + 1}`),
      { norm: norms },
    ),
  ];
}

/** @param {ComputationData} data */
function softmax({ masked, weights, columnWords, column }) {
  const largestScore = masked.reduce((most, each) => Math.max(most, each), -Infinity);
  const exps = Array.from(masked, (each) => (each === -Infinity ? 0 : Math.exp(each - largestScore)));
  const total = exps.reduce((so, each) => so + each, 0);
  const byHand = total > 0 && Math.abs(exps[column] / total - weights[column]) > 1e-3;
  const places = [...weights.keys()];
  const shown =
    places.length <= MOST_KEYS
      ? places
      : [...new Set([...places.toSorted((a, b) => weights[b] - weights[a]).slice(0, MOST_KEYS), column])].sort(
          (a, b) => a - b,
        );
  const omitted = places.length - shown.length;
  const restText = formatValue(Math.max(0, 1 - shown.reduce((so, each) => so + weights[each], 0)));
  return html`
    <div><h3><span>4. </span>Softmax over the row</h3>
      <p class="formula">${math(
        'α',
        '=',
        frac(sup('e', row('m', '−', 'max')), row(sum('s'), sup('e', row(sub('m', 's'), '−', 'max')))),
        '=',
        frac(num(formatValue(exps[column])), num(formatValue(total))),
        '=',
        live('softmax', formatValue(byHand ? exps[column] / total : weights[column])),
      )}</p>
      ${
        byHand
          ? html`<p class="hint">This is the result of the softmax; an intervention then set the weight to
            ${formatValue(weights[column])}.</p>`
          : nothing
      }
      <p class="hint">The weights of a row sum to 1, so what one key gains the others lose.
        ${omitted ? `Shown are the largest weights; the other ${omitted} sum to ${restText}.` : ''}</p></div>
    <div class="table-scroll" tabindex="0" role="region" aria-label="Softmax of the row"><table class="softmax">
      ${headRow('key', 'm', html`e<sup>m − max</sup>`, 'α', '')}
      <tbody>${shown.map(
        (at) => html`<tr data-key=${at} class=${at === column ? 'here' : ''}>
        <th scope="row"><bdi>${columnWords[at]}</bdi></th>
        ${cells(
          masked[at] === -Infinity ? 'masked' : formatValue(masked[at]),
          formatValue(exps[at]),
          formatValue(weights[at]),
          bar(weights[at]),
        )}</tr>`,
      )}</tbody>
    </table></div>`;
}

/** @param {ComputationData} data */
function scaling({ scores, scaled, column, query, scale, temperature }) {
  const divisors = [...(scale === 1 ? [] : [root(query.length)]), ...(temperature === 1 ? [] : [temperature])];
  const score = num(formatValue(scores[column]));
  const quotient = divisors.length ? frac(score, row(...divisors)) : score;
  return html`
    <div><h3><span>2. </span>Scale</h3>
      <p class="formula">${math(quotient, '=', live('scaled', formatValue(scaled[column])))}</p></div>
    <p class="hint">${
      scale === 1
        ? html`The division by ${ROOT} is switched off.`
        : html`Divided by ${ROOT}: otherwise scores grow with the number of dimensions, here ${query.length}, and the
          softmax would put nearly all weight on one key.`
    }${temperature === 1 ? '' : ` The scores are also divided by the temperature ${temperature}.`}</p>`;
}

/** @param {ComputationData} data */
function heads({ head, norms, whole, rowWord, off, scheme, place }) {
  const total = norms.reduce((so, each) => so + each, 0);
  return html`
    <div><h3><span>6. </span>Output projection</h3>
      <p class="formula">${math(row('‖', sub('W', 'h'), 'z', '‖'), '=', live('norm', formatValue(norms[head])))}</p>
      <p class="hint">Each head’s output is multiplied by its own columns of the output matrix. The sum over the heads,
        plus the bias, is the attention output at <bdi class="quoted">${rowWord}</bdi>; its norm is
        <span class="number" data-value="whole">${formatValue(whole)}</span>. A share is a head’s norm divided by the
        sum of the norms.${
          off.length ? ` Off, and left out: head ${off.map((each) => each + 1).join(', ')}.` : ''
        }</p></div>
    <table class="shares">
      ${headRow('head', 'norm', 'share', '')}
      <tbody>${[...norms].map((norm, at) =>
        off.includes(at)
          ? nothing
          : html`<tr data-head=${`${place} ${at}`} class=${at === head ? 'here' : ''}>
        <th scope="row">${hueMark(scheme, at)}${at + 1}</th>
        ${cells(
          formatValue(norm),
          total ? `${((100 * norm) / total).toFixed(1)} %` : '0',
          bar(total ? norm / total : 0),
        )}</tr>`,
      )}</tbody>
    </table>`;
}

/**
 * A table of numbers in a fold.
 * @param {string} title
 * @param {string[]} columns
 * @param {number} count
 * @param {(row: number) => number[]} rowOf
 */
const numbers = (title, columns, count, rowOf) => html`<details><summary>${title} as numbers</summary>
  <div class="table-scroll" tabindex="0" role="region" aria-label=${title}><table>
    ${headRow(...columns)}
    <tbody>${Array.from(
      { length: count },
      (_, row) => html`<tr><th scope="row">${row}</th>${cells(...rowOf(row).map(formatValue))}</tr>`,
    )}</tbody>
  </table></div></details>`;

/** Whether they are of the same cell with the same numbers. @param {ComputationData} a @param {ComputationData} b */
const isSame = (a, b) =>
  a.title === b.title &&
  a.row === b.row &&
  a.column === b.column &&
  a.scheme === b.scheme &&
  a.temperature === b.temperature &&
  a.columnWords === b.columnWords &&
  a.scores.every((score, i) => score === b.scores[i]) &&
  a.output.every((z, d) => z === b.output[d]);

/** @param {Float32Array[]} rows */
const joined = (...rows) => Float32Array.from(rows.flatMap((row) => [...row]));

/** A factor in brackets where its sign would stand beside another. @param {number} value */
const signed = (value) => (value < 0 ? `(${formatValue(value)})` : formatValue(value));

/** @param {Float32Array} row */
const largest = (row) => row.reduce((best, value, i) => (Math.abs(value) > Math.abs(row[best]) ? i : best), 0);

/** @param {number} column @param {string} before @param {(column: number) => string} describe */
const descriptionOf = (column, before, describe) =>
  `${before}${before ? 'dimension' : 'Dimension'} ${column}: ${describe(column)}`;
