// "What decided this?" as a reader sees it: the words, the maps, what a click makes and takes back, the slider. Every
// number is that of a pass in Node with the same ablation or patch.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trainedState } from '../../../../web/app/schema.js';
import { formatShare } from '../../../../web/draw/share.js';
import { loadDerived } from '../../../../web/engine/derived.js';
import { createLiveModels } from '../../../../web/engine/live-models.js';
import { createModelCache } from '../../../../web/engine/model-cache.js';
import { makePlan } from '../../../../web/engine/plan.js';
import { readModel } from '../../../../web/models/measure.mjs';
import { assertShown } from '../../browser.js';
import { numberOf } from '../../checks.js';
import { creekIn, flipOf } from '../decided.js';
import { gf, open } from '../table.js';

const { decide } = await import('../../../../web/explore/features/decide.js');
const { decision } = await import('../../../../web/explore/features/decision.js');

const TIRED = 'The dog did not jump over the creek because it was tired.';
const ROW = 9;
const LINK = `model=creek&head=3.2&row=9&text=${encodeURIComponent(TIRED)}`;
const OPEN = `${LINK}&decision=${encodeURIComponent('[]')}`;
/** @typedef {Awaited<ReturnType<typeof open>>} Page */

/** What the page shows as a probability. @param {string} text */
const shownShare = (text) => Number(text.replace(/[ %<>]/g, '')) / 100;

/** @param {Page} page @param {string} map */
const cursorOf = (page, map) => numberOf(page.all(`.decision-${map} .map-readout strong`)[0]);

/** Moves a map's cursor by keys. @param {Page} page @param {string} map @param {number} row @param {number} column */
async function go(page, map, row, column) {
  const cells = `.decision-${map} .map-cells`;
  for (let i = 0; i < 14; i++) for (const key of ['ArrowUp', 'ArrowLeft']) await page.press(cells, key);
  for (let i = 0; i < row; i++) await page.press(cells, 'ArrowDown');
  for (let i = 0; i < column; i++) await page.press(cells, 'ArrowRight');
}

test('the button is there where the answer is a word, and opens and closes', async () => {
  const page = await open(decide, LINK);
  assert.deepEqual([page.text(), page.needs()], ['What decided this?', []]);
  await page.click('#decide');
  assert.deepEqual(page.state().decision, []);
  assert.equal(page.root.querySelector('button')?.getAttribute('aria-expanded'), 'true');
  await page.click('#decide');
  assert.equal(page.state().decision, null);
  for (const link of ['model=untrained', 'model=creek&text=zzz'])
    assert.equal((await open(decide, link)).text(), '', link);
  const written = await open(decide, 'model=translate');
  assert.equal(written.text(), 'What decided this?');
  await written.change({ selection: { kind: 'encoder', layer: 0, head: 0 } });
  assert.equal(written.text(), '', 'a source word has no answer');
});

test('a table of states: what is asked for', async () => {
  for (const [link, needs] of /** @type {[string, RegExp][]} */ ([
    [OPEN, /^@decision\/9\/[\d.]+\/\[\] @probabilities$/],
    [`model=continue&decision=${encodeURIComponent('[]')}`, /^@decision\/\d+\/[\d.]*\/\[\] @probabilities$/],
    [`model=translate&decision=${encodeURIComponent('[]')}`, /^@decision\/\d+\/\/\[\] @probabilities$/],
    ['model=untrained', /^$/],
  ]))
    assert.match((await open(decision, link)).needs().join(' '), needs, link);
});

test('all cells are passes of the module with that head, group or token changed', async () => {
  const { weights, ...known } = readModel('creek');
  const live = createLiveModels(gf, { ...createModelCache(), weights: () => weights });
  const state = { ...trainedState('creek', known.config), text: TIRED };
  const { key, config, ids, targetIds, interventions, model, generate } = makePlan(state, known);
  const node = creekIn(gf);
  const name = `@decision/${ROW}/${node.other.join('.')}/[]`;
  await loadDerived([name]);
  const query = { config, ids, targetIds, interventions, model, generate };
  const asked = { names: [name, 'logits'], maskNames: {}, plans: 1, focus: { layer: 0, row: 0 } };
  const run = () => live.run({ type: 'run', id: 1, key, ...asked, ...query });
  const plain = node.answers();
  let parts = 0;
  let answer = await run();
  const { logits } = answer.tensors;
  for (; answer.derived[name].unfinished; answer = await run()) parts++;
  assert(parts > 0);
  assert.deepEqual(answer.tensors.logits, logits, 'the model is left as it was');
  const found = answer.derived[name];
  assert.equal(found.answer, node.dog);
  assert.equal(found.probability, plain[node.dog]);
  const [{ stream, parts: others }] = found.stacks;
  assert.equal(stream.changes.length, 3 * 13, 'without what the last layer gives, which is the answer');
  assert.equal(others.changes.length, 3 * (2 + 4));
  stream.changes.forEach((change, i) => {
    assert.deepEqual([change.after, change.row], [Math.floor(i / 13), i % 13]);
    assert.equal(stream.probabilities[i], node.answers(node.patch(change.after, change.row))[node.dog], `cell ${i}`);
  });
  others.changes.forEach((change, i) => {
    const patches =
      change.what === 'head'
        ? node.headOff(change.layer, change.head)
        : node.neuronsOff(change.layer, change.first, change.last);
    assert.equal(others.probabilities[i], node.answers(patches)[node.dog], `part ${i}`);
  });
  const effects = others.probabilities.map((each) => each - found.probability);
  for (const { kind, layer, head } of found.decisive) {
    const row = [...effects.subarray(6 * layer, 6 * layer + 6)];
    const at = kind === 'attention' ? head : 2 + row.slice(2).indexOf(Math.min(...row.slice(2)));
    assert(row[at] === Math.min(...row) && row[at] < 0, `layer ${layer}: the one without which it loses most`);
  }
  assert.deepEqual((await run()).derived[name], found, 'asked again, it is the same');
  assert.deepEqual(found.mix.answers, [node.dog, node.wet]);
  assert(Math.abs(found.mix.flip - flipOf(node)) < 2e-3, found.mix.flip);
});

test('the maps say it in words; Enter leads to the state, a second one back', async () => {
  const page = await open(decision, OPEN);
  const node = creekIn(gf);
  const plain = node.answers()[node.dog];
  const [, layer, head, from, to] =
    /For dog: most of all layer (\d), head (\d): without it dog falls from (\S+)\s% to (\S+)\s%/.exec(page.text()) ??
    assert.fail(page.text());
  const without = node.answers(node.headOff(Number(layer) - 1, Number(head) - 1))[node.dog];
  for (const [shown, computed] of [
    [from, plain],
    [to, without],
  ])
    assert(Math.abs(shownShare(String(shown)) - Number(computed)) < 0.006, `${shown} ${computed}`);
  for (const [after, row] of [
    [0, 11],
    [1, 1],
    [2, 9],
  ]) {
    await go(page, 'stream', after, row);
    assertShown(cursorOf(page, 'stream'), node.answers(node.patch(after, row))[node.dog] - plain, `${after}, ${row}`);
  }
  await go(page, 'parts', 1, 0);
  assertShown(cursorOf(page, 'parts'), node.answers(node.headOff(1, 0))[node.dog] - plain);
  await page.press('.decision-stream .map-cells', 'Enter');
  const [patch] = page.state().interventions;
  assert.deepEqual({ ...patch, from: 0 }, { what: 'patch', kind: 'encoder', after: 2, row: 9, from: 0, share: 1 });
  assert.match(page.all('.decision-stream .decision-cell')[0], /layer 2, it: dog \S+ % → \S+ %, shown now$/);
  assert.deepEqual(page.needs(), (await open(decision, OPEN)).needs(), 'the search is not begun again');
  await page.press('.decision-stream .map-cells', 'Enter');
  assert.deepEqual(page.state().interventions, []);
  await page.click('.decision-close');
  assert.equal(page.state().decision, null);
});

test('between two sentences: the answer flips where bisection in Node finds it', async () => {
  const page = await open(decision, OPEN);
  const node = creekIn(gf);
  const flip = flipOf(node);
  assert(Math.abs(shownShare(page.all('.decision-flip')[0]) - flip) < 0.006);
  for (const share of [Math.floor(100 * flip - 1) / 100, Math.ceil(100 * flip + 1) / 100]) {
    await page.type('.decision-mix input', String(share));
    const all = node.answers(node.patch(0, 11, share));
    assert.deepEqual(
      page.all('.decision-mix li'),
      [node.dog, node.wet].map((id) => `${node.vocabulary[id]} ${formatShare(all[id])}`.replace(/\s/g, ' ')),
    );
  }
  await page.click('.decision-flip');
  const [change] = page.state().interventions;
  assert('share' in change && Math.abs(change.share - flip) < 2e-3);
  await page.type('.decision-mix input', '0');
  assert.deepEqual(page.state().interventions, []);
});

test('translate: maps of both stacks, named', async () => {
  const page = await open(decision, `model=translate&decision=${encodeURIComponent('[]')}`);
  assert.deepEqual(
    page.all('.decision-maps .view-title'),
    ['encoder', 'decoder'].flatMap((stack) => [`Tokens (${stack})`, `Heads and neurons (${stack})`]),
  );
  assert.match(page.text(), /Tokens are replaced by the mean of all tokens at that layer\./);
});
