// Actions of a reader in a page of any engine, and faults that the page must not show meanwhile.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { headOf } from '../browser.js';
import { assertShown, shipped } from '../in-node.js';
import { numberOf } from '../checks.js';
import { until } from '../engines.js';

/**
 * @typedef {import('../engines.js').EnginePage} EnginePage
 * @typedef {Awaited<ReturnType<typeof import('glassformer').load>>} Engine
 * @typedef {{name: string, page: EnginePage, url: string, gf: Engine,
 *   hub: Awaited<ReturnType<typeof import('../../hub.js').startHub>>,
 *   append: (name: string, text: string) => () => void}} Tour an engine with its page; `append`: puts text after a
 * file of the page, until what it returns is called; `hub`: what it finds as huggingface.co
 */

export const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
export const ROW = 12; // “it”, at which creek opens

/** Opens the page again. @param {Tour} tour @param {string} model and what follows it in the link */
export async function open({ page, url }, model) {
  await page.goto(`${url}empty.html`); // another hash alone would not load the page
  await page.goto(`${url}#model=${model}${model.includes('layout=') ? '' : '&layout=page'}`); // every view at once
  await until(page, () => document.querySelector('.head') && document.querySelector('#heatmap strong')?.textContent);
  await until(page, () => performance.getEntriesByName('glassformer:update').length); // panels aside come later
}

/**
 * A shipped model in Node.
 * @param {Tour} tour
 * @param {string} name
 * @param {object} [options] of its pass over the known text
 */
export function ownOf({ gf }, name, options = {}) {
  const own = shipped(gf, name);
  own.model.forward({ ids: own.ids(KNOWN), capture: true, ...options });
  return own;
}

/** The head at which creek opens. @param {EnginePage} page */
export async function headShown(page) {
  const [layer, head] = await headOf(page);
  return { layer, head, prefix: `encoder.layers.${layer}.self_attn` };
}

/**
 * Checks again and again, for ten seconds, as engines take their time.
 * @template T
 * @param {() => Promise<T>} check
 * @returns {Promise<T>}
 */
export async function eventually(check) {
  for (const end = Date.now() + 10_000; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await wait(50);
  }
}

/** The readout of a map at its cursor. @param {EnginePage} page @param {string} [view] */
export const readout = (page, view = '#heatmap') =>
  page
    .evaluate(async (view) => {
      // Where a click left the pointer, a page that scrolls may have put a cell under it.
      // Read at once: in the next frame WebKit may say that the pointer is there again.
      await new Promise(requestAnimationFrame);
      document.querySelector(`${view} [role=application]`)?.dispatchEvent(new PointerEvent('pointerleave'));
      const text = (part) => document.querySelector(`${view} .map-readout ${part}`)?.textContent ?? '';
      return { place: text('bdi'), value: text('strong'), note: text('.map-note') };
    }, view)
    .then(({ place, value, note }) => ({ place, value, note, number: numberOf(value) }));

/**
 * The number under a map's cursor.
 * @param {EnginePage} page
 * @param {string} view
 * @param {number} wanted
 * @param {string} [message]
 */
export const shown = (page, view, wanted, message = '') =>
  eventually(async () => assertShown((await readout(page, view)).number, wanted, message));

/** As a reader types or chooses. @param {EnginePage} page @param {string} selector @param {string} value */
export const fill = (page, selector, value) =>
  page.evaluate(
    ([selector, value]) => {
      const field = /** @type {HTMLInputElement} */ (document.querySelector(selector));
      field.value = value;
      for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
    },
    [selector, value],
  );

/**
 * Puts a map's cursor into a cell, by keys; once more where a slow engine lost or doubled one.
 * @param {EnginePage} page
 * @param {string} view
 * @param {number} row
 * @param {number} column
 */
export async function move(page, view, row, column) {
  for (let tries = 0; tries < 4; tries++) {
    await page.evaluate(
      (view) => /** @type {HTMLElement} */ (document.querySelector(`${view} [role=application]`)).focus(),
      view,
    );
    for (let up = 0; up < 2; up++) await page.press('PageUp');
    await page.press('Home');
    for (let down = 0; down < row; down++) await page.press('ArrowDown');
    for (let right = 0; right < column; right++) await page.press('ArrowRight');
    for (const end = Date.now() + 1000; Date.now() < end; await wait(50)) {
      if ((await readout(page, view)).note.startsWith(`[${row}, ${column}]`)) return;
    }
  }
  assert.fail(`${view}: the cursor does not reach [${row}, ${column}] by keys`);
}

/**
 * Points at a cell of a map, and presses; once more where the page moved beneath the pointer, as what was still to
 * come has come.
 * @param {EnginePage} page
 * @param {string} view
 * @param {number} row
 * @param {number} column
 * @param {boolean} [press]
 */
export async function point(page, view, row, column, press = false) {
  const place = () =>
    page.evaluate(
      async ([view, row, column]) => {
        const map = /** @type {Element} */ (document.querySelector(`${view} [role=application]`));
        map.scrollIntoView({ block: 'center', behavior: 'instant' });
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
        const { left, top, width, height } = map.getBoundingClientRect();
        const { width: columns, height: rows } = /** @type {HTMLCanvasElement} */ (map.querySelector('canvas'));
        return { x: left + ((column + 0.5) * width) / columns, y: top + ((row + 0.5) * height) / rows };
      },
      [view, row, column],
    );
  let to = await place();
  for (let tries = 0; tries < 4; tries++) {
    await page.point(to.x, to.y, press);
    const now = await place();
    if (Math.hypot(now.x - to.x, now.y - to.y) < 1) return;
    to = now;
  }
}

/** Points at the n-th of the elements. @param {EnginePage} page @param {string} selector @param {number} n */
export async function pointAt(page, selector, n) {
  const { x, y } = await page.evaluate(
    ([selector, n]) => {
      const element = document.querySelectorAll(String(selector))[Number(n)];
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    },
    [selector, n],
  );
  await page.point(x, y);
}

/**
 * Clicks the n-th of the elements, or the button of these words, once it is there.
 * @param {EnginePage} page
 * @param {string} selector
 * @param {number | string} [which]
 */
export async function click(page, selector, which = 0) {
  await eventually(() =>
    page.evaluate(
      ([selector, which]) => {
        const all = [...document.querySelectorAll(String(selector))];
        const chosen = typeof which === 'number' ? all[which] : all.find((each) => each.textContent?.trim() === which);
        if (!chosen) throw new Error(`no ${which} among ${all.length} ${selector}`);
        const inside = chosen.localName === 'summary' ? chosen.parentElement?.parentElement : chosen;
        for (let fold = inside?.closest('details'); fold; fold = fold.parentElement?.closest('details'))
          fold.open = true;
        chosen.setAttribute('data-tour', '');
      },
      [selector, which],
    ),
  );
  await page.click('[data-tour]');
  await page.evaluate(() => document.querySelector('[data-tour]')?.removeAttribute('data-tour'));
}

/** The n-th head of the grid, by layer. @param {EnginePage} page @param {number} n */
export const chooseHead = (page, n) => click(page, '.head', n);

/** Once it has arrived. @param {EnginePage} page @param {string} selector */
export const there = (page, selector) => until(page, (selector) => Boolean(document.querySelector(selector)), selector);

/** Once it is gone. @param {EnginePage} page @param {string} selector */
export const gone = (page, selector) => until(page, (selector) => !document.querySelector(selector), selector);

/** Opens what is folded. @param {EnginePage} page @param {string} details */
export const unfold = (page, details) =>
  page.evaluate((all) => {
    for (const each of document.querySelectorAll(all)) /** @type {HTMLDetailsElement} */ (each).open = true;
  }, details);

/**
 * Catches what the page is to save: WebDriver hands out no file.
 * @param {EnginePage} page
 * @returns {Promise<(view: string, button: string) => Promise<{name: string, bytes: Buffer}>>} what a button saves
 */
export async function catchFiles(page) {
  await page.evaluate(() => {
    const blobs = new Map();
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => {
      const address = createObjectURL.call(URL, blob);
      blobs.set(address, blob);
      return address;
    };
    Reflect.set(self, 'files', []);
    HTMLAnchorElement.prototype.click = function catchFile() {
      Reflect.get(self, 'files').push({ name: this.download, blob: blobs.get(this.href) });
    };
  });
  let count = 0;
  return async (view, button) => {
    await click(page, `${view} button`, button);
    const found = await until(
      page,
      async (at) => {
        const { name, blob } = Reflect.get(self, 'files')[at] ?? {};
        if (!blob) return null;
        const address = await new Promise((resolve) => {
          const reader = new FileReader();
          reader.onload = () => resolve(reader.result);
          reader.readAsDataURL(blob);
        });
        return { name, base64: String(address).split(',')[1] };
      },
      count,
    );
    count++;
    return { name: found.name, bytes: Buffer.from(found.base64, 'base64') };
  };
}

/** Nothing that must not happen has happened since the page was opened. @param {EnginePage} page */
export async function quiet(page) {
  assert.deepEqual([...page.messages, ...(await page.evaluate(() => Reflect.get(self, 'problems')))], []);
}
