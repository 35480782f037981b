// Links in the page: what they open on, and the entries of the history.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseModel, readout, ready, update, useBrowser } from '../browser.js';
import { assertShown, compute } from '../in-node.js';

const tools = useBrowser();
const hash = (/** @type {import('playwright-core').Page} */ page) => page.evaluate(() => location.hash);

test('a link opens on what it says; the address follows, and going back to it is followed', async () => {
  const page = await tools.open({
    model: 'untrained&causal=1&head=2.3&row=5&key=2&quantity=scaled&text=one+two+three+four+five+six&temp=1&a%3Cb%3E=2',
  });
  await ready(page);
  const own = compute(tools.gf, { causal: true }, { text: 'one two three four five six' });
  const { place, number } = await readout(page);
  assert.equal(place, 'row six, column three');
  assertShown(number, own.at('encoder.layers.1.self_attn.scaled', 0, 2, 5, 2));
  assert.match(
    await page.locator('#notices').innerText(),
    /^Parts of this link could not be read \(“temp”, “a<b>”\) and have their default values\.$/,
  );
  await page.waitForFunction(() => !location.hash.includes('temp'));
  const before = await hash(page);
  const entries = await page.evaluate(() => history.length);
  await page.locator('#heatmap [role=application]').focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp');
  await page.waitForFunction(() => location.hash.includes('row=1&'));
  assert.equal(await page.evaluate(() => history.length), entries, 'no new entries');
  assert.equal(await hash(page), before.replace('row=5', 'row=1'));
  await update(page, () =>
    page.evaluate((link) => void (location.hash = link), before.replace('head=2.3', 'head=1.2')),
  );
  assert.equal((await readout(page)).place, 'row six, column three');
  assert.match(await page.locator('#heatmap .view-title').innerText(), /layer 1, head 2/);
  await tools.close(page);
});

test('creek with a head in its link stays there; without one it follows the sentence, as its link says', async () => {
  const page = await tools.open({ model: 'creek&head=1.2&row=3&key=4' });
  await ready(page);
  assert.equal((await readout(page)).place, 'row cold, column and');
  await update(page, () => page.evaluate(() => void (location.hash = 'model=creek')));
  await page.waitForFunction(() => /row=12/.test(location.hash));
  const shown = await readout(page);
  const link = await hash(page);
  await page.goto('about:blank');
  await page.goto(`${tools.url}${link}`);
  await ready(page);
  assert.deepEqual(await readout(page), shown);
  await tools.close(page);
});

test('a link with a head and no row opens at the telling row, in that head', async () => {
  const page = await tools.open({ model: 'creek&head=2.2' });
  await ready(page);
  await page.waitForFunction(() => /row=12/.test(location.hash));
  assert.match(await hash(page), /head=2\.2/);
  assert.match((await readout(page)).place, /^row it/);
  await tools.close(page);
});

test('a model that there is not: the first one, and a notice', async () => {
  const page = await tools.open({ model: 'nope' });
  await ready(page);
  assert.match(await page.locator('#notices').innerText(), /link.*“model”/);
  await page.waitForFunction(() => location.hash.startsWith('#/explore?model=creek'));
  await tools.close(page);
});

test('a link with a long text: its beginning is kept, and how much is said', async () => {
  for (const [length, said] of [
    [20_750, '20,750'],
    [107_500, '107,500'],
  ]) {
    const text = 'the cat sat on the mat . '.repeat(5000).slice(0, Number(length));
    const page = await tools.open({ model: `creek&text=${text.replaceAll(' ', '+')}` });
    await ready(page);
    assert.equal(
      await page.locator('#notices').innerText(),
      `The text of this link has ${said} characters: the first 20,000 are kept.`,
    );
    assert.equal(await page.locator('#text').inputValue(), text.slice(0, 20_000));
    await page.waitForFunction(() => decodeURIComponent(location.hash).length > 20_000);
    await tools.close(page);
  }
});

test('a link that points beyond the heads and the words: the nearest is shown, and that is said', async () => {
  const page = await tools.open({ model: 'creek&head=1.5&row=99&key=99&text=the+dog+was+cold' });
  await ready(page);
  assert.equal(
    await page.locator('#notices').innerText(),
    'This link names what does not exist here (head 1.5, row 99, key 99): the nearest is shown.',
  );
  assert.equal((await readout(page)).place, 'row cold, column cold');
  assert.match(await page.locator('#heatmap .view-title').innerText(), /layer 1, head 2/);
  await page.waitForFunction(() => /head=1\.2&row=3&key=3/.test(location.hash));
  await tools.close(page);
});

/** @param {import('playwright-core').Page} page @param {string} name */
const model = (page, name) => page.locator(`input[name=model][value=${name}]`);

test('another model is an entry of the history: Back returns to the former one as it was left', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  await page.waitForFunction(() => /row=12/.test(location.hash));
  const entries = await page.evaluate(() => history.length);
  await update(page, () => page.locator('#text').fill('The girl fed the cat because it was hungry.'));
  await chooseModel(page, 'translate'); // before the address rests
  assert.equal(await page.evaluate(() => history.length), entries + 1);
  await update(page, () => page.goBack(), 'creek');
  await page.waitForFunction(() => document.body.dataset.model === 'creek');
  assert.equal(await page.locator('#text').inputValue(), 'The girl fed the cat because it was hungry.');
  assert.equal(await model(page, 'creek').isChecked(), true);
  await update(page, () => page.goForward(), 'translate');
  await page.waitForFunction(() => document.body.dataset.model === 'translate');
  await tools.close(page);
});

test('each node that the reader opens is an entry of the history: Back shows the one before', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.waitForFunction(() => /row=12/.test(location.hash));
  const entries = await page.evaluate(() => history.length);
  const parts = ['ffn', 'logits'];
  for (const part of parts) {
    await page
      .locator(`#model-graph [data-term="${part === 'ffn' ? 'FFN' : 'Logits'}"]`)
      .first()
      .click();
    await page.waitForFunction((each) => location.hash.includes(`part=${each}`), part);
  }
  assert.equal(await page.evaluate(() => history.length), entries + 2);
  await update(page, () => page.goBack());
  await page.waitForFunction(() => /part=ffn/.test(location.hash));
  await page.locator('#ffn').waitFor();
  await update(page, () => page.goBack());
  await page.locator('#heatmap').waitFor();
  assert.doesNotMatch(await hash(page), /part=/);
  await tools.close(page);
});

test('what was typed goes along to a model that reads all of it, an example does not', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  const choose = (/** @type {string} */ name) => chooseModel(page, name);
  const typed = () => page.locator('#text').inputValue();
  await choose('continue');
  assert.equal(await typed(), 'one day a hungry fox saw a red ball. the');
  await choose('creek');
  await update(page, () => page.locator('#text').fill('The fox chased the dog.'));
  await choose('untrained');
  assert.equal(await typed(), 'The fox chased the dog.');
  await page.waitForFunction(() =>
    /^row dog/.test(document.querySelector('#heatmap .map-readout bdi')?.textContent ?? ''),
  );
  await update(page, () => page.locator('#text').fill('the fox chased the ball'));
  await choose('translate');
  await choose('untrained');
  await choose('continue');
  assert.equal(await typed(), 'the fox chased the ball');
  await choose('creek');
  assert.equal(await typed(), 'the fox chased the ball');
  await choose('untrained');
  await update(page, () => page.locator('#text').fill('the zebra chased the ball'));
  await choose('creek');
  assert.equal(await typed(), 'the fox chased the ball', 'it does not know the zebra');
  await tools.close(page);
});
