// Formulas in the browser: letters that every font has, and words of settings with a real subscript.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();

test('an identifier of one letter is that letter in italics, not one of the mathematical alphabets', async () => {
  const page = await tools.open({ model: 'creek' });
  await page.locator('#layer-norm math').first().waitFor();
  const letters = await page.evaluate(() =>
    [...document.querySelectorAll('mi')]
      .filter((each) => each.checkVisibility())
      .map((each) => {
        const { fontSize, fontFamily, fontStyle, textTransform } = getComputedStyle(each);
        const plain = document.createElement('span');
        plain.textContent = each.textContent;
        Object.assign(plain.style, { fontSize, fontFamily, fontStyle, position: 'absolute', display: 'block' });
        document.body.append(plain);
        const [own, wanted] = [each, plain].map((part) => part.getBoundingClientRect().width);
        plain.remove();
        return { text: String(each.textContent), own, wanted, fontStyle, textTransform };
      }),
  );
  for (const greek of ['γ', 'β', 'μ', 'σ', 'ε'])
    assert(
      letters.some(({ text }) => text === greek),
      greek,
    );
  for (const { text, own, wanted, fontStyle, textTransform } of letters) {
    assert.equal(fontStyle, /^\p{L}{2}/u.test(text) ? 'normal' : 'italic', text);
    assert.equal(textTransform, 'none', text);
    assert(Math.abs(own - wanted) < 1, `${text} is ${own} px wide, as plain text ${wanted}`);
  }
  await tools.close(page);
});

test('a subscript stands below the line of its letter, also without a mathematical font', async () => {
  const page = await tools.open({ model: 'creek' });
  await page.locator('#layer-norm math').first().waitFor();
  const drops = await page.evaluate(() =>
    [...document.querySelectorAll('msub')]
      .filter((each) => each.checkVisibility())
      .map((each) => {
        const [base, index] = [...each.children].map((part) => part.getBoundingClientRect().bottom);
        return { text: each.textContent, drop: (index - base) / parseFloat(getComputedStyle(each).fontSize) };
      }),
  );
  assert(drops.length > 10, String(drops.length));
  for (const { text, drop } of drops) assert(drop > 0.1, `${text}: ${drop} em`);
  await tools.close(page);
});

test('where the text says √d_k, k is a subscript', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.locator('#set-scoreScale').uncheck());
  const box = page.locator('section:has(#heatmap) .explain');
  await box.getByText('The division by').waitFor(); // on a busy machine an update of before may end in between
  assert.doesNotMatch(await box.innerText(), /d_k/);
  assert((await box.locator('msqrt msub', { hasText: 'dk' }).count()) > 0);
  await tools.close(page);
});
