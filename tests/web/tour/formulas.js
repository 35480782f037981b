// Formulas as they are painted: each sign, and the same with the machine's fonts and with none but letters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchEngine, lettersOnly, until } from '../engines.js';
import { eventually, open, quiet } from './steps.js';

/**
 * Runs in the page: what a screenshot shows of a formula. Rows and columns count pixels of the window; a pixel is ink
 * where it differs from the paper beside the formula by a sixth of the range, as thin lines are grey.
 * @param {{selector: string, png: string}} options
 */
async function pixelsOf({ selector, png }) {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(image, 0, 0);
  const { data, width } = context.getImageData(0, 0, image.width, image.height);
  const grey = (/** @type {number} */ x, /** @type {number} */ y) => data[4 * (y * width + x) + 1];
  const formula = /** @type {Element} */ (document.querySelector(`${selector} math`));
  const box = formula.getBoundingClientRect();
  const paper = grey(Math.floor(box.left) - 3, Math.floor(box.top));
  const isInk = (/** @type {number} */ x, /** @type {number} */ y) => Math.abs(grey(x, y) - paper) > 42;

  /** The ink of a part of the window: how far it reaches, and the share of each row and column. */
  function inkOf(/** @type {number[]} */ [left, top, right, bottom]) {
    const [x0, y0, x1, y1] = [Math.floor(left), Math.floor(top), Math.ceil(right), Math.ceil(bottom)];
    const rows = Array.from({ length: y1 - y0 }, (_, i) => i + y0);
    const columns = Array.from({ length: x1 - x0 }, (_, i) => i + x0);
    const inRow = rows.map((y) => columns.filter((x) => isInk(x, y)).length / columns.length);
    const inColumn = columns.map((x) => rows.filter((y) => isInk(x, y)).length / rows.length);
    const [first, last] = [inRow.findIndex(Boolean), inRow.findLastIndex(Boolean)];
    return {
      top: first + y0,
      bottom: last + y0 + 1,
      height: first < 0 ? 0 : last + 1 - first,
      centre: y0 + inRow.reduce((so, each, i) => so + each * i, 0) / inRow.reduce((so, each) => so + each, 0),
      longest: Math.max(...inRow),
      inRows: inRow.filter(Boolean).length / rows.length,
      strokes: inColumn.filter((each, i) => each > 0.7 && !(inColumn[i - 1] > 0.7)).length,
    };
  }
  const around = (/** @type {Element} */ each, more = 0) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    return inkOf([left, top - more, right, bottom + more]);
  };
  const parts = (/** @type {string} */ name) => [...formula.querySelectorAll(name)];
  const size = (/** @type {Element} */ each) => parseFloat(getComputedStyle(each).fontSize);
  /** A letter and what stands above or below its line; in a fraction Firefox's boxes reach to its bar. */
  const scripts = (/** @type {string} */ name) =>
    parts(`${name}:not(mfrac *)`).map((each) => {
      const [base, script] = [each.children[0], each.children[each.children.length - 1]];
      return { text: each.textContent, base: around(base), script: around(script), ratio: size(script) / size(base) };
    });
  const left = Math.floor(box.left);
  const columns = Array.from({ length: Math.ceil(box.right) - left }, (_, i) => i + left);
  const top = Math.floor(box.top) - 2; // Firefox draws the line of a root above its box
  const rows = Array.from({ length: Math.ceil(box.bottom) - top }, (_, i) => i + top);
  return {
    /** The formula itself: a row of pixels a string, x where there is ink. */
    image: rows.map((y) => columns.map((x) => (isInk(x, y) ? 'x' : ' ')).join('')),
    unpainted: parts('mi, mn, mo').flatMap((each) => (around(each, 2).height ? [] : [each.textContent])),
    roots: parts('msqrt').map((each) => {
      const [outer, inner] = [each, each.children[0]].map((part) => part.getBoundingClientRect());
      return {
        sign: inkOf([outer.left, outer.top, inner.left, outer.bottom]),
        line: inkOf([inner.left, outer.top - 2, inner.right, inner.top + 1]),
        inside: inkOf([inner.left, inner.top + 2, inner.right, inner.bottom]),
      };
    }),
    fractions: parts('mfrac').map((each) => {
      const [above, below] = [...each.children].map((part) => part.getBoundingClientRect());
      const [from, to] = [Math.min(above.left, below.left), Math.max(above.right, below.right)];
      return inkOf([from, above.top, to, below.bottom]);
    }),
    superscripts: scripts('msup'),
    subscripts: scripts('msub'),
    bars: parts('mo:not(mfrac *)')
      .filter((each) => each.textContent === '‖')
      .map((each) => ({ bar: around(each), inside: around(/** @type {any} */ (each).parentElement.children[1]) })),
  };
}

/** Runs in the page: scrolls to a formula. @param {string} selector */
async function bringIntoSight(selector) {
  document.querySelector(`${selector} math`)?.scrollIntoView({ block: 'center', behavior: 'instant' });
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
}

/** Runs in the page: where a formula is. @param {string} selector */
const placeOf = (selector) => JSON.stringify(document.querySelector(`${selector} math`)?.getBoundingClientRect());

/** Which formula has which signs. @type {Record<string, Record<string, number>>} */
const FORMULAS = {
  '.why-head': { roots: 1 },
  '#positions .formula': { superscripts: 1, subscripts: 1 },
  '#layer-norm .formula': { roots: 1, fractions: 1 },
  '#layer-norm .quotient': { roots: 1, fractions: 1 },
  '#residual-token .formula': { roots: 1, fractions: 1, bars: 2 },
  '#logits .formula': { fractions: 1, subscripts: 4 },
};

/** @param {import('../engines.js').EnginePage} page */
async function pixelsOfAll(page) {
  await page.evaluate(() => document.fonts.ready.then(() => null));
  /** @type {Record<string, Awaited<ReturnType<typeof pixelsOf>>>} */
  const found = {};
  for (const selector of Object.keys(FORMULAS)) {
    await until(page, (selector) => document.querySelector(`${selector} math`), selector);
    const once = async () => {
      await page.evaluate(bringIntoSight, selector);
      const before = await page.evaluate(placeOf, selector);
      const png = (await page.screenshot()).toString('base64');
      assert.equal(await page.evaluate(placeOf, selector), before, `${selector} has moved meanwhile`);
      return page.evaluate(pixelsOf, { selector, png });
    };
    // On a busy machine a screenshot may show the frame before the layout that it is measured by.
    await eventually(async () => check(selector, (found[selector] = await once())));
  }
  return found;
}

const MOST_INK = 0.35; // of a formula’s box: its own signs cover .07 to .21 in the three engines

/** @param {string} selector @param {Awaited<ReturnType<typeof pixelsOf>>} all */
function check(selector, all) {
  const shown = `${selector}\n${all.image.join('\n')}\n`;
  const inked = all.image.join('').replaceAll(' ', '').length / all.image.join('').length;
  assert(inked > 0, `${selector} has not appeared yet`);
  assert(inked < MOST_INK, `${shown}${inked}: something lies over it`);
  assert.deepEqual(all.unpainted, [], `${shown}each letter, number and operator is there`);
  for (const [kind, count] of Object.entries(FORMULAS[selector])) assert.equal(all[kind].length, count, shown + kind);
  for (const { sign, line, inside } of all.roots) {
    assert(sign.inRows > 0.6, `${shown}the root sign reaches over ${sign.inRows} of its height`);
    assert(sign.top <= inside.top && sign.bottom >= inside.bottom - 2, `${shown}and from top to bottom`);
    assert(line.longest > 0.9, `${shown}its line covers ${line.longest}`);
  }
  for (const { longest } of all.fractions) assert(longest > 0.9, `${shown}the bar covers ${longest}`);
  for (const { text, base, script, ratio } of all.superscripts) {
    assert(ratio < 0.9 && script.height > 0, `${shown}${text}: ${ratio}`);
    assert(script.bottom <= base.bottom - 2, `${shown}${text} is raised`);
  }
  for (const { text, base, script, ratio } of all.subscripts) {
    assert(ratio < 0.9 && script.height > 0, `${shown}${text}: ${ratio}`);
    // By the centre of its ink: a slanted letter may lean over the top of its subscript.
    assert(script.bottom > base.bottom && script.centre > base.centre + 2, `${shown}${text} is lowered`);
  }
  for (const { bar, inside } of all.bars) {
    assert.equal(bar.strokes, 2, `${shown}a norm has double bars`);
    assert(bar.top < inside.top && bar.bottom > inside.bottom, `${shown}taller than what they enclose`);
  }
}

const MOST_MOVED = 3; // rows: a line of text stands higher or lower by its fonts

/**
 * The share of both images' ink that has ink in the other, there or in a pixel beside, as WebKit may begin a formula
 * within a pixel; the best of the places within MOST_MOVED rows, of the rows that both show.
 * @param {string[]} one @param {string[]} other
 */
function alike(one, other) {
  const offsets = Array.from({ length: 2 * MOST_MOVED + 1 }, (_, index) => index - MOST_MOVED);
  const shares = offsets.map((offset) => {
    const [a, b] = offset < 0 ? [one.slice(-offset), other] : [one, other.slice(offset)];
    const rows = Math.min(a.length, b.length);
    return Math.min(covered(a.slice(0, rows), b), covered(b.slice(0, rows), a));
  });
  return Math.max(...shares);
}

/** @param {string[]} image @param {string[]} other */
function covered(image, other) {
  const near = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => [dx, dy]));
  const ink = image.flatMap((row, y) => [...row].flatMap((each, x) => (each === 'x' ? [[x, y]] : [])));
  return ink.filter(([x, y]) => near.some(([dx, dy]) => other[y + dy]?.[x + dx] === 'x')).length / ink.length;
}

/** @param {import('./steps.js').Tour} tour */
export default function formulas(tour) {
  test('formulas: all signs are painted, and alike with the machine’s fonts and with none', async (t) => {
    await open(tour, 'creek');
    await quiet(tour.page);
    const own = await pixelsOfAll(tour.page);
    const fonts = await lettersOnly();
    const page = await launchEngine(tour.name, { fonts });
    try {
      await open({ ...tour, page }, 'creek');
      const bare = await pixelsOfAll(page);
      for (const [selector, { image }] of Object.entries(bare)) {
        const other = own[selector].image;
        const share = alike(image, other);
        t.diagnostic(`${selector}: ${(100 * share).toFixed(2)} % of the ink is alike`);
        assert(share > 0.9, `${selector}: ${share}\n${image.join('\n')}\n${other.join('\n')}`);
      }
    } finally {
      await page.close();
      fonts.remove();
      // Firefox's driver adds a style before a screenshot, which the page's policy refuses.
      tour.page.messages.splice(0, Infinity, ...tour.page.messages.filter((each) => !/style-src-elem/.test(each)));
    }
  });
}
