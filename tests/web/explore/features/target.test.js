// The target of an encoder–decoder, shipped or of the reader's: whose it is, its probability, a rule that decided,
// token by token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gf, open, openFolder } from '../table.js';
import { targetFor } from '../../../../web/app/own/pair.js';
import { answers } from '../../../../web/explore/features/answers.js';
import { decoderTokens } from '../../../../web/explore/features/tokens.js';
import { makePlan } from '../../../../web/engine/plan.js';
import { entryOf } from '../../../../web/models/catalogue.js';
import { shipped } from '../../in-node.js';

const { target } = await import('../../../../web/explore/features/target.js'); // with its style, which table.js reads
const { menus } = await import('../../../../web/explore/features/sentence-menus.js');

const SOURCE = '43 47 25 2 12 19 3 51 34 114 0';
const GREEDY = [44, 110, 60, 147, 3, 115, 44, 110, 60, 147, 0];
const LINK = 'model=marian-2l&attention=cross&head=1.1';

/** A Marian without its tokenizers: a text is a row of ids. */
async function marian() {
  const info = await openFolder('marian-2l');
  const entry = /** @type {any} */ (entryOf(/** @type {any} */ ('marian-2l')));
  Object.assign(entry, {
    input: 'text',
    text: SOURCE,
    target: targetFor(undefined),
    opening: { targetText: '', selection: { kind: 'cross', layer: 0, head: 0 } },
  });
  info.rules = { start: 149, forbidden: [[149]], maxLength: 12, last: [0] };
  return { info, entry };
}

/** The sum of the logarithms. @param {number[]} ids */
async function logProbability(ids) {
  const { model } = await gf.loadModel(new URL('../../../checkpoints/marian-2l/', import.meta.url));
  const sourceIds = SOURCE.split(' ').map(Number);
  model.forward({ sourceIds, targetIds: [149, ...ids.slice(0, -1)], capture: true });
  const { data, shape } = /** @type {any} */ (model.tensor('probabilities'));
  model.free();
  return ids.reduce((sum, id, row) => sum + Math.log(data[row * shape[2] + id]), 0);
}

const minus = (/** @type {number} */ value) => value.toFixed(2).replace('-', '−');

test('its own target, another token at a place, one typed by hand', async () => {
  const { entry } = await marian();
  const page = await open(target, LINK);
  assert.deepEqual(page.result().plan.tokens.decoder?.predicted?.ids, GREEDY);
  const sum = minus(await logProbability(GREEDY));
  assert.equal(said(page), `Click a candidate below to change it log p ${sum} Beams Token by token`);

  await page.change({ written: [44, 53] });
  const changed = /** @type {number[]} */ (page.result().plan.tokens.decoder?.predicted?.ids);
  assert.deepEqual(changed.slice(0, 2), [44, 53]);
  const other = minus(await logProbability(changed));
  assert.equal(said(page), `From 53 on by itself log p ${other} Model’s own Beams Token by token`);
  await page.click('button[title]');
  assert.deepEqual(page.set.at(-1), { written: [], targetText: '', follow: true });
  assert.deepEqual(page.result().plan.tokens.decoder?.predicted?.ids, GREEDY);

  const ids = [2, 121, 6, 0];
  const read = { words: ids.map(String), ids, truncated: false, shown: { words: [], ids: [] } };
  entry.target = targetFor(() => read);
  await page.change({ targetText: 'Le chien' });
  assert.equal(said(page), `Typed by you log p ${minus(await logProbability(ids))} Model’s own Beams Token by token`);

  entry.target = targetFor(() => ({ words: [], ids: [], truncated: false, shown: { words: ['犬'], ids: [null] } }));
  await page.change({ targetText: '犬' });
  assert.deepEqual(page.result().plan.tokens.decoder?.predicted?.ids, GREEDY);
  assert.equal(
    said(page),
    `Your target could not be read: this is the model’s own log p ${sum} Model’s own Beams Token by token`,
  );
});

test('token by token: the strip, the row and the answers follow; a candidate is written instead', async () => {
  await marian();
  const page = await open(target, `${LINK}&row=4`);
  await page.change({ grown: 1 });
  assert.equal(said(page), '1 of 11 Play Next token All');
  await page.click('.primary');
  assert.deepEqual([page.state().grown, page.state().cursor.row], [2, 1]);
  await page.click('[aria-label="Target"] button:last-child');
  assert.equal(page.state().grown, null);
  await page.change({ grown: 10 });
  await page.click('.primary');
  assert.deepEqual([page.state().grown, page.state().cursor.row], [null, 10], 'the last one is all of it');

  const strip = await open(decoderTokens, `${LINK}&row=4`);
  assert.deepEqual(strip.all('.token.later'), []);
  await strip.change({ grown: 3 });
  assert.deepEqual(strip.all('.token:not(.later)'), GREEDY.slice(0, 3).map(String));

  const list = await open(answers, `${LINK}&row=2`);
  assert.equal(list.all('.answers-list button')[0], String(GREEDY[2]));
  const other = Number(list.all('.answers-list button')[1]);
  await list.click('.answers-list li:nth-child(2) button');
  assert.deepEqual(list.state().written, [...GREEDY.slice(0, 2), other]);
  assert.equal(list.state().cursor.row, 2);
  assert.deepEqual(list.result().plan.tokens.decoder?.predicted?.ids.slice(0, 3), [44, 110, other]);
});

test('“Token by token” changes nothing once the result of another model is here', async () => {
  await marian();
  const page = await open(target, `${LINK}&row=4`);
  const last = /** @type {HTMLButtonElement} */ (page.root.querySelector('button:last-of-type'));
  await page.change({ model: 'story', text: 'the dog was tired', follow: false });
  last.click();
  assert.deepEqual([page.state().grown, page.state().cursor.row, page.set], [null, 4, []]);
});

/** Without the target itself, which is there for screen readers. @param {Awaited<ReturnType<typeof open>>} page */
const said = (page) => page.text().slice(page.all('output')[0].length).trim();

/** Of translate, greedily behind the words of a prefix. @param {string} source @param {number[]} [prefix] */
function french(source, prefix = []) {
  const { model, ids, targetVocabulary } = shipped(gf, 'translate');
  const [begin, end] = ['[BOS]', '[EOS]'].map((word) => targetVocabulary.indexOf(word));
  const given = { sourceIds: ids(source), targetIds: [begin, ...prefix] };
  const { newIds } = model.generateSync({ ...given, maxTokens: 24 - prefix.length, endId: end });
  const all = [...prefix, ...newIds];
  assert.equal(all.at(-1), end);
  return { ids: all, words: all.map((id) => targetVocabulary[id]) };
}

test('translate: one sentence in its language; another word at a place; other menus are its own again', async () => {
  const source = 'the creek was cold and the spunky dog wanted to jump over it .';
  const page = await open(target, 'model=translate');
  const first = french(source);
  const output = () => /** @type {HTMLOutputElement} */ (page.root.querySelector('output'));
  const shown = () => page.result().plan.tokens.decoder?.predicted;
  assert.deepEqual(
    [output().ariaLabel ?? output().getAttribute('aria-label'), output().lang],
    ['French translation', 'fr'],
  );
  assert.equal(output().textContent, 'le ruisseau était froid et le chien fougueux voulait le franchir.');
  assert.deepEqual(shown(), { words: first.words, ids: first.ids });
  assert.equal(said(page), 'Click a candidate below to change it log p 0.00 Beams Token by token');

  const list = await open(answers, 'model=translate&row=1&key=1');
  assert.deepEqual(list.all('.answers-list button')[0], 'ruisseau');
  await list.click('.answers-list li:nth-child(2) button');
  const other = french(source, list.state().written);
  assert.equal(list.state().written.length, 2);
  assert.deepEqual(list.result().plan.tokens.decoder?.predicted?.ids, other.ids);
  assert.notDeepEqual(other.ids, first.ids);

  // Ids beyond the source's 97 words are words of the target, in a link too.
  const last = [first.ids[0], 146];
  const linked = await open(target, `model=translate&written=${last.join('.')}`);
  assert.deepEqual(linked.result().plan.tokens.decoder?.predicted?.ids, french(source, last).ids);
  assert.match(said(linked), /From \S+ on by itself .*Model’s own Beams/);

  const menu = await open(menus, `model=translate&written=${last.join('.')}`);
  await menu.choose('[data-name=thing]', 'river');
  assert.deepEqual(menu.state().written, []);
});

test('a target without an end mark is as long as its source', async () => {
  const page = await open(target, `model=translate`);
  const { modelInfo } = page;
  const words = modelInfo.targetVocabulary.map((/** @type {string} */ word) => (word === '[EOS]' ? 'end' : word));
  const plan = (/** @type {number[]} */ written) =>
    makePlan({ ...page.state(), written }, { ...modelInfo, targetVocabulary: words });
  const { ids } = plan([]);
  assert.deepEqual(plan([]).generate, { begin: 1, maxTokens: ids.length });
  assert.deepEqual(plan([4, 5]).generate, { begin: 1, maxTokens: ids.length - 2, prefix: [4, 5] });
  assert.deepEqual([plan([4, 5]).ids, plan(Array(40).fill(4)).generate?.maxTokens], [ids, 0]);
  assert.notEqual(plan([4, 5]).key, plan([]).key);
});

// The last, as the worker's run of the same plan stays.
test('at a place where a rule decided, the likeliest token is named beside it', async () => {
  const { info } = await marian();
  info.rules = { ...info.rules, forbidden: [[149], [GREEDY[0]]] };
  const page = await open(target, `${LINK}&row=0`);
  const first = page.result().plan.tokens.decoder?.predicted?.ids[0];
  assert.notEqual(first, GREEDY[0]);
  assert.match(said(page), new RegExp(`^A rule wrote ${first}, not ${GREEDY[0]} log p `));
});
