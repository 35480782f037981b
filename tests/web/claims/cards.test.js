// The place Claims in jsdom: what it says at each step of a card, of a class and of the list, and the links it writes.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { load } from 'glassformer';
import { claims, compareNumbers } from '../../../src/claims/index.js';
import { typeset } from '../../../web/draw/typeset.js';
import { writeAddress } from '../../../web/claims/schema.js';
import { rowsOf, span } from '../../../web/claims/numbers.js';
import { codeOf } from '../../../web/claims/code.js';
import { NAMES, verdictText } from '../../../web/claims/verdict.js';
import { openClaims } from './dom.js';

/** Those that train for seconds; the tours compare all of them to the bit. */
const SLOW = [2, 6, 13, 14, 16, 17, 19];

/** @typedef {Awaited<ReturnType<typeof openClaims>>} Shown */

/** A text without the marks of what stands as an index. @param {string} text */
const printed = (text) => text.replace(/(?<=\p{L})[_^](?=[A-Za-z])/gu, '');
const hash = () => location.hash;

/** Where the clipboard takes what is copied. */
let copied = '';
Object.defineProperty(navigator, 'clipboard', {
  value: { writeText: async (/** @type {string} */ text) => void (copied = text) },
});

afterEach(() => localStorage.clear());

/**
 * The card shows what the same run finds beside the page.
 * @param {Shown} shown @param {number} number @param {object} [params]
 */
async function assertFinding(shown, number, params = {}) {
  const { claim, run, outcome } = claims.find((one) => one.claim.number === number) ?? assert.fail();
  const numbers = await run(await load({ variant: 'simd' }), params);
  const found = outcome(numbers, params);
  const isJudged = found.kind === 'sentence';
  const rows = rowsOf(claim, { numbers, comparisons: compareNumbers(claim, numbers, params) });
  assert.equal(shown.text('.claims-sentence'), printed(claim.sentence));
  assert.equal(shown.verdict(), isJudged ? found.verdict : null);
  assert.equal(
    shown.text('.claims-verdict .claims-word').replace(/^[✓◐✗] ?/, ''),
    isJudged ? printed(verdictText(found)) : NAMES[found.kind],
  );
  assert.equal(shown.text('.claims-verdict > span'), printed(typeset(found.found)));
  assert.deepEqual(
    shown.rows().map((row) => row.slice(0, 2)),
    rows.map(({ label, values, share }) => [printed(label), span(values, share)]),
  );
}

test('a card: nothing before the bet, then the numbers and the verdict; a switch gives it none', async () => {
  const shown = await openClaims('#/claims?card=4');
  assert.equal(document.title, 'Sentences as sets of words · Claims · Glassformer');
  assert.deepEqual([shown.verdict(), shown.rows()], [null, []]);
  const button = /** @type {HTMLButtonElement} */ (await shown.there('button', /^Bet and run$/));
  assert(button.disabled);
  await shown.predict(0);
  await assertFinding(shown, 4);
  assert.equal(
    shown.text('.claims-agreement'),
    'Not as you expected: “Each word’s output is the same in both sentences.”',
  );
  await shown.click('button', /^Run the boundary$/);
  await shown.tested();
  assert.equal(hash(), '#/claims?card=4&mask=causal');
  await assertFinding(shown, 4, { mask: 'causal' });
  await shown.click('.claims-switches input[value="sinusoidal"]');
  await shown.tested();
  assert.equal(hash(), '#/claims?card=4&positions=sinusoidal&mask=causal');
  await assertFinding(shown, 4, { mask: 'causal', positions: 'sinusoidal' });
  await shown.click('button', /^Run the sentence$/);
  await shown.tested();
  assert.equal(hash(), '#/claims?card=4');
  await assertFinding(shown, 4);
});

test('each card shows the numbers and the verdict of the same run', async () => {
  const shown = await openClaims('#/claims?view=list');
  for (const { claim } of claims.filter((each) => !SLOW.includes(each.claim.number))) {
    const params = claim.seeded ? { seed: 1, seeds: 1 } : {};
    await shown.go(writeAddress({ number: claim.number, params }, claim));
    await shown.click('button', /^Run without a bet$/);
    await shown.tested();
    await assertFinding(shown, claim.number, params);
  }
});

test('a bet is kept over a reload, stands on the list, and a link can ask for another', async () => {
  const bet = await openClaims('#/claims?card=22');
  await bet.predict(1);
  const first = [bet.verdict(), bet.rows(), bet.text('.claims-agreement')];
  assert.equal(first[0], 'false');
  assert.equal(first[2], 'As you expected: “It widens, and has most of an encoder layer’s parameters.”');
  const shown = await openClaims('#/claims?card=22');
  await shown.tested();
  assert.deepEqual([shown.verdict(), shown.rows(), shown.text('.claims-agreement')], first, 'measured anew');
  await shown.click('.claims-switches input[value="256"]');
  await shown.there('.claims-fresh .claims-word', /^Boundary$/);
  assert.match(shown.text('.claims-agreement'), /^You bet on the sentence: “It widens.* Run the sentence$/);
  await shown.go('#/claims?view=list');
  const entry = await shown.there('.claims-list li', /bottleneck/);
  assert.match(entry.textContent ?? '', /✗\s*false\s*as you expected/, 'the verdict is the sentence’s');
  await shown.go('#/claims?card=22&predict=1');
  await shown.there('.claims-question');
  assert.deepEqual(shown.all('.claims-word, .claims-numbers'), []);
  await shown.predict(0);
  assert.match(shown.text('.claims-agreement'), /^Not as you expected: /);
  await shown.click('button', /^Bet again$/);
  await shown.there('.claims-question');
  assert.equal(shown.verdict(), null);
  await shown.click('button', /^Run without a bet$/);
  await shown.tested();
  assert.equal(shown.text('.claims-agreement'), '');
});

test('a card first run from a link with switches writes no verdict into the list', async () => {
  const shown = await openClaims('#/claims?card=18&mask=none&seeds=1');
  assert.match(shown.text('.claims-question'), /This link sets Mask: none/);
  await shown.predict(0);
  assert.equal(shown.text('.claims-verdict .claims-word'), 'Control');
  await shown.go('#/claims?view=list');
  assert.deepEqual(shown.all('.claims-list [data-verdict]'), []);
  await shown.go('#/claims?card=18&mask=none&seeds=1');
  await shown.click('button', /^Run the sentence$/);
  await shown.there('.claims-fresh [data-verdict="true"]');
  assert.equal(hash(), '#/claims?card=18&seeds=1');
  assert.match(shown.text('.claims-agreement'), /^As you expected/);
  await shown.go('#/claims?view=list');
  assert.equal(shown.all('.claims-list [data-verdict="true"]').length, 1);
  const link = shown.all('.claims-list [data-card="18"]')[0];
  assert.equal(link.getAttribute('href'), '#/claims?card=18&seeds=1', 'its own run');
});

test('a wrong link and a wrong seed are explained, and nothing else is lost', async () => {
  const shown = await openClaims('#/claims?card=12&sublayer=both&seed=2&colour=red');
  assert.equal(
    shown.text('.notices'),
    'Not all of this link can be shown: Sublayer: one of FFN, attention, not “both”; this card has no switch “colour”.',
  );
  await shown.click('button', /^Run without a bet$/);
  await shown.tested();
  const rows = shown.rows();
  await shown.fill('#claims-seed', '-1');
  await shown.there('#claims-seed-problem', /^First seed: a whole number from 0 to /);
  assert.equal(shown.all('#claims-seed')[0].getAttribute('aria-invalid'), 'true');
  assert.deepEqual(shown.rows(), rows);
  await shown.fill('#claims-seed', '4');
  await shown.tested();
  assert.equal(hash(), '#/claims?card=12&seed=4');
  assert.deepEqual(shown.all('#claims-seed-problem'), []);
  await shown.go('#/claims?card=99');
  await shown.there('.claims-question');
  assert.equal(shown.text('.notices'), 'Not all of this link can be shown: there is no card “99”.');
  await shown.go('#/claims?card=22');
  assert.equal(/** @type {HTMLElement} */ (shown.all('.notices')[0]).hidden, true);
});

test('the link of a class shows its cards alone, in their order, and says what it cannot show', async () => {
  const shown = await openClaims('#/claims?cards=22,<b>x</b>,22,20,12');
  assert.equal(
    shown.text('.notices'),
    'Not all of this link can be shown: “cards” lists “<b>x</b>”, which is no card; “cards” lists card 22 twice.',
  );
  await shown.go('#/claims?cards=22,20,12');
  assert.match(shown.text('.claims-way'), /^Card 1 of 3 of your class: .*0 of 3 tested$/);
  const places = shown.texts('.claims-tile').map((text) => text.split(',')[0]);
  const place = (/** @type {number} */ number) => `${1 + claims.findIndex(({ claim }) => claim.number === number)}`;
  assert.deepEqual(places, [22, 20, 12].map(place), 'by their places in the list');
  await shown.predict(0);
  assert.equal(hash(), '#/claims?cards=22,20,12&card=22');
  const next = await shown.there('.claims-next');
  assert.equal(next.getAttribute('href'), '#/claims?cards=22,20,12&card=20');
  await shown.go('#/claims?cards=22,20,12&card=12');
  assert.match(shown.text('.claims-way'), /^Card 3 of 3/);
  assert.deepEqual(shown.all('a[rel=next]'), []);
  await shown.predict(0);
  const last = await shown.there('.claims-next', /All claims, with what you found/);
  await shown.go(last.getAttribute('href') ?? '');
  assert.equal(shown.all('.claims-list > li').length, 3);
  assert.equal(shown.all('.claims-list [data-verdict]').length, 2, 'one is not tested');
  await shown.go('#/claims?cards=22,20,12');
  assert.match(shown.text('.claims-way'), /^Card 2 of 3/);
  assert.equal(shown.all('.claims-tiles p a')[0].getAttribute('href'), '#/claims?view=list');
});

test('the teacher chooses cards, in an order, and copies their link', async () => {
  const shown = await openClaims('#/claims?view=class');
  const card = (/** @type {number} */ number) => shown.click('.claims-class-card', new RegExp(`card ${number}\\b`));
  const copy = /** @type {HTMLButtonElement} */ (await shown.there('.claims-class-bar button', /^Copy link$/));
  assert(copy.disabled);
  for (const number of [22, 9, 20, 12, 9]) await card(number);
  assert.match(shown.text('.claims-class-bar'), /3 cards chosen/);
  assert.equal(hash(), '#/claims?cards=22,20,12&view=class');
  copy.click();
  await shown.there('.claims-class-bar', /Link copied\./);
  assert.equal(new URL(copied).hash, '#/claims?cards=22,20,12');
  const again = await openClaims('#/claims?cards=22,20,12&view=class');
  await again.there('.claims-class');
  const checked = again.texts('.claims-class-card:has(:checked) .claims-class-place');
  assert.deepEqual(checked.sort(), ['1.', '2.', '3.']);
  await again.click('button', /^Clear$/);
  assert.equal(hash(), '#/claims?view=class');
});

test('a card gives its code and its links; the link that asks first hides the verdict', async () => {
  const shown = await openClaims('#/claims?card=22&d_ff=256');
  await shown.predict(0);
  await shown.click('button', /^Copy as code$/);
  await shown.there('.claims-share', /Code copied\./);
  const { claim } = claims.find((one) => one.claim.number === 22) ?? assert.fail();
  assert.equal(copied, codeOf(claim, { d_ff: 256 }));
  await shown.click('button', /^Copy link$/);
  await shown.there('.claims-share', /Link copied\./);
  assert.equal(new URL(copied).hash, '#/claims?card=22&d_ff=256');
  await shown.click('button', /^Copy link that asks first$/);
  const asking = await openClaims(new URL(copied).hash); // the answer is known to this browser
  assert.match(hash(), /predict=1$/);
  await asking.there('.claims-question');
  assert.deepEqual(asking.all('[data-verdict]'), []);
});

test('a card is found by the words of a textbook; nothing found says so', async () => {
  const shown = await openClaims('#/claims?view=list');
  await shown.fill('.claims-find', 'The creek was cold and the spunky dog');
  assert.equal(shown.all('.claims-list a').length, 1);
  assert.match(shown.text('.claims-list'), /The creek was cold and the spunky dog wanted/);
  await shown.fill('.claims-find', 'xylophone');
  assert.equal(shown.all('.claims-list a').length, 0);
  assert.match(shown.text('.claims-tools'), new RegExp(`0 of ${claims.length}`));
  await shown.fill('.claims-find', 'kinks');
  assert.match(shown.text('.claims-tools'), new RegExp(`1 of ${claims.length}, 1 near`));
  await shown.fill('.claims-find', '');
  assert.equal(shown.all('.claims-list a').length, claims.length);
});

test('a claim whose switch leaves its model unused offers none; a card without a map shows none', async () => {
  const shown = await openClaims('#/claims?card=11&weights=frozen&seeds=1');
  await shown.click('button', /^Run without a bet$/);
  await shown.tested();
  assert.deepEqual(shown.all('.claims-model, .claims-boundary'), []);
  await shown.click('.claims-switches input[value="computed"]');
  await shown.there('.claims-model button', /^Open its model in Explore$/);
});

test('the guess of a number is kept with the bet; a control or a new bet has none', async () => {
  const shown = await openClaims('#/claims?card=22');
  const axis = () => shown.all('.claims-axis input')[0];
  assert.equal(axis().getAttribute('aria-valuetext'), 'no guess yet');
  await shown.fill('.claims-axis input', '48');
  const said = axis().getAttribute('aria-valuetext');
  assert.equal(said, '48\u00a0%');
  await shown.predict(0);
  assert.equal(shown.text('.claims-miss'), 'Your guess: 48 %. Measured: 66.7 %. That is 19 points too low.');
  const again = await openClaims('#/claims?card=22');
  await again.tested();
  assert.match(again.text('.claims-miss'), /^Your guess: 48/);
  await again.click('.claims-switches input[value="256"]');
  await again.there('.claims-fresh .claims-word', /^Boundary$/);
  assert.deepEqual(again.all('.claims-miss'), []);
  await again.click('button', /^Bet again$/);
  assert.equal(again.all('.claims-axis input')[0].getAttribute('aria-valuetext'), 'no guess yet');
  await again.predict(0);
  assert.deepEqual(again.all('.claims-miss'), [], 'an axis left alone is no guess');
});

test('a card speaks of its own place, and all cards are a link away', async () => {
  const shown = await openClaims('#/claims?card=20');
  await shown.predict(0);
  assert.match(shown.text('.claims-way'), new RegExp(`^Card 1 of ${claims.length}: `));
  const link = await shown.there('.claims-tiles a', /^All claims$/);
  assert.equal(link.getAttribute('href'), '#/claims?view=list');
});
