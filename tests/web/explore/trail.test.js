// A teacher's trail on the page: a list of views, one link that plays them, nothing derived in sight before an answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../web/draw/numbers.js';
import { writeTrail } from '../../../web/kit/trail.js';
import { assertAxe, openMenu, ready, update, useBrowser } from '../browser.js';
import { SENTENCE, shipped } from '../in-node.js';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('../../../web/kit/trail.js').Step} Step */

const tools = useBrowser();
const DEEP = 'The dog did not jump over the creek because it was deep.';
const OFF = [{ what: 'head', kind: 'encoder', layer: 2, head: 1, to: 0 }];
const HOSTILE = '<img src=x onerror=alert(1)><script>alert(1)</script>';

/**
 * @param {string} sentence @param {Record<string, string>} parts @param {Step['question']} [question]
 * @returns {Step}
 */
const step = (sentence, parts, question = null) => ({
  sentence,
  link: String(new URLSearchParams({ model: 'creek', ...parts })),
  question,
});

/** Five steps as a teacher records them. */
const TYPICAL = [
  step('The model reads a sentence, and says what “it” stands for.', { head: '3.2', row: '12', key: '1' }),
  step(
    'One head of the last layer attends from “it” to the creek.',
    { head: '3.2', row: '12', key: '1', quantity: 'scaled' },
    { question: 'Is the score of the creek the highest?', answers: ['yes', 'no'], right: 0 },
  ),
  step('Without that head the answer changes.', { head: '3.2', row: '12', key: '1', changes: JSON.stringify(OFF) }),
  step('One word decides what “it” is.', { text: DEEP, head: '3.2', row: '9', key: '7' }),
  step('And tired is what a dog is.', { text: DEEP.replace('deep', 'tired'), head: '3.2', row: '9', key: '1' }),
];

/**
 * The model's answers in Node, the likeliest first.
 * @param {string} text @param {number} row @param {object} [options]
 */
function answers(text, row, options) {
  const { model, ids, vocabulary } = shipped(tools.gf, 'creek');
  const { logits } = model.forward({ ids: ids(text.toLowerCase().replace('.', ' .')), capture: true, ...options });
  const { data } = tools.gf.softmax(logits);
  return Array.from(data.subarray(row * vocabulary.length, (row + 1) * vocabulary.length), (share, id) => ({
    word: vocabulary[id],
    share: formatShare(share),
    probability: share,
  })).sort((a, b) => b.probability - a.probability);
}

/** Waits for the first result, whatever of it is in sight. @param {Page} page */
const computed = (page) => page.waitForFunction(() => performance.getEntriesByName('glassformer:update').length);

/** @param {ReturnType<typeof answers>} all */
const listed = (all) => all.map(({ word }) => word);

/** @param {Page} page */
const strip = (page) => page.locator('#trail');
/** Waits for a slide whose question is asked, or whose answer is shown. @param {Page} page @param {string} count */
async function slide(page, count) {
  await strip(page).locator('.trail-count', { hasText: count }).waitFor();
  await strip(page).locator('.trail-choice, .trail-says').first().waitFor();
}

test('write a list of three views, reload, open its link on a phone and play it: Node’s numbers', async () => {
  const page = await tools.open({ at: '#/explore?model=creek&head=3.2&row=12&key=1' });
  await ready(page);
  const isFetched = () =>
    page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /trail/.test(name)));
  assert.equal(await isFetched(), false, 'its code is fetched on use');
  const list = page.locator('#trail-list');
  const open = async () => {
    await openMenu(page, 'more');
    await page.locator('#trail-button').click();
    await list.waitFor();
  };
  const add = () => page.getByRole('button', { name: 'Add this view' }).click();
  const says = (/** @type {string | RegExp} */ text) => page.locator('#trail [role=status]').getByText(text).waitFor();
  await open();
  await add();
  assert(Number((await list.boundingBox())?.height) > 100, 'space for a step');
  await says('Steps so far: 1 of 3 to 7.');
  await update(page, () => page.locator('#try .switch').click());
  await add();
  assert.match(await list.inputValue(), /changes=/);
  await page.waitForFunction(() => /changes=/.test(location.hash));
  await page.reload();
  await ready(page);
  await open();
  await update(page, () => page.locator('#text').fill(DEEP));
  await add();
  await page.getByRole('link', { name: 'Play' }).waitFor(); // once the link is made
  const lines = (await list.inputValue()).split('Write a sentence here.');
  await list.fill(`${lines[0]}The whole model.${lines[1]}Without one head.${lines[2]}Another sentence.\nIs it?`);
  await says(/^Step 3 needs/);
  await list.fill(`${await list.inputValue()}\nyes, no`);
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => void (/** @type {any} */ (globalThis.copied = text));
  });
  await page.getByRole('link', { name: 'Play' }).waitFor();
  await page.locator('#trail').getByRole('button', { name: 'Copy link' }).click();
  await says('Link copied.');
  const link = await page.evaluate(() => /** @type {any} */ (globalThis.copied));
  assert.match(link, /#\/explore\?trail=[\w-]+$/);
  assert.equal(await page.getByRole('link', { name: 'Play' }).getAttribute('href'), link);
  await tools.close(page);

  const fresh = await tools.open({ at: new URL(link).hash, viewport: { width: 390, height: 844 } });
  await ready(fresh);
  await slide(fresh, '1 of 3');
  assert.equal(await strip(fresh).locator('.trail-words').innerText(), 'The whole model.');
  const whole = answers(SENTENCE, 12);
  const patches = [{ name: 'encoder.layers.2.self_attn.head_outputs', index: [0, 1, null, null], value: 0 }];
  const without = answers(SENTENCE, 12, { patches });
  for (const hidden of ['#answers', '#heatmap', '#arcs'])
    assert.equal(await fresh.locator(hidden).isVisible(), false, `${hidden} is not in sight before a prediction`);
  const choices = await strip(fresh).locator('.trail-choice').allInnerTexts();
  assert.deepEqual(choices, listed(whole).slice(0, 4).toSorted());
  await strip(fresh).getByRole('button', { name: whole[0].word, exact: true }).click();
  const answer = () => strip(fresh).locator('.trail-says').innerText();
  assert.equal(await answer(), `At it the model says ${whole[0].word}, ${whole[0].share}.`);
  assert.match(await strip(fresh).innerText(), /✓ You predicted creek\./);
  assert(await fresh.locator('#answers').isVisible());
  const [cells, bar] = await Promise.all(
    ['#heatmap .map-grid', '#trail'].map((each) => fresh.locator(each).boundingBox()),
  );
  assert(cells && bar && bar.y - cells.y > 100, 'the map is in sight above the bar');
  assert(await fresh.evaluate(() => document.documentElement.scrollWidth <= innerWidth));

  await fresh.keyboard.press('ArrowRight');
  await slide(fresh, '2 of 3');
  await strip(fresh).getByRole('button', { name: without[1].word, exact: true }).click();
  assert.equal(await answer(), `At it the model says ${without[0].word}, ${without[0].share}.`);
  assert.match(await strip(fresh).innerText(), /✗ You predicted/);
  assert.notEqual(without[0].share, whole[0].share);
  await fresh.keyboard.press('PageDown');
  await slide(fresh, '3 of 3');
  await strip(fresh).getByRole('button', { name: 'no', exact: true }).click();
  assert.match(await strip(fresh).innerText(), /✗ You predicted no\. The answer: yes\./);
  const deep = answers(DEEP, 9, { patches });
  assert.equal(await answer(), `At it the model says ${deep[0].word}, ${deep[0].share}.`);
  await assertAxe(fresh, 'light', '#trail');
  await fresh.goBack();
  await slide(fresh, '2 of 3');
  assert.equal(await fresh.locator('#text').inputValue(), SENTENCE);
  assert.match(await strip(fresh).innerText(), /You predicted/, 'what was shown stays shown');
  await fresh.keyboard.press('Escape');
  await strip(fresh).waitFor({ state: 'hidden' });
  await fresh.waitForFunction(() => !/trail=/.test(location.hash) && /changes=/.test(location.hash));
  assert(await fresh.locator('.places').isVisible());
  await fresh.goBack();
  await slide(fresh, '2 of 3');
  await tools.close(fresh);
});

/** The visible parts beside the strip and the sentence. @param {Page} page @returns {Promise<string[]>} */
const givenAway = (page) =>
  page.evaluate(() => {
    const inSight = { visibilityProperty: true, opacityProperty: true };
    const drawn = [...document.querySelectorAll('#page *')].filter(
      (each) =>
        each.checkVisibility(inSight) &&
        !each.closest('#trail, #texts, #tokens-encoder, h2') &&
        (each.matches('canvas, path, rect, circle, button, input, select, [tabindex]') ||
          [...each.childNodes].some((node) => node instanceof Text && node.data.trim())),
    );
    const plain = document.querySelector('#tokens-encoder .token:not(.key, .query)');
    const key = document.querySelector('#tokens-encoder .token.key:not(.query)');
    const colour = (/** @type {Element} */ each) => getComputedStyle(each).color;
    return [
      ...drawn.map(({ tagName, className, textContent }) => `${tagName}.${className}: ${textContent?.trim()}`),
      ...(plain && key && colour(plain) !== colour(key) ? [`the key is lit: ${key.textContent}`] : []),
    ];
  });

for (const layout of ['workspace', 'page'])
  test(`until the reader has predicted, nothing computed is seen, heard or reached: ${layout}`, async () => {
    const own = { question: 'Is it an animal?', answers: ['yes', 'no'], right: 0 };
    const [cell, all] = [{ head: '3.2', row: '12', key: '1' }, layout === 'page' ? { layout } : {}];
    const off = JSON.stringify(OFF);
    const steps = [
      step('The engine asks.', { ...cell, ...all }),
      step('The teacher asks.', { ...cell, ...all }, own),
      step('Changed, and decided.', { ...cell, ...all, changes: off, decision: '[]' }),
      step('Another node.', { ...cell, ...all, part: 'ffn' }),
      step('It writes.', { ...all, model: 'translate' }),
      step('It goes on.', { ...all, model: 'continue' }),
      step('Untrained.', { ...all, model: 'untrained', kind: 'encoder-decoder' }, own),
    ];
    const trail = await writeTrail(steps);
    const page = await tools.open({ at: `#/explore?trail=${trail}`, layout: 'workspace' });
    for (let i = 1; i <= steps.length; i++) {
      const what = `step ${i}`;
      await slide(page, `${i} of 7`);
      await page.locator('.trail-choice').first().waitFor();
      await computed(page);
      await page.waitForTimeout(100); // panels aside come a frame later
      assert.deepEqual(await givenAway(page), [], what);
      const heard = (await page.locator('#page').ariaSnapshot()).replace(/- region "Trail":\n( {2}.*\n?)*/, '');
      assert.doesNotMatch(heard, /application|strong|combobox|slider|switch|%|region "(?!Text)/, what);
      for (let tab = 0; tab < 12; tab++) {
        await page.keyboard.press('Tab');
        const reached = await page.evaluate(() => document.activeElement?.closest('#page > *, .input > *')?.id);
        assert([undefined, 'trail', 'texts', 'tokens-encoder'].includes(reached), `${what}: Tab to ${reached}`);
      }
      await page.locator('.trail-choice').first().click();
      await page.locator('.trail-main').waitFor();
      assert.notDeepEqual(await givenAway(page), [], `${what}, answered`);
      await page.locator('#trail').getByRole('button', { name: 'Next' }).click({ force: true });
    }
    await tools.close(page);
  });

test('a damaged trail leaves the page as it is; texts of a link are text; a step that is not there', async () => {
  const word = await writeTrail(TYPICAL);
  const page = await tools.open({ at: `#/explore?trail=${word.slice(0, -9)}` });
  await ready(page);
  await page.getByText('This trail is damaged').waitFor();
  assert(await page.locator('.places').isVisible());
  assert.equal(await strip(page).isVisible(), false);
  assert(await page.locator('#answers').isVisible());
  await update(page, () => page.locator('#text').fill('the cat was tired .'));
  await page.evaluate(() => (location.hash = '#/explore?trail=AAAA'));
  await page.getByText('This trail is damaged').waitFor();
  assert.equal(await page.locator('#text').inputValue(), 'the cat was tired .', 'the state stays');
  await tools.close(page);

  const hostile = [
    step(HOSTILE, { text: HOSTILE, head: '99.1', changes: '[{"what":"head"}]', constructor: 'x' }),
    step('x', { model: HOSTILE }, { question: HOSTILE, answers: [HOSTILE.slice(0, 60), 'b'], right: null }),
    step('x', {}),
  ];
  const other = await tools.open({ at: `#/explore?trail=${await writeTrail(hostile)}` });
  await strip(other).locator('.trail-words').waitFor();
  assert.equal(await strip(other).locator('.trail-words').innerText(), HOSTILE);
  await other.getByText('Parts of this link could not be read (“changes”, “constructor”)').waitFor();
  await strip(other).getByRole('button', { name: 'Just show me' }).click();
  await strip(other).getByRole('button', { name: 'Next' }).click();
  await strip(other)
    .getByText(`${HOSTILE.slice(0, 60)}`)
    .last()
    .waitFor();
  assert.equal(await other.locator('#explore :is(img, script)').count(), 0);
  await tools.close(other);

  const last = await tools.open({ at: '#/claims' });
  await last.evaluate((link) => (location.hash = link), `#/explore?trail=${word}&step=9999999`);
  await slide(last, '5 of 5');
  assert.equal(await last.locator('.places').isVisible(), false);
  await last.goBack();
  await last.waitForFunction(() => location.hash === '#/claims');
  assert(await last.locator('.places').isVisible(), 'the other places are as ever');
  await tools.close(last);
});
