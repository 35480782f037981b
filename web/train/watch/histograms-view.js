// Histograms of the weights, of one kind in one layer each: at the shown moment as bars, at step 0 as an outline.

import { html, nothing, render, svg } from 'lit-html';
import { announceFigure, tableOf } from '../../draw/figure.js';

/** @typedef {import('../run/measures.js').Histogram} Histogram */

const TALL = 60;
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const write = (/** @type {number} */ value) => number.format(value).replace('-', '−');

/** @param {HTMLElement} root */
export function createHistograms(root) {
  const body = document.createElement('div');
  root.append(body);
  return {
    /** @param {import('../state.js').TrainState} state */
    update({ report, task }) {
      if (!report) return;
      const { step, look } = report;
      const { histograms } = look;
      const parts = [...new Set(histograms.map(({ part }) => part))];
      render(
        html`<p class="hint">
            Bars: step ${step}; outline: step 0, cut off where it is higher. σ: standard deviation, at step 0 → now.
          </p>
          ${parts.map(
            (part) => html`<h4>${part}</h4>
              <ul class="train-histograms">
                ${histograms.filter((each) => each.part === part).map((each) => one(each, step))}
              </ul>`,
          )}`,
        body,
      );
      announceFigure(root, {
        name: `Weights of ${task} at step ${step}`,
        element: body,
        tables: () =>
          histograms.map(({ part, kind, low, high, first, now }) =>
            tableOf(
              `${part}: ${kind}`,
              ['step 0', `step ${step}`],
              now.map((share, i) => [write(low + ((i + 0.5) * (high - low)) / now.length), first[i], share]),
            ),
          ),
      });
    },
  };
}

/** @param {Histogram} histogram @param {number} step */
function one({ kind, count, low, high, first, now, firstDeviation, deviation }, step) {
  const bins = now.length;
  const top = Math.max(...now, Math.min(Math.max(...first), 2 * Math.max(...now)));
  const y = (/** @type {number} */ share) => (TALL * (1 - Math.min(1, share / top))).toFixed(2);
  const steps = (/** @type {number[]} */ shares) => shares.map((share, i) => `V${y(share)}H${i + 1}`).join('');
  const change = `σ ${write(firstDeviation)} → ${write(deviation)}`;
  return html`<li>
    <span class="train-histogram-title">${kind} <small>${count.toLocaleString('en')}</small></span>
    <svg
      viewBox="0 0 ${bins} ${TALL}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${kind}: ${count} weights from ${write(low)} to ${write(high)} at step ${step}, ${change}"
    >
      <path class="train-bars" d="M0 ${TALL}${steps(now)}V${TALL}Z"></path>
      ${step ? svg`<path class="train-outline" d="M0 ${TALL}${steps(first)}V${TALL}"></path>` : nothing}
    </svg>
    <span class="train-histogram-axis" aria-hidden="true"
      ><span>${write(low)}</span><span>${change}</span><span>${write(high)}</span></span
    >
  </li>`;
}
