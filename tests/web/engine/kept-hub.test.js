// A model of the hub in Chromium: kept by the Cache API, and opened when the hub is gone, here and in a worker.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { startHub } from '../../hub.js';
import { launchChromium } from '../engines.js';

test('a model is fetched once, and opens without its hub, in a later page and in a worker', async () => {
  const files = sirv(fileURLToPath(new URL('../../../dist', import.meta.url)), { dev: true });
  const server = createServer((request, response) => {
    if (request.url !== '/page') return files(request, response);
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html>');
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
  const hub = await startHub();
  const browser = await launchChromium();
  try {
    const context = await browser.newContext();
    /** @param {object} options of `load` @param {object} [more] of `loadModel` */
    const open = async (options, more = {}) => {
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${/** @type {any} */ (server.address()).port}/page`);
      const given = JSON.stringify({ endpoint: hub.endpoint, ...more });
      const result = await page.evaluate(`(async () => {
        const { load } = await import('/js/index.js');
        const gf = await load(${JSON.stringify({ variant: 'simd', ...options })});
        const steps = [];
        const onProgress = ({ loaded, total }) => steps.push(loaded <= total);
        const opened = await gf.loadModel('hub:test/gpt2-2l', { ...${given}, onProgress })
          .catch(({ message }) => message);
        if (!opened.model) return opened;
        const { logits } = await opened.model.forward({ ids: [5, 80, 12, 33] });
        return [steps.length > 0 && steps.every(Boolean), ...logits.data].join();
      })()`);
      await page.close();
      return result;
    };
    const first = await open({});
    assert.match(first, /^true,-?\d/);
    hub.asked.length = 0;
    assert.equal(await open({}), first);
    assert.deepEqual([...new Set(hub.asked.map((each) => /[\w.]+\.\w+/.exec(each)?.[0]))], ['config.json']);
    hub.close();
    assert.equal(await open({}), first);
    assert.equal(await open({ worker: true }), first);
    assert.match(await open({}, { cache: false }), /could not be reached/);
  } finally {
    await browser.close();
    server.close();
    hub.close();
  }
});
