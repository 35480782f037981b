// The map of a head, and the sentence above it: by its words alone, and of each model by Node's numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatShare } from '../../../../web/draw/numbers.js';
import { brushed, meanOver } from '../../../../web/explore/shared/brush.js';
import { assertShown, compute, shipped } from '../../in-node.js';
import { gf, open } from '../table.js';

const { render } = await import('lit-html');
const { attentionTabs, captionOf, captionOfSeveral, heatmap } =
  await import('../../../../web/explore/features/heatmap.js');

/**
 * The sentence about a row.
 * @param {number[]} values
 * @param {Partial<import('../../../../web/explore/features/heatmap.js').CaptionData>} [rest]
 */
function said(values, rest = {}) {
  const columnWords = ['The', 'cat', 'sat', 'on', 'the', 'cat'].slice(0, values.length);
  const pieces = captionOf({
    unit: /** @type {const} */ ('word'),
    word: 'sat',
    writes: false,
    columnWords,
    hidden: null,
    row: 2,
    key: 0,
    quantity: 'weights',
    heads: 0,
    off: false,
    values: Float32Array.from(values),
    ...rest,
  });
  const words = pieces?.map((piece) => (typeof piece === 'string' ? piece : `“${piece.word}”`));
  return words ? words.join('').replaceAll('\u00a0', ' ') : null;
}

test('one key gets most: by its word, itself, a neighbour, and by its distance where its word stands twice', () => {
  assert.equal(said([0.9, 0.02, 0.08]), '“sat” gives 90 % of its attention to “The”.');
  assert.equal(said([0.1, 0.2, 0.7]), '“sat” gives 70 % of its attention to itself.');
  assert.equal(said([0.05, 0.9, 0.05]), '“sat” gives 90 % of its attention to “cat”, the word before it.');
  assert.equal(said([0.05, 0.05, 0, 0.9]), '“sat” gives 90 % of its attention to “on”, the word after it.');
  assert.equal(said([0, 0, 0, 0, 0, 1]), '“sat” gives 100 % of its attention to “cat”, 3 words after it.');
  assert.equal(said([0.999, 0.001, 0]), '“sat” gives >99 % of its attention to “The”.');
});

test('several rows: their mean, one key or those that share it; how tokens are selected', () => {
  const columnWords = ['the', 'cat', 'sat'];
  const data = Float32Array.from([0.5, 0.25, 0.25, 0.25, 0.75, 0, 0.5, 0, 0.5]);
  const saidOf = (/** @type {number[]} */ rows) =>
    captionOfSeveral({ words: rows.map((row) => columnWords[row]), columnWords, means: meanOver(data, 3, rows) })
      .map((piece) => (typeof piece === 'string' ? piece : `“${piece.word}”`))
      .join('')
      .replaceAll('\u00a0', ' ');
  assert.equal(saidOf([0, 1]), '“the” and “cat” attend most to “cat”, with 50 % of their attention on average.');
  assert.equal(saidOf([2]), '“sat” attends most to “the” and “sat”, with 50 % of its attention each on average.');
  const at = (/** @type {number[]} */ brush, /** @type {number} */ row) => ({ brush, cursor: { row } });
  const now = (/** @type {ReturnType<typeof at>} */ state, /** @type {number} */ row, /** @type {any} */ how) =>
    brushed(/** @type {any} */ (state), row, how);
  assert.deepEqual(now(at([1], 1), 4, 'range'), [1, 2, 3, 4]);
  assert.deepEqual(now(at([1, 4], 4), 4, 'toggle'), [1]);
  assert.deepEqual(now(at([3, 4], 4), 3, 'step'), [3]);
  assert.deepEqual(now(at([], 3), 4, 'step'), [3, 4]);
  assert.deepEqual(now(at([0, 9], 2), 3, 5), [3, 4, 5]);
  assert.deepEqual(now(at([3, 4], 4), 5, 'one'), []);
});

test('two keys, many keys and an even spread, whose bound holds', () => {
  assert.equal(said([0.45, 0, 0.1, 0, 0.45]), '“sat” gives 45 % of its attention to “The”; 45 % to “the”.');
  assert.equal(
    said([0.164, 0.166, 0.1699, 0.162, 0.1699, 0.168]),
    '“sat” spreads its attention almost evenly: no word gets more than 17 %.',
  );
  assert.match(String(said([0.161, 0.162, 0.162, 0.171, 0.172, 0.172])), /no word gets more than 18 %/);
  assert.equal(
    said([0.4, 0.2, 0.2, 0.2, 0, 0, 0, 0, 0].slice(0, 6), { columnWords: ['a', 'b', 'c', 'd', 'e', 'f'], row: -1 }),
    '“sat” spreads its attention: no word gets more than 41 %.',
  );
  const wide = [0.4, 0.2, 0.2, 0.2, ...new Float32Array(8)];
  const columnWords = Array.from(wide, (_, i) => `w${i}`);
  assert.equal(said(wide, { columnWords, row: -1 }), '“sat” attends most to “w0”, with 40 % of its attention.');
});

test('equal numbers: no key is called the one with most', () => {
  assert.equal(said([0.5, 0, 0.5]), '“sat” gives 50 % of its attention to “The”; 50 % to itself.');
  const far = { row: -1, columnWords: Array.from({ length: 12 }, (_, i) => `w${i}`) };
  const tail = (/** @type {number} */ count) => new Array(count).fill(0);
  assert.equal(
    said([0.3, 0.3, 0.3, 0.1, ...tail(8)], far),
    '“sat” attends most to “w0”, “w1” and “w2”, with 30 % of its attention each.',
  );
  assert.equal(
    said([0.24, 0.24, 0.24, 0.24, 0.04, ...tail(7)], far),
    '“sat” attends most to 4 keys, with 24 % of its attention each.',
  );
  assert.equal(said([0.9, 0.9, 0.08], { row: -1 }), '“sat” has the largest weight, 0.90, on “The” and “cat”.');
  assert.equal(
    said([1, 0.5, 1], { quantity: 'scores', row: -1 }),
    'For “sat”, the highest score, 1.00, is that of “The” and “sat”.',
  );
  const both = '“sat” gives 50 % of its attention to “cat”; 50 % to “The”.';
  assert.equal(said([Math.fround(0.49999997), 0.5], { row: -1 }), both, 'of two alike, the first word too');
});

test('tokens are called words only where they are some', () => {
  assert.match(String(said([0, 0, 0, 0, 0, 1], { unit: 'token' })), /“cat”, 3 tokens after it\.$/);
  const columnWords = ['cat', '.', 'The', 'cat'];
  assert.match(String(said([1, 0, 0, 0], { columnWords })), /“cat”, 2 tokens before it\.$/, 'a full stop between them');
  assert.match(String(said([0.25, 0.25, 0.25, 0.25], { unit: 'token' })), /no token gets more than 25 %/);
  assert.equal(
    said([1, 0, 0], { hidden: Uint8Array.of(0, 1, 1), row: 0, unit: 'token' }),
    '“sat” can attend to no token but itself.',
  );
});

test('of any weights, what the sentence says of the largest holds', () => {
  const weights = fc
    .array(fc.oneof(fc.constantFrom(0, 1, 2, 50), fc.double({ min: 0.001, max: 100, noNaN: true })), {
      minLength: 2,
      maxLength: 20,
    })
    .filter((all) => all.some((each) => each > 0));
  fc.assert(
    fc.property(weights, (raw) => {
      const sum = raw.reduce((a, b) => a + b);
      const values = raw.map((each) => Math.fround(each / sum));
      const columnWords = values.map((_, i) => `w${i}`);
      const text = String(said(values, { columnWords, row: -1 }));
      const most = Math.max(...values);
      const written = (/** @type {number} */ value) => formatShare(value).replace('\u00a0', ' ');
      const winners = columnWords.filter((_, i) => written(values[i]) === written(most));
      const bound = /no word gets more than (\d+) %/.exec(text);
      if (bound)
        assert(
          values.every((each) => each <= Number(bound[1]) / 100),
          text,
        );
      if (/almost evenly/.test(text)) assert(most <= 1.25 * Math.min(...values), text);
      const names = [...text.matchAll(/“(w\d+)”/g)].map(([, name]) => name);
      if (/attends most/.test(text)) {
        if (winners.length > 3) assert(text.includes(`attends most to ${winners.length} keys`), text);
        else assert.deepEqual(names.toSorted(), winners.toSorted(), text);
      } else if (/; /.test(text))
        assert(
          names.every((name) => values[columnWords.indexOf(name)] * 2 >= 0.7 - most),
          text,
        );
      else if (/gives/.test(text)) assert.deepEqual(names, winners, text);
      if (!bound) assert(text.includes(written(most)), text);
    }),
  );
});

test('what the mask hides: a pinned cell, all but one key, every key', () => {
  const hidden = Uint8Array.of(0, 0, 0, 1);
  const values = [0.1, 0.1, 0.8, 0];
  assert.equal(said(values, { hidden, key: 1 }), '“sat” gives 80 % of its attention to itself.');
  assert.equal(
    said(values, { hidden, key: 3 }),
    '“sat” may not attend to “on”: the mask hides it, so its weight is 0.',
  );
  assert.equal(said([1, 0, 0], { hidden: Uint8Array.of(0, 1, 1), row: 0 }), '“sat” can attend to no word but itself.');
  const all = { hidden: Uint8Array.of(1, 1) };
  assert.equal(said([0, 0], all), '“sat” may not attend to “The”: the mask hides it, so its weight is 0.');
  assert.equal(said([-Infinity, -Infinity], { ...all, quantity: 'masked' }), null);
  assert.equal(said([NaN, 1]), null);
});

test('the mean of heads, a head that is off, weights set by hand, scores, a word that is written', () => {
  assert.equal(
    said([0.9, 0.02, 0.08], { heads: 4 }),
    '“sat” gives 90 % of its attention to “The”, on average over the layer’s 4 heads.',
  );
  assert.equal(
    said([0.9, 0.02, 0.08], { off: true }),
    '“sat” gives 90 % of its attention to “The”, but this head is off.',
  );
  assert.equal(said([0.9, 0.7, 0.08]), '“sat” has the largest weight, 0.90, on “The”.');
  assert.equal(
    said([-3, -1.5, -2], { quantity: 'scores' }),
    'For “sat”, the highest score, −1.50, is that of “cat”, the word before it.',
  );
  assert.equal(
    said([1, 2, 3], { quantity: 'scaled' }),
    'For “sat”, the highest scaled score, 3.00, is that of itself.',
  );
  const masked = { hidden: Uint8Array.of(0, 0, 0, 1), quantity: /** @type {const} */ ('masked') };
  assert.equal(
    said([5, 2, 3, -Infinity], masked),
    'For “sat”, the highest score after the mask, 5.00, is that of “The”.',
  );
  assert.equal(
    said([0.9, 0.02, 0.08], { writes: true, word: 'assis', row: -1 }),
    'To write “assis”, the model gives 90 % of its attention to “The”.',
  );
  assert.equal(said([1, 0], { word: 'x'.repeat(5000), row: -1 })?.length, 66, 'no long word');
});

/** @param {Awaited<ReturnType<typeof open>>} page */
const caption = (page) => page.all('.caption')[0].replaceAll('\u00a0', ' ');

test('of each model, by Node’s numbers; a mean, a score, a masked cell', async () => {
  const page = await open(heatmap, 'model=translate');
  const { plan } = page.result();
  const own = shipped(gf, 'translate');
  own.model.forward({ sourceIds: plan.ids, targetIds: plan.tokens.decoder?.ids, capture: true });
  const { heads, decoderLayers } = own.config;
  const means = plan.ids.map(
    (_, key) =>
      Array.from({ length: heads }, (__, head) =>
        own.at(`decoder.layers.${decoderLayers - 1}.multihead_attn.weights`, 0, head, 1, key),
      ).reduce((a, b) => a + b) / heads,
  );
  const most = means.indexOf(Math.max(...means));
  const [subject, ...rest] = caption(page).split(', ');
  assert.equal(subject, `To write ${plan.tokens.decoder?.predicted?.words[1]}`);
  assert.match(rest.join(', '), new RegExp(`on average over the layer’s ${heads} heads`));
  assert(
    means[most] < 0.5 ||
      rest[0].includes(
        `gives ${Math.round(100 * means[most])} % of its attention to ${own.vocabulary[plan.ids[most]]}`,
      ),
    `${rest}, computed ${means}`,
  );
  assert.match(page.text(), /gender/, 'why the model attends so');

  const text = 'one two three four five six seven eight nine ten';
  const link = `model=untrained&causal=1&head=1.2&row=5&key=9&text=${text.replaceAll(' ', '+')}`;
  const untrained = await open(heatmap, link);
  assert.match(caption(untrained), /^six may not attend to ten: the mask hides it, so its weight is 0\./);
  const { at } = compute(gf, { causal: true }, { text });
  await untrained.choose('.quantity', 'scores');
  assert.deepEqual(untrained.needs(), ['encoder.layers.0.self_attn.scores']);
  const scores = Array.from({ length: 10 }, (_, key) => at('encoder.layers.0.self_attn.scores', 0, 1, 5, key));
  assert.match(caption(untrained), new RegExp(`^For six, the highest score, ${Math.max(...scores).toFixed(2)}, is`));
});

test('an unknown word has no row; the mean of heads is theirs, cell by cell', async () => {
  const page = await open(heatmap, 'model=creek&text=The+zebra+dog+jumped+over+the+Wien+creek.&row=5&key=1');
  assert.deepEqual(page.result().plan.tokens.encoder?.words, ['The', 'dog', 'jumped', 'over', 'the', 'creek', '.']);
  assert.equal(page.all('.map-readout bdi')[0], 'row creek, column dog');
  const creek = shipped(gf, 'creek');
  creek.model.forward({ ids: creek.ids('the dog jumped over the creek .'), capture: true });
  const number = () => Number(page.all('.map-readout strong')[0]);
  assertShown(number(), creek.at('encoder.layers.0.self_attn.weights', 0, 0, 5, 1));

  const translate = await open(heatmap, 'model=translate');
  assert.equal(translate.all('.view-title')[0], 'Cross-attention, layer 2, mean of 4 heads');
  const { plan } = translate.result();
  const own = shipped(gf, 'translate');
  own.model.forward({ sourceIds: plan.ids, targetIds: plan.tokens.decoder?.ids, capture: true });
  for (const mean of /** @type {const} */ (['all', true, false]))
    for (const [row, key] of [
      [1, 1],
      [6, 7],
      [7, 6],
      [9, 12],
    ]) {
      const { selection, cursor } = translate.state();
      await translate.change({ selection: { ...selection, mean }, cursor: { ...cursor, row, key } });
      const layers = Array.from({ length: own.config.decoderLayers }, (_, layer) => layer);
      const all = (mean === 'all' ? layers : [1]).flatMap((layer) =>
        [0, 1, 2, 3].map((head) => own.at(`decoder.layers.${layer}.multihead_attn.weights`, 0, head, row, key)),
      );
      const wanted = mean ? all.reduce((a, b) => a + b) / all.length : all[0];
      assertShown(Number(translate.all('.map-readout strong')[0]), wanted, `${mean} ${row} ${key}`);
    }
  await translate.change({ cursor: { ...translate.state().cursor, row: 7, key: 6 } });
  assert.equal(translate.all('.map-readout bdi')[0], 'row fougueux, column spunky');
  const overall = await open(heatmap, 'model=translate&attention=cross&head=1.1&mean=all');
  assert.equal(overall.all('.view-title')[0], `Cross-attention, mean of all ${4 * own.config.decoderLayers} heads`);
  assert.match(caption(overall), new RegExp(`on average over all ${4 * own.config.decoderLayers} heads`));
  await overall.click('.mean:nth-of-type(2) input, .mean ~ .mean input');
  assert.equal(overall.state().selection.mean, true, 'the mean of its layer');
});

test('every switch reaches the model', async () => {
  const { ffn } = await import('../../../../web/explore/features/ffn.js');
  const pages = [
    {
      page: await open(heatmap, 'model=untrained&head=2.2&row=12&key=1'),
      name: 'self_attn.weights',
      at: [0, 1, 12, 1],
    },
    { page: await open(ffn, 'model=untrained&head=2.2&row=12&neuron=0'), name: 'ffn.activation', at: [0, 12, 0] },
  ];
  let settings = {};
  for (const patch of [
    ...[{ scoreScale: false }, { causal: true }, { residual: false }, { positions: 'learned' }, { positions: 'none' }],
    ...[{ norm: 'pre' }, { norm: 'none' }, { activation: 'gelu' }, { activation: 'gelu-tanh' }, { activation: 'none' }],
    ...[{ layers: 3 }, { seed: 7 }, { d_ff: 96 }],
  ]) {
    settings = { ...settings, ...patch };
    const own = compute(gf, { ...settings, finalNorm: false });
    for (const { page, name, at } of pages) {
      await page.change({ settings: { ...page.state().settings, .../** @type {any} */ (patch) } });
      const shown = Number(page.all('.map-readout strong')[0].replace('−', '-'));
      assertShown(shown, own.at(`encoder.layers.1.${name}`, ...at), JSON.stringify(settings));
    }
    own.model.free();
  }
});

test('a table of states: title, sentence, what is asked for, colours, frames', async () => {
  for (const [link, need, title, says] of /** @type {[string, string, RegExp, RegExp][]} */ ([
    ['untrained', 'encoder.layers.0.self_attn.weights', /^Encoder .*, layer 1, head 1 of 4$/, /^it spreads/],
    ['untrained&mean=1', 'encoder.layers.0.self_attn.weights', /layer 1, mean of 4 heads$/, /on average/],
    ['untrained&quantity=masked', 'encoder.layers.0.self_attn.masked', /head 1 of 4$/, /score after the mask/],
    ['creek&head=3.2&brush=1.2.5', 'encoder.layers.2.self_attn.weights', /layer 3, head 2 of 2$/, /attend most to/],
    ['continue&head=2.1&row=2', 'decoder.layers.1.self_attn.weights', /^Decoder .*, layer 2/, /attention/],
  ])) {
    const page = await open(heatmap, `model=${link}`);
    assert.deepEqual(page.needs(), [need], link);
    assert.match(page.all('.view-title')[0], title);
    assert.match(caption(page), says);
    const isWeights = need.endsWith('weights');
    assert.equal(page.root.querySelectorAll('label:not([hidden]) > .colours').length, Number(isWeights), link);
    assert.equal(page.root.querySelectorAll('.map-frame').length, link.includes('brush') ? 2 : 0, link);
    assert.match(String(page.root.querySelector('.map-cells')?.getAttribute('aria-label')), /query down, key across/);
  }
});

test('the menus and the keys change the state; the texts follow the settings', async () => {
  const page = await open(heatmap, 'model=untrained&row=3&key=2');
  assert.doesNotMatch(page.text(), /switched off/);
  assert.match(page.all('.explain .formula')[0], /dk/);
  const colours = () => /** @type {HTMLSelectElement} */ (page.root.querySelector('.colours')).value;
  assert.equal(colours(), 'root', 'until the reader chooses');
  await page.choose('.colours', 'linear');
  assert.equal(colours(), 'linear');
  await page.click('.mean input');
  await page.press('.map-cells', 'ArrowRight');
  assert.deepEqual(page.set.slice(0, 2), [
    { colours: 'linear' },
    { selection: { kind: 'encoder', layer: 0, head: 0, mean: true } },
  ]);
  assert.deepEqual([page.state().cursor.row, page.state().cursor.key], [3, 3]);
  await page.change({ settings: { ...page.state().settings, scoreScale: false } });
  assert.match(page.text(), /The division by dk is switched off here\./);
  assert.doesNotMatch(page.all('.explain .formula')[0], /dk/);

  const empty = await open(heatmap, 'model=creek&text=');
  assert.match(empty.text(), /No tokens, so no attention to show\./);
  assert.doesNotMatch(empty.text(), /switched off here/);
  assert(
    empty.root.querySelector('[data-slot=attention] > #heatmap ~ [data-slot=map-foot]'),
    'slots of other features',
  );
});

test('a weight that is set by hand has a mark and a description', async () => {
  const change = { what: 'cell', kind: 'encoder', layer: 2, head: 1, row: 4, key: 3, to: 0.5 };
  const page = await open(heatmap, 'model=creek&head=3.2&row=4&key=3');
  await page.change(/** @type {any} */ ({ interventions: [change] }));
  const map = page.root.querySelector('.map-cells');
  assert.equal(map?.ariaDescription, 'Set by hand: Encoder layer 3, head 2, and → cold: 0.5.');
  assert.equal(page.root.querySelectorAll('.map-mark').length, 1);
  await page.change({ interventions: [] });
  assert.deepEqual([map?.ariaDescription, page.root.querySelectorAll('.map-mark').length], ['', 0]);
});

test('the keyboard meets the map and its choices in the order in which the layout shows them', async () => {
  for (const [layout, isMapFirst] of /** @type {const} */ ([
    ['workspace', true],
    ['page', false],
  ])) {
    // prettier-ignore
    const { root, change } = await open(heatmap, `model=creek&layout=${layout}`);
    await change({ text: 'the creek was cold .' });
    const stops = [...root.querySelectorAll('.map-cells, select, input')].map((each) => each.className);
    assert.equal(stops.indexOf('map-cells') === 0, isMapFirst, `${layout}: ${stops}`);
    assert.equal(stops.indexOf('map-cells') === stops.length - 1, !isMapFirst, `${layout}: ${stops}`);
  }
});

test('the sentence at the limits of its cases', () => {
  const far = { row: -1 };
  /** @type {const} */
  const dots = ['cat', '.', 'sat', '.', 'cat'];
  for (const [values, rest, text] of /** @type {[number[], object, string | null][]} */ ([
    [[0.5, 0.3, 0.2], far, '“sat” gives 50 % of its attention to “The”.'],
    [[0.4, 0.3, 0.3], far, '“sat” gives 40 % of its attention to “The”; 30 % to “cat”.'],
    [[0.44, 0.25, 0.2, 0.11], far, '“sat” spreads its attention: no word gets more than 44 %.'],
    [[0.6, 0.385, 0], far, '“sat” has the largest weight, 0.60, on “The”.'],
    [[0.6, 0.42, 0], far, '“sat” has the largest weight, 0.60, on “The”.'],
    [[0.6, 0.395, 0], far, '“sat” gives 60 % of its attention to “The”.'],
    [[0, 0, 0], far, '“sat” has the largest weight, 0.00, on “The”, “cat” and “sat”.'],
    [[NaN, 0.5, 0.5], far, null],
    [[0.5, 0.5], { ...far, hidden: Uint8Array.of(1, 1), key: -1 }, null],
    [
      [0.9, 0.1],
      { ...far, heads: 4 },
      '“sat” gives 90 % of its attention to “The”, on average over the layer’s 4 heads.',
    ],
    [
      [0.9, 0.1],
      { ...far, heads: 4, off: true },
      '“sat” gives 90 % of its attention to “The”, on average over the layer’s 4 heads.',
    ],
    [[0.9, 0.1], { ...far, off: true }, '“sat” gives 90 % of its attention to “The”, but this head is off.'],
    [
      [1, -2],
      { ...far, quantity: 'scores', writes: true },
      'To write “sat”, the highest score, 1.00, is that of “The”.',
    ],
    [[-2, -1.5], { ...far, quantity: 'scaled' }, 'For “sat”, the highest scaled score, −1.50, is that of “cat”.'],
    [
      [1, 2, 3],
      { ...far, quantity: 'scores', hidden: Uint8Array.of(0, 0, 1), key: 2 },
      'For “sat”, the highest score, 3.00, is that of “sat”.',
    ],
    [
      [1, 2, -Infinity],
      { ...far, quantity: 'masked', hidden: Uint8Array.of(0, 0, 1), key: 2 },
      'For “sat”, the highest score after the mask, 2.00, is that of “cat”.',
    ],
    [[0.1, 0.9, 0, 0, 0], { columnWords: dots }, '“sat” gives 90 % of its attention to “.”, the token before it.'],
    [[0.1, 0, 0, 0.9, 0], { columnWords: dots }, '“sat” gives 90 % of its attention to “.”, the token after it.'],
    [
      [0.9, 0.1, 0, 0, 0],
      { columnWords: dots, row: 1 },
      '“sat” gives 90 % of its attention to “cat”, the token before it.',
    ],
    [[0.9, 0.1, 0, 0, 0], { columnWords: dots }, '“sat” gives 90 % of its attention to “cat”, 2 tokens before it.'],
    [[0.9, 0.1, 0, 0, 0], { columnWords: dots, row: -1 }, '“sat” gives 90 % of its attention to “cat”.'],
    [[0, 0, 0.9, 0.1, 0], { columnWords: dots, row: 0 }, '“sat” gives 90 % of its attention to “sat”.'],
    [[0, 0.9, 0.1, 0, 0, 0], { row: 4 }, '“sat” gives 90 % of its attention to “cat”, 3 words before it.'],
  ]))
    assert.equal(said(values, rest), text, `${values} ${JSON.stringify(rest)}`);
  const columnWords = Array.from({ length: 8 }, (_, i) => `w${i}`);
  const several = (/** @type {number} */ rows, /** @type {number[]} */ means) =>
    captionOfSeveral({ words: columnWords.slice(0, rows), columnWords, means })
      .map((piece) => (typeof piece === 'string' ? piece : piece.word))
      .join('')
      .replaceAll('\u00a0', ' ');
  assert.equal(several(1, [0.6, 0.4]), 'w0 attends most to w0, with 60 % of its attention on average.');
  assert.equal(
    several(6, [0.1, 0.3, 0.3, 0.3]),
    'w0, w1, w2, w3, w4 and w5 attend most to w1, w2 and w3, with 30 % of their attention each on average.',
  );
  assert.equal(
    several(7, new Array(7).fill(1 / 7)),
    '7 queries attend most to 7 keys, with 14 % of their attention each on average.',
  );
});

test('the map of each quantity: its colours, mask, names and marks', async () => {
  /** @type {any} */
  let map;
  document.addEventListener('mapchange', (event) => (map = /** @type {CustomEvent} */ (event).detail));
  const link = 'model=untrained&causal=1&head=1.2&row=5&key=2';
  const page = await open(heatmap, link);
  const same = ', same scale for all heads of the layer';
  for (const [quantity, title, isMasked] of /** @type {const} */ ([
    ['weights', 'Attention weight', true],
    ['scores', `Score${same}`, false],
    ['scaled', `Scaled score${same}`, false],
    ['masked', `Masked score${same}`, true],
  ])) {
    await page.choose('.quantity', quantity);
    const name = `Encoder self-attention, layer 1, head 2 of 4, ${quantity}`;
    const { matrix, rowAxis, columnAxis } = map;
    assert.deepEqual([map.name, map.scaleTitle, map.cursor], [name, title, { row: 5, column: 2 }]);
    assert.deepEqual(
      [rowAxis.label(1), rowAxis.part, columnAxis.label(12), columnAxis.part],
      ['creek', 'row', 'it', 'key'],
    );
    assert.deepEqual([matrix.rows, matrix.columns, matrix.data.length], [14, 14, 196]);
    if (isMasked) assert.deepEqual([matrix.hidden[0], matrix.hidden[1], matrix.hidden[14]], [0, 1, 0]);
    else assert.equal(matrix.hidden, null);
    const all = [...(page.result().tensors.get(`encoder.layers.0.self_attn.${quantity}`)?.data ?? [])];
    assert.deepEqual([...matrix.data], all.slice(196, 392));
    const largest = Math.max(...all.filter(Number.isFinite).map(Math.abs));
    const { low, high, root } = matrix.scale;
    if (quantity === 'weights') assert.deepEqual([low, high, root], [0, 1, true]);
    else assert(low === -high && high >= largest && high <= 2.5 * largest && !root, `${largest}: ${low} to ${high}`);
  }
  await page.choose('.quantity', 'weights');
  await page.choose('.colours', 'linear');
  assert.equal(map.matrix.scale.root, false);

  const here = { what: 'cell', kind: 'encoder', layer: 0, head: 1, row: 3, key: 2, to: 0.5 };
  const off = { what: 'head', kind: 'encoder', layer: 0, head: 1, to: 0 };
  for (const [change, marks, isOff] of /** @type {[object, number, boolean][]} */ ([
    [here, 1, false],
    [{ ...here, row: 13, key: 13 }, 1, false],
    [{ ...here, layer: 1 }, 0, false],
    [{ ...here, head: 0 }, 0, false],
    [off, 0, true],
    [{ ...off, to: 'mean' }, 0, false],
    [{ ...off, layer: 1 }, 0, false],
    [{ ...off, head: 0 }, 0, false],
  ])) {
    await page.change(/** @type {any} */ ({ interventions: [change] }));
    assert.equal(page.root.querySelectorAll('.map-mark').length, marks, JSON.stringify(change));
    assert.equal(/but this head is off\.$/.test(caption(page).replace(' Click any cell to see why.', '')), isOff);
  }
  // A longer text's, while the shown one is still the shorter one.
  for (const [row, key, marks] of [
    [13, 13, 1],
    [14, 2, 0],
    [3, 14, 0],
  ]) {
    const before = {
      ...heatmap,
      render: (/** @type {any} */ context, /** @type {any} */ tools) =>
        heatmap.render({ ...context, state: { ...context.state, interventions: [{ ...here, row, key }] } }, tools),
    };
    assert.equal((await open(before, link)).root.querySelectorAll('.map-mark').length, marks, `${row} ${key}`);
  }
  await page.change({ interventions: [] });
  page.root.ownerDocument.body.replaceChildren(page.root);
  const { selection } = page.state();
  await page.change(/** @type {any} */ ({ interventions: [here], selection: { ...selection, mean: true } }));
  assert.equal(page.root.querySelectorAll('.map-mark').length, 0, 'a mean has no cell that is set');
  await page.change({ brush: [2, 3, 20], interventions: [] });
  assert.match(caption(page), /^was and cold attend most to/, 'rows that a shorter text lacks are left out');
  await page.choose('.quantity', 'scores');
  assert.match(caption(page), /^For the, the highest score/);
});

test('Enter leads to the steps, and Escape back; where they are out of sight, nowhere', async (t) => {
  const page = await open(heatmap, 'model=creek');
  const cells = /** @type {HTMLElement} */ (page.root.querySelector('.map-cells'));
  cells.focus();
  await page.press('.map-cells', 'Enter');
  assert(document.activeElement === cells, 'there are no steps');
  const section = document.createElement('section');
  section.innerHTML = '<h2 id="computation-title"></h2>';
  document.body.append(section);
  const title = /** @type {HTMLElement} */ (section.firstElementChild);
  /** @type {any[]} */
  const scrolls = [];
  let [isVisible, isCalm] = [false, true];
  Object.assign(section, {
    checkVisibility: () => isVisible,
    scrollIntoView: (/** @type {any} */ how) => scrolls.push(how),
  });
  t.mock.method(globalThis, 'matchMedia', (/** @type {string} */ query) => ({
    matches: query === '(prefers-reduced-motion: reduce)' && isCalm,
    addEventListener() {},
  }));
  await page.press('.map-cells', 'Enter');
  assert(document.activeElement === cells, 'they are hidden');
  isVisible = true;
  const { KeyboardEvent } = /** @type {any} */ (document.defaultView);
  for (isCalm of [true, false]) {
    await page.press('.map-cells', 'Enter');
    assert(document.activeElement === title);
    assert.deepEqual([title.tabIndex, title.ariaDescription], [-1, 'Escape leads back to the map.']);
    assert.deepEqual(scrolls.pop(), { behavior: isCalm ? 'auto' : 'smooth', block: 'nearest' });
    for (const [key, isTaken, isBack] of /** @type {const} */ ([
      ['a', false, false],
      ['Escape', true, false],
      ['Escape', false, true],
    ])) {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      if (isTaken) event.preventDefault();
      title.dispatchEvent(event);
      assert.equal(event.defaultPrevented, isTaken || isBack);
      assert(document.activeElement === (isBack ? cells : title), `${key} ${isTaken}`);
    }
  }
});

test('the frame stands before there is a plan; the tabs choose the map or the lines', async () => {
  const frame = document.createElement('div');
  render(heatmap.frame?.(), frame);
  assert.match(frame.textContent ?? '', /Each row is a query token/);
  assert.doesNotMatch(frame.textContent ?? '', /switched off/);
  assert.match(
    frame.querySelector('.formula')?.textContent?.replace(/\s/g, '') ?? '',
    /^Attention\(Q,K,V\)=softmax\(QKTdk\)V$/,
  );
  const tabs = await open(attentionTabs, 'model=creek');
  const pressed = () => tabs.all('[aria-pressed=true]');
  assert.deepEqual([tabs.all('button'), pressed()], [['Map', 'Lines'], ['Map']]);
  await tabs.click('button:nth-child(2)');
  assert.deepEqual([tabs.set, pressed()], [[{ lines: true }], ['Lines']]);
  await tabs.click('button:nth-child(1)');
  assert.deepEqual([tabs.set.at(-1), pressed()], [{ lines: false }, ['Map']]);
});
