// The place Train in Chromium, on real runs: Node's numbers, moments, links, wrong values, for everybody.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { hashOf, lookAt } from '../../../web/train/run/look.js';
import { recipeOf, setText } from '../../../web/train/run/recipes.js';
import { readout, useBrowser } from '../browser.js';
import { assertAccessible, at, chooseTask, nodeRun, openAt, press, seen } from './watch.js';

const tools = useBrowser();

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

test('reverse is learnt in the page as in Node: loss, accuracy, answers, hash; a return and a branch', async () => {
  const page = await open('#/train');
  await at(page, 0);
  const untrained = await seen(page);
  assert(untrained.wrong > 40, String(untrained.wrong)); // of 64
  await page.getByLabel('Steps', { exact: true }).fill('200');
  await page.getByLabel('Steps', { exact: true }).press('Enter');
  await at(page, 0);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await at(page, 200);
  const own = await nodeRun({ ...recipeOf('reverse'), steps: 200 });
  await own.go(200);
  const look = await lookAt(own, 0);
  const shown = await seen(page);
  assert.equal(shown.hash, look.hash);
  assert.equal(shown.facts['Loss of the last batch'], own.curve(199).loss[0].toFixed(4));
  assert.equal(shown.facts['Held-out rows right'], `${(100 * own.checks().slice(-1)[0].sequences).toFixed(1)} %`);
  assert(own.checks().slice(-1)[0].sequences >= 0.99);
  assert.deepEqual(
    shown.answers,
    look.rows.flatMap(({ answers }) => answers.map(({ got }) => got)),
  );
  assert.match(await page.locator('.train-solved').innerText(), /right at step 175/);
  const cell = await readout(page, '.train-map');
  assert.equal(cell.value, look.maps[0].data[0].toFixed(4));

  await page.locator('#train-moment').focus();
  await page.keyboard.press('Home');
  await at(page, 0);
  assert.deepEqual((await seen(page)).answers, untrained.answers);
  assert.equal((await seen(page)).hash, untrained.hash);
  await page.keyboard.press('ArrowRight');
  await at(page, 5); // the next moment that is kept
  await page.getByRole('button', { name: 'One step' }).click();
  await at(page, 6);
  await own.go(6);
  assert.equal((await seen(page)).hash, await hashOf(own.model));
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await at(page, 200);
  assert.equal((await seen(page)).hash, look.hash, 'the same way once more');
  await page.waitForFunction(() => location.hash.endsWith('steps=200&step=200'));
  await tools.close(page);
});

test('a link restores task, settings, seed and step; Back leads to the former task', async () => {
  const settings = { ...recipeOf('order'), positions: 'none', batch: 16, seed: 3 };
  const page = await open('#/train?task=order&positions=none&batch=16&seed=3&step=40&colour=red');
  await at(page, 40);
  const own = await nodeRun(settings, 'order');
  await own.go(40);
  assert.equal((await seen(page)).hash, await hashOf(own.model));
  assert.equal(await page.locator('#train-positions').inputValue(), 'none');
  await chooseTask(page, 'Copy');
  await at(page, 0);
  await page.waitForFunction(() => location.hash === '#/train?task=copy');
  await page.goBack();
  await at(page, 40);
  assert.equal(await page.getByRole('radio', { name: 'Order' }).isChecked(), true);
  assert.equal((await seen(page)).hash, await hashOf(own.model));
  await tools.close(page);
});

test('a wrong value is explained at its field, by page and engine, and leaves the run alone', async () => {
  const page = await open('#/train?task=copy&step=10');
  await at(page, 10);
  const before = (await seen(page)).hash;
  assert.equal(await page.locator('.train-map .map-columns bdi').count(), 8, 'each column has its label');
  const heads = page.locator('#train-heads');
  for (const [text, reason] of [
    ['3', 'Heads: must divide d_model = 32, not 3; the recipe has 1.'],
    ['', 'Heads: must be an integer from 1 to 8, not empty; the recipe has 1.'],
    ['1.5', 'Heads: must be an integer from 1 to 8, not 1.5; the recipe has 1.'],
  ]) {
    await heads.fill(text);
    await heads.press('Enter');
    await page.locator('#train-heads-problem').waitFor();
    assert.equal(await page.locator('#train-heads-problem').innerText(), reason);
    assert.equal(await heads.getAttribute('aria-invalid'), 'true');
    assert.equal((await seen(page)).hash, before);
  }
  await heads.fill('2');
  await heads.press('Enter');
  await at(page, 0);
  assert.equal(await page.locator('.error').count(), 0);
  assert.equal(await page.locator('.train-grid .head').count(), 2);
  await tools.close(page);
});

test('a step that is not finite stops the run and says where; it goes on with a smaller rate', async () => {
  const page = await open('#/train?task=reverse&norm=none&learningRate=1000&warmup=0&optimizer=sgd&clip=0');
  await at(page, 0);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  const message = page.locator('.train-controls .error');
  await message.waitFor();
  assert.match(await message.innerText(), /^Step \d+ was not taken: [\w.]+( \(layer \d\))? is not finite/);
  assert.doesNotMatch(await page.locator('.train-facts').innerText(), /\d{8}/, 'a large loss is a power of ten');
  await page.getByRole('button', { name: 'learning rate of 100' }).click();
  await message.waitFor({ state: 'detached' });
  assert.equal(await page.locator('#train-learningRate').inputValue(), '100');
  assert.equal(await message.count(), 0);
  await tools.close(page);
});

test('the run before a setting that restarts stays beside the new one; both can be saved', async () => {
  const page = await open('#/train?task=order&steps=50&seed=2');
  await at(page, 0);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await at(page, 50);
  await page.locator('#train-positions').selectOption('none');
  await at(page, 0);
  assert.equal(await page.locator('.train-runs li').count(), 2);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await at(page, 50);
  const recipe = recipeOf('order');
  const [kept, twin] = [
    { ...recipe, steps: 50, seed: 2 },
    { ...recipe, steps: 50, seed: 2, positions: 'none' },
  ];
  const lines = await page.locator('.train-runs li').allInnerTexts();
  const share = async (/** @type {typeof recipe} */ settings) => {
    const own = await nodeRun(settings, 'order');
    await own.go(50);
    return own;
  };
  const best = Math.max(...(await share(kept)).checks().map(({ sequences }) => sequences));
  assert(best < 0.99); // else the line names the step
  assert.match(
    lines[1],
    new RegExp(`^\\s*The run before: Steps: 50; seed 2 – best ${(100 * best).toFixed(1)} %, after 50 steps`),
  );
  assert.match(lines[0], /This run: Positions: None, Steps: 50; seed 2 – best \d\d\.\d %/);
  assert.equal((await seen(page)).hash, await hashOf((await share(twin)).model));
  const [loss] = await page.locator('.train-chart').all();
  assert.equal(await loss.locator('.curves-line').count(), 3); // the kept one, this one, its held-out loss

  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Save the run')]);
  assert.equal(file.suggestedFilename(), 'order-50.safetensors');
  const { model, trainer } = await tools.gf.loadModel(readFileSync(await file.path()));
  assert.equal(trainer.steps, 50);
  assert.equal(await hashOf(model), (await seen(page)).hash, 'saved and opened in Node');

  await page.locator('.train-rate').getByText('Save').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.train-rate').getByRole('button', { name: 'CSV' }).click(),
  ]);
  const saved = readFileSync(await download.path(), 'utf8');
  assert.match(saved, /step 50/);
  await page.getByRole('button', { name: 'Compare over seeds' }).click();
  const before = page.locator('.compare-form').getByLabel('Positions: Sinusoidal', { exact: true });
  assert.equal(await before.first().isChecked(), true, 'the run before is chosen');
  await tools.close(page);
});

test('a text that repeats itself says so beside its result; another one says what is held out', async () => {
  const page = await open('#/train?task=text&heldOut=unseen&step=200');
  const said =
    'This text repeats itself: 100 % of the phrases of 5 tokens held out (the last tenth, 48 tokens) are also';
  await at(page, 200);
  await page.locator('.train-split', { hasText: said }).waitFor();
  await page.locator('.train-about', { hasText: said }).waitFor();
  assert.doesNotMatch(await page.locator('.train-solved').innerText(), /✓/);
  await page.getByLabel('Your text').fill(readFileSync(new URL('../../tasks/gpl.txt', import.meta.url), 'utf8'));
  await page.getByRole('button', { name: 'Use this text' }).click();
  const held = 'Held out: 627 tokens of 6,217. None of their phrases of 5 tokens is trained on.';
  await page.locator('.train-split', { hasText: held }).waitFor();
  await page.locator('#train-heldOut').selectOption('end');
  const last = 'Held out: the last tenth, 622 tokens. 2 % of its phrases of 5 tokens are also trained on.';
  await page.locator('.train-split', { hasText: last }).waitFor();
  await page.waitForFunction(() => location.hash === '#/train?task=text');
  await tools.close(page);
});

test('what is typed in the box of the text stays there while the run goes on', async () => {
  const page = await open('#/train?task=text');
  await at(page, 0);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  const shows = (/** @type {number} */ least) =>
    page.waitForFunction((from) => Number(document.querySelector('.train-step strong')?.textContent) > from, least);
  await shows(0);
  const box = page.getByLabel('Your text');
  await box.fill('half a sentence');
  await shows(await page.locator('.train-step strong').evaluate((step) => Number(step.textContent)));
  assert.equal(await box.inputValue(), 'half a sentence');
  assert.ok(/** @type {any} */ (await box.boundingBox()).height > 100, 'six rows of it are seen');
  await tools.close(page);
});

test('a text of one’s own: a short one is repeated; a longer one trains as in Node, and goes on', async () => {
  const page = await open('#/train?task=text');
  await at(page, 0);
  const box = page.getByLabel('Your text');
  const use = page.getByRole('button', { name: 'Use this text' });
  await box.fill('too short');
  await use.click();
  await page
    .locator('.train-split', { hasText: '2 tokens are too few to train on, so they are repeated 165 times.' })
    .waitFor();
  assert.equal(await page.locator('#train-shown-title').innerText(), 'A held-out row');
  assert.equal(await page.locator('#train-held-title').innerText(), 'Held-out rows');
  const text = 'The creek was cold and the dog was tired. The boy was kind and the creek was deep. '.repeat(30);
  await box.fill(text);
  await page.locator('.train-text select').selectOption('characters');
  await use.click();
  const words = `${new Set(text).size} in the vocabulary`;
  await page.waitForFunction((line) => document.querySelector('#train-text-note')?.textContent?.includes(line), words);
  await at(page, 0);
  for (let i = 0; i < 3; i++) {
    await page.getByRole('button', { name: 'One step' }).click();
    await at(page, i + 1);
  }
  setText(text, 'characters');
  const own = await nodeRun(recipeOf('text'), 'text');
  await own.go(3);
  await press(page, 'Copy link');
  await page.locator('.train-notice').filter({ hasText: 'It does not carry your text.' }).waitFor();
  const { hash, written } = await lookAt(own, 0);
  assert.equal((await seen(page)).hash, hash);
  assert(written);
  assert.equal(await page.locator('.train-written bdi').last().textContent(), written.text);
  assert.equal(written.text.length, 40);
  assert.equal((await seen(page)).facts['Held-out loss'], own.checks()[0].loss.toFixed(4));

  const file = (/** @type {string} */ name, /** @type {Buffer} */ buffer) =>
    page.getByLabel('Open a text file…').setInputFiles({ name, mimeType: 'text/plain', buffer });
  await file('other.txt', Buffer.from(text.replaceAll('creek', 'pond')));
  await page.waitForFunction(() => /pond/.test(/** @type {any} */ (document.querySelector('#train-text')).value));
  await at(page, 0);
  await page.getByRole('button', { name: 'One step' }).click();
  await at(page, 1);
  const { hash: trained } = await seen(page);
  await file('picture.png', Buffer.concat([Buffer.from(text), Buffer.alloc(8)]));
  await page.locator('#train-text-note .error', { hasText: 'picture.png: must be text' }).waitFor();
  assert.equal((await seen(page)).hash, trained, 'the run stays');
  assert.match(await box.inputValue(), /pond/, 'and the text');
  await file('long.txt', Buffer.from('a '.repeat(1_000_001)));
  await page.locator('#train-text-note .error', { hasText: 'long.txt: must have at most 2,000,000 bytes' }).waitFor();
  await tools.close(page);
});

test('a text in the box is what Train trains on: used first, and refused without a step on another', async () => {
  const page = await open('#/train?task=text');
  await at(page, 0);
  const box = page.getByLabel('Your text');
  const note = page.locator('#train-text-note');
  const step = page.getByRole('button', { name: 'One step' });
  const mine = 'The quick brown fox jumps over the lazy dog.';
  await box.fill(mine);
  await note.filter({ hasText: 'This text is not trained on yet' }).waitFor();
  await step.click();
  await at(page, 1);
  assert.match(await page.locator('.train-split').innerText(), /^10 tokens are too few .* repeated 33 times/);
  setText(mine, 'words');
  const own = await nodeRun(recipeOf('text'), 'text');
  await own.go(1);
  const { hash } = await lookAt(own, 0);
  assert.equal((await seen(page)).hash, hash, 'Node’s run with this text');

  for (const [bad, why] of /** @type {[string, RegExp][]} */ ([
    ['cat cat cat', /This text is not trained on: it needs at least two different words/],
    ['  ', /This text is not trained on: it is empty/],
  ])) {
    await box.fill(bad);
    for (const name of ['Train', 'One step']) {
      await page.getByRole('button', { name, exact: true }).click();
      await note.filter({ hasText: why }).waitFor();
      assert.equal(await box.inputValue(), bad, 'it stays in the box');
      assert.deepEqual([await page.locator('.train-step strong').innerText(), (await seen(page)).hash], ['1', hash]);
    }
  }
  await box.fill(mine);
  await note.filter({ hasText: /in the vocabulary|not trained on/ }).waitFor();
  await step.click();
  await at(page, 2);
  await tools.close(page);
});

test('a link ends at its step, also where the reader chose another row on the way', async () => {
  const page = await open('#/train?task=story&step=40');
  await page.waitForFunction(() => Number(document.querySelector('.train-step strong')?.textContent) >= 5);
  await page.locator('.train-row input').nth(2).check();
  await at(page, 40);
  assert.equal(await page.locator('.train-row input').nth(2).isChecked(), true);
  await page.waitForURL(/step=40$/);
  await tools.close(page);
});

test('it pauses, and when another place is chosen; coming back shows the same moment', async () => {
  const page = await open('#/train?task=story');
  await at(page, 0);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#train-moment')).value > 2);
  await page.getByRole('link', { name: 'Claims' }).click();
  await page.waitForFunction(() => document.querySelector('.train-play')?.textContent?.trim() === 'Train');
  const { hash } = await seen(page);
  await page.getByRole('link', { name: 'Train', exact: true }).click();
  await page.waitForFunction(() => /task=story&step=/.test(location.hash));
  assert.equal((await seen(page)).hash, hash);
  await tools.close(page);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`axe finds nothing, and nothing runs off the side at 390 px, ${colorScheme}`, async () => {
    const page = await open('#/train?task=addition&step=20&d_ff=0', {
      colorScheme,
      viewport: { width: 390, height: 844 },
    });
    await at(page, 20);
    await press(page, 'Settings');
    await page.locator('#train-seed').fill('-1');
    await page.locator('#train-seed').press('Enter');
    await page.locator('#train-seed-problem').waitFor();
    await assertAccessible(page);
    await tools.close(page);
  });
}

test('fetched when it is opened', async (t) => {
  /** @type {string[]} */
  const names = [];
  const page = await tools.open({ model: '', layout: 'workspace' });
  await page.locator('.head').first().waitFor();
  page.on('response', (response) => names.push(new URL(response.url()).pathname.slice(1)));
  await page.getByRole('link', { name: 'Train', exact: true }).click();
  await at(page, 0);
  const folder = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
  const fetched = names.filter((name) => !/\.wasm-/.test(name) && readdirSync(folder).includes(name));
  assert(fetched.includes('trainer.js') && fetched.some((name) => /^train-/.test(name)), fetched.join());
  const sizes = fetched.map((name) => gzipSync(readFileSync(`${folder}${name}`), { level: 9 }).length);
  t.diagnostic(fetched.map((name, i) => `${name} ${sizes[i]}`).join(', '));
  await tools.close(page);
});

test('the guided run is turned by keys from where it opens to its ends; closed, it gives the focus back', async () => {
  const page = await open('#/train');
  await at(page, 0);
  const focused = (/** @type {string} */ selector) =>
    page.waitForFunction((selector) => document.activeElement?.matches(selector), selector);
  const turned = (/** @type {number} */ to) =>
    page
      .locator('.train-guide .hint')
      .filter({ hasText: `${to} of 7` })
      .waitFor();
  await page.locator('.train-guide-open').press('Enter');
  await focused('#train-guide-title');
  await page.keyboard.press('PageDown');
  await turned(2);
  await focused('#train-guide-title');
  const next = page.getByRole('button', { name: 'Next' });
  await next.focus();
  for (let to = 3; to <= 7; to++) {
    await page.keyboard.press('Enter');
    await turned(to);
  }
  assert.equal(await next.getAttribute('aria-disabled'), 'true');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowLeft'); // the focus is still there
  await turned(6);
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await focused('.train-guide-open');
  await tools.close(page);
});

test('a notice of a link stays while the run is taken to its step, and ends with what the reader does', async () => {
  const page = await open('#/train?task=copy&step=5&learningRate=abc');
  const notice = page.locator('.train-notice');
  await at(page, 5);
  assert.match(await notice.innerText(), /could not be read \(learningRate\)/);
  await chooseTask(page, 'Order');
  await at(page, 0);
  assert.equal(await notice.isVisible(), false);
  await page.evaluate(() => (location.hash = '#/train?task=copy&colour=red'));
  await notice.filter({ hasText: 'colour' }).waitFor();
  await at(page, 0);
  await page.getByRole('button', { name: 'One step' }).click();
  await at(page, 1);
  assert.equal(await notice.isVisible(), false);
  await tools.close(page);
});

test('the guided run: each page does what it says, with the numbers of the run in Node', async () => {
  const page = await open('#/train');
  await at(page, 0);
  await page.getByRole('button', { name: 'Guided run' }).click();
  const own = await nodeRun(recipeOf('reverse'));
  const text = () => page.locator('.train-guide-text').innerText();
  const act = async (/** @type {string} */ name, /** @type {number} */ step) => {
    await page.locator('.train-guide-next').click();
    await page.getByRole('button', { name }).click();
    await at(page, step);
  };
  const check = (/** @type {typeof own} */ run) => run.checks().slice(-1)[0];
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
  const { rows } = await lookAt(own, 0);
  const right = rows.flatMap(({ answers }) => answers).filter((each) => each.right).length;
  await at(page, 0);
  assert((await text()).includes(`of the 64 digits in the predictions below it now gets ${right} right`), await text());
  await act('Train to step 50', 50);
  await own.go(50);
  assert((await text()).includes(`After 50 steps the loss is ${own.curve(49).loss[0].toFixed(2)}`), await text());
  await act('Train to step 150', 150);
  await own.go(150);
  assert((await text()).includes(`they hold ${check(own).mass.toFixed(2)} of the attention weight`), await text());
  await act('Train to step 250', 250);
  await own.go(250);
  assert((await text()).includes(`${percent(check(own).sequences)} of them are right`), await text());
  assert(check(own).sequences >= 0.99);
  assert.match(await page.locator('.train-guide-act').innerText(), /✓/);
  await act('Go to step 100', 100);
  const early = own.checks().find(({ step }) => step === 100);
  assert(
    (await text()).includes(`${percent(early.accuracy)} of the digits were right, but ${percent(early.sequences)}`),
  );
  await act('Train without positions', 400);
  const without = await nodeRun({ ...recipeOf('reverse'), positions: 'none' });
  await without.go(400);
  assert((await text()).includes(`${percent(check(without).sequences)} of the held-out rows are right`), await text());
  assert(check(without).sequences < 0.01, 'never learnt');
  await page.waitForURL(/positions=none.*guide=6/);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: 'Go to step 100' }).click();
  await at(page, 100);
  assert.equal((await seen(page)).facts['Held-out rows right'], percent(early.sequences), 'the recipe’s own run again');
  await page.waitForURL(/step=100/);
  await page.reload();
  await at(page, 100);
  assert.match(await page.locator('.train-guide').innerText(), /5 of 7/, 'a link opens it');
  await page.getByRole('button', { name: 'Close' }).click();
  assert.equal(await page.locator('.train-guide').count(), 0);
  await tools.close(page);
});
