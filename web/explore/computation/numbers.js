// All numbers of one weight, for the fold below its steps.

import { html, nothing, render } from 'lit-html';
import { bar } from '../../draw/bar.js';
import { formatValue } from '../../draw/canvas.js';
import { hueMark } from '../../draw/hue.js';
import { frac, live, math, norm as normOf, num, root as squareRoot, row, sub, sum, sup } from '../../draw/math.js';
import { cells, headRow, scrolled } from '../../draw/table.js';
import { softmaxOf, termsOf, weightedOf } from './terms.js';

/** @typedef {import('./view.js').ComputationData} ComputationData */

const MOST_KEYS = 16;

/** @param {HTMLElement} root */
export function createNumbers(root) {
  root.className = 'why-all';
  return {
    /** @param {ComputationData | null} data */
    update: (data) => void render(data ? [products(data), softmax(data), values(data), heads(data)] : nothing, root),
    destroy: () => void render(nothing, root),
  };
}

/** @param {ComputationData} data */
function products(data) {
  const { query, key, scores, scaled, masked, column, scale, temperature } = data;
  const terms = termsOf(data);
  const divisors = [...(scale === 1 ? [] : [squareRoot(query.length)]), ...(temperature === 1 ? [] : [temperature])];
  const score = num(formatValue(scores[column]));
  const hidden = masked[column] === -Infinity;
  return html`<section><h3>Query times key</h3>
    <p class="formula">${math(
      ...['q', '·', 'k', '=', sum('d'), sub('q', 'd'), sub('k', 'd')],
      ...['=', live('score', formatValue(scores[column]))],
    )}</p>
    <p class="formula">${math(
      divisors.length ? frac(score, row(...divisors.flatMap((each, i) => (i ? ['·', each] : [each])))) : score,
      ...['=', live('scaled', formatValue(scaled[column])), ','],
      ...['m', '=', live('masked', hidden ? '−∞' : formatValue(masked[column]))],
    )}</p>
    ${numbers('All terms', ['d', 'q', 'k', 'q × k'], query.length, (d) => [query[d], key[d], terms[d]])}</section>`;
}

/** @param {ComputationData} data */
function softmax(data) {
  const { masked, weights, columnWords, column } = data;
  const { exps, total, weight } = softmaxOf(data);
  const largest = [...weights.keys()].toSorted((a, b) => weights[b] - weights[a]).slice(0, MOST_KEYS);
  const shown = [...new Set([...largest, column])].sort((a, b) => a - b);
  const omitted = weights.length - shown.length;
  const rest = Math.max(0, 1 - shown.reduce((so, each) => so + weights[each], 0));
  return html`<section><h3>Softmax over the row</h3>
    <p class="formula">${math(
      'α',
      '=',
      frac(sup('e', row('m', '−', 'max')), row(sum('s'), sup('e', row(sub('m', 's'), '−', 'max')))),
      '=',
      frac(num(formatValue(exps[column])), num(formatValue(total))),
      ...['=', live('softmax', formatValue(weight))],
    )}</p>
    <p class="hint">The weights of a row sum to 1, so what one key gains the others lose.
      ${omitted ? `Shown are the largest weights; the other ${omitted} sum to ${formatValue(rest)}.` : ''}</p>
    ${scrolled(
      'Softmax of the row',
      html`<table class="softmax">
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
      )}</tbody></table>`,
    )}</section>`;
}

/** @param {ComputationData} data */
function values(data) {
  const { value, output, weights, column, set } = data;
  const weighted = weightedOf(data);
  return html`<section><h3>Weight times value</h3>
    <p class="formula">${math(
      ...['z', set ? '≠' : '=', sum('s'), sub('α', 's'), sub('v', 's'), ','],
      ...['α', 'v', '=', live('weight', formatValue(weights[column])), 'v'],
    )}</p>
    <p class="hint">z is the head’s output${set ? ', set by an intervention: not the sum over all keys.' : '.'}
      A large weight has a large effect only if the value it multiplies is large.</p>
    ${numbers('All dimensions', ['d', 'v', 'α v', 'z'], value.length, (d) => [value[d], weighted[d], output[d]])}
    </section>`;
}

/** @param {ComputationData} data */
function heads({ head, norms, whole, rowWord, off, scheme, place }) {
  const total = norms.reduce((so, each) => so + each, 0);
  return html`<section><h3>What each head adds</h3>
    <p class="formula">${math(normOf(sub('W', 'h'), 'z'), '=', live('norm', formatValue(norms[head])))}</p>
    <p class="hint">Each head’s output is multiplied by its own columns of the output matrix. The sum over the heads,
      plus the bias, is the attention output at <bdi class="quoted">${rowWord}</bdi>; its norm is
      <span class="number" data-value="whole">${formatValue(whole)}</span>. A share is a head’s norm divided by the
      sum of the norms.${off.length ? ` Off, and left out: head ${off.map((each) => each + 1).join(', ')}.` : ''}</p>
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
    </table></section>`;
}

/** @param {string} title @param {string[]} columns @param {number} count @param {(row: number) => number[]} rowOf */
const numbers = (title, columns, count, rowOf) =>
  scrolled(
    title,
    html`<table>${headRow(...columns)}
    <tbody>${Array.from(
      { length: count },
      (_, at) => html`<tr><th scope="row">${at}</th>${cells(...rowOf(at).map(formatValue))}</tr>`,
    )}</tbody></table>`,
  );
