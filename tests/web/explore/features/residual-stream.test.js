// The residual stream: each length, change and cosine from the tensors themselves, and which stage is pinned.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allShown, numberOf } from '../../checks.js';
import { open } from '../table.js';

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
