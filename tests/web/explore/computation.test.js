// Why a weight is what it is: every number of the panel and of its fold is the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TARGET, assertShown, compute, point, ready, shipped, update, useBrowser } from '../browser.js';
import { assertShort, checkStory, numberOf } from '../checks.js';

const tools = useBrowser();
const calm = /** @type {const} */ ({ reducedMotion: 'reduce' }); // a click on a cell plays nothing
/** @typedef {import('playwright-core').Page} Page */

/** Opens all numbers. @param {Page} page */
async function unfold(page) {
  await page.locator('.why-fold summary').click();
  await page.locator('.why-all .softmax').waitFor();
}

/**
 * Waits until the panel is about this cell, then checks every number.
 * @param {Page} page
 * @param {[query: string, key: string, where: string]} cell
 * @param {import('../checks.js').Own} own
 * @param {Parameters<typeof checkStory>[2]} place
 */
async function checks(page, [query, key, where], own, place) {
  await page.waitForFunction(
    ([from, to, head]) =>
      document.querySelector('.why-label .query')?.textContent === from &&
      document.querySelector('.why-label .key')?.textContent === to &&
      document.querySelector('.why-line')?.textContent?.startsWith(`In ${head}, `),
    [query, key, where],
  );
  await checkStory(page, own, place);
}

test('untrained: the pinned cell, another cell, another head, without the scale, behind the mask, hotter', async () => {
  const page = await tools.open(calm);
  await ready(page);
  await unfold(page);
  const prefix = 'encoder.layers.0.self_attn';
  let own = compute(tools.gf, {});
  await checks(page, ['it', 'creek', 'layer 1, head 1'], own, { prefix, head: 0, row: 12, key: 1 });
  await point(page, '#heatmap', 7, 3, 'click');
  await checks(page, ['dog', 'cold', 'layer 1, head 1'], own, { prefix, head: 0, row: 7, key: 3 });
  await page.locator('.lines-tokens.keys .line-token').nth(13).click();
  await checks(page, ['dog', '.', 'layer 1, head 1'], own, { prefix, head: 0, row: 7, key: 13 });
  await page.getByRole('radio', { name: 'layer 2, head 3' }).click();
  const there = { prefix: 'encoder.layers.1.self_attn', head: 2, row: 7, key: 13 };
  await checks(page, ['dog', '.', 'layer 2, head 3'], own, there);
  await update(page, () => page.getByLabel('Divide scores').uncheck());
  const rowNote = (/** @type {string} */ step) => page.locator(`.${step} .why-result p`).innerText();
  assert.equal(await rowNote('scale'), 'switched off');
  await update(page, () => page.getByLabel('Causal mask').check());
  own = compute(tools.gf, { scoreScale: false, causal: true });
  await page.locator('.why-line', { hasText: 'cannot attend to .: the mask hides it.' }).waitFor();
  await checks(page, ['dog', '.', 'layer 2, head 3'], own, { ...there, scale: 1 });
  assert.equal(await page.locator('.why-masked').innerText(), 'masked: score −∞, weight exactly 0');
  assert.match(await page.locator('#computation-title').innerText(), /^Why 0\s%\?$/);
  await page.locator('#try .temperature').fill('0.3');
  await page.locator('.scale .why-label', { hasText: '÷ 2' }).waitFor();
  own.model.forward({ ids: own.model.tensor('encoder.ids').data, temperature: 2, capture: true });
  await checks(page, ['dog', '.', 'layer 2, head 3'], own, { ...there, scale: 2 });
  await point(page, '#heatmap', 7, 3, 'click');
  await checks(page, ['dog', 'cold', 'layer 2, head 3'], own, { ...there, key: 3, scale: 2 });
  assert.equal(await rowNote('scale'), 'switched off, temperature 2');
  await page.locator('#text').fill('');
  await page.waitForFunction(
    () => /** @type {HTMLElement} */ (document.querySelector('#computation')).closest('section')?.hidden,
  );
  await tools.close(page);
});

test('cross-attention, many keys', async () => {
  const page = await tools.open(calm);
  await ready(page);
  await unfold(page);
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  const own = compute(tools.gf, { kind: 'encoder-decoder' }, { target: TARGET });
  const prefix = 'decoder.layers.0.multihead_attn';
  const where = 'cross-attention, layer 1, head 1';
  await checks(page, ['.', 'creek', where], own, { prefix, head: 0, row: 10, key: 1 });
  await update(page, () => page.locator('#text').fill('word '.repeat(40)));
  const rows = page.locator('#computation .softmax tbody tr');
  await page.waitForFunction(() =>
    /other 24 sum to|other 23 sum to/.test(document.querySelector('#computation')?.textContent ?? ''),
  );
  assert((await rows.count()) <= 17 && (await page.locator('.why-all .softmax tr.here').count()) === 1);
  assert.match(await page.locator('.why-rest').innerText(), /^37 other keys$/);
  await tools.close(page);
});

test('creek opens with its own weight explained; an intervention and a mean are named', async () => {
  const page = await tools.open({ model: '', ...calm });
  await ready(page);
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.ids('the creek was cold and the spunky dog wanted to jump over it .'), capture: true });
  await page.waitForFunction(() =>
    document.querySelector('#heatmap .map-readout')?.textContent?.startsWith('row it, column creek'),
  );
  await unfold(page);
  const place = { prefix: 'encoder.layers.2.self_attn', head: 1, row: 12, key: 1 };
  await checks(page, ['it', 'creek', 'layer 3, head 2'], own, place);
  const line = page.locator('.why-line');
  assert.equal(await line.innerText(), 'In layer 3, head 2, it attends to creek: no other key fits its query better.');
  const weight = own.at(`${place.prefix}.weights`, 0, 1, 12, 1);
  await page.getByRole('button', { name: 'Set to 0' }).click();
  await line.getByText('an intervention set this weight').waitFor();
  const note = (/** @type {string} */ step) => page.locator(`.why-step.${step} .why-result p`).innerText();
  const [, softmax] = /^set by an intervention; the softmax gave (.*)$/.exec(await note('softmax')) ?? [];
  assertShort(softmax, weight, 'before the intervention');
  assert.match(await page.locator('#computation-title').innerText(), /^Why 0\s%\?$/);
  assertShown(
    numberOf(String(await page.locator('#computation [data-value=softmax]').textContent())),
    weight,
    'the formula still holds',
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await line.getByText('no other key fits').waitFor();
  const fold = page.locator('.why-all');
  const sums = () => fold.locator('math').nth(3).textContent();
  assert.match(String(await sums()).replace(/\s/g, ''), /^z=/);
  assert.equal(await note('values'), 'head 2’s share of what attention adds');
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).click());
  assert.match(String(await sums()).replace(/\s/g, ''), /^z≠/, 'its output is not');
  assert.match(await fold.innerText(), /set by an intervention: not the sum over all keys/);
  assert.equal(await note('values'), 'head off: it adds nothing');
  assert.match(await page.locator('.why-step.values .why-number').innerText(), /^0\s%$/);
  await page.locator('#change-head').getByRole('button', { name: 'Replace with average' }).click();
  await page.getByText('what attention adds; set by an intervention').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('attention adds; set by an intervention').waitFor({ state: 'detached' });
  await page.getByLabel('Mean of this layer').check();
  await page.getByText('The map shows the mean of all heads, these are the steps of one.').waitFor();
  await tools.close(page);
});

test('a dimension: its numbers by pointer and by keys, a band in the three rows', async () => {
  const page = await tools.open({ model: 'creek&head=3.2&row=12&key=1' });
  await ready(page);
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.ids('the creek was cold and the spunky dog wanted to jump over it .'), capture: true });
  const numbers = (/** @type {number} */ d) => {
    const [q, k] = [
      ['query', 12],
      ['key', 1],
    ].map(([name, at]) => own.at(`encoder.layers.2.self_attn.${name}`, 0, 1, Number(at), d));
    return [q, k, q * k];
  };
  const note = page.locator('.products .why-result p');
  const dimension = page.getByRole('slider', { name: 'Dimension' });
  /** @param {number} d */
  async function says(d) {
    const [, q, k, term] = /: (\S+) × (\S+) = (\S+)$/.exec((await note.innerText()).replace(/\s+/g, ' ')) ?? [];
    [q, k, term].forEach((text, i) => assertShort(text, numbers(d)[i], `dimension ${d}`));
    assert.equal(await dimension.getAttribute('aria-valuetext'), `${d}: ${q} × ${k} = ${term}`);
    assert.equal(await dimension.getAttribute('aria-valuenow'), String(d));
    assert.deepEqual(
      await page.locator('#computation .band').evaluateAll((all) => all.map((each) => each.getAttribute('x'))),
      [d, d, d].map(String),
    );
  }
  for (const d of [0, 6, 23]) {
    const box = await page.locator('.why-bars.key').boundingBox();
    assert(box);
    await page.locator('.why-bars.key').hover({ position: { x: ((d + 0.5) * box.width) / 24, y: 8 } });
    await note.getByText(`dimension ${d}:`).waitFor();
    await says(d);
  }
  await page.mouse.move(0, 0);
  await note.getByText('largest:').waitFor();
  assert.equal(await page.locator('#computation .band').count(), 0);
  await dimension.focus();
  for (const [press, d] of /** @type {const} */ ([
    ['ArrowRight', 0],
    ['ArrowRight', 1],
    ['End', 23],
    ['ArrowLeft', 22],
    ['Home', 0],
    ['ArrowLeft', 0],
  ])) {
    await page.keyboard.press(press);
    await note.getByText(`dimension ${d}:`).waitFor();
    await says(d);
  }
  await page.locator('.why-play').focus();
  await note.getByText('largest:').waitFor();
  await tools.close(page);
});

test('terms light what they come from: query, key, another key, head', async () => {
  const page = await tools.open({ model: 'creek&head=3.2&row=12&key=1' });
  await ready(page);
  const lit = (/** @type {string} */ selector) => page.locator(`${selector}[data-lit]`).allInnerTexts();
  const words = '#tokens-encoder .token-word';
  /** @param {import('playwright-core').Locator} term @param {string} word @param {string} wanted */
  async function lights(term, word, wanted) {
    await term.hover();
    await page.waitForFunction(
      ([all, text]) =>
        [...document.querySelectorAll(all)].some((each) => each.closest('[data-lit]') && each.textContent === text),
      [word, wanted],
    );
  }
  await lights(page.locator('.why-label[data-row]'), words, 'it');
  assert.deepEqual(await lit('.queries .line-token'), ['it']);
  await lights(page.locator('.why-bars.key'), words, 'creek');
  assert.deepEqual(await lit('.keys .line-token'), ['creek']);
  await lights(page.locator('.why-rivals li').nth(1), words, 'was');
  await lights(page.locator('.values .why-number'), '.lines-head', '2');
  await tools.close(page);
});

test('all of it stands within 590 × 400 px and in a phone’s width', async () => {
  for (const [width, most] of [
    [590, 400],
    [680, 400],
    [340, 500],
  ]) {
    const page = await tools.open({ model: 'creek&causal=1', ...calm });
    await ready(page);
    await page.locator('#why-panel').evaluate((panel, px) => {
      Object.assign(panel.style, { width: `${px}px`, boxSizing: 'border-box' });
    }, width);
    for (const [row, key] of [
      [12, 1],
      [6, 3],
      [0, 13],
    ]) {
      await point(page, '#heatmap', row, key, 'click');
      await page.locator(`.why-label[data-row="${row}"]`).waitFor();
      const { panel, wide, last } = await page
        .locator('#why-panel')
        .evaluate((each) => ({
          panel: each.getBoundingClientRect(),
          wide: [...each.querySelectorAll('*')]
            .filter((part) => part.getBoundingClientRect().right > each.getBoundingClientRect().right)
            .map((part) => part.className),
          last: each.querySelector('.why-fold')?.getBoundingClientRect().bottom ?? Infinity,
        }));
      assert(panel.height <= most && last <= panel.bottom, `${width} px: ${panel.height} px high`);
      assert.deepEqual(wide, [], `${width} px`);
      assert.equal(await page.locator('.why-masked').count(), key > row ? 1 : 0);
    }
    await tools.close(page);
  }
});
