// The question, its answer in a sentence, and what plays the steps.

import { html } from 'lit-html';
import { inlineMath, letter, root, space } from '../../draw/math.js';
import { formatShare } from '../../draw/share.js';
import { standingOf } from './standing.js';
import { other, word } from './steps.js';

/** @typedef {import('./view.js').ComputationData} ComputationData */

/**
 * @param {ComputationData} data @param {import('./view.js').Frame} frame
 * @param {ReturnType<typeof import('./player.js').createPlayer>} player
 */
export function head(data, { position, last, row, isPlaying }, player) {
  const { weights, column, where, mean, query } = data;
  const text = `${rowNames(data)[row]}${position < query.length ? `, ${position} of ${query.length} products` : ''}`;
  return html`<div class="why-head">
    <h2 id="computation-title">Why ${formatShare(weights[column])}?</h2>
    <p class="formula">${formula(data)}</p>
    <div class="why-player" role="group" aria-label="Steps of the computation">
      <button type="button" aria-label="Step back" @click=${() => player.step(-1)}>‹</button>
      <button type="button" aria-label="Step forward" @click=${() => player.step(1)}>›</button>
      <button type="button" class="why-play" @click=${player.toggle}>${isPlaying ? 'Pause' : 'Play'}</button>
    </div>
    <p class="why-line">In ${where}, ${word(data, 'query')} ${reasonOf(data)}${
      mean ? ' The map shows the mean of all heads, these are the steps of one.' : ''
    }</p>
    <input type="range" min="1" max=${last} .value=${String(position)} aria-label="Place in the computation"
      aria-valuetext=${text}
      @input=${(/** @type {any} */ { target }) => player.seek(Number(target.value))}>
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
