// A sentence of one's own, which the pronoun model cannot read: Austen reads it, and goes on with a candidate.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadTokenizer } from 'glassformer/tokenizers';
import { texts } from '../checks.js';
import { accessible } from './axe.js';
import { click, eventually, fill, quiet, there } from './steps.js';

const TEXT = 'My sister bought a bicycle because it was cheap';

/** @param {import('./steps.js').Tour} tour */
export default function austen(tour) {
  test('an own sentence: Austen reads every word of it, with Node’s candidates, and goes on with one', async () => {
    const { page, gf, url } = tour;
    const { model, metadata } = await gf.loadModel(readFileSync('web/models/austen.safetensors'));
    const tokenizer = await loadTokenizer(JSON.parse(String(metadata.get('tokenizer'))));
    const read = [...tokenizer.encode(TEXT).ids];
    const candidates = (/** @type {number[]} */ ids) => {
      const { logits } = /** @type {any} */ (model.forward({ ids }));
      const row = [...logits.data.slice(-logits.shape[2]).entries()].sort((a, b) => b[1] - a[1]);
      return row.slice(0, 5).map(([id]) => tokenizer.label(id));
    };

    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/explore`);
    await there(page, '.answers-list');
    await page.evaluate(() => document.getElementById('text')?.focus());
    await fill(page, '#text', `${TEXT} `);
    await there(page, 'body[data-model=austen]'); // by itself
    await fill(page, '#text', TEXT);
    await eventually(async () =>
      assert.deepEqual(
        await texts(page, '.tokens-line:not([hidden]) .token-word'),
        read.map((id) => tokenizer.label(id)),
      ),
    );
    const first = candidates(read);
    await eventually(async () => assert.deepEqual(await texts(page, '.answers-list li button'), first));
    await click(page, '.answers-list li:nth-child(2) button', first[1]);
    const second = candidates([...read, Number(tokenizer.id(tokenOf(first[1])))]);
    await eventually(async () => assert.deepEqual(await texts(page, '.answers-list li button'), second));
    if (tour.name === 'chromium') await accessible(page, 'a sentence that Austen reads');
    model.free();
    await quiet(page);
  });
}

/** A token as the vocabulary writes it. @param {string} label */
const tokenOf = (label) => label.replace(/^␣/, 'Ġ');
