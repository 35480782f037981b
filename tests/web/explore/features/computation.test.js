// Why a weight is what it is: every number of the panel, and of the tables that it saves, is the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TARGET, assertShown, compute, shipped } from '../../in-node.js';
import { assertPrinted, assertShort, checkStory, headNorms } from '../../checks.js';
import { gf, open } from '../table.js';

Object.assign(globalThis, { cancelAnimationFrame: () => {} });
const { computation } = await import('../../../../web/explore/features/computation.js');
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
