// The target of an encoder–decoder of the reader's: whose it is, its probability, a rule that decided, token by token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gf, open, openFolder } from '../table.js';
import { targetFor } from '../../../../web/app/own/pair.js';
import { answers } from '../../../../web/explore/features/answers.js';
import { decoderTokens } from '../../../../web/explore/features/tokens.js';
import { entryOf } from '../../../../web/models/catalogue.js';

const { target } = await import('../../../../web/explore/features/target.js'); // with its style, which table.js reads

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
  assert.equal(page.text(), `Click a candidate below to change it log p ${sum} Beams Token by token`);

  await page.change({ written: [44, 53] });
  const changed = /** @type {number[]} */ (page.result().plan.tokens.decoder?.predicted?.ids);
  assert.deepEqual(changed.slice(0, 2), [44, 53]);
  const other = minus(await logProbability(changed));
  assert.equal(page.text(), `From 53 on by itself log p ${other} Model’s own Beams Token by token`);
  await page.click('button[title]');
  assert.deepEqual(page.set.at(-1), { written: [], targetText: '', follow: true });
  assert.deepEqual(page.result().plan.tokens.decoder?.predicted?.ids, GREEDY);

  const ids = [2, 121, 6, 0];
  const read = { words: ids.map(String), ids, truncated: false, shown: { words: [], ids: [] } };
  entry.target = targetFor(() => read);
  await page.change({ targetText: 'Le chien' });
  assert.equal(page.text(), `Typed by you log p ${minus(await logProbability(ids))} Model’s own Beams Token by token`);

  entry.target = targetFor(() => ({ words: [], ids: [], truncated: false, shown: { words: ['犬'], ids: [null] } }));
  await page.change({ targetText: '犬' });
  assert.deepEqual(page.result().plan.tokens.decoder?.predicted?.ids, GREEDY);
  assert.equal(
    page.text(),
    `Your target could not be read: this is the model’s own log p ${sum} Model’s own Beams Token by token`,
  );
});

test('token by token: the strip, the row and the answers follow; a candidate is written instead', async () => {
  await marian();
  const page = await open(target, `${LINK}&row=4`);
  await page.change({ grown: 1 });
  assert.equal(page.text(), '1 of 11 Play Next token All');
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

// The last, as the worker's run of the same plan stays.
test('at a place where a rule decided, the likeliest token is named beside it', async () => {
  const { info } = await marian();
  info.rules = { ...info.rules, forbidden: [[149], [GREEDY[0]]] };
  const page = await open(target, `${LINK}&row=0`);
  const first = page.result().plan.tokens.decoder?.predicted?.ids[0];
  assert.notEqual(first, GREEDY[0]);
  assert.match(page.text(), new RegExp(`^A rule wrote ${first}, not ${GREEDY[0]} log p `));
});
