// The panel of the lessons: the list of all, the title, what the lesson shows, and the buttons that turn.

import { html, nothing, render } from 'lit-html';
import { lessons } from './list.js';
import { beginAtTop, turnButtons } from './page-turn.js';
import { SIGNS, standing } from '../../draw/standing.js';

/**
 * @typedef {import('./list.js').Lesson} Lesson
 * @typedef {{
 *   now: Lesson, progress: import('./progress.js').Progress, story: boolean,
 *   inTrain: ReturnType<typeof import('./list.js').lessonsInTrain>,
 *   content: import('lit-html').TemplateResult,
 * }} LessonData
 */

const NAMES = { page: 'Page', puzzle: 'Puzzle' };

/** How a lesson stands: in a sign with its name. @param {Lesson} lesson @param {LessonData['progress']} progress */
function mark(lesson, { done, best }) {
  if (lesson.kind === 'page') return done.has(lesson.id) ? html` <span role="img" aria-label="done">✓</span>` : nothing;
  return standingOf({ par: lesson.par, best: best.get(lesson.id) ?? null });
}

/** @param {{par: number, best: number | null}} result */
function standingOf(result) {
  const stands = standing(result);
  return html` <span class="puzzle-standing">${stands} <span aria-hidden="true">${SIGNS[stands]}</span></span>`;
}

/** @param {LessonData['inTrain']} all @param {() => void} onLeave */
const trainList = (all, onLeave) =>
  html`<ol class="book-list-train">${all.map(
    ({ title, link, result }) =>
      html`<li><a href=${link} @click=${onLeave}>${title}</a>${result ? standingOf(result) : nothing}</li>`,
  )}</ol>`;

/**
 * @param {HTMLElement} root
 * @param {{
 *   onTurn: (number?: number) => void, onLeave: () => void, onAgain: () => void, onStory: (story: boolean) => void,
 * }} options
 */
export function create(root, { onTurn, onLeave, onAgain, onStory }) {
  const atTop = beginAtTop(root);
  return {
    /** @param {LessonData} data */
    update({ now, progress, inTrain, story, content }) {
      const same = lessons.filter(({ kind }) => kind === now.kind);
      const met = now.kind === 'page' ? progress.done : progress.best;
      const count = same.filter(({ id }) => met.has(id)).length;
      /** @param {Lesson['kind']} kind */
      const list = (kind) =>
        html`<ol class="book-list-${kind}">${lessons
          .filter((each) => each.kind === kind)
          .map(
            (each) => html`<li><button type="button" aria-current=${each.number === now.number ? 'page' : nothing}
            @click=${() => onTurn(each.number)}>${each.title}${mark(each, progress)}</button></li>`,
          )}</ol>`;
      render(
        html`
        <div class="book-head">
          <details class="side-contents book-contents">
            <summary>Contents</summary>
            ${list('page')}
            <p><b>Puzzles</b></p>
            ${list('puzzle')}
            <p><b>In Train</b></p>
            ${trainList(inTrain, onLeave)}
          </details>
          ${
            now.kind === 'page'
              ? html`<button type="button" class="book-story" aria-pressed=${story}
                @click=${() => onStory(!story)} title="Large type, one idea on the screen">Projector</button>`
              : nothing
          }
          <button type="button" class="book-close" @click=${onLeave} title="Close the lessons: all is as it was before"
            >Close</button>
        </div>
        <p class="book-count">${NAMES[now.kind]} ${same.indexOf(now) + 1} of ${same.length}${
          count ? `, ${count} ${now.kind === 'page' ? 'done' : 'solved'}` : ''
        }</p>
        <h2 id="book-title" aria-live="polite">${now.title}</h2>
        ${content}
        ${turnButtons({
          number: lessons.indexOf(now) + 1,
          count: lessons.length,
          onTurn: (place) => onTurn(lessons[place - 1]?.number),
          onAgain,
        })}`,
        root,
      );
      atTop(now.number);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
