// The answer: the likeliest words with their probabilities, as the module has them, before and after a change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../../web/draw/numbers.js';
import { open } from '../table.js';

const { answers } = await import('../../../../web/explore/features/answers.js');

const { lostWords } = await import('../../../../web/explore/features/answers.js');
const { readWords } = await import('../../../../web/engine/tokens.js');

const IT = '&text=the+dog+did+not+jump+over+the+creek+because+it+was+tired+.&row=9';

/**
 * The likeliest words of a row and their probabilities.
 * @param {Awaited<ReturnType<typeof open>>} page
 * @param {number} row
 */
function likeliest({ result, modelInfo }, row) {
  const { data } = result().derived.get('@probabilities');
  const words = modelInfo.outputVocabulary;
  return Array.from(data.subarray(row * words.length, (row + 1) * words.length), (share, id) => ({ id, share }))
    .sort((a, b) => b.share - a.share)
    .slice(0, 3)
    .map(({ id, share }) => `${words[id]} ${formatShare(share)}`.replace('\u00a0', ' '));
}

test('the three likeliest words of a row, as the module has them', async () => {
  for (const [link, row] of /** @type {const} */ ([
    ['model=creek&row=9&key=7', 9],
    ['model=continue&row=3', 3],
    ['model=translate&attention=cross&row=1', 1],
  ])) {
    const page = await open(answers, link);
    assert(page.needs().includes('@probabilities'), link);
    assert.deepEqual(page.all('.answers-list li').slice(0, 3), likeliest(page, row), link);
    assert(page.all('.answers-title')[0].endsWith(page.result().plan.tokens.decoder?.words[row] ?? 'to'), link);
    assert.equal(page.root.querySelectorAll('.answers-list li svg').length, page.all('.answers-list li').length);
  }
  assert.equal((await open(answers, 'model=untrained')).text(), '', 'no answer without training');
});

test('a changed model: the probability before beside the one now, of each word', async () => {
  const words = (/** @type {Awaited<ReturnType<typeof open>>} */ page) =>
    new Map(page.all('.answers-list li').map((line) => [line.split(' ')[0], line.split(' ').slice(1).join(' ')]));
  const built = words(await open(answers, `model=creek${IT}`));
  const off = [{ what: 'head', kind: 'encoder', layer: 0, head: 0, to: 0 }];
  const page = await open(answers, `model=creek${IT}&changes=${encodeURIComponent(JSON.stringify(off))}`);
  assert(page.needs().some((name) => name.startsWith('@before')));
  const now = words(page);
  const both = [...now.keys()].filter((word) => built.has(word));
  assert(both.length >= 2);
  for (const word of both) assert(now.get(word)?.startsWith(`${built.get(word)?.replace(' %', '')} → `), now.get(word));
  assert.equal(page.all('.answers-list.changed').length, 1);
});

test('a word of a story is put behind it, and ends what is being written', async () => {
  const story = await open(answers, 'model=continue');
  const at = story.result().plan.tokens.decoder?.words.length ?? 0;
  const last = await open(answers, `model=continue&row=${at - 1}`);
  await last.click('.answers-list li button');
  assert.equal('stop' in last.set[0], true);
  assert.equal(last.state().written.length, 1);
});

test('words that the model does not know: no answer but why, sentences to try, Austen', async () => {
  const page = await open(answers, 'model=creek&text=quantum+chromodynamics+baffles+everyone');
  assert.match(page.all('.answers-none')[0], /^The model knows none of these words\. Read it with Austen/);
  await page.click('.answers-none button');
  assert.deepEqual(page.set, [{ choose: 'austen' }]);
  const [first] = page.all('[aria-label="Sentences to try"] button');
  await page.click('[aria-label="Sentences to try"] button');
  assert.equal(page.state().text, first);
  assert(page.all('.answers-list li').length > 0);
});

test('content words are lost, or all words; function words and a half typed last word are not', async () => {
  const LOST = 'My sister bought a bike because it was cheap';
  const { vocabulary } = (await open(answers, 'model=creek')).modelInfo;
  /** @param {string} text */
  const lostOf = (text) =>
    lostWords(
      /** @type {any} */ ({ model: 'creek', tokens: { encoder: readWords(text, vocabulary), decoder: null } }),
      vocabulary,
    );
  assert.deepEqual(lostOf(LOST), { unknown: 6, words: 9 });
  assert.equal(lostOf('The dog was tired!'), null);
  assert.equal(lostOf('My dog was tired.'), null);
  assert.equal(lostOf('The dog was tir'), null, 'it may become “tired”');
  assert.deepEqual(lostOf('The dog was tirx'), { unknown: 1, words: 4 });
  assert.deepEqual(lostOf('The dog was tir.'), { unknown: 1, words: 4 });
  assert.deepEqual(lostOf('My'), { unknown: 1, words: 1 });
  assert.equal(lostOf(''), null);

  const page = await open(answers, `model=creek&text=${LOST.replaceAll(' ', '+')}`);
  assert.match(page.all('.answers-none')[0], /^The model does not know 6 of 9 words, so it gives no answer\. Read it/);
  assert.equal(page.all('[aria-label="Sentences to try"] button').length, 3);
  assert.deepEqual(page.all('.answers-list'), []);
  const translation = await open(answers, 'model=translate&attention=encoder');
  assert.equal(translation.text(), '', 'a source word has no answer');
});

/** A line of the panel, with what a reader can do there. @typedef {Awaited<ReturnType<typeof open>>} Page */
const DOG = 'The dog did not jump over the creek because it was tired.';

test('the link that says most: in words, to be shown, and left out where the map says it', async () => {
  const link = `model=creek&text=${DOG.replaceAll(' ', '+')}&row=9`;
  const weights = [0, 1, 2].map((layer) => `encoder.layers.${layer}.self_attn.weights`);
  const needs = (/** @type {any} */ query) => [...(answers.needs?.(query) ?? []), ...weights]; // as the model graph
  const page = await open({ ...answers, needs }, `${link}&head=1.1`);
  const said = /^(Strongest link|A link) from it to (\w+): layer (\d), head (\d) \((\d+) %\) Show$/;
  const [, kind, word, layer, head, share] = said.exec(page.all('.answers-attention')[0]) ?? assert.fail(page.text());
  const words = page.result().plan.tokens.encoder?.words ?? [];
  const key = words.indexOf(word);
  const shares = Array.from({ length: 3 }, (_, at) => {
    const { data } = /** @type {any} */ (
      page.result().tensors.get(`encoder.layers.${at}.self_attn.weights`) ?? { data: [] }
    );
    return [0, 1].map((one) => data[(one * words.length + 9) * words.length + key] ?? 0);
  });
  const weight = shares[Number(layer) - 1][Number(head) - 1];
  assert.equal(Math.round(100 * weight), Number(share));
  assert.equal(
    kind === 'Strongest link',
    shares.flat().every((each) => each <= weight),
  );
  await page.click('.answers-attention button');
  const { selection, cursor, decision } = page.state();
  assert.deepEqual(
    [selection.layer, selection.head, cursor.row, cursor.key, decision],
    [Number(layer) - 1, Number(head) - 1, 9, key, null],
  );
  assert.equal(page.all('.answers-attention').length, Number(weight < 0.5), 'the map has it in words');
  await page.change({ quantity: 'scores' });
  assert.equal(page.all('.answers-attention').length, 1);
  assert.doesNotMatch(page.text(), /Show/, 'it is shown');
  await page.change({ selection: { ...selection, mean: true } });
  assert.match(page.text(), /Show/);
});

test('bars to scale with a mark of before; without words, how far the output moved', async () => {
  const off = encodeURIComponent(JSON.stringify([{ what: 'head', kind: 'encoder', layer: 0, head: 0, to: 0 }]));
  const page = await open(answers, `model=creek${IT}&changes=${off}`);
  const shares = [
    ...page
      .result()
      .derived.get('@probabilities')
      .data.subarray(9 * 147, 10 * 147),
  ];
  const { vocabulary } = page.modelInfo;
  assert.equal(vocabulary.length, 147);
  for (const line of page.root.querySelectorAll('.answers-list li')) {
    const word = line.querySelector('bdi')?.textContent ?? '';
    const scale = /scale\((\S+) 1\)/.exec(line.querySelector('.answers-now')?.getAttribute('transform') ?? '')?.[1];
    assert(Math.abs(Number(scale) - shares[vocabulary.indexOf(word)]) < 1e-9, word);
    const mark = Number(line.querySelector('rect:not(.answers-now)')?.getAttribute('x'));
    const before = Number(/([\d.]+) → /.exec(line.querySelector('.number')?.textContent ?? '')?.[1]);
    assert(Math.abs(mark - Math.max(0, before - 1)) <= 0.5, `${word}: ${mark} of ${before} %`);
  }
  const plain = await open(answers, `model=creek${IT}`);
  assert.equal(plain.root.querySelectorAll('.answers-list.changed, rect:not(.answers-now)').length, 0);
  const moved = await open(answers, `model=untrained&row=2&changes=${off}`);
  assert.match(moved.text(), /^Output vector at was moved by [\d.]+; its length was [\d.]+$/);
  const [distance, length] = moved.all('.answers-moved .number').map(Number);
  const scale = /scale\((\S+) 1\)/.exec(moved.root.querySelector('.answers-now')?.getAttribute('transform') ?? '')?.[1];
  assert(Math.abs(Number(scale) - Math.min(1, distance / length)) < 1e-3, scale);
  const other = await open(answers, `model=untrained&kind=encoder-decoder&attention=encoder&row=2&changes=${off}`);
  assert.equal(other.text(), '', 'the output is the decoder’s');
});

test('a story goes on at its last word alone', async () => {
  const story = await open(answers, 'model=continue&row=1');
  assert.equal(story.root.querySelectorAll('.answers-list button').length, 0);
  const last = story.result().plan.tokens.decoder?.words.length ?? 0;
  await story.change({ cursor: { ...story.state().cursor, row: last - 1 } });
  const ids = story.root.querySelectorAll('.answers-list button').length;
  assert.equal(ids, story.root.querySelectorAll('.answers-list li').length);
  const { data } = story.result().derived.get('@probabilities');
  const words = story.modelInfo.outputVocabulary;
  const row = [...data.subarray((last - 1) * words.length, last * words.length)];
  await story.click('.answers-list button');
  assert.deepEqual(story.set.slice(-2), [
    { stop: true },
    { written: [row.indexOf(Math.max(...row))], follow: true, own: { row: false, key: false } },
  ]);
});

test('in a translation each part can be changed at one word: words that are not yet written wait for it', async () => {
  const own = { kind: 'cross', layer: 0, head: 0 };
  for (const change of [
    { what: 'headAt', ...own, row: 4, to: 0 },
    { what: 'ffnAt', kind: 'decoder', layer: 0, row: 4, to: 0 },
    { what: 'cell', ...own, row: 4, key: 1, to: 0 },
    { what: 'cell', kind: 'decoder', layer: 0, head: 0, row: 4, key: 4, to: 0 },
    { what: 'patch', kind: 'decoder', after: 1, row: 4, from: 'mean', share: 1 },
    { what: 'swap', kind: 'decoder', row: 0, to: 4 },
  ]) {
    const page = await open(answers, `model=translate&changes=${encodeURIComponent(JSON.stringify([change]))}`);
    assert.deepEqual(page.state().interventions, [change]);
    const found = [...page.session.result().derived].find(([name]) => name.startsWith('@before'));
    const { rewritten, written } = found?.[1] ?? assert.fail();
    assert.deepEqual(
      rewritten.slice(0, 4),
      written.slice(0, 4),
      `${JSON.stringify(change)}: before it nothing changes`,
    );
  }
});
