// The answer key that comes with the page: every card, and what Node finds of the quick ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from '../../src/claims/index.js';
import { known } from '../../web/claims/class/known.js';
import { gf } from './check.js';

/** @type {Record<string, {verdict: string, on?: string, seconds: number}>} */
const cards = known.cards;

test('each card has a verdict and the time of its run; those of quick cards are what Node finds', async () => {
  assert.deepEqual(
    Object.keys(cards).map(Number),
    claims.map(({ claim }) => claim.number).sort((a, b) => a - b),
  );
  for (const { claim, run, outcome } of claims) {
    const { seconds, ...verdict } = cards[claim.number];
    assert(seconds >= 0 && Number.isFinite(seconds), claim.name);
    if (claim.long) continue;
    const { kind, found, ...judged } = outcome(await run(gf, {}), {});
    assert.deepEqual(judged, verdict, `${claim.name}: ${kind}, ${found}`);
  }
});
