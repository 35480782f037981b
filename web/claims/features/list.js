// The list: the claims by groups, each with what the reader predicted and what was found.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { valueOf } from '../../draw/controls.js';
import { writeAddress } from '../schema.js';
import { testedOf } from '../score.js';
import { findClaims, findQuotes, nearestClaims } from '../search.js';
import { shownGroups } from '../state.js';
import { word } from '../verdict.js';
import { words } from '../words.js';
import style from './list.css';

const FIRST = 'Say what you expect, then see what is measured.';
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
    const tested = testedOf(cards, all).length;
    const found = new Set(findClaims(cards, query));
    const near = found.size < FEW ? nearestClaims(cards, query).filter((claim) => !found.has(claim)) : [];
    const shown = groups
      .map(({ title, claims }) => ({ title, claims: claims.filter((claim) => found.has(claim)) }))
      .filter(({ claims }) => claims.length > 0);
    const lists = near.length ? [...shown, { title: 'Nearest to what you look for', claims: near }] : shown;
    return html`
      <p class="hint" role="status">
        ${count} sentences, each with an experiment that runs in this tab.
        ${undo ? 'Your answers are cleared.' : tested ? `${tested} tested so far.` : FIRST}
      </p>
      <div class="claims-tools">
        <label
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
        <span class="claims-turn">
          ${
            undo || all.size // one button, so that it keeps the focus
              ? html`<button type="button" @click=${undo ?? (() => clear(tools))}>
                  ${undo ? 'Undo' : 'Clear my answers'}
                </button>`
              : nothing
          }
          ${chosen ? html`<a href=${writeAddress({ view: 'list' })}>All claims</a>` : nothing}
          <a href=${writeAddress({ view: 'class' })}>For a class</a>
        </span>
      </div>
      ${lists.map(
        ({ title, claims }, i) => html`<section class="panel" aria-labelledby="claims-group-${i}">
          <h3 id="claims-group-${i}">${title}</h3>
          <ol class="claims-list">
            ${claims.map((claim) => entry(claim, all.get(claim.number), query, chosen))}
          </ol>
        </section>`,
      )}
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
 * @param {import('../answers.js').Answer | undefined} answer
 * @param {string} query
 * @param {readonly number[]} [cards]
 */
function entry(claim, answer, query, cards) {
  const { number, sentence, name, choices, quotes = [] } = claim;
  const { verdict = null, predicted = null, params = {} } = answer ?? {};
  const expected = predicted === null ? null : choices[predicted]?.verdict;
  return html`<li>
    <a href=${writeAddress({ number, params, cards }, claim)} data-card=${number}>${words(sentence)}</a>
    ${findQuotes(quotes, query).map(({ text }) => html`<q class="claims-quote">${words(text)}</q>`)}
    <span class="claims-entry-facts">
      <span class="hint">${words(name)}</span>
      ${verdict ? word(verdict) : nothing}
      ${
        verdict && expected
          ? html`<span class="hint"
              >${expected === verdict.verdict ? 'as you expected' : `you expected: ${expected}`}</span
            >`
          : nothing
      }
    </span>
    ${verdict ? html`<p class="claims-finding">${words(verdict.found)}</p>` : nothing}
  </li>`;
}
