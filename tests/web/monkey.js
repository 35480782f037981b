// A reader who does anything at all, in all places of the page: clicks, types, chooses, presses keys, goes back and on,
// changes place, theme and window. The page says nothing on the console, and shows no raw error.
import assert from 'node:assert/strict';
import { setTimeout as timeout } from 'node:timers/promises';
import { Random } from 'glassformer/tasks';

/** @typedef {import('playwright-core').Page} Page */

const STILL = 60_000; // ms that an action may take
const PLACES = ['#/explore', '#/train', '#/claims'];
const KEYS = [
  ...['Tab', 'Shift+Tab', 'Enter', 'Space', 'Escape', 'Home', 'End', 'PageUp', 'PageDown', 'Backspace'],
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Control+z', 'Control+Shift+z'],
];
const WORDS = [
  ...['the dog was tired .', 'creek ', 'it ', 'xyzzy ', '. ', '🦊', '[MASK] ', '"', '<b>'],
  ...['9e9', '-1', '0', '0.5', '7', '1e-9', '', ' '],
];
const SIZES = [
  ...[320, 390, 768, 1024, 1280, 1440, 1920].map((width) => ({ width, height: 900 })),
  { width: 1280, height: 480 },
];

/** Runs in the page before its own scripts: notes each text and label that no reader should see. */
function watchTexts() {
  const CODE = 'pre, code, textarea, script, style, output.code';
  const LABELS = ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt'];
  // The page takes no native drag of a link or of chosen text. The driver can wait for ever for such a drag: it looks
  // away before the browser's message of it need have come.
  addEventListener('dragstart', (event) => event.preventDefault(), true);
  const RAW = new RegExp(
    [
      '\\bundefined\\b|\\bNaN\\b(?! or infinity)|\\[object |\\b(?:[A-Z]\\w*Error|Exception)\\b',
      '\\b[A-Za-z_]\\w*\\[\\d+\\]', // the place in an argument, such as patches[0].index[1]
      '(?:^|[(:] ?)[a-z]\\w*(?:\\.\\w+)*: (?:must|is|are|has|have|needs|not|takes|expected|unknown)\\b',
      'Cannot |is not a function|is not iterable|\\baborted\\b',
    ].join('|'),
  );
  /** @type {string[]} */
  const raw = (Reflect.set(self, 'raw', []), Reflect.get(self, 'raw'));
  /** @param {string} text @param {Element | null} at */
  const note = (text, at) => {
    if (RAW.test(text) && !at?.closest(CODE))
      raw.push(`${at?.id || at?.className || at?.tagName}: ${text.trim().slice(0, 200)}`);
  };
  /** @param {Node} node */
  const walk = (node) => {
    if (node instanceof Text) note(node.data, node.parentElement);
    if (node instanceof Element)
      for (const label of LABELS) if (node.hasAttribute(label)) note(String(node.getAttribute(label)), node);
    for (const child of node.childNodes) walk(child);
  };
  new MutationObserver((records) => {
    for (const { type, target, addedNodes, attributeName } of records) {
      if (type === 'attributes') note(String(/** @type {Element} */ (target).getAttribute(attributeName)), target);
      else if (type === 'characterData') walk(target);
      else addedNodes.forEach(walk);
    }
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: LABELS,
  });
}

/**
 * Chooses a control that can be seen, brings it into the window, and sets it where a click would not do.
 * @param {Page} page @param {number} chance @param {number} place in it @param {string} text
 * @returns {Promise<{what: string, x: number, y: number, click: boolean} | null>}
 */
const choose = (page, chance, place, text) =>
  page.evaluate(
    ({ chance, place, text }) => {
      const CONTROLS =
        'button, input, select, textarea, summary, [role=application], [role=radio], a[href^="#"], .token';
      const OTHERS = '.own [type=submit], .own input, input[type=file], [download]'; // which leave the page
      const all = [...document.querySelectorAll(CONTROLS)].filter(
        (each) => !each.matches(OTHERS) && each.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
      );
      const one = all[Math.floor(chance * all.length)];
      if (!one) return null;
      one.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      const { left, top, width, height } = one.getBoundingClientRect();
      const label = one.getAttribute('aria-label') ?? one.id ?? '';
      const what = `${one.tagName.toLowerCase()} ${label || one.textContent?.trim().replace(/\s+/g, ' ').slice(0, 40)}`;
      const said = { what, x: left + place * width, y: top + place * height, click: true };
      /** @param {HTMLSelectElement | HTMLInputElement} field @param {string} value */
      const set = (field, value) => {
        field.focus();
        field.value = value;
        for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
        return { ...said, what: `${what} = ${field.value}`, click: false };
      };
      if (one instanceof HTMLSelectElement) return set(one, one.options[Math.floor(place * one.options.length)].value);
      if (one instanceof HTMLInputElement && one.type === 'range')
        return set(one, String(Number(one.min) + place * (Number(one.max) - Number(one.min))));
      if (one instanceof HTMLInputElement && /^(number|text|search)$/.test(one.type) && place < 0.7)
        return set(one, one.type === 'number' && !(text.trim() && Number.isFinite(Number(text))) ? '' : text);
      return said;
    },
    { chance, place, text },
  );

/**
 * Does one thing.
 * @param {Page} page @param {Random} random @param {string[]} doing gets what it tries
 * @returns {Promise<string>} what
 */
async function act(page, random, doing) {
  const [what, chance, place] = [random.uniform(), random.uniform(), random.uniform()];
  const text = random.choose(WORDS);
  doing.push(`${what.toFixed(3)}, ${chance.toFixed(3)}, ${place.toFixed(3)}, “${text}”`);
  if (what < 0.1) {
    const key = random.choose(KEYS);
    doing.push(`key ${key}`);
    await page.keyboard.press(key);
    return `key ${key}`;
  }
  if (what < 0.15) {
    await page.keyboard.insertText(text);
    return `type ${text}`;
  }
  if (what < 0.19) {
    const way = chance < 0.6 ? 'back' : 'forward';
    await page.evaluate((way) => history[/** @type {'back'} */ (way)](), way);
    return way;
  }
  if (what < 0.22) {
    const hash = random.choose(PLACES);
    await page.evaluate((hash) => (location.hash = hash), hash);
    return hash;
  }
  if (what < 0.23) {
    const colorScheme = chance < 0.5 ? 'dark' : 'light';
    await page.emulateMedia({ colorScheme });
    return colorScheme;
  }
  if (what < 0.25) {
    const size = random.choose(SIZES);
    await page.setViewportSize(size);
    return `${size.width} × ${size.height}`;
  }
  const one = await choose(page, chance, place, text);
  if (!one) return 'nothing to choose';
  doing.push(one.what);
  if (what < 0.3) await page.mouse.move(one.x, one.y);
  else if (what < 0.33) {
    await page.mouse.move(one.x, one.y);
    await page.mouse.down();
    await page.mouse.move(chance * 1000, place * 700);
    await page.mouse.up();
  } else if (one.click) await page.mouse.click(one.x, one.y);
  return `${what < 0.3 ? 'point' : what < 0.33 ? 'drag' : 'click'} ${one.what}`;
}

/**
 * Asks a page that does not answer what it is doing.
 * @param {import('playwright-core').CDPSession} session whose debugger is enabled
 * @returns {Promise<string>} the functions that run, the innermost first, or that none runs
 */
async function standing(session) {
  const paused = new Promise((resolve) => session.once('Debugger.paused', resolve));
  session.send('Debugger.pause').catch(() => {});
  const found = await Promise.race([paused, timeout(5000, null, { ref: false })]);
  if (!found) return 'its script is idle';
  const lines = found.callFrames.map(({ functionName, url, location }) => {
    const { lineNumber, columnNumber } = location;
    return `${functionName} ${url}:${lineNumber + 1}:${columnNumber + 1}`;
  });
  return lines.slice(0, 20).join('\n');
}

/** The noted texts since the last call. @param {Page} page @returns {Promise<string[]>} */
const rawTexts = (page) => page.evaluate(() => Reflect.get(self, 'raw')?.splice(0) ?? []);

/** A reload, or the history before the page, ends what is being asked of it. @param {Error} error */
function leftMeanwhile(error) {
  if (/navigation|context was destroyed/.test(error.message)) return 'the page is left';
  throw error;
}

/**
 * Walks about the page.
 * @param {{url: string, open: (options: object) => Promise<Page>}} tools
 * @param {number} seed @param {number} actions
 */
export async function walk(tools, seed, actions) {
  const random = new Random(seed);
  /** @type {string[]} */
  const done = [];
  /** @type {string[]} */
  const problems = [];
  const page = await tools.open({ at: '#/explore', setUp: (/** @type {Page} */ one) => one.addInitScript(watchTexts) });
  page.on('filechooser', () => {}); // none is opened
  page.on('dialog', (dialog) => dialog.dismiss());
  page.on('download', (download) => download.cancel());
  page.on('popup', (other) => other.close());
  page.on('pageerror', ({ stack, message }) => problems.push(`error: ${stack || message}`));
  page.on('console', (message) => {
    if (/^(error|warning)$/.test(message.type())) problems.push(`console: ${message.text()}`);
  });
  const session = await page.context().newCDPSession(page);
  await session.send('Debugger.enable');
  const origin = new URL(tools.url).origin;
  for (let i = 0; i < actions && !problems.length; i++) {
    if (i % Math.ceil(actions / PLACES.length) === 0) {
      const hash = PLACES[Math.floor((i * PLACES.length) / actions)]; // a third begins at each place
      await page.evaluate((hash) => (location.hash = hash), hash);
      done.push(hash);
    }
    const where = new URL(page.url()).hash.slice(0, 60);
    /** @type {string[]} */
    const doing = [];
    const action = act(page, random, doing).catch(leftMeanwhile);
    const what = await Promise.race([action, timeout(STILL, null, { ref: false })]);
    done.push(`${where}: ${what ?? `nothing comes back (${doing.join(', ')})`}`);
    if (what === null) {
      problems.push(`the page has stood still for ${STILL / 1000} s: ${await standing(session)}`);
      break;
    }
    if (new URL(page.url()).origin !== origin) await page.goto(tools.url); // back to before the first address
    if (i % 4 === 3) problems.push(...(await rawTexts(page).catch(() => [])));
  }
  assert.deepEqual(
    problems,
    [],
    `seed ${seed}, after ${done.length} actions, the last:\n${done.slice(-25).join('\n')}\nat ${page.url()}\n`,
  );
  await page.context().close();
}
