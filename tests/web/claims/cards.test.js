// The place Claims in jsdom: what it says at each step of a card, of a class and of the list, and the links it writes.
import assert from 'node:assert/strict';
import { resolveObjectURL } from 'node:buffer';
import { beforeEach, test } from 'node:test';
import { load } from 'glassformer';
import { claims, compareNumbers, course, watched } from '../../claims/kept.js';
import { typeset } from '../../../web/draw/numbers.js';
import { writeAddress } from '../../../web/claims/schema.js';
import { rowsOf, span } from '../../../web/claims/numbers.js';
import { codeOf } from '../../../web/claims/code.js';
import { FIRST, listed } from '../../../web/claims/order.js';
import { VERDICTS } from '../../claims/check.js';
import { NAMES } from '../../../web/claims/wording.js';
import { openClaims } from './dom.js';

/** In the order of the page. */
const order = listed(course).flatMap((group) => group.claims.map(({ claim }) => claim));
/** @param {number} number */
const placeOf = (number) => 1 + order.findIndex((claim) => claim.number === number);

/** @typedef {Awaited<ReturnType<typeof openClaims>>} Shown */

/** A text without the marks of what stands as an index. @param {string} text */
const printed = (text) => text.replace(/(?<=\p{L})[_^](?=[A-Za-z])/gu, '');
const hash = () => location.hash;

/** Where the clipboard takes what is copied. */
let copied = '';
Object.defineProperty(navigator, 'clipboard', {
  value: { writeText: async (/** @type {string} */ text) => void (copied = text) },
});

beforeEach(() => {
  localStorage.clear();
  watched.mayBeKept = true;
});

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
    isJudged ? printed(found.on ? `${found.verdict} on ${found.on}` : found.verdict) : NAMES[found.kind],
  );
  assert.equal(shown.text('.claims-verdict > span'), printed(typeset(found.found)));
  assert.deepEqual(
    shown.rows().map((row) => row.slice(0, 2)),
    rows.map(({ label, values, share }) => [printed(typeset(label)), span(values, share)]),
  );
}

test('a card: nothing before the bet, then the numbers and the verdict; a switch gives it none', async () => {
  const shown = await openClaims('#/claims?card=4');
  assert.equal(document.title, 'Sentences as sets of words · Claims · Glassformer');
  assert.deepEqual([shown.verdict(), shown.rows()], [null, []]);
  assert.match(shown.text('.claims-experiment'), /^The experiment\. An untrained encoder of two layers/);
  const sketch = shown.all('.claims-sketch')[0].getAttribute('aria-label');
  assert.match(sketch ?? '', /^Sketch: The cat .* → encoder 2 × attention: 2, FFN: 64 → .* → width 32 → untrained$/);
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
  for (const { claim } of claims.filter((each) => !each.claim.long)) {
    const params = claim.seeded ? { seeds: 1 } : {};
    await shown.go(writeAddress({ number: claim.number, params }, claim));
    await shown.click('button', /^Run without a bet$/);
    await shown.tested();
    await assertFinding(shown, claim.number, params);
    const [reasons, limits] = shown.texts('.claims-reasons');
    assert(reasons.includes(printed(typeset(claim.overturn))), claim.overturn);
    assert(limits.includes(printed(typeset(claim.limits))), claim.limits);
  }
});

test('a bet is kept over a reload, stands on the list, and a link can ask for another', async () => {
  const bet = await openClaims('#/claims?card=22');
  await bet.predict(1);
  const first = [bet.verdict(), bet.rows(), bet.text('.claims-agreement')];
  assert.equal(first[0], 'false');
  assert.equal(first[2], 'As you expected.');
  assert.equal(bet.text('.claims-plain'), 'It widens, and has most of an encoder layer’s parameters.');
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
  await shown.there('.claims-list');
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
  assert.match(shown.text('.claims-way'), /^Cards of your class Card 1 of 3 of your class: .*0 of 3 tested$/);
  assert.equal(shown.all('.claims-way a')[0].getAttribute('href'), '#/claims?cards=22,20,12&view=list');
  await shown.predict(0);
  assert.equal(hash(), '#/claims?cards=22,20,12&card=22');
  const next = await shown.there('.claims-next');
  assert.equal(next.getAttribute('href'), '#/claims?cards=22,20,12&card=20');
  await shown.go('#/claims?cards=22,20,12&card=12');
  assert.match(shown.text('.claims-way'), /Card 3 of 3/);
  assert.deepEqual(shown.all('a[rel=next]'), []);
  await shown.predict(0);
  const last = await shown.there('.claims-next', /All claims, with what you found/);
  await shown.go(last.getAttribute('href') ?? '');
  assert.equal(shown.all('.claims-list > li').length, 3);
  assert.equal((await shown.there('.claims-list-end a', /^All claims$/)).getAttribute('href'), '#/claims');
  assert.equal(shown.all('.claims-list [data-verdict]').length, 2, 'one is not tested');
  await shown.go('#/claims?cards=22,20,12');
  assert.match(shown.text('.claims-way'), /Card 2 of 3/);
});

test('the teacher chooses cards, in an order, and copies their link', async () => {
  const shown = await openClaims('#/claims?view=class');
  const card = (/** @type {number} */ number) =>
    shown.click('.claims-class-card', new RegExp(`card ${placeOf(number)}\\b`));
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

test('the place opens as a list: each sentence once, numbered from 1, ten that surprise first', async () => {
  const shown = await openClaims('#/claims');
  const rows = shown.all('.claims-list a');
  assert.deepEqual(
    rows.map((row) => row.querySelector('.claims-place')?.textContent),
    claims.map((_, i) => String(i + 1)),
  );
  const sentences = order.map(({ sentence }) => printed(typeset(sentence)));
  assert.deepEqual(shown.texts('.claims-row'), sentences);
  assert.deepEqual(shown.texts('.claims-group').slice(0, 2), [`Start with these ${FIRST.length}`, course[0].title]);
  for (const number of FIRST) {
    const { sentence } = order[placeOf(number) - 1];
    assert(placeOf(number) <= 10);
    assert.notEqual(VERDICTS[number], 'true', `${number}: its verdict is no surprise`);
    assert.doesNotMatch(sentence, /[=_^∘·√()]|RoPE|RMS|GLU/, `${number}: a newcomer cannot read it`);
  }
});

test('a card opens the text that says its sentence; a paper is named alone', async () => {
  const shown = await openClaims('#/claims?card=11');
  const link = shown.all('a').find((each) => /^Hewitt 2023/.test(each.textContent));
  assert.match(link?.href ?? '', /^https:\/\/web\.stanford\.edu\/.*\.pdf$/);
  assert.deepEqual([link?.target, link?.rel], ['_blank', 'noreferrer']);
  const paper = await openClaims('#/claims?card=1');
  assert.equal(paper.all('a').filter((each) => /Vaswani/.test(each.textContent)).length, 0);
  assert.match(paper.texts('.hint').join(), /Said by:\s+Vaswani et al\. 2017/);
});

test('a card is found by the words of a textbook; nothing found says so', async () => {
  const shown = await openClaims('#/claims?view=list');
  await shown.fill('.claims-find', 'The animal didn’t cross the street');
  assert.match(shown.text('.claims-tools'), new RegExp(`1 of ${claims.length}, 2 near`));
  assert.match(shown.text('.claims-list'), /The animal didn’t cross the street because it was/);
  await shown.fill('.claims-find', 'xylophone');
  assert.equal(shown.all('.claims-list a').length, 0);
  assert.match(shown.text('.claims-tools'), new RegExp(`0 of ${claims.length}`));
  await shown.fill('.claims-find', 'kinks');
  assert.match(shown.text('.claims-tools'), new RegExp(`1 of ${claims.length}, 2 near`));
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
  assert.equal(shown.text('.claims-miss'), 'Your guess: 48.0 %. Measured: 66.7 %. That is 18.7 points too low.');
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
  assert.match(shown.text('.claims-way'), new RegExp(`^All claims Card ${placeOf(20)} of ${claims.length}: `));
  const link = await shown.there('.claims-way a', /^All claims$/);
  assert.equal(link.getAttribute('href'), '#/claims');
});

test('the list has what was found; it is kept, cleared and brought back', async () => {
  const shown = await openClaims('#/claims?card=20');
  await shown.predict(0);
  await shown.go('#/claims?card=22');
  await shown.predict(0);
  await shown.go('#/claims?view=summary'); // there is none
  await shown.there('.notices', /there is no view “summary”/);
  const list = await openClaims(hash());
  await list.there('.claims-standing', /^2 of \d+ tested/);
  const row = await list.there('.claims-list li', /bottleneck/);
  const { run, outcome } = claims.find(({ claim }) => claim.number === 22) ?? assert.fail();
  const { found } = outcome(await run(await load({ variant: 'simd' }), {}), {});
  assert.equal(row.querySelector('[data-verdict]')?.getAttribute('data-verdict'), 'false');
  for (const part of ['you expected: true', found]) assert(row.textContent?.includes(part), part);
  await list.click('button', /^Clear my answers$/);
  await list.there('.claims', /Your answers are cleared\./);
  assert.deepEqual(list.all('.claims-list [data-verdict]'), []);
  await list.click('button', /^Undo$/);
  await list.there('.claims-standing', /^2 of \d+ tested/);
  await list.click('button', /^Clear my answers$/);
  const again = await openClaims(hash());
  await again.there('.claims', /sentences, each with an experiment/);
  await again.go('#/claims?card=22');
  await again.there('.claims-question'); // it asks again
});

test('without a clipboard the code is saved, and the link stands there to be copied', async (t) => {
  const shown = await openClaims('#/claims?card=8');
  t.mock.method(navigator.clipboard, 'writeText', () => Promise.reject(new Error()));
  const later = setTimeout;
  // After 40 s the page forgets the file; the process would wait for that.
  t.mock.method(globalThis, 'setTimeout', (/** @type {() => void} */ run, /** @type {number} */ ms) =>
    later(run, ms, null)[ms > 10_000 ? 'unref' : 'ref'](),
  );
  /** @type {string[]} */
  const saved = [];
  const { click } = HTMLElement.prototype;
  t.mock.method(HTMLElement.prototype, 'click', function (/** @type {any} */ ...all) {
    const element = /** @type {HTMLAnchorElement} */ (/** @type {unknown} */ (this));
    if (element.download) saved.push(element.download, element.href);
    else click.apply(this, /** @type {any} */ (all));
  });
  await shown.click('button', /^Copy as code$/);
  await shown.there('.claims-share', /the code is saved as a file/);
  assert.equal(saved[0], 'claim-8.mjs');
  assert.match((await resolveObjectURL(saved[1])?.text()) ?? '', /=== 8\);/);
  await shown.click('button', /^Copy link$/);
  const field = /** @type {HTMLInputElement} */ (await shown.there('.claims-link input'));
  assert.match(field.value, /#\/claims\?card=8$/);
});

test('the projector keeps claim and votes, measures only when it comes to that, and turns by arrow keys', async () => {
  const shown = await openClaims('#/claims?card=8');
  await shown.there('a', /^Projector$/);
  const { claim, run, outcome } = claims.find((one) => one.claim.number === 8) ?? assert.fail();
  const gf = await load({ variant: 'simd' });
  await shown.go(String(shown.all('.claims-share a').at(-1)?.getAttribute('href')));
  const screen = await shown.there('.claims-screen', /The experiment/);
  assert.equal(document.activeElement, screen, 'a screen reader goes on there');
  const stays = (sentence = claim.sentence) => {
    assert.equal(shown.text('.claims-projector h3'), sentence);
    assert.equal(shown.all('.claims-counter input').length, 3);
  };
  stays();
  for (const { label } of claim.choices) assert(shown.text('.claims-poll').includes(label), label);
  assert.deepEqual(shown.all('[data-verdict]'), []);
  await shown.click('.claims-counter [aria-label="One more for A"]');
  shown.press('PageDown');
  const found = outcome(await run(gf, {}), {});
  await shown.there('.claims-poll [data-verdict]');
  const plot = await shown.there('.claims-screen [role=application][aria-label^="16 neurons made for x²"]');
  stays();
  const verdict = () => shown.all('.claims-poll [data-verdict]')[0]?.getAttribute('data-verdict');
  assert.equal(verdict(), 'true');
  assert.match(shown.text('.claims-counter'), /^A true ✓ .*100 %$/);
  plot.focus();
  shown.press('End'); // reads the figure, and does not turn the screen
  assert.match(shown.text('.claims-screen .picture-readout'), /^x²: x 5, output 25$/);
  screen.focus();
  const text = (/** @type {string} */ each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  for (let i = 0; i < 5 && !/Why\./.test(shown.text('.claims-screen')); i++) shown.press('ArrowRight');
  await shown.there('.claims-screen', new RegExp(text(typeset(found.found))));
  shown.press('ArrowRight');
  await shown.there('.claims-screen', /4\.763/);
  stays();
  shown.press('ArrowRight');
  await shown.click('.claims-screen button', /^Run the boundary$/);
  const flipped = outcome(await run(gf, claim.contrast), claim.contrast);
  await shown.there('.claims-screen', new RegExp(text(typeset(flipped.found))));
  assert.equal(verdict(), undefined);
  stays();
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowRight']) shown.press(key); // the next card of the list
  const after = order[placeOf(8)];
  await shown.there('.claims-projector h3', after.sentence);
  stays(after.sentence);
  shown.press('Escape');
  await shown.there('.claims-question');
  assert.equal(hash(), `#/claims?card=${after.number}`);
});

test('while a card runs, the projector shows what is run or the seeds so far beside the votes', async () => {
  watched.mayBeKept = false;
  const shown = await openClaims('#/claims?card=18&seeds=3&view=projector');
  await shown.click('.claims-screens button', /^Reveal/);
  /** @type {string[]} */
  const states = [];
  const look = () => {
    if (!shown.all('.claims-screen progress').length) return;
    const isBeside = shown.all('.claims-projector h3, .claims-counter input').length === 4;
    states.push(`${isBeside} ${shown.all('.claims-screen :is(.claims-sketch, .claims-figure)').length > 0}`);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  await shown.there('.claims-poll [data-verdict]');
  observer.disconnect();
  assert.deepEqual([...new Set(states)], ['true true']);
});

test('what a long card found is shown after a reload, with its seeds and time, until it is run again', async () => {
  const first = await openClaims('#/claims?card=1&seeds=2');
  await first.predict(0);
  assert.equal(first.verdict(), 'true');
  const said = [first.verdict(), first.text('.claims-verdict > span'), first.text('.claims-agreement')];
  const known = first.rows().filter(([, , reference]) => reference !== '–');
  assert(known.length > 0);
  const before = Date.now();
  const shown = await openClaims(hash());
  await shown.there('.claims-kept');
  assert.deepEqual(shown.rows(), known);
  assert.deepEqual([shown.verdict(), shown.text('.claims-verdict > span'), shown.text('.claims-agreement')], said);
  assert.deepEqual(shown.all('.picture'), []);
  const text = shown.text('.claims-kept p');
  assert.match(text, /^Found on \d+ \w+ \d{4} at \d\d:\d\d, seeds: 2:$/);
  assert(Math.abs(Date.parse(text.replace(/^Found on (.*) at (\d\d:\d\d).*/, '$1 $2')) - before) < 120_000, text);
  await shown.click('.claims-switches input[value="8"]');
  assert.match(hash(), /d_k=8&seeds=2$/);
  assert.match(shown.text('.claims-kept'), /^Found on .*, seeds: 2:/, 'of the switches it was found with');
  await shown.click('button', /^Run again$/);
  await shown.tested();
  assert.equal(shown.text('.claims-verdict .claims-word'), 'Boundary');
  assert.deepEqual(shown.all('.claims-kept'), []);
});

test('after the verdict the next claim is offered, to which the focus goes; after the last the list', async () => {
  const shown = await openClaims('#/claims?card=18&seeds=1');
  await shown.there('button', /^Copy as code$/);
  assert.deepEqual(shown.all('.claims-next'), [], 'first the prediction');
  await shown.click('button', /^Run without a bet$/);
  await shown.tested();
  const follow = async (/** @type {RegExp} */ text) => {
    const next = await shown.there('.claims-next', text);
    next.focus();
    await shown.go(String(next.getAttribute('href')));
  };
  const after = order[placeOf(18)];
  await follow(new RegExp(`^Next claim\\s+${after.sentence.slice(0, 20)}`));
  await shown.there('.claims-question');
  assert.match(hash(), new RegExp(`card=${after.number}$`));
  assert.equal(document.activeElement?.id, 'claims-sentence');
  assert.deepEqual(shown.all('.claims-next'), []);
  const last = order[order.length - 1].number;
  await shown.go(`#/claims?card=${last}&seeds=1&predict=1`);
  await shown.predict(0);
  await follow(/All claims, with what you found/);
  await shown.there('.claims-list');
  assert.equal(document.activeElement?.getAttribute('data-card'), String(last));
});

test('the figure of a run grows seed by seed, and is the same in the end', async () => {
  watched.mayBeKept = false;
  const shown = await openClaims('#/claims?card=18&seeds=3');
  /** @type {Map<number, number>} */
  const marks = new Map();
  const dots = () => shown.all('.picture-plot')[0]?.querySelectorAll('.picture-dot').length ?? 0;
  const observer = new MutationObserver(() => {
    const done = Number(/(\d) of 3 seeds/.exec(shown.text('.claims-running'))?.[1] ?? NaN);
    if (Number.isNaN(done)) return;
    marks.set(done, Math.max(marks.get(done) ?? 0, dots()));
    assert.deepEqual(shown.all('.claims-verdict'), [], 'no verdict before the last seed');
  });
  observer.observe(document.body, { childList: true, subtree: true });
  await shown.click('button', /^Run without a bet$/);
  await shown.tested();
  observer.disconnect();
  assert.deepEqual(
    [0, 1, 2].map((done) => marks.get(done)),
    [0, dots() / 3, (2 * dots()) / 3],
  );
});
