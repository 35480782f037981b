// The bar of a trail: a teacher writes its list, a reader plays it.

import { html, nothing, render } from 'lit-html';
import { answersAt } from './answers.js';
import css from './trail.css';
import { selectedIn } from './words.js';
import { formatShare } from '../../draw/numbers.js';
import { addStyle } from '../../kit/feature.js';
import { copyText } from '../../export/file.js';
import { readKept, writeKept } from '../../kit/kept.js';
import { onPageKey } from '../../draw/page-keys.js';
import {
  FEWEST_STEPS,
  LONGEST_TRAIL,
  MOST_STEPS,
  questionOf,
  readTrail,
  stateLink,
  stepsOf,
  writeTrail,
} from '../../kit/trail.js';

/**
 * @typedef {import('../../kit/trail.js').Step} Step
 * @typedef {import('../../kit/trail.js').Asked} Asked
 * @typedef {import('../../kit/trail.js').Answer} Answer
 * @typedef {import('../index.js').Tools} Tools
 */

const KEPT = 'glassformer-trail';
const PLACE = '#/explore?';

/** A link to the shown state alone, without its frame. @param {Tools} tools */
const shownLink = (tools) => PLACE + stateLink(new URL(tools.link()).hash.slice(PLACE.length));

/** @param {Tools} tools */
export function createTrail(tools) {
  addStyle(css);
  const root = document.createElement('section');
  Object.assign(root, { id: 'trail', className: 'trail', tabIndex: -1, ariaLabel: 'Trail', hidden: true });
  document.querySelector('[data-slot="page"]')?.append(root);
  const button = /** @type {HTMLElement} */ (document.getElementById('trail-button'));
  const { toggle, draw } = createList(root, button, tools);
  return { toggle, follow: createPlayer(root, tools, draw) };
}

/** The model's answer at the cursor. @param {Tools} tools @returns {Answer | null} */
function answerOf(tools) {
  const result = tools.presentResult();
  const state = tools.get();
  const info = tools.modelInfo();
  const isHere = result && info && !state.follow && result.plan.model === info.name;
  const answers = isHere && answersAt(result, state, info);
  if (!answers) return null;
  const { list, word } = answers;
  const isNext = selectedIn(result, state).stack === 'decoder';
  return { words: list.map((each) => each.word), share: list[0].probability, word, isNext };
}

/** @param {HTMLElement} root @param {HTMLElement} button @param {Tools} tools */
function createList(root, button, tools) {
  let isOpen = false;
  let text = '';
  let message = ''; // why the list is no trail yet
  let link = '';
  root.addEventListener('keydown', (event) => isOpen && event.key === 'Escape' && toggle());

  function toggle() {
    isOpen = !isOpen;
    button.ariaExpanded = String(isOpen);
    document.documentElement.toggleAttribute('data-recording', isOpen);
    take(String(readKept(KEPT).text ?? ''));
    (isOpen ? root : button).focus({ preventScroll: true });
    tools.set({}); // the maps are laid out again
  }

  /** @param {string} next */
  async function take(next) {
    [text, link] = [next, ''];
    const { steps, problem } = stepsOf(text);
    const isFew = steps.length < FEWEST_STEPS;
    message = problem || (isFew ? `Steps so far: ${steps.length} of ${FEWEST_STEPS} to ${MOST_STEPS}.` : '');
    draw();
    const word = message ? '' : await writeTrail(steps);
    if (text !== next || message) return;
    if (word.length > LONGEST_TRAIL) message = 'The link is too long: remove a step or shorten its text.';
    else link = new URL(`${PLACE}trail=${word}`, location.href).href;
    draw();
  }

  /** @param {string} next */
  function write(next) {
    writeKept(KEPT, { text: next });
    take(next);
  }
  const add = () => write(`${text.trim()}\n\n${shownLink(tools)}\nWrite a sentence here.\n`.trimStart());

  async function copy() {
    message = (await copyText(link)) ? 'Link copied.' : 'No access to the clipboard: copy the address of “Play”.';
    draw();
  }

  function draw() {
    root.hidden = !isOpen;
    if (!isOpen) return;
    render(
      html`<label id="trail-title" for="trail-list">Trail: a link, a sentence and a question for each view</label>
      <p class="hint">Below a sentence, you may write a question, and on the next line its answers, the right one first.
        Without one, the page asks what the model will say.</p>
      <textarea id="trail-list" rows="6" spellcheck="false" .value=${text}
        @input=${(/** @type {any} */ { target }) => write(target.value)}></textarea>
      <div class="buttons">
        <button type="button" class="trail-main" @click=${add}>Add this view</button>
        <button type="button" ?disabled=${!link} @click=${copy}>Copy link</button>
        ${link ? html`<a href=${link} @click=${toggle}>Play</a>` : nothing}
        <button type="button" @click=${toggle}>Close</button>
        <span role="status">${message}</span>
      </div>`,
      root,
    );
  }
  return { toggle, draw };
}

/** @param {HTMLElement} root @param {Tools} tools @param {() => void} drawList where none plays */
function createPlayer(root, tools, drawList) {
  let trail = '';
  /** @type {Step[] | null} */
  let steps = null;
  let at = 0; // the step, from 0
  /** The reader's predictions by step; null: asked for the answer. @type {Map<number, string | null>} */
  const guesses = new Map();

  addEventListener('keydown', (event) => {
    if (!steps || event.defaultPrevented || document.documentElement.dataset.place !== 'explore') return;
    onPageKey(event, { turn: (way) => (way > 0 && !guesses.has(at) ? reveal(null) : turn(way)), leave });
  });

  /** @param {1 | -1} way */
  function turn(way) {
    if (steps?.[at + way]) location.hash = `${PLACE}trail=${trail}&step=${at + way + 1}`;
  }
  const leave = () => void (location.hash = shownLink(tools));

  /** @param {string | null} guess */
  function reveal(guess) {
    guesses.set(at, guess);
    draw();
    const next = root.querySelector('.trail-main:enabled');
    /** @type {HTMLElement} */ (next ?? root).focus({ preventScroll: true });
  }

  function draw() {
    if (!steps) return;
    const { sentence, question } = steps[at];
    const now = answerOf(tools);
    const asked = questionOf(question, now);
    if (!asked && tools.presentResult() && !tools.get().follow) guesses.set(at, null);
    const guess = guesses.get(at);
    document.documentElement.dataset.trail = guess === undefined ? 'ask' : 'shown';
    root.hidden = false;
    render(
      html`<p class="trail-count">${at + 1} of ${steps.length}</p>
      <p class="trail-words" dir="auto" aria-live="polite">${sentence}</p>
      <div class="trail-answer" aria-live="polite">${
        guess === undefined ? (asked ? choices(asked, reveal) : 'Computing…') : shown(guess, asked, now)
      }</div>
      <div class="buttons">
        <button type="button" ?disabled=${at === 0} @click=${() => turn(-1)}>← Back</button>
        ${
          guess === undefined
            ? html`<button type="button" @click=${() => reveal(null)}>Just show me</button>`
            : html`<button type="button" class="trail-main" ?disabled=${at + 1 === steps.length}
                @click=${() => turn(1)}>Next →</button>`
        }
        <button type="button" title="Escape" @click=${leave}>Explore from here</button>
      </div>`,
      root,
    );
  }

  /** @param {import('../index.js').State} state */
  return async (state) => {
    if (state.trail !== trail) {
      const next = (trail = state.trail);
      steps = null;
      guesses.clear();
      const read = next ? await readTrail(next).catch(() => null) : null;
      if (trail !== next) return;
      steps = read;
      if (!steps) delete document.documentElement.dataset.trail;
    }
    if (!steps) return drawList();
    at = Math.min(tools.get().step, steps.length) - 1;
    draw();
  };
}

/** @param {Asked} asked @param {(guess: string) => void} reveal */
const choices = ({ text, at, choices: all }, reveal) => html`<p id="trail-question" dir="auto">${text}${
  at ? html` <bdi class="quoted">${at}</bdi>?` : nothing
}</p>
  <div class="buttons" role="group" aria-labelledby="trail-question">${all.map(
    (choice) =>
      html`<button type="button" class="trail-choice" dir="auto" @click=${() => reveal(choice)}>${choice}</button>`,
  )}</div>`;

/** @param {string | null} guess @param {Asked | null} asked @param {Answer | null} now */
function shown(guess, asked, now) {
  const right = asked?.right ?? null;
  const mark = right === null ? '' : guess === right ? '✓ ' : '✗ ';
  return html`${
    now
      ? html`<p class="trail-says">${now.isNext ? 'After' : 'At'} <bdi class="quoted">${now.word}</bdi> the model says
          <strong><bdi>${now.words[0]}</bdi></strong>, <span class="number">${formatShare(now.share)}</span>.</p>`
      : nothing
  }<p class="trail-guess">${guess === null ? nothing : html`${mark}You predicted <bdi>${guess}</bdi>.`} ${
    right === null || right === now?.words[0] ? nothing : html`The answer: <strong><bdi>${right}</bdi></strong>.`
  }</p>`;
}
