// The score of the reader's bets: the probability given to the outcome, and the Brier score.

import { html, nothing } from 'lit-html';
import { shortValue } from '../draw/numbers.js';
import { VERDICTS } from './wording.js';

/**
 * @typedef {import('./kept-answers.js').Answer} Answer
 * @typedef {import('../../src/claims/index.js').Claim} Claim
 * @typedef {{bets: number, score: number, streak: number}} Score `score`: the mean Brier score, NaN without a bet;
 * `streak`: how many of the last bets were right, one after the other
 */

/** The surest and least sure that a bet may be, in per cent. */
export const SURE = { least: 50, most: 99 };

/** Names for the reader's surprise, each below a limit. @type {readonly [limit: number, name: string][]} */
const SURPRISES = [
  [0.305, 'as you said'], // as sure as the slider stands at first, or surer
  [0.7, 'unsure'],
  [Infinity, 'a surprise'],
];

/**
 * The probabilities that a bet gives to the verdicts: the others share the rest of the chosen one.
 * @param {Claim} claim @param {Answer | undefined} answer @returns {Map<string, number> | null} null: there is no bet
 */
function probabilities({ choices }, answer) {
  const chosen = choices[answer?.predicted ?? NaN]?.verdict;
  if (!answer || !chosen || answer.sure === null) return null;
  const p = answer.sure / 100;
  return new Map(VERDICTS.map((verdict) => [verdict, verdict === chosen ? p : (1 - p) / (VERDICTS.length - 1)]));
}

/**
 * The Brier score of one bet: the squared distance of the probabilities from what came, 0 to 2.
 * Source: Brier 1950, “Verification of forecasts expressed in terms of probability”.
 * @param {Claim} claim @param {Answer | undefined} answer @returns {number | null} null: not bet, or not tested
 */
function brier(claim, answer) {
  const given = probabilities(claim, answer);
  if (!given || !answer?.verdict) return null;
  const came = answer.verdict.verdict;
  return [...given].reduce((sum, [verdict, p]) => sum + (p - Number(verdict === came)) ** 2, 0);
}

/**
 * Those with a verdict.
 * @template {Pick<Claim, 'number'>} C
 * @param {Iterable<C>} claims @param {ReadonlyMap<number, Answer>} answers
 */
export const testedOf = (claims, answers) => [...claims].filter(({ number }) => answers.get(number)?.verdict);

/** 1 less the probability that the reader gave to what came. @param {Claim} claim @param {Answer | undefined} answer */
export function surprise(claim, answer) {
  const given = probabilities(claim, answer);
  return given && answer?.verdict ? 1 - (given.get(answer.verdict.verdict) ?? 0) : null;
}

/** A surprise in words. @param {number} value */
export const surpriseText = (value) => /** @type {any} */ (SURPRISES.find(([limit]) => value < limit))[1];

/** @param {Iterable<Claim>} claims @param {ReadonlyMap<number, Answer>} answers @returns {Score} */
export function scoreOf(claims, answers) {
  const bets = [...claims].flatMap((claim) => {
    const answer = answers.get(claim.number);
    const score = brier(claim, answer);
    const right = claim.choices[answer?.predicted ?? NaN]?.verdict === answer?.verdict?.verdict;
    return score === null ? [] : [{ score, right, when: answer?.when ?? 0 }];
  });
  const latest = bets.sort((a, b) => b.when - a.when);
  const wrong = latest.findIndex(({ right }) => !right);
  const sum = bets.reduce((so, { score }) => so + score, 0);
  return { bets: bets.length, score: sum / bets.length, streak: wrong < 0 ? bets.length : wrong };
}

/**
 * The reader's bets in one line.
 * @param {readonly import('./worker.js').ClaimData[]} claims
 * @param {ReadonlyMap<number, import('./kept-answers.js').Answer>} answers
 */
export function standing(claims, answers) {
  const { bets, score, streak } = scoreOf(claims, answers);
  return html`<p class="claims-standing">
    <span>${testedOf(claims, answers).length} of ${claims.length} tested</span>
    ${
      bets
        ? html`<span>streak <strong>${streak}</strong></span>
            <span title="The mean Brier score punishes a wrong bet by how sure it was: 0 is perfect, 2 the worst"
              >score <strong>${shortValue(score)}</strong></span
            >`
        : nothing
    }
  </p>`;
}
