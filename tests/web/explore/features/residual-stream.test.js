// The residual stream: each length, change and cosine from the tensors themselves, and which stage is pinned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allShown, numberOf } from '../../checks.js';
import { given, open } from '../table.js';

const { stream, streamAtToken } = await import('../../../../web/explore/features/residual-stream.js');

/** @type {Record<string, string>} */
const NAMES = { norms: 'Length', changes: 'Relative change', cosines: 'Cosine' };

test('each number at a token, in the table and in the map', async () => {
  for (const [link, stack, sublayers] of /** @type {[string, string, number][]} */ ([
    ['model=creek&row=12', 'encoder', 2],
    ['model=continue&row=2', 'decoder', 2],
    ['model=translate&attention=cross&head=1.1&row=1', 'decoder', 3],
  ])) {
    const why = await open(streamAtToken, link);
    assert.deepEqual(why.needs(), ['@stream']);
    const { titles, norms, changes, cosines } = why.result().derived.get('@stream')[stack].stream;
    const count = titles.length;
    assert.equal(count, 2 + sublayers * why.result().plan.settings.layers, `${titles}`);
    const { row } = why.state().cursor;
    const numbers = [...why.root.querySelectorAll('.stages tbody tr')].map((tr) =>
      [...tr.querySelectorAll('td')].map((td) => td.textContent ?? '').filter(Boolean),
    );
    const expected = titles.map((/** @type {string} */ _, /** @type {number} */ i) => [
      norms[row * count + i],
      ...(i ? [changes, cosines].map((each) => each[row * (count - 1) + i - 1]) : []),
    ]);
    allShown(numbers.flat().map(numberOf), expected.flat(), link);
    assert.deepEqual(why.all('.stages tbody th'), titles);

    const page = await open(stream, `${link}&stage=2`);
    for (const [i, shown] of ['norms', 'changes', 'cosines'].entries()) {
      await page.choose('select', shown);
      assert.equal(page.state().graph.stream, shown);
      allShown(page.all('.map-readout strong').map(numberOf), [expected[2][i]], shown);
      // The first stage has neither change nor cosine, and the pinned stage stays the same.
      assert.match(page.all('.map-readout bdi')[0], new RegExp(`after ${titles[2]}$`));
      const map = page.root.querySelector('[role=application]');
      assert.match(map?.ariaLabel ?? '', new RegExp(`^Residual stream, ${NAMES[shown]}`));
    }
    await page.press('[role=application]', 'ArrowRight');
    assert.equal(page.state().graph.stage, 3);
    await page.press('[role=application]', 'ArrowUp');
    assert.equal(page.state().cursor.row, row - 1);
  }
});

test('creek: lengths, changes and cosines from the tensors themselves', async () => {
  const names = [
    'encoder.embedding',
    'encoder.input',
    ...[0, 1, 2].flatMap((layer) => [1, 2].map((n) => `encoder.layers.${layer}.norm${n}.out`)),
  ];
  const page = await open({ ...streamAtToken, needs: () => ['@stream', ...names] }, 'model=creek&row=12');
  const rows = names.map((name) => {
    const { data, shape } = /** @type {any} */ (page.result().tensors.get(name));
    return [...data.subarray(12 * shape[2], 13 * shape[2])];
  });
  const dot = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const expected = rows.flatMap((x, stage) => {
    if (!stage) return [Math.hypot(...x)];
    const before = rows[stage - 1];
    const [norm, old] = [x, before].map((each) => Math.hypot(...each));
    return [norm, Math.hypot(...x.map((each, i) => each - before[i])) / old, dot(x, before) / norm / old];
  });
  allShown(page.all('.stages tbody td').filter(Boolean).map(numberOf), expected, 'the stream at “it”');
});

test('without a text, and without residual connections', async () => {
  assert.match((await open(stream, 'text=')).text(), /No residual stream: it needs a text/);
  assert.match((await open(streamAtToken, 'text=')).text(), /^Why does it change\? One vector per token passes/);
  assert.match((await open(streamAtToken, 'residual=0')).text(), /Residual connections are switched off/);
});

const TITLES = ['Embedding', 'Input', 'L1 attention', 'L1 FFN', 'L2 attention'];
const STAGES = [
  { layer: null, sublayer: 0 },
  { layer: null, sublayer: 0 },
  { layer: 0, sublayer: 1 },
  { layer: 0, sublayer: 2 },
  { layer: 1, sublayer: 1 },
].map((each) => ({ ...each, stream: true }));
/** Five stages of the creek's 14 tokens; the length at row r and stage s is r + s / 10. @param {number} [count] */
const measured = (count = 5) => ({
  titles: TITLES.slice(0, count),
  norms: Float32Array.from({ length: 14 * count }, (_, i) => Math.floor(i / count) + (i % count) / 10),
  changes: Float32Array.from({ length: 14 * (count - 1) }, (_, i) => i / 50),
  cosines: Float32Array.from({ length: 14 * (count - 1) }, (_, i) => i / -100),
});
/** @param {any} feature @param {object | null} [stream] */
const fixed = (feature, stream = measured()) =>
  given(feature, { encoder: { nodes: [STAGES[0], { stream: false }, ...STAGES.slice(1)], stream }, decoder: null });

test('the map has a column for each stage, and a place in it sets the stage, its layer and sublayer', async () => {
  /** @type {any} */
  let map;
  document.addEventListener('mapchange', (event) => (map = /** @type {CustomEvent} */ (event).detail ?? map));
  const page = await open(fixed(stream), 'model=creek&row=3&key=1&stage=1&head=2.2&sublayer=2');
  const { norms, changes, cosines } = measured();
  for (const [shown, title, data, low, high, column] of /** @type {[string, string, Float32Array, ...number[]][]} */ ([
    ['norms', 'Length ‖x‖', norms, 0, 20, 1],
    ['changes', 'Relative change ‖Δx‖ / ‖x‖', changes, 0, 2, 0],
    ['cosines', 'Cosine with the vector before', cosines, -1, 1, 0],
  ])) {
    await page.choose('select', shown);
    assert.deepEqual(page.all('select option:checked'), [title]);
    const { matrix, columnAxis, rowAxis } = map;
    assert.deepEqual([map.name, map.scaleTitle], [`Residual stream, ${title}`, title]);
    const columns = shown === 'norms' ? TITLES : TITLES.slice(1);
    assert.deepEqual([matrix.rows, matrix.columns, [...matrix.data]], [14, columns.length, [...data]]);
    assert.deepEqual([matrix.scale.low, matrix.scale.high], [low, high], shown);
    assert.deepEqual(
      columns.map((_, i) => [columnAxis.label(i), columnAxis.value(i)]),
      columns.map((each) => [each, each]),
    );
    assert.deepEqual([rowAxis.label(12), columnAxis.part, rowAxis.part], ['it', 'stage', 'row']);
    assert.deepEqual(map.cursor, { row: 3, column });
  }
  const place = () => {
    const { graph, selection, cursor, own } = page.state();
    return [graph.stage, graph.sublayer, selection.layer, selection.head, cursor.row, own.row];
  };
  for (const [key, ...expected] of /** @type {[string, ...(number | boolean)[]][]} */ ([
    ['ArrowRight', 2, 1, 0, 1, 3, true],
    ['ArrowRight', 3, 2, 0, 1, 3, true],
    ['ArrowDown', 3, 2, 0, 1, 4, true],
    ['End', 4, 1, 1, 1, 4, true],
    ['ArrowLeft', 3, 2, 0, 1, 4, true],
    ['Home', 1, 2, 0, 1, 4, true], // the input, of no layer
  ])) {
    await page.press('[role=application]', key);
    assert.deepEqual(place(), expected, key);
  }
  await page.choose('select', 'norms');
  await page.press('[role=application]', 'Home');
  assert.deepEqual(place(), [0, 2, 0, 1, 4, true], 'the embedding');
  await page.change({ graph: { ...page.state().graph, stage: 99 } });
  assert.deepEqual(map.cursor, { row: 4, column: 4 });
});

test('the table and the sentence name the stage, from the one before it; the first stands for the second', async () => {
  for (const [stage, count, says] of /** @type {[number, number, string][]} */ ([
    [0, 5, 'Input: ‖x‖ from 3.0000 to 3.1000'],
    [1, 5, 'Input: ‖x‖ from 3.0000 to 3.1000'],
    [3, 5, 'L1 FFN: ‖x‖ from 3.2000 to 3.3000'],
    [4, 5, 'L2 attention: ‖x‖ from 3.3000 to 3.4000'],
    [40, 5, 'L2 attention: ‖x‖ from 3.3000 to 3.4000'],
    [0, 2, 'Input: ‖x‖ from 3.0000 to 3.1000'],
    [0, 1, ''],
  ])) {
    const page = await open(fixed(streamAtToken, measured(count)), `model=creek&row=3&stage=${stage}`);
    assert.deepEqual(page.all('.live-numbers'), says ? [says] : [], `${stage} of ${count}`);
    assert.equal(page.root.querySelector('math')?.textContent?.replace(/\s/g, ''), '‖x‖=∑jxj2,cosine=x·x′‖x‖‖x′‖');
    const rows = [...page.root.querySelectorAll('.stages tbody tr')];
    assert.deepEqual(
      rows.map((tr) => tr.getAttribute('data-stage')),
      TITLES.slice(0, count),
    );
    assert.deepEqual(page.all('.stages thead th'), ['after', '‖x‖', '‖Δx‖ / ‖x‖', 'cosine']);
    assert.deepEqual(page.all('.stages tbody tr:first-child td'), ['3.0000', '', '']);
    assert.deepEqual(page.all('.stages caption'), ['Residual stream at cold']);
    if (count < 5) continue;
    assert.deepEqual(page.all('.stages tbody tr:nth-child(4) td'), ['3.3000', '0.2800', '−0.1400']);
    assert(!page.root.querySelector('#residual-token[hidden]'));
  }
});

test('where one layer at a time is computed there is no stream; before its numbers come, nothing changes', async () => {
  const page = await open(fixed(stream, null), 'model=creek');
  assert.match(page.text(), /^Residual stream No residual stream: it needs a text of which all layers are computed\.$/);
  assert.equal((await open(given(stream, { encoder: null, decoder: null }), 'model=creek')).text(), page.text());
  const why = await open(fixed(streamAtToken, null), 'model=creek');
  assert(why.root.querySelector('#residual-token[hidden]'));
  assert.match(why.text(), /^Why does it change\? One vector per token passes/);
  assert(!why.root.querySelector('#residual-token')?.textContent);
  const empty = await open(streamAtToken, 'text=');
  assert(empty.root.querySelector('#residual-token[hidden]'));
  for (const feature of [stream, streamAtToken])
    assert.equal(
      feature.render(
        /** @type {any} */ ({ result: { ...page.result(), derived: new Map() }, state: page.state() }),
        /** @type {any} */ ({}),
      ),
      undefined,
    );
});
