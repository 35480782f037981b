// The puzzles: each is solvable, by results that the engine computes here and in the page, and wrong ones are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openingState, readLink, writeLink } from '../../../web/app/schema.js';
import { loadDerived } from '../../../web/engine/derived.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { PROBABILITIES, attentionKinds, attentionName, makePlan } from '../../../web/engine/plan.js';
import { createResults } from '../../../web/engine/results.js';
import { formatShare } from '../../../web/draw/share.js';
import { factsFor, stateOf } from '../../../web/explore/shared/facts.js';
import { lessonAt, lessons, modelOf } from '../../../web/lessons/index.js';
import { puzzles } from '../../../web/lessons/puzzles.js';
import { readModel } from '../../../web/models/measure.mjs';
import { assertAxe, chooseModel, point, ready, shipped, update, useBrowser } from '../browser.js';

const tools = useBrowser();

/** @typedef {import('playwright-core').Page} Page */

const head = (layer, head, kind = 'encoder') => ({ what: 'head', kind, layer, head, to: 0 });
const cell = (layer, head, row, key, to) => ({ what: 'cell', kind: 'encoder', layer, head, row, key, to });
const changed = (...interventions) => ({ interventions });
const setting = (name, value) => (state) => ({ settings: { ...state.settings, [name]: value } });
const text = (from, to) => (state) => ({ text: state.text.replace(from, to) });
const both = (one, two) => (state) => ({ ...one(state), ...two });
const at = (row) => (state) => ({ cursor: { ...state.cursor, row } });
const selected = (layer, head) => (state) => ({ selection: { ...state.selection, layer, head } });

/**
 * What solves each, what it took, and tries that do not, with what the page says of them. `find`: where a try is found
 * by the engine.
 */
const KNOWN = {
  reason: {
    solution: text('deep', 'tired'),
    took: 1,
    wrong: [
      [text('deep', 'muddy'), /says pond/, ''],
      [text('it', 'he'), /The text has no “it”/, ''],
      [text('because it was deep', 'because it was tired today'), /./, 'Change one word only.'],
      [both(text('deep', 'tired'), changed(head(0, 0))), /fox/, /model must stay/],
    ],
  },
  open: { find: at, count: 11, wrong: [[both(at(6), { written: [5] }), /bits/, /text must stay/]] },
  link: {
    find: (i) => selected(i >> 1, i % 2),
    count: 6,
    wrong: [[both(selected(2, 1), changed(head(0, 1))), /Without layer 3/, /model must stay/]],
  },
  first: {
    solution: setting('causal', true),
    took: 1,
    wrong: [
      [setting('positions', 'none'), /first word gives itself/, ''],
      [both(setting('causal', true), { text: 'one' }), /100\s%/, /text must stay/],
    ],
  },
  gender: {
    solution: text('creek', 'river'),
    took: 1,
    wrong: [
      [text('creek', 'wall'), /mur était froid/, ''],
      [text('creek was cold', 'river was green'), /rivière était verte/, 'Change one word only.'],
    ],
  },
  twins: {
    solution: setting('positions', 'none'),
    took: 1,
    wrong: [
      [setting('positions', 'learned'), /apart/, ''],
      [text('the dog', 'a dog'), /has no “the”/, ''],
      [both(setting('positions', 'none'), { text: 'the cat the' }), /less than 0.001/, /text must stay/],
    ],
  },
  queen: {
    solution: changed(head(0, 3, 'decoder')),
    took: 1,
    wrong: [
      [changed(head(1, 3, 'decoder')), /boy/, ''],
      [changed({ what: 'temperature', value: 4 }), /end/, /Only whole heads/],
    ],
  },
  prune: {
    solution: changed(head(0, 1), head(1, 0), head(1, 1), head(2, 0)),
    took: 4,
    wrong: [
      [changed(head(0, 0), head(0, 1), head(1, 0), head(1, 1)), /4 of 6/, ''],
      [changed(head(0, 1), head(1, 0), head(1, 1)), /3 of 6/, ''],
    ],
  },
  dog: {
    solution: changed(cell(1, 1, 12, 8, 1)),
    took: 1,
    wrong: [
      [changed(cell(2, 1, 12, 7, 1)), /creek|it/, ''],
      [changed(cell(1, 1, 12, 8, 1), cell(1, 1, 12, 7, 0)), /dog/, /2 changes; only 1/],
      [text('creek', 'dog'), /./, /text must stay/],
    ],
  },
  agreement: {
    solution: changed(cell(1, 0, 1, 1, 1)),
    took: 1,
    wrong: [
      [changed(head(2, 1)), /was/, /You changed layer 3/],
      [changed({ what: 'temperature', value: 4 }), /was/, /every layer/],
      [changed(head(0, 0)), /were/, ''],
    ],
  },
};

/** @param {import('../../../web/lessons/index.js').Lesson} puzzle */
const infoOf = (puzzle) =>
  modelOf(puzzle) === 'untrained' ? undefined : readModel(/** @type {any} */ (modelOf(puzzle)));

/** @param {any} puzzle @param {any} change */
function changedState(puzzle, change) {
  const state = stateOf(puzzle, /** @type {any} */ (infoOf(puzzle)));
  return { ...state, ...(typeof change === 'function' ? change(state) : change) };
}

/** A state as the worker computes it, and what the puzzle says of that. @param {any} puzzle @param {any} [change] */
async function judged(puzzle, change = {}) {
  const info = /** @type {any} */ (infoOf(puzzle));
  const state = changedState(puzzle, change);
  const plan = makePlan(state, info ?? null);
  const names = [...(puzzle.needs?.({ plan, state }) ?? []), ...(plan.hasLogits ? [PROBABILITIES] : [])];
  await loadDerived(names);
  const cache = { weights: () => info?.weights, given: () => undefined, corpus: () => null };
  const live = createLiveModels(tools.gf, /** @type {any} */ (cache));
  const maskNames = Object.fromEntries(
    attentionKinds(plan.settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]),
  );
  const results = createResults();
  results.add(
    plan,
    await live.run({ type: 'run', id: 1, names, maskNames, plans: 1, focus: { layer: 0, row: 0 }, ...plan }),
    info,
  );
  const result = /** @type {any} */ (results.of(plan));
  const verdict = puzzle.judge(factsFor(puzzle, { result, state, modelInfo: info }));
  assert(verdict, `${puzzle.id}: what it needs is there`);
  return verdict;
}

/** The changes of a state that solve a puzzle: known, or found by the engine. @param {any} puzzle */
async function solutionsOf(puzzle) {
  const { solution, find, count = 0 } = KNOWN[puzzle.id];
  if (solution) return [solution];
  const all = await Promise.all(Array.from({ length: count }, (__, i) => judged(puzzle, find(i))));
  return all.flatMap(({ isMet }, i) => (isMet ? [find(i)] : []));
}

test('ten puzzles: none is solved at its start, each has a solution at par and tries that are refused', async () => {
  assert.equal(puzzles.length, 10);
  assert.deepEqual(
    puzzles.map(({ id }) => id),
    Object.keys(KNOWN),
  );
  for (const puzzle of puzzles) {
    const start = await judged(puzzle);
    assert.deepEqual([start.isMet, start.refused, start.score ?? 0], [false, '', 0], puzzle.id);
    const solutions = await solutionsOf(puzzle);
    assert.equal(solutions.length, 1, `${puzzle.id}: one is found`);
    const solved = await judged(puzzle, solutions[0]);
    assert.deepEqual([solved.isMet, solved.refused], [true, ''], `${puzzle.id}: ${solved.says}`);
    const { took, wrong } = KNOWN[puzzle.id];
    if (took) assert.deepEqual([solved.score, puzzle.par], [took, took], puzzle.id);
    for (const [change, says, refused] of wrong) {
      const verdict = await judged(puzzle, change);
      assert.equal(verdict.isMet, false, `${puzzle.id}: ${verdict.says}`);
      assert.match(verdict.says, says, puzzle.id);
      if (refused instanceof RegExp) assert.match(verdict.refused, refused, puzzle.id);
      else assert.equal(verdict.refused, refused, puzzle.id);
    }
  }
});

test('a lesson’s number is its address; links from before the list open their puzzle', () => {
  assert.equal(new Set(lessons.map((each) => each.number)).size, lessons.length);
  assert.equal(new Set(lessons.map((each) => each.id)).size, lessons.length, 'progress is kept by id');
  const opening = openingState('creek', /** @type {any} */ (infoOf(puzzles[0])));
  for (const [i, { id }] of puzzles.entries()) {
    const { state, refused } = readLink(`#/explore?model=creek&puzzle=${i + 1}`, opening);
    assert.deepEqual([lessonAt(Number(state.book)).id, refused], [id, []]);
  }
  assert.equal(readLink('#/explore?puzzle=0', opening).state.book, 101);
  assert.deepEqual(
    [50, 199].map((at) => lessonAt(at).number),
    [24, 110],
    'the nearest before',
  );
  assert.deepEqual(readLink('#/explore?puzzle=x', opening).refused, ['puzzle']);
});

test('what is found agrees with the module’s own passes', async () => {
  const [open, link] = puzzles.filter(({ unit }) => unit);
  const creek = shipped(tools.gf, 'creek');
  const ids = creek.ids('the creek was cold and the spunky dog wanted to jump over it .');
  const width = creek.vocabulary.length;
  const said = (/** @type {object[]} */ ablate) => {
    const { data } = tools.gf.softmax(creek.model.forward({ ids, ablate }).logits);
    return data.slice(12 * width, 13 * width)[creek.vocabulary.indexOf('creek')];
  };
  const left = Array.from({ length: 6 }, (__, i) => said([{ layer: i >> 1, head: i % 2 }]));
  const most = left.indexOf(Math.min(...left));
  for (const [i, share] of left.entries()) {
    const verdict = await judged(link, selected(i >> 1, i % 2));
    assert.equal(verdict.isMet, i === most);
    assert.match(verdict.says, new RegExp(`from ${formatShare(said([]))} to ${formatShare(share)}`));
  }
  const story = shipped(tools.gf, 'continue');
  story.model.forward({ ids: story.ids('one day a hungry fox saw a red ball . the'), capture: true });
  const { data } = story.probabilities();
  const words = story.vocabulary.length;
  const bits = Array.from({ length: 11 }, (__, row) =>
    data
      .subarray(row * words, (row + 1) * words)
      .reduce((/** @type {number} */ sum, /** @type {number} */ p) => sum - (p ? p * Math.log2(p) : 0), 0),
  );
  for (const [row, entropy] of bits.entries()) {
    const verdict = await judged(open, at(row));
    assert.equal(verdict.isMet, entropy === Math.max(...bits));
    assert(verdict.says.endsWith(`is ${entropy.toFixed(1)} bits.`), verdict.says);
  }
});

const title = (/** @type {Page} */ page, /** @type {number} */ number) =>
  page.waitForFunction(
    (wanted) => document.querySelector('#book-title')?.textContent === wanted,
    puzzles[number - 1].title,
  );
/** Opens a lesson by the list of all. @param {Page} page @param {string} name */
async function choose(page, name) {
  await page.locator('.book-contents summary').click();
  await page.locator('.book-contents').getByRole('button', { name }).click();
}
const said = (/** @type {Page} */ page, /** @type {RegExp} */ pattern) =>
  page.locator('.puzzle-says').getByText(pattern).waitFor();
const solved = (/** @type {Page} */ page) => page.locator('.puzzle-solved b').innerText();
const number = (/** @type {string} */ id) => puzzles.findIndex((each) => each.id === id) + 1;

/** Follows an address with a state of the reader's own. @param {Page} page @param {any} puzzle @param {any} change */
async function visit(page, puzzle, change) {
  const info = /** @type {any} */ (infoOf(puzzle));
  const state = { ...changedState(puzzle, change), book: 100 + number(puzzle.id) };
  const link = writeLink(/** @type {any} */ (state), openingState(modelOf(puzzle), info));
  await page.evaluate((hash) => (location.hash = hash), link);
}

test('the page accepts what the engine accepts here, in all ten, and refuses what it refuses', async () => {
  const page = await tools.open({ model: 'creek&puzzle=1', .../** @type {any} */ ({ layout: 'workspace' }) });
  for (const [i, puzzle] of puzzles.entries()) {
    await title(page, i + 1);
    const start = await judged(puzzle);
    await page.locator('.puzzle-says').getByText(start.says, { exact: true }).waitFor();
    assert.equal(await page.locator('.puzzle-solved b').count(), 0, puzzle.id);
    const [change, , refused] = KNOWN[puzzle.id].wrong.at(-1);
    const [solution] = await solutionsOf(puzzle);
    await visit(page, puzzle, change);
    await page
      .locator('.puzzle-says')
      .getByText((await judged(puzzle, change)).says, { exact: true })
      .waitFor();
    if (refused) await page.locator('.puzzle-refused').getByText(refused).waitFor();
    assert.equal(await page.locator('.puzzle-solved b').count(), 0, puzzle.id);
    await visit(page, puzzle, solution);
    assert.match(await solved(page), new RegExp(`par ${puzzle.par}`), puzzle.id);
    await page.locator('.puzzle-solved').getByText(String(puzzle.shows)).waitFor();
    if (i + 1 < puzzles.length) await page.getByRole('button', { name: 'Next' }).click();
  }
  assert.match(await page.locator('.book-count').innerText(), /10 solved/);
  await tools.close(page);
});

const triesSaid = (/** @type {Page} */ page, /** @type {RegExp} */ pattern) =>
  page.locator('.puzzle-tries').getByText(pattern).waitFor();

test('by the controls: the button, typing, tries, par, what is kept; the code is fetched late', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const isFetched = () =>
    page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /lessons-/.test(name)));
  assert.equal(await isFetched(), false);
  await page.locator('#book-button').focus();
  await page.keyboard.press('Enter');
  await page.locator('.book-text').waitFor();
  await choose(page, 'Another reason');
  await title(page, 1);
  assert.equal(await isFetched(), true);
  assert.equal(await page.locator('#book-button').getAttribute('aria-expanded'), 'true');
  await said(page, /it says pond/);
  await page.locator('#text').fill('The fox did not jump over the pond because it was muddy.');
  await triesSaid(page, /So far: 1 try\./);
  assert.equal(await page.locator('.puzzle-solved').innerText(), '');
  await page.locator('#text').fill('The fox did not jump over the pond because it was hungry.');
  await said(page, /it says fox/);
  assert.equal(await solved(page), '✓ Solved in 1 change (par 1).');
  assert.equal(await page.locator('.puzzle-solved').getAttribute('role'), 'status');
  await page.locator('.book-contents summary').click();
  assert.match(await page.locator('.book-list-puzzle li').first().innerText(), /Another reason\s+par reached/);
  assert.match(await page.locator('.book-list-puzzle li').nth(1).innerText(), /open/);
  await page.waitForFunction(() => /book=101/.test(location.hash) && /hungry/.test(location.hash));
  await page.reload();
  await title(page, 1);
  await said(page, /it says fox/);
  assert.equal(await page.locator('#text').inputValue(), 'The fox did not jump over the pond because it was hungry.');
  assert.match(await page.locator('.puzzle-tries').innerText(), /Best: 1 change/);
  await page.getByRole('button', { name: 'Start again' }).click();
  await said(page, /it says pond/);
  assert.equal(await page.locator('.puzzle-solved').innerText(), '');
  await page.locator('h1').click(); // out of the text box, which has its own undo
  await page.keyboard.press('Control+z');
  await said(page, /it says fox/);
  await tools.close(page);
});

test('by the controls: a head is found by its map, each other one is a try; a cell makes it say dog', async () => {
  const page = await tools.open({ model: `creek&puzzle=${number('link')}` });
  await said(page, /Without layer 1, head 1/);
  await page.locator('#model-graph .head').nth(3).click();
  await said(page, /Without layer 2, head 2/);
  await triesSaid(page, /So far: 1 try\./);
  await page.locator('#model-graph .head').nth(5).click();
  assert.equal(await solved(page), '✓ Solved in 2 tries (par 2).');
  await triesSaid(page, /So far: 2 tries\. Best: 2 tries\./);

  await page.evaluate((at) => (location.hash = `#/explore?model=creek&puzzle=${at}`), number('dog'));
  await title(page, number('dog'));
  await said(page, /it says creek/);
  await page.locator('#model-graph .head').nth(3).click();
  await point(page, '#heatmap', 12, 8, 'click');
  await page.locator('#try-more > summary').click();
  await page.locator('#change-head').getByText('it → wanted').waitFor();
  const field = page.locator('#change-head input');
  await field.fill('1');
  await field.press('Enter');
  await said(page, /it says dog \(43\s%\)/);
  assert.equal(await solved(page), '✓ Solved in 1 change (par 1).');
  await page.locator('#try .temperature').fill('0.4');
  await page.locator('.puzzle-refused').getByText('That is 2 changes; only 1 is allowed.').waitFor();
  await tools.close(page);
});

test('one list: a page, a puzzle, the guided run and a challenge of Train, with what was reached', async () => {
  const setUp = async (/** @type {Page} */ page) =>
    void (await page.addInitScript(() =>
      localStorage.setItem('glassformer-challenges', '{"bare":{"best":{"score":75}}}'),
    ));
  const page = await tools.open({ model: 'creek&book=101', setUp });
  await said(page, /it says pond/);
  await choose(page, 'Tokens');
  await page.locator('.book-text').waitFor();
  await page.locator('.book-turn button').nth(2).click();
  await page.locator('.book-contents summary').click();
  assert.match(await page.locator('.book-list-challenge li').first().innerText(), /bypass\s+solved/);
  await page.locator('.book-list-guided').getByRole('link', { name: 'Fifty steps' }).click();
  const panel = page.locator('#train-lesson');
  await panel.filter({ hasText: 'Teach it to reverse: 2 of 7' }).waitFor();
  await page.goBack();
  await page.locator('#book .book-text').waitFor(); // Back opens the lesson that was left
  await page.locator('#book .book-contents').evaluate((fold) => fold.setAttribute('open', ''));
  await page.locator('#book .book-list-challenge').getByRole('link', { name: 'Copy without a bypass' }).click();
  await panel.filter({ hasText: 'Residual connections must be off.' }).waitFor();
  assert.match(await panel.innerText(), /Challenge 1 of 5, 1 solved[^]*Best: 75 steps/);
  await page.waitForFunction(() => /task=copy/.test(location.hash) && !/challenge=/.test(location.hash));
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.reload(); // the bar has it in Train, too, also where Train is opened first
  await page.locator('.train-play').waitFor();
  await page.locator('#book-button').click();
  await panel.filter({ hasText: 'Teach it to reverse: 1 of 7' }).waitFor();
  await panel.getByRole('button', { name: 'Back' }).click();
  await page.locator('#book').filter({ hasText: 'Puzzle 10 of 10' }).waitFor();
  await tools.close(page);
});

test('closing brings the reader’s own state and undo back, also after the textbook and another model', async () => {
  const page = await tools.open({ model: 'creek&text=the+dog+was+tired+.&head=1.1&row=3&key=1' });
  await ready(page);
  await update(page, () => page.locator('#try .temperature').fill('0.4'));
  await page.locator('#book-button').click();
  await page.locator('.book-text').waitFor();
  await choose(page, 'Another reason');
  await title(page, 1);
  await said(page, /it says pond/);
  assert.equal(await page.locator('.book-text').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Undo' }).isDisabled(), true);
  await page.getByRole('button', { name: 'Next' }).click();
  await said(page, /the entropy is/);
  await page.locator('#book').focus();
  await page.keyboard.press('Escape');
  await page.locator('#book').waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'book-button');
  await page.waitForFunction(() => {
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector('#try .temperature'));
    return field?.value === '0.4';
  });
  assert.equal(await page.locator('#text').inputValue(), 'the dog was tired .');
  await update(page, () => page.getByRole('button', { name: 'Undo' }).click());
  assert.equal(await page.locator('#try .temperature').inputValue(), '0', 'its logarithm');
  assert.equal(await page.evaluate(() => /book=/.test(location.hash)), false);
  await tools.close(page);
});

test('what the puzzle cannot judge is said: another model, a text without its word', async () => {
  const page = await tools.open({ model: 'creek&puzzle=1' });
  await said(page, /it says pond/);
  await page.locator('#text').fill('The fox slept.');
  await said(page, /The text has no “it”/);
  await chooseModel(page, 'continue');
  await said(page, /This puzzle needs the model Pronouns/);
  await page.getByRole('button', { name: 'Start again' }).click();
  await said(page, /it says pond/);
  await tools.close(page);
});

test('390 × 844: a sheet below the page, nothing wider than the window, targets for a finger', async () => {
  const page = await tools.open({
    model: 'creek&puzzle=9',
    .../** @type {any} */ ({ layout: 'workspace' }),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await said(page, /it says creek/);
  const { top, bottom, width, small } = await page.evaluate(() => {
    const root = /** @type {HTMLElement} */ (document.getElementById('book'));
    const box = root.getBoundingClientRect();
    const buttons = [...root.querySelectorAll('.book-head > button, .book-turn button')];
    return {
      top: box.top,
      bottom: box.bottom,
      width: document.documentElement.scrollWidth,
      small: buttons.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.textContent),
    };
  });
  assert(top >= 844 * 0.55 && bottom <= 844, `${top} to ${bottom}`);
  assert(width <= 390, `${width}`);
  assert.deepEqual(small, []);
  await tools.close(page);
});

test('axe finds nothing in an open puzzle, solved and refused', async () => {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await tools.open({ model: 'creek&puzzle=1', colorScheme });
    await said(page, /it says pond/);
    await page.locator('#text').fill('The fox did not jump over the pond because it was hungry.');
    assert.match(await solved(page), /Solved/);
    await page.locator('#text').fill('The fox did not jump over a creek because it was hungry.');
    await page.locator('.puzzle-refused').getByText('Change one word only.').waitFor();
    for (const fold of ['.book-contents', '.puzzle-hint']) await page.locator(`${fold} summary`).click();
    await assertAxe(page, colorScheme, '#book');
    await tools.close(page);
  }
});
