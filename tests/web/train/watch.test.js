// The watched values of a run: gradients and updates by layer, neurons, a row of the reader's own; in Node against
// the public API, on the page against Node.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load } from 'glassformer';
import { predictor, reverse } from 'glassformer/tasks';
import { lookAt } from '../../../web/train/run/look.js';
import { createMeter, isMeasured } from '../../../web/train/run/measures.js';
import { TASKS, modelConfig, recipeOf, trainerConfig } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { createBrowser, until } from './dom.js';

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/** @param {ArrayLike<number>} values */
const normOf = (values) => Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));
/** @param {number} a @param {number} b */
const close = (a, b) => assert(Math.abs(a - b) <= 1e-5 * Math.abs(b), `${a}, ${b}`);

test('gradients and updates by layer are those of the public API, and measuring changes no bit', () => {
  const settings = recipeOf('sort');
  const twin = () => {
    const model = gf.createModel(modelConfig('sort', settings));
    return { model, trainer: model.trainer(trainerConfig('sort', settings, model)) };
  };
  const [own, other] = [twin(), twin()];
  const meter = createMeter(own.model);
  assert.deepEqual(meter.parts, ['Embeddings', 'Layer 1', 'Layer 2', 'Output']);
  const names = [...own.model.weights().keys()];
  const partOf = (/** @type {string} */ name) =>
    /emb/.test(name) ? 0 : /layers/.test(name) ? 1 + Number(name.split('.')[2]) : 3;
  for (let step = 0; step < 4; step++) {
    const batch = TASKS.sort.batch(step, 1);
    const before = other.model.weights();
    const { gradientNorm } = other.trainer.gradients(batch);
    const gradients = names.map((name) => other.model.tensor(`grad.${name}`).data);
    other.trainer.step(batch);
    meter.begin();
    own.trainer.step(batch);
    const values = meter.end();
    const after = own.model.weights();
    meter.parts.forEach((_, part) => {
      const mine = names.filter((name) => partOf(name) === part);
      close(values[part], normOf(mine.map((name) => normOf(gradients[names.indexOf(name)]))));
      const was = mine.map((name) => before.get(name)?.data ?? []);
      const moved = mine.map((name, i) => normOf(after.get(name)?.data.map((value, k) => value - was[i][k]) ?? []));
      const size = normOf(was.map(normOf));
      if (size) close(values[4 + part], normOf(moved) / size);
      else assert(Number.isNaN(values[4 + part]), 'biases that were all 0');
    });
    close(normOf(values.slice(0, 4)), gradientNorm);
    for (const [name, { data }] of after) assert.deepEqual(data, other.model.tensor(name).data);
  }
});

test('layers are measured at the first 25 steps, then at every fifth, the same after a return', async () => {
  const run = await createRun(gf, 'copy', recipeOf('copy'));
  await run.go(40);
  const { layers } = run.curve(0);
  assert.deepEqual(
    layers.flatMap((each, i) => (each ? [i + 1] : [])),
    Array.from({ length: 40 }, (_, i) => i + 1).filter(isMeasured),
  );
  assert.equal(layers.filter(Boolean).length, 28);
  await run.go(12);
  await run.go(40);
  assert.deepEqual(run.curve(0).layers, layers);
});

test('maps, neurons and answers of a row of one’s own; words that the task does not have are refused', async () => {
  const run = await createRun(gf, 'reverse', recipeOf('reverse'));
  await run.go(150);
  const look = await lookAt(run, '3141 5926');
  assert.deepEqual([look.own, look.example, look.rows.length], [true, 8, 9]);
  assert.equal(look.rows[8].words.join(''), '31415926');
  const { batch } = reverse.ask('31415926');
  const { logits, maps } = await predictor(run.model)(batch, { maps: true });
  assert(maps);
  assert.deepEqual([...look.maps[0].data], [...maps[0].data]);
  assert.deepEqual([...look.neurons[0].data], [...run.model.tensor('encoder.layers.0.ffn.activation').data]);
  assert.equal(look.neurons[0].count, 64);
  const best = (/** @type {number} */ at) => {
    const row = [...logits.data].slice(at * 10, at * 10 + 10);
    return String(row.indexOf(Math.max(...row)));
  };
  assert.deepEqual(
    look.rows[8].answers.map(({ got }) => got),
    Array.from({ length: 8 }, (_, at) => best(at)),
  );
  assert.deepEqual(
    look.rows[8].answers.map(({ expected }) => expected),
    [...'62951413'],
  );
  assert.deepEqual((await lookAt(run, 2)).rows, look.rows.slice(0, 8), 'the held-out rows stay');
  await assert.rejects(lookAt(run, '31x15926'), { code: 'unknown', value: 'x' });
  await assert.rejects(lookAt(run, '314'), { code: 'range' });
  for (const [name, typed] of [
    ['addition', '47+25='],
    ['order', 'CABDEF'],
    ['reverse-variable', '12345'],
    ['induction', 'abc'.repeat(8)],
    ['story', 'one day a dog saw a bone .'],
  ]) {
    const each = await createRun(gf, name, recipeOf(name));
    const shown = await lookAt(each, typed);
    assert.equal(shown.own, true, name);
    assert.equal(shown.neurons.length, Number(recipeOf(name).layers), name);
    assert.equal(shown.maps[0].size, shown.rows.at(-1)?.words.length, name);
    each.free();
  }
  const none = await createRun(gf, 'reverse', { ...recipeOf('reverse'), d_ff: 0 });
  assert.deepEqual((await lookAt(none, 0)).neurons, []);
});

test('on the page: folds with Node’s numbers, the neurons, and one’s own row while training goes on', async () => {
  const tab = await createBrowser()('#/train?task=reverse&step=30');
  await tab.at(30);
  const own = await createRun(gf, 'reverse', recipeOf('reverse'));
  await own.go(30);
  const look = await lookAt(own, 0);

  const NEURONS = '#train-fold-neurons .train-fold-body';
  /** The number at the cursor after these keys. @param {string[]} keys */
  async function neuron(...keys) {
    const map = await tab.there(`${NEURONS} [role=application]`);
    for (const key of keys) {
      map.dispatchEvent(new tab.window.KeyboardEvent('keydown', { key, bubbles: true }));
      await null; // a key is drawn when its listener has ended
    }
    return tab.text(`${NEURONS} .map-readout strong`);
  }
  await tab.unfold('neurons'); // then it is fetched
  const [down, right] = ['ArrowDown', 'ArrowRight'];
  assert.equal(
    await neuron(down, down, right, right, right, right, right),
    look.neurons[0].data[2 * 64 + 5].toFixed(4),
  );
  assert.match(tab.text(`${NEURONS} > .hint`), /at step 30\. \d+\.\d % of the values/);

  await tab.unfold('layers');
  await tab.there('.train-parts tbody tr');
  const [values] = own.curve(29).layers;
  assert(values);
  assert.deepEqual(
    tab.all('.train-parts tbody tr').map(({ children }) => Array.from(children, (each) => each.textContent.trim())),
    own.parts.map((part, i) => [part, ...[values[i], values[own.parts.length + i]].map((v) => v.toPrecision(3))]),
  );
  await until(() => tab.all('#train-fold-layers .curves-line').length === 2 * own.parts.length);

  await tab.press('✎ type your own');
  await tab.there('#train-own');
  assert.equal(tab.value('#train-own'), look.rows[0].words.join(''));
  /** @param {string} text */
  const ask = async (text) => {
    await tab.fill('#train-own', text);
    await tab.press('Show');
  };
  await ask('12');
  await tab.there('#train-own-note .error', /^It must be 8 digits\.$/);
  await ask('1234567x');
  await tab.there('#train-own-note', '“x”');
  assert.equal(tab.all('#train-own')[0].getAttribute('aria-invalid'), 'true');
  assert.equal(tab.value('#train-own'), '1234567x');

  await tab.press('Train');
  await ask('12345678');
  await tab.there('.train-rows li:nth-child(9)');
  assert.equal(tab.all('#train-own-note .error').length, 0);
  await tab.at(400);
  await own.go(400);
  const last = await lookAt(own, '12345678');
  assert.deepEqual(
    tab.texts('.train-rows li:nth-child(9) .train-token > :last-child'),
    last.rows[8].answers.map(({ got }) => got),
  );
  assert.equal(last.rows[8].answers.filter(({ right }) => right).length, 8);
  assert.equal(await neuron(...Array(7).fill(down), 'End'), last.neurons[0].data[8 * 64 - 1].toFixed(4));
  assert.equal(tab.text('#train-shown-title'), 'Your row');
  await tab.check('.train-rows li:nth-child(2)');
  await until(() => tab.all('.train-rows li').length === 8);
  assert.equal(tab.value('#train-own'), last.rows[1].words.join(''));
  await tab.close();
});
