// The place Train on real runs, without a browser: Node's numbers, links, wrong values, texts, the guided run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { hashOf, lookAt } from '../../../web/train/run/look.js';
import { recipeOf, setText } from '../../../web/train/run/recipes.js';
import { createBrowser, until } from './dom.js';
import { hashInNode, nodeRun } from './node.js';

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/** Opens an address in a browser of its own. @param {string} hash @param {number} [step] that it comes to */
async function open(hash, step = 0) {
  const tab = await createBrowser()(hash);
  await tab.at(step);
  return tab;
}

test('reverse is learnt as in Node: loss, accuracy, answers, hash; a return and the same way once more', async () => {
  const tab = await open('#/train?steps=200');
  await tab.unfold('rows');
  const answers = () => tab.all('.train-token > :last-child').map((each) => each.textContent.replace(/≠.*/, '').trim());
  const untrained = { hash: tab.hash(), answers: answers() };
  assert(tab.all('.train-token .wrong').length > 40); // of 64
  await tab.press('Train');
  await tab.at(200);
  const own = await nodeRun({ ...recipeOf('reverse'), steps: 200 });
  await own.go(200);
  const look = await lookAt(own, 0);
  const [{ sequences }] = own.checks().slice(-1);
  assert(sequences >= 0.99);
  assert.equal(tab.hash(), look.hash);
  assert.equal(tab.facts()['Loss of the last batch'], own.curve(199).loss[0].toFixed(4));
  assert.equal(tab.facts()['Held-out rows right'], `${(100 * sequences).toFixed(1)} %`);
  assert.deepEqual(answers(), look.rows.flatMap((row) => row.answers.map(({ got }) => got))); // prettier-ignore
  assert.match(tab.text('.train-solved'), /right at step 175/);
  assert.equal(tab.text('.train-map .map-readout strong'), look.maps[0].data[0].toFixed(4));

  await tab.key('Home');
  await tab.at(0);
  assert.deepEqual({ hash: tab.hash(), answers: answers() }, untrained);
  await tab.key('ArrowRight');
  await tab.at(5); // the next moment that is kept
  await tab.press('One step');
  await tab.at(6);
  await own.go(6);
  assert.equal(tab.hash(), await hashOf(own.model));
  await tab.press('Train');
  await tab.at(200);
  assert.equal(tab.hash(), look.hash);
  await until(() => tab.address().endsWith('steps=200&step=200'));
  await tab.close();
});

test('a link restores task, settings, seed and step; Back leads to the former task', async () => {
  const hash = await hashInNode('order', 40, { positions: 'none', batch: 16, seed: 3 });
  const tab = await open('#/train?task=order&positions=none&batch=16&seed=3&step=40&colour=red', 40);
  assert.equal(tab.hash(), hash);
  assert.equal(tab.value('#train-positions'), 'none');
  await tab.fill('[name=train-task]', 'copy');
  await tab.at(0);
  await until(() => tab.address() === '#/train?task=copy');
  tab.window.history.back();
  await tab.at(40);
  assert.equal(tab.task(), 'order');
  assert.equal(tab.hash(), hash);
  await tab.close();
});

test('a notice of a link stays while the run is taken to its step, and ends with what the reader does', async () => {
  const tab = await open('#/train?task=copy&step=5&learningRate=abc', 5);
  assert.match(tab.notice(), /could not be read \(“learningRate”\)/);
  await tab.fill('[name=train-task]', 'order');
  await tab.at(0);
  assert.equal(tab.notice(), '');
  tab.window.location.hash = '#/train?task=copy&colour=red';
  await tab.there('.train-notice', 'colour');
  await tab.at(0);
  await tab.press('One step');
  await tab.at(1);
  assert.equal(tab.notice(), '');
  await tab.close();
});

test('a wrong value is explained at its field, by page and engine, and leaves the run alone', async () => {
  const tab = await open('#/train?task=copy&step=10', 10);
  const hash = tab.hash();
  for (const [text, reason] of [
    ['3', 'Heads: must divide d_model = 32, not 3; the recipe has 1.'],
    ['', 'Heads: must be an integer from 1 to 8, not empty; the recipe has 1.'],
    ['1.5', 'Heads: must be an integer from 1 to 8, not 1.5; the recipe has 1.'],
  ]) {
    await tab.fill('#train-heads', text);
    await tab.there('#train-heads-problem', /./);
    assert.equal(tab.text('#train-heads-problem'), reason);
    assert.equal(tab.all('#train-heads')[0].getAttribute('aria-invalid'), 'true');
    assert.equal(tab.hash(), hash);
  }
  for (const id of ['train-learningRate', 'train-operate-rate']) {
    const typing = /** @type {HTMLInputElement} */ (tab.all(`#${id}`)[0]);
    typing.value = '0.00';
    typing.dispatchEvent(new tab.window.Event('input', { bubbles: true }));
    await tab.press('One step');
    await tab.at(id === 'train-learningRate' ? 11 : 12);
    assert.equal(typing.value, '0.00', 'a report leaves alone what is being typed');
    typing.dispatchEvent(new tab.window.Event('blur'));
  }
  await tab.fill('#train-heads', '2');
  await tab.at(0);
  await until(() => tab.all('.error').length === 0);
  assert.equal(tab.all('.train-grid .head').length, 2);
  await tab.close();
});

test('a step that is not finite stops the run and says where; it goes on with a smaller rate', async () => {
  const tab = await open('#/train?task=reverse&norm=none&learningRate=1000&warmup=0&optimizer=sgd&clip=0');
  await tab.press('Train');
  await tab.there('.train-controls .error', /^Step \d+ was not taken: [\w.]+( \(layer \d\))? is not finite/);
  assert.doesNotMatch(tab.text('.train-facts'), /\d{8}/, 'a large loss is a power of ten');
  await tab.press(/learning rate of 100$/);
  await until(() => !tab.all('.train-controls .error').length);
  assert.equal(tab.value('#train-learningRate'), '100');
  await tab.close();
});

test('the run before a setting that restarts stays beside the new one; both can be saved', async () => {
  const tab = await open('#/train?task=order&steps=50&seed=2');
  await tab.press('Train');
  await tab.at(50);
  await tab.fill('#train-positions', 'none');
  await tab.at(0);
  await until(() => tab.all('.train-runs li').length === 2);
  await tab.press('Train');
  await tab.at(50);
  const settings = { steps: 50, seed: 2 };
  const own = await nodeRun({ ...recipeOf('order'), ...settings }, 'order');
  await own.go(50);
  const best = Math.max(...own.checks().map(({ sequences }) => sequences));
  assert(best < 0.99); // else the line names the step
  const [present, kept] = tab.texts('.train-runs li');
  const result = `best ${(100 * best).toFixed(1)} %, after 50 steps`;
  assert.match(kept, new RegExp(`^The run before: Steps: 50; seed 2 – ${result}`));
  assert.match(present, /This run: Positions: None, Steps: 50; seed 2 – best \d\d\.\d %/);
  assert.equal(tab.hash(), await hashInNode('order', 50, { ...settings, positions: 'none' }));
  const [loss] = tab.all('.train-chart');
  assert.equal(loss.querySelectorAll('.curves-line').length, 3); // the kept one, this one, its held-out loss

  const { name, bytes } = await tab.download('Save the run');
  assert.equal(name, 'order-50.safetensors');
  const { model, trainer } = await gf.loadModel(bytes);
  assert.equal(trainer?.steps, 50);
  assert.equal(await hashOf(model), tab.hash(), 'saved and opened in Node');

  await tab.press('Compare over seeds');
  await tab.there('.compare-form label', /^Positions: Sinusoidal$/);
  const [before] = tab
    .all('.compare-form label')
    .filter((each) => /^Positions: Sinusoidal$/.test(each.textContent.trim()));
  assert.equal(before.querySelector('input').checked, true, 'the run before is chosen');
  await tab.close();
});

test('broken: asked first, then trained with the run before as a curve; what became of it is Node’s', async () => {
  const tab = await open('#/train?task=order');
  await tab.press('Train');
  await tab.at(200);
  const ghost = tab.all('.train-chart')[1].querySelector('.curves-line').getAttribute('d');
  const positions = async () => (await tab.there('.train-switch', /^positions$/)).querySelector('input');
  (await positions()).click();
  await tab.there('.train-trial', 'Will it still learn?');
  await tab.at(200);
  await tab.press('Leave it');
  assert.equal((await positions()).checked, true);
  (await positions()).click();
  await tab.press('It will');
  await tab.there('.train-trial', 'It did not');
  await tab.at(200);
  const own = await nodeRun({ ...recipeOf('order'), positions: 'none' }, 'order');
  await own.go(200);
  assert.equal(tab.hash(), await hashOf(own.model));
  const said = tab.text('.train-trial');
  const share = Math.round(100 * Number(own.checks().at(-1)?.sequences));
  assert.match(said, /^Positions: None\. You said that it will still learn\. It went the other way\./);
  assert.match(said, new RegExp(`at the end ${share}\\s% of the held-out rows are right`));
  assert.match(said, /The two orders are the same to the model: a coin flip\. Compare shows it over several seeds\.$/);
  assert.equal(tab.all('.train-runs li').length, 2);
  assert.match(String(ghost), /^M/);
  assert.match(tab.address(), /positions=none/);
  const speeds = '.train-go .train-speed option';
  assert.deepEqual(
    ['0', '50'].map((value) => tab.text(`${speeds}[value="${value}"]`)),
    ['as fast as it goes', '50 steps/s'],
  );
  await tab.fill('.train-go .train-speed select', '50');
  assert.equal(tab.stored('glassformer-train-speed'), '50', 'the speed that was chosen is kept');
  await tab.close();
});

const CREEK = 'The creek was cold and the dog was tired. The boy was kind and the creek was deep. '.repeat(30);

test('a text that repeats itself says so beside its result; another one says what is held out', async () => {
  const tab = await open('#/train?task=text&heldOut=unseen&step=200', 200);
  const said =
    'This text repeats itself: 100 % of the phrases of 5 tokens held out (the last tenth, 48 tokens) are also';
  await tab.there('.train-split', said.replace(/[()]/g, '\\$&'));
  await tab.there('.train-about', said.replace(/[()]/g, '\\$&'));
  assert.doesNotMatch(tab.text('.train-solved'), /✓/);
  await tab.fill('#train-text', readFileSync(new URL('../../tasks/gpl.txt', import.meta.url), 'utf8'));
  await tab.press('Use this text');
  await tab.there('.train-split', /^Held out: 627 tokens of 6,217. None of their phrases of 5 tokens is trained on./);
  await tab.fill('#train-heldOut', 'end');
  const last = /^Held out: the last tenth, 622 tokens. 2 % of its phrases of 5 tokens are also trained on./;
  await tab.there('.train-split', last);
  await until(() => tab.address() === '#/train?task=text');
  await tab.close();
});

test('a text of one’s own: a short one is repeated; a longer one trains as in Node, and goes on', async () => {
  const tab = await open('#/train?task=text');
  await tab.fill('#train-text', 'too short');
  await tab.press('Use this text');
  await tab.there('.train-split', /2 tokens are too few to train on, so they are repeated 165 times\./);
  assert.equal(tab.text('#train-shown-title'), 'A held-out row');
  assert.equal(tab.text('#train-held-title'), 'Held-out rows');
  await tab.fill('#train-text', CREEK);
  await tab.fill('.train-text select', 'characters');
  await tab.press('Use this text');
  await tab.there('#train-text-note', `${new Set(CREEK).size} in the vocabulary`);
  await tab.at(0);
  for (const step of [1, 2, 3]) {
    await tab.press('One step');
    await tab.at(step);
  }
  setText(CREEK, 'characters');
  const own = await nodeRun(recipeOf('text'), 'text');
  await own.go(3);
  await tab.press('Copy link');
  await tab.there('.train-notice', 'It does not carry your text.');
  const { hash, written } = await lookAt(own, 0);
  assert.equal(tab.hash(), hash);
  assert(written);
  assert.equal(tab.all('.train-written bdi').at(-1).textContent, written.text);
  assert.equal(written.text.length, 40);
  assert.equal(tab.facts()['Held-out loss'], own.checks()[0].loss.toFixed(4));

  const file = '.train-text input[type=file]';
  await tab.give(file, 'other.txt', CREEK.replaceAll('creek', 'pond'));
  await until(() => /pond/.test(tab.value('#train-text')));
  await tab.at(0);
  await tab.press('One step');
  await tab.at(1);
  const trained = tab.hash();
  await tab.give(file, 'picture.png', Buffer.concat([Buffer.from(CREEK), Buffer.alloc(8)]));
  await tab.there('#train-text-note .error', 'picture.png: must be text');
  assert.equal(tab.hash(), trained, 'the run stays');
  assert.match(tab.value('#train-text'), /pond/, 'and the text');
  await tab.give(file, 'long.txt', 'a '.repeat(1_000_001));
  await tab.there('#train-text-note .error', 'long.txt: must have at most 2,000,000 bytes');
  await tab.close();
});

test('a text in the box is what Train trains on: used first, and refused without a step on another', async () => {
  const tab = await open('#/train?task=text');
  const mine = 'The quick brown fox jumps over the lazy dog.';
  await tab.fill('#train-text', mine);
  await tab.there('#train-text-note', 'This text is not trained on yet');
  await tab.press('One step');
  await tab.at(1);
  assert.match(tab.text('.train-split'), /^10 tokens are too few .* repeated 33 times/);
  setText(mine, 'words');
  const own = await nodeRun(recipeOf('text'), 'text');
  await own.go(1);
  const { hash } = await lookAt(own, 0);
  assert.equal(tab.hash(), hash, 'Node’s run with this text');
  for (const [bad, why] of /** @type {[string, RegExp][]} */ ([
    ['cat cat cat', /This text is not trained on: it needs at least two different words/],
    ['  ', /This text is not trained on: it is empty/],
  ])) {
    await tab.fill('#train-text', bad);
    for (const name of ['Train', 'One step']) {
      await tab.press(name);
      await tab.there('#train-text-note', why);
      assert.equal(tab.value('#train-text'), bad, 'it stays in the box');
      assert.deepEqual([tab.step(), tab.hash()], [1, hash]);
    }
  }
  await tab.fill('#train-text', mine);
  await tab.there('#train-text-note', /in the vocabulary|not trained on/);
  await tab.press('One step');
  await tab.at(2);
  await tab.close();
});

test('broken: without its FFN the run is Node’s; on again, it has as many neurons', async () => {
  const tab = await open('#/train?task=order&d_ff=48');
  await tab.check('.train-switch', /^FFN$/);
  await tab.there('.train-trial', /^No FFN\. The run restarts/);
  await tab.press('It will');
  await tab.there('.train-trial', /^No FFN\. You said that it will still learn\. You were right\. It learnt/);
  await tab.at(200);
  assert.equal(tab.hash(), await hashInNode('order', 200, { d_ff: 0 }));
  assert.match(tab.address(), /d_ff=0/);
  await tab.check('.train-switch', /^FFN$/);
  await tab.there('.train-trial', /^d_ff: 48\. The run restarts/);
  await tab.close();
});

test('a link ends at its step, also where the reader chose another row on the way', async () => {
  const tab = await createBrowser()('#/train?task=story&step=40');
  await until(() => tab.step() >= 5);
  tab.all('.train-row input')[2].click();
  await tab.at(40);
  assert.equal(tab.all('.train-row input')[2].checked, true);
  await until(() => tab.address().endsWith('step=40'));
  await tab.close();
});

test('a moment that is given up for another one leaves no gap in the curves, and no notice', async () => {
  const tab = await open('#/train?task=order&step=100', 100);
  for (const step of [101, 102, 103]) {
    const [back, one] = [tab.button('Back to step 0'), tab.button('One step')];
    back.click();
    for (let i = 0; i < 9; i++) await null; // it has been asked for, but not answered
    one.click();
    await tab.at(step);
    assert.match(tab.facts()['Learning rate'], /^0\.\d+$/);
    assert.match(tab.facts()['Gradient norm'], /^\d/);
    assert.equal(tab.text('.train-notice'), '');
  }
  await tab.close();
});

test('after an FFN alone, two links to another task, Back and forward: its heads are shown', async () => {
  const tab = await open('#/train?task=xor');
  for (const seed of [1, 2]) {
    tab.window.location.hash = `#/train?task=sort&seed=${seed}`;
    await new Promise((done) => tab.window.addEventListener('hashchange', done, { once: true }));
  }
  await tab.there('.train-heads canvas');
  for (const by of [-1, -1, 1, 1]) {
    tab.window.history.go(by);
    await new Promise((done) => tab.window.addEventListener('hashchange', done, { once: true }));
  }
  await tab.there('.train-heads canvas');
  await tab.at(0);
  assert.match(tab.address(), /task=sort&seed=2/);
  await tab.close();
});

test('the guided run: each page does what it says, with the numbers of the run in Node', async () => {
  const tab = await open('#/train');
  tab.all('#book-button')[0].click();
  const own = await nodeRun(recipeOf('reverse'));
  const includes = (/** @type {string} */ part) =>
    until(
      () => tab.text('.book-text').includes(part),
      () => `${part} in ${tab.text('.book-text')}`,
    );
  const act = async (/** @type {string} */ name, /** @type {number} */ step) => {
    await tab.press('Next →');
    await tab.press(name);
    await tab.at(step);
  };
  const check = (/** @type {typeof own} */ run) => run.checks().slice(-1)[0];
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
  const { rows } = await lookAt(own, 0);
  const right = rows.flatMap(({ answers }) => answers).filter((each) => each.right).length;
  await tab.at(0);
  await includes(`of the 64 digits in the predictions below it now gets ${right} right`);
  await act('Train to step 50', 50);
  await own.go(50);
  await includes(`After 50 steps the loss is ${own.curve(49).loss[0].toFixed(2)}`);
  await act('Train to step 150', 150);
  await own.go(150);
  await includes(`they hold ${check(own).mass.toFixed(2)} of the attention weight`);
  await act('Train to step 250', 250);
  await own.go(250);
  await includes(`${percent(check(own).sequences)} of them are right`);
  assert(check(own).sequences >= 0.99);
  assert.match(tab.text('.book-act'), /✓/);
  await act('Go to step 100', 100);
  const early = own.checks().find(({ step }) => step === 100) ?? assert.fail();
  await includes(`${percent(early.accuracy)} of the digits were right, but ${percent(early.sequences)}`);
  await act('Train without positions', 400);
  const without = await nodeRun({ ...recipeOf('reverse'), positions: 'none' });
  await without.go(400);
  await includes(`${percent(check(without).sequences)} of the held-out rows are right`);
  assert(check(without).sequences < 0.01, 'never learnt');
  await until(() => /positions=none.*guide=6/.test(tab.address()));
  await tab.press('← Back');
  await tab.press(/Go to step 100$/);
  await tab.at(100);
  assert.equal(tab.facts()['Held-out rows right'], percent(early.sequences), 'the recipe’s own run again');
  await until(() => /step=100/.test(tab.address()));
  const next = await tab.reload();
  await next.at(100);
  await next.there('#train-lesson', 'Teach it to reverse: 5 of 7'); // a link opens it
  await next.press('Close');
  assert.equal(next.all('#train-lesson:not([hidden])').length, 0);
  await next.close();
});

test('“See why it works” opens the head that attends to the solution, at its largest weight, played', async () => {
  const tab = await open('#/train?step=250', 250);
  const own = await nodeRun(recipeOf('reverse'));
  await own.go(250);
  const [{ head }] = own.checks().slice(-1);
  assert.equal(head, 'layer 1, head 1');
  const { maps } = await lookAt(own, 0);
  const row = [...maps[0].data.subarray(0, 8)];
  await tab.press('See why it works');
  const [{ name, entry, file }] = await until(() => tab.explored.length && tab.explored);
  assert.match(name, /^train\?task=reverse&step=250$/);
  const { selection, cursor, plays } = entry.opening;
  assert.deepEqual(selection, { kind: 'encoder', layer: 0, head: 0 });
  assert.deepEqual([cursor.row, cursor.key], [0, row.indexOf(Math.max(...row))]);
  assert(plays > 0 && file.length > 1000);
  assert.equal(tab.step(), 250, 'the run is as it was');
  await tab.press('Open in Explore');
  const [, shown] = await until(() => tab.explored.length > 1 && tab.explored);
  assert.deepEqual([shown.entry.opening.cursor.key, shown.entry.opening.plays], [0, undefined], 'the cell of the map');
  await tab.key('Home');
  await tab.at(0);
  assert.equal(tab.button('See why it works'), undefined, 'nothing is solved there');
  await tab.close();
});

test('numbers and sentences of the recipe are shown for the recipe alone, with any seed', async () => {
  for (const [hash, isRecipe] of /** @type {const} */ ([
    ['#/train?task=order&seed=3&step=150', true],
    ['#/train?task=order&d_ff=0&step=150', false],
  ])) {
    const tab = await open(hash, 150);
    await tab.unfold('settings');
    await tab.unfold('compare');
    await tab.there('.compare-form');
    assert.match(tab.text('.train-solved'), /99|100/);
    assert.equal(/Without positions the two orders/.test(tab.text('.train-about')), isRecipe, hash);
    assert.equal(
      /seeds 0 to 4: 99 % of the held-out rows were right within 150 steps/.test(tab.text('#train-fold-settings')),
      isRecipe,
      hash,
    );
    assert.equal(tab.all('.compare-known').length, Number(isRecipe), hash);
    assert(!/recipe’s settings/.test(tab.text('#train')), hash);
    await tab.close();
  }
});
