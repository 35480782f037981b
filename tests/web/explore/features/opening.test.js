// The first opening as a reader walks it: what the line says at each stage, measured in Node; what ends it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../../web/draw/numbers.js';
import { entryOf } from '../../../../web/models/catalogue.js';
import { shipped } from '../../in-node.js';
import { gf, open } from '../table.js';

const { html, render } = await import('lit-html'); // once there is a document
const { opening } = await import('../../../../web/explore/features/opening.js');
const { encoderTokens } = await import('../../../../web/explore/features/tokens.js');
const { modelGraph } = await import('../../../../web/explore/features/model-graph.js');
const { goesOn, opensFirst, openingOf } = await import('../../../../web/explore/shared/opening.js');

const [[, TIRED], [one, DEEP]] = entryOf('creek')?.pair ?? assert.fail();
const ROW = 9; // its “it”
const link = (/** @type {string} */ text) =>
  `model=creek&text=${encodeURIComponent(text)}&row=${ROW}&key=1&head=3.2&layout=workspace`;

/** The line, the words and the heads, as on the page. @type {any} */
const all = {
  ...modelGraph,
  needs: (/** @type {any} */ query) => [opening, modelGraph].flatMap(({ needs }) => needs?.(query) ?? []),
  render: (/** @type {any} */ context, /** @type {any} */ tools) =>
    html`${[opening, encoderTokens, modelGraph].map((each) =>
      each.render({ ...context, local: { ...each.local, ...context.local } }, tools),
    )}`,
};

/** The answers at “it”: words by probability. @param {string} text @param {object[]} ablate */
function answersOf(text, ...ablate) {
  const { model, ids, vocabulary, probabilities } = shipped(gf, 'creek');
  model.forward({ ids: ids(text.toLowerCase().replace('.', ' .')), ablate, capture: true });
  const row = probabilities().data.subarray(ROW * vocabulary.length, (ROW + 1) * vocabulary.length);
  const shareOf = (/** @type {string} */ word) => row[vocabulary.indexOf(word)];
  return { best: vocabulary[row.indexOf(Math.max(...row))], shareOf };
}

/** The share of a word at “it” with one FFN off. @param {string} text @param {number} layer @param {string} word */
function withoutFfn(text, layer, word) {
  const { model, ids, vocabulary, probabilities } = shipped(gf, 'creek');
  const patches = [{ name: `encoder.layers.${layer}.ffn.out`, index: [0, null, null], value: 0 }];
  model.forward({ ids: ids(text.toLowerCase().replace('.', ' .')), patches, capture: true });
  return probabilities().data[ROW * vocabulary.length + vocabulary.indexOf(word)];
}

const HEADS = [0, 1, 2].flatMap((layer) => [0, 1].map((head) => ({ layer, head })));

/** The heads without which the answer loses at least half of the most, as the page names them. @param {string} text */
function behind(text) {
  const { best, shareOf } = answersOf(text);
  const losses = HEADS.map((each) => shareOf(best) - answersOf(text, each).shareOf(best));
  return HEADS.filter((_, i) => losses[i] >= Math.max(...losses) / 2).map(
    ({ layer, head }) => `encoder ${layer} ${head}`,
  );
}

test('the story is true: tired is the dog, deep the creek, and one head decides both', () => {
  for (const [text, noun, other] of [
    [TIRED, 'dog', 'creek'],
    [DEEP, 'creek', 'dog'],
  ]) {
    const { best, shareOf } = answersOf(text);
    assert.equal(best, noun);
    assert(shareOf(noun) > 0.9 && shareOf(other) < 0.05, `${shareOf(noun)}, ${shareOf(other)}`);
    assert.deepEqual(behind(text), ['encoder 2 1']);
    assert(answersOf(text, { layer: 2, head: 1 }).shareOf(noun) < 0.5, 'the change can be seen');
  }
});

test('four taps: the word, the question, the head, the rest; each says what changed', async () => {
  const page = await open(all, link(DEEP));
  await page.change({ opening: 'flip' });
  const said = () => page.all('#opening [role=status]').join();
  assert.equal(said(), `A small Transformer reads this sentence. The arc shows where it looks. Tap ${one}.`);
  assert.deepEqual(page.all('#opening button'), ['Skip']);
  assert.equal(page.root.querySelector('.token.flip')?.getAttribute('tabindex'), '0', 'the tab key reaches it');

  await page.click('.token.flip');
  assert.deepEqual([page.state().text, page.state().opening, page.state().follow], [TIRED, 'ask', true]);
  await page.change({ follow: false });
  assert.equal(said(), 'Now it looks at dog, and the answer is dog.');
  assert.deepEqual(page.all('#opening button'), ['Which head did that?', 'Skip']);
  assert.deepEqual(page.all('.head.behind'), [], 'not before it is asked');

  await page.click('#opening .primary');
  assert.equal(page.state().opening, 'head');
  const marked = [...page.root.querySelectorAll('.head.behind')].map((each) => each.getAttribute('data-head'));
  assert.deepEqual(marked, behind(TIRED));
  const ffns = [0, 1, 2].map((layer) => formatShare(withoutFfn(TIRED, layer, 'dog')));
  assert.equal(
    said(),
    'Of 6 heads, each switched off in turn, the marked one matters most. Tap it to switch it off. ' +
      `With one FFN off in turn, dog has ${ffns.join(', ')}.`.replaceAll('\u00a0', ' '),
  );

  await page.click('.head.behind');
  const off = { layer: 2, head: 1 };
  assert.deepEqual(page.state().interventions, [{ what: 'head', kind: 'encoder', ...off, to: 0 }]);
  assert.equal(page.state().opening, 'off');
  const [before, after] = [answersOf(TIRED), answersOf(TIRED, off)].map(({ shareOf }) => formatShare(shareOf('dog')));
  assert.equal(
    said().replaceAll('\u00a0', ' '),
    `Without head 2 of layer 3, dog goes from ${before} to ${after}.`.replaceAll('\u00a0', ' '),
  );
  assert.deepEqual(page.all('#opening button'), ['What else decided it?'], 'all else is there');
  assert.deepEqual(page.all('.head.behind'), []);

  await page.click('#opening .primary');
  const { opening: stage, interventions, decision } = page.state();
  assert.deepEqual([stage, interventions, decision], ['steps', [], []]);
  assert(goesOn(page.state()));
  assert.deepEqual(page.all('#opening button'), []);
  assert.equal(said(), 'Each word is swapped, each link cut, each part switched off…');
});

test('the rest: links and FFNs that decide, by layers, and how much is left without each', async () => {
  const cut = (/** @type {number} */ layer, /** @type {number} */ probability, carries = true) => ({
    ...{ kind: 'encoder', layer, head: 1, row: ROW, key: 1, weight: 0.5, probability, carries },
  });
  const ffn = { stack: 'encoder', layer: 1, row: ROW, off: 0.125, turned: 0.75 };
  const page = await open(all, link(TIRED));
  const { vocabulary } = page.modelInfo;
  const found = { answer: vocabulary.indexOf('dog'), links: [cut(2, 0.25), cut(1, 0.5), cut(0, 0.75, false)] };
  for (const [ffns, links, said] of /** @type {[object[], object[], string][]} */ ([
    [[ffn], found.links, '2 links and 1 FFN decide: without each, dog has 50 %, 13 %, 25 %.'],
    [
      [ffn, { ...ffn, layer: 0, off: 0.0625 }],
      [cut(0, 0.5)],
      '1 link and 2 FFNs decide: without each, dog has 50 %, 6.3 %, 13 %.',
    ],
    [[], [cut(0, 0.5, false)], 'No link and no FFN decides dog by itself.'],
  ])) {
    const derived = new Map([[`@decision/${ROW}//[]`, { ...found, links, ffns, unfinished: false }]]);
    const given = {
      result: { derived },
      state: { ...page.state(), opening: 'steps', decision: [] },
      modelInfo: page.modelInfo,
    };
    const root = document.createElement('div');
    render(opening.render(/** @type {any} */ (given), /** @type {any} */ ({ set() {} })), root);
    assert.equal(root.textContent?.replaceAll(/\s+/g, ' ').trim(), said);
  }
});

test('any head can be tapped, and what is said is what came of that one', async () => {
  const page = await open(all, link(TIRED));
  await page.change({ opening: 'head' });
  await page.click('[data-head="encoder 0 1"]');
  const [before, after] = [answersOf(TIRED), answersOf(TIRED, { layer: 0, head: 1 })].map(({ shareOf }) =>
    formatShare(shareOf('dog')),
  );
  assert.equal(
    page.all('#opening p').join().replaceAll('\u00a0', ' '),
    `Without head 2 of layer 1, dog goes from ${before} to ${after}.`.replaceAll('\u00a0', ' '),
  );
});

test('Skip, and all else that a reader does, ends it', async () => {
  const page = await open(all, link(TIRED));
  await page.change({ opening: 'flip' });
  assert(goesOn(page.state()));
  const off = { what: 'head', kind: 'encoder', layer: 0, head: 0, to: 0 };
  for (const patch of /** @type {any[]} */ ([
    { text: 'the cat sat on the mat .' },
    { own: { row: true, key: false } },
    { graph: { ...page.state().graph, node: 'ffn' } },
    { layout: 'page' },
    { book: 1 },
    { trail: 'abc' },
    { interventions: [off] },
    { model: 'continue' },
  ]))
    assert(!goesOn({ ...page.state(), ...patch }), JSON.stringify(patch));
  const done = { ...page.state(), opening: /** @type {const} */ ('off') };
  assert(goesOn({ ...done, interventions: /** @type {any} */ ([off]) }));
  assert(!goesOn(done), 'it is on again');
  const steps = { ...done, opening: /** @type {const} */ ('steps') };
  assert(!goesOn(steps), 'closed again');
  assert(goesOn({ ...steps, decision: [] }));
  assert(!goesOn({ ...steps, decision: [], interventions: /** @type {any} */ ([off]) }));
  assert(!goesOn({ ...done, decision: [] }));
  await page.click('#opening .plain');
  assert.equal(page.state().opening, '');
  assert.equal(page.root.querySelector('#opening'), null);
  assert.equal(page.root.querySelector('.token.flip')?.getAttribute('tabindex'), '-1');
});

test('only an address that says nothing opens so', () => {
  for (const hash of ['', '#', '#/explore', '#/train']) assert(opensFirst(hash), hash);
  for (const hash of ['#model=creek', '#/explore?model=creek', '#/explore?embed=1', '#/explore?trail=x'])
    assert(!opensFirst(hash), hash);
  const { text, opening: stage } = openingOf(/** @type {any} */ ({ model: 'creek', text: 'a', opening: '' }));
  assert.deepEqual([text, stage], [DEEP, 'flip']);
});
