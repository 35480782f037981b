// Every text of the page, and what style sheets add to it, is set in a face that the page brings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, useBrowser } from '../browser.js';

const tools = useBrowser();

/** The faces of all that is in sight, each with an element that has it. @param {import('playwright-core').Page} page */
async function facesOf(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument', { depth: 0 });
  // Elements with their own text, and those where a style sheet writes one; one of each text in each style.
  await page.evaluate(() => {
    const kinds = new Set();
    for (const each of document.body.querySelectorAll('*')) {
      const own = [...each.childNodes].flatMap((node) => (node.nodeType === 3 ? [node.textContent?.trim()] : []));
      const written = ['::before', '::after', '::marker'].map((which) => getComputedStyle(each, which).content);
      const text = [...own, ...written.filter((text) => text?.startsWith('"'))].join('');
      const { fontFamily, fontStyle } = getComputedStyle(each);
      const kind = [[...new Set(text)].sort().join(''), fontFamily, fontStyle].join('|');
      if (!text || kinds.has(kind) || !each.checkVisibility()) continue;
      kinds.add(kind);
      each.setAttribute('data-set', '');
    }
  });
  const { nodeIds } = await devtools.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: '[data-set]' });
  /** @type {Map<string, string>} */
  const found = new Map();
  let seen = 0;
  for (const nodeId of nodeIds) {
    try {
      const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
      const { outerHTML } = await devtools.send('DOM.getOuterHTML', { nodeId });
      for (const { familyName, isCustomFont } of fonts)
        found.set(isCustomFont ? 'own' : familyName, outerHTML.replace(/<!--.*?-->/g, ''));
      seen += 1;
    } catch (error) {
      // A page at work may have drawn this text anew in between; what is left is counted.
      if (!/Could not find node/.test(String(error))) throw error;
    }
  }
  await devtools.detach();
  return { seen, found };
}

for (const [name, at, wait] of [
  ['Explore', '', '.why-head math'],
  ['Explore, all of it', '#model=creek&layout=page', '#layer-norm math'],
  ['the textbook', '#book=10', '.book-formula'],
  ['Train', '#/train', '.train-front-head'],
  ['all claims', '#/claims?view=list', '#claims a[href*="card=19"]'],
  ['a card', '#/claims?card=2', '#claims .claims-choice'],
]) {
  test(`${name}: no text is set in an installed font`, async (t) => {
    const page = await tools.open({ at });
    await page.locator(wait).first().waitFor();
    if (!at.startsWith('#/')) await ready(page);
    // Opens the folds that are there.
    await page.evaluate(() => document.querySelectorAll('details').forEach((each) => (each.open = true)));
    await page.waitForFunction(() => document.fonts.status === 'loaded');
    const { seen, found } = await facesOf(page);
    t.diagnostic(`${seen} texts`);
    assert(seen > 30 && found.delete('own'), String(seen));
    assert.deepEqual([...found], []);
    await tools.close(page);
  });
}
