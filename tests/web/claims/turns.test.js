// Where a verdict turns, as a card shows it, in jsdom.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { claim } from '../../../src/claims/length.js';
import { turns } from '../../../web/claims/turns.js';
import { openClaims } from './dom.js';

afterEach(() => localStorage.clear());

test('a card says where its verdict turns, once the reader has bet', async () => {
  const shown = await openClaims('#/claims?card=23');
  await shown.there('.claims-question');
  assert.equal(shown.all('.claims-turns').length, 0, 'it would tell the answer');
  await shown.click('button', /^Run without a bet$/);
  await shown.there('.claims-turns');
  const text = (/** @type {string} */ selector) =>
    shown.all(selector).map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim());
  assert.match(text('.claims-turns .hint')[0], /^It turns here\. Most keys: between 16 and 64\. One value is changed /);
  assert.deepEqual(text('.claims-turns dt'), claim.scales.map(({ label }) => label)); // prettier-ignore
  const [verdicts] = turns.cards[23].verdicts;
  assert.deepEqual(
    shown.all('.claims-turns .claims-turn').map((each) => each.getAttribute('data-verdict')),
    verdicts,
  );
  assert.match(text('.claims-turn')[4], /^8,192 ◐ it depends$/);
});
