// Checkpoints in any engine, opened from files or by name: Node's tokens, weights and likeliest words.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { HUB, STORE } from '../../hub.js';
import { assertShown } from '../in-node.js';
import { assertPrinted, texts } from '../checks.js';
import { click, eventually, fill, headShown, move, open, quiet, readout, there } from './steps.js';

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
  const [row, key] = [ids.length - 2, 1];
  await move(page, '#heatmap', row, key);
  await eventually(async () => {
    const { layer, head } = await headShown(page); // the most telling one
    const { data } = model.tensor(`${stack}.layers.${layer}.self_attn.weights`);
    assertShown((await readout(page)).number, data[(head * ids.length + row) * ids.length + key], name);
  });
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

/**
 * Looks a model up by its name, and opens it.
 * @param {Tour} tour @param {string} name @param {RegExp} facts said of it first
 */
async function openByName({ page }, name, facts) {
  await fill(page, '#hub-name', `test/${name}`);
  await click(page, '.own-hub button', 'Look up');
  await eventually(async () => assert.match((await texts(page, '.own [role=status] p'))[0], facts));
  await click(page, '.own [role=status] button', 'Download and open');
  await there(page, `body[data-model^="file.${name}."]`);
}

/** @param {Tour} tour */
export function byName(tour) {
  test('gpt2-2l and a SmolLM: opened by name from huggingface.co, an own sentence, Node’s numbers', async () => {
    const { page, hub, gf } = tour;
    await openBox(tour);
    assert.deepEqual(hub.asked, [], 'nothing is asked before the reader does');
    await openByName(tour, 'gpt2-2l', /^test\/gpt2-2l: gpt2, 167 kB to download,\s/);
    await readText(tour, 'gpt2-2l', 'The creek was cold, and', 'decoder');

    // Today's block: what it is, why a score is what it is, without a head, going on.
    await click(page, '.models button');
    await openByName(tour, 'smollm-2l-bf16', /^test\/smollm-2l-bf16: llama, \d+ kB to download,\s/);
    const text = 'The creek was cold, and';
    await readText(tour, 'smollm-2l-bf16', text, 'decoder');
    assert.match((await texts(page, '#model-graph'))[0], /RMSNorm[^]*rotary[^]*gate × up/);
    await there(page, '.turns-dial');
    const [config, weights, tokenizer] = filesOf('smollm-2l-bf16');
    const own = await gf.loadModel({ config, weights, tokenizer });
    const { ids } = /** @type {NonNullable<typeof own.tokenizer>} */ (own.tokenizer).encode(text);
    const [row, key] = [ids.length - 2, 1];
    const { layer, head } = await headShown(page);
    const score = () => {
      const { data, shape } = own.model.tensor(`decoder.layers.${layer}.self_attn.scores`);
      return data[(head * Number(shape[2]) + row) * Number(shape[3]) + key];
    };
    own.model.forward({ ids, capture: true });
    await eventually(async () => assertPrinted((await texts(page, '.products .why-number'))[0], score()));
    const words = /** @type {NonNullable<typeof own.tokenizer>} */ (own.tokenizer);
    const likeliest = () => {
      const { data, shape } = own.model.tensor('logits');
      const at = data.subarray(row * Number(shape[2]), (row + 1) * Number(shape[2]));
      return words.label(at.indexOf(Math.max(...at))).replace(/\p{Cc}/gu, (sign) => `U+${hex(sign)}`);
    };
    await click(page, '#try .switch');
    own.model.forward({ ids, capture: true, ablate: [{ layer, head }] });
    await eventually(async () => assert.equal((await texts(page, '.answers-list li bdi'))[0], likeliest()));
    await click(page, '#try button', 'Undo');
    const before = (await texts(page, '.tokens-line:not([hidden]) .token-word')).length;
    await click(page, '.generation button', 'Generate');
    await eventually(async () =>
      assert((await texts(page, '.tokens-line:not([hidden]) .token-word')).length > before, 'it goes on'),
    );
    own.model.free();
    const asked = (await page.evaluate(() => Reflect.get(self, 'problems').splice(0))) // those of no other kind
      .map((/** @type {string} */ each) => each.replace('foreign request: ', ''));
    assert(
      asked.every((/** @type {string} */ each) => [HUB, STORE].includes(new URL(each).origin)),
      asked.join('\n'),
    );
    assert(asked.length >= 8 && hub.asked.includes('store'));
    await quiet(page);
  });
}

/** @param {Tour} tour */
export function translation(tour) {
  test('a Marian by name: its translation is Node’s, cross-attention has its numbers, the tree its beams', async () => {
    const { page, gf } = tour;
    const folder = new URL('../../checkpoints/marian-2l/', import.meta.url);
    const { model, tokenizer, targetTokenizer } = /** @type {any} */ (await gf.loadModel(folder));
    const text = 'I have no time left.';
    await openBox(tour);
    await openByName(tour, 'marian-2l', /^test\/marian-2l: marian, /);
    await fill(page, '#text', text);
    const sourceIds = [...tokenizer.encode(text).ids];
    const { ids, newIds } = model.generateSync({ sourceIds, rules: { ...model.rules, beams: 1 } });
    const labelsOf = (/** @type {any} */ words, /** @type {Iterable<number>} */ list) =>
      Array.from(list, (id) => words.label(id));
    await eventually(async () => {
      assert.deepEqual(await texts(page, '#tokens-encoder .token-word'), labelsOf(tokenizer, sourceIds));
      assert.deepEqual(await texts(page, '#tokens-decoder .token-word'), labelsOf(targetTokenizer, newIds));
    });
    const targetIds = [...ids].slice(0, -1);
    model.forward({ sourceIds, targetIds, capture: true });
    await move(page, '#heatmap', 1, 2);
    await eventually(async () => {
      const { layer, head } = await headShown(page);
      const { data } = model.tensor(`decoder.layers.${layer}.multihead_attn.weights`);
      const at = (head * targetIds.length + 1) * sourceIds.length + 2;
      assertShown((await readout(page)).number, data[at], `cross-attention ${layer}.${head}`);
    });
    await click(page, '#open-beams');
    const { beams } = await model.generate({ sourceIds, keep: 4 });
    await eventually(async () => {
      const ends = await texts(page, '.beams-ends li');
      beams.forEach((/** @type {any} */ { score }, /** @type {number} */ i) => {
        assert(ends[i].startsWith(`beam ${i + 1}`), ends[i]);
        assert(ends[i].endsWith(score.toFixed(2).replace('-', '−')), ends[i]);
      });
    });
    await click(page, '.beams-ends li:nth-child(2) button'); // becomes the target
    await eventually(async () =>
      assert.deepEqual(await texts(page, '#tokens-decoder .token-word'), labelsOf(targetTokenizer, beams[1].newIds)),
    );
    model.free();
    await page.evaluate(() => Reflect.get(self, 'problems').splice(0)); // requests to the hub
    await quiet(page);
  });
}
