// Describes the experiment: two sentences, and a small picture of model, task and size, drawn from the claim's data.

import { html, nothing } from 'lit-html';
import { spoken, words } from './wording.js';

/** @typedef {import('../../src/claims/index.js').Sketch} Sketch */

const MOST_LAYERS = 4; // drawn behind each other
const MOST_HEADS = 8;

/** @param {import('./worker.js').ClaimData} claim */
export const experiment = ({ experiment: text, sketch }) =>
  html`<div class="claims-experiment">
    <p><strong>The experiment.</strong> ${words(text)}</p>
    ${picture(sketch)}
  </div>`;

/** @param {Sketch} sketch */
function picture({ input, stacks, output, width, steps }) {
  const facts = [
    ...(width ? [`width ${width}`] : []),
    ...(steps === undefined ? [] : [steps ? `${steps.toLocaleString('en')} steps of training` : 'untrained']),
  ];
  const said = [
    input.join(' '),
    ...stacks.map(({ name = '', layers, parts }) => [name, layers && `${layers} ×`, parts.join(', ')]).map(joined),
    output,
    ...facts,
  ];
  return html`<div class="claims-sketch" role="img" aria-label=${spoken(`Sketch: ${said.join(' → ')}`)}>
    <div class="claims-sketch-row">
      <div class="claims-sketch-input">${input.map((each) => html`<span>${words(each)}</span>`)}</div>
      ${stacks.map((each) => stack(each, width ?? 1))}
      <div class="claims-sketch-output">${words(output)}</div>
    </div>
    <p class="hint" ?hidden=${!facts.length}>${facts.join(' · ')}</p>
  </div>`;
}

/** @param {(string | number | undefined)[]} parts */
const joined = (parts) => parts.filter(Boolean).join(' ');

/** @param {import('../../src/claims/index.js').Stack} stack @param {number} width */
const stack = ({ name, layers = 1, parts }, width) =>
  html`<div class="claims-sketch-stack" .style=${`--layers: ${Math.min(layers, MOST_LAYERS) - 1}`}>
    ${name || layers > 1 ? html`<small>${name} ${layers > 1 ? `× ${layers}` : nothing}</small>` : nothing}
    ${parts.map((each) => part(each, width))}
  </div>`;

/**
 * A head is a square; an FFN is as wide in its middle as it has neurons.
 * @param {string} text @param {number} width
 */
function part(text, width) {
  const [, name = text, size = ''] = /^(.*): (\d+)$/.exec(text) ?? [];
  const count = Number(size);
  const isAttention = /attention/.test(name);
  const heads = Array.from({ length: isAttention ? Math.min(MOST_HEADS, count) : 0 }, () => html`<i></i>`);
  return html`<div class="claims-sketch-part">
    <span>${words(name)} ${count && !isAttention ? count.toLocaleString('en') : nothing}</span>
    ${
      heads.length
        ? html`<span class="claims-sketch-heads">${heads}</span>`
        : count
          ? html`<span class="claims-sketch-wide" .style=${`--narrow: ${(100 * width) / count}%`}></span>`
          : nothing
    }
  </div>`;
}
