// The way through the model: each station's number, and each part's view.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertShown } from '../in-node.js';
import { allShown, cells, numberOf, texts } from '../checks.js';
import { ROW, chooseHead, click, eventually, fill, move, open, ownOf, quiet, shown, there, unfold } from './steps.js';

/** @param {import('./steps.js').Tour} tour */
export default function way(tour) {
  /** Creek opened, and rows of its tensors in Node. */
  async function opened() {
    await open(tour, 'creek');
    const own = ownOf(tour, 'creek');
    const { layers } = own.config;
    const row = (/** @type {string} */ name, at = ROW) => {
      const { data, shape } = own.model.tensor(name);
      const width = Number(shape.at(-1));
      return data.subarray(at * width, (at + 1) * width);
    };
    await there(tour.page, '#logit-lens .lens tbody tr');
    return { own, layers, row };
  }

  test('creek: the stations, and where they lead', async () => {
    const { page } = tour;
    const { layers, row } = await opened();
    const names = [
      'encoder.embedding',
      'encoder.input',
      ...Array.from({ length: layers }, (_, i) =>
        ['norm1.out', 'ffn.out', 'norm2.out'].map((name) => `encoder.layers.${i}.${name}`),
      ).flat(),
    ];
    const numbers = async () =>
      (await texts(page, '#model-graph .model-graph-number')).slice(1, names.length + 1).map(numberOf);
    for (const token of [ROW, 3]) {
      await click(page, '#tokens-encoder .token', token);
      await eventually(async () =>
        (await numbers()).forEach((number, i) => {
          const norm = Math.hypot(...row(names[i], token));
          // two decimals
          assert(Math.abs(number - norm) < 0.00501 + 1e-5 * norm, `${names[i]}: ${number}, computed ${norm}`);
        }),
      );
    }
    const steps = await texts(page, '#model-graph .model-graph-node');
    const find = (/** @type {RegExp} */ name) => steps.findIndex((text) => name.test(text));
    for (const [name, title] of /** @type {[RegExp, string][]} */ ([
      [/Embedding/, 'embedding-title'],
      [/FFN/, 'ffn-title'],
      [/Logits/, 'logit-lens-title'],
    ])) {
      await click(page, '#model-graph .model-graph-node', find(name));
      await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), title));
    }
    await quiet(page);
  });

  test('creek: positions and how alike they are', async () => {
    const { page } = tour;
    const { own, row } = await opened();
    await move(page, '#positions', 7, 2);
    await shown(page, '#positions', own.at('encoder.positions', 7, 2));
    await unfold(page, '#position-similarity details');
    await there(page, '#position-similarity tbody tr');
    const dots = Array.from({ length: 14 }, (_, other) =>
      row('encoder.positions', 7).reduce((sum, value, i) => sum + value * row('encoder.positions', other)[i], 0),
    );
    allShown(
      (await cells(page, '#position-similarity tbody tr')).map((each) => numberOf(each[2])),
      dots,
      'dot products',
    );
    await quiet(page);
  });

  test('creek: LayerNorm', async () => {
    const { page } = tour;
    const { own } = await opened();
    await chooseHead(page, 2 * own.config.heads);
    for (const norm of [1, 2]) {
      await fill(page, '#layer-norm select', String(norm));
      const [name, before] = [`encoder.layers.2.norm${norm}.`, own.at(`encoder.layers.2.residual${norm}`, 0, ROW, 5)];
      // Before the cursor moves: until this norm's numbers have come, the map is that of the one before.
      await eventually(async () =>
        allShown(
          (await cells(page, '#layer-norm .moments tbody tr')).flatMap(([, ...two]) => two.map(numberOf)),
          Array.from({ length: 14 }, (_, at) => [
            own.at(`${name}mean`, 0, at),
            own.at(`${name}variance`, 0, at),
          ]).flat(),
          'moments',
        ),
      );
      await move(page, '#layer-norm', 0, 5);
      await shown(page, '#layer-norm', before, 'before');
      const [y, gain, x, mean, variance, epsilon, bias] = await eventually(async () => {
        const numbers = (await texts(page, '#layer-norm .numbers mn')).map((text) =>
          numberOf(text.replace(/[()]/g, '')),
        );
        assertShown(numbers[0], own.at(`${name}out`, 0, ROW, 5));
        return numbers;
      });
      allShown(
        [gain, x, mean, variance, bias],
        [
          own.at(`${name}weight`, 5),
          before,
          own.at(`${name}mean`, 0, ROW),
          own.at(`${name}variance`, 0, ROW),
          own.at(`${name}bias`, 5),
        ],
        'the formula',
      );
      const again = (gain * (x - mean)) / Math.sqrt(variance + epsilon) + bias;
      assert(Math.abs(y - again) < 2e-4, `${again} from what is printed, ${y} printed`);
    }
    await quiet(page);
  });
}
