// The answer key of a class, to print: each card's verdict, why, and how long its run takes.

import { html } from 'lit-html';
import { known } from './known.js';
import { writeAddress } from '../address.js';
import { durationText } from '../../draw/duration.js';
import '../print/style.js';
import { shownClaims } from '../state.js';
import { word } from '../verdict.js';
import { words } from '../words.js';

/** @typedef {{verdict: import('../verdict.js').Verdict, on?: string, seconds: number}} Known */

/** Nothing in it changes but the state. */
export function create() {
  /** @param {import('../state.js').ClaimsState} state */
  return (state) => {
    const { cards } = state.address;
    const all = state.answers.all();
    return html`<section class="claims-print" aria-labelledby="claims-key">
      <div class="panel claims-aside">
        <p><a href=${writeAddress({ view: 'class', cards })}>For a class</a></p>
        <h3 id="claims-key" tabindex="-1">Answer key</h3>
        <p class="hint">It holds every verdict: keep it from your class until they have bet.</p>
        <button type="button" class="claims-main" @click=${() => print()}>Print</button>
      </div>
      <section class="panel">
        <h3>${cards ? 'Answers to the cards of your class' : 'Answers to all cards, in the order of the course'}</h3>
        ${shownClaims(state).map((claim, i) => answerTo(claim, i + 1, all.get(claim.number)))}
      </section>
    </section>`;
  };
}

/**
 * @param {import('../worker.js').ClaimData} claim @param {number} place
 * @param {import('../answers.js').Answer | undefined} answer
 */
function answerTo({ number, place: inCourse, sentence, why }, place, answer) {
  const earlier = /** @type {Record<string, Known>} */ (known.cards)[number];
  const run = answer?.verdict;
  const time = answer?.seconds ?? null;
  const origin = run
    ? `Run in this browser${time === null ? '' : `: ${durationText(time)}`}`
    : `An earlier measurement, not run in this browser: ${durationText(earlier.seconds)} in Node on ${known.when}`;
  return html`<article>
    <h4>${place}. ${words(sentence)} <span class="hint">Card ${inCourse}</span></h4>
    <p>${word(run ?? { kind: 'sentence', found: '', ...earlier })} ${words(run?.found ?? '')}</p>
    <p>${words(why)}</p>
    <p class="hint">${origin}.</p>
  </article>`;
}
