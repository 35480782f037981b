// Payloads of cross-site scripting by every way that a stranger has into the page: links, files, words, storage. A page
// without protection shows that each payload is alive, and that what watches would see it run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { FIELDS } from '../../../web/app/schema.js';
import { until } from '../engines.js';
import { eventually, fill, open, quiet, there } from './steps.js';

/** @typedef {import('../engines.js').EnginePage} EnginePage */

/** The code of a payload; the element that it makes carries the mark, too. */
const RUN = 'hits.push(1)';
const MARK = 'data-hit';

/** Without spaces, so that each is also one word. `auto`: runs by itself where it is put into a page as markup. */
const PAYLOADS = [
  { auto: true, text: `<img/src="x:"/${MARK}/onerror=${RUN}>` },
  { auto: false, text: `<svg/${MARK}/onload=${RUN}>` },
  { auto: false, text: `"><svg/${MARK}/onload=${RUN}>` },
  { auto: true, text: `'><img/src="x:"/${MARK}/onerror=${RUN}>` },
  { auto: false, text: `</title><svg/${MARK}/onload=${RUN}>` },
  { auto: true, text: `</script><img/src="x:"/${MARK}/onerror=${RUN}>` },
  { auto: true, text: `--><img/src="x:"/${MARK}/onerror=${RUN}>` },
  { auto: false, text: `</style><svg/${MARK}/onload=${RUN}>` },
  { auto: false, text: `</bdi></span></p><svg/${MARK}/onload=${RUN}>` },
  { auto: true, text: `<iframe/${MARK}/srcdoc="<script>parent.${RUN}</script>">` },
  { auto: true, text: `<video><source/src="x:"/${MARK}/onerror=${RUN}></video>` },
  { auto: true, text: `<audio/src="x:"/${MARK}/onerror=${RUN}>` },
  { auto: false, text: `<b/${MARK}><svg/onload=${RUN}></b>` },
  { auto: true, text: `<iframe/${MARK}/src="javascript:parent.${RUN}">` },
  { auto: true, text: `<iframe/${MARK}/onload=${RUN}>` },
  ...[
    `<script/${MARK}>${RUN}</script>`,
    `<a/${MARK}/href=javascript:${RUN}>x</a>`,
    `<a/${MARK}/href=data:text/html,<script>opener.${RUN}</script>>x</a>`,
    `<object/${MARK}/data=javascript:${RUN}>`,
    `<embed/${MARK}/src=data:text/html,x>`,
    `<form/${MARK}/action=javascript:${RUN}><button>x</button></form>`,
    `<button/${MARK}/formaction=javascript:${RUN}>x</button>`,
    `<meta/${MARK}/http-equiv=refresh/content=0;url=javascript:${RUN}>`,
    `<base/${MARK}/href=https://evil.invalid/>`,
    `<link/${MARK}/rel=stylesheet/href=https://evil.invalid/x.css>`,
    `<style/${MARK}>*{background:url(https://evil.invalid/)}</style>`,
    `<details/${MARK}/open/ontoggle=${RUN}>`,
    `<input/${MARK}/autofocus/onfocus=${RUN}>`,
    `<math/${MARK}><mtext><img/src="x:"/onerror=${RUN}></mtext></math>`,
    `<template/${MARK}><img/src="x:"/onerror=${RUN}></template>`,
  ].map((text) => ({ auto: false, text })),
  // No markup: harmful only where code, an address or a template is made of it.
  ...[
    `javascript:${RUN}`,
    `JaVaScRiPt:${RUN}//`,
    `data:text/html,<script>${RUN}</script>`,
    `"onmouseover=${RUN};"`,
    `'onfocus=${RUN};'autofocus`,
    `\${${RUN}}`,
    `{{${RUN}}}`,
    `<%=${RUN}%>`,
    `';${RUN};'`,
    `");${RUN};//`,
    `__proto__`,
    `constructor`,
    `url(javascript:${RUN})`,
    `\u2028${RUN}//`,
  ].map((text) => ({ auto: false, text })),
];
const WORDS = PAYLOADS.map(({ text }) => text);

/** Traces of the payloads in the page: code that ran, elements made of them, addresses and handlers. */
const trace = () => {
  const all = [...document.querySelectorAll('*')];
  return {
    ran: Reflect.get(self, 'hits')?.length ?? -1,
    made: all.filter((each) => each.hasAttribute('data-hit')).length,
    handlers: all.filter((each) => each.getAttributeNames().some((name) => /^on/.test(name))).length,
    addresses: all.filter((each) =>
      ['href', 'src', 'action', 'formaction', 'srcdoc', 'data'].some((name) =>
        /^\s*(javascript:|data:text)|evil\.invalid/i.test(each.getAttribute(name) ?? ''),
      ),
    ).length,
  };
};
const NOTHING = { ran: 0, made: 0, handlers: 0, addresses: 0 };

/** @param {EnginePage} page @param {string} way */
async function clean(page, way) {
  assert.deepEqual(await page.evaluate(trace), NOTHING, way);
  await quiet(page);
}

/**
 * Queries in which each payload stands once or more, and each name has several.
 * @param {string[]} names
 */
function* queries(names) {
  for (let from = 0; from < WORDS.length; from += Math.min(names.length, 11)) {
    yield new URLSearchParams(names.map((name, i) => [name, WORDS[(from + i) % WORDS.length]]));
  }
}

/** @param {EnginePage} page @param {string} hash */
async function follow(page, hash) {
  await page.evaluate((hash) => void (location.hash = hash), hash);
  await wait(50);
}

/** @param {EnginePage} page */
const watch = (page) => page.evaluate(() => void Reflect.set(self, 'hits', []));

/**
 * Gives the page files, as its reader does.
 * @param {EnginePage} page @param {string} selector @param {[name: string, bytes: Uint8Array | string][]} files
 */
const give = (page, selector, files) =>
  page.evaluate(
    ([selector, files]) => {
      const transfer = new DataTransfer();
      for (const [name, base64] of files)
        transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
      const input = document.querySelector(selector);
      input.files = transfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    },
    [selector, files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])],
  );

/** @param {string} name @returns {Buffer} */
const checkpoint = (name) => readFileSync(new URL(`../../checkpoints/bert-2l/${name}`, import.meta.url));

/** A BERT that says payloads: most of its words are some. */
function bert() {
  const tokenizer = JSON.parse(checkpoint('tokenizer.json').toString());
  const words = Object.keys(tokenizer.model.vocab);
  const said = words.map((word, id) => (id < 20 ? word : (WORDS[id - 20] ?? word)));
  tokenizer.model.vocab = Object.fromEntries([...new Set(said)].map((word) => [word, said.indexOf(word)]));
  return { tokenizer: JSON.stringify(tokenizer), config: JSON.parse(checkpoint('config.json').toString()) };
}

/** @param {import('./steps.js').Tour} tour */
export default function hostile(tour) {
  test('hostile: the payloads run where nothing keeps them from it, and the watch sees them', async () => {
    const { page } = tour;
    const html = '<!doctype html><link rel="icon" href="data:,"><title>Control</title><main></main>';
    const server = createServer(
      (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end(html),
    );
    await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(null)));
    try {
      await page.goto(`http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`);
      for (const { auto, text } of PAYLOADS) {
        await watch(page);
        await page.evaluate((text) => {
          /** @type {any} */ (document.querySelector('main')).innerHTML = text;
        }, text);
        if (auto)
          await until(page, () => Reflect.get(self, 'hits').length, null, 10_000).catch(() => assert.fail(text));
        const { made, handlers, addresses } = await page.evaluate(trace);
        if (text.includes(MARK)) assert(made || handlers || addresses, `unseen: ${text}`);
      }
    } finally {
      await page.goto(`${tour.url}empty.html`);
      server.closeAllConnections();
      server.close();
      page.messages?.splice(0); // messages of the control
    }
  });

  test('hostile: nothing of a link, a text, a file, a name or the storage runs or becomes markup', async () => {
    const { page, url, gf } = tour;
    await open(tour, 'creek');
    await watch(page);
    const names = FIELDS.map(({ address }) => address).filter((name) => name !== 'model');
    for (const query of queries(names)) await follow(page, `#model=creek&${query}`);
    for (const word of WORDS.slice(0, 6)) {
      const named = encodeURIComponent(word);
      await follow(page, `#model=${named}&text=${named}`);
      await follow(page, `#model=file.${named}.12&text=${named}`);
    }
    await clean(page, 'links');

    await open(tour, 'creek');
    await watch(page);
    for (const word of [...WORDS.slice(0, 12), WORDS.join(' ')]) {
      await fill(page, '#text', word);
      await wait(20);
    }
    await until(page, () => document.querySelector('#text-note')?.textContent?.trim());
    await clean(page, 'the own text');

    // A model of this project: its words, recipe, metadata and name.
    const own = gf.createModel({ kind: 'encoder', vocabulary: WORDS.length, d_model: 16, head: 'linear', seed: 3 });
    const recipe = { [WORDS[0]]: WORDS[1], task: WORDS[2], data: WORDS[3] };
    const metadata = { [WORDS[4]]: WORDS[5], scores: WORDS[6], title: WORDS[7] };
    const file = await own.save({ vocabulary: WORDS, recipe, metadata });
    await page.evaluate(() => {
      document.querySelector('#models details')?.setAttribute('open', '');
      document.querySelector('.models button')?.setAttribute('data-own', '');
    });
    await page.click('[data-own]');
    await there(page, 'input[name=own-files]');
    await give(page, 'input[name=own-files]', [[`${WORDS[0].replaceAll('/', ' ')}.safetensors`, file]]);
    await there(page, 'body[data-model^="file."]');
    await fill(page, '#text', WORDS.slice(0, 8).join(' '));
    await until(page, () => document.querySelector('.token.unknown'));
    await clean(page, 'a model of this project');
    own.free();

    // A checkpoint: its tokens; what is refused names what it has read.
    const { tokenizer, config } = bert();
    const weights = checkpoint('model.safetensors');
    for (const word of WORDS.slice(0, 6)) {
      const bad = { ...config, model_type: word, hidden_act: word, architectures: [word] };
      await page.evaluate(() => {
        document.querySelector('#models details')?.setAttribute('open', '');
        document.querySelector('.models button')?.setAttribute('data-own', '');
      });
      if (!(await page.evaluate(() => document.querySelector('input[name=own-files]')))) await page.click('[data-own]');
      await there(page, 'input[name=own-files]');
      await give(page, 'input[name=own-files]', [
        ['config.json', JSON.stringify(bad)],
        ['model.safetensors', weights],
      ]);
      await until(page, () => document.querySelector('#own .error, .own .error, .error')?.textContent?.trim());
    }
    await clean(page, 'a refused checkpoint');
    await give(page, 'input[name=own-files]', [
      ['config.json', JSON.stringify(config)],
      ['model.safetensors', weights],
      ['tokenizer.json', tokenizer],
    ]);
    await until(page, () => !document.querySelector('input[name=own-files]')?.closest(':not([hidden])') || 1);
    await fill(page, '#text', 'The creek was [MASK].');
    await eventually(async () =>
      assert(await page.evaluate(() => document.querySelector('.answers-list')?.textContent?.includes('hits.push'))),
    );
    await clean(page, 'a checkpoint’s tokens');

    // Train and Claims: their links, a run file, the reader's own text, the storage of this browser.
    await page.evaluate((words) => {
      const kept = {
        [words[0]]: words[1],
        task: 'order',
        before: { settings: words[2], loss: words[3] },
        page: words[4],
      };
      for (const name of ['claims', 'book', 'puzzles', 'train-before', 'train-hidden'])
        localStorage.setItem(`glassformer-${name}`, JSON.stringify(name === 'claims' ? { answers: [kept] } : kept));
    }, WORDS);
    await page.goto(`${url}empty.html`);
    await page.goto(`${url}#/train?task=order&seed=2`);
    await there(page, '.train-play');
    await watch(page);
    const run = gf.createModel({ kind: 'encoder', vocabulary: WORDS.length, d_model: 16, head: 'linear', seed: 3 });
    const saved = await run.trainer().save({ vocabulary: WORDS, recipe: { ...recipe, task: WORDS[0] }, metadata });
    await give(page, '.train-keep input', [[`${WORDS[1].replaceAll('/', ' ')}.safetensors`, saved]]);
    await until(page, () => document.querySelector('.train-notice:not([hidden])')?.textContent?.trim());
    run.free();
    for (const query of queries(['task', 'seed', 'norm', 'at', 'step', 'runs', 'threshold', 'twins']))
      await follow(page, `#/train?${query}`);
    for (const query of queries(['seed', 'positions', 'mask', 'heads'])) await follow(page, `#/claims?card=4&${query}`);
    await until(page, () => document.querySelector('.claims-choice, .claims-problem, .claims-list'));
    await clean(page, 'links of Train and Claims, a run file, the storage');
    await page.evaluate(() => localStorage.clear());
  });
}
