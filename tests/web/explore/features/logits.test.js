// Logits and probabilities: the most likely tokens, the formula with their numbers, any token by typing it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allShown, numberOf } from '../../checks.js';
import { gf, open, openFolder } from '../table.js';

const { logits } = await import('../../../../web/explore/features/logits.js');

/** @param {Awaited<ReturnType<typeof open>>} page @param {string} rows */
const cells = (page, rows) =>
  [...page.root.querySelectorAll(rows)].map((tr) => [...tr.children].map((each) => each.textContent?.trim() ?? ''));
/** As it is read: 2.34·10⁻⁵ too. @param {string} text */
const probabilityOf = (text) =>
  Number(text.replace(/·10⁻(.)/, (_, digit) => `e-${'⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit)}`).replaceAll(',', ''));

test('the ten most likely tokens, each number the module’s own', async () => {
  for (const [link, title, row] of /** @type {[string, RegExp, number][]} */ ([
    ['model=creek&row=12', /^At it$/, 12],
    ['model=continue&row=2', /^Next token after /, 2],
    ['model=translate&head=2.1&attention=cross&row=3', /^Next token after /, 3],
  ])) {
    const page = await open(logits, link);
    assert.deepEqual(page.needs(), ['logits', '@probabilities']);
    const { data, shape } = /** @type {any} */ (page.result().tensors.get('logits'));
    const width = shape.at(-1);
    const own = data.subarray(row * width, (row + 1) * width);
    const p = gf.softmax({ data: own, shape: [1, width] }).data;
    const best = [...p.keys()].sort((a, b) => p[b] - p[a] || a - b).slice(0, 10);
    const shown = cells(page, '[aria-label="The most likely tokens"] tbody tr');
    assert.deepEqual(
      shown.map(([word]) => word),
      best.map((id) => page.modelInfo.outputVocabulary[id]),
    );
    allShown(
      shown.map(([, logit]) => numberOf(logit)),
      best.map((id) => own[id]),
      'logits',
    );
    shown.forEach(([, , text], i) => {
      const expected = p[best[i]];
      assert(Math.abs(probabilityOf(text) - expected) <= (/·/.test(text) ? 0.006 * expected : 6e-5), text);
    });
    assert.match(page.all('.view-title')[0], title);
    assert.equal(page.root.querySelectorAll('meter').length, 10);
  }
});

test('a probability too small for four places is a power of ten, and the formula holds with it', async () => {
  const page = await open(logits, 'model=translate&attention=cross');
  const [first, second] = cells(page, '.top-words tbody tr');
  assert.match(second[2], /^\d\.\d\d·10⁻⁵$/);
  const [p, q] = [first, second].map((row) => probabilityOf(row[2]));
  const [y, z] = [first, second].map((row) => numberOf(row[1]));
  assert(Math.abs(q / (p * Math.exp(z - y)) - 1) < 0.006, `${q} beside ${p} e^(${z} - ${y})`); // as each is rounded
  const [shown] = page.all('.live-numbers');
  const [, above, below, ratio] = shown.match(/= ([\d.]+) \/ (\S+)\s+≈\s+([\d,]+)/) ?? [];
  assert.equal(below, second[2]);
  const exact = probabilityOf(above) / probabilityOf(below);
  assert(Math.abs(probabilityOf(ratio) / exact - 1) < 0.05, `${shown}: two digits of ${exact}`);
});

test('any token is found by typing it, and what was typed stays', async () => {
  const page = await open(logits, 'model=creek&row=12');
  const type = async (/** @type {string} */ text) => {
    const field = /** @type {HTMLInputElement} */ (page.root.querySelector('[type=search]'));
    field.value = text;
    field.dispatchEvent(new /** @type {any} */ (field.ownerDocument.defaultView).Event('input'));
  };
  await type('Cold');
  const [[word, logit, , rank]] = cells(page, '[aria-label="Tokens found"] tbody tr');
  assert.equal(word, 'cold');
  const { data, shape } = /** @type {any} */ (page.result().tensors.get('logits'));
  const own = [...data.subarray(12 * shape.at(-1), 13 * shape.at(-1))];
  const value = own[page.modelInfo.outputVocabulary.indexOf('cold')];
  allShown([numberOf(logit)], [value], 'logit');
  assert.equal(rank, String(own.filter((each) => each > value).length + 1));
  await page.change({ cursor: { ...page.state().cursor, row: 3 } });
  assert.equal(cells(page, '[aria-label="Tokens found"] tbody tr')[0][0], 'cold');
  await type('zzz');
  assert.match(page.all('[role=status]')[0], /^None of the \d+ tokens contains it\.$/);
  assert.equal(page.root.querySelector('[aria-label="Tokens found"]'), null);
});

test('without an output table or a text it says so', async () => {
  const page = await open(logits, 'model=untrained');
  assert.deepEqual(page.needs(), []);
  assert.match(page.text(), /no output table, so there are no logits/);
  assert.match((await open(logits, 'model=creek&text=')).text(), /No tokens, so no prediction/);
});

test('a BERT’s logits come from a transformed vector, with a bias', async () => {
  await openFolder('bert-2l');
  const page = await open(logits, 'model=bert-2l&row=3');
  const formula = page.root.querySelector('math')?.textContent?.replace(/\s/g, '');
  assert.equal(formula, 'zw=transform(x)·Ew+bw,pw=ezw∑vezv');
});

/**
 * The answer at row 12 of the creek's 14, by each word's logit; the other rows have none.
 * @param {string[]} words @param {number[]} scores @param {{config?: object, chances?: number[]}} [more]
 */
function fixed(words, scores, { config = {}, chances } = {}) {
  const sum = scores.reduce((so, score) => so + Math.exp(score), 0);
  const tensor = (/** @type {number[]} */ values) => {
    const data = new Float32Array(14 * words.length).fill(NaN);
    data.set(values, 12 * words.length);
    return { data, shape: [1, 14, words.length] };
  };
  const [z, p] = [scores, chances ?? scores.map((score) => Math.exp(score) / sum)].map(tensor);
  return {
    ...logits,
    render: (/** @type {any} */ context, /** @type {any} */ tools) =>
      logits.render(
        {
          ...context,
          modelInfo: { ...context.modelInfo, outputVocabulary: words, config },
          result: { ...context.result, tensors: new Map([['logits', z]]), derived: new Map([['@probabilities', p]]) },
        },
        tools,
      ),
  };
}
/** @param {Awaited<ReturnType<typeof open>>} page */
const formula = (page) => page.root.querySelector('math')?.textContent?.replace(/\s/g, '');

test('tokens are found whole first, then by their beginning, then inside; eight at most, with their rank', async () => {
  const own = [
    'acreek',
    'creeks',
    'creek',
    'Creekside',
    '␣CREEK',
    '##creek',
    'x#creek',
    'creekx',
    'overcreek',
    'creeky',
  ];
  const words = [...own, 'cr##eek', ...Array.from({ length: 1223 }, (_, i) => `w${i}`)];
  const page = await open(
    fixed(
      words,
      words.map((_, id) => id / 1000),
    ),
    'model=creek&row=12',
  );
  const found = () => cells(page, '[aria-label="Tokens found"] tbody tr');
  const status = () => page.all('[role=status]')[0];
  assert.deepEqual([found(), status()], [[], ''], 'nothing is typed yet');
  await page.type('[type=search]', ' CREEK ');
  assert.deepEqual(
    found().map(([, logit, , rank]) => [logit, rank]),
    [2, 4, 5, 1, 3, 7, 9, 0].map((id) => [`0.00${id}0`, (1234 - id).toLocaleString('en')]),
  );
  assert.deepEqual(page.all('[aria-label="Tokens found"] thead th'), ['token', 'logit z', 'probability', 'rank']);
  assert.deepEqual(found()[0].slice(3), ['1,232']);
  assert.equal(status(), '');
  await page.type('[type=search]', 'w1222');
  assert.deepEqual(
    found().map(([word, , , rank]) => [word, rank]),
    [['w1222', '1']],
  );
  await page.type('[type=search]', '   ');
  assert.deepEqual([found(), status()], [[], '']);
  await page.type('[type=search]', '#creek#');
  assert.deepEqual([found(), status()], [[], 'None of the 1,234 tokens contains it.']);
  assert.equal(page.all('[aria-label="The most likely tokens"] tbody tr').length, 10);
});

test('the formula and its numbers; what is saved', async () => {
  /** @type {any} */
  let saved;
  document.addEventListener('figurechange', (event) => (saved = /** @type {CustomEvent} */ (event).detail));
  for (const [scores, config, numbers, math] of /** @type {[number[], object, string[], string][]} */ ([
    [[2, 1, 0], {}, ['a over b: e2.0000 − 1.0000 = 0.66524 / 0.24473 ≈ 2.7'], 'zw=x·Ew+bw,pw=ezw∑vezv'],
    [[-1, 1], { headBias: false }, ['b over a: e1.0000 − (−1.0000) = 0.88080 / 0.11920 ≈ 7.4'], 'zw=x·Ew,pw=ezw∑vezv'],
    [
      [12, 0],
      { headTransform: true, headBias: false },
      ['a over b: e12.0000 − 0.0000 = 0.99999 / 6.14·10⁻⁶ ≈ 160,000'],
      'zw=transform(x)·Ew,pw=ezw∑vezv',
    ],
    [[4], {}, [], 'zw=x·Ew+bw,pw=ezw∑vezv'],
  ])) {
    const words = ['a', 'b', 'c'].slice(0, scores.length);
    const page = await open(fixed(words, scores, { config }), 'model=creek&row=12');
    assert.deepEqual(page.all('.live-numbers'), numbers);
    assert.equal(formula(page), math);
    assert.deepEqual(page.all('.view-title'), ['At it']);
    assert.deepEqual(page.all('.top-words thead > tr > *'), ['token', 'logit z', 'probability', '']);
    assert.deepEqual([saved.name, saved.element], ['Predictions at it', page.root.querySelector('.top-words')]);
    const [{ name, rows, columns, data }, ...others] = saved.tables();
    const order = words.toSorted((a, b) => scores[words.indexOf(b)] - scores[words.indexOf(a)]);
    assert.deepEqual([name, rows, columns, others], ['Predictions at it', order, ['logit', 'probability'], []]);
    const sum = scores.reduce((so, score) => so + Math.exp(score), 0);
    order.forEach((word, i) => {
      const score = scores[words.indexOf(word)];
      assert.equal(data[2 * i], score);
      assert(Math.abs(data[2 * i + 1] - Math.exp(score) / sum) < 1e-7);
    });
    const meters = /** @type {HTMLMeterElement[]} */ ([...page.root.querySelectorAll('meter')]);
    assert.deepEqual(
      meters.map(({ value }) => value),
      order.map((_, i) => data[2 * i + 1]),
    );
  }
  await open(logits, 'model=continue&row=2');
  assert.match(saved.name, /^Next token after /);
  await open(logits, 'model=untrained');
  assert.equal(saved, null);
});

test('a probability has four places, or is a power of ten where they would be 0', async () => {
  const chances = [0.9, 6e-5, 4.91e-5, 1e-12, 0];
  const page = await open(fixed([...'abcde'], [0, 0, 0, 0, 0], { chances }), 'model=creek&row=12');
  assert.deepEqual(
    cells(page, '.top-words tbody tr').map(([, , text]) => text),
    ['0.9000', '0.0001', '4.91·10⁻⁵', '1·10⁻¹²', '0.0000'],
  );
});

test('while the numbers are those of another model or still to come, nothing changes', async () => {
  const page = await open(logits, 'model=creek&row=12');
  const [result, { modelInfo }] = [page.result(), page];
  const state = page.state();
  for (const patch of [
    { modelInfo: { ...modelInfo, name: 'translate' } },
    { modelInfo: undefined },
    { result: { ...result, tensors: new Map() } },
    { result: { ...result, derived: new Map() } },
  ]) {
    const context = { result, state, modelInfo, local: { typed: '' }, ...patch };
    assert.equal(logits.render(/** @type {any} */ (context), /** @type {any} */ ({})), undefined);
  }
});
