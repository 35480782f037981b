// The panel of the lessons: the list of all, what the open one says, asks and has found, and the buttons that turn.

import { html, nothing, render } from 'lit-html';
import { KINDS, addressOf, lessons } from './index.js';
import { tried } from './numbers.js';
import { areThere, sentenceOf } from './sentences.js';
import { isChosen } from './tools.js';
import { onPageKey } from '../draw/page-keys.js';

/**
 * @typedef {import('./index.js').Listed} Lesson
 * @typedef {import('./progress.js').Record} Record
 * @typedef {{
 *   now: Lesson, records: ReadonlyMap<string, Record>, record: Record, story: boolean, sentences: string[],
 *   values: import('./sentences.js').Values, isOwn: boolean, verdict: import('./index.js').Verdict,
 *   solved: number | null, count: number, facts: any,
 * }} Data
 * @typedef {{
 *   stage: import('./runner.js').Stage, onTurn: (lesson?: Lesson) => void, onLeave: () => void, onAgain: () => void,
 *   onStory: (story: boolean) => void, onWhere: () => void,
 * }} Actions
 */

/** Whether a projector can show it. @param {Lesson} lesson */
export const hasStory = ({ kind }) => ['start', 'page', 'today'].includes(kind);

/** @param {HTMLElement} root @param {Actions} actions */
export function createPanel(root, actions) {
  /** @type {Data} */
  let shown;
  /** @type {Lesson | null} */
  let turned = null;
  root.addEventListener('keydown', (event) =>
    onPageKey(event, {
      turn: (way) => actions.onTurn(lessons[lessons.indexOf(shown.now) + way]),
      leave: () => (shown.story ? actions.onStory(false) : actions.onLeave()),
    }),
  );
  return {
    /** @param {Data} data */
    update(data) {
      shown = data;
      render(template(data, actions), root);
      if (turned === data.now) return;
      turned = data.now;
      root.scrollTop = 0;
      for (const fold of root.querySelectorAll('details')) fold.open = false;
    },
  };
}

/** @param {Data} data @param {Actions} actions */
function template(data, actions) {
  const { now, records, story } = data;
  const { name, met } = KINDS[now.kind];
  const same = lessons.filter(({ kind }) => kind === now.kind);
  const count = same.filter(({ id }) => records.has(id)).length;
  const at = lessons.indexOf(now);
  const isDone = !now.task || isReached(data);
  return html`
    <div class="book-head">
      <details class="side-contents book-contents">
        <summary>Contents</summary>
        ${Object.entries(KINDS).map(([kind, { heading }]) => [
          html`<p><b>${heading}</b></p>`,
          list(/** @type {import('./index.js').Kind} */ (kind), data, actions),
        ])}
      </details>
      ${
        hasStory(now)
          ? html`<button type="button" class="book-story" aria-pressed=${story}
            @click=${() => actions.onStory(!story)} title="Large type, one idea on the screen">Projector</button>`
          : nothing
      }
      <button type="button" class="book-close" @click=${actions.onLeave}
        title=${KINDS[now.kind].place === 'explore' ? 'Close the lessons: all is as it was before' : nothing}
        >Close</button>
    </div>
    <p class="book-count">${name} ${same.indexOf(now) + 1} of ${same.length}${count ? `, ${count} ${met}` : ''}</p>
    <h2 id="${actions.stage.id}-title" aria-live="polite">${now.title}</h2>
    ${content(data, actions)}
    <div class="side-turn book-turn">
      <button type="button" ?disabled=${!at} @click=${() => actions.onTurn(lessons[at - 1])}>← Back</button>
      <button type="button" @click=${actions.onAgain}>Start again</button>
      <button type="button" class=${isDone ? 'primary' : ''} ?disabled=${at + 1 === lessons.length}
        @click=${() => actions.onTurn(lessons[at + 1])}>Next →</button>
    </div>`;
}

/** @param {import('./index.js').Kind} kind @param {Data} data @param {Actions} actions */
const list = (kind, { now, records }, { stage, onTurn, onLeave }) =>
  html`<ol class="book-list-${kind}">${lessons
    .filter((each) => each.kind === kind)
    .map((each) => {
      const name = html`${each.title}${mark(each, records.get(each.id))}`;
      return html`<li>${
        KINDS[kind].place === stage.place
          ? html`<button type="button" aria-current=${each === now ? 'page' : nothing}
              @click=${() => onTurn(each)}>${name}</button>`
          : html`<a href=${addressOf(each)} @click=${onLeave}>${name}</a>`
      }</li>`;
    })}</ol>`;

/** The status of a lesson: a sign with its name. @param {Lesson} lesson @param {Record} [record] */
function mark({ par }, record) {
  if (!par) return record ? html` <span role="img" aria-label="done">✓</span>` : nothing;
  const stands = standing({ par, best: record?.best ?? null });
  return html` <span class="puzzle-standing">${stands} <span aria-hidden="true">${SIGNS[stands]}</span></span>`;
}

/** @param {Data} data */
const isReached = ({ now: { par }, solved, record }) => (par ? solved !== null : Boolean(record.seen));

/** @param {import('./index.js').Tool} tool @param {any} facts null: on their way @param {Actions['stage']} stage */
function toolView({ label, choices }, facts, stage) {
  const said = typeof label === 'string' ? label : facts && tried(() => label(facts));
  return html`<div class="book-tool" role="group" aria-labelledby="${stage.id}-tool"
    ><span id="${stage.id}-tool">${said || '…'}</span>${Object.entries(choices).map(([name, choice]) => {
      const chosen = facts ? tried(() => isChosen(choice, facts)) : undefined; // undefined: on its way
      return html`<button type="button" ?disabled=${chosen === undefined} aria-pressed=${Boolean(chosen)}
        @click=${() => stage.choose?.(choice, facts)}>${name}</button>`;
    })}</div>`;
}

/** @param {Data} data @param {Actions} actions */
function content(data, { stage, onWhere }) {
  const { now, record, sentences, values, isOwn, verdict, solved, count, facts } = data;
  const { task, tool, control, action, seen, doubt, par, goal, hint, shows, limit } = now;
  const done = isReached(data);
  return html`
    ${
      now.text
        ? html`<div class="book-text">${sentences.map(
            (each) => html`<p>${sentenceOf(each, values, now.equation)}</p>`,
          )}</div>`
        : nothing
    }
    ${now.live ? now.live(null) : nothing}
    ${
      isOwn || par
        ? nothing
        : html`<p class="hint">This page speaks of its own text and settings: “Start again” brings
      them back.</p>`
    }
    ${
      task
        ? html`<div class="book-task" data-done=${done}><span role="img" aria-label=${done ? 'Done' : 'To do'}
      >${done ? '✓' : '▢'}</span> <div><b>Your turn</b> ${task} ${tool ? toolView(tool, facts, stage) : nothing}
      ${control ? html`<button type="button" class="book-where" @click=${onWhere}>Show where</button>` : nothing}
      </div></div>`
        : nothing
    }
    ${
      action
        ? html`<button type="button" class="book-act" @click=${() => stage.act?.(action)}>${done ? '✓ ' : ''}${
            action.label
          }</button>`
        : nothing
    }
    ${
      par
        ? html`<div class="puzzle-check" data-solved=${done}>
            <p class="puzzle-says" role=${stage.place === 'train' ? 'status' : nothing}>${verdict.says}</p>
            ${goal ? html`<p class="puzzle-goal"><b>Goal:</b> ${goal}</p>` : nothing}
            <p class="puzzle-refused" role="status">${verdict.refused}</p>
          </div>
          <p class="puzzle-tries">Par: ${scored(par, now)}. So far: ${scored(count, TRY)}${
            limit ? ` of ${limit}` : ''
          }.${record.best ? ` Best: ${scored(record.best, now)}.` : ''}</p>
          ${record.best ? stage.proof?.(now, record) : nothing}
          <p class="puzzle-solved" role="status">${
            done && shows ? html`<b>✓ Solved in ${scored(Number(solved), now)} (par ${par}).</b> ${shows}` : ''
          }</p>`
        : nothing
    }
    ${
      seen
        ? html`<p class="book-seen" aria-live="polite">${
            record.seen && areThere(seen.numbers, record.seen)
              ? sentenceOf(seen.text, record.seen, seen.equation)
              : nothing
          }</p>`
        : nothing
    }
    ${hint ? html`<details class="puzzle-hint"><summary>Hint</summary><p>${hint}</p></details>` : nothing}
    ${
      doubt
        ? html`<details class="book-doubt"><summary>True or false? “${doubt.sentence}”</summary>
          <p><strong>${doubt.verdict}</strong> ${doubt.why}</p></details>`
        : nothing
    }`;
}

/** @type {{unit: [string, string]}} */
const TRY = { unit: ['try', 'tries'] };

/** @param {number} score @param {Pick<Lesson, 'unit'>} lesson */
const scored = (score, { unit = ['change', 'changes'] }) =>
  `${score.toLocaleString('en')} ${unit[score === 1 ? 0 : 1]}`;

/** @param {{par: number, best: number | null}} each */
const standing = ({ par, best }) => (best === null ? 'open' : best <= par ? 'par reached' : 'solved');

const SIGNS = { open: '', solved: '✓', 'par reached': '★' };
