// A teacher's trail: recorded on the page, carried by a link, played with predictions, embedded in an article.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { deflateSync } from 'node:zlib';
import { formatShare } from '../../../web/draw/share.js';
import { readTrail, writeTrail } from '../../../web/shared/trail.js';
import { SENTENCE, openMenu, point, readout, ready, shipped, update, useBrowser } from '../browser.js';
import { framed } from '../hosts.js';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('../../../web/shared/trail.js').Step} Step */

const tools = useBrowser();
const DEEP = 'The dog did not jump over the creek because it was deep.';
const OFF = [{ what: 'head', kind: 'encoder', layer: 2, head: 1, to: 0 }];
const HOSTILE = '<img src=x onerror=alert(1)><script>alert(1)</script>';

/**
 * @param {string} sentence @param {Record<string, string>} parts @param {Step['question']} [question]
 * @returns {Step}
 */
const step = (sentence, parts, question = null) => ({
  sentence,
  link: String(new URLSearchParams({ model: 'creek', ...parts })),
  question,
});

/** Five steps as a teacher records them. */
const TYPICAL = [
  step('The model reads a sentence, and says what “it” stands for.', { head: '3.2', row: '12', key: '1' }),
  step(
    'One head of the last layer attends from “it” to the creek.',
    { head: '3.2', row: '12', key: '1', quantity: 'scaled' },
    { question: 'Is the score of the creek the highest?', answers: ['yes', 'no'], right: 0 },
  ),
  step('Without that head the answer changes.', { head: '3.2', row: '12', key: '1', changes: JSON.stringify(OFF) }),
  step('One word decides what “it” is.', { text: DEEP, head: '3.2', row: '9', key: '7' }),
  step('And tired is what a dog is.', { text: DEEP.replace('deep', 'tired'), head: '3.2', row: '9', key: '1' }),
];

/**
 * The model's answers in Node, the likeliest first.
 * @param {string} text @param {number} row @param {object} [options]
 */
function answers(text, row, options) {
  const { model, ids, vocabulary } = shipped(tools.gf, 'creek');
  const { logits } = model.forward({ ids: ids(text.toLowerCase().replace('.', ' .')), capture: true, ...options });
  const { data } = tools.gf.softmax(logits);
  return Array.from(data.subarray(row * vocabulary.length, (row + 1) * vocabulary.length), (share, id) => ({
    word: vocabulary[id],
    share: formatShare(share),
    probability: share,
  })).sort((a, b) => b.probability - a.probability);
}

/** Waits for the first result, whatever of it is in sight. @param {Page} page */
const computed = (page) => page.waitForFunction(() => performance.getEntriesByName('glassformer:update').length);

/** @param {ReturnType<typeof answers>} all */
const listed = (all) => all.map(({ word }) => word);

/** What the clipboard would get comes here. @param {Page} page @returns {Promise<string>} */
const copied = (page) => page.evaluate(() => /** @type {any} */ (globalThis).copied);
/** @param {Page} page */
const catchClipboard = (page) =>
  page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => void (/** @type {any} */ (globalThis.copied = text));
  });

/** @param {Page} page @param {string} sentence */
async function add(page, sentence) {
  const before = await page.locator('.trail-steps li').count();
  await page.locator('.trail-sentence').fill(sentence);
  await page.getByRole('button', { name: 'Add this view' }).click();
  await page.locator('.trail-steps li').nth(before).waitFor();
}

/** @param {Page} page */
const strip = (page) => page.locator('#trail-player');
/** Waits for a slide whose question is asked, or whose answer is shown. @param {Page} page @param {string} count */
async function slide(page, count) {
  await strip(page).locator('.trail-count', { hasText: count }).waitFor();
  await strip(page).locator('.trail-choice, .trail-says').first().waitFor();
}

test('a trail is a word of a link and comes back; a cut, changed or hostile one says so', async (t) => {
  const word = await writeTrail(TYPICAL);
  t.diagnostic(`a trail of five typical steps has ${word.length} characters`);
  assert.match(word, /^[\w-]+$/);
  assert.deepEqual(await readTrail(word), TYPICAL);
  for (let at = 0; at < word.length; at++) {
    const other = word[at] === 'A' ? 'B' : 'A';
    // The last letter may hold nothing but bits that do not count.
    const read = await readTrail(word.slice(0, at) + other + word.slice(at + 1)).catch((error) => error.message);
    if (at < word.length - 1) assert.match(String(read), /damaged/, `letter ${at}`);
    await assert.rejects(readTrail(word.slice(0, at)), /damaged/);
  }
  /** @param {unknown} rows */
  const packed = (rows) => deflateSync(JSON.stringify(rows)).toString('base64url');
  const row = ['A sentence', { model: 'creek' }];
  assert.equal((await readTrail(packed([row, row, row]))).length, 3);
  await assert.rejects(readTrail(packed([row, row])), /has 2 steps; a trail has 3 to 7/);
  await assert.rejects(readTrail(packed(Array(8).fill(row))), /has 8 steps/);
  for (const bad of [
    ...['text', 7, null, {}, [], ['A sentence'], ['', {}], ['A sentence', null], ['A sentence', { row: 1 }]],
    ...[
      ['x'.repeat(201), {}],
      [...row, 'Which?', ['one'], 0],
      [...row, 'Which?', ['one', 'one'], 0],
    ],
    ...[
      [...row, 'Which?', ['one', 'two'], 2],
      [...row, 'Which?', ['one', 2], 0],
      [...row, '', ['one', 'two'], 0],
    ],
    ...[
      [...row, 'Which?', ['1', '2', '3', '4', '5'], 0],
      [...row, 'Which?', ['one', 'x'.repeat(61)], -1],
    ],
  ])
    await assert.rejects(readTrail(packed([row, row, bad])), /damaged/, JSON.stringify(bad));
  await assert.rejects(readTrail(packed([row, row, row, ' '.repeat(3e6)])), /damaged/, 'it would unfold to 3 MB');
  const nested = await readTrail(packed([row, row, ['x', { model: 'creek', trail: word, embed: '1', book: '3' }]]));
  assert.equal(nested[2].link, 'model=creek');
});

test('record three views, reload, copy the link, open it fresh and play it: Node’s numbers', async () => {
  const page = await tools.open({ at: '#/explore?model=creek&head=3.2&row=12&key=1' });
  await ready(page);
  assert.equal(
    await page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /trail/.test(name))),
    false,
    'its code is fetched on use',
  );
  await openMenu(page, 'more');
  await page.locator('#trail-button').click();
  await page.getByRole('button', { name: 'Add this view' }).click();
  await page.getByText('Write a sentence for this step.').waitFor();
  await add(page, 'The whole model.');
  await page.getByText('Add 2 more: a trail has 3 to 7 steps.').waitFor();
  assert(await page.getByRole('button', { name: 'Copy link', exact: true }).first().isDisabled());
  await update(page, () => page.locator('#try .switch').click());
  await add(page, 'Without one head.');
  await page.getByText('Add one more: a trail has 3 to 7 steps.').waitFor();
  await page.locator('.trail-sentence').fill('Half a sen');
  await page.waitForFunction(() => /changes=/.test(location.hash));
  await page.reload();
  await ready(page);
  await openMenu(page, 'more');
  await page.locator('#trail-button').click();
  await page.locator('.trail-steps li').nth(1).waitFor();
  assert.equal(await page.locator('.trail-sentence').inputValue(), 'Half a sen');
  await update(page, () => page.locator('#text').fill(DEEP));
  await add(page, 'Another sentence.');
  await page.getByText(/^The trail takes \d+ characters of the link\.$/).waitFor();
  await catchClipboard(page);
  await page.locator('.trail-share').getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Link copied.').waitFor();
  const link = await copied(page);
  assert.match(link, /#\/explore\?trail=[\w-]+$/);
  await tools.close(page);

  const fresh = await tools.open({ at: new URL(link).hash });
  await ready(fresh);
  await slide(fresh, '1 of 3');
  assert.equal(await strip(fresh).locator('.trail-words').innerText(), 'The whole model.');
  const whole = answers(SENTENCE, 12);
  const patches = [{ name: 'encoder.layers.2.self_attn.head_outputs', index: [0, 1, null, null], value: 0 }];
  const without = answers(SENTENCE, 12, { patches });
  for (const hidden of ['#answers', '#heatmap', '#arcs'])
    assert.equal(await fresh.locator(hidden).isVisible(), false, `${hidden} is not in sight before a prediction`);
  const choices = await strip(fresh).locator('.trail-choice').allInnerTexts();
  assert.deepEqual(choices.toSorted(), listed(whole).slice(0, 4).toSorted());
  await strip(fresh).getByRole('button', { name: whole[0].word, exact: true }).click();
  const says = () => strip(fresh).locator('.trail-says').innerText();
  assert.equal(await says(), `At it the model says ${whole[0].word}, ${whole[0].share}.`);
  assert.match(await strip(fresh).innerText(), /✓ You predicted creek: right/);
  assert(await fresh.locator('#answers').isVisible());

  await fresh.keyboard.press('ArrowRight');
  await slide(fresh, '2 of 3');
  await fresh.waitForFunction(() => /step=2/.test(location.hash));
  await strip(fresh).getByRole('button', { name: without[1].word, exact: true }).click();
  assert.equal(await says(), `At it the model says ${without[0].word}, ${without[0].share}.`);
  assert.notEqual(without[0].share, whole[0].share);
  assert.match(await strip(fresh).innerText(), /2 of 3, 1 of 2 predictions right/);
  await fresh.keyboard.press('PageDown');
  await slide(fresh, '3 of 3');
  await fresh.keyboard.press('PageDown'); // shows it
  const deep = answers(DEEP, 9, { patches });
  assert.equal(await says(), `At it the model says ${deep[0].word}, ${deep[0].share}.`);
  assert.match(await strip(fresh).innerText(), /3 of 3, 1 of 2 predictions right/);
  await fresh.goBack();
  await slide(fresh, '2 of 3');
  assert.equal(await fresh.locator('#text').inputValue(), SENTENCE);
  assert.match(await strip(fresh).innerText(), /You predicted/, 'what was shown stays shown');
  await fresh.keyboard.press('Escape');
  await strip(fresh).waitFor({ state: 'hidden' });
  await fresh.waitForFunction(() => !/trail=/.test(location.hash) && /changes=/.test(location.hash));
  assert(await fresh.locator('.places').isVisible());
  await fresh.goBack();
  await slide(fresh, '2 of 3');
  await tools.close(fresh);
});

/** What shows beside the strip and the sentence. @param {Page} page @returns {Promise<string[]>} */
const givenAway = (page) =>
  page.evaluate(() => {
    const inSight = { visibilityProperty: true, opacityProperty: true };
    const drawn = [...document.querySelectorAll('#page *')].filter(
      (each) =>
        each.checkVisibility(inSight) &&
        !each.closest('#trail-player, #texts, #tokens-encoder, h2') &&
        (each.matches('canvas, path, rect, circle, button, input, select, [tabindex]') ||
          [...each.childNodes].some((node) => node instanceof Text && node.data.trim())),
    );
    const plain = document.querySelector('#tokens-encoder .token:not(.key, .query)');
    const key = document.querySelector('#tokens-encoder .token.key:not(.query)');
    const colour = (/** @type {Element} */ each) => getComputedStyle(each).color;
    return [
      ...drawn.map(({ tagName, className, textContent }) => `${tagName}.${className}: ${textContent?.trim()}`),
      ...(plain && key && colour(plain) !== colour(key) ? [`the key is lit: ${key.textContent}`] : []),
    ];
  });

for (const layout of ['workspace', 'page'])
  test(`until the reader has predicted, nothing computed is seen, heard or reached: ${layout}`, async () => {
    const own = { question: 'Is it an animal?', answers: ['yes', 'no'], right: 0 };
    const [cell, all] = [{ head: '3.2', row: '12', key: '1' }, layout === 'page' ? { layout } : {}];
    const off = JSON.stringify(OFF);
    const steps = [
      step('The engine asks.', { ...cell, ...all }),
      step('The teacher asks.', { ...cell, ...all }, own),
      step('Changed, and decided.', { ...cell, ...all, changes: off, decision: '[]' }),
      step('Another node.', { ...cell, ...all, part: 'ffn' }),
      step('It writes.', { ...all, model: 'translate' }),
      step('It goes on.', { ...all, model: 'continue' }),
      step('Untrained.', { ...all, model: 'untrained', kind: 'encoder-decoder' }, own),
    ];
    const trail = await writeTrail(steps);
    const page = await tools.open({ at: `#/explore?trail=${trail}`, layout: 'workspace' });
    for (let i = 1; i <= steps.length; i++) {
      const what = `step ${i}`;
      await slide(page, `${i} of 7`);
      await page.locator('.trail-choice').first().waitFor();
      await computed(page);
      await page.waitForTimeout(100); // what stands aside comes a frame later
      assert.deepEqual(await givenAway(page), [], what);
      const heard = (await page.locator('#page').ariaSnapshot()).replace(/- region "Trail":\n( {2}.*\n?)*/, '');
      assert.doesNotMatch(heard, /application|strong|combobox|slider|switch|%|region "(?!Text)/, what);
      for (let tab = 0; tab < 12; tab++) {
        await page.keyboard.press('Tab');
        const reached = await page.evaluate(() => document.activeElement?.closest('#page > *, .input > *')?.id);
        assert([undefined, 'trail-player', 'texts', 'tokens-encoder'].includes(reached), `${what}: Tab to ${reached}`);
      }
      await page.locator('.trail-choice').first().click();
      await page.locator('.trail-main').waitFor();
      assert.notDeepEqual(await givenAway(page), [], `${what}, answered`);
      await page.locator('#trail-player').getByRole('button', { name: 'Next' }).click({ force: true });
    }
    await tools.close(page);
  });

test('an own question, edit, reorder, remove with undo; seven are the most', async () => {
  const page = await tools.open({ at: '#/explore?model=creek&head=3.2&row=12&key=1' });
  await ready(page);
  await openMenu(page, 'more');
  await page.locator('#trail-button').click();
  await page.locator('.trail-ask').selectOption('own');
  await page.locator('.trail-sentence').fill('A question first.');
  await page.locator('.trail-question').fill('Is it an animal?');
  const box = (/** @type {number} */ i) => page.getByRole('textbox', { name: `Answer ${i}` });
  await box(1).fill('yes');
  await page.getByRole('button', { name: 'Add this view' }).click();
  await page.getByText('needs two to four different answers').waitFor();
  await box(3).fill('no');
  await page.getByRole('button', { name: 'Add this view' }).click();
  await page.getByText('The model cannot say “yes”. Mark which answer is right.').waitFor();
  await page.getByRole('radio', { name: 'Answer 3 is right' }).check();
  await page.getByRole('button', { name: 'Add this view' }).click();
  await page.getByText('Asks: Is it an animal?').waitFor();
  for (let i = 2; i <= 7; i++) await add(page, `Step ${i}`);
  await page.getByText('7 steps are the most.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add this view' }).count(), 0);

  const sentences = () => page.locator('.trail-steps a').allInnerTexts();
  const first = ['A question first.', ...[2, 3, 4, 5, 6, 7].map((i) => `Step ${i}`)];
  await page.getByRole('button', { name: 'Move step 3 up' }).click();
  assert.deepEqual(await sentences(), [first[0], first[2], first[1], ...first.slice(3)]);
  await page.getByRole('button', { name: 'Move step 2 down' }).click();
  await page.getByRole('button', { name: 'Remove step 7' }).click();
  assert.deepEqual(await sentences(), first.slice(0, 6));
  await page.locator('#trail').getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual(await sentences(), first);
  await page.getByRole('button', { name: 'Edit step 7' }).click();
  await page.locator('.trail-sentence').fill('Seventh');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  assert.deepEqual((await sentences()).at(-1), 'Seventh');
  await page.getByRole('button', { name: 'Remove all' }).click();
  assert.deepEqual(await sentences(), []);
  await page.locator('#trail').getByRole('button', { name: 'Undo' }).click();
  assert.equal((await sentences()).length, 7);

  await page.locator('#trail').getByRole('button', { name: 'Play' }).click();
  await slide(page, '1 of 7');
  assert.equal(await page.locator('#heatmap').isVisible(), false, 'the question may be about the map');
  await strip(page).getByRole('button', { name: 'yes' }).click();
  assert.match(await strip(page).innerText(), /✗ You predicted yes. The answer: no/);
  assert(await page.locator('#heatmap').isVisible());
  await tools.close(page);
});

test('a damaged trail leaves the page as it is; texts of a link are text; a step that is not there', async () => {
  const word = await writeTrail(TYPICAL);
  const page = await tools.open({ at: `#/explore?trail=${word.slice(0, -9)}` });
  await ready(page);
  await page.getByText('This trail is damaged').waitFor();
  assert(await page.locator('.places').isVisible());
  assert.equal(await strip(page).isVisible(), false);
  assert(await page.locator('#answers').isVisible());
  await update(page, () => page.locator('#text').fill('the cat was tired .'));
  await page.evaluate(() => (location.hash = '#/explore?trail=AAAA'));
  await page.getByText('This trail is damaged').waitFor();
  assert.equal(await page.locator('#text').inputValue(), 'the cat was tired .', 'the state stays');
  await tools.close(page);

  const hostile = [
    step(HOSTILE, { text: HOSTILE, head: '99.1', changes: '[{"what":"head"}]', constructor: 'x' }),
    step('x', { model: HOSTILE }, { question: HOSTILE, answers: [HOSTILE.slice(0, 60), 'b'], right: null }),
    step('x', {}),
  ];
  const other = await tools.open({ at: `#/explore?trail=${await writeTrail(hostile)}` });
  await strip(other).locator('.trail-words').waitFor();
  assert.equal(await strip(other).locator('.trail-words').innerText(), HOSTILE);
  await other.getByText('Parts of this link could not be read (“changes”, “constructor”)').waitFor();
  await strip(other).getByRole('button', { name: 'Just show me' }).click();
  await strip(other).getByRole('button', { name: 'Next' }).click();
  await strip(other)
    .getByText(`${HOSTILE.slice(0, 60)}`)
    .last()
    .waitFor();
  assert.equal(await other.locator('#explore :is(img, script)').count(), 0);
  await tools.close(other);

  const last = await tools.open({ at: '#/claims' });
  await last.evaluate((link) => (location.hash = link), `#/explore?trail=${word}&step=9999999`);
  await slide(last, '5 of 5');
  assert.equal(await last.locator('.places').isVisible(), false);
  await last.goBack();
  await last.waitForFunction(() => location.hash === '#/claims');
  assert(await last.locator('.places').isVisible(), 'the other places are as ever');
  await tools.close(last);
});

test('what the browser kept is read with care; a trail too long for a link says what to do', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace' });
  await ready(page);
  /** @param {string} kept */
  const reopened = async (kept) => {
    await page.evaluate((text) => localStorage.setItem('glassformer-trail', text), kept);
    await page.reload();
    await ready(page);
    await openMenu(page, 'more');
    await page.locator('#trail-button').click();
    await page.locator('#trail-title').waitFor();
  };
  const row = ['A sentence', { model: 'creek' }];
  const noise = Array.from({ length: 2500 }, (_, i) => ((i * 2654435761) % 4294967296).toString(36)).join('');
  await reopened(JSON.stringify({ steps: [row, ['Long', { model: 'creek', text: noise }], row] }));
  await page.getByText(/characters; a link holds 8,000. Shorten the text of step 2 or remove it/).waitFor();
  assert(await page.locator('.trail-share').getByRole('button', { name: 'Copy link' }).isDisabled());
  await reopened(JSON.stringify({ steps: [row, 'no step', row, row], draft: { sentence: 7, answers: 'x' } }));
  await page.getByText('A part of what this browser kept was damaged').waitFor();
  assert.equal(await page.locator('.trail-steps li').count(), 3);
  assert.equal(await page.locator('.trail-sentence').inputValue(), '');
  for (const damaged of ['{', 'null', '{"steps":5}']) {
    await reopened(damaged);
    await page.getByText('What this browser kept was damaged').waitFor();
  }
  await add(page, 'It records again.');
  await tools.close(page);
});

for (const viewport of [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
]) {
  test(`the strip leaves the map in sight in ${viewport.width} × ${viewport.height}`, async () => {
    const page = await tools.open({ at: `#/explore?trail=${await writeTrail(TYPICAL)}&step=3`, viewport });
    await ready(page);
    await slide(page, '3 of 5');
    await strip(page).locator('.trail-choice').first().click();
    const [cells, player] = await Promise.all(
      ['#heatmap .map-grid', '#trail-player'].map((each) => page.locator(each).boundingBox()),
    );
    assert(cells && player);
    assert(player.y - cells.y > 100, `the map begins at ${cells.y}, the strip at ${player.y}`);
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await tools.close(page);
  });
}

test('a step as a figure in an article of another site: sentence, answer and map, live', async () => {
  const page = await tools.open({ at: '#/explore?model=creek&head=3.2&row=12&key=1' });
  await ready(page);
  await openMenu(page, 'more');
  await page.locator('#trail-button').click();
  await add(page, 'What does "it" <mean>?');
  await catchClipboard(page);
  await page.getByRole('button', { name: 'Copy embed of step 1' }).click();
  await page.getByText('Frame of step 1 copied.').waitFor();
  const code = await copied(page);
  await tools.close(page);
  assert.match(code, /^<iframe title="What does &#34;it&#34; &#60;mean&#62;\?"/);

  const tag = code.replace(tools.url, 'https://you.example/glassformer/');
  const { browser } = /** @type {any} */ (tools);
  const { page: lesson, frame: inner, seen, close } = await framed(browser, tag, {}, tools.url);
  const frame = /** @type {Page} */ (/** @type {unknown} */ (inner)); // what it is asked for, both have
  await computed(frame);
  assert.equal(await frame.locator('#text').inputValue(), SENTENCE);
  for (const shown of ['#text', '#answers', '#heatmap .map-grid'])
    assert(await frame.locator(shown).isVisible(), shown);
  for (const hidden of ['.places', '[data-slot=models]', '#examples', '.rail', '.model-graph-panel', '.page-end'])
    assert.equal(await frame.locator(hidden).isVisible(), false, hidden);
  assert.equal((await readout(frame)).place, 'row it, column creek');
  await point(frame, '#heatmap', 0, 0);
  assert.equal((await readout(frame)).place, 'row The, column The');
  await point(frame, '#heatmap', 3, 1, 'click');
  await frame.waitForFunction(() => /row=3/.test(location.hash));
  const live = frame.getByRole('link', { name: 'Glassformer: open live' });
  const [opened] = await Promise.all([lesson.context().waitForEvent('page'), live.click()]);
  await ready(opened);
  assert(await opened.locator('.places').isVisible());
  assert.match(opened.url(), /row=3/);
  assert.deepEqual(seen, []);
  await close();

  const strict = await framed(browser, tag.replace(/ allow-popups[\w-]*/g, ''));
  await strict.frame.getByRole('link', { name: 'Glassformer: open live' }).click();
  await strict.frame.locator('.places').waitFor(); // in the frame, which allows no window
  await strict.close();
});

test('a frame of our own server in an article that is a file', async () => {
  const { browser } = /** @type {any} */ (tools);
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  const page = await browser.newPage();
  try {
    const article = join(folder, 'article.html');
    writeFileSync(
      article,
      `<iframe src="${tools.url}#/explore?model=creek&amp;embed=1" width=900 height=700></iframe>`,
    );
    await page.goto(String(pathToFileURL(article)));
    await page.frames()[1].locator('.answers-list li').first().getByText('creek').waitFor();
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
});
