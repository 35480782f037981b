// The life of a run in Chromium: a module that breaks down, reload and crash, storage, a hidden tab, divergence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { beforeWorker, trapping, useBrowser } from '../browser.js';
import { at, nodeRun, openAt, press, seen } from './watch.js';

const tools = useBrowser();
const SCRIPT = '**/trainer-first-*.js';
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

/** The hash of a run in Node. @param {string} task @param {number} step @param {object} [changes] of its recipe */
async function hashInNode(task, step, changes = {}) {
  const own = await nodeRun({ ...recipeOf(task), ...changes }, task);
  await own.go(step);
  return hashOf(own.model);
}

for (const [name, call] of /** @type {const} */ ([
  ['gf_trainer_step', 38],
  ['gf_model_forward', 40],
  ['gf_model_create', 1],
  ['_initialize', 1],
]))
  test(`${name} breaks down at call ${call}: nobody notices, and the hash is the same`, async () => {
    const setUp = beforeWorker(trapping(name, `call === ${call}`), SCRIPT);
    const page = await open('#/train?task=order&steps=60', { setUp });
    await at(page, 0);
    await press(page, 'Train');
    await at(page, 60);
    assert.equal((await seen(page)).hash, await hashInNode('order', 60));
    assert.equal(await page.locator('.train-notice').innerText(), '');
    await tools.close(page);
  });

test('after a return to an earlier step, too, it goes on from there', async () => {
  // 40 steps, back to 10, and the third step from there breaks down
  const page = await open('#/train?task=order&steps=40', {
    setUp: beforeWorker(trapping('gf_trainer_step', 'call === 43'), SCRIPT),
  });
  await at(page, 0);
  await press(page, 'Train');
  await at(page, 40);
  await page.locator('#train-moment').focus();
  await page.keyboard.press('Home');
  await at(page, 0);
  for (const step of [1, 2, 3, 4]) {
    await press(page, 'One step');
    await at(page, step);
  }
  assert.equal((await seen(page)).hash, await hashInNode('order', 4));
  await tools.close(page);
});

test('again and again: the page says so', async () => {
  const page = await open('#/train?task=order', { setUp: beforeWorker(trapping('gf_trainer_step', 'true'), SCRIPT) });
  await at(page, 0);
  await press(page, 'Train');
  await page.waitForFunction(() => document.querySelector('.train-notice')?.textContent);
  assert.equal(
    await page.locator('.train-notice').innerText(),
    'The WebAssembly module broke down, and so did a fresh one: ' +
      'this browser reports “Out of bounds memory access”.',
  );
  await tools.close(page);
});

/** What is said of the kept run. @param {Page} page */
const kept = async (page) => ((await page.locator('.train-kept').textContent()) ?? '').replace(/\s+/g, ' ').trim();

/** Opens a new page in the same browser. @param {Page} page @param {string} hash */
async function again(page, hash) {
  const next = await page.context().newPage();
  await next.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  await next.goto(`${tools.url}${hash}`);
  return next;
}
/** The number of steps that are shown while it trains. @param {Page} page */
const shown = (page) =>
  page.evaluate(() => Number(document.querySelector('.train-step strong')?.textContent?.replace(',', '')));

test('reload: #/train goes on with the run, with the bits of one that was never interrupted', async () => {
  const page = await open('#/train?task=order&seed=4&steps=60');
  await at(page, 0);
  await press(page, 'Train');
  await at(page, 60);
  assert.match(await kept(page), /^Kept in this browser, on this machine only, up to step 60/);
  await page.locator('#train-steps').evaluate(() => history.replaceState(null, '', '#/train'));
  await page.reload();
  await at(page, 60);
  assert.equal((await seen(page)).hash, await hashInNode('order', 60, { seed: 4, steps: 60 }));
  assert.equal(await page.locator('#train-seed').inputValue(), '4');
  assert.match(await page.locator('.train-notice').innerText(), /^This run was kept in this browser/);
  assert.match(await page.locator('.train-hash').textContent(), /:\s+13 moments/);
  await page.waitForFunction(() => location.hash === '#/train?task=order&steps=60&seed=4&step=60');
  await page.locator('#train-moment').focus();
  await page.keyboard.press('Home');
  await at(page, 0);
  await page.keyboard.press('ArrowRight');
  await at(page, 5); // its moments are there
  assert.equal((await seen(page)).hash, await hashInNode('order', 5, { seed: 4, steps: 60 }));
  await page.keyboard.press('End');
  await at(page, 60);
  await press(page, 'Train on');
  await at(page, 120);
  assert.equal((await seen(page)).hash, await hashInNode('order', 120, { seed: 4, steps: 60 }));
  await tools.close(page);
});

test('a link to the kept run trains nothing anew; another link wins, and replaces it at its first step', async () => {
  const page = await open('#/train?task=order&step=30');
  await at(page, 30);
  // steps that are taken by the worker of the next pages
  const count = (/** @type {Page} */ to) =>
    beforeWorker(trapping('gf_trainer_step', 'console.warn("step"), false'), SCRIPT)(to);
  /** @type {string[]} */
  const said = [];
  const second = await page.context().newPage();
  second.on('console', (message) => said.push(message.text()));
  await second.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  await count(second);
  await second.goto(`${tools.url}#/train?task=order&step=30`);
  await at(second, 30);
  assert.deepEqual(said, []);
  assert.equal((await seen(second)).hash, await hashInNode('order', 30));
  const third = await again(page, '#/train?task=copy');
  await at(third, 0);
  assert.equal(await third.locator('.train-kept').count(), 0);
  const fourth = await again(page, '#/train');
  await at(fourth, 30); // no step of copy was taken
  await press(third, 'One step');
  await at(third, 1);
  assert.match(await kept(third), /up to step 1:/);
  const fifth = await again(page, '#/train');
  await at(fifth, 1);
  assert.equal((await seen(fifth)).hash, await hashInNode('copy', 1));
  await press(fourth, 'One step');
  await at(fourth, 31);
  assert.match(await kept(fourth), /^Another tab now keeps its run/);
  assert.equal((await seen(fourth)).hash, await hashInNode('order', 31));
  await tools.close(page);
});

test('a reload in mid-run goes on from the kept step; the same address as a link leads to its step', async () => {
  const page = await open('#/train?task=story&step=2');
  await at(page, 2);
  await press(page, 'Train');
  await page.waitForFunction(() => Number(/step=(\d+)/.exec(location.hash)?.[1]) >= 12);
  const { url, step } = await page.evaluate(() => {
    const set = history.replaceState.bind(history);
    history.replaceState = () => {}; // the address stays behind the run, as it does for a moment
    set(history.state, '', '#/train?task=story&step=7');
    return { url: location.href, step: Number(document.querySelector('.train-step strong')?.textContent) };
  });
  await page.waitForFunction(
    (from) => Number(document.querySelector('.train-step strong')?.textContent) >= from + 10,
    step,
  );
  const before = await shown(page);
  await page.reload();
  await page.locator('.train-kept').waitFor({ state: 'attached' });
  assert.match(await page.locator('.train-notice').innerText(), /^This run was kept in this browser/);
  const back = await shown(page);
  assert(back >= before - 5, `${back} of at least ${before}`);
  assert.equal((await seen(page)).hash, await hashInNode('story', back));
  const next = await again(page, url.slice(url.indexOf('#')));
  await at(next, 7);
  await next.context().close();
});

test('crash: at most one interval of steps is lost', async () => {
  const page = await open('#/train?task=story');
  await at(page, 0);
  await press(page, 'Train');
  await page.waitForFunction(() => Number(document.querySelector('.train-step strong')?.textContent) >= 12);
  const next = await page.context().newPage();
  const [step] = await Promise.all([shown(page), page.close()]);
  await next.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  await next.goto(`${tools.url}#/train`);
  await next.locator('.train-kept').waitFor({ state: 'attached' });
  const back = await shown(next);
  assert(back >= step - 5, `${back} of at least ${step}`);
  assert.equal((await seen(next)).hash, await hashInNode('story', back));
  await next.context().close();
});

test('a slow drag of the slider never goes back, and ends at a kept moment', async () => {
  const page = await open('#/train?task=order&step=100');
  await at(page, 100);
  await page.evaluate(() => {
    const seen = /** @type {any} */ (globalThis);
    const step = /** @type {Element} */ (document.querySelector('.train-step strong'));
    const note = () => seen.steps.at(-1) !== Number(step.textContent) && seen.steps.push(Number(step.textContent));
    seen.steps = [];
    new MutationObserver(note).observe(step, { childList: true, subtree: true, characterData: true });
  });
  const slider = page.locator('#train-moment');
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = /** @type {any} */ (await slider.boundingBox());
  const place = (/** @type {number} */ step) => x + 8 + ((width - 16) * step) / 200; // of all steps to come
  await page.mouse.move(place(60), y + height / 2);
  await page.mouse.down();
  const value = () => slider.evaluate((/** @type {any} */ input) => Number(input.value));
  for (let step = 60; step <= 73; step++) {
    await page.mouse.move(place(step), y + height / 2);
    const moment = 5 * Math.round(step / 5);
    await page.waitForFunction(
      (to) => Number(document.querySelector('.train-step strong')?.textContent) === to,
      moment,
    );
    assert.ok(Math.abs((await value()) - step) <= 1, `${await value()} where the pointer is at ${step}`);
  }
  await page.mouse.up();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#train-moment')).value === '75');
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).steps), [60, 65, 70, 75]);
  await slider.press('ArrowRight');
  await at(page, 80);
  await tools.close(page);
});

test('a text of one’s own comes back with its run', async () => {
  const page = await open('#/train?task=text');
  await at(page, 0);
  const text = 'The boy was kind and the creek was deep. The creek was cold and the dog was tired. '.repeat(30);
  await page.getByLabel('Your text').fill(text);
  await page.locator('.train-text select').selectOption('characters');
  await press(page, 'Use this text');
  await page.waitForFunction(() =>
    /^\d\d in the vocabulary/.test(document.querySelector('#train-text-note')?.textContent?.trim() ?? ''),
  );
  await press(page, 'One step');
  await at(page, 1);
  const { hash } = await seen(page);
  await page.waitForFunction(() => location.hash === '#/train?task=text&heldOut=unseen&step=1');
  await page.reload();
  await at(page, 1);
  assert.equal((await seen(page)).hash, hash);
  assert.equal(await page.getByLabel('Your text').inputValue(), text);
  await tools.close(page);
});

test('the run before comes back with the run that it stands beside, and goes with it', async () => {
  const page = await open('#/train?task=order&step=30');
  await at(page, 30);
  await page.locator('#train-seed').fill('2');
  await page.locator('#train-seed').press('Enter');
  await at(page, 0);
  await press(page, 'One step');
  await at(page, 1);
  const lines = page.locator('.train-runs li');
  const said = await lines.allInnerTexts();
  assert.match(said[1], /The run before: recipe; seed 1/);
  const curves = page.locator('.train-chart').first().locator('.curves-line');
  const drawn = await curves.first().getAttribute('d');
  await page.waitForFunction(() => location.hash === '#/train?task=order&seed=2&step=1');
  await page.reload();
  await at(page, 1);
  assert.deepEqual(await lines.allInnerTexts(), said);
  assert.equal(await curves.first().getAttribute('d'), drawn);
  await press(page, 'Delete the kept run');
  await page.waitForFunction(() => /deleted/.test(document.querySelector('.train-kept')?.textContent ?? ''));
  assert.equal(await lines.count(), 2, 'here they are still seen');
  await page.reload();
  await at(page, 1);
  assert.equal(await lines.count(), 0);
  await tools.close(page);
});

test('an FFN alone comes back too', async () => {
  const page = await open('#/train?task=xor&step=20');
  await at(page, 20);
  const { hash } = await seen(page);
  await page.evaluate(() => history.replaceState(null, '', '#/train'));
  await page.reload();
  await at(page, 20);
  assert.equal((await seen(page)).hash, hash);
  assert.match(await page.locator('.train-notice').innerText(), /^This run was kept/);
  await tools.close(page);
});

test('the kept run can be deleted', async () => {
  const page = await open('#/train?task=order&step=20');
  await at(page, 20);
  await press(page, 'Delete the kept run');
  await page.waitForFunction(() =>
    /^\s*The kept run is deleted/.test(document.querySelector('.train-kept')?.textContent ?? ''),
  );
  await press(page, 'One step');
  await at(page, 21);
  const next = await again(page, '#/train');
  await at(next, 0);
  assert.equal(await next.getByRole('radio', { name: 'Reverse', exact: true }).isChecked(), true);
  await tools.close(page);
});

const REFUSED = /^This browser refuses storage here/;
for (const [what, code, said] of /** @type {[string, string, RegExp][]} */ ([
  ['indexedDB is not there', 'Object.defineProperty(globalThis, "indexedDB", { value: undefined })', REFUSED],
  [
    'indexedDB may not be read',
    'Object.defineProperty(globalThis, "indexedDB", { get() { throw new DOMException("", "SecurityError") } })',
    REFUSED,
  ],
  ['open throws', 'IDBFactory.prototype.open = () => { throw new DOMException("", "SecurityError") }', REFUSED],
  [
    'open fails',
    `IDBFactory.prototype.open = () => {
      const request = {};
      setTimeout(() => {
        request.error = new DOMException('', 'InvalidStateError');
        request.onerror({});
      });
      return request;
    }`,
    REFUSED,
  ],
  ['open does not answer', 'IDBFactory.prototype.open = () => ({})', REFUSED],
  [
    'a request is not answered',
    'IDBObjectStore.prototype.get = () => ({}); IDBObjectStore.prototype.put = () => {}',
    REFUSED,
  ],
  ['put throws', 'IDBObjectStore.prototype.put = () => { throw new DOMException("", "DataCloneError") }', REFUSED],
  [
    'the quota is used up',
    'IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError") }',
    /^The browser’s storage is full/,
  ],
]))
  test(`${what}: it is said in a sentence, and the run goes on`, async () => {
    const page = await open('#/train?task=order&steps=20', { setUp: (to) => to.addInitScript(code) });
    await at(page, 0);
    await press(page, 'Train');
    await at(page, 20);
    assert.match(await kept(page), said);
    assert.equal((await seen(page)).hash, await hashInNode('order', 20, { steps: 20 }));
    assert.equal(await page.getByRole('button', { name: 'Delete the kept run' }).count(), 0);
    await tools.close(page);
  });

for (const name of ['put', 'get'])
  test(`a page that is left while it stores and comes back keeps all of it: ${name}`, async () => {
    const code = `{
      const { ${name}: own } = IDBObjectStore.prototype;
      let calls = 0;
      IDBObjectStore.prototype.${name} = function (...all) {
        if (++calls === 5) queueMicrotask(() => dispatchEvent(new Event('pagehide')));
        return own.apply(this, all);
      };
      addEventListener('pagehide', () => (self.isLeft = true));
    }`;
    const page = await open('#/train?task=order&steps=20', { setUp: (to) => to.addInitScript(code) });
    await at(page, 0);
    await press(page, 'Train');
    await at(page, 20);
    assert.equal(await page.evaluate(() => Reflect.get(self, 'isLeft')), true);
    assert.match(await kept(page), /up to step 20: /);
    await page.waitForFunction(() => location.hash.endsWith('&step=20'));
    await page.reload();
    await at(page, 20);
    assert.equal((await seen(page)).hash, await hashInNode('order', 20, { steps: 20 }));
    await tools.close(page);
  });

test('storage that fills up on the way keeps what it has', async () => {
  // at the moment of step 10, the third that is put
  const code = `{
    const { put } = IDBObjectStore.prototype;
    let moments = 0;
    IDBObjectStore.prototype.put = function (value, key) {
      if (typeof key === 'number' && ++moments > 2) throw new DOMException('', 'QuotaExceededError');
      return put.call(this, value, key);
    };
  }`;
  const page = await open('#/train?task=order&steps=20', { setUp: (to) => to.addInitScript(code) });
  await at(page, 0);
  await press(page, 'Train');
  await at(page, 20);
  assert.match(await kept(page), /up to step 5: .*The browser’s storage is full/);
  assert.equal((await seen(page)).hash, await hashInNode('order', 20, { steps: 20 }));
  const next = await again(page, '#/train');
  await at(next, 5);
  assert.equal((await seen(next)).hash, await hashInNode('order', 5, { steps: 20 }));
  await tools.close(page);
});

test('so does the browser’s own quota', async () => {
  const page = await open('#/train?task=order&steps=60', {
    async setUp(/** @type {Page} */ to) {
      const devtools = await to.context().newCDPSession(to);
      const { origin } = new URL(tools.url);
      await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1e6 }); // some eight moments
    },
  });
  await at(page, 0);
  await press(page, 'Train');
  await at(page, 60);
  const [, step] = /up to step (\d+): .*The browser’s storage is full/.exec(await kept(page)) ?? [];
  assert(Number(step) >= 5 && Number(step) < 60, step);
  assert.equal((await seen(page)).hash, await hashInNode('order', 60, { steps: 60 }));
  const next = await again(page, '#/train');
  await at(next, Number(step));
  assert.equal((await seen(next)).hash, await hashInNode('order', Number(step), { steps: 60 }));
  await tools.close(page);
});

/** Says that the tab is hidden, or not. @param {Page} page @param {boolean} hidden */
const hide = (page, hidden) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    Object.defineProperty(document, 'visibilityState', { value: value ? 'hidden' : 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

/** Waits until the page has changed nothing for a while: what it fetches late has come. @param {Page} page */
const settled = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        let timer = setTimeout(resolve, 400);
        new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(resolve, 400);
        }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      }),
  );

/** Notes which training the worker has not answered yet, and the step of the last answer. @param {Page} page */
const watchTraining = (page) =>
  page.addInitScript(() => {
    Object.assign(globalThis, { training: 0, trained: 0 });
    globalThis.Worker = class extends Worker {
      constructor(/** @type {[any, any]} */ ...given) {
        super(...given);
        this.addEventListener('message', ({ data }) => {
          if (!globalThis.training || data.id !== globalThis.training || data.callback !== undefined) return;
          Object.assign(globalThis, { training: 0, trained: data.value.step });
        });
      }
      postMessage(/** @type {any} */ message, /** @type {any} */ moved) {
        if (message.method === 'train') globalThis.training = message.id;
        super.postMessage(message, moved);
      }
    };
  });

test('a hidden tab trains on, and draws nothing until it is seen', async () => {
  const page = await open('#/train?task=order&steps=100');
  await at(page, 0);
  await settled(page);
  await hide(page, true);
  await page.evaluate(() => {
    globalThis.changes = 0;
    new MutationObserver((list) => (globalThis.changes += list.length)).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });
  await press(page, 'Train');
  await page.waitForFunction(() => location.hash.endsWith('step=100')); // the address goes on
  assert.equal(await page.evaluate(() => globalThis.changes), 0);
  await hide(page, false);
  await at(page, 100);
  assert.equal((await seen(page)).hash, await hashInNode('order', 100, { steps: 100 }));
  await tools.close(page);
});

test('or rests meanwhile, where that is chosen, which is remembered', async () => {
  const page = await open('#/train?task=story', { setUp: watchTraining });
  await at(page, 0);
  await page.locator('.train-keep-menu > summary').click();
  await page.getByLabel('When the tab is hidden').selectOption('pause');
  await press(page, 'Train');
  await page.waitForFunction(() => Number(document.querySelector('.train-step strong')?.textContent) > 2);
  await hide(page, true);
  // The step under way ends, and the address names it.
  await page.waitForFunction(() => !globalThis.training && location.hash.endsWith(`step=${globalThis.trained}`));
  const from = await page.evaluate(() => globalThis.trained);
  await settled(page);
  assert.equal(await page.evaluate(() => globalThis.training), 0, 'not one more step');
  assert.match(await page.evaluate(() => location.hash), new RegExp(`step=${from}$`));
  await hide(page, false);
  await page.waitForFunction((step) => Number(document.querySelector('.train-step strong')?.textContent) > step, from);
  await press(page, 'Pause');
  await page.reload();
  await page.locator('.train-kept').waitFor({ state: 'attached' });
  assert.equal(await page.getByLabel('When the tab is hidden').inputValue(), 'pause');
  await tools.close(page);
});

test('a loss far over its start is said, and since when; it goes on from before with a smaller rate', async () => {
  const changes = { norm: 'none', learningRate: 0.2, warmup: 60, steps: 60 };
  const page = await open('#/train?task=order&norm=none&learningRate=0.2&warmup=60&steps=60');
  await at(page, 0);
  await press(page, 'Train');
  await at(page, 60);
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
  const said = (await page.locator('.train-trouble').innerText()).replace(/\s+/g, ' ');
  assert.equal(
    said,
    `The loss diverges: since step ${since} its mean over 20 steps is more than 3 times what it was at the start, ` +
      `${loss[0].toFixed(2)}. The learning rate of 0.2 may be too high. ${offer}`,
  );
  await press(page, offer);
  await at(page, back);
  assert.equal(await page.locator('#train-learningRate').inputValue(), '0.02');
  assert.equal(await page.locator('.train-trouble').count(), 0);
  await press(page, 'Train');
  await at(page, 60);
  await own.go(back);
  await own.change({ learningRate: 0.02 });
  await own.go(60);
  const hash = await hashOf(own.model);
  assert.equal((await seen(page)).hash, hash);
  await page.evaluate(() => history.replaceState(null, '', '#/train'));
  await page.reload();
  await at(page, 60);
  assert.equal((await seen(page)).hash, hash, 'the change is kept too');
  await page.reload(); // its own address
  await at(page, 60);
  assert.equal((await seen(page)).hash, hash);
  await tools.close(page);
});

test('a link whose settings the engine refuses says so, and shows the recipe', async () => {
  const page = await open('#/train?task=story&steps=100&step=3'); // its warm-up takes 150
  await at(page, 0);
  assert.match(
    await page.locator('.train-notice').innerText(),
    /^The settings of this link do not work: Steps schedule cosine needs more than warmup = 150, not 100\. The recipe/,
  );
  assert.equal(await page.locator('#train-steps').inputValue(), '1000');
  await tools.close(page);
});
