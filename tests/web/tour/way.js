// The way through the model: each station's number, and each part's view.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertShown } from '../browser.js';
import { allShown, cells, numberOf, texts } from '../checks.js';
import {
  ROW,
  chooseHead,
  click,
  eventually,
  fill,
  move,
  open,
  ownOf,
  quiet,
  readout,
  shown,
  there,
  unfold,
} from './steps.js';

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
    const stages = [
      'encoder.embedding',
      'encoder.input',
      ...Array.from({ length: layers }, (_, i) => [1, 2].map((n) => `encoder.layers.${i}.norm${n}.out`)).flat(),
    ];
    await there(tour.page, '#logit-lens .lens tbody tr');
    return { own, layers, row, stages };
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
      [/Logits/, 'logits-title'],
    ])) {
      await click(page, '#model-graph .model-graph-node', find(name));
      await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), title));
    }
    await quiet(page);
  });

  test('creek: embedding, positions and how alike they are', async () => {
    const { page } = tour;
    const { own, row } = await opened();
    await move(page, '#embedding', 7, 5);
    await shown(page, '#embedding', own.at('encoder.input', 0, 7, 5), 'with positions');
    allShown(
      (await texts(page, '#embedding-sum .live-numbers .number'))[0].match(/[−\d]\d*\.\d{4}/g)?.map(numberOf) ?? [],
      [own.at('encoder.embedding', 0, 7, 5), own.at('encoder.positions', 7, 5), own.at('encoder.input', 0, 7, 5)],
      'the sum',
    );
    await fill(page, '#embedding select', 'embedding');
    await shown(page, '#embedding', own.at('encoder.embedding', 0, 7, 5), 'alone');
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

  test('creek: the residual stream and LayerNorm', async () => {
    const { page } = tour;
    const { own, row, stages } = await opened();
    const dot = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) =>
      a.reduce((sum, value, i) => sum + value * b[i], 0);
    const expected = (/** @type {number} */ stage) => {
      const [x, before] = [row(stages[stage]), row(stages[stage - 1] ?? stages[stage])];
      const [norm, old] = [x, before].map((each) => Math.sqrt(dot(each, each)));
      return stage
        ? [norm, Math.hypot(...x.map((value, i) => value - before[i])) / old, dot(x, before) / norm / old]
        : [norm];
    };
    await eventually(async () => {
      const table = (await cells(page, '#residual-token .stages tbody tr')).map(([, ...values]) =>
        values.filter(Boolean).map(numberOf),
      );
      allShown(
        table.flat(),
        stages.flatMap((_, stage) => expected(stage)),
        'the stream at “it”',
      );
    });
    await move(page, '#residual-stream', ROW, 3);
    await shown(page, '#residual-stream', expected(3)[0], 'norm');
    for (const [name, i] of /** @type {[string, number][]} */ ([
      ['changes', 1],
      ['cosines', 2],
    ])) {
      await fill(page, '#residual-stream select', name);
      // the first stage has neither, and the cursor stays at its own
      await shown(page, '#residual-stream', expected(3)[i], name);
    }
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

  test('creek: logits, and what each layer would already answer', async () => {
    const { page } = tour;
    const { own, layers } = await opened();
    const { gf } = tour;
    const words = own.vocabulary;
    const best = (/** @type {Float32Array} */ data, /** @type {number} */ row) =>
      words
        .map((/** @type {string} */ word, /** @type {number} */ id) => ({ id, word, p: data[row * words.length + id] }))
        .sort((/** @type {any} */ a, /** @type {any} */ b) => b.p - a.p);
    const { data } = own.probabilities();
    for (const token of [ROW, 1]) {
      await click(page, '#tokens-encoder .token', token);
      await eventually(async () => {
        const rows = await cells(page, '#logits tbody tr');
        const right = best(data, token).slice(0, 10);
        assert.deepEqual(
          rows.map(([word]) => word),
          right.map(({ word }) => word),
        );
        allShown(
          rows.flatMap(([, logit, p]) => [logit, p].map(numberOf)),
          right.flatMap(({ id, p }) => [own.at('logits', 0, token, id), p]),
          'logits',
        );
      });
    }
    const stages = [
      'encoder.input',
      ...Array.from({ length: layers }, (_, layer) => `encoder.layers.${layer}.out`),
    ].map((name) => {
      const { data: of, shape } = own.model.tensor(name);
      const x = gf.matmul({ data: of, shape: shape.slice(1) }, own.model.tensor('tok_emb.weight'), {
        transposeB: true,
      });
      const bias = own.model.tensor('generator.bias').data;
      return gf.softmax({ ...x, data: x.data.map((value, i) => value + bias[i % bias.length]) }).data;
    });
    (await cells(page, '#logit-lens .lens tbody tr')).forEach(([, ...answers], row) =>
      answers.forEach((answer, stage) => {
        const [{ word, p }] = best(stages[stage], row);
        const [note, number] = answer.split(' ');
        assert.equal(note, word);
        assert(Math.abs(Number(number) - p) < 0.00501);
      }),
    );
    await click(page, '#logit-lens button', 'it');
    await eventually(async () => assert.match((await readout(page)).place, /^row it,/));
    await quiet(page);
  });
}
