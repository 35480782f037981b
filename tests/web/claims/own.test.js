// A claim of one's own: its link, what of it is refused, its card with Node's numbers, its form.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { foundOf } from '../../../web/claims/own/found.js';
import {
  MEASURES,
  MOST,
  TASK_NAMES,
  costOf,
  measured,
  planText,
  readOwn,
  settingsOf,
  thresholdText,
  writeOwn,
} from '../../../web/claims/own/spec.js';
import { TASKS, recipeOf } from '../../../web/train/run/recipes.js';
import { createTwins } from '../../../web/train/run/twins-run.js';
import { assertAxe, useBrowser } from '../browser.js';
import { openAt } from '../train/watch.js';

const tools = useBrowser();
/** @typedef {import('../../../web/claims/own/spec.js').Spec} Spec */

/** @type {Map<string, import('../../../web/claims/own/spec.js').Facts>} */
let tasks;
before(() => {
  const facts = (/** @type {string} */ name) => ({
    recipe: recipeOf(name),
    width: TASKS[name].batch(0, 1).ids.shape[1],
    words: TASKS[name].vocabulary.size,
  });
  tasks = new Map(TASK_NAMES.map((name) => [name, facts(name)]));
});

/** @type {Record<string, string>} */
const CLAIM = {
  ...{ own: 'Order is learned without positions.', task: 'order', switch: 'positions', to: 'none' },
  ...{ measure: 'rows', at: 'least', threshold: '0.55', steps: '50', seeds: '3', seed: '0' },
};
const linkOf = (/** @type {Record<string, string>} */ change) =>
  `#/claims?${new URLSearchParams({ ...CLAIM, ...change })}`;
const read = (/** @type {Record<string, string>} */ change) =>
  readOwn(new URLSearchParams({ ...CLAIM, ...change }), tasks);

/** @param {Spec} spec @param {import('glassformer').Engine} gf */
async function inNode(spec, gf) {
  const facts = tasks.get(spec.task) ?? assert.fail();
  const seeds = Array.from({ length: spec.seeds }, (_, i) => spec.seed + i);
  const twins = await createTwins(gf, spec.task, [settingsOf(spec, facts)], seeds);
  await twins.train(spec.steps, () => true);
  const found = foundOf(spec, twins.report());
  twins.free();
  return found;
}

test('a link says the same as the claim that it was written from', () => {
  for (const change of [
    {},
    { switch: 'scoreScale', to: '0' },
    { switch: 'learningRate', to: '0.01' },
    { at: 'most' },
  ]) {
    const { spec, refused } = read(change);
    assert.deepEqual(refused, []);
    const again = readOwn(new URLSearchParams(writeOwn(/** @type {Spec} */ (spec)).replace(/.*\?/, '')), tasks);
    assert.deepEqual(again, { spec, refused: [] });
  }
  const { spec } = readOwn(new URLSearchParams({ ...CLAIM, switch: '', to: '' }), tasks);
  assert.equal(spec?.switch, '');
});

test('what cannot be is refused by its label and value; the cost is bounded', () => {
  for (const [change, name, said] of /** @type {[Record<string, string>, string, RegExp][]} */ ([
    [{ own: '' }, 'own', /^Sentence must have 1 to 200 characters, not “”$/],
    [{ own: ' \n ' }, 'own', /^Sentence must have/],
    [{ own: 'x'.repeat(201) }, 'own', /^Sentence must have .*not “x{40}…”$/],
    [{ own: 'a\u202eb' }, 'own', /^Sentence must be without control characters/],
    [{ own: 'a\u0000b' }, 'own', /^Sentence must be without control characters/],
    [{ task: 'text' }, 'task', /^Task must be one of reverse, .*not “text”/],
    [{ task: '__proto__' }, 'task', /^Task must .*__proto__/],
    [{ task: 'xor' }, 'task', /^Task must /],
    [{ switch: 'constructor' }, 'switch', /^Switch must .*constructor/],
    [{ switch: 'steps' }, 'switch', /^Switch must /],
    [{ to: 'toString' }, 'to', /^Positions must be one of its choices, not “toString”/],
    [{ switch: 'residual', to: 'yes' }, 'to', /^Residual connections must be 0 or 1, not “yes”/],
    [{ switch: 'layers', to: '7' }, 'to', /^Layers must be an integer from 1 to 6, not “7”/],
    [{ switch: 'heads', to: '5' }, 'to', /^Heads must divide d_model/],
    [{ switch: 'd_ff', to: '1e9' }, 'to', /^d_ff .* must /],
    [{ switch: 'learningRate', to: 'NaN' }, 'to', /^Learning rate must /],
    [{ switch: 'learningRate', to: 'Infinity' }, 'to', /^Learning rate must /],
    [{ measure: 'valueOf' }, 'measure', /^Measure must .*valueOf/],
    [{ at: 'more' }, 'at', /^Bound must be one of least, most, not “more”/],
    [{ threshold: '1.1' }, 'threshold', /^Threshold must be a number from 0 to 1, not “1.1”/],
    [{ threshold: '' }, 'threshold', /^Threshold must /],
    [{ threshold: '-1' }, 'threshold', /^Threshold must .*not “-1”/],
    [{ threshold: '1e-3' }, 'threshold', /^Threshold must /],
    [{ threshold: '0x1' }, 'threshold', /^Threshold must /],
    [{ measure: 'steps', threshold: '75' }, 'threshold', /^Threshold must be a number from 0 to 50, not “75”/],
    [{ steps: '0' }, 'steps', /^Steps must /],
    [{ steps: '2025' }, 'steps', /^Steps must be a whole number from 25 to 2,000, not “2025”/],
    [{ steps: '30' }, 'steps', /^Steps must be a multiple of 25, not “30”/],
    [{ steps: '1e3' }, 'steps', /^Steps must /],
    [{ seeds: '11' }, 'seeds', /^Number of seeds must .*not “11”/],
    [{ seeds: '0' }, 'seeds', /^Number of seeds must /],
    [{ seed: '4294967296' }, 'seed', /^First seed must .*not “4294967296”/],
    [{ seed: '-1' }, 'seed', /^First seed must /],
    [{ x: '1' }, '', /^A claim has no part “x”$/],
  ])) {
    const { spec, refused } = read(change);
    assert.equal(spec, null, JSON.stringify(change));
    assert.deepEqual([refused.length, refused[0].name], [1, name], JSON.stringify(refused));
    assert.match(refused[0].said, said);
  }
  const lacking = new URLSearchParams(CLAIM);
  lacking.delete('measure');
  assert.match(readOwn(lacking, tasks).refused[0].said, /^Measure must be .*, but is missing$/);
  const twice = readOwn(new URLSearchParams(`${linkOf({}).slice(9)}&steps=75`), tasks).refused;
  assert.deepEqual(twice, [{ name: '', said: 'The link names “steps” 2 times' }]);
  const dear = read({ task: 'story', switch: 'd_model', to: '96', steps: '2000', seeds: '10' });
  assert.match(dear.refused[0].said, /^Steps × number of seeds must take at most about 10 minutes, not about \d+/);
  const { spec } = read({});
  assert(costOf(/** @type {Spec} */ (spec), tasks.get('order') ?? assert.fail()) < MOST.seconds / 100);
  const several = read({ seed: '-1', steps: '1', to: 'x', y: '' }).refused.map(({ name }) => name);
  assert.deepEqual(several, ['', 'to', 'steps', 'seed'], 'in the order of the form');
  assert.equal(read({ own: ' one\r\n line\t more ' }).spec?.own, 'one line more');
});

test('thresholds are stated as they are tested, and no number is rounded across them', () => {
  for (const [measure, threshold, text] of /** @type {const} */ ([
    ['rows', '0.905', '90.5 %'],
    ['rows', '1', '100 %'],
    ['tokens', '0.999999', '99.9999 %'],
    ['tokens', '0.29', '29 %'],
    ['loss', '0.000001', '0.000001'],
    ['loss', '1.25', '1.25'],
    ['steps', '37.5', '37.5'],
  ])) {
    const spec = /** @type {Spec} */ (read({ measure, threshold }).spec);
    assert.equal(thresholdText(spec), text);
    assert(planText(spec).endsWith(`is at least ${text}.`), planText(spec));
  }
  for (const [measure, threshold, value, text] of /** @type {const} */ ([
    ['rows', 1, 0.9997, '99.97 %'],
    ['rows', 0.9, 0.9997, '99.97 %'],
    ['rows', 0.9, 1, '100 %'],
    ['rows', 0.91, 0.9063, '90.6 %'],
    ['rows', 0.905, 0.9063, '91 %'],
    ['tokens', 0.9, 0.5547, '55 %'],
    ['tokens', 0.29, 0.29, '29 %'],
    ['loss', 0.5, 0.504, '0.504'],
    ['loss', 0.5, 1.2345, '1.2'],
    ['steps', 1000, 1025, '1,025'],
    ['steps', 1000, Infinity, 'never'],
    ['rows', 0.5, NaN, 'training broke off'],
  ]))
    assert.equal(measured({ measure, threshold }, value), text);
});

test('the verdict counts seeds; never and a training that broke off are no numbers', () => {
  const { spec } = read({ measure: 'steps', threshold: '25', at: 'most', seeds: '1' });
  const check = (/** @type {number} */ step, /** @type {number} */ sequences) =>
    /** @type {any} */ ({ step, sequences });
  const of = (/** @type {any[][]} */ checks, change = {}) =>
    foundOf(/** @type {Spec} */ ({ ...spec, ...change }), { checks: checks.map((own) => [own]) });
  assert.deepEqual(of([[check(25, 0.95), check(50, 1)]]).values, [25]);
  assert.deepEqual(of([[check(25, 0.1), check(50, 0.2)]]).values, [Infinity]);
  assert.deepEqual(of([[check(25, 0.1)]]).values, [NaN]);
  assert.deepEqual(of([[check(25, 0.1)]], { at: 'least' }).agrees, [false]);
  const mixed = of([
    [check(25, 1), check(50, 1)],
    [check(25, 0), check(50, 1)],
  ]);
  assert.deepEqual([mixed.agrees, mixed.outcome.verdict], [[true, false], 'it depends']);
  assert.match(of([[check(25, 0.1)]]).outcome.found, /^0 of 1 seed counts as “true”.* Training broke off with 1\.$/);
});

test('the verdict says which way it counts, as the plan does, whatever the sentence says', () => {
  const ends = [{ step: 50, sequences: 0.99, accuracy: 0.99, loss: 0.02 }];
  for (const [measure, threshold, written] of [
    ['rows', '0.9', '90 %'],
    ['tokens', '0.5', '50 %'],
    ['loss', '0.5', '0.5'],
    ['steps', '50', '50'],
  ])
    for (const at of ['least', 'most']) {
      const { spec } = read({ own: 'Without positions it cannot learn', measure, threshold, at, seeds: '1' });
      const { outcome } = foundOf(/** @type {Spec} */ (spec), { checks: [[/** @type {any} */ (ends)]] });
      const { label } = MEASURES[/** @type {'rows'} */ (measure)];
      const rule = `${label}${measure === 'steps' ? '' : ' at the end'} is at ${at} ${written}.`;
      assert(outcome.found.endsWith(rule), outcome.found);
      assert(planText(/** @type {Spec} */ (spec)).endsWith(`A seed counts as “true” if the ${rule}`), rule);
      const holds = at === (measure === 'loss' ? 'most' : 'least') || measure === 'steps';
      assert.equal(outcome.verdict, holds ? 'true' : 'false', rule);
      assert.match(outcome.found, holds ? /^1 of 1 seed counts as “true”/ : /^0 of 1 seed counts as “true”/);
    }
});

test('a link opens the card: nothing runs before the click, then Node’s numbers; the next is clean', async () => {
  const { spec } = read({});
  const own = await inNode(/** @type {Spec} */ (spec), await load({ variant: 'simd' }));
  const page = await openAt(tools, linkOf({}));
  await page.getByRole('heading', { name: CLAIM.own }).waitFor();
  assert.match(await page.locator('.claims-own').innerText(), /A claim that someone wrote.*3 × 50 steps: about \d+ s/s);
  assert.equal(await page.locator('.claims-own progress, .claims-own table').count(), 0);
  await page.getByRole('radio', { name: 'false' }).check();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.claims-own-values').waitFor();
  const values = await page.locator('.claims-own-values data').evaluateAll((all) => all.map((each) => each.value));
  assert.deepEqual(values, own.values.map(String));
  assert.equal(await page.locator('.claims-word').getAttribute('data-verdict'), own.outcome.verdict);
  assert.match(await page.locator('.claims-verdict').innerText(), /You bet|As you bet/);
  await page.evaluate(() => (location.hash = '#/claims?view=summary'));
  const row = page.locator('.claims-own-results tbody tr');
  await row.waitFor();
  assert.match(
    await row.innerText(),
    /Order is learned without positions\.\s+You bet: false\s+. (true|false|it depends).*Train /s,
  );
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: CLAIM.own }).waitFor();

  await page.evaluate((hash) => (location.hash = hash), linkOf({ steps: '2000', own: 'Another one.' }));
  await page.getByRole('heading', { name: 'Another one.' }).waitFor();
  assert.equal(await page.locator('.claims-own-values').count(), 0);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.claims-own progress').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  assert.equal(await page.locator('.claims-own :is(progress, table)').count(), 0);

  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.claims-own progress').waitFor();
  const here = new URL(page.url()).hash;
  await page.evaluate(() => (location.hash = '#/train'));
  await page.locator('.claims-own').waitFor({ state: 'hidden' });
  await page.evaluate((hash) => (location.hash = hash), here);
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  assert.equal(await page.locator('.claims-own progress').count(), 0, 'after another place');
  await page.getByRole('link', { name: 'All claims' }).click();
  await page.locator('.claims-list').first().waitFor();
  await tools.close(page);
});

test('a worker lives as long as its run; where it fails, the card says so, and the next run has another', async () => {
  const setUp = (/** @type {import('playwright-core').Page} */ page) =>
    page.addInitScript(() => {
      globalThis.Worker = class extends Worker {
        constructor(/** @type {[any, any]} */ ...given) {
          super(...given);
          if (String(given[0]).includes('trainer')) /** @type {any} */ (globalThis).trainer = this;
        }
      };
    });
  const page = await openAt(tools, linkOf({ steps: '2000' }), { setUp });
  const trainers = () => page.workers().filter((each) => each.url().includes('trainer')).length;
  const noTrainer = async () => {
    while (trainers()) await page.waitForTimeout(20);
  };
  const run = page.getByRole('button', { name: 'Run', exact: true });
  const cancel = page.getByRole('button', { name: 'Cancel' });
  const problem = page.locator('.claims-own .error');
  await run.waitFor();
  await noTrainer();
  await run.click();
  await page.waitForFunction(() => Number(document.querySelector('.claims-own progress')?.getAttribute('value')) > 0);
  assert.equal(trainers(), 1);
  await cancel.click();
  await noTrainer();
  for (let tries = 0; tries < 2; tries++) {
    await run.click();
    await cancel.waitFor();
    await page.evaluate(() =>
      /** @type {any} */ (globalThis).trainer.dispatchEvent(new ErrorEvent('error', { message: 'it crashed' })),
    );
    await problem
      .filter({ hasText: 'could not be run: The part of the page that computes this has stopped. Try again.' })
      .waitFor();
    await noTrainer();
  }
  await page.evaluate((hash) => (location.hash = hash), linkOf({ own: 'Another one.' }));
  await page.getByRole('heading', { name: 'Another one.' }).waitFor();
  assert.equal(await problem.isVisible(), false);
  await run.click();
  await page.locator('.claims-own-values').waitFor();
  await noTrainer();
  await tools.close(page);
});

test('nothing found leads to the form, which names what it refuses, and to a card; axe, phone, dark', async () => {
  const viewport = { width: 390, height: 844 };
  const page = await openAt(tools, '#/claims?view=list', { viewport, colorScheme: 'dark' });
  await page.locator('.claims-find').fill('zzzz qqqq');
  await page.getByRole('link', { name: 'Test it as your own claim' }).click();
  const form = page.locator('.claims-own-form');
  await form.waitFor();
  assert.equal(await form.getByLabel('Sentence').inputValue(), 'zzzz qqqq');
  await form.getByLabel('Task').selectOption('copy');
  await form.getByLabel('Switch').selectOption('scoreScale');
  assert.equal(await form.getByLabel('set to').inputValue(), '0');
  await form.getByLabel('Measure').selectOption('steps');
  await form.getByLabel('Threshold').fill('1000');
  await form.getByRole('button', { name: 'Make the card' }).click();
  await form.locator('.error', { hasText: 'Threshold must be a number from 0 to 100, not “1000”.' }).waitFor();
  const focused = () =>
    page.evaluate(() => {
      const field = /** @type {any} */ (document.activeElement);
      const said = document.getElementById(field?.getAttribute('aria-describedby') ?? '')?.textContent;
      return [field?.name, field?.ariaInvalid, said?.replace(/ must[^]*/, '')];
    });
  assert.deepEqual(await focused(), ['threshold', 'true', 'Threshold']);
  await form.getByLabel('Sentence').fill('\n');
  await form.getByRole('button', { name: 'Make the card' }).click();
  assert.deepEqual(await focused(), ['own', 'true', 'Sentence']);
  assert.deepEqual(
    await form.locator('[aria-invalid]').evaluateAll((all) => all.map((each) => each.getAttribute('name'))),
    ['own', 'threshold'],
  );
  await form.getByLabel('Sentence').fill('Without √d_k\n<b>copying</b> needs 100 steps.');
  for (const at of ['the form', 'the card']) {
    await assertAxe(page, at);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, at);
    const edge = await page
      .locator('.claims-own, .claims-own *')
      .evaluateAll((all) => Math.max(...all.map((each) => each.getBoundingClientRect().right)));
    assert(edge <= 390, `${at} reaches to ${edge}`);
    if (at === 'the card') break;
    await form.getByLabel('Threshold').fill('100');
    await form.getByLabel('Threshold').press('Enter');
    await page.getByRole('heading', { name: 'Without √d_k <b>copying</b> needs 100 steps.' }).waitFor();
  }
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'claims-own');
  await page.getByRole('link', { name: 'Change it' }).click();
  assert.equal(await form.getByLabel('Threshold').inputValue(), '100');
  await tools.close(page);
});

const HOSTILE = [
  '<script>globalThis.hit=1</script>',
  '<img src=x onerror="globalThis.hit=1">',
  '<svg onload=globalThis.hit=1>',
  '"><iframe srcdoc="<script>parent.hit=1</script>">',
  '<a href="javascript:globalThis.hit=1">x</a>',
  '${globalThis.hit=1}',
  '{{constructor.constructor("globalThis.hit=1")()}}',
  '</textarea><script>globalThis.hit=1</script>',
  '</h3><style>*{display:none}</style>',
  '<!--',
  '&lt;b&gt;',
  '<math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img src onerror=globalThis.hit=1>">',
  '<template shadowrootmode=open>',
  '<base href=//example.org>',
  '<meta http-equiv=refresh content=0>',
];

test('hostile links: in the sentence as text, elsewhere refused as text', async () => {
  const page = await openAt(tools, linkOf({}));
  await page.locator('.claims-own').waitFor();
  const elements = () =>
    page.evaluate(
      () => document.querySelectorAll('.claims :is(script, img, svg, iframe, style, base, meta, b)').length,
    );
  let shown = 0;
  for (const text of HOSTILE) {
    await page.evaluate((hash) => (location.hash = hash), linkOf({ own: text }));
    await page.waitForFunction((own) => document.querySelector('#claims-own')?.textContent === own, text);
    assert.equal(await elements(), 0, text);
    shown++;
    for (const [name, label] of Object.entries({ task: 'Task', to: 'Positions', threshold: 'Threshold' })) {
      await page.evaluate((hash) => (location.hash = hash), linkOf({ [name]: text }));
      await page
        .locator('.claims-own-form .error')
        .filter({ hasText: `${label} must ` })
        .filter({ hasText: text.slice(0, 40) })
        .waitFor();
      assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).count(), 0);
      assert.equal(await elements(), 0, `${name}=${text}`);
      shown++;
    }
  }
  assert(shown >= 30);
  const many = Array.from({ length: 5000 }, (_, i) => `x${i}=`).join('&');
  await page.evaluate((hash) => (location.hash = hash), `${linkOf({ steps: '1' })}&${many}`);
  const error = page.locator('.claims-own-form .error');
  await error.filter({ hasText: 'And 4,998 more.' }).waitFor();
  assert.equal(await error.locator('p').count(), 4);
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).hit), undefined);
  await tools.close(page);
});
