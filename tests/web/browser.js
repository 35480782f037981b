// The built page in Chromium: starts both, and watches for what must not happen.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { serve } from '../../src/tools/serve.mjs';
import { launchChromium } from './engines.js';

/** @typedef {import('playwright-core').Page} Page */

const VIEWPORT = { width: 1280, height: 900 };

/** Problems that pages noted. @type {WeakMap<Page, string[]>} */
const problems = new WeakMap();
/** The options of each page, and closed pages to open again: that takes a third less than a new one. */
const kinds = new WeakMap();
/** @type {Map<string | undefined, Page[]>} */
const idle = new Map();

/** The tests of a process share these. @type {Promise<any> | undefined} */
let started;
async function start() {
  const server = await serve({ port: 0 });
  return { server, url: server.url, browser: await launchChromium(), gf: await load() };
}
/** Files that have not ended. */
let users = 0;

/**
 * Starts server, browser and module for the tests of a file, or takes those of another file of the same process.
 * @returns {{
 *   open: (options?: import('playwright-core').BrowserContextOptions & {
 *     model?: string, layout?: 'workspace' | 'page', at?: string, offline?: boolean, fresh?: boolean,
 *     setUp?: (page: Page) => Promise<void>,
 *   }) => Promise<Page>,
 *   close: (page: Page) => Promise<void>,
 *   gf: Awaited<ReturnType<typeof load>>, url: string,
 * }}
 */
export function useBrowser() {
  /** @type {any} */
  const tools = {};
  users++;
  before(async () => Object.assign(tools, await (started ??= start())));
  after(async () => {
    if (--users > 0) return;
    await tools.browser?.close();
    await tools.server?.close();
  });

  /**
   * @param {import('playwright-core').BrowserContextOptions} options
   * @param {{offline: boolean, fresh: boolean}} how
   */
  async function newPage(options, { offline, fresh }) {
    const context = await tools.browser.newContext({ viewport: VIEWPORT, ...options });
    const page = await context.newPage();
    const seen = [];
    problems.set(page, seen);
    page.on('console', (message) => seen.push(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => seen.push(`exception: ${error.message}`));
    page.on('requestfailed', (request) => seen.push(`failed: ${request.url()}`));
    page.on('response', (response) => {
      if (response.status() >= 400) seen.push(`${response.status()}: ${response.url()}`);
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== new URL(tools.url).origin && protocol !== 'data:') seen.push(`foreign request: ${request.url()}`);
    });
    // A run as fast as it goes, where a reader is shown it at leisure; a reader who has been here before.
    await page.addInitScript(
      (kept) => {
        if (location.protocol !== 'http:') return;
        for (const [name, value] of kept) localStorage.setItem(name, value);
      },
      [['glassformer-train-speed', '0'], ...(fresh ? [] : [['glassformer-opened', '1']])],
    );
    if (!offline) await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
    return page;
  }

  /** Leaves nothing of a test to the next. @param {Page} page @param {any} options the context's */
  async function forget(page, { colorScheme = null, forcedColors = null, reducedMotion = null }) {
    await page.goto('about:blank');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.emulateMedia({ media: null, colorScheme, forcedColors, reducedMotion });
    await page.mouse.move(-1, -1);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', { origin: new URL(tools.url).origin, storageTypes: 'all' });
    await devtools.detach();
  }

  /**
   * Opens the whole page: on the untrained playground, or another model by name, or '' for what the page opens on; or
   * the page at an address, as its link has it.
   * Without `offline` it does not fetch all files once more to keep them. `fresh`: by a reader who was never here.
   */
  tools.open = async ({ setUp, at, model = 'untrained', layout = 'page', offline = false, ...rest } = {}) => {
    const { fresh = false, ...options } = rest;
    const kind = setUp || offline || fresh ? undefined : JSON.stringify(options);
    const page = idle.get(kind)?.pop() ?? (await newPage(options, { offline, fresh }));
    kinds.set(page, kind);
    await page.setViewportSize(options.viewport ?? VIEWPORT);
    await setUp?.(page);
    const parts = [...(model ? [`model=${model}`] : []), ...(layout === 'page' ? ['layout=page'] : [])];
    await page.goto(tools.url + (at ?? (parts.length ? `#${parts.join('&')}` : '')));
    return page;
  };
  /** Ends a page that must have been quiet: no message, no error, no request elsewhere. */
  tools.close = async (page) => {
    assert.notEqual(hasRun.get(page), false, 'no worker took the code for it: its script has another name');
    hasRun.delete(page);
    assert.deepEqual(problems.get(page), []);
    const [context, kind] = [page.context(), kinds.get(page)];
    // A history of 50 entries grows no more.
    const isOld = await page.evaluate(() => history.length > 25);
    if (kind === undefined || isOld || context.pages().length > 1) return void (await context.close());
    await forget(page, JSON.parse(kind));
    problems.get(page).length = 0;
    idle.set(kind, [...(idle.get(kind) ?? []), page]);
  };
  return tools;
}

/** Of a page with code for its worker, whether that was fetched. @type {WeakMap<Page, boolean>} */
const hasRun = new WeakMap();

/**
 * Sets a page up so that code runs in its worker before the worker's own.
 * @param {string} code
 * @param {string} [script] the worker's
 * @returns {(page: Page) => Promise<void>}
 */
export const beforeWorker =
  (code, script = '**/worker-*.js') =>
  (page) => {
    hasRun.set(page, false);
    return page.route(script, async (route) => {
      hasRun.set(page, true);
      const response = await route.fetch();
      await route.fulfill({ response, body: `${code};${await response.text()}` });
    });
  };

/**
 * Code for a worker that lets calls of one of the module's functions trap.
 * @param {string} name
 * @param {string} when of which call, by its number
 */
export const trapping = (name, when) => `{
  const { instantiate } = WebAssembly;
  let call = 0;
  WebAssembly.instantiate = async (...all) => {
    const { exports } = await instantiate(...all);
    return { exports: { ...exports, ${name}(...values) {
      call++;
      if (${when}) throw new WebAssembly.RuntimeError('Out of bounds memory access');
      return exports.${name}(...values);
    } } };
  };
}`;

/** Waits until a picture is there, on the whole page every view. @param {Page} page */
export async function ready(page) {
  await page.locator('.head').first().waitFor({ state: 'attached' });
  await page.waitForFunction(
    () =>
      performance.getEntriesByName('glassformer:update').length && // panels aside come later than the map
      (document.documentElement.dataset.layout !== 'page' ||
        document.querySelector('#embedding :is(.map-readout strong, .map-empty:not([hidden]))')),
  );
}

/**
 * Does something and waits until all views were updated because of it.
 * @param {Page} page
 * @param {() => Promise<unknown>} action
 * @param {string} [model] that the action opens: what leaving the one before updates does not count
 * @returns {Promise<number>} milliseconds from the event to the updated views
 */
export async function update(page, action, model) {
  const from = await page.evaluate(() => performance.now());
  await action();
  // A result of what was done before may come late, so only updates count that began since.
  const updated = await page.waitForFunction(
    ({ since, opened }) =>
      performance
        .getEntriesByName('glassformer:update')
        .filter((entry) => entry.startTime >= since)
        .filter((entry) => !opened || /** @type {PerformanceMeasure} */ (entry).detail === opened)
        .at(-1)?.duration,
    { since: from, opened: model },
  );
  return /** @type {Promise<number>} */ (updated.jsonValue());
}

/**
 * Opens a menu of the bar, unless it is open.
 * @param {Page | import('playwright-core').Frame} page
 * @param {string} id
 */
export async function openMenu(page, id) {
  const menu = page.locator(`#${id} details.menu, details.menu#${id}`);
  if (!(await menu.evaluate((each) => /** @type {HTMLDetailsElement} */ (each).open)))
    await menu.locator('summary').click();
}

/**
 * Chooses a model and waits until it is shown.
 * @param {Page} page
 * @param {string} name
 */
export async function chooseModel(page, name) {
  await openMenu(page, 'models');
  await update(page, () => page.locator(`input[name=model][value=${name}]`).check(), name);
}

/** The tab stop of a view's map. @param {Page} page @param {string} [view] */
export const map = (page, view = '#heatmap') => page.locator(`${view} [role=application]`);

/**
 * The colours of the middle of each cell of the model graph's heads, as they are drawn.
 * @param {Page} page
 * @param {number} rows
 * @param {number} columns
 * @returns {Promise<number[][]>} bytes of each head
 */
export const headCells = (page, rows, columns) =>
  page.locator('.head-map').evaluateAll(
    (maps, [rows, columns]) =>
      maps.map((each) => {
        const canvas = /** @type {HTMLCanvasElement} */ (each.closest('.model-graph-heads')?.querySelector('canvas'));
        const [own, all] = [each, canvas].map((one) => one.getBoundingClientRect());
        const scale = canvas.width / all.width;
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        copy?.drawImage(canvas, 0, 0);
        const at = (/** @type {number} */ from, /** @type {number} */ share) => Math.floor((from + share) * scale);
        return Array.from({ length: rows * columns }, (_, i) => {
          const x = at(own.left - all.left, (((i % columns) + 0.5) * own.width) / columns);
          const y = at(own.top - all.top, ((Math.floor(i / columns) + 0.5) * own.height) / rows);
          return [...(copy?.getImageData(x, y, 1, 1).data ?? [])];
        }).flat();
      }),
    [rows, columns],
  );

/**
 * Points at a cell of a map.
 * @param {Page} page
 * @param {string} view
 * @param {number} row
 * @param {number} column
 * @param {'hover' | 'click'} [how]
 */
export async function point(page, view, row, column, how = 'hover') {
  const cells = map(page, view);
  const { rows, columns } = await cells
    .locator('canvas')
    .evaluate((canvas) => ({ rows: canvas.height, columns: canvas.width }));
  const { width, height } = await cells.boundingBox();
  const position = { x: ((column + 0.5) * width) / columns, y: ((row + 0.5) * height) / rows };
  await cells[how]({ position });
  if (how === 'click') return;
  // Late parts of the page may have moved the map from under the pointer.
  const note = page.locator(`${view} .map-note`);
  for (let i = 0; i < 5; i++) {
    const [said] = await note.allInnerTexts();
    if (said === undefined || (said.startsWith(`[${row}, `) && said.endsWith('under the pointer'))) return;
    await page.waitForTimeout(50);
    await cells.hover({ position });
  }
}

/**
 * The head whose map is shown.
 * @param {Pick<import('./engines.js').EnginePage, 'evaluate'>} page
 * @returns {Promise<[number, number]>} layer and head, from 0
 */
export async function headOf(page) {
  const title = await page.evaluate(() => document.querySelector('#heatmap .view-title')?.textContent ?? '');
  const [, layer, head] = /layer (\d+), head (\d+)/.exec(title) ?? [];
  return [Number(layer) - 1, Number(head) - 1];
}

/**
 * The readout of a view: the words, the number (NaN for words) and the text of the value.
 * @param {Page} page
 * @param {string} [view]
 */
export async function readout(page, view = '#heatmap') {
  // At one moment: between two questions the map may be drawn again.
  const { place, value, note } = await page.locator(`${view} .map-readout:has(strong)`).evaluate((line) => {
    /** @param {string} part */
    const text = (part) => /** @type {HTMLElement} */ (line.querySelector(part)).innerText;
    return { place: text('bdi'), value: text('strong'), note: text('.map-note') };
  });
  return { place, value, number: Number(value.replace('−', '-')), note };
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** axe finds nothing. @param {Page} page @param {string} [message] @param {string} [within] default: the whole page */
export async function assertAxe(page, message, within) {
  if (!(await page.evaluate(() => 'axe' in self))) await page.evaluate(axe);
  const violations = await page.evaluate(async (within) => {
    const found = await Reflect.get(self, 'axe').run(within ?? document, { resultTypes: ['violations'] });
    return found.violations.map(
      (/** @type {any} */ { id, nodes }) =>
        `${id}: ${nodes.map((/** @type {any} */ { html }) => html.slice(0, 120)).join(' | ')}`,
    );
  }, within);
  assert.deepEqual(violations, [], message);
}

/** Opens the box for a model of the reader's own. @param {Page} page */
export async function askForOwn(page) {
  await openMenu(page, 'models');
  await page.getByRole('button', { name: 'Open your own model…' }).click();
}

/**
 * Opens files as the reader's own model.
 * @param {Page} page
 * @param {{name: string, mimeType: string, buffer: Buffer}[]} files
 */
export async function openOwn(page, files) {
  if (!(await page.locator('.own').isVisible())) await askForOwn(page);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files…' }).click(),
  ]);
  assert(chooser.isMultiple());
  await chooser.setFiles(files);
}

/** The answers that Explore lists: each word with its probability. @param {Page} page */
export const listedAnswers = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.answers-list li')].map((item) => [
      item.querySelector('bdi')?.textContent,
      item.querySelector('.number')?.textContent,
    ]),
  );
