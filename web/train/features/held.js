// Rows that were never trained on: the share of right ones as last measured, and some of them at this step.

import { html, nothing } from 'lit-html';
import { formatShare } from '../../draw/numbers.js';
import { TEXTS, lastCheck, rowsTitle } from '../tasks.js';
import style from './held.css';

/** @type {import('../index.js').Feature} */
export const held = {
  name: 'held',
  slot: 'front',
  style,
  render({ state: { task }, report: { inspection, checks, step, split } }) {
    if (inspection.ffn) return null;
    const check = lastCheck({ checks, step });
    const { measure, unit } = TEXTS[task];
    const rows = inspection.own ? inspection.rows.slice(0, -1) : inspection.rows;
    const answers = rows.flatMap((row) => row.answers);
    const right = answers.filter((each) => each.right).length;
    return html`<section class="train-held" aria-labelledby="train-held-title">
      <h3 id="train-held-title">${rowsTitle(split)}</h3>
      <p class="train-share">
        <strong class="number">${check ? formatShare(check.accuracy) : '–'}</strong>
        ${measure === 'accuracy' ? `of the ${unit} right` : 'of answers right'}
      </p>
      ${
        check && measure === 'sequences'
          ? html`<p><strong class="number">${formatShare(check.sequences)}</strong> of rows all right</p>`
          : nothing
      }
      <div class="train-dots" aria-hidden="true">
        ${rows.map((row) => html`<p>${row.answers.map(dot)}</p>`)}
      </div>
      <p class="hint">
        At this step, of ${rows.length} such ${rows.length === 1 ? 'row' : 'rows'}: ${right} of ${answers.length} right.
      </p>
    </section>`;
  },
};

/** @param {import('../run/look.js').Answer} answer */
const dot = ({ right }) => html`<i class=${right ? 'right' : ''}></i>`;
