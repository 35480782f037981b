// One row as the model solves it at the present moment: its tokens, the attention of the chosen head as lines, and the
// answers, right and wrong marked. A row that is too long for that is written line by line.

import { html, nothing, svg } from 'lit-html';
import { joinOf, rowTitle } from '../tasks.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../run/look.js').Row} Row
 */

const MOST = 14; // tokens side by side
const LONGEST = 5; // characters of a token there
const LEAST = 0.04; // a thinner line says nothing
const COLUMN = 100; // of the drawing, as is its depth
const DEPTH = 100;

/** A character that would not be seen. @param {string} token */
const visible = (token) => (token === ' ' ? '␣' : token === '\n' ? '⏎' : token);

/**
 * @param {TrainState} state @param {Pick<import('../view.js').TrainActions, 'onAsk' | 'onEdit'>} actions
 * @param {unknown} text the form of the reader's own text
 */
export function shownRow(state, actions, text) {
  const { inspection, split } = /** @type {import('../state.js').Report} */ (state.report);
  const row = inspection.rows[inspection.example];
  const isShort = row.words.length <= MOST && row.words.every(({ length }) => length <= LONGEST);
  const next = state.tasks.get(state.task)?.causal;
  return html`<section class="train-shown" aria-labelledby="train-shown-title">
    <div class="train-front-head">
      <h3 id="train-shown-title">${inspection.own ? 'Your row' : rowTitle(split)}</h3>
      <button type="button" class="plain train-edit" aria-expanded=${state.edits} @click=${actions.onEdit}>
        ✎ type your own
      </button>
    </div>
    ${state.edits ? ownExample(state, actions) : nothing}
    ${isShort ? tiles(row, state) : lines(row)}
    ${next ? html`<p class="hint">Below each token: the model’s answer for the token that comes next.</p>` : nothing}
    ${
      inspection.written
        ? html`<p class="train-written">
          <span class="hint">The model continues (temperature 0.7):</span> <bdi>${inspection.written.prompt}</bdi>
          <strong><bdi>${inspection.written.text}</bdi></strong>
        </p>`
        : nothing
    }
    ${text}
  </section>`;
}

/** @param {Row} row @param {TrainState} state */
function tiles({ words, answers }, state) {
  const { inspection } = /** @type {import('../state.js').Report} */ (state.report);
  const { layer, head } = state.head;
  const { size, data } = inspection.maps[layer];
  const weights = data.subarray(head * size * size, (head + 1) * size * size);
  const at = new Map(answers.map((answer) => [answer.at, answer]));
  return html`<div class="train-tiles ${words.some(({ length }) => length > 1) ? 'words' : ''}">
    <ol class="train-in" aria-label="Row">
      ${words.map((word) => html`<li><bdi>${visible(word)}</bdi></li>`)}
    </ol>
    <svg viewBox="0 0 ${COLUMN * size} ${DEPTH}" preserveAspectRatio="none" aria-hidden="true">
      ${[...at.values()].flatMap(({ at: query, right }) => arcs(weights, size, query, right))}
    </svg>
    <ol class="train-out" aria-label="Answers">
      ${words.map((_, place) => answerTile(at.get(place)))}
    </ol>
  </div>`;
}

/**
 * The lines from an answer to the tokens that its query attends to.
 * @param {Float32Array} weights [size, size] @param {number} size @param {number} query @param {boolean} right
 */
function arcs(weights, size, query, right) {
  const x = (/** @type {number} */ place) => (place + 0.5) * COLUMN;
  return Array.from({ length: size }, (_, key) => {
    const weight = weights[query * size + key];
    if (weight < LEAST) return nothing;
    const path = `M${x(key)} 0C${x(key)} ${DEPTH / 2} ${x(query)} ${DEPTH / 2} ${x(query)} ${DEPTH}`;
    return svg`<path class=${right ? 'right' : ''} d=${path} stroke-width=${(0.5 + 5 * weight).toFixed(1)}
      opacity=${(0.15 + 0.8 * weight).toFixed(2)}></path>`;
  });
}

/** @param {import('../run/look.js').Answer | undefined} answer */
const answerTile = (answer) =>
  answer
    ? html`<li class=${answer.right ? 'right' : 'wrong'}>
      <bdi>${visible(answer.got)}</bdi>${
        answer.right
          ? html`<span class="visually-hidden">right</span>`
          : html`<small>≠ <bdi>${visible(answer.expected)}</bdi></small>`
      }
    </li>`
    : html`<li></li>`;

/** A row in text: each token with its answer below. @param {Row} row @param {boolean} [isNarrow] */
export const lines = ({ words, answers }, isNarrow = false) => html`<span
  class="train-tokens ${isNarrow ? 'narrow' : ''}"
>
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
</span>`;

/**
 * The field for a row of the reader's own; at first the shown one, to be edited.
 * @param {TrainState} state
 * @param {Pick<import('../view.js').TrainActions, 'onAsk'>} actions
 */
function ownExample({ report, task, tasks, level, problem }, { onAsk }) {
  const { rows, example } = /** @type {import('../state.js').Report} */ (report).inspection;
  const wrong = problem?.field === 'example' ? problem.text : '';
  const asked = rows[example].words.filter((word) => !/^\[[A-Z]+\]$/.test(word)).join(joinOf(task, level));
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
