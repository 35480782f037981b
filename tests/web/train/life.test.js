// The life of a run: a module that breaks down, reload, other tabs, a hidden tab, divergence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { trapping } from '../browser.js';
import { createBrowser, until } from './dom.js';
import { hashInNode, nodeRun } from './node.js';

/** A worker in which calls of a function trap, and which says so. @param {string} name @param {string} when */
function breaking(name, when) {
  /** @type {number[]} */
  const traps = [];
  return {
    traps,
    code: trapping(name, `(${when}) && (globalThis.postMessage({ id: 0, trap: call }), true)`),
    onThread: (/** @type {import('node:worker_threads').Worker} */ thread) =>
      thread.on('message', ({ trap }) => trap && traps.push(trap)),
  };
}

for (const [name, call] of /** @type {const} */ ([
  ['gf_trainer_step', 38],
  ['gf_model_forward', 4],
  ['gf_model_create', 1],
  ['_initialize', 1],
]))
  test(`${name} breaks down at call ${call}: nobody notices, and the hash is the same`, async () => {
    const { traps, ...options } = breaking(name, `call === ${call}`);
    const tab = await createBrowser()('#/train?task=order&steps=60', options);
    await tab.at(0);
    await tab.press('Train');
    await tab.at(60);
    assert.equal(tab.hash(), await hashInNode('order', 60));
    assert.equal(tab.text('.train-notice'), '');
    assert.deepEqual(traps, [call]);
    await tab.close();
  });

test('after a return to an earlier step, too, it goes on from there', async () => {
  // 40 steps, back to 10, and the third step from there breaks down
  const { traps, ...options } = breaking('gf_trainer_step', 'call === 43');
  const tab = await createBrowser()('#/train?task=order&steps=40', options);
  await tab.at(0);
  await tab.press('Train');
  await tab.at(40);
  await tab.key('Home');
  await tab.at(0);
  for (const step of [1, 2, 3, 4]) {
    await tab.press('One step');
    await tab.at(step);
  }
  assert.deepEqual(traps, [43]);
  assert.equal(tab.hash(), await hashInNode('order', 4));
  await tab.close();
});

test('again and again: the page says so', async () => {
  const { traps, ...options } = breaking('gf_trainer_step', 'true');
  const tab = await createBrowser()('#/train?task=order', options);
  await tab.at(0);
  await tab.press('Train');
  await tab.there('.train-notice', /./);
  assert.deepEqual(traps, [1, 2]);
  assert.equal(
    tab.notice(),
    'The WebAssembly module broke down, and so did a fresh one: ' +
      'this browser reports “Out of bounds memory access”.',
  );
  await tab.close();
});

test('reload: #/train goes on with the run, with the bits of one that was never interrupted', async () => {
  const open = createBrowser();
  const settings = { seed: 4, steps: 60 };
  const first = await open('#/train?task=order&seed=4&steps=60');
  await first.at(0);
  await first.press('Train');
  await first.at(60);
  assert.match(first.kept(), /^Kept in this browser, on this machine only, up to step 60/);
  const tab = await first.reload('#/train');
  await tab.at(60);
  assert.equal(tab.hash(), await hashInNode('order', 60, settings));
  assert.equal(tab.value('#train-seed'), '4');
  assert.match(tab.notice(), /^This run was kept in this browser/);
  assert.match(tab.text('.train-hash'), /: 13 moments/);
  await until(() => tab.address() === '#/train?task=order&steps=60&seed=4&step=60');
  await tab.key('Home');
  await tab.at(0);
  await tab.key('ArrowRight');
  await tab.at(5); // its moments are there
  assert.equal(tab.hash(), await hashInNode('order', 5, settings));
  await tab.key('End');
  await tab.at(60);
  await tab.press('Train on');
  await tab.at(120);
  assert.equal(tab.hash(), await hashInNode('order', 120, settings));
  await tab.close();
});

test('a link to the kept run trains nothing anew; another link wins, and replaces it at its first step', async () => {
  const open = createBrowser();
  const first = await open('#/train?task=order&step=30');
  await first.at(30);
  // steps that are taken by the worker of the next page
  /** @type {number[]} */
  const steps = [];
  const second = await open('#/train?task=order&step=30', {
    code: trapping('gf_trainer_step', 'void globalThis.postMessage({ id: 0, step: call })'),
    onThread: (thread) => thread.on('message', ({ step }) => step && steps.push(step)),
  });
  await second.at(30);
  assert.deepEqual(steps, []);
  assert.equal(second.hash(), await hashInNode('order', 30));
  await second.press('One step');
  await second.at(31);
  assert.deepEqual(steps, [1], 'they would be seen');
  await second.key('ArrowLeft');
  await second.at(30);
  const third = await open('#/train?task=copy');
  await third.at(0);
  assert.equal(third.kept(), '');
  const fourth = await open('#/train');
  await fourth.at(30); // no step of copy was taken
  await third.press('One step');
  await third.at(1);
  assert.match(third.kept(), /up to step 1:/);
  const fifth = await open('#/train');
  await fifth.at(1);
  assert.equal(fifth.hash(), await hashInNode('copy', 1));
  await fourth.press('One step');
  await fourth.at(31);
  assert.match(fourth.kept(), /^Another tab now keeps its run/);
  assert.equal(fourth.hash(), await hashInNode('order', 31));
  for (const tab of [first, second, third, fourth, fifth]) await tab.close();
});

test('a reload in mid-run goes on from the kept step; the same address as a link leads to its step', async () => {
  const open = createBrowser();
  const first = await open('#/train?task=story&step=2');
  await first.at(2);
  await first.press('Train');
  await until(() => Number(/step=(\d+)/.exec(first.address())?.[1]) >= 12);
  const { history } = first.window;
  const link = '#/train?task=story&step=7';
  history.replaceState(history.state, '', link);
  history.replaceState = () => {}; // the address stays behind the run, as it does for a moment
  const from = first.step();
  await until(() => first.step() >= from + 10);
  const before = first.step();
  const tab = await first.reload();
  assert.equal(tab.address(), link);
  await tab.there('.train-kept', /./);
  assert.match(tab.notice(), /^This run was kept in this browser/);
  const back = tab.step();
  assert(back >= before - 5, `${back} of at least ${before}`);
  assert.equal(tab.hash(), await hashInNode('story', back));
  const next = await open(link);
  await next.at(7);
  await next.close();
  await tab.close();
});

test('a text of one’s own comes back with its run', async () => {
  const first = await createBrowser()('#/train?task=text');
  await first.at(0);
  const text = 'The boy was kind and the creek was deep. The creek was cold and the dog was tired. '.repeat(30);
  await first.fill('#train-text', text);
  await first.fill('.train-text select', 'characters');
  await first.press('Use this text');
  await first.there('#train-text-note', /^\d\d in the vocabulary/);
  await first.press('One step');
  await first.at(1);
  const hash = first.hash();
  await until(() => first.address() === '#/train?task=text&heldOut=unseen&step=1');
  const tab = await first.reload();
  await tab.at(1);
  assert.equal(tab.hash(), hash);
  await tab.there('#train-text');
  assert.equal(tab.value('#train-text'), text);
  await tab.close();
});

test('the run before comes back with the run that it stands beside, and goes with it', async () => {
  const first = await createBrowser()('#/train?task=order&step=30');
  await first.at(30);
  await first.fill('#train-seed', '2');
  await first.at(0);
  await first.press('One step');
  await first.at(1);
  const said = first.texts('.train-runs li');
  assert.match(said[1], /The run before: recipe; seed 1/);
  const curve = (/** @type {typeof first} */ tab) => tab.all('.train-chart .curves-line')[0]?.getAttribute('d');
  const drawn = curve(first);
  assert.match(drawn, /^M.*L/);
  await until(() => first.address() === '#/train?task=order&seed=2&step=1');
  const tab = await first.reload();
  await tab.at(1);
  await until(() => tab.all('.train-runs li').length === 2);
  assert.deepEqual(tab.texts('.train-runs li'), said);
  assert.equal(curve(tab), drawn);
  await tab.press('Delete the kept run');
  await tab.there('.train-kept', /deleted/);
  assert.equal(tab.all('.train-runs li').length, 2, 'here they are still seen');
  const last = await tab.reload();
  await last.at(1);
  assert.equal(last.all('.train-runs li').length, 0);
  await last.close();
});

test('an FFN alone comes back too', async () => {
  const first = await createBrowser()('#/train?task=xor&step=20');
  await first.at(20);
  const hash = first.hash();
  const tab = await first.reload('#/train');
  await tab.at(20);
  assert.equal(tab.hash(), hash);
  assert.match(tab.notice(), /^This run was kept/);
  await tab.close();
});

test('the kept run can be deleted', async () => {
  const open = createBrowser();
  const tab = await open('#/train?task=order&step=20');
  await tab.at(20);
  await tab.press('Delete the kept run');
  await tab.there('.train-kept', /^The kept run is deleted/);
  await tab.press('One step');
  await tab.at(21);
  const next = await open('#/train');
  await next.at(0);
  assert.equal(next.task(), 'reverse');
  await next.close();
  await tab.close();
});

test('a hidden tab trains on, and draws nothing until it is seen', async () => {
  const tab = await createBrowser()('#/train?task=order&steps=100');
  await tab.at(0);
  await wait(100); // frames
  tab.hide(true);
  let changes = 0;
  new tab.window.MutationObserver((list) => (changes += list.length)).observe(tab.document.body, {
    ...{ subtree: true, childList: true, characterData: true, attributes: true },
  });
  await tab.press('Train');
  await until(() => tab.address().endsWith('step=100')); // the address goes on
  assert.equal(changes, 0);
  tab.hide(false);
  await tab.at(100);
  assert(changes > 0, 'they are seen');
  assert.equal(tab.hash(), await hashInNode('order', 100, { steps: 100 }));
  await tab.close();
});

test('or rests meanwhile, where that is chosen, which is remembered', async () => {
  /** Which training the worker has not answered yet, and the step of the last answer. */
  const now = { training: 0, trained: 0 };
  const onThread = (/** @type {any} */ thread) => {
    const { postMessage } = thread;
    thread.postMessage = function (/** @type {any} */ message, /** @type {any} */ moved) {
      if (message.method === 'train') now.training = message.id;
      return postMessage.call(thread, message, moved);
    };
    thread.on('message', (/** @type {any} */ { id, callback, value }) => {
      if (now.training && id === now.training && callback === undefined)
        Object.assign(now, { training: 0, trained: value.step });
    });
  };
  const first = await createBrowser()('#/train?task=story', { onThread });
  await first.at(0);
  const choice = '#train-fold-keep .train-speed select';
  await first.fill(choice, 'pause');
  await first.press('Train');
  await until(() => first.step() > 2);
  first.hide(true);
  // The step under way ends, and the address names it.
  await until(() => !now.training && first.address().endsWith(`step=${now.trained}`));
  const from = now.trained;
  await wait(500);
  assert.equal(now.training, 0, 'not one more step');
  assert.match(first.address(), new RegExp(`step=${from}$`));
  first.hide(false);
  await until(() => first.step() > from);
  await first.press('Pause');
  const tab = await first.reload();
  await tab.there('.train-kept', /./);
  assert.equal(tab.value(choice), 'pause');
  await tab.close();
});

test('a loss far over its start is said, and since when; it goes on from before with a smaller rate', async () => {
  const changes = { norm: 'none', learningRate: 0.2, warmup: 60, steps: 60 };
  const first = await createBrowser()('#/train?task=order&norm=none&learningRate=0.2&warmup=60&steps=60');
  await first.at(0);
  await first.press('Train');
  await first.at(60);
  const own = await nodeRun({ ...recipeOf('order'), ...changes }, 'order');
  await own.go(60);
  const { loss } = own.curve(0);
  const isFar = (/** @type {number} */ step) =>
    loss.slice(step - 20, step).reduce((sum, each) => sum + each) / 20 > 3 * loss[0];
  let since = 60;
  assert(isFar(since) && loss[0] > Math.log(own.task.vocabulary.size));
  while (since > 20 && isFar(since - 1)) since--;
  const mean = (/** @type {number} */ step) =>
    loss.slice(Math.max(0, step - 20), step).reduce((sum, each) => sum + each, 0) / Math.min(20, step);
  const back = own
    .moments()
    .steps.filter((step) => step && mean(step) <= loss[0])
    .pop();
  assert(back, 'it fell before it grew');
  const offer = `Go back to step ${back} and use a learning rate of 0.02`;
  assert.equal(
    first.text('.train-trouble'),
    `The loss diverges: since step ${since} its mean over 20 steps is more than 3 times what it was at the start, ` +
      `${loss[0].toFixed(2)}. The learning rate of 0.2 may be too high. ${offer}`,
  );
  await first.press(offer);
  await first.at(back);
  assert.equal(first.value('#train-learningRate'), '0.02');
  assert.equal(first.all('.train-trouble').length, 0);
  await first.press('Train');
  await first.at(60);
  await own.go(back);
  await own.change({ learningRate: 0.02 });
  await own.go(60);
  const hash = await hashOf(own.model);
  assert.equal(first.hash(), hash);
  const second = await first.reload('#/train');
  await second.at(60);
  assert.equal(second.hash(), hash, 'the change is kept too');
  const third = await second.reload(); // its own address
  await third.at(60);
  assert.equal(third.hash(), hash);
  await third.close();
});

test('a link whose settings the engine refuses says so, and shows the recipe', async () => {
  const tab = await createBrowser()('#/train?task=story&steps=100&step=3'); // its warm-up takes 150
  await tab.at(0);
  assert.match(
    tab.notice(),
    /^The settings of this link do not work: Steps schedule cosine needs more than warmup = 150, not 100\. The recipe/,
  );
  assert.equal(tab.value('#train-steps'), '1000');
  await tab.close();
});
