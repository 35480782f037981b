// <glass-why>: the steps of the chosen weight, with the numbers of the module; the player and the choice move them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../../dist/js/index.js';
import { all, creek, open, problems, settled, TIRED, until, window } from './dom.js';

/** @param {any} part @param {string} selector */
const text = (part, selector) => all(part, selector)[0]?.textContent.replace(/\s+/g, ' ').trim() ?? '';
/** @param {any} part */
const results = (part) =>
  all(part, '.why-result').map((each) => each.querySelector('.why-number').textContent.replace('−', '-'));
/** @param {any} part @param {string} name */
const button = (part, name) => all(part, 'button').find((each) => each.getAttribute('aria-label') === name);

test('each step of the weight has the number of the module', async () => {
  const { find } = await open('<glass-why></glass-why>', { head: '3.2', word: 'it', key: 'dog' });
  const part = find('glass-why');
  await until(() => results(part).length);
  const { model } = await (await load()).loadModel(creek);
  model.forward(TIRED, { capture: true });
  const at = (/** @type {string} */ name) =>
    model.tensor({ name: `encoder.layers.2.self_attn.${name}`, head: 1, row: 9 }).data[1];
  const [score, scaled, weight] = results(part);
  assert.ok(Math.abs(Number(score) - at('scores')) < 0.01, `${score} ${at('scores')}`);
  assert.ok(Math.abs(Number(scaled) - at('scaled')) < 0.01, `${scaled} ${at('scaled')}`);
  assert.equal(weight, `${Math.round(100 * at('weights'))}\u00a0%`);
  assert.equal(text(part, 'h2'), `Why ${weight.replace('\u00a0', ' ')}?`);
  assert.equal(text(part, '.why-line'), 'In layer 3, head 2, it attends to dog: no other key fits its query better.');
  assert.deepEqual(problems.splice(0), []);
});

test('it follows the choice of another part, and its player steps back by button and slider', async () => {
  const { model, find } = await open('<glass-why></glass-why><glass-heatmap></glass-heatmap>', { head: '3.2' });
  const part = find('glass-why');
  await until(() => results(part).length);
  assert.match(text(part, '.why-line'), /^In layer 3, head 2, The /);
  const cells = all(find('glass-heatmap'), '.map-cells')[0];
  cells.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowDown' }));
  await settled();
  assert.equal(model.word, 1);
  assert.match(text(part, '.why-line'), /^In layer 3, head 2, dog /);
  const ahead = () => all(part, '.why-step.ahead').length;
  assert.equal(ahead(), 0);
  button(part, 'Step back').click();
  assert.equal(ahead(), 1);
  const slider = all(part, 'input[type=range]')[0];
  slider.value = '3';
  slider.dispatchEvent(new window.Event('input'));
  assert.equal(ahead(), 3);
  assert.match(text(part, '.why-result'), /sum of 3 of \d+$/);
  assert.match(slider.getAttribute('aria-valuetext'), /^query · key, 3 of \d+ products$/);
  all(part, '[role=slider]')[0].dispatchEvent(new window.KeyboardEvent('keydown', { key: 'End', bubbles: true }));
  assert.equal(all(part, '[role=slider]')[0].getAttribute('aria-valuenow'), slider.max - 3 - 1 + '');
  model.head = '1.1';
  await settled();
  assert.match(text(part, '.why-line'), /^In layer 1, head 1, /);
  assert.equal(ahead(), 0);
  assert.deepEqual(problems.splice(0), []);
});

test('a decoder: what the mask hides is said', async () => {
  const story = new Uint8Array(
    (await import('node:fs')).readFileSync(new URL('../../../dist/models/continue.safetensors', import.meta.url)),
  );
  const { find } = await open('<glass-why></glass-why>', {
    src: story,
    text: 'one day a hungry fox saw a red ball. the',
    word: 2,
    key: 4,
  });
  const part = find('glass-why');
  await until(() => text(part, '.why-line'));
  assert.match(text(part, '.why-line'), /cannot attend to hungry|cannot attend to fox/);
  assert.deepEqual(problems.splice(0), []);
});

test('a neuron that is chosen has its own steps, until a head or a cell is chosen', async () => {
  const { model, find } = await open('<glass-why></glass-why><glass-heatmap></glass-heatmap>', {
    ...{ head: '3.2', word: 'it', neuron: '2.88' },
  });
  const part = find('glass-why');
  await until(() => results(part).length);
  const { model: own } = await (await load()).loadModel(creek);
  own.forward(TIRED, { capture: true });
  const at = (/** @type {string} */ name) => own.tensor({ name: `encoder.layers.1.ffn.${name}`, row: 9 }).data[88];
  const near = (/** @type {string} */ shown, /** @type {number} */ value) =>
    assert.ok(Math.abs(Number(shown) - value) <= 0.03 * Math.abs(value), `${shown} ${value}`);
  const check = () => {
    const [product, relu, length] = results(part);
    near(product, at('pre_activation'));
    near(relu, at('activation'));
    const { data } = own.tensor('encoder.layers.1.linear2.weight');
    const value = Float64Array.from({ length: 48 }, (_, d) => data[96 * d + 88]);
    near(length, at('activation') * Math.hypot(...value));
  };
  check();
  assert.match(text(part, '.why-line'), /^In layer 2, neuron 88 is /);
  const cells = all(find('glass-heatmap'), '.map-cells')[0];
  cells.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'ArrowRight' }));
  await settled();
  assert.match(text(part, '.why-line'), /^In layer 3, head 2, it /);
  model.neuron = '1.7';
  await settled();
  assert.match(text(part, '.why-line'), /^In layer 1, neuron 7 is /);
  model.head = '1.2';
  await settled();
  assert.match(text(part, '.why-line'), /^In layer 1, head 2, it /);
  assert.deepEqual(problems.splice(0), []);
});
