// The reader's own sentence: the words that are chosen stay chosen, another text chooses its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headOf, openMenu, point, readout, ready, update, useBrowser } from '../browser.js';
import { assertShown, shipped } from '../in-node.js';
import { formatShare } from '../../../web/draw/numbers.js';

const tools = useBrowser();
/** @param {import('playwright-core').Page} page */
const chosen = (page) => page.locator('#tokens-encoder [aria-checked=true] .token-word').innerText();

/** The page's selection in creek by Node's numbers. @param {string} sentence */
function selectedBy(sentence) {
  const own = shipped(tools.gf, 'creek');
  const read = sentence.toLowerCase().replace('[mask]', '[MASK]').replace('.', ' .').split(' ');
  own.model.forward({ ids: own.ids(read.join(' ')), capture: true });
  /** @param {number} layer @param {number} head @param {number} row */
  const at = (layer, head, row) => {
    const weights = read.map((_, key) => own.at(`encoder.layers.${layer}.self_attn.weights`, 0, head, row, key));
    const key = weights.indexOf(Math.max(...weights));
    return { key, word: read[key], weight: weights[key] };
  };
  return { own, read, at };
}

test('another sentence: its pronoun is chosen, in the head that links it, with its strongest key', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  for (const [sentence, row, key] of [
    ['The girl fed the cat because it was hungry.', 'it', 'cat'],
    ['The fox was tired and it wanted to eat.', 'it', 'fox'],
    ['The [MASK] chased the rabbit.', '[MASK]', null],
    ['The cat sat on the mat.', 'mat', null],
  ]) {
    await page.locator('#text').fill(String(sentence));
    await page.waitForFunction(
      ([word, count]) =>
        document.querySelectorAll('#tokens-encoder .token').length === count &&
        document.querySelector('#tokens-encoder [aria-checked=true] .token-word')?.textContent === word,
      [row, selectedBy(String(sentence)).read.length],
    );
    await page.waitForFunction(() => !/follow=1/.test(location.hash));
    const { read, at } = selectedBy(String(sentence));
    const place = read.indexOf(String(row));
    const most = at(...(await headOf(page)), place);
    const shown = await readout(page);
    assert.equal(
      shown.place,
      `row ${row}, column ${sentence?.replace('.', ' .').split(' ')[most.key]}`,
      sentence ?? '',
    );
    assertShown(shown.number, most.weight, sentence ?? '');
    if (!key) continue;
    assert.equal(most.word, key);
    const all = [0, 1, 2].flatMap((layer) => [0, 1].map((head) => at(layer, head, place)));
    const linked = all.filter(({ word }) => word === key).map(({ weight }) => weight);
    assert.equal(most.weight, Math.max(...linked), 'of all heads that link them, the one that does so most');
    for (const named of await page.locator('.answers-attention').allInnerTexts())
      assert.match(
        named,
        new RegExp(`${key}.*${formatShare(most.weight)}`, 's'),
        'the answers name what the map shows',
      );
  }
  await tools.close(page);
});

test('typed letter by letter over the old sentence: “it” and its strongest key', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.locator('#text').selectText();
  await page.keyboard.type('The girl fed the cat because it was hungry.');
  await page.waitForFunction(() => document.querySelectorAll('#tokens-encoder .token').length === 10);
  await page.waitForFunction(() =>
    /^row it, column cat/.test(document.querySelector('#heatmap .map-readout bdi')?.textContent ?? ''),
  );
  const { at } = selectedBy('The girl fed the cat because it was hungry.');
  assertShown((await readout(page)).number, at(...(await headOf(page)), 6).weight);
  await tools.close(page);
});

test('while typing the chosen words stay chosen, also while the chosen one is changed', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.locator('#tokens-encoder .token', { hasText: 'dog' }).click();
  await point(page, '#heatmap', 7, 1, 'click');
  assert.equal((await readout(page)).place, 'row dog, column creek');
  const box = page.locator('#text');
  /** @param {number} at @param {string} text */
  const typeAt = async (at, text) => {
    await box.evaluate((field, place) => {
      field.focus();
      /** @type {HTMLTextAreaElement} */ (field).setSelectionRange(place, place);
    }, at);
    await update(page, () => page.keyboard.type(text));
    await page.waitForTimeout(50);
  };
  await typeAt(4, 'clever ');
  assert.equal((await readout(page)).place, 'row dog, column creek');
  assert.equal(await chosen(page), 'dog');
  const value = await box.inputValue();
  await typeAt(value.indexOf('dog') + 3, 'x');
  await update(page, () => page.keyboard.press('Backspace'));
  await page.waitForFunction(() => document.querySelectorAll('#tokens-encoder .unknown').length === 0);
  // meanwhile it was no word that the model knows
  await page.waitForFunction(() =>
    /^row dog, column creek/.test(document.querySelector('#heatmap .map-readout bdi')?.textContent ?? ''),
  );
  assert.equal(await chosen(page), 'dog');
  await tools.close(page);
});

test('choosing a word pins its strongest key, unless the reader pinned one', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const sentence = 'The creek was cold and the spunky dog wanted to jump over it.';
  const { read, at } = selectedBy(sentence);
  const head = await headOf(page);
  for (const row of [7, 1, 0]) {
    await page.locator('#tokens-encoder .token').nth(row).click();
    const { key, weight } = at(...head, row);
    assert.equal(
      (await readout(page)).place,
      `row ${read[row].replace(/^the$/, row ? 'the' : 'The')}, column ${key ? read[key] : 'The'}`,
    );
    assertShown((await readout(page)).number, weight);
  }
  await point(page, '#heatmap', 3, 4, 'click');
  await page.locator('#tokens-encoder .token').nth(7).click();
  assert.equal((await readout(page)).place, 'row dog, column and');
  await tools.close(page);
});

/** @param {import('playwright-core').Page} page */
const options = (page) => page.locator('#completions [role=option]').allInnerTexts();
/** The id of what has the focus. @param {import('playwright-core').Page} page */
const focus = (page) => page.evaluate(() => document.activeElement?.id);

test('completion: Tab, →, ↓ and Enter, Escape, a tap; no key is taken where there is no list', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const box = page.locator('#text');
  await box.selectText();
  await page.keyboard.type('The cree');
  await page.locator('#completions').waitFor();
  assert.deepEqual(await options(page), ['creek', 'creeks']);
  await page.keyboard.press('Tab');
  assert.equal(await box.inputValue(), 'The creek ');
  assert.equal(await focus(page), 'text');
  await page.keyboard.type('was co');
  await page.keyboard.press('ArrowRight');
  assert.equal(await box.inputValue(), 'The creek was cold ');
  await page.keyboard.type('cree');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await box.getAttribute('aria-activedescendant'), 'completion-1');
  assert.equal(await page.locator('#completion-1').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Enter');
  assert.equal(await box.inputValue(), 'The creek was cold creeks ');
  assert.equal(await box.getAttribute('aria-activedescendant'), null);
  await page.keyboard.type('dog');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#completions').isVisible(), false);
  await page.keyboard.press('Enter');
  assert.equal(await box.inputValue(), 'The creek was cold creeks dog', 'the text is one line');
  await page.waitForFunction(
    () => document.activeElement?.matches('#tokens-encoder [aria-checked=true]'),
    null,
    { timeout: 5000 }, // back to the words, also where the result selects another one a moment later
  );
  await box.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('g');
  assert.deepEqual(await options(page), ['dogs']);
  await page.keyboard.press('ArrowLeft');
  await page.locator('#completions').waitFor({ state: 'hidden' }); // the caret has left the word
  await page.keyboard.press('End');
  await page.keyboard.type(' the');
  assert.equal((await options(page))[0], 'them');
  await page.keyboard.press('Tab');
  assert.equal(await box.inputValue(), 'The creek was cold creeks dog the', 'a whole word stays as it is');
  assert.notEqual(await focus(page), 'text', 'Tab goes on');
  await box.focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' spu');
  await page.locator('#completion-0').click();
  assert.equal(await box.inputValue(), 'The creek was cold creeks dog the spunky ');
  assert.equal(await focus(page), 'text');
  await page.waitForFunction(() => document.querySelectorAll('#tokens-encoder .token').length === 8);
  await tools.close(page);
});

test('an own sentence goes to Austen as it is typed; the way back, Forward and a reload keep it', async () => {
  const page = await tools.open({ at: '#/explore?model=creek' });
  await ready(page);
  const box = page.locator('#text');
  const top = async () => (await box.boundingBox())?.y;
  const [before, first] = [await top(), await box.inputValue()];
  await box.selectText();
  for (const letter of 'The zebra saw') {
    await page.keyboard.type(letter);
    assert.equal(await top(), before, 'nothing above the box moves');
  }
  await page.locator('body[data-model=austen]').waitFor();
  await page.keyboard.type(' my sister.');
  assert.equal(await box.inputValue(), 'The zebra saw my sister.', 'the reader types on');
  const read = () =>
    page.waitForFunction(() => {
      const words = [...document.querySelectorAll('.tokens-line:not([hidden]) .token-word')];
      const said = words.map((each) => each.textContent).join('');
      const maps = document.querySelector('#heatmap [role=application] canvas');
      return said === 'The␣zebra␣saw␣my␣sister.' && Reflect.get(Object(maps), 'height') === words.length;
    });
  await read();
  assert.equal(await focus(page), 'text');
  const said = page.locator('.text-moved');
  assert.match(await said.innerText(), /^Pronouns does not know “zebra”, “saw”, and 2 more: Austen, .*\. Back to Pro/);
  await page.waitForFunction(() => /text=The\+zebra\+saw\+my\+sister\./.test(location.hash));
  const link = page.url();

  await said.getByRole('button').click();
  await page.locator('body[data-model=creek]').waitFor();
  const isAsBefore = () => page.waitForFunction((text) => document.querySelector('#text')?.value === text, first);
  await isAsBefore();
  await page.goBack();
  await page.locator('body[data-model=austen]').waitFor();
  await read();
  await page.goBack();
  await page.locator('body[data-model=creek]').waitFor();
  await isAsBefore();
  await page.goForward();
  await page.locator('body[data-model=austen]').waitFor();
  await read();
  await page.reload();
  await page.locator('body[data-model=austen]').waitFor();
  await read();
  assert.equal(page.url(), link);
  await tools.close(page);
});

test('a link with an unknown word opens as it is; a long word takes little space', async () => {
  const page = await tools.open({ at: `#/explore?model=creek&text=the+${'x'.repeat(5000)}+dog` });
  await ready(page);
  const note = page.locator('#text-note');
  await page.waitForFunction(() => /“x+…”/.test(document.getElementById('text-note')?.textContent ?? ''));
  const { height } = (await note.boundingBox()) ?? { height: 0 };
  assert(height < 60, `${height} px`);
  assert.equal(await page.locator('body').getAttribute('data-model'), 'creek');
  assert.equal(await page.locator('#notices').innerText(), '');
  await tools.close(page);
});

const PATTERN = 'translate, another pattern: its last content word, and the English word that this attends to most';
test(PATTERN, async () => {
  const page = await tools.open({ model: 'translate' });
  await ready(page);
  const before = await page.locator('#target output').innerText();
  await openMenu(page, 'sentence-menus');
  await update(page, () => page.locator('#sentence-menus select').first().selectOption({ index: 1 }));
  await page.waitForFunction(
    (old) => document.querySelector('#target output')?.textContent?.trim() !== old && !/follow=1/.test(location.hash),
    before.trim(),
  );
  const own = shipped(tools.gf, 'translate');
  const [begin, end] = ['[BOS]', '[EOS]'].map((word) => own.targetVocabulary.indexOf(word));
  const english = await page.locator('#tokens-encoder .token-word').allInnerTexts();
  const sourceIds = own.ids(english.join(' '));
  const { newIds } = own.model.generateSync({ targetIds: [begin], sourceIds, maxTokens: 24, endId: end });
  own.model.forward({ sourceIds, targetIds: [begin, ...newIds.slice(0, -1)], capture: true });
  const french = [...newIds].map((id) => own.targetVocabulary[id]);
  const row = french.findLastIndex((word) => /^\p{L}{4,}$/u.test(word));
  const { heads, decoderLayers } = own.config;
  const means = english.map((_, key) =>
    Array.from({ length: heads }, (__, head) =>
      own.at(`decoder.layers.${decoderLayers - 1}.multihead_attn.weights`, 0, head, row, key),
    ).reduce((a, b) => a + b / heads, 0),
  );
  const key = means.indexOf(Math.max(...means));
  await page.waitForFunction(
    (place) => document.querySelector('#heatmap .map-readout bdi')?.textContent === place,
    `row ${french[row]}, column ${english[key]}`,
  );
  assertShown((await readout(page)).number, means[key]);
  await tools.close(page);
});

test('translate at 1440 px: the words of both languages once, the map begins close below their arcs', async () => {
  const page = await tools.open({ model: 'translate', layout: 'workspace', viewport: { width: 1440, height: 900 } });
  await ready(page);
  const { y } = (await page.locator('#heatmap .map-scroll').boundingBox()) ?? { y: NaN };
  assert(y <= 290, `the map begins at ${y}`); // the arcs of both strips have their own room
  await tools.close(page);
});

const VERSE =
  'Where you go, I will go, and your people will be my people, and your God will be my God, ' +
  'and where you die I will die.';

for (const [width, height, words, verse, tree] of [
  [1440, 900, 350, 500, 500],
  [1280, 720, 350, 500, 565],
  [390, 844, 560, 660, 1150],
])
  // prettier-ignore
  test(`${width} px: a target has all of the width, its map and its tree begin near the top`, async () => {
    const viewport = { width, height };
    for (const [link, most, isOpen] of /** @type {[string, number, boolean]} */ ([
      ['translate', words, false],
      [`spanish&text=${encodeURIComponent(VERSE)}`, verse, false],
      [`spanish&part=beams&text=${encodeURIComponent(VERSE)}`, tree, true],
    ])) {
      const page = await tools.open({ model: link, layout: 'workspace', viewport });
      const shown = page.locator(isOpen ? '.beams-tree' : '#heatmap .map-cells');
      await shown.waitFor();
      await page.locator('#target').waitFor();
      const top = () => shown.evaluate((each) => each.getBoundingClientRect().top);
      for (let i = 0; i < 50 && (await top()) > most; i++) await page.waitForTimeout(100); // its style is late
      assert((await top()) <= most, `${link}: it begins at ${await top()}`);
      // No token lies below the target's buttons.
      await page.waitForFunction(() => {
        const bar = /** @type {Element} */ (document.getElementById('target')).getBoundingClientRect();
        return [...document.querySelectorAll('.tokens-line .token-word')].every((each) => {
          const { left, right, top, bottom } = each.getBoundingClientRect();
          const strip = /** @type {Element} */ (each.closest('.tokens')).getBoundingClientRect();
          const isSeen = top >= strip.top - 1 && bottom <= strip.bottom + 1;
          const isBeside = left > bar.right || right < bar.left || top + 2 > bar.bottom || bottom - 2 < bar.top;
          return !isSeen || isBeside;
        });
      });
      await tools.close(page);
    }
  });

test('on a phone the box shows the whole sentence in the place of its words', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 390, height: 844 } });
  await ready(page);
  const map = page.locator('#heatmap .map-scroll');
  const before = await map.boundingBox();
  await page.locator('.edit-sentence').first().click();
  assert.equal((await map.boundingBox())?.y, before?.y, 'nothing moves');
  const areSeen = () =>
    page.locator('#tokens-encoder').evaluate((words) => words.checkVisibility({ opacityProperty: true }));
  assert.equal(await areSeen(), false);
  const { text, box } = await page
    .locator('#text')
    .evaluate((each) => ({ text: each.scrollHeight, box: each.clientHeight }));
  assert(text <= box, `${text} px of text in ${box}`);
  await page.keyboard.press('Escape');
  assert(await areSeen());
  await tools.close(page);
});
