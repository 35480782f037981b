// Changes, their effects, undoing them, and two states side by side.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turned } from '../../../web/explore/shared/before.js';
import { assertShown, shipped } from '../in-node.js';
import { allShown, checkAnswers, numberOf, texts } from '../checks.js';
import {
  KNOWN,
  ROW,
  chooseHead,
  click,
  eventually,
  fill,
  gone,
  headShown,
  open,
  ownOf,
  point,
  quiet,
  readout,
  shown,
  there,
  unfold,
} from './steps.js';

const HEAD_OFF = { name: 'encoder.layers.0.self_attn.head_outputs', index: [0, 1, null, null], value: 0 };

/** @param {import('./steps.js').Tour} tour */
export default function change(tour) {
  test('creek: head, temperature, cell and neuron, each with its answers; undo, redo, take back, reset', async () => {
    const { page, gf } = tour;
    await open(tour, 'creek');
    const own = shipped(gf, 'creek');
    const run = (options = {}) => {
      const { logits } = own.model.forward({ ids: own.ids(KNOWN), capture: true, ...options });
      return gf.softmax(logits).data;
    };
    const before = run();
    /** Answers, those that turned, and a weight of the last layer. @param {object} options */
    const check = (options) =>
      eventually(async () => {
        const after = run(options);
        await checkAnswers(page, before, after, ROW, own.vocabulary);
        assert.equal(
          (await texts(page, '.effect-turned li')).length,
          turned(before, after, own.vocabulary.length).length,
        );
      });
    const weight = () => own.at('encoder.layers.2.self_attn.weights', 0, 0, ROW, 1);
    await chooseHead(page, 1);
    await click(page, '#change-head button', 'Switch off');
    await check({ patches: [HEAD_OFF] });
    await fill(page, '#try .temperature', '0.4');
    await check({ patches: [HEAD_OFF], temperature: 2.51 });
    await chooseHead(page, 2 * own.config.heads);
    await shown(page, '#heatmap', weight(), 'above both');
    assert.deepEqual(await texts(page, '.chips bdi'), ['Encoder layer 1, head 2: off', 'Temperature 2.51']);
    await page.press('Control+z');
    await check({ patches: [HEAD_OFF] });
    await shown(page, '#heatmap', weight(), 'undone');
    await click(page, '#try button', 'Redo');
    await check({ patches: [HEAD_OFF], temperature: 2.51 });
    await click(page, '.chips button', 0);
    await check({ temperature: 2.51 });
    await click(page, '#interventions button', 'Reset 1 change');
    await gone(page, '.chips');
    run();
    await shown(page, '#heatmap', weight(), 'reset');

    await fill(page, '#change-head input', '0.7');
    const cell = { name: 'encoder.layers.2.self_attn.weights', index: [0, 0, ROW, 1], value: 0.7 };
    await shown(page, '#heatmap', 0.7, 'a cell set');
    await check({ patches: [cell] });
    const { note } = await readout(page, '#ffn');
    await point(page, '#ffn', ROW, 3, true);
    await eventually(async () => assert.notEqual((await readout(page, '#ffn')).note, note));
    const neuron = Number((await readout(page, '#ffn')).place.split(' ').at(-1));
    assert.equal((await readout(page, '#ffn')).note, `[12, ${neuron}] pinned`, 'its index, though it stands fourth');
    await click(page, '#try-node button', 'Replace with average');
    const {
      data,
      shape: [, tokens, width],
    } = own.model.tensor('encoder.layers.2.ffn.activation'); // as the cell set before leaves it
    const mean =
      Array.from({ length: tokens }, (_, row) => data[row * width + neuron]).reduce((a, b) => a + b) / tokens;
    const both = {
      patches: [cell, { name: 'encoder.layers.2.ffn.activation', index: [0, null, neuron], value: mean }],
    };
    await shown(page, '#ffn', mean, 'a neuron at its mean');
    await check(both);
    await quiet(page);
  });

  test('creek: a weight is edited, and what follows from it', async () => {
    const { page, gf } = tour;
    await open(tour, 'creek');
    const [name, row, column] = ['encoder.layers.0.linear1.weight', 3, 5];
    const [plain, edited] = [ownOf(tour, 'creek'), shipped(gf, 'creek')];
    const weights = edited.model.weights();
    const { data, shape } = /** @type {{data: Float32Array, shape: number[]}} */ (weights.get(name));
    const old = data[row * shape[1] + column];
    data[row * shape[1] + column] = 1.5;
    edited.model.loadWeights(weights);
    edited.model.forward({ ids: edited.ids(KNOWN), capture: true });
    const { layer, head, prefix } = await headShown(page);
    assert(layer > 0, 'above the weight');
    const value = (/** @type {number} */ wanted) =>
      eventually(async () => assertShown(numberOf((await texts(page, '.weight-value'))[0]), wanted));
    await unfold(page, '#interventions details');
    await fill(page, '.weight-name', name);
    await eventually(async () =>
      assert.match((await texts(page, '.weight p'))[0], new RegExp(`^of ${shape.join(' × ')};`)),
    );
    await fill(page, '.weight-row', String(row));
    await fill(page, '.weight-column', String(column));
    await value(old);
    await fill(page, '.weight-new', '1.5');
    await value(1.5);
    await shown(page, '#heatmap', edited.at(`${prefix}.weights`, 0, head, ROW, 1), 'with the weight');
    await eventually(() =>
      checkAnswers(page, plain.probabilities().data, edited.probabilities().data, ROW, plain.vocabulary),
    );
    await click(page, '#try button', 'Undo');
    await value(old);
    await shown(page, '#heatmap', plain.at(`${prefix}.weights`, 0, head, ROW, 1), 'without it');
    await quiet(page);
  });

  test('creek: pinned, present and their difference, with one cursor', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    const [then, now] = [ownOf(tour, 'creek'), ownOf(tour, 'creek', { patches: [HEAD_OFF] })];
    await chooseHead(page, 1);
    await click(page, '#interventions button', 'Pin this state');
    await there(page, '#compare p');
    await click(page, '#change-head button', 'Switch off');
    await there(page, '.chips bdi');
    await there(page, '#effect li, #effect p'); // which comes late and moves what lies below it
    await chooseHead(page, 2 * then.config.heads);
    await fill(page, '.compared', 'selected');
    await page.point(1, 1); // a map that comes may lie beneath the pointer
    /** @param {string} what @param {string} name @param {number[]} index @param {() => Promise<void>} [first] */
    const check = (what, name, index, first) =>
      eventually(async () => {
        await first?.();
        const [one, two] = [then, now].map((each) => each.at(name, 0, ...index));
        const note = (await texts(page, `.compare-${what} .compare-readout strong`)).map(numberOf);
        allShown(note, [one, two, two - one], what);
        allShown(
          (await texts(page, `.compare-${what} .map-readout strong`)).map(numberOf),
          [two - one, one, two],
          `${what}, each map`,
        );
      });
    const weights = 'encoder.layers.2.self_attn.weights';
    // A view that comes late may move the map between where it is looked for and the click: then once more.
    await check('head', weights, [0, ROW, 1]);
    await check('head', weights, [0, 3, 5], () => point(page, '.compare-head .compare-difference', 3, 5, true));
    await check('head', weights, [0, 4, 2], () => point(page, '.compare-head .compare-maps > div:nth-child(1)', 4, 2));
    await page.point(1, 1);
    await fill(page, '#ffn .arrangement', 'index');
    const ffn = 'encoder.layers.2.ffn.activation';
    await check('ffn', ffn, [7, 9], () => point(page, '.compare-ffn .compare-difference', 7, 9, true));
    await fill(page, '#heatmap .quantity', 'scaled');
    await check('head', 'encoder.layers.2.self_attn.scaled', [0, 7, 5]);
    await click(page, '#interventions button', 'Unpin');
    await gone(page, '#compare');
    await quiet(page);
  });
}
