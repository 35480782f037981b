// Rows as the model solves them at the present moment, right and wrong marked. The chosen one has its tokens, the
// attention of the chosen head as lines, and the answers; one that is too long for that is written line by line.

import { html, nothing, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { directionOf } from '../../draw/sentence.js';
import { visible } from '../../kit/letters.js';
import { laterClass } from '../state.js';
import { TEXTS, joinOf, rowTitle } from '../tasks.js';
import style from './row.css';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../state.js').Report} Report
 * @typedef {import('../run/look.js').Row} Row
 */

const MOST = 14; // tokens side by side
const LONGEST = 5; // characters of a token there
const LEAST = 0.04; // a thinner line says nothing
const COLUMN = 100; // of the drawing, as is its depth
const DEPTH = 100;
const LONG = 12; // tokens; longer rows stand one below the other

/** @type {import('../index.js').Feature} */
export const row = {
  name: 'row',
  slot: 'shown',
  style,
  render({ state, report }, tools) {
    const { inspection, split } = report;
    if (inspection.ffn) return null;
    const shown = inspection.rows[inspection.example];
    const isShort = shown.words.length <= MOST && shown.words.every(({ length }) => length <= LONGEST);
    const { written } = inspection;
    return html`<div class="train-front-head">
        <h3 id="train-shown-title">${inspection.own ? 'Your row' : rowTitle(split)}</h3>
        <button type="button" class=${laterClass(state, 'plain train-edit')} aria-expanded=${state.edits}
          @click=${() => tools.set({ edits: !state.edits })}>✎ type your own</button>
      </div>
      ${state.edits ? ownRow(state, report, tools) : nothing}
      ${isShort ? tiles(shown, state, report) : lines(shown)}
      ${
        state.tasks.get(state.task)?.causal
          ? html`<p class="hint">Below each token: the model’s answer for the token that comes next.</p>`
          : nothing
      }
      ${
        written
          ? html`<p class="train-written">
            <span class="hint">The model continues (temperature 0.7):</span> <bdi>${written.prompt}</bdi>
            <strong><bdi>${written.text}</bdi></strong>
          </p>`
          : nothing
      }`;
  },
};

/** All held-out rows, of which the reader chooses one. @type {import('../index.js').Feature} */
export const rows = {
  name: 'rows',
  slot: 'rows',
  render({ state: { task, tasks, example }, report: { inspection } }, { onExample }) {
    const all = inspection.rows;
    if (!all.length) return null;
    const chosen = typeof example === 'string' ? all.length - 1 : example; // the report may come later
    const next = tasks.get(task)?.causal;
    /** @param {Row} shown @param {number} index */
    const choice = (shown, index) => {
      const isOwn = inspection.own && index === all.length - 1;
      const { length } = shown.answers;
      const right = shown.answers.filter((each) => each.right).length;
      return html`<li role="none" class="train-row">
        <label class="train-row-choice"
          ><input type="radio" name="train-row" .checked=${live(index === chosen)}
            aria-label=${`${isOwn ? 'Your row' : `Row ${index + 1}`}: ${right} of ${length} right`}
            @change=${() => onExample(index)}
          ><span aria-hidden="true">${right === length ? '✓' : '✗'} ${right}/${length}${isOwn ? ' yours' : ''}</span>
        </label>
        ${lines(shown, TEXTS[task].joint === '')}
      </li>`;
    };
    return html`<div class="train-predictions">
      <p class="hint">
        Below each token: the model’s answer${next ? ' for the token that comes next' : ''}; ≠ and a frame mark a
        wrong one and name the right one. The chosen row is the one whose attention and neurons are shown.
      </p>
      <ul role="radiogroup" aria-label="Held-out rows" class="train-rows ${all[0].words.length > LONG ? 'long' : ''}">
        ${all.map(choice)}
      </ul>
    </div>`;
  },
};

/** @param {Row} row @param {TrainState} state @param {Report} report */
function tiles({ words, answers }, { head: { layer, head } }, { inspection }) {
  const { size, data } = inspection.maps[layer];
  const weights = data.subarray(head * size * size, (head + 1) * size * size);
  const at = new Map(answers.map((answer) => [answer.at, answer]));
  return html`<div dir=${directionOf(words)}
    class="train-tiles ${words.some(({ length }) => length > 1) ? 'words' : ''}">
    <ol class="train-in" aria-label="Row">
      ${words.map((word) => html`<li><bdi>${visible(word)}</bdi></li>`)}
    </ol>
    <svg viewBox="0 0 ${COLUMN * size} ${DEPTH}" preserveAspectRatio="none" aria-hidden="true">
      ${[...at.values()].flatMap(({ at: query, right }) => arcs(weights, size, query, right))}
    </svg>
    <ol class="train-out" aria-label="Answers">
      ${words.map((_, index) => answerTile(at.get(index)))}
    </ol>
  </div>`;
}

/**
 * The lines from an answer to the tokens that its query attends to.
 * @param {Float32Array} weights [size, size] @param {number} size @param {number} query @param {boolean} right
 */
function arcs(weights, size, query, right) {
  const x = (/** @type {number} */ index) => (index + 0.5) * COLUMN;
  return Array.from({ length: size }, (_, key) => {
    const weight = weights[query * size + key];
    if (weight < LEAST) return nothing;
    const path = `M${x(key)} 0C${x(key)} ${DEPTH / 2} ${x(query)} ${DEPTH / 2} ${x(query)} ${DEPTH}`;
    return svg`<path class=${right ? 'right' : ''} d=${path} stroke-width=${(0.5 + 5 * weight).toFixed(1)}
      opacity=${(0.15 + 0.8 * weight).toFixed(2)}></path>`;
  });
}

/** @param {import('../run/look.js').Answer | undefined} answer */
function answerTile(answer) {
  if (!answer) return html`<li></li>`;
  return html`<li class=${answer.right ? 'right' : 'wrong'}>
    <bdi>${visible(answer.got)}</bdi>${
      answer.right
        ? html`<span class="visually-hidden">right</span>`
        : html`<small>≠ <bdi>${visible(answer.expected)}</bdi></small>`
    }
  </li>`;
}

/** A row in text: each token with its answer below. @param {Row} row @param {boolean} [isNarrow] */
const lines = ({ words, answers }, isNarrow = false) => html`<span dir=${directionOf(words)}
  class="train-tokens ${isNarrow ? 'narrow' : ''}">
  ${words.map((word, at) => {
    const answer = answers.find((each) => each.at === at);
    const wrong = () => html`<small>≠${visible(answer?.expected ?? '')}</small>`;
    return html`<span class="train-token"><bdi>${visible(word)}</bdi>${
      answer
        ? html`<bdi class=${answer.right ? 'right' : 'wrong'}>${visible(answer.got)}${
            answer.right ? nothing : wrong()
          }</bdi>`
        : html`<bdi></bdi>`
    }</span>`;
  })}
</span>`;

/**
 * The field for a row of the reader's own; at first the shown one, to be edited.
 * @param {TrainState} state @param {Report} report @param {import('../index.js').Tools} tools
 */
function ownRow({ task, tasks, level, problem }, { inspection }, tools) {
  const wrong = problem?.field === 'example' ? problem.text : '';
  const { words } = inspection.rows[inspection.example];
  const asked = words.filter((word) => !/^\[[A-Z]+\]$/.test(word)).join(joinOf(task, level));
  /** @param {any} event */
  const use = (event) => {
    event.preventDefault();
    ask(event.target.elements.example.value, tools);
  };
  return html`<form class="train-own" @submit=${use}>
    <label for="train-own">Your own example</label>
    <input id="train-own" name="example" spellcheck="false" autocomplete="off" autocapitalize="off"
      .value=${asked.replace(/=.*/, '=')} aria-invalid=${wrong ? 'true' : nothing} aria-describedby="train-own-note">
    <button>Show</button>
    <p class="hint" id="train-own-note">
      ${wrong ? html`<span class="error" role="alert">${wrong}</span>` : `${tasks.get(task)?.input}.`}
    </p>
  </form>`;
}

/**
 * Shows a row of the reader's own, or why it cannot be; training goes on where it was under way.
 * @param {string} typed @param {import('../index.js').Tools} tools
 */
async function ask(typed, { get, client, set, take, inTurn, goOn }) {
  const { task, running } = get();
  await inTurn(async () => {
    try {
      if (get().task !== task) return; // another one was chosen meanwhile
      take(await client.go({ step: get().report?.step ?? 0, example: typed }));
      if (get().task === task) set({ example: typed, problem: null });
    } catch (error) {
      const { code, value } = /** @type {any} */ (error);
      if (!code) throw error;
      const input = get().tasks.get(get().task)?.input;
      const text = code === 'unknown' ? `“${value}” is not one of the task’s words.` : `It must be ${input}.`;
      set({ problem: { field: 'example', text, typed } });
    }
  });
  if (running) goOn();
}
