// What the reader's answers amount to: counts, and for each tested card what was expected and what was found.

import { valueOf } from '../address.js';
import { guessedOf, missText } from '../guess.js';
import { testedOf } from '../score.js';
import { VERDICTS } from '../verdict.js';

/**
 * @typedef {import('../answers.js').Answer} Answer
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../worker.js').GroupData} GroupData
 * @typedef {import('../verdict.js').Judged} Judged
 * @typedef {import('../own-results.js').OwnResult} OwnResult
 * @typedef {{
 *   claim: ClaimData, params: Answer['params'], expected: import('../../../src/claims/index.js').Choice | null,
 *   verdict: Judged, agreed: boolean | null, switches: string, seeds: string, seconds: number | null,
 *   guess: string, comparisons: Answer['comparisons'],
 * }} Row `agreed`: null where nothing was predicted; `guess`: how far off it was, '' where there is none
 * @typedef {{
 *   count: number, tested: number, predicted: number, surprised: number, verdicts: [Judged['verdict'], number][],
 *   groups: {title: string, rows: Row[]}[], untested: ClaimData[], own: readonly OwnResult[],
 * }} Summary `groups`: those with a tested card; `own`: claims of the reader's own, which count apart
 */

/**
 * @param {readonly GroupData[]} groups
 * @param {ReadonlyMap<number, Answer>} answers
 * @param {readonly OwnResult[]} [own]
 * @returns {Summary}
 */
export function summaryOf(groups, answers, own = []) {
  const all = groups.flatMap(({ claims }) => claims);
  const parts = groups
    .map(({ title, claims }) => ({
      title,
      rows: claims.map((claim) => rowOf(claim, answers.get(claim.number))).filter((row) => row !== null),
    }))
    .filter(({ rows }) => rows.length > 0);
  const rows = parts.flatMap((part) => part.rows);
  const tested = new Set(testedOf(all, answers));
  return {
    count: all.length,
    tested: tested.size,
    predicted: rows.filter(({ expected }) => expected).length,
    surprised: rows.filter(({ agreed }) => agreed === false).length,
    verdicts: VERDICTS.map((word) => [word, rows.filter(({ verdict }) => verdict.verdict === word).length]),
    groups: parts,
    own,
    untested: all.filter((claim) => !tested.has(claim)),
  };
}

/** @param {ClaimData} claim @param {Answer | undefined} answer @returns {Row | null} */
function rowOf(claim, answer) {
  if (!answer?.verdict) return null;
  const { params, predicted, verdict, seconds, comparisons } = answer;
  const expected = claim.choices[predicted ?? NaN] ?? null;
  const guessed = guessedOf(claim, answer.guess, answer);
  return {
    claim,
    params,
    expected,
    verdict,
    guess: guessed ? missText(guessed) : '',
    agreed: expected && expected.verdict === verdict.verdict,
    switches: claim.inputs.map(({ name, label }) => `${label}: ${valueOf(claim, params, name)}`).join('; '),
    seeds: seedsOf(claim, params),
    seconds,
    comparisons,
  };
}

/** @param {ClaimData} claim @param {Answer['params']} params */
function seedsOf(claim, params) {
  if (!claim.seeded) return 'no random numbers';
  const [first, count] = ['seed', 'seeds'].map((name) => Number(valueOf(claim, params, name)));
  return count === 1 ? `seed ${first}` : `seeds ${first} to ${first + count - 1}`;
}

/** “17 tested, 6 surprised you”. @param {Summary} summary */
export function headline({ tested, predicted, surprised }) {
  if (tested === 0) return 'Nothing tested yet';
  if (predicted === 0) return `${tested} tested, none of them predicted`;
  return `${tested} tested, ${surprised === 0 ? 'none' : surprised} surprised you`;
}

/** “true: 3, it depends: 1, false: 2”. @param {Summary} summary */
export const verdictsText = ({ verdicts }) => verdicts.map(([word, count]) => `${word}: ${count}`).join(', ');

/** What was expected, in a word. @param {Row} row */
export const agreementOf = ({ agreed }) =>
  agreed === null ? 'not predicted' : agreed ? 'as expected' : 'not as expected';
