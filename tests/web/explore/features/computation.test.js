// Why a weight is what it is: every number of the panel, and of the tables that it saves, is the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TARGET, assertShown, compute, shipped } from '../../in-node.js';
import { assertPrinted, assertShort, checkStory, headNorms } from '../../checks.js';
import { gf, given, open, openFolder } from '../table.js';

Object.assign(globalThis, { cancelAnimationFrame: () => {} });
const { computation } = await import('../../../../web/explore/features/computation.js');
const { whyLogit } = await import('../../../../web/explore/derived/why.js');
const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
/** The panel as checks.js asks for it. */
const asked = { evaluate: async (/** @type {any} */ ask, /** @type {any} */ argument) => ask(argument) };

const creek = () => {
  const own = shipped(gf, 'creek');
  own.model.forward({ ids: own.ids(KNOWN), capture: true });
  return own;
};

/** @typedef {Awaited<ReturnType<typeof open>>} Shown */
/** @param {Shown} page @param {string} step */
const note = (page, step) => page.all(`.${step} .why-result p`)[0];

test('a table of states: each number, the sentence, what is asked for', async () => {
  const [first, second] = [0, 1].map((layer) => `encoder.layers.${layer}.self_attn`);
  const cross = 'decoder.layers.0.multihead_attn';
  const bare = () => compute(gf, { scoreScale: false, causal: true });
  for (const [link, own, prefix, head, row, key, line, scale] of /** @type {any[]} */ ([
    ['untrained', compute(gf, {}), first, 0, 12, 1, /^In layer 1, head 1, it /],
    ['untrained&row=7&key=3', compute(gf, {}), first, 0, 7, 3, /^In layer 1, head 1, dog /],
    ['untrained&head=2.3&row=7&key=13', compute(gf, {}), second, 2, 7, 13, /^In layer 2, head 3, dog /],
    ['untrained&head=2.3&scoreScale=0&causal=1&row=7&key=3', bare(), second, 2, 7, 3, /dog .* cold/, 1],
    [
      'untrained&head=2.3&scoreScale=0&causal=1&row=7&key=13',
      bare(),
      second,
      2,
      7,
      13,
      /cannot attend to \.: the mask/,
      1,
    ],
    [
      'untrained&kind=encoder-decoder&attention=cross&row=10&key=1',
      compute(gf, { kind: 'encoder-decoder' }, { target: TARGET }),
      cross,
      0,
      10,
      1,
      /^In cross-attention, layer 1, head 1, /,
    ],
    [
      'creek&head=3.2&row=12&key=1',
      creek(),
      'encoder.layers.2.self_attn',
      1,
      12,
      1,
      /^In layer 3, head 2, it attends to creek: no other key fits its query better\.$/,
    ],
  ])) {
    const page = await open(computation, `model=${link}`);
    const vectors = ['query', 'key', 'value'].map((name) => `${prefix}.${name}`);
    assert.deepEqual(page.needs(), [...vectors, `@head-share/${prefix}/${head}/${row}`], link);
    await checkStory(asked, own, { prefix, head, row, key, scale });
    assert.match(page.all('.why-line')[0], line);
    assert.equal(note(page, 'scale'), scale ? 'switched off' : '');
    const isMasked = own.at(`${prefix}.masked`, 0, head, row, key) === -Infinity;
    assert.deepEqual(page.all('.why-masked'), isMasked ? ['masked: score −∞, weight exactly 0'] : [], link);
  }
});

test('the formula: scaled by the root of the width and the temperature, unless they are 1', async () => {
  const warm = `&changes=${encodeURIComponent(JSON.stringify([{ what: 'temperature', value: 2 }]))}`;
  for (const [link, formula, roots] of /** @type {[string, string, string[]][]} */ ([
    ['', 'softmax(q·k/24)v', ['24']],
    ['&scoreScale=0', 'softmax(q·k)v', []],
    [warm, 'softmax(q·k/24/2)v', ['24']],
    [`&scoreScale=0${warm}`, 'softmax(q·k/2)v', []],
  ])) {
    const page = await open(computation, `model=creek&row=12${link}`);
    assert.deepEqual([page.all('.formula'), page.all('.formula msqrt')], [[formula], roots], link);
  }
});

test('many keys: two that compete, and how much the others have', async () => {
  const page = await open(computation, `model=untrained&text=${'word+'.repeat(40)}`);
  assert.deepEqual(page.all('.why-rest'), ['37 other keys']);
});

test('the numbers that are saved: the row, the cell, the heads', async () => {
  /** @type {any} */
  let saved;
  document.addEventListener('figurechange', (event) => (saved = /** @type {CustomEvent} */ (event).detail ?? saved));
  await open(computation, 'model=creek&head=3.2&row=12&key=1');
  const own = creek();
  const prefix = 'encoder.layers.2.self_attn';
  const at = (/** @type {string} */ name, /** @type {number[]} */ ...index) =>
    own.at(`${prefix}.${name}`, 0, 1, ...index);
  assert.match(saved.name, /^Encoder self-attention, layer 3, head 2 of 2, it to creek, step by step$/);
  const [row, cell, heads] = saved.tables();
  assert.deepEqual(
    [row, cell, heads].map(({ name, columns }) => [name.split(', ').at(-1), ...columns]),
    [
      ['the row', 'score', 'scaled', 'masked', 'weight'],
      ['the cell', 'q', 'k', 'q × k', 'v', 'α v', 'z'],
      ['the heads', 'norm'],
    ],
  );
  assert.deepEqual(
    [cell, heads].map(({ rows }) => [rows[0], rows.at(-1)]),
    [
      ['dimension 0', 'dimension 23'],
      ['head 1', 'head 2'],
    ],
  );
  assert.deepEqual(row.columns, ['score', 'scaled', 'masked', 'weight']);
  row.rows.forEach((/** @type {string} */ _, /** @type {number} */ key) =>
    ['scores', 'scaled', 'masked', 'weights'].forEach((name, i) =>
      assertShown(row.data[4 * key + i], at(name, 12, key), `${name} ${key}`),
    ),
  );
  const weight = at('weights', 12, 1);
  for (let d = 0; d < 24; d++) {
    const [q, k, v] = [at('query', 12, d), at('key', 1, d), at('value', 1, d)];
    const computed = [q, k, q * k, v, weight * v, at('head_outputs', 12, d)];
    computed.forEach((value, i) => assertShown(cell.data[6 * d + i], value, `${cell.columns[i]} ${d}`));
  }
  headNorms(own.model, own.at, prefix, 12).forEach((norm, i) => assertShown(heads.data[i], norm, `head ${i}`));
});

test('interventions and a mean are named', async () => {
  const page = await open(computation, 'model=creek&head=3.2&row=12&key=1');
  const head = { kind: /** @type {const} */ ('encoder'), layer: 2, head: 1 };
  const put = (/** @type {any[]} */ ...interventions) => page.change({ interventions });
  const weight = creek().at('encoder.layers.2.self_attn.weights', 0, 1, 12, 1);
  await put({ what: 'cell', ...head, row: 12, key: 1, to: 0 });
  assert.match(page.all('.why-line')[0], /an intervention set this weight/);
  assert.match(page.all('#computation-title')[0], /^Why 0\s%\?$/);
  const [, softmax] = /^set by an intervention; the softmax gave (.*)$/.exec(note(page, 'softmax')) ?? [];
  assertShort(softmax, weight, 'before the intervention');
  await put({ what: 'head', ...head, to: 0 });
  assert.equal(note(page, 'values'), 'head off: it adds nothing');
  assert.match(page.all('.values .why-number')[0], /^0\s%$/);
  await put({ what: 'head', ...head, to: 'mean' });
  assert.equal(note(page, 'values'), 'head 2’s share of what attention adds; set by an intervention');
  await put({ what: 'temperature', value: 2 });
  assert.equal(note(page, 'scale'), 'temperature 2');
  assert.equal(page.all('.scale .why-label')[0], '÷ √24 ÷ 2');
  await put();
  assert.equal(note(page, 'values'), 'head 2’s share of what attention adds');
  await page.change({ selection: { ...page.state().selection, mean: true } });
  assert.match(page.all('.why-line')[0], /The map shows the mean of all heads, these are the steps of one\.$/);
});

test('a dimension by keys: its numbers, a band in the three rows', async () => {
  const page = await open(computation, 'model=creek&head=3.2&row=12&key=1');
  const own = creek();
  const at = (/** @type {string} */ name, /** @type {number} */ row, /** @type {number} */ d) =>
    own.at(`encoder.layers.2.self_attn.${name}`, 0, 1, row, d);
  assert.match(note(page, 'products'), /^largest/);
  for (const [key, d] of /** @type {[string, number][]} */ ([
    ['ArrowRight', 0],
    ['ArrowRight', 1],
    ['End', 23],
    ['ArrowLeft', 22],
    ['Home', 0],
    ['ArrowLeft', 0],
  ])) {
    await page.press('.why-terms', key);
    const [, q, k, term] = /^dimension \d+: (\S+) × (\S+) = (\S+)$/.exec(note(page, 'products')) ?? [];
    const [query, keyValue] = [at('query', 12, d), at('key', 1, d)];
    [q, k, term].forEach((text, i) => assertPrinted(text, [query, keyValue, query * keyValue][i], `dimension ${d}`));
    const slider = /** @type {Element} */ (page.root.querySelector('.why-terms'));
    assert.equal(slider.getAttribute('aria-valuetext'), `${d}: ${q} × ${k} = ${term}`);
    assert.equal(slider.getAttribute('aria-valuenow'), String(d));
    const bands = [...page.root.querySelectorAll('.band')].map((each) => each.getAttribute('x'));
    assert.deepEqual(bands, [d, d, d].map(String));
  }
  await page.change({ cursor: { ...page.state().cursor, key: 2 } });
  assert.match(note(page, 'products'), /^largest/, 'of another cell');
});

test('it steps, row by row; another cell is shown whole; without a text there is none', async () => {
  const page = await open(computation, 'model=untrained&row=7&key=3');
  const own = compute(gf, {});
  const cell = (/** @type {string} */ name) => own.at(`encoder.layers.0.self_attn.${name}`, 0, 0, 7, 3);
  const ahead = () => page.root.querySelectorAll('.ahead').length;
  assert.equal(ahead(), 0);
  for (const rows of [1, 2, 3, 3]) {
    await page.click('[aria-label="Step back"]');
    assert.equal(ahead(), rows);
  }
  for (const [row, name] of ['scores', 'scaled', 'weights'].entries()) {
    (row < 2 ? assertPrinted : assertShort)(page.all('.why-number')[row], cell(name), name);
    assert.equal(ahead(), 3 - row);
    await page.click('[aria-label="Step forward"]');
  }
  const range = /** @type {HTMLInputElement} */ (page.root.querySelector('[type=range]'));
  for (const terms of [1, 5, 15]) {
    await page.type('[type=range]', String(terms));
    assert.equal(note(page, 'products'), `sum of ${terms} of 16`);
    assert.equal(range.getAttribute('aria-valuetext'), `query · key, ${terms} of 16 products`);
    const heights = [...page.root.querySelectorAll('.why-bars.product rect')].map((each) =>
      each.getAttribute('height'),
    );
    assert.equal(heights.filter((height) => Number(height)).length, terms);
  }
  await page.change({ cursor: { ...page.state().cursor, key: 4 } });
  assert.equal(ahead(), 0);
  await page.change({ text: '' });
  assert.equal(page.text(), '');
});

test('the sentence, the list and the comparison of a row, whatever its weights', async () => {
  const none = -Infinity;
  const row = {
    scores: [0],
    scaled: [0],
    masked: [0],
    weights: [0],
    output: new Float32Array(16),
    norms: [1, 2, 0, 1],
  };
  const page = await open(given(computation, row), 'model=untrained&row=1&key=0&text=one+two+three+four+five+six');
  for (const [scores, set, line, compared, list] of /** @type {[number[], any, string, string, string[]][]} */ ([
    [
      [0, 0, 0],
      {},
      'spreads its attention almost evenly over 3 keys: one gets 33 %, the others 33 % each.',
      'as much as two',
      ['one 0 33 %', 'two 0 33 %', 'three 0 33 %'],
    ],
    [
      [0, 0],
      {},
      'spreads its attention almost evenly over 2 keys: one gets 50 %, the other 50 %.',
      'as much as two',
      ['one 0 50 %', 'two 0 50 %'],
    ],
    [
      [0, 0.02, -0.02, 0],
      {},
      'spreads its attention almost evenly over 4 keys: one gets 25 %, the others 25 to 26 %.',
      '0.98 times two: it trails by 0.020',
      ['one 0.000 25 %', 'two 0.020 26 %', 'four 0.000 25 %', '1 other key 25 %'],
    ],
    [
      [2, 2, -3],
      {},
      'attends to one, and as much to two: 50 % each.',
      'as much as two',
      ['one 2.0 50 %', 'two 2.0 50 %', 'three −3.0 0.34 %'],
    ],
    [
      [2, 1.95, -3],
      {},
      'attends most to one, and hardly less to two: 51 % and 49 %.',
      '1.1 times two: it leads by 0.050',
      ['one 2.000 51 %', 'two 1.950 49 %', 'three −3.000 0.34 %'],
    ],
    [
      [2, 0, -1, -2],
      {},
      'attends to one: no other key fits its query better.',
      '7.4 times two: it leads by 2.0',
      ['one 2.0 83 %', 'two 0.0 11 %', 'three −1.0 4.1 %', '1 other key 1.5 %'],
    ],
    [
      [0, 3, -2, -2],
      { 1: 0.001 },
      'attends most to one, as an intervention set another weight.',
      '47 times two',
      ['one 0.0 4.7 %', 'two 3.0 0.1 %', 'three −2.0 0.63 %', '1 other key 0.63 %'],
    ],
    [
      [2, 2.05, -3],
      {},
      'attends to one, and slightly more to two: 49 % and 51 %.',
      '0.95 times two: it trails by 0.050',
      ['one 2.000 49 %', 'two 2.050 51 %', 'three −3.000 0.33 %'],
    ],
    [
      [-5, 2, 1],
      {},
      'hardly attends to one, and most to two.',
      '0.00091 times two: it trails by 7.0',
      ['one −5.0 0.067 %', 'two 2.0 73 %', 'three 1.0 27 %'],
    ],
    [
      [-200, 2, 1],
      {},
      'does not attend to one: its weight is 0.',
      '≈ 0 times two: it trails by 202.0000',
      ['one −200.0000 0 %', 'two 2.0000 73 %', 'three 1.0000 27 %'],
    ],
    [[0], {}, 'attends to one: no other key is in sight.', '', ['one 0 100 %']],
    [
      [none, 1, 2],
      {},
      'cannot attend to one: the mask hides it.',
      '',
      ['one −∞ 0 %', 'three 2.0 73 %', 'two 1.0 27 %'],
    ],
    [
      [none, 1],
      { 0: 0.3 },
      'attends to one: an intervention set this weight.',
      'set by an intervention; the softmax gave 0 %',
      ['one −∞ 30 %', 'two 1.0 100 %'],
    ],
    [
      [0, NaN, 1],
      {},
      'attends to one, with a weight that is no number.',
      '',
      ['one 0.0 NaN %', 'three 1.0 NaN %', '1 other key NaN %'],
    ],
    [
      [0, 1, 2],
      { 0: 0.9 },
      'attends to one: an intervention set this weight.',
      'set by an intervention; the softmax gave 9 %',
      ['one 0.0 90 %', 'three 2.0 67 %', 'two 1.0 24 %'],
    ],
    [
      [0, 1, 2, 1.5, -1, -2],
      {},
      'attends to one, but more to three.',
      '0.14 times three: it trails by 2.0',
      ['one 0.0 6.2 %', 'three 2.0 46 %', 'four 1.5 28 %', '3 other keys 20 %'],
    ],
    [
      [0, 1, 2, 1.5],
      { 4: 0.2 },
      'attends to one, but more to three.',
      '0.14 times three: it trails by 2.0',
      ['one 0.0 6.4 %', 'three 2.0 47 %', 'four 1.5 29 %', '2 other keys 37 %'],
    ],
    [
      [0, 1, 2, 1.5],
      { 2: 0.2 },
      'attends to one, but more to four.',
      '0.32 times three',
      ['one 0.0 6.4 %', 'three 2.0 20 %', 'four 1.5 29 %', '1 other key 17 %'],
    ],
    [
      [0, 1],
      { 1: 0 },
      'attends most to one, as an intervention set another weight.',
      '',
      ['one 0.0000 27 %', 'two 1.0000 0 %'],
    ],
  ])) {
    const masked = Float32Array.from({ length: 6 }, (_, at) => scores[at] ?? none);
    const exps = masked.map((each) => Math.exp(each));
    const total = exps.reduce((sum, each) => sum + each, 0);
    const scaled = masked.map((each) => (each === none ? 1 : each));
    const weights = exps.map((each, at) => set[at] ?? (each && each / total));
    Object.assign(row, { masked, scaled, weights, scores: scaled.map((each) => 4 * each) });
    await page.change({ cursor: { ...page.state().cursor } });
    const said = `${scores} ${JSON.stringify(set)}`;
    assert.equal(page.all('.why-line')[0], `In layer 1, head 1, two ${line}`, said);
    assert.equal(note(page, 'softmax'), compared, said);
    const lines = [...page.root.querySelectorAll('.why-rivals li')];
    const parts = lines.map((each) => [...each.children].map((part) => part.textContent?.trim()).filter(Boolean));
    assert.deepEqual(
      parts.map((each) => each.join(' ').replace(/\s/g, ' ')),
      list,
      said,
    );
    assert.deepEqual(
      lines.map((each) => each.className),
      list.map((_, at) => (at ? '' : 'here')),
    );
    const isMasked = masked[0] === none;
    const hides = `masked: score −∞${weights[0] ? '' : ', weight exactly 0'}`;
    assert.deepEqual(page.all('.why-masked'), isMasked ? [hides] : [], said);
    assert.equal(page.all('.scale .why-number')[0] === '−∞', isMasked, said);
    assert.equal(page.all('.values .why-number')[0], '25 %');
  }
  row.norms = [0, 0, 0, 0];
  await page.change({ cursor: { ...page.state().cursor } });
  assert.equal(page.all('.values .why-number')[0], '0 %', 'of nothing');
  const head = {
    what: /** @type {const} */ ('head'),
    kind: /** @type {const} */ ('encoder'),
    layer: 0,
    head: 0,
    to: 'mean',
  };
  for (const [other, isSet] of /** @type {[object, boolean][]} */ ([
    [{}, true],
    [{ layer: 1 }, false],
    [{ head: 1 }, false],
    [{ what: 'cell', row: 0, key: 0, to: 0 }, false],
  ])) {
    await page.change({ interventions: /** @type {any} */ ([{ ...head, ...other }]) });
    assert.equal(/; set by an intervention$/.test(note(page, 'values')), isSet, JSON.stringify(other));
  }
});

test('keys that heads share; the largest product and its sign; a dimension by the pointer', async () => {
  for (const [link, said] of [
    ['keyValueHeads=1&head=1.3', ' Heads 1 to 4 share these keys and values.'],
    ['keyValueHeads=2&head=1.4', ' Heads 3 and 4 share these keys and values.'],
    ['keyValueHeads=4&head=1.4', ''],
  ]) {
    const { all } = await open(computation, `model=untrained&text=one+two&${link}`);
    assert.equal(/( Heads \d \w+ \d share.*)?$/.exec(all('.why-line')[0])?.[0], said, link);
  }
  const page = await open(computation, 'model=untrained&row=1&key=0&text=one+two+three+four+five+six');
  const own = compute(gf, {}, { text: 'one two three four five six' });
  const signs = new Set();
  for (let key = 0; key < 6; key++) {
    await page.change({ cursor: { ...page.state().cursor, key } });
    const factors = Array.from({ length: 16 }, (_, d) =>
      [
        ['query', 1],
        ['key', key],
      ].map(([name, at]) => own.at(`encoder.layers.0.self_attn.${name}`, 0, 0, Number(at), d)),
    );
    const [q, k] = factors.reduce((best, each) =>
      Math.abs(each[0] * each[1]) > Math.abs(best[0] * best[1]) ? each : best,
    );
    const [, size, ...shown] = /^largest( in size)?: (\S+) × (\S+)$/.exec(note(page, 'products')) ?? [];
    assert.equal(Boolean(size), q * k < 0);
    [q, k].forEach((value, i) => assertPrinted(shown[i], value, `key ${key}`));
    signs.add(q * k < 0);
  }
  assert.equal(signs.size, 2, 'both are among them');
  const terms = /** @type {Element} */ (page.root.querySelector('.why-terms'));
  const box = { left: 100, width: 160 };
  const { MouseEvent, FocusEvent } = /** @type {any} */ (document.defaultView);
  for (const [type, clientX, dimension] of /** @type {[string, number, number | null][]} */ ([
    ['pointermove', 100, 0],
    ['pointermove', 119, 1],
    ['pointerdown', 259, 15],
    ['pointermove', 260, null],
    ['pointermove', 145, 4],
    ['pointermove', 99, null],
    ['pointermove', 145, 4],
    ['pointerleave', 145, null],
    ['pointermove', 145, 4],
    ['blur', 0, null],
  ])) {
    const svg = /** @type {any} */ (terms.querySelector('svg'));
    svg.getBoundingClientRect = () => box;
    terms.dispatchEvent(type === 'blur' ? new FocusEvent(type) : new MouseEvent(type, { clientX }));
    await page.show();
    const [, at = null] = /^dimension (\d+):/.exec(note(page, 'products')) ?? [];
    assert.equal(at, dimension === null ? null : String(dimension), `${type} ${clientX}`);
  }
  const pressed = (/** @type {string} */ key) => {
    const event = new /** @type {any} */ (document.defaultView).KeyboardEvent('keydown', { key, cancelable: true });
    terms.dispatchEvent(event);
    return event.defaultPrevented;
  };
  assert.deepEqual(['Tab', 'a', 'Home'].map(pressed), [false, false, true]);
});

test('a T5: a head adds to the score of a key what it learned for its distance', async () => {
  await openFolder('t5-2l');
  const { model } = await gf.loadModel(new URL('../../../checkpoints/t5-2l/', import.meta.url));
  const page = await open(computation, 'model=t5-2l&attention=encoder&head=1.2&row=3&key=1&text=5 9 12 7 9 30 2');
  model.forward({ sourceIds: [5, 9, 12, 7, 9, 30, 2], targetIds: [0], capture: true });
  const at = (/** @type {string} */ map) =>
    Number(model.tensor({ name: `encoder.layers.0.self_attn.${map}`, head: 1, row: 3 }).data[1]);
  const bias = model.tensor('encoder.relative_bias.before').data[7 + 2];
  assert.ok(Math.abs(at('masked') - at('scaled') - bias) < 1e-6);
  assert.deepEqual(page.all('.formula'), ['softmax(q·k+b)v'], 'a T5 divides by no √d_k');
  const [said] = page.all('.why-masked');
  const [, shown] = /^with what the head adds for this distance: (\S+)$/.exec(said) ?? [];
  assert.ok(Math.abs(Number(shown.replace('−', '-')) - at('masked')) < 0.01, `${said}, ${at('masked')}`);
});

test('a T5’s logit is its row of the table times the vector divided by √d', async () => {
  const { model } = await gf.loadModel(new URL('../../../checkpoints/t5-2l/', import.meta.url));
  const { logits } = model.forward({ sourceIds: [5, 9, 12], targetIds: [0, 7], capture: true });
  const { word, x, key, bias } = /** @type {any} */ (whyLogit(/** @type {any} */ ({ model, isPart: false }), '1'));
  const sum = x.reduce(
    (/** @type {number} */ so, /** @type {number} */ each, /** @type {number} */ i) => so + each * key[i],
    0,
  );
  const logit = logits.data[logits.shape[2] + word];
  assert.ok(Math.abs(sum - logit) < 1e-5 * (1 + Math.abs(logit)), `${sum}, ${logit}`);
  assert.equal(bias, null);
});
