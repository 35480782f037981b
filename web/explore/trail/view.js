// The recorder: the steps of the trail, the form for one, the link.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { valueOf } from '../../draw/controls.js';

/**
 * @typedef {{sentence: string, link: string, question: {question: string} | null}} StepData
 * @typedef {{sentence: string, own: boolean, question: string, answers: string[], right: number | null}} Draft
 *
 * `edited`: the step that the form has, null: a new one; `link`: the word of the link, null: it is being made;
 * `fallback`: what could not be copied; `undo`: what was removed; `problem`: of what the browser keeps; `message`: of
 * the last action.
 * @typedef {{
 *   steps: StepData[], draft: Draft, edited: number | null, link: string | null, fallback: string, undo: string,
 *   error: string, problem: string, message: string,
 *   limits: {FEWEST_STEPS: number, MOST_STEPS: number, LONGEST_SENTENCE: number, LONGEST_ANSWER: number,
 *     LONGEST_TRAIL: number},
 * }} RecorderData
 * @typedef {{
 *   onClose: () => void, onDraft: (draft: Draft) => void, onSubmit: (ofView: boolean) => void, onCancel: () => void,
 *   onEdit: (at: number) => void, onMove: (at: number, to: number) => void, onRemove: (at: number) => void,
 *   onClear: () => void, onUndo: () => void, onEmbed: (at: number) => void, onLink: (word: string) => void,
 *   onPlay: (word: string) => void,
 * }} RecorderOptions
 */

const LONG_LINK = 2000; // characters, of which some programs that carry links cut what is beyond

/** @param {HTMLElement} root @param {RecorderOptions} options */
export function create(root, options) {
  return {
    /** @param {RecorderData} data */
    update(data) {
      const { steps, undo, problem, message, fallback } = data;
      render(
        html`
        <div class="trail-head">
          <h2 id="trail-title">Trail</h2>
          <button type="button" @click=${options.onClose}>Close</button>
        </div>
        <p class="hint">Record views as slides. A link plays them and asks for a prediction before each answer.</p>
        ${problem ? html`<p class="notices" role="status">${problem}</p>` : nothing}
        <ol class="trail-steps">${steps.map((step, at) => stepItem(step, at, data, options))}</ol>
        <p role="status" class="trail-status">${message}</p>
        ${
          undo
            ? html`<p class="buttons"><span>${undo}</span>
              <button type="button" @click=${options.onUndo}>Undo</button></p>`
            : nothing
        }
        ${
          fallback
            ? html`<label class="trail-field">Copy this
              <textarea readonly rows="3" .value=${fallback}></textarea></label>`
            : nothing
        }
        ${form(data, options)} ${sharing(data, options)}`,
        root,
      );
    },
    focusSentence: () => /** @type {HTMLElement | null} */ (root.querySelector('.trail-sentence'))?.focus(),
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {StepData} step @param {number} at @param {RecorderData} data @param {RecorderOptions} options */
function stepItem({ sentence, link, question }, at, { steps, edited }, { onMove, onEdit, onEmbed, onRemove }) {
  const number = at + 1;
  return html`<li aria-current=${at === edited ? 'step' : nothing}>
    <a href="#/explore?${link}" dir="auto" title="Show this view">${sentence}</a>
    ${question ? html`<span class="hint" dir="auto">Asks: ${question.question}</span>` : nothing}
    <div class="buttons">
      <button type="button" aria-label="Move step ${number} up" ?disabled=${at === 0}
        @click=${() => onMove(at, at - 1)}>↑</button>
      <button type="button" aria-label="Move step ${number} down" ?disabled=${number === steps.length}
        @click=${() => onMove(at, at + 1)}>↓</button>
      <button type="button" aria-label="Edit step ${number}" @click=${() => onEdit(at)}>Edit</button>
      <button type="button" aria-label="Copy embed of step ${number}" title="A live figure for an article"
        @click=${() => onEmbed(at)}>Copy embed</button>
      <button type="button" aria-label="Remove step ${number}" @click=${() => onRemove(at)}>Remove</button>
    </div>
  </li>`;
}

/** @param {RecorderData} data @param {RecorderOptions} options */
function form({ steps, draft, edited, error, limits }, { onDraft, onSubmit, onCancel }) {
  const isNew = edited === null;
  const isFull = isNew && steps.length >= limits.MOST_STEPS;
  if (isFull) return html`<p class="hint">${limits.MOST_STEPS} steps are the most. Remove one to add another.</p>`;
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    onSubmit(isNew);
  };
  return html`<form class="trail-form" @submit=${submit}>
    <label class="trail-field">${isNew ? `Sentence for step ${steps.length + 1}` : `Sentence of step ${edited + 1}`}
      <textarea class="trail-sentence" rows="2" dir="auto" maxlength=${limits.LONGEST_SENTENCE}
        aria-describedby="trail-error" .value=${live(draft.sentence)}
        @input=${(/** @type {Event} */ event) => onDraft({ ...draft, sentence: valueOf(event) })}></textarea></label>
    <label class="trail-field">Ask before the answer
      <select class="trail-ask"
        @change=${(/** @type {Event} */ event) => onDraft({ ...draft, own: valueOf(event) === 'own' })}>
        <option value="word" .selected=${live(!draft.own)}>What will the model say?</option>
        <option value="own" .selected=${live(draft.own)}>My own question</option>
      </select></label>
    ${draft.own ? ownQuestion(draft, limits, onDraft) : nothing}
    <p id="trail-error" class="error" role="alert">${error}</p>
    <div class="buttons">
      <button type="submit" class="trail-main">${isNew ? 'Add this view' : 'Save'}</button>
      ${
        isNew
          ? nothing
          : html`<button type="button" @click=${() => onSubmit(true)}>Save with this view</button>
            <button type="button" @click=${onCancel}>Cancel</button>`
      }
    </div>
  </form>`;
}

/** @param {Draft} draft @param {RecorderData['limits']} limits @param {(draft: Draft) => void} onDraft */
function ownQuestion(draft, limits, onDraft) {
  const { question, answers, right } = draft;
  return html`<label class="trail-field">Question
      <input class="trail-question" dir="auto" maxlength=${limits.LONGEST_SENTENCE} autocomplete="off"
        .value=${live(question)}
        @input=${(/** @type {Event} */ event) => onDraft({ ...draft, question: valueOf(event) })}></label>
    <fieldset class="trail-answers"><legend>Two to four answers; mark the right one</legend>
      ${answers.map(
        (answer, i) => html`<div>
        <input type="radio" name="trail-right" aria-label="Answer ${i + 1} is right" .checked=${live(right === i)}
          @change=${() => onDraft({ ...draft, right: i })}>
        <input aria-label="Answer ${i + 1}" dir="auto" maxlength=${limits.LONGEST_ANSWER} autocomplete="off"
          .value=${live(answer)}
          @input=${(/** @type {Event} */ event) =>
            onDraft({ ...draft, answers: answers.with(i, valueOf(event)) })}></div>`,
      )}
      <label><input type="radio" name="trail-right" .checked=${live(right === null)}
        @change=${() => onDraft({ ...draft, right: null })}> The model decides: its likeliest word of these</label>
    </fieldset>`;
}

/** @param {RecorderData} data @param {RecorderOptions} options */
function sharing({ steps, link, limits }, { onLink, onPlay, onClear }) {
  const { FEWEST_STEPS, MOST_STEPS, LONGEST_TRAIL } = limits;
  if (!steps.length) return html`<p class="hint">A trail has ${FEWEST_STEPS} to ${MOST_STEPS} steps.</p>`;
  const missing = FEWEST_STEPS - steps.length;
  const isLong = (link?.length ?? 0) > LONGEST_TRAIL;
  const word = missing > 0 || isLong ? null : link;
  return html`<div class="trail-share">
    <div class="buttons">
      <button type="button" ?disabled=${!word} @click=${() => word && onLink(word)}>Copy link</button>
      <button type="button" ?disabled=${!word} @click=${() => word && onPlay(word)}>Play</button>
      <button type="button" @click=${onClear}>Remove all</button>
    </div>
    <p class="hint trail-length">${
      missing > 0
        ? `Add ${missing === 1 ? 'one more' : `${missing} more`}: a trail has ${FEWEST_STEPS} to ${MOST_STEPS} steps.`
        : link === null
          ? '…'
          : lengthText(link.length, steps, LONGEST_TRAIL)
    }</p>
    <p class="hint">This browser keeps the steps until you remove them.</p>
  </div>`;
}

/** @param {number} length @param {StepData[]} steps @param {number} most */
function lengthText(length, steps, most) {
  const [now, all] = [length, most].map((count) => count.toLocaleString('en'));
  if (length > most) {
    const lengths = steps.map(({ link }) => link.length);
    const longest = lengths.indexOf(Math.max(...lengths)) + 1;
    return `The trail takes ${now} characters; a link holds ${all}. Shorten the text of step ${longest} or remove it.`;
  }
  return `The trail takes ${now} characters of the link${length > LONG_LINK ? '; some programs cut such links' : ''}.`;
}
