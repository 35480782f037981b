// x², AND and XOR by an FFN alone: what they learn, over 20 seeds; on the page Node's numbers and bits.
import { formatValue } from '../../../web/draw/numbers.js';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { makeSquare, tasks } from 'glassformer/tasks';
import { codeOf } from '../../../web/train/keep/code.js';
import { hashOf, lookAt } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { FIELDS, problemOf } from '../../../web/train/settings/settings.js';
import { TEXTS } from '../../../web/train/tasks.js';
import { createBrowser, until } from './dom.js';

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/** A run to its last step. @param {string} name @param {object} changes */
async function trained(name, changes) {
  const settings = { ...recipeOf(name), ...changes };
  const run = await createRun(gf, name, settings);
  await run.go(Number(settings.steps));
  return run;
}

/** Counts the seeds 0 to 19 that end below an error of 0.001. @param {string} name @param {object} changes */
async function exact(name, changes) {
  let count = 0;
  for (let seed = 0; seed < 20; seed++) {
    const run = await trained(name, { ...changes, seed });
    count += run.checks().slice(-1)[0].sequences;
    run.free();
  }
  return count;
}

/** [gate, activation, neurons, seeds of 20 that are exact]: the counts of the page's text. */
const COUNTS = /** @type {const} */ ([
  ['and', 'none', 8, 0],
  ['and', 'relu', 2, 6],
  ['and', 'relu', 4, 17],
  ['and', 'relu', 8, 19],
  ['and', 'relu', 12, 20],
  ['and', 'gelu', 8, 20],
  ['xor', 'none', 8, 0],
  ['xor', 'relu', 2, 3],
  ['xor', 'relu', 4, 12],
  ['xor', 'relu', 8, 18],
  ['xor', 'relu', 12, 20],
  ['xor', 'gelu', 8, 20],
]);

for (const [gate, activation, neurons, count] of COUNTS) {
  test(`${gate}, ${activation}, ${neurons} neurons: exact with ${count} of 20 seeds`, async (t) => {
    const found = await exact(gate, { activation, d_ff: neurons });
    t.diagnostic(`${found} of 20`);
    assert.equal(found, count);
  });
}

test('without an activation the best plane: error 1/16 for AND, 1/4 for XOR, 2/3 off for x²', async () => {
  for (const [name, error] of /** @type {const} */ ([
    ['and', 1 / 16],
    ['xor', 1 / 4],
  ])) {
    const { ffn } = await lookAt(await trained(name, { activation: 'none' }), 0);
    assert(ffn?.surface && Math.abs(ffn.error - error) < 1e-4, `${ffn?.error}`);
    assert.deepEqual(ffn.surface.kinks, []);
  }
  const { ffn } = await lookAt(await trained('square', { activation: 'none' }), 0);
  assert(ffn && Math.abs(ffn.largest - 2 / 3) < 0.02, `${ffn?.largest}`);
});

test('x²: more neurons, smaller errors, never below the best broken line; bends at its kinks alone', async () => {
  /** @type {Record<number, number>} */
  const medians = {};
  for (const neurons of [1, 2, 4, 8, 16, 32]) {
    const errors = [];
    for (let seed = 0; seed < 5; seed++) {
      const run = await trained('square', { d_ff: neurons, seed });
      const { ffn } = await lookAt(run, 0);
      assert(ffn?.curve);
      assert(ffn.largest >= makeSquare({ hidden: neurons }).bestError);
      assert.equal(ffn.curve.best, makeSquare({ hidden: neurons }).bestError);
      errors.push(ffn.largest);
      const { low, high, values, kinks } = ffn.curve;
      const xs = values.map((_, i) => low + ((high - low) * i) / (values.length - 1));
      for (let i = 1; i < xs.length - 1; i++) {
        if (kinks.some((x) => x >= xs[i - 1] && x <= xs[i + 1])) continue;
        const bend = values[i - 1] - 2 * values[i] + values[i + 1];
        assert(Math.abs(bend) < 2e-6, `a bend of ${bend} at ${xs[i]}, kinks at ${kinks}`);
      }
      run.free();
    }
    medians[neurons] = errors.sort((a, b) => a - b)[2];
  }
  assert.deepEqual(
    Object.values(medians).map((each) => each.toFixed(2)),
    ['0.74', '0.07', '0.07', '0.03', '0.02', '0.02'],
  );
});

test('the surface: values of the four points at its corners, a kink where a pre-activation is 0', async () => {
  const run = await trained('xor', {});
  const { ffn, rows, maps } = await lookAt(run, 0);
  assert.deepEqual([rows, maps], [[], []]);
  assert(ffn?.surface);
  const { side, values, kinks } = ffn.surface;
  const output = run.model.forward({ vectors: { data: Float32Array.of(0, 0, 0, 1, 1, 0, 1, 1), shape: [1, 4, 2] } });
  const last = side - 1;
  assert.deepEqual(
    [values[0], values[last], values[last * side], values[last * side + last]],
    [0, 2, 4, 6].map((i) => output.output.data[i]),
  );
  assert.equal(kinks.length, Number(recipeOf('xor').d_ff));
  const [u, v, c] = kinks[0];
  const weights = run.model.tensor('linear1.weight').data;
  assert.deepEqual([u, v, c], [weights[0], weights[1], run.model.tensor('linear1.bias').data[0]]);
});

test('neurons: what each has at the inputs, what they sum to, and which are dead, by the weights alone', async () => {
  for (const [task, changes] of /** @type {const} */ ([
    ['xor', { d_ff: 8 }],
    ['xor', { d_ff: 8, activation: 'gelu' }],
    ['square', { d_ff: 16, seed: 3 }],
  ])) {
    const run = await trained(task, changes);
    const look = (await lookAt(run, 0)).ffn;
    assert(look);
    const { inputs, activations, weights, outgoing, bias, outputs, dead } = look.neurons;
    const sums = (/** @type {number[]} */ input) =>
      weights.map((own) => input.reduce((sum, x, i) => sum + x * own[i], own[input.length]));
    inputs.forEach((input, row) => {
      const own = activations.subarray(row * dead.length, (row + 1) * dead.length);
      if (!('activation' in changes))
        sums(input).forEach((sum, i) => assert(Math.abs(own[i] - Math.max(0, sum)) < 1e-5, `${task} ${row} ${i}`));
      const output = own.reduce((sum, value, i) => sum + value * outgoing[i], bias);
      assert(Math.abs(output - outputs[row]) < 1e-4, `${task}: ${output}, ${outputs[row]}`);
    });
    const { data, shape } = run.task.batch(0, 1).vectors;
    const points = Array.from({ length: shape[1] }, (_, i) => [...data.subarray(i * shape[2], (i + 1) * shape[2])]);
    const isRelu = !('activation' in changes);
    assert.deepEqual(
      dead,
      weights.map((_, i) => isRelu && points.every((point) => sums(point)[i] <= 0)),
    );
    if (task === 'xor' && isRelu) assert(dead.includes(true) && dead.includes(false));
  }
});

test('the recipe that is known before the task is fetched is the task’s own', async () => {
  for (const name of /** @type {const} */ (['square', 'and', 'xor'])) {
    const [{ config, trainer }, known] = [tasks[name], recipeOf(name)];
    const own = { d_ff: config.d_ff, activation: config.activation, ...trainer };
    for (const [key, value] of Object.entries(known))
      if (key !== 'seed') assert.equal(value, own[key], `${name} ${key}`);
    const run = await createRun(gf, name, known);
    for (const [key, value] of Object.entries(trainer))
      assert.equal(run.trainer.settings[key], value, `${name} ${key}`);
  }
});

test('a run is saved, opened again, and reproduced by its code, with the same bits', async () => {
  for (const [task, changes] of /** @type {[string, object][]} */ ([
    ['square', { d_ff: 16, seed: 3, steps: 60 }],
    ['xor', { d_ff: 8, activation: 'gelu', schedule: 'linear', steps: 60 }],
  ])) {
    const settings = { ...recipeOf(task), ...changes };
    const own = await createRun(gf, task, settings);
    await own.go(30);
    const opened = await openRun(await load({ variant: 'simd' }), packRun(own));
    await own.go(60);
    await opened.go(60);
    const hash = await hashOf(own.model);
    assert.equal(await hashOf(opened.model), hash);
    await own.go(10);
    await own.go(60);
    assert.equal(await hashOf(own.model), hash, 'a second way there');
    const code = codeOf({ task, settings, recipe: recipeOf(task), step: 60, hash });
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    assert.equal(printed.trim(), hash, code);
  }
});

test('on the page XOR is learnt as in Node; scrubbed, without an activation, then a task of rows', async () => {
  const tab = await createBrowser()('#/train?task=xor');
  await tab.at(0);
  await tab.there('.train-ffn tbody tr');
  await tab.press('Train');
  await tab.at(400);
  const own = await trained('xor', {});
  const { ffn, hash } = await lookAt(own, 0);
  assert(ffn?.surface);
  assert.equal(tab.hash(), hash);
  const { side, values } = ffn.surface;
  const corners = [0, side - 1, (side - 1) * side, side * side - 1].map((i) => formatValue(values[i]));
  /** The table of the four points. */
  const points = () =>
    tab.all('.train-ffn tbody tr').map((row) => [...row.children].map((each) => each.textContent.trim()));
  assert.deepEqual(
    points(),
    ['0, 0', '0, 1', '1, 0', '1, 1'].map((name, i) => [name, String([0, 1, 1, 0][i]), corners[i]]),
  );
  assert.match(tab.text('.train-solved'), /mean squared error was below 0\.001 at step \d+\.$/);
  const isShown = (/** @type {string} */ part) => tab.all(part).some((each) => !each.closest('[hidden]'));
  for (const part of ['.train-heads', '.train-break', '.train-held']) assert(!isShown(part), part);
  assert.equal(tab.all('.train-predictions').length, 0);
  assert.equal(tab.all('#train-heads').length, 0, 'a setting that it does not have');

  const { neurons } = ffn;
  const lost = neurons.dead.filter(Boolean).length;
  assert.match(tab.text('.train-dead'), new RegExp(`^${lost} of 12 neurons (is|are) dead`));
  assert.equal(tab.all('.train-hinge.dead').length, lost);
  const map = await tab.there('.train-excited [role=application]');
  const press = async (/** @type {string} */ key) => {
    map.dispatchEvent(new tab.window.KeyboardEvent('keydown', { key, bubbles: true }));
    await null;
  };
  await press('ArrowDown'); // the input 0, 1
  for (const [i, isDead] of neurons.dead.entries()) {
    if (i) await press('ArrowRight');
    const value = neurons.activations[12 + i];
    await tab.there('.train-reason', `^Why \\S+\\? Neuron ${i} at 0, 1: `);
    const said = tab.text('.train-reason');
    const printed = said.replaceAll('− ', '+ −').replaceAll('−', '-');
    const [given, a, b, c, sum, made, out, added] =
      /^Why (\S+)\? .*: (\S+) × 0 \+ (\S+) × 1 \+ (\S+) = (\S+); ReLU makes it (\S+)\. .* weight (\S+) it adds (\S+)\./
        .exec(printed)
        ?.slice(1)
        .map(Number) ?? assert.fail(said);
    const digits = (printed.match(/\d\.(\d+)/)?.[1] ?? '').length;
    const as = (/** @type {number} */ each) => Number(each.toFixed(digits)) + 0;
    assert(Math.abs(given - value) < 2 * 10 ** -digits, said);
    assert.deepEqual([sum, made, given, added], [a * 0 + b + c, Math.max(0, sum), made, made * out].map(as), said);
    assert.match(said, isDead ? /It is dead/ : /excites it most/);
    assert.match(said, new RegExp(`sum to ${neurons.outputs[1].toFixed(2)}; the target is 1\\.`));
    assert.equal(tab.all('.train-hinge').indexOf(tab.all('.train-hinge.chosen')[0]), i);
  }

  await tab.key('Home');
  await tab.at(0);
  await own.go(0);
  assert.equal(tab.hash(), await hashOf(own.model));
  await tab.fill('[name=train-ffn-activation]', 'none');
  await until(() => /activation=none/.test(tab.address()));
  await tab.press('Train');
  await tab.at(400);
  await until(() => points().every(([, , output]) => Math.abs(Number(output) - 0.5) < 0.02));
  assert.match(tab.text('.train-reason'), /flat at ½/);
  assert.equal(tab.all('.train-hinge').length, 0);

  await tab.fill('[name=train-task]', 'copy');
  await tab.there('.train-tiles');
  assert(!isShown('.train-ffn'));
  await tab.close();
});

test('on the page x² from a link: curve and kinks are Node’s; a choice of neurons restarts', async () => {
  const tab = await createBrowser()('#/train?task=square&d_ff=16&seed=4&step=700');
  await tab.at(700);
  const own = await createRun(gf, 'square', { ...recipeOf('square'), d_ff: 16, seed: 4 });
  await own.go(700);
  const { ffn, hash } = await lookAt(own, 0);
  assert(ffn?.curve);
  assert.equal(tab.hash(), hash);
  await tab.there('.train-plot');
  assert.equal(tab.all('.train-knot').length, ffn.curve.kinks.length);
  const path = tab.all('.train-plot .curves-line').at(-1).getAttribute('d');
  const ys = [...path.matchAll(/ ([\d.-]+)/g)].map(([, y]) => 4.2 - (Number(y) / 320) * 4.7);
  assert.equal(ys.length, ffn.curve.values.length);
  ffn.curve.values.forEach((value, i) => assert(Math.abs(ys[i] - value) < 1e-3, `${i}: ${ys[i]}, ${value}`));
  await tab.fill('[name=train-ffn-d_ff]', '2');
  await tab.at(0);
  await until(() => !/d_ff=16/.test(tab.address()) && /d_ff=2/.test(tab.address()));
  await tab.close();
});

test('without neurons there is no FFN: said at the field', () => {
  const [field] = FIELDS.filter(({ name }) => name === 'd_ff');
  assert.equal(problemOf(field, 0, recipeOf('xor')), 'must be an integer from 1 to 512');
  assert.equal(problemOf(field, 1, recipeOf('xor')), '');
  assert.equal(problemOf(field, 0, recipeOf('sort')), '');
});

test('each says what it is to learn and when it has, and no number of the recipe’s', () => {
  for (const task of ['square', 'and', 'xor']) {
    const { goal, reached, solved } = TEXTS[task];
    assert(goal && reached);
    assert.doesNotMatch(solved, /recipe|steps/, task);
  }
});
