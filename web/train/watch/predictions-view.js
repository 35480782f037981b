// What the model says to held-out rows at the present moment, right and wrong marked.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { TEXTS } from '../tasks.js';

const OWN = 'Your example';
const LONG = 12; // tokens; longer rows stand one below the other

/**
 * @param {import('../state.js').TrainState} state
 * @param {Pick<import('../view.js').TrainActions, 'onExample' | 'onAsk'>} actions
 */
export function predictions(state, actions) {
  const { report, task, tasks } = state;
  if (!report?.look.rows.length) return nothing;
  const { rows, written, own } = report.look;
  const chosen = typeof state.example === 'string' ? rows.length - 1 : state.example; // the report may come later
  const next = tasks.get(task)?.causal;
  return html`<section class="panel train-predictions" aria-labelledby="train-predictions">
    <h3 id="train-predictions">Predictions on held-out rows</h3>
    <p class="hint">
      Below each token: the model’s answer${next ? ' for the token that comes next' : ''}; ≠ and a frame mark a
      wrong one and name the right one. The chosen row is the one whose attention and neurons are shown.
    </p>
    <ul role="radiogroup" aria-label="Held-out rows" class="train-rows ${rows[0].words.length > LONG ? 'long' : ''}">
      ${rows.map((row, index) => {
        const name = own && index === rows.length - 1 ? OWN : `Row ${index + 1}`;
        return line(row, name, index === chosen, () => actions.onExample(index), TEXTS[task].joint === '');
      })}
    </ul>
    ${ownExample(state, actions)}
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
 * @param {import('../run/look.js').Row} row @param {string} name @param {boolean} chosen
 * @param {() => void} onChoose
 * @param {boolean} isNarrow
 */
function line({ words, answers }, name, chosen, onChoose, isNarrow) {
  const right = answers.filter((each) => each.right).length;
  const mark = right === answers.length ? '✓' : '✗';
  return html`<li role="none" class="train-row">
    <label class="train-row-choice"
      ><input
        type="radio"
        name="train-row"
        .checked=${live(chosen)}
        aria-label=${`${name}: ${right} of ${answers.length} right`}
        @change=${onChoose}
      /><span aria-hidden="true">${mark} ${right}/${answers.length}${name === OWN ? ' yours' : ''}</span></label
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

/**
 * The field for a row of the reader's own; at first the chosen one, to be edited.
 * @param {import('../state.js').TrainState} state
 * @param {Pick<import('../view.js').TrainActions, 'onAsk'>} actions
 */
function ownExample({ report, task, tasks, level, problem }, { onAsk }) {
  if (!report) return nothing;
  const { rows, example } = report.look;
  const wrong = problem?.field === 'example' ? problem.text : '';
  const joint = task === 'text' && level === 'characters' ? '' : TEXTS[task].joint;
  const asked = rows[example].words.filter((word) => !/^\[[A-Z]+\]$/.test(word)).join(joint);
  /** @param {any} event */
  const use = (event) => {
    event.preventDefault();
    onAsk(event.target.elements.example.value);
  };
  return html`<form class="train-own" @submit=${use}>
    <label for="train-own">Your own example</label>
    <input
      id="train-own"
      name="example"
      spellcheck="false"
      autocomplete="off"
      autocapitalize="off"
      .value=${asked.replace(/=.*/, '=')}
      aria-invalid=${wrong ? 'true' : nothing}
      aria-describedby="train-own-note"
    />
    <button>Show</button>
    <p class="hint" id="train-own-note">
      ${wrong ? html`<span class="error" role="alert">${wrong}</span>` : `${tasks.get(task)?.input}.`}
    </p>
  </form>`;
}
