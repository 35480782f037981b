// The summary on the page: what was tested, what surprised, and how to take it along.

import { html, nothing } from 'lit-html';
import { writeAddress } from '../address.js';
import '../table.js';
import css from './summary.css';
import { markdownOf } from './markdown.js';
import { allowance, bounds, span } from '../numbers.js';
import { pageOf } from './page.js';
import { shownGroups } from '../state.js';
import { agreementOf, headline, summaryOf, verdictsText } from './summary.js';
import { word } from '../verdict.js';
import { createStatus } from '../../draw/status-message.js';
import { addStyle } from '../../draw/style.js';
import { copyText, saveFile } from '../../export/file.js';
import { words } from '../words.js';

const FILE = 'glassformer-claims';

/** Of this page, without what stands behind #. */
const address = () => location.href.replace(/#.*$/s, '');

/** @param {() => void} update draws the page anew */
export function create(update) {
  addStyle(css);
  const status = createStatus(update);
  /** @type {(() => void) | null} brings cleared answers back */
  let undo = null;

  /** @param {'html' | 'md'} ending @param {string} text */
  function save(ending, text) {
    saveFile(`${FILE}.${ending}`, text);
    status.show('Saved.');
  }

  /** @param {string} text */
  async function copy(text) {
    const isCopied = await copyText(text);
    if (!isCopied) saveFile(`${FILE}.md`, text);
    status.show(isCopied ? 'Markdown copied.' : 'No clipboard here: the Markdown is saved as a file.');
  }

  /** @param {import('../view.js').ClaimsActions} actions */
  function clear({ onClear }) {
    undo = onClear();
    update();
  }

  function bringBack() {
    undo?.();
    undo = null;
    update();
  }

  /** @param {import('../state.js').ClaimsState} state @param {import('../view.js').ClaimsActions} actions */
  return (state, actions) => {
    const {
      answers,
      ownResults,
      address: { cards },
    } = state;
    const summary = summaryOf(shownGroups(state), answers.all(), ownResults.all());
    const { tested, count, untested, own } = summary;
    const saveHtml = () => save('html', pageOf(summary, address()));
    const saveMarkdown = () => save('md', markdownOf(summary, address()));
    return html`<section class="panel claims-summary" aria-labelledby="claims-summary">
      <p class="claims-aside"><a href="#/claims?view=list">All claims</a></p>
      <h3 id="claims-summary" tabindex="-1">${headline(summary)}</h3>
      ${
        tested || own.length
          ? html`<p class="hint">Of ${count} sentences. ${verdictsText(summary)}.</p>
              <div class="buttons claims-aside">
                <button type="button" @click=${saveHtml}>Save as one HTML file</button>
                <button type="button" @click=${saveMarkdown}>Save as Markdown</button>
                <button type="button" @click=${() => copy(markdownOf(summary, address()))}>Copy as Markdown</button>
                <button type="button" @click=${() => print()}>Print</button>
                <button type="button" @click=${() => clear(actions)}>Clear my answers</button>
              </div>`
          : nothing
      }
      <p class="hint claims-aside" role="status">
        ${undo ? 'The answers are cleared.' : status.message()}
      </p>
      ${undo ? html`<button type="button" class="claims-aside" @click=${bringBack}>Undo</button>` : nothing}
      ${tested ? table(summary) : html`<p>Open a card, say what you expect, and see what is measured.</p>`}
      ${own.length ? ownClaims(own) : nothing}
      ${
        tested && untested.length
          ? html`<h4>Not tested yet</h4>
              <ul>
                ${untested.map(
                  ({ number, sentence }) =>
                    html`<li><a href=${writeAddress({ number, cards })}>${words(sentence)}</a></li>`,
                )}
              </ul>`
          : nothing
      }
    </section>`;
  };
}

const COLUMNS = html`<thead>
  <tr>
    <th scope="col">Sentence</th>
    <th scope="col">Expected</th>
    <th scope="col">Found</th>
    <th scope="col">Run</th>
  </tr>
</thead>`;

/** Apart from the cards: their authors chose the test. @param {import('./summary.js').Summary['own']} own */
const ownClaims = (own) => html`<h4>Claims of your own</h4>
  <table class="claims-table claims-own-results">
    ${COLUMNS}
    <tbody>
      ${own.map(
        ({ link, sentence, plan, bet, verdict }) => html`<tr>
          <th scope="row" dir="auto"><a href=${link}>${sentence}</a></th>
          <td>${bet ? `You bet: ${bet}` : 'not predicted'}</td>
          <td>${word(verdict)} ${verdict.found}</td>
          <td>${plan}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;

/** @param {import('./summary.js').Summary} summary */
const table = ({ groups }) => html`<table class="claims-table">
  ${COLUMNS}
  ${groups.map(
    ({ title, rows }) => html`<tbody>
      <tr>
        <th scope="rowgroup" colspan="4" class="claims-part">${title}</th>
      </tr>
      ${rows.map(entry)}
    </tbody>`,
  )}
</table>`;

/** @param {import('./summary.js').Row} row */
function entry(row) {
  const { claim, params, expected, guess, verdict, agreed, switches, seeds, comparisons } = row;
  return html`<tr>
    <th scope="row"><a href=${writeAddress({ number: claim.number, params }, claim)}>${words(claim.sentence)}</a></th>
    <td>
      ${expected ? words(expected.label) : nothing}
      <span class=${agreed === false ? 'claims-surprise' : 'hint'}>${agreementOf(row)}</span> ${guess}
    </td>
    <td>
      ${word(verdict)} ${words(verdict.found)}
    </td>
    <td>
      ${words(switches)}; ${seeds}
      ${
        comparisons.length
          ? html`<ul>
              ${comparisons.map(compared)}
            </ul>`
          : nothing
      }
    </td>
  </tr>`;
}

/** @param {import('../../../src/claims/index.js').Comparison} comparison */
function compared({ label, values, range, allowed, within, share }) {
  const wider = allowance(range, allowed, share);
  return html`<li>
    ${words(label)}: <strong>${span(values, share)}</strong>${
      within ? nothing : html` <span class="error">outside</span>`
    }
    <span class="hint">(reference ${bounds(range, share)}${wider && `, allowed ${wider}`})</span>
  </li>`;
}
