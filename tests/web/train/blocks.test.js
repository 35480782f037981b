// 2017's block and today's: how many parameters settings make, what a comparison changes at equal parameters, what is
// measured of it, that a link, a file, a program and the views carry it, and the race in the page.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import {
  BLOCKS,
  SLACK,
  TODAYS,
  blockName,
  blockOf,
  of2017,
  todayOf,
  parametersOf,
} from '../../../web/train/settings/blocks.js';
import { nameOf, othersOf, race } from '../../../web/train/comparison.js';
import { bestRates, expectedOf, measured, measuredRows, summary } from '../../../web/train/settings/expected.js';
import { createComparison } from '../../../web/train/run/compare.js';
import { hashOf, lookAt } from '../../../web/train/run/look.js';
import { TASKS, longestOf, modelConfig, recipeOf } from '../../../web/train/run/recipes.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { readAddress, writeAddress } from '../../../web/train/schema.js';
import { FIELDS, MODEL, problemOf } from '../../../web/train/settings/settings.js';
import { createBrowser, until } from './dom.js';
import { hashInNode } from './node.js';

/** @typedef {import('../../../web/train/run/recipes.js').Settings} Settings */

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

const NAMES = Object.keys(TASKS).filter((name) => !TASKS[name].ffn);
const sizeOf = (/** @type {string} */ task) => ({ words: TASKS[task].vocabulary.size, longest: longestOf(task) });
const todays = (/** @type {string} */ task) => /** @type {Settings} */ (todayOf(recipeOf(task), sizeOf(task)));
const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));

/** @param {string} task @param {Settings} settings */
function countInEngine(task, settings) {
  const model = gf.createModel(modelConfig(task, settings));
  const { parameterCount } = model;
  model.free();
  return parameterCount;
}

test('any settings of the model: as many parameters as the engine’s model has', () => {
  const fields = FIELDS.filter(({ name }) => MODEL.includes(name));
  /** @param {import('../../../web/train/settings/settings.js').Field} field @returns {fc.Arbitrary<any>} */
  const valueOf = ({ kind, low, high, choices }) =>
    kind === 'flag'
      ? fc.boolean()
      : kind === 'choice'
        ? fc.constantFrom(...choices.map(([value]) => value))
        : fc.integer({ min: low, max: Math.min(high, 40) });
  const all = fc.record(Object.fromEntries(fields.map((field) => [field.name, valueOf(field)])));
  let counted = 0;
  const property = fc.property(fc.constantFrom(...NAMES), all, (task, drawn) => {
    const settings = { ...recipeOf(task), ...drawn, d_model: Number(drawn.heads) * (4 + (Number(drawn.d_model) % 7)) };
    const isWrong = fields.some((field) => problemOf(field, settings[field.name], settings));
    if (isWrong) return assert.throws(() => countInEngine(task, settings), 'the page refuses what the engine refuses');
    counted++;
    assert.equal(parametersOf(settings, sizeOf(task)), countInEngine(task, settings));
  });
  fc.assert(property, { numRuns: 300 });
  assert(counted > 50, String(counted));
});

test('today’s block and back: one per cent of parameters apart at most, for each task; none without an FFN', () => {
  for (const task of NAMES) {
    const recipe = recipeOf(task);
    const size = sizeOf(task);
    assert.equal(blockOf(recipe), '2017', task);
    const today = { ...recipe, ...todays(task) };
    assert.equal(blockOf(today), 'today');
    assert.equal(of2017(recipe, size), null);
    assert.equal(todayOf(today, size), null);
    const back = { ...today, ...of2017(today, size) };
    assert.equal(blockOf(back), '2017');
    const counts = [recipe, today, back].map((each) => countInEngine(task, each));
    for (const count of counts) assert(Math.abs(count / counts[0] - 1) <= SLACK, `${task}: ${counts}`);
    assert.equal(todayOf({ ...recipe, d_ff: 0 }, size), null);
    const rate = Number(recipe.learningRate);
    const same = { 2017: rate, today: rate };
    assert.equal(race({ ...recipe, d_ff: 0 }, size, same), null);
    assert.deepEqual(race(recipe, size, same)?.changes, [todays(task)]);
    assert.deepEqual(race(today, size, same)?.changes, [of2017(today, size)]);
    // Each side at its own rate; the run as it is set stays beside them.
    const own = { 2017: 2 * rate, today: rate / 2 };
    const at = (/** @type {object | null} */ change, /** @type {number} */ learningRate) => ({
      ...change,
      learningRate,
    });
    assert.deepEqual(race(recipe, size, own)?.changes, [at({}, own[2017]), at(todays(task), own.today)]);
    assert.deepEqual(race(today, size, own)?.changes, [at({}, own.today), at(of2017(today, size), own[2017])]);
    assert.equal(nameOf(at(todays(task), own.today)), `${TODAYS}, Learning rate: ${own.today}`);
    assert.equal(nameOf(at({}, own[2017])), `Learning rate: ${own[2017]}`);
  }
  const odd = { ...recipeOf('reverse'), d_model: 27 };
  assert.equal(todayOf(odd, sizeOf('reverse')), null, 'heads of an odd width are not turned');
});

test('what Compare offers can be, with each block; a name for each, a link that leads back', () => {
  for (const task of NAMES)
    for (const start of [recipeOf(task), { ...recipeOf(task), ...todays(task) }])
      for (const { name, change } of othersOf(task, start, sizeOf(task))) {
        const comparison = { changes: [change], seeds: 5, within: 100, threshold: 0.9 };
        assert.equal(nameOf(change), name, task);
        const moment = { task, settings: start, step: 0, comparison };
        const found = readAddress(writeAddress(moment, recipeOf(task)), recipes);
        assert.deepEqual([found.comparison, found.refused, found.settings], [comparison, [], start], name);
        countInEngine(task, { ...start, ...change });
      }
  assert.equal(blockName({ ...todays('sort'), layers: 3 }), undefined, 'more than the block');
});

test('wrong values are refused with a reason, by the page as by the engine', () => {
  const recipe = { ...recipeOf('order') }; // 4 heads, d_model 32
  for (const [changes, name, reason] of /** @type {[Settings, string, RegExp][]} */ ([
    [{ keyValueHeads: 3 }, 'keyValueHeads', /must divide the number of heads, 4/],
    [{ keyValueHeads: 2, heads: 1 }, 'heads', /must be a multiple of the key–value heads, 2/],
    [{ positions: 'rotary', d_model: 20 }, 'positions', /needs heads of an even width, not 5/],
    [{ positions: 'rotary', d_model: 20 }, 'd_model', /must leave each head an even width/],
    [{ normKind: 'batch' }, 'normKind', /must be one of its choices/],
  ])) {
    const field = /** @type {any} */ (FIELDS.find((each) => each.name === name));
    const settings = { ...recipe, ...changes };
    assert.match(problemOf(field, settings[name], settings), reason);
    assert.throws(() => countInEngine('order', settings));
  }
  const { refused } = readAddress('#/train?task=order&keyValueHeads=3&ffn=open', recipes);
  assert.deepEqual(refused, ['keyValueHeads', 'ffn']);
});

test('of today’s block the maps are softmax of turned queries on shared keys, the neurons gate times up', async () => {
  const run = await createRun(gf, 'addition', { ...recipeOf('addition'), ...todays('addition') });
  await run.go(3);
  const { maps, neurons } = await lookAt(run, 1);
  const { model } = run;
  const data = (/** @type {string} */ name) => model.tensor(`decoder.layers.${name}`);
  for (const [layer, map] of maps.entries()) {
    const [query, key] = ['query_rotated', 'key_rotated'].map((name) => data(`${layer}.self_attn.${name}`));
    const [, heads, length, width] = query.shape;
    assert.deepEqual([map.heads, map.size, key.shape[1]], [heads, length, heads / 2]);
    for (let head = 0; head < heads; head++)
      for (let row = 0; row < length; row++) {
        const scores = Array.from({ length: row + 1 }, (_, column) => {
          let sum = 0;
          for (let i = 0; i < width; i++)
            sum +=
              query.data[(head * length + row) * width + i] *
              key.data[(Math.floor(head / 2) * length + column) * width + i];
          return Math.exp(sum / Math.sqrt(width));
        });
        const total = scores.reduce((sum, each) => sum + each);
        for (const [column, each] of scores.entries())
          assert(Math.abs(map.data[(head * length + row) * length + column] - each / total) < 1e-5);
      }
    const { count, data: shown } = neurons[layer];
    const [gate, up] = ['activation', 'up'].map((name) => data(`${layer}.ffn.${name}`).data);
    assert.equal(count, todays('addition').d_ff);
    for (const [i, each] of shown.entries()) assert(Math.abs(each - gate[i] * up[i]) < 1e-6);
    assert(shown.some((each) => each < 0));
  }
  run.free();
});

test('a saved run of today’s block goes on with the same bits; one of before it opens as it was', async () => {
  const settings = { ...recipeOf('sort'), ...todays('sort') };
  const run = await createRun(gf, 'sort', settings);
  await run.go(4);
  const opened = await openRun(gf, packRun(run));
  assert.deepEqual(opened.settings, settings);
  await run.go(6);
  await opened.go(6);
  assert.equal(await hashOf(opened.model), await hashOf(run.model));

  const old = await createRun(gf, 'sort', recipeOf('sort'));
  await old.go(4);
  const { tensors, metadata } = readSafetensors(packRun(old));
  const LATER = /^(norm|ffn|key|headW|qk|attentionO|rope|init)[A-Z]\w*$|^ffn$/; // of both
  for (const key of ['glassformer.config', 'glassformer.recipe']) {
    const said = Object.entries(JSON.parse(String(metadata.get(key))));
    const kept = said.filter(([name]) => name === 'normAffine' || !LATER.test(name));
    assert(key === 'glassformer.config' || kept.length === said.length - 4, key);
    metadata.set(key, JSON.stringify(Object.fromEntries(kept)));
  }
  const before = await openRun(gf, writeSafetensors(tensors, { metadata }));
  assert.deepEqual(before.settings, recipeOf('sort'));
  assert.equal(await hashOf(before.model), await hashOf(old.model));
  for (const each of [run, opened, old, before]) each.free();
});

test('a link of before, without the switches, is the run that it was', () => {
  const hash = '#/train?task=sort&heads=4&positions=learned&norm=pre&seed=3';
  const { settings, refused } = readAddress(hash, recipes);
  assert.deepEqual(refused, []);
  const { normKind, ffn, keyValueHeads, ffnBias } = settings;
  assert.deepEqual([normKind, ffn, keyValueHeads, ffnBias], ['layer', 'plain', 0, true]);
  assert.equal(writeAddress({ task: 'sort', settings, step: 0 }, recipeOf('sort')), hash);
});

test('the measured table: both blocks at equal parameters, as this engine measures them', async () => {
  assert.deepEqual(Object.keys(measured).sort(), [...NAMES].sort());
  for (const [task, { runs }] of Object.entries(measured)) {
    assert.deepEqual(
      runs.slice(0, 2).map(({ name }) => name),
      ['2017’s block', TODAYS],
    );
    for (const { name, parameters, rate, tried, reached, right, loss } of runs) {
      assert(tried.includes(rate), `${task}: ${name}`);
      // The best stands inside what was tried, or the search went as far as it goes.
      if (tried.length > 1) assert(tried.indexOf(rate) % (tried.length - 1) || [0.125, 8].includes(rate), task);
      if (/block|as many parameters/.test(name))
        assert(Math.abs(parameters / runs[0].parameters - 1) <= SLACK, `${task}: ${name}`);
      for (const each of [reached, right, loss]) assert.equal(each.length, 5, `${task}: ${name}`);
    }
  }
  const { steps, runs } = measured.copy;
  const rates = runs.map(({ rate }) => rate * Number(recipeOf('copy').learningRate));
  const variants = [{}, todays('copy')].map((change, i) => ({
    ...recipeOf('copy'),
    ...change,
    learningRate: rates[i],
  }));
  assert.deepEqual(bestRates('copy', Number(recipeOf('copy').learningRate)), {
    2017: rates[0],
    today: rates[1],
    tuned: true,
  });
  assert.deepEqual(
    bestRates('text', 0.01),
    { 2017: 0.01, today: 0.01, tuned: false },
    'of another text nothing is known',
  );
  const own = await createComparison(gf, 'copy', variants, [0, 1, 2, 3, 4]);
  await own.train(steps, () => true);
  for (const [run, { parameters, right, loss }] of runs.entries()) {
    assert.equal(parameters, countInEngine('copy', variants[run]));
    const last = own.report().checks.map((group) => /** @type {any} */ (group[run].at(-1)));
    assert.deepEqual(
      [last.map((each) => each.sequences), last.map((each) => Number(each.loss.toPrecision(4)))],
      [right, loss],
    );
  }
  own.free();
  const rows = measuredRows().flatMap((each) => each.rows);
  assert.equal(rows.length, Object.values(measured).flatMap((each) => each.runs).length);
  assert.match(summary(), /Today’s block is ahead on \d of \d.*p < \.05 \(five seeds against five can give \.008\)/);
  assert.match(
    expectedOf({ task: 'reverse' }, ['as set', TODAYS])[0],
    /2017’s block \(rate × [\d.]+\) in \d of 5 .*; today’s block \(rate × [\d.]+\) in \d of 5/,
  );
  assert.deepEqual(expectedOf({ task: 'reverse' }, ['as set', 'no norm']), []);
  assert.deepEqual(expectedOf({ task: 'text' }, ['as set', TODAYS]), [], 'of another text');
  assert.equal(BLOCKS[0].name, TODAYS);
});

test('in the page: the race is predicted, trained, with both counts; Operate has the block as a switch', async () => {
  const tab = await createBrowser()('#/train?task=order');
  await tab.at(0);
  await tab.unfold('compare');
  await tab.press('2017 against today');
  const counts = [recipeOf('order'), { ...recipeOf('order'), ...todays('order') }].map((each) =>
    parametersOf(each, sizeOf('order')).toLocaleString('en'),
  );
  // Each block at its own rate: that of 2017 is not the recipe's here.
  const { 2017: before, today, tuned } = bestRates('order', Number(recipeOf('order').learningRate));
  assert(tuned && before !== recipeOf('order').learningRate && today === recipeOf('order').learningRate);
  await tab.there('.compare-race + .hint', `best learning rate: 2017’s ${before}, today’s ${today}\\.`);
  await tab.there(
    '.compare-parameters',
    `as set ${counts[0]}; Learning rate: ${before} ${counts[0]}; today’s block ${counts[1]} \\(d_ff \\d+\\)`,
  );
  assert.equal(tab.value('.compare-steps'), String(recipeOf('order').steps));
  assert(tab.button('Start').disabled, 'it asks first');
  await tab.fill('.compare-steps', '25');
  await tab.check('.compare-form label:has([type=radio])', /^no difference$/);
  await tab.press('Start');
  await tab.there('.compare-verdict li', /^today’s block reaches 99 % .* in 0 of 5 seeds\.$/);
  await tab.there(
    '.compare-verdict',
    /Measured before, seeds 0 to 4, 200 steps: 99 % of the rows by 2017’s block \(rate × [\d.]+\) in 5 of 5/,
  );
  await tab.there('.compare-verdict', /p = [\d.]+, no difference that 5 seeds show \(p < \.05 counts\)/);
  await until(() =>
    /runs=learningRate=0?\.0025,norm=pre~normKind=rms~positions=rotary~ffn=gated.*seeds=5&within=25/.test(
      tab.address(),
    ),
  );
  assert.equal(tab.texts('.compare-known tbody').length, measuredRows().length);
  const [columns, cells] = ['thead th', 'tbody tr:nth-child(2) > *'].map((each) => tab.texts(`.compare-known ${each}`));
  assert.equal(cells.length, columns.length * measuredRows().length);

  await tab.fill('#train-operate-block', 'today');
  await tab.there(
    '.train-trial',
    `Today’s block\\..*Key–value heads: 2, d_ff: 56\\. Parameters: ${counts[0]}, then ${counts[1]}\\..*still learn`,
  );
  const isOn = (/** @type {RegExp} */ name) =>
    tab
      .all('.train-switch')
      .find((each) => name.test(each.textContent.trim()))
      .querySelector('input').checked;
  assert.deepEqual([isOn(/^positions$/), isOn(/^RMSNorm$/)], [true, true], 'as it would be');
  await tab.press('It will');
  await tab.at(200);
  assert.equal(tab.hash(), await hashInNode('order', 200, todays('order')));
  await tab.there('.train-trial', /^Today’s block\. You said that it will still learn\. You were right\./);
  assert.equal(tab.facts().Parameters, counts[1]);
  await tab.there('.train-switch', /^RMSNorm$/);
  assert.match(tab.all('.train-grid .head')[3].title, /^Layer 1, head 4, key–value head 2$/);
  await tab.unfold('neurons');
  await tab.there('#train-fold-neurons', /its gate after the activation function times its up projection/);
  await tab.check('.train-switch', /^positions$/);
  await tab.press('Just show me');
  await tab.at(200);
  await tab.check('.train-switch', /^positions$/);
  await tab.there('.train-trial', /^Positions: Rotary \(RoPE\)\./);
  await tab.close();
});

test('in the page: from attention to an FFN alone the open comparison never counts what is not there', async () => {
  const tab = await createBrowser()('#/train?task=order');
  await tab.at(0);
  await tab.unfold('compare');
  await tab.there('.compare-parameters');
  /** @type {string[]} */
  const seen = [];
  const note = () => seen.push(tab.text('#train'));
  new tab.window.MutationObserver(note).observe(tab.document, { subtree: true, childList: true, characterData: true });
  await tab.fill('[name=train-task]', 'square');
  await tab.there('.train-facts', /Largest error/);
  assert(seen.length > 0);
  assert.deepEqual(
    seen.filter((each) => /NaN/.test(each)).map((each) => each.match(/.{30}NaN.{30}/)?.[0]),
    [],
  );
  await tab.close();
});
