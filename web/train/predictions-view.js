// What the model says to held-out rows at the present moment, right and wrong marked.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { TEXTS } from './tasks.js';

const LONG = 12; // tokens; longer rows stand one below the other

/**
 * @param {import('./train.js').TrainState} state
 * @param {Pick<import('./view.js').TrainActions, 'onExample'>} actions
 */
export function predictions({ report, example, task, tasks }, { onExample }) {
  if (!report) return nothing;
  const { rows, written } = report.look;
  const next = tasks.get(task)?.causal;
  return html`<section class="panel train-predictions" aria-labelledby="train-predictions">
    <h3 id="train-predictions">Predictions on held-out rows</h3>
    <p class="hint">
      Below each token: the model’s answer${next ? ' for the token that comes next' : ''}; ≠ and a frame mark a
      wrong one and name the right one. The chosen row is the one whose attention is shown.
    </p>
    <ul role="radiogroup" aria-label="Held-out rows" class="train-rows ${rows[0].words.length > LONG ? 'long' : ''}">
      ${rows.map((row, index) => line(row, index, index === example, onExample, TEXTS[task].joint === ''))}
    </ul>
    ${
      written
        ? html`<p class="train-written">
          <span class="hint">The model continues (temperature 0.7):</span> <bdi>${written.prompt}</bdi>
          <strong><bdi>${written.text}</bdi></strong>
        </p>`
        : nothing
    }
  </section>`;
}

/** A character that would not be seen. @param {string} token */
const visible = (token) => (token === ' ' ? '␣' : token === '\n' ? '⏎' : token);

/**
 * @param {import('./look.js').Row} row @param {number} index @param {boolean} chosen
 * @param {(row: number) => void} onExample
 * @param {boolean} isNarrow
 */
function line({ words, answers }, index, chosen, onExample, isNarrow) {
  const right = answers.filter((each) => each.right).length;
  const mark = right === answers.length ? '✓' : '✗';
  return html`<li role="none" class="train-row">
    <label class="train-row-choice"
      ><input
        type="radio"
        name="train-row"
        .checked=${live(chosen)}
        aria-label=${`Row ${index + 1}: ${right} of ${answers.length} right`}
        @change=${() => onExample(index)}
      /><span aria-hidden="true">${mark} ${right}/${answers.length}</span></label
    >
    <span class="train-tokens ${isNarrow ? 'narrow' : ''}">
      ${words.map((word, at) => {
        const answer = answers.find((each) => each.at === at);
        return html`<span class="train-token"
          ><bdi>${visible(word)}</bdi>${
            answer
              ? answer.right
                ? html`<bdi class="right">${visible(answer.got)}</bdi>`
                : html`<bdi class="wrong">${visible(answer.got)}<small>≠${visible(answer.expected)}</small></bdi>`
              : html`<bdi></bdi>`
          }</span
        >`;
      })}
    </span>
  </li>`;
}
