// A model of huggingface.co by its name, in Chromium: its real addresses, answered by the hub of the tests; what is
// told before, a break on the way, cancelling, refusals, and Node's numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HUB, STORE, answerAsReal, filesIn, startHub } from '../../hub.js';
import { askForOwn, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
const gpt2 = filesIn(new URL('../../checkpoints/gpt2-2l/', import.meta.url));

/**
 * Answers every request to another origin, redirects one by one. @param {import('playwright-core').Page} page
 * @param {Awaited<ReturnType<typeof startHub>>} hub
 * @returns {Promise<string[]>} the addresses
 */
async function standIn(page, hub) {
  /** @type {string[]} */
  const asked = [];
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: 'https://*' }] });
  devtools.on('Fetch.requestPaused', async ({ requestId, request }) => {
    const { Range: range = '' } = request.headers;
    asked.push(`${request.url} ${range}`.trim());
    const response = await answerAsReal(hub, request.url, { headers: range ? { range } : {} });
    if (!response) return devtools.send('Fetch.failRequest', { requestId, errorReason: 'AddressUnreachable' });
    const chunks = [];
    try {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    } catch {
      // the connection broke: so much has come
    }
    const responseHeaders = [...response.headers].map(([name, value]) => ({ name, value }));
    const body = Buffer.concat(chunks).toString('base64');
    return devtools.send('Fetch.fulfillRequest', { requestId, responseCode: response.status, responseHeaders, body });
  });
  return asked;
}

test('by name: told first, downloaded over a break, the tokens of its folder; refusals in a sentence', async () => {
  const hub = await startHub({
    'test/gated': gpt2,
    'test/llama': { 'config.json': Buffer.from('{"model_type":"llama"}') },
  });
  const page = await tools.open({ model: '', layout: 'workspace' });
  try {
    const asked = await standIn(page, hub);
    await ready(page);
    await askForOwn(page);
    const box = page.locator('.own');
    const lookUp = async (/** @type {string} */ name) => {
      await page.getByLabel('Or by name, from huggingface.co').fill(name);
      await page.getByRole('button', { name: 'Look up' }).click();
    };
    assert.deepEqual(asked, [], 'nothing is asked before the reader does');
    for (const [name, why] of [
      ['../evil', /“\.\.\/evil” was not opened: write it as organization\/model/],
      [
        'test/none',
        /“test\/none” was not opened: huggingface\.co has no such model, or it is private: check the name\./,
      ],
      ['test/gated', /it is gated: its makers give access on request/],
      ['test/llama', /its family is llama, and this page opens bert, distilbert, /],
    ])
      await (await lookUp(String(name)), box.locator('.error').filter({ hasText: why }).waitFor());
    await lookUp('test/gpt2-2l');
    const facts = 'test/gpt2-2l: gpt2, 167 kB to download, 162 kB of memory, license mit.';
    await box.locator('[role=status] p').filter({ hasText: facts }).waitFor();
    assert(
      asked.every((each) => each.startsWith(`${HUB}/api/models/test/`)),
      asked.join('\n'),
    );
    asked.length = 0;
    hub.break(9000);
    await update(page, () => page.getByRole('button', { name: 'Download and open' }).click());
    await page.locator('body[data-model^="file.gpt2-2l."]').waitFor();
    const commit = /resolve\/([\da-f]{40})\/config\.json$/.exec(asked[0])?.[1];
    assert.ok(commit, asked[0]);
    const store = asked.filter((each) => each.startsWith(`${STORE}/`));
    assert.deepEqual(
      store.map((each) => each.split(' ')[1]),
      [undefined, 'bytes=9000-'],
    );
    assert(asked.every((each) => each.startsWith(`${HUB}/`) || each.startsWith(`${STORE}/`)));
    const { tokenizer } = await tools.gf.loadModel(new URL('../../checkpoints/gpt2-2l/', import.meta.url));
    const text = await page.locator('#text').inputValue();
    const { ids } = /** @type {any} */ (tokenizer).encode(text);
    assert.deepEqual(
      await page.locator('.tokens-line:not([hidden]) .token-word').allTextContents(),
      ids.map((/** @type {number} */ id) => /** @type {any} */ (tokenizer).label(id)),
    );
  } finally {
    hub.close();
    await page.context().close(); // the refusals stand in its console
  }
});
