// <glass-heads>: a button for each head and FFN, with what it adds to the answer at the chosen word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { all, creek, DEEP, open, problems, settled, TIRED, until, window } from './dom.js';

/** @param {any} part */
const names = (part) => all(part, '.head').map((each) => each.getAttribute('aria-label'));

test('all heads and FFNs, with the numbers of the module; a click chooses a head or a neuron', async () => {
  const { model, find } = await open('<glass-heads></glass-heads>', { head: '3.2', word: 'it' });
  const part = find('glass-heads');
  await until(() => all(part, '.added').length);
  const gf = await load();
  const { model: own, tokenizer } = await gf.loadModel(creek);
  const trace = own.trace(TIRED);
  const logits = [...trace.tensor({ name: 'logits', row: 9 }).data];
  const [first, second] = logits.toSorted((a, b) => b - a).map((each) => logits.indexOf(each));
  const { parts } = await trace.attribution(9, { id: first, against: second });
  const sign = (/** @type {number} */ value) => `${value > 0 ? '+' : ''}${value.toFixed(2).replace('-', '−')}`;
  assert.deepEqual(
    names(part),
    parts.map(({ layer, head, value }) => {
      const name = head === undefined ? `FFN, layer ${layer + 1}` : `Attention, layer ${layer + 1}, head ${head + 1}`;
      return `${name}: ${sign(value)}`;
    }),
  );
  assert.match(all(part, '.hint')[0].textContent, new RegExp(`adds for ${tokenizer.token(first)} at it `));
  const pressed = () => all(part, '[aria-pressed=true]').map((each) => each.dataset.at);
  assert.deepEqual(pressed(), ['2 1']);
  all(part, '[data-at="0 1"]')[0].click();
  await settled();
  assert.deepEqual([model.head, pressed()], ['1.2', ['0 1']]);
  all(part, '[data-at="1 2"]')[0].click();
  await settled();
  assert.match(model.neuron, /^2\.\d+$/);
  assert.deepEqual(problems.splice(0), []);
});

test('another word has its own numbers', async () => {
  const { model, find } = await open('<glass-heads></glass-heads>', { word: 'it' });
  await until(() => all(find('glass-heads'), '.added').length);
  const before = names(find('glass-heads'));
  model.word = 'dog';
  await until(() => all(find('glass-heads'), '.hint')[0].textContent.includes(' at dog '));
  assert.notDeepEqual(names(find('glass-heads')), before);
  assert.match(all(find('glass-heads'), '.hint')[0].textContent, / at dog /);
});

test('two models of one file at once, each with the numbers of its own text', async () => {
  const texts = [TIRED, DEEP];
  /** @type {unknown[][]} */
  const alone = [];
  for (const text of texts) {
    const { find } = await open('<glass-heads></glass-heads>', { word: 'it', text });
    await until(() => all(find('glass-heads'), '.added').length);
    alone.push(names(find('glass-heads')));
  }
  assert.notDeepEqual(alone[0], alone[1]);
  window.document.body.innerHTML =
    '<glass-model word="it"><glass-heads></glass-heads><glass-logits></glass-logits></glass-model>'.repeat(2);
  const models = /** @type {any[]} */ ([...window.document.querySelectorAll('glass-model')]);
  models.forEach((model, i) => Object.assign(model, { src: creek, text: texts[i] }));
  const parts = [...window.document.querySelectorAll('glass-heads')];
  await until(() => parts.every((part) => all(part, '.added').length));
  assert.deepEqual(parts.map(names), alone);
  assert.deepEqual(problems.splice(0), []);
});
