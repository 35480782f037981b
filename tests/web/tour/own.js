// Checkpoints in any engine, opened from files or by name: Node's tokens, weights and likeliest words.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { HUB, STORE } from '../../hub.js';
import { texts } from '../checks.js';
import { click, eventually, fill, move, open, quiet, shown, there } from './steps.js';

/** @typedef {import('./steps.js').Tour} Tour */

const NAMES = ['config.json', 'model.safetensors', 'tokenizer.json'];
const filesOf = (/** @type {string} */ name) =>
  NAMES.map((file) => readFileSync(new URL(`../../checkpoints/${name}/${file}`, import.meta.url)));

/** @param {string} sign */
const hex = (sign) => sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');

/**
 * Types a text, and compares what the page shows of it with Node.
 * @param {Tour} tour @param {string} name @param {string} text @param {'encoder' | 'decoder'} stack
 */
async function readText({ page, gf }, name, text, stack) {
  await fill(page, '#text', text);
  const [config, weights, tokens] = filesOf(name);
  const { model, tokenizer } = await gf.loadModel({ config, weights, tokenizer: tokens });
  const words = /** @type {NonNullable<typeof tokenizer>} */ (tokenizer);
  const { ids } = words.encode(text);
  await eventually(async () =>
    assert.deepEqual(
      await texts(page, '.tokens-line:not([hidden]) .token-word'),
      ids.map((id) => words.label(id)),
    ),
  );
  model.forward({ ids, capture: true });
  const { data } = model.tensor(`${stack}.layers.0.self_attn.weights`);
  const [row, key] = [ids.length - 2, 1];
  await move(page, '#heatmap', row, key);
  await shown(page, '#heatmap', data[row * ids.length + key], name);
  const logits = model.tensor('logits');
  const width = Number(logits.shape.at(-1));
  const best = [
    ...gf
      .softmax(logits)
      .data.subarray(row * width, (row + 1) * width)
      .entries(),
  ]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([id]) => words.label(id).replace(/\p{Cc}/gu, (sign) => `U+${hex(sign)}`)); // as the page names them
  await eventually(async () => assert.deepEqual(await texts(page, '.answers-list li bdi'), best));
  model.free();
}

/** Opens the page, and the box for a model of one's own. @param {Tour} tour */
async function openBox(tour) {
  await open(tour, 'creek');
  await click(tour.page, '.models button');
  await there(tour.page, 'input[name=own-files]');
}

/** @param {Tour} tour */
export function fromFiles(tour) {
  test('bert-2l: opened from its files, Node’s tokens, a cell of a head, the likeliest words', async () => {
    const { page } = tour;
    await openBox(tour);
    const files = filesOf('bert-2l');
    await page.evaluate(
      (given) => {
        const transfer = new DataTransfer();
        for (const [file, bytes] of given)
          transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], file));
        const input = /** @type {HTMLInputElement} */ (document.querySelector('input[name=own-files]'));
        input.files = transfer.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));
      },
      NAMES.map((file, i) => [file, files[i].toString('base64')]),
    );
    await there(page, 'body[data-model^="file."]'); // it opens at its first layer's first head
    await readText(tour, 'bert-2l', 'The creek was [MASK], and the dog jumped.', 'encoder');
    await quiet(page);
  });
}

/** @param {Tour} tour */
export function byName(tour) {
  test('gpt2-2l: opened by its name from huggingface.co, and an own sentence in it, with Node’s numbers', async () => {
    const { page, hub } = tour;
    await openBox(tour);
    await fill(page, '#hub-name', 'test/gpt2-2l');
    assert.deepEqual(hub.asked, [], 'nothing is asked before the reader does');
    await click(page, '.own-hub button', 'Look up');
    await eventually(async () =>
      assert.match((await texts(page, '.own [role=status] p'))[0], /^test\/gpt2-2l: gpt2, 167 kB to download,\s/),
    );
    await click(page, '.own [role=status] button', 'Download and open');
    await there(page, 'body[data-model^="file.gpt2-2l."]');
    await readText(tour, 'gpt2-2l', 'The creek was cold, and', 'decoder');
    const asked = (await page.evaluate(() => Reflect.get(self, 'problems').splice(0))) // those of no other kind
      .map((/** @type {string} */ each) => each.replace('foreign request: ', ''));
    assert(
      asked.every((/** @type {string} */ each) => [HUB, STORE].includes(new URL(each).origin)),
      asked.join('\n'),
    );
    assert(asked.length >= 4 && hub.asked.includes('store'));
    await quiet(page);
  });
}
