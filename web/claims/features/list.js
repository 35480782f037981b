// The list: the sentences in the order of the page, each with what the reader predicted and what was found.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { valueOf } from '../../kit/controls.js';
import { writeAddress } from '../schema.js';
import { standing, surprise, surpriseText, testedOf } from '../score.js';
import { findClaims, findQuotes, nearestClaims } from '../search.js';
import { shownGroups } from '../state.js';
import { verdictBadge, words } from '../wording.js';
import style from './list.css';

const FEW = 3; // cards found: fewer are followed by the nearest ones

/** @type {import('../index.js').Feature} */
export const list = {
  name: 'list',
  slot: 'top',
  view: 'list',
  style,
  render({ state }, tools) {
    const { answers, query, undo } = state;
    const groups = shownGroups(state);
    const { cards: chosen } = state.address;
    const all = answers.all();
    const cards = groups.flatMap((group) => group.claims);
    const count = cards.length;
    const found = new Set(findClaims(cards, query));
    const near = found.size < FEW ? nearestClaims(cards, query).filter((claim) => !found.has(claim)) : [];
    const shown = groups
      .map(({ title, claims }) => ({ title, claims: claims.filter((claim) => found.has(claim)) }))
      .filter(({ claims }) => claims.length > 0);
    const lists = near.length ? [...shown, { title: 'Nearest to what you look for', claims: near }] : shown;
    return html`
      <div class="claims-tools">
        <div class="hint" role="status">
          ${
            undo
              ? 'Your answers are cleared.'
              : testedOf(cards, all).length
                ? standing(cards, all)
                : `${count} sentences, each with an experiment that runs in this tab.`
          }
        </div>
        <label class="claims-turn"
          >Find <input
            type="search"
            class="claims-find"
            placeholder="a word, or a sentence of your textbook"
            .value=${live(query)}
            @input=${(/** @type {Event} */ event) => tools.set({ query: valueOf(event) })}
        /></label>
        <span class="hint" role="status">${
          query.trim() ? `${found.size} of ${count}${near.length ? `, ${near.length} near` : ''}` : ''
        }</span>
      </div>
      ${lists.map(
        ({ title, claims }, i) => html`<section aria-labelledby="claims-group-${i}">
          <h3 id="claims-group-${i}" class="claims-group">${title}</h3>
          <ol class="claims-list">
            ${claims.map((claim) => entry(claim, all.get(claim.number), query, chosen))}
          </ol>
        </section>`,
      )}
      <p class="claims-list-end">
        ${
          undo || all.size // one button, so that it keeps the focus
            ? html`<button type="button" @click=${undo ?? (() => clear(tools))}>
                ${undo ? 'Undo' : 'Clear my answers'}
              </button>`
            : nothing
        }
        ${chosen ? html`<a href=${writeAddress({ view: 'list' })}>All claims</a>` : nothing}
        <a href=${writeAddress({ view: 'class' })}>For a class</a>
      </p>
    `;
  },
};

/** All cards ask again. @param {import('../index.js').Tools} tools */
function clear({ get, set }) {
  const { answers, seen } = get();
  const bringBack = answers.clear();
  const undo = () => {
    bringBack();
    set({ seen: new Set([...get().seen, ...seen]), undo: null });
  };
  set({ seen: new Set(), undo });
}

/**
 * @param {import('../worker.js').ClaimData} claim
 * @param {import('../kept-answers.js').Answer | undefined} answer
 * @param {string} query
 * @param {readonly number[]} [cards]
 */
function entry(claim, answer, query, cards) {
  const { number, place, sentence, choices, quotes = [] } = claim;
  const { verdict = null, predicted = null, params = {} } = answer ?? {};
  const expected = predicted === null ? null : choices[predicted]?.verdict;
  const size = surprise(claim, answer);
  return html`<li data-surprise=${size === null ? nothing : surpriseText(size)}>
    <a href=${writeAddress({ number, params, cards }, claim)} data-card=${number}
      ><span class="claims-place">${place}</span> <span class="claims-row">${words(sentence)}</span></a
    >
    ${findQuotes(quotes, query).map(({ text }) => html`<q class="claims-quote">${words(text)}</q>`)}
    ${
      verdict
        ? html`<p class="claims-finding">
            ${verdictBadge(verdict)}
            ${
              expected
                ? html`<span class="hint"
                    >${expected === verdict.verdict ? 'as you expected' : `you expected: ${expected}`}</span
                  >`
                : nothing
            }
            <span>${words(verdict.found)}</span>
          </p>`
        : nothing
    }
  </li>`;
}
