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
