// The challenges in a list, and the one that the reader has started in a line at the top of the place.

import { html, nothing, render } from 'lit-html';
import { SIGNS, standing } from '../../draw/standing.js';
import { readAddress } from '../schema.js';
import { valueText } from '../settings/settings.js';
import { CHALLENGES, differing } from './list.js';

/**
 * @typedef {import('./list.js').Challenge} Challenge
 * @typedef {import('./records.js').Record} Record
 * @typedef {{id: string, verdict: import('./judge.js').Verdict, isCounted: boolean}} Shown of the run on the page
 * @typedef {{
 *   recipes: import('./records.js').Recipes, records: ReadonlyMap<string, Record>, shown: Shown | null,
 *   started: string,
 * }} Data `started`: the task of the run on the page, where the reader has started its challenge
 */

const HASH = 12; // characters that are shown at first

/** @param {number} score @param {Challenge} challenge */
const counted = (score, { unit: [one, many] }) => `${score.toLocaleString('en')} ${score === 1 ? one : many}`;

/**
 * @param {HTMLElement} root @param {HTMLElement} line
 * @param {{onStart: (challenge: Challenge) => void}} actions
 */
export function createChallengesView(root, line, { onStart }) {
  return {
    /** @param {Data} data */
    update(data) {
      render(list(data, onStart), root);
      const now = CHALLENGES.find(({ task }) => task === data.started);
      render(now ? html`<strong>${now.title}.</strong> ${now.rule} ${progress(now, data)}` : nothing, line);
    },
  };
}

/** @param {Data} data @param {(challenge: Challenge) => void} onStart */
const list = (data, onStart) => html`<p class="hint">
    The engine judges each run that stops after you have opened this list. A run that breaks the rule is no try. The
    best result has a link and the SHA-256 of its weights: whoever opens the link gets the same weights and verdict.
  </p>
  <ol class="challenges">
    ${CHALLENGES.map((challenge) => {
      const { id, title, rule, hint, par } = challenge;
      const { best } = /** @type {Record} */ (data.records.get(id));
      const stands = standing({ par, best: best?.score ?? null });
      return html`<li>
        <h4>
          ${title} <span class="challenge-standing">${stands} <span aria-hidden="true">${SIGNS[stands]}</span></span>
        </h4>
        <p>${rule}</p>
        <p class="challenge-now">${data.shown?.id === id ? progress(challenge, data) : tried(challenge, data)}</p>
        <p>Par: ${counted(par, challenge)}. ${best ? proof(challenge, best, data) : 'No result yet.'}</p>
        <div class="buttons">
          <button type="button" aria-label="Start: ${title}" @click=${() => onStart(challenge)}>Start</button>
          <details class="challenge-hint"><summary aria-label="Hint: ${title}">Hint</summary><p>${hint}</p></details>
        </div>
      </li>`;
    })}
  </ol>`;

/** How many tries there were. @param {Challenge} challenge @param {Data} data */
function tried({ id, limit }, { records }) {
  const count = records.get(id)?.tries.length ?? 0;
  return limit ? `Tries: ${count} of ${limit}.` : `Tries: ${count}.`;
}

/** The same, with the verdict on the run that is shown. @param {Challenge} challenge @param {Data} data */
function progress(challenge, data) {
  const { id, limit } = challenge;
  const shown = data.shown?.id === id ? data.shown : null;
  return html`${tried(challenge, data)} ${shown ? verdictText(shown, limit) : nothing}`;
}

/** @param {Shown} shown @param {number} [limit] of tries */
function verdictText({ verdict: { refused, isOver, isMet, says }, isCounted }, limit) {
  if (refused) return `This run does not count yet. ${refused}`;
  if (!isOver) return 'Train this run to its end.';
  if (!isCounted) return `All ${limit} tries are used. Press Start for new ones.`;
  return html`<strong>${isMet ? '✓ This run meets the goal.' : 'This run does not meet the goal.'}</strong> ${says}`;
}

/** @param {Challenge} challenge @param {import('./records.js').Best} best @param {Data} data */
function proof(challenge, { score, link, hash }, { recipes }) {
  const { settings, changes } = readAddress(link, recipes);
  const recipe = /** @type {import('./list.js').Settings} */ (recipes.get(challenge.task));
  const names = differing(settings, recipe);
  const words = names.map((name) => valueText([name, settings[name]]).replace(' (0: no FFN)', '')).join(', ');
  return html`<strong>Best: ${counted(score, challenge)}</strong> (${words || 'the recipe'}${
    changes.length ? '; settings changed on the way' : ''
  }). <a href=${link}>Open this run</a>
    ${
      hash
        ? html`<details class="challenge-proof">
          <summary>SHA-256 of its weights: <code>${hash.slice(0, HASH)}</code></summary>
          <code>${hash}</code>
        </details>`
        : nothing
    }`;
}
