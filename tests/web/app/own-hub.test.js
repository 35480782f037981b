// A model of huggingface.co by its name, in Chromium: the page before a download, refusals, a break, Node's tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HUB, STORE, filesIn, startHub } from '../../hub.js';
import { savedOf, writeTorch } from '../../js/torch-writer.js';
import { askForOwn, ready, useBrowser } from '../browser.js';
import { startNetwork } from '../network.js';
import { eventually } from '../tour/steps.js';

const tools = useBrowser();
const gpt2 = filesIn(new URL('../../checkpoints/gpt2-2l/', import.meta.url));

test('by name: a pytorch_model.bin, announced, fetched over a break, the tokens of its folder; refusals', async () => {
  const { 'model.safetensors': weights, ...others } = gpt2;
  const hub = await startHub({
    'test/gated': gpt2,
    'test/mixtral': { 'config.json': Buffer.from('{"model_type":"mixtral"}') },
    'test/pickled': { ...others, 'pytorch_model.bin': writeTorch(savedOf(weights)) },
  });
  const { proxy, close } = await startNetwork(hub);
  const page = await tools.open({ model: '', layout: 'workspace', proxy, ignoreHTTPSErrors: true });
  try {
    /** @type {string[]} */
    const origins = []; // of what was answered
    page.on('requestfinished', (request) => void origins.push(new URL(request.url()).origin));
    await ready(page);
    await askForOwn(page);
    const box = page.locator('.own');
    const lookUp = async (/** @type {string} */ name) => {
      await page.getByLabel('Or by name, from huggingface.co').fill(name);
      await page.getByRole('button', { name: 'Look up' }).click();
    };
    assert.deepEqual(hub.asked, [], 'nothing is asked before the reader does');
    for (const [name, why] of [
      ['../evil', /“\.\.\/evil” was not opened: write it as organization\/model/],
      [
        'test/none',
        /“test\/none” was not opened: huggingface\.co has no such model, or it is private: check the name\./,
      ],
      ['test/elsewhere', /“test\/elsewhere” was not opened: huggingface\.co could not be reached/],
      ['test/gated', /it is gated: its makers give access on request/],
      [
        'test/mixtral',
        /its family is mixtral, which needs mixtures of experts, and this page opens bert, distilbert, /,
      ],
    ])
      await (await lookUp(String(name)), box.locator('.error').filter({ hasText: why }).waitFor());
    await lookUp('test/pickled');
    const facts = 'test/pickled: gpt2, 174 kB to download, 174 kB of memory, license mit.';
    await box.locator('[role=status] p').filter({ hasText: facts }).waitFor();
    assert(
      hub.asked.every((each) => /^\/api\/models\/test\/|config\.json/.test(each)),
      hub.asked.join('\n'),
    );
    hub.asked.length = 0;
    hub.break(9000);
    await page.getByRole('button', { name: 'Download and open' }).click();
    await page.locator('body[data-model^="file.pickled."], .own .error').first().waitFor();
    assert.deepEqual(await box.locator('.error').allTextContents(), [], hub.asked.join('\n'));
    assert.match(hub.asked[0], /resolve\/[\da-f]{40}\/config\.json$/);
    assert.deepEqual(
      hub.asked.filter((each) => each.startsWith('store')),
      ['store', 'store bytes=9000-'],
    );
    assert.deepEqual(new Set(origins), new Set([new URL(tools.url).origin, HUB, STORE]));
    const { tokenizer } = await tools.gf.loadModel(new URL('../../checkpoints/gpt2-2l/', import.meta.url));
    const text = await page.locator('#text').inputValue();
    const { ids } = /** @type {any} */ (tokenizer).encode(text);
    const labels = ids.map((/** @type {number} */ id) => /** @type {any} */ (tokenizer).label(id));
    await eventually(async () =>
      assert.deepEqual(await page.locator('.tokens-line:not([hidden]) .token-word').allTextContents(), labels),
    );
    await askForOwn(page);
    await lookUp('test/marian-2l');
    await box.locator('[role=status] p').filter({ hasText: 'test/marian-2l: marian, ' }).waitFor();
    await page.getByRole('button', { name: 'Download and open' }).click();
    await page.locator('body[data-model^="file.marian-2l."]').waitFor();
    const words = page.locator('#tokens-encoder .token-word');
    await eventually(async () => assert.deepEqual((await words.allTextContents()).slice(0, 2), ['␣The', '␣an']));
  } finally {
    for (const end of [close, hub.close]) end();
    await page.context().close(); // the refusals stand in its console
  }
});
