// The logit lens as a reader sees it: after the last layer it is what the model says; a click moves the row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lens as lensOf } from '../../../../web/explore/derived/logit-lens.js';
import { compute } from '../../in-node.js';
import { gf, given, open, openFolder } from '../table.js';

const { lens } = await import('../../../../web/explore/features/logit-lens.js');

test('a readout for the input and each layer; the last one is what the model predicts', async () => {
  for (const [link, caption] of [
    ['model=creek&row=3', 'At cold'],
    ['model=continue&row=2', 'Next token after'],
    ['model=translate', 'Next token after'],
  ]) {
    const page = await open(lens, link);
    assert.deepEqual(page.needs(), ['@lens']);
    const { readouts, top } = page.result().derived.get('@lens');
    assert.deepEqual(page.all('.lens thead th'), ['token', ...readouts.map((/** @type {any} */ { title }) => title)]);
    const row = Number(page.root.querySelector('.lens tr.here')?.getAttribute('data-row') ?? 0);
    const at = page.all('.lens tbody tr').length > row ? page.all('.lens tr.here td').at(-1) : '';
    const last = readouts.at(-1);
    const here = Number(/** @type {HTMLElement} */ (page.root.querySelector('[aria-pressed=true]')).dataset.at);
    assert(at?.endsWith(last.probabilities[here * top].toFixed(2)), link);
    assert(at?.startsWith(page.modelInfo.outputVocabulary[last.ids[here * top]]), link);
    assert(page.text().includes(caption), page.text());
    const selected = String(here);
    assert.deepEqual(
      [...page.root.querySelectorAll('.lens tr.here')].map((tr) => tr.getAttribute('data-row')),
      [selected],
    );
    if (link !== 'model=translate') continue;
    await page.change({ selection: { ...page.state().selection, kind: 'encoder' } });
    assert.equal(page.root.querySelector('.lens [data-row]'), null, 'rows of another attention');
  }
});

test('each cell is the most likely token of its stage', async () => {
  const page = await open(lens, 'model=creek');
  const { readouts, top } = page.result().derived.get('@lens');
  page.root.querySelectorAll('.lens tbody tr').forEach((tr, row) =>
    tr.querySelectorAll('td').forEach((td, stage) => {
      const { ids, probabilities } = readouts[stage];
      const word = page.modelInfo.outputVocabulary[ids[row * top]];
      assert.equal(td.textContent, `${word} ${probabilities[row * top].toFixed(2)}`);
    }),
  );
});

test('a click and the arrow keys choose the row', async () => {
  const page = await open(lens, 'model=creek&row=3');
  await page.click('button[data-at="5"]');
  assert.equal(page.state().cursor.row, 5);
  await page.press('button[data-at="5"]', 'End');
  const last = page.all('.lens tbody th').length - 1;
  assert.equal(page.state().cursor.row, last);
  assert.deepEqual(page.all('.lens tr.here th'), [page.all('.lens tbody th').at(-1)]);
});

test('there is none without a trained model', async () => {
  const page = await open(lens, 'model=untrained');
  assert.deepEqual([page.needs(), page.text()], [[], '']);
});

test('a translation is read word by word', async () => {
  const page = await open(lens, 'model=translate');
  assert.deepEqual(
    page.all('.lens tbody tr td:last-child bdi'),
    page.result().plan.tokens.decoder?.predicted?.words,
    'the last layer’s answers are the words that were written',
  );
});

test('after the last layer the lens is the model', async () => {
  for (const settings of [
    { head: 'tied' },
    { head: 'linear', norm: 'pre', finalNorm: true },
    { head: 'tied', headTransform: true, embeddingNorm: true, activation: 'gelu' },
    { head: 'linear', headTransform: true, norm: 'pre', finalNorm: true, kind: 'decoder' },
    { head: 'tied', headBias: false, kind: 'decoder' },
    { head: 'tied', kind: 'encoder-decoder', decoderLayers: 1 },
    { head: 'tied', kind: 'encoder-decoder', tiedEmbeddings: true, norm: 'pre' },
  ]) {
    const { model, input } = compute(
      gf,
      { vocabulary: 2048, d_model: 32, ...settings },
      settings.kind === 'encoder-decoder' ? { target: 'der Hund' } : {},
    );
    const made = await lensOf(/** @type {any} */ ({ gf, model, ...input, interventions: [] }));
    assert('readouts' in made);
    const { ids, probabilities } = /** @type {import('../../../../web/explore/derived/logit-lens.js').Readout} */ (
      made.readouts.at(-1)
    );
    const { data, shape } = gf.softmax(/** @type {any} */ (model.tensor('logits')));
    for (let row = 0; row < shape[1]; row++) {
      const values = data.subarray(row * 2048, (row + 1) * 2048);
      const most = values.reduce((a, b) => Math.max(a, b));
      assert(Math.abs(probabilities[row * 5] - most) < 1e-6, JSON.stringify(settings));
      assert(Math.abs(values[ids[row * 5]] - most) < 1e-6);
    }
    model.free();
  }
  const { model } = compute(gf, {});
  assert.deepEqual(await lensOf(/** @type {any} */ ({ gf, model })), { absent: true });
});

const WORDS = 14; // of the creek's sentence
/**
 * Readouts of two tokens each; `p` of the likelier one.
 * @param {number} count @param {number} rows @param {(stage: number, row: number) => number} p
 */
const readoutsOf = (count, rows, p) =>
  Array.from({ length: count }, (_, stage) => ({
    title: stage ? `Layer ${stage}` : 'Input',
    ids: Int32Array.from({ length: 2 * rows }, (__, i) => 5 + i + stage),
    probabilities: Float32Array.from({ length: 2 * rows }, (__, i) => p(stage, i >> 1) / (1 + (i % 2))),
  }));
/** @param {ReturnType<typeof readoutsOf>} readouts @param {object} [more] */
const fixed = (readouts, more) => given(lens, { stack: 'encoder', normed: false, top: 2, readouts, ...more });

test('a cell is the darker the likelier its token, from white to the full hue, in a readable ink', async () => {
  const page = await open(fixed(readoutsOf(19, WORDS, (stage, row) => (stage * WORDS + row) / 265)), 'model=creek');
  const rows = [...page.root.querySelectorAll('.lens tbody tr')].map((tr) => [...tr.querySelectorAll('td')]);
  const all = rows[0].flatMap((_, stage) => rows.map((row) => row[stage].style));
  assert.equal(all.length, 266);
  /** Relative luminance as WCAG defines it. @param {string} color */
  const luminance = (color) => {
    const [r, g, b] = (color.match(/\d+/g) ?? []).map((byte) => {
      const unit = Number(byte) / 255;
      return unit <= 0.04045 ? unit / 12.92 : ((unit + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let before = Infinity;
  for (const { backgroundColor, color } of all) {
    const [paper, ink] = [backgroundColor, color].map(luminance);
    assert(paper <= before, `${backgroundColor} is no lighter than the cell of a less likely token`);
    before = paper;
    const contrast = (Math.max(paper, ink) + 0.05) / (Math.min(paper, ink) + 0.05);
    assert(contrast >= Math.sqrt(21) - 0.03, `${color} on ${backgroundColor}: ${contrast}`); // the better ink has it
  }
  assert.match(all[0].backgroundColor, /^rgb\(255,? 255,? 255\)$/);
  assert.match(all[265].backgroundColor, /^rgb\(63,? 0,? 125\)$/);
  assert(new Set(all.map(({ backgroundColor }) => backgroundColor)).size > 240);
});

test('keys move the row and the focus; others are left to the browser', async (t) => {
  /** @type {(() => void)[]} */
  const frames = [];
  t.mock.method(globalThis, 'requestAnimationFrame', (/** @type {() => void} */ call) => frames.push(call));
  const readouts = readoutsOf(2, WORDS, () => 0.5);
  for (const [at, key, row, more] of /** @type {[number, string, number | null, object?][]} */ ([
    [3, 'ArrowUp', 2],
    [3, 'ArrowDown', 4],
    [3, 'Home', 0],
    [3, 'End', 13],
    [0, 'ArrowUp', 0],
    [13, 'ArrowDown', 13],
    [3, 'a', null],
    ...['altKey', 'ctrlKey', 'metaKey'].map((held) => [3, 'ArrowUp', null, { [held]: true }]),
  ])) {
    const page = await open(fixed(readouts), `model=creek&row=${at}`);
    const pressed = () => /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('[aria-pressed=true]')]);
    const { KeyboardEvent } = /** @type {any} */ (document.defaultView);
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
    pressed()[0].dispatchEvent(event);
    await page.show();
    for (const call of frames.splice(0)) call();
    assert.equal(event.defaultPrevented, row !== null, key);
    assert.equal(page.set.length, Number(row !== null), key);
    const there = String(row ?? at);
    assert.deepEqual(
      pressed().map(({ dataset }) => dataset.at),
      [there],
    );
    const here = page.root.querySelectorAll('tr.here');
    assert.deepEqual([here.length, here[0].getAttribute('data-row')], [1, there]);
    const stops = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('.lens button')]);
    assert.deepEqual(
      stops.map(({ tabIndex }) => tabIndex),
      stops.map((_, i) => (String(i) === there ? 0 : -1)),
    );
    if (row !== null) assert(document.activeElement === pressed()[0], key);
  }
});

test('the tokens at the selected row: by their stage, in the sentence, and in the tables that are saved', async () => {
  /** @type {any} */
  let saved;
  document.addEventListener('figurechange', (event) => (saved = /** @type {CustomEvent} */ (event).detail ?? saved));
  const page = await open(fixed(readoutsOf(3, WORDS, (stage, row) => (1 + stage) / (4 + row))), 'model=creek&row=6');
  const { outputVocabulary: vocabulary } = page.modelInfo;
  assert.deepEqual(page.all('.lens-top thead > tr > *'), ['after', '1.', '2.']);
  assert.equal(page.all('.lens-top caption')[0], 'At spunky');
  assert.deepEqual(
    page.all('.lens-top tbody tr'),
    [17, 18, 19].map((id, stage) => {
      const [first, second] = [
        ['0.1000', '0.0500'],
        ['0.2000', '0.1000'],
        ['0.3000', '0.1500'],
      ][stage];
      return `${['Input', 'Layer 1', 'Layer 2'][stage]} ${vocabulary[id]} ${first} ${vocabulary[id + 1]} ${second}`;
    }),
  );
  const [a, b, c] = [17, 18, 19].map((id) => vocabulary[id]);
  assert.equal(
    page.all('.live-numbers')[0],
    `Most likely tokens: ${a} 0.1000 → ${b} 0.2000 → ${c} 0.3000, and the model’s prediction is ${c}.`,
  );
  assert.deepEqual([saved.name, saved.element], ['Logit lens', page.root.querySelector('.lens')]);
  const tables = saved.tables();
  assert.deepEqual(
    tables.map((/** @type {any} */ { name }) => name),
    ['Logit lens, Input', 'Logit lens, Layer 1', 'Logit lens, Layer 2'],
  );
  const { columns, rows, data } = tables[1];
  assert.deepEqual(columns, ['1. token', '1. probability', '2. token', '2. probability']);
  assert.deepEqual(rows, page.all('.lens tbody th'));
  assert.deepEqual(data.slice(24, 28), [vocabulary[18], Math.fround(0.2), vocabulary[19], Math.fround(0.1)]);
});

test('the formula has the norm, the transform and the bias that the model has', async () => {
  for (const [name, normed, formula] of /** @type {const} */ ([
    ['bert-2l', false, 'pl=softmax(transform(xl)ET+b)'],
    ['gpt2-2l', true, 'pl=softmax(LN(xl)ET)'],
    ['smollm-2l-bf16', true, 'pl=softmax(RMSNorm(xl)ET)'],
  ])) {
    await openFolder(name);
    const stack = name === 'bert-2l' ? 'encoder' : 'decoder';
    const page = await open(
      fixed(
        readoutsOf(1, 7, () => 1),
        { normed, stack },
      ),
      `model=${name}`,
    );
    assert.equal(page.root.querySelector('math')?.textContent?.replace(/\s/g, ''), formula);
  }
  const page = await open(fixed(readoutsOf(1, WORDS, () => 1)), 'model=creek');
  assert.equal(page.root.querySelector('math')?.textContent?.replace(/\s/g, ''), 'pl=softmax(xlET+b)');
});

test('a long text has 64 rows around the selected one', async () => {
  for (const [length, row, first, caption] of /** @type {const} */ ([
    [64, 40, 0, 'Most likely token and its probability'],
    [70, 37, 5, 'Most likely token and its probability: 64 of 70 tokens'],
  ])) {
    const text = Array.from({ length }, (_, i) => 5 + i).join('+');
    const value = fixed(
      readoutsOf(1, length, (_, at) => at / 100),
      { stack: 'decoder' },
    );
    const page = await open(value, `model=smollm-2l-bf16&row=${row}&text=${text}`);
    assert.equal(page.all('.lens caption')[0], caption);
    const rows = page.all('.lens tbody tr');
    assert.deepEqual([rows.length, page.all('.lens .here')], [64, [rows[row - first]]]);
    rows.forEach((each, i) => assert.match(each, new RegExp(` 0\\.${String(first + i).padStart(2, '0')}$`)));
    await page.click('.lens tbody tr:nth-child(3) button');
    assert.equal(page.state().cursor.row, first + 2);
  }
});

test('nothing while a layer at a time is computed; what was there stays until its numbers come', () => {
  const made = new Map([['@lens', { absent: true }]]);
  const [own, other] = [{ name: 'creek' }, { name: 'translate' }];
  for (const [model, part, derived, modelInfo, shown] of /** @type {[any, any, any, any, any][]} */ ([
    ['creek', null, made, own, null],
    [null, null, new Map(), own, null],
    ['creek', 0, new Map(), own, null],
    ['creek', null, new Map(), own, undefined],
    ['creek', null, made, other, undefined],
    ['creek', null, made, undefined, undefined],
  ])) {
    const context = { result: { plan: { model }, facts: { part }, derived }, modelInfo };
    assert.equal(lens.render(/** @type {any} */ (context), /** @type {any} */ ({})), shown);
  }
});
