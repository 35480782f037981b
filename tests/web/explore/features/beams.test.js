// Beam search as a view: its sequences and scores, greedy beside them, the tree, a branch as the target, its sliders.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMinus } from '../../../../web/draw/numbers.js';
import { gf, open, openFolder } from '../table.js';
import { targetFor } from '../../../../web/app/own/pair.js';
import { entryOf } from '../../../../web/models/catalogue.js';
import { shipped } from '../../in-node.js';

const { beams } = await import('../../../../web/explore/features/beams.js'); // with its style, which table.js reads

const SOURCE = '43 47 25 2 12 19 3 51 34 114 0';
const LINK = 'model=marian-2l&attention=cross&head=1.1&part=beams';
const rules = { start: 149, forbidden: [[149]], maxLength: 12, last: [0], beams: 4, renormalize: true };
const options = { sourceIds: SOURCE.split(' ').map(Number), targetIds: [149], rules, endId: 0, keep: 4 };
const numbers = (/** @type {number} */ value) => withMinus(value.toFixed(2));

/** A Marian without its tokenizers. */
async function marian() {
  const info = await openFolder('marian-2l');
  const opening = { targetText: '', selection: { kind: 'cross', layer: 0, head: 0 } };
  const entry = { input: 'text', text: SOURCE, target: targetFor(undefined), opening };
  Object.assign(/** @type {any} */ (entryOf(/** @type {any} */ ('marian-2l'))), entry);
  Object.assign(info, { rules, endIds: [0] });
  return (await gf.loadModel(new URL('../../../checkpoints/marian-2l/', import.meta.url))).model;
}

test('the sequences, their sums and lengths; greedy; the tree; a branch as the target', async () => {
  const model = await marian();
  const page = await open(beams, LINK);
  assert.deepEqual(page.needs(), ['@beams/4/1'], 'as the files say');
  const found = /** @type {any} */ (await model.generate({ ...options, beams: 4, lengthPenalty: 1 }));
  const greedy = model.generateSync({ sourceIds: options.sourceIds, targetIds: [149], rules, endId: 0, maxTokens: 11 });
  const texts = page.all('.beams-ends li');
  found.beams.forEach((/** @type {any} */ { newIds, score }, /** @type {number} */ i) => {
    assert(texts[i].startsWith(`beam ${i + 1}`), texts[i]);
    assert(texts[i].includes([...newIds].join(' ')), texts[i]);
    assert(texts[i].endsWith(`÷ ${newIds.length}1 = ${numbers(score)}`), texts[i]);
  });
  const at = texts.findIndex((each) => /greedy/.test(each));
  assert(texts[at].includes([...greedy.newIds].join(' ')), texts[at]);
  assert.match(page.all('.hint')[0], /^(They part (after|at)|Greedy finds the same)/);

  const nodes = [...page.root.querySelectorAll('.beams-node')];
  assert.equal(nodes.length, found.tree.length);
  assert.equal(page.all('.beams-node.wins').length, found.beams[0].newIds.length);
  assert.equal(nodes.filter((each) => /** @type {any} */ (each).tabIndex === 0).length, 1);
  const cut = found.tree.filter((/** @type {any} */ each) => each.endedBy === 'beams').length;
  assert.equal(page.all('.beams-node.cut').length, cut);

  await page.press('.beams-node.wins', 'ArrowRight');
  const here = /** @type {HTMLElement} */ (document.activeElement);
  assert(String(here.textContent).startsWith([...found.beams[0].newIds].slice(0, 2).join(' ')), 'to what goes on');
  await page.click('.beams-ends li:first-child button');
  assert.deepEqual(page.state().written, [...found.beams[0].newIds]);
  assert.deepEqual(page.result().plan.tokens.decoder?.predicted?.ids, [...found.beams[0].newIds]);
  assert.equal(page.all('.beams-node').length, found.tree.length, 'the same search beside another target');
});

test('its sliders: width 1 is greedy, another penalty another score', async () => {
  const model = await marian();
  const page = await open(beams, `${LINK}&beams=1`);
  assert.match(page.all('.hint')[0], /^One beam takes the likeliest token each time: greedy\./);
  const greedy = model.generateSync({ sourceIds: options.sourceIds, targetIds: [149], rules, endId: 0, maxTokens: 11 });
  assert.equal(page.all('.beams-node').length, greedy.newIds.length);
  await page.choose('input[type=range]', '3');
  assert.deepEqual([page.state().beams, page.needs()], [{ width: 3, penalty: null }, ['@beams/3/1']]);
  await page.choose('label:nth-of-type(2) input', '0');
  assert.deepEqual(page.needs(), ['@beams/3/0']);
  const found = /** @type {any} */ (await model.generate({ ...options, beams: 3, lengthPenalty: 0, keep: 3 }));
  const [first] = page.all('.beams-ends li');
  assert(first.endsWith(`÷ ${found.beams[0].newIds.length}0 = ${numbers(found.beams[0].score)}`), first);
});

test('translate: its trees end with its own end mark; a sequence as a sentence', async () => {
  const own = shipped(gf, 'translate');
  const [begin, end] = ['[BOS]', '[EOS]'].map((word) => own.targetVocabulary.indexOf(word));
  const page = await open(beams, 'model=translate&part=beams');
  assert.deepEqual(page.needs(), ['@beams/4/1']);
  const sourceIds = own.ids('the creek was cold and the spunky dog wanted to jump over it .');
  const options = { sourceIds, targetIds: [begin], endId: end, beams: 4, keep: 4, maxTokens: 24 };
  const found = /** @type {any} */ (await own.model.generate(options));
  const ends = page.all('.beams-ends li');
  assert.equal(ends.length, 4);
  found.beams.forEach((/** @type {any} */ { newIds, score }, /** @type {number} */ i) => {
    const words = [...newIds].filter((id) => id !== end).map((id) => own.targetVocabulary[id]);
    assert(ends[i].includes(words.join(' ').replace(' .', '.')), ends[i]);
    assert(ends[i].endsWith(` = ${numbers(score)}`), ends[i]);
  });
  assert.match(ends[0], /^beam 1 greedy le ruisseau était froid et le chien fougueux voulait le franchir\. /);
  await page.click('.beams-ends li:nth-child(2) button');
  assert.deepEqual(page.state().written, [...found.beams[1].newIds]);
  assert.deepEqual(page.result().plan.tokens.decoder?.predicted?.ids, [...found.beams[1].newIds]);
});
