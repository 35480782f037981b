// "What decided this?" as a reader sees it: a word swapped, vectors put back, links cut. Every number is that of a pass
// in Node with the same patches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../../web/draw/numbers.js';
import { creekIn, cutOf } from '../decided.js';
import { gf, given, open } from '../table.js';

const { decide } = await import('../../../../web/explore/features/answers.js');
const { decision, decisionWhy } = await import('../../../../web/explore/features/decision.js');

const TIRED = 'The dog did not jump over the creek because it was tired.';
const LINK = `model=creek&head=3.2&row=9&text=${encodeURIComponent(TIRED)}`;
const OPEN = `${LINK}&decision=${encodeURIComponent('[]')}`;

test('the button is there where the answer is a word, and opens and closes', async () => {
  const page = await open(decide, LINK);
  assert.deepEqual([page.text(), page.needs()], ['What decided this?', []]);
  const button = /** @type {HTMLElement} */ (page.root.querySelector('button'));
  const expanded = () => button.getAttribute('aria-expanded');
  const title = document.createElement('h2');
  Object.assign(title, { id: 'decision-title', tabIndex: -1 });
  document.body.append(title);
  assert.equal(expanded(), 'false');
  button.focus();
  await page.click('#decide');
  assert.deepEqual([page.state().decision, expanded()], [[], 'true']);
  assert.equal(document.activeElement, title, 'the focus goes on to what opens');
  button.focus();
  await page.click('#decide');
  assert.deepEqual([page.state().decision, expanded()], [null, 'false']);
  assert.equal(document.activeElement, button, 'and stays where it closes');
  title.focus();
  await page.click('#decide');
  assert.equal(document.activeElement, title);
  await page.click('#decide');
  for (const link of ['model=untrained', 'model=creek&text=zzz'])
    assert.equal((await open(decide, link)).text(), '', link);
  const written = await open(decide, 'model=translate');
  assert.equal(written.text(), 'What decided this?');
  await written.change({ selection: { kind: 'encoder', layer: 0, head: 0 } });
  assert.equal(written.text(), '', 'a source word has no answer');
});

test('the picture says it in numbers; a click leads to that state, a second one back', async () => {
  const page = await open(decision, OPEN);
  const node = creekIn(gf);
  const dots = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('.decision-dot')]);
  assert.equal(dots.length, 3 * 13 + 1);
  assert.equal(dots.filter(({ tabIndex }) => tabIndex === 0).length, 1);
  const place = '[data-at="1 11"]';
  const own = node.patch(1, 11, 0);
  const share = formatShare(node.answers(own, node.other)[node.dog]);
  assert.equal(page.root.querySelector(place)?.getAttribute('aria-label'), `tired, layer 1: ${share}`);
  await page.press(place, 'ArrowDown');
  assert.equal(/** @type {HTMLElement} */ (document.activeElement).dataset.at, '2 11');
  await page.click(place);
  const patch = { what: 'patch', kind: 'encoder', share: 1 };
  assert.deepEqual(page.state().interventions, [
    { ...patch, after: 0, row: 11, from: node.other },
    { ...patch, after: 1, row: 11, from: node.own },
  ]);
  assert.equal(page.root.querySelector(place)?.getAttribute('aria-pressed'), 'true');
  assert.deepEqual(page.needs(), (await open(decision, OPEN)).needs(), 'the search is not begun again');
  await page.click(place);
  assert.deepEqual(page.state().interventions, []);
});

test('the words say what the passes gave; another word can be swapped; a link opens its map', async () => {
  const page = await open(decisionWhy, OPEN);
  const node = creekIn(gf);
  const [turned, kept] = page.all('.decision-steps li');
  const other = node.answers([], node.other);
  const share = (/** @type {number} */ each) => formatShare(each).replace('\u00a0', ' ');
  assert.equal(turned, `With deep in place of tired, the answer turns to creek: ${share(other[node.wet])}.`);
  const [, after, said] =
    /^Put back one vector at a time: that of tired brings most of dog back up to layer (\d), (\S+ %)\.$/.exec(kept) ??
    assert.fail(kept);
  assert.equal(said, share(node.answers(node.patch(Number(after), 11, 0), node.other)[node.dog]));
  const saying =
    /^Layer (\d), head (\d) carries it over from (\S+) to (\S+): without this link, dog is left with (\S+ %)\.$/;
  const all = page.all('.decision-steps li').slice(2);
  assert.equal(all.length, 3, 'the reason, what the FFN makes of it, the noun');
  const links = [all[0], all[2]];
  const name = 'encoder.layers.1.ffn.out';
  const off = [{ name, index: [0, 9, null], value: 0 }];
  node.answers([], node.other);
  const { data, shape } = node.tensor(name);
  const value = data.slice(9 * shape[2], 10 * shape[2]);
  const given = node.answers([{ name, index: [0, 9, null], value }]);
  assert.equal(
    all[1],
    'Layer 2, FFN makes the difference at it: switched off there, dog is left with ' +
      `${share(node.answers(off)[node.dog])}; with what it writes there with deep, the answer is creek, ` +
      `${share(given[node.wet])}.`,
  );
  for (const [i, [source, goal]] of [
    ['tired', 'it'],
    ['dog', 'it'],
  ].entries()) {
    const [, layer, head, from, to, left] = saying.exec(links[i]) ?? assert.fail(links[i]);
    assert.deepEqual([from, to], [source, goal]);
    const link = { layer: Number(layer) - 1, head: Number(head) - 1, row: 9, key: node.words.indexOf(from) };
    assert.equal(left, share(node.answers(cutOf({ kind: 'encoder', ...link }))[node.dog]));
  }
  assert.equal(Number(saying.exec(links[0])?.[1]) - 1, Number(after), 'where the path goes over');
  assert.match(
    page.all('.hint')[0],
    /^All \d+ links of 3 % and more that can reach the answer were cut, one at a time\./,
  );
  assert.match(page.text(), /A link that costs a quarter or more is drawn on the path\./);
  const choices = page.all('.decision-swaps button');
  assert.equal(choices[0], 'deep');
  assert(choices.length === 6 && !choices.includes('dog'));
  const copy = choices.findIndex((word) => ['goat', 'horse', 'cat', 'fox', 'rabbit'].includes(word));
  await page.click(`.decision-swaps button:nth-of-type(${copy + 1})`);
  assert.equal(page.state().swap, `1.${node.vocabulary.indexOf(choices[copy])}`);
  assert.equal(
    page.all('.decision-steps li')[0].replace(/: \S+ %/, ''),
    `With ${choices[copy]} in place of dog, the answer turns to ${choices[copy]}. ` +
      'That is the word put in: this shows where dog is copied from, not what decides for it.',
  );
  const rows = page.all('.decision-parts li');
  assert.equal(rows.length, 1 + 9);
  assert.match(rows[0], /^every word it$/);
  const first = [null, 9].map((row) => [{ name: 'encoder.layers.0.ffn.out', index: [0, row, null], value: 0 }]);
  const shares = first.map((patches) => share(node.answers(patches)[node.dog]));
  assert.equal(rows[1].replaceAll('\u00a0', ' '), `layer 1, FFN ${shares.join(' ')}`);
  await page.click('.decision-links button');
  const { decision: shown, graph, selection } = page.state();
  assert.deepEqual([shown, graph.node], [null, 'attention']);
  assert.match(`layer ${selection.layer + 1}, head ${selection.head + 1}`, /^layer [123], head [12]$/);
});

test('translate: both stacks, and a source word replaced by the mean', async () => {
  const link = `model=translate&decision=${encodeURIComponent('[]')}`;
  const page = await open(decision, link);
  const grids = [...page.root.querySelectorAll('.decision-grid')].map((each) => each.getAttribute('aria-label'));
  assert.deepEqual(grids, ['Vectors put back, encoder', 'Vectors put back, decoder']);
  const why = await open(decisionWhy, link);
  assert.match(why.text(), /Replace by the mean of all words/);
  assert.match(why.all('.decision-steps li')[0], /^With the mean of all words in place of \S+, the answer/);
});

const IDS = (await open(decide, LINK)).modelInfo.vocabulary;
const id = (/** @type {string} */ word) => IDS.indexOf(word);
/** A search's result with numbers that are easy to check: of 75 % the swap leaves 25 %, so half of the loss is 25 %. */
const FOUND = {
  answer: id('dog'),
  probability: 0.75,
  swap: { row: 11, id: id('deep') },
  swapped: { answer: id('creek'), probability: 0.875, left: 0.25 },
  swaps: [
    { row: 11, id: id('deep') },
    { row: 1, id: id('fox') },
    { row: 11, id: id('cold') },
  ],
  stacks: [
    {
      stack: 'encoder',
      tokens: 13,
      vectors: [
        { after: 0, row: 2, probability: null },
        { after: 0, row: 11, probability: 0.75 },
        { after: 1, row: 2, probability: 0.2578125 },
        { after: 1, row: 11, probability: 0.625 },
        { after: 2, row: 2, probability: 0.1875 },
        { after: 2, row: 11, probability: 0.5 },
        { after: 3, row: 11, probability: 0.4375 },
        { after: 3, row: 9, probability: 0.75 },
      ],
    },
  ],
  path: [
    { stack: 'encoder', after: 0, row: 11, probability: 0.75 },
    { stack: 'encoder', after: 1, row: 11, probability: 0.625 },
    { stack: 'encoder', after: 2, row: 9, probability: 0.625 },
    { stack: 'encoder', after: 3, row: 9, probability: 0.75 },
  ],
  links: [
    { kind: 'encoder', layer: 1, head: 0, row: 9, key: 11, weight: 0.5, probability: 0.125, carries: true },
    { kind: 'encoder', layer: 0, head: 1, row: 4, key: 4, weight: 0.25, probability: 0.5, carries: true },
    { kind: 'encoder', layer: 2, head: 1, row: 9, key: 1, weight: 0.25, probability: 0.625, carries: false },
    { kind: 'encoder', layer: 2, head: 0, row: 9, key: 0, weight: 0.25, probability: 0.75, carries: false },
  ],
  ffns: [{ stack: 'encoder', layer: 1, row: 9, off: 0.0625, turned: 0.8125 }],
  parts: Array.from({ length: 10 }, (_, i) => ({
    ...{ kind: 'encoder', layer: i % 3, head: i % 2 ? i % 4 : null },
    ...{ everywhere: i / 16, here: i === 2 ? null : 0.5 },
  })),
  tried: { vectors: 40, allVectors: 40, links: 1234, allLinks: 1234, parts: 10, allParts: 10 },
};

/** Shows a feature with the result of a search. @param {any} feature @param {any} found @param {string} [link] */
const shown = (feature, found, link = OPEN) => open(given(feature, found), link);

test('the steps in words, of each kind of result', async () => {
  const { swapped, stacks, tried } = FOUND;
  const [only] = stacks;
  const own = only.vectors.filter(({ row }) => row === 11);
  const first = 'With deep in place of tired, the answer turns to creek: 88 %.';
  const second = 'Put back one vector at a time: that of tired brings most of dog back up to layer 2, 50 %.';
  const third = [
    'Layer 1, head 2 keeps it at jump: without this link, dog is left with 50 %.',
    'Layer 2, head 1 carries it over from tired to it: without this link, dog is left with 13 %.',
    'Layer 2, FFN makes the difference at it: switched off there, dog is left with 6.3 %; with what it writes there ' +
      'with deep, the answer is creek, 81 %.',
  ];
  const vectors = (/** @type {number[]} */ shares) => ({
    stacks: [{ ...only, vectors: shares.map((probability, after) => ({ after, row: 11, probability })) }],
  });
  for (const [change, expected] of /** @type {[object, string[]][]} */ ([
    [{}, [first, second, ...third]],
    [
      { swap: { row: 11, id: null } },
      [first, second, ...third].map((each) => each.replace('deep', 'the mean of all words')),
    ],
    [{ ffns: [] }, [first, second, ...third.slice(0, 2)]],
    [
      { swapped: { ...swapped, answer: FOUND.answer }, ffns: [] },
      ['With deep in place of tired, the answer stays dog: 75 % → 25 %.', second, ...third.slice(0, 2)],
    ],
    [
      { swapped: { ...swapped, answer: id('deep') } },
      [
        `${first.replace('creek', 'deep')} That is the word put in: this shows where dog is copied from, ` +
          'not what decides for it.',
        second,
        ...third.map((each) => each.replace('creek', 'deep')),
      ],
    ],
    [
      { tried: { ...tried, vectors: 7 } },
      [first, second.replace(':', ' (those of two words were tried: 7 of 40):'), ...third],
    ],
    [vectors([0.75, 0.75, 0.5, 0.5]), [first, second.replace('layer 2', 'layer 3'), ...third]],
    [
      vectors([0.75, 0.375, 0.75, 0.5]),
      [
        first,
        'Put back one vector at a time: from layer 1 on, that of tired alone brings less than half of dog back.',
        ...third,
      ],
    ],
    [{ stacks: [{ ...only, vectors: own.slice(0, 1) }] }, [first, ...third]],
    [{ probability: 0.25 }, [first, 'So there is nothing to bring back: try another word.']],
    [
      { links: FOUND.links.slice(2) },
      [first, second, 'No single link carries it over: none costs dog a quarter of its probability.', third[2]],
    ],
  ])) {
    const page = await shown(decisionWhy, { ...FOUND, ...change });
    assert.deepEqual(page.all('.decision-steps li'), expected, JSON.stringify(change));
  }
});

test('other words to swap, links to cut, parts to switch off: each leads to its place', async () => {
  const page = await shown(decisionWhy, FOUND);
  assert.equal(page.all('.decision-head')[0], 'What decided dog? Close');
  assert.equal(page.all('.decision-swaps')[0].replaceAll(' ', ''), 'Swaptiredfordeepcold' + 'Swapdogforfox');
  const pressed = [...page.root.querySelectorAll('.decision-swaps button')].map((each) => each.ariaPressed);
  assert.deepEqual(pressed, ['true', 'false', 'false']);
  assert.deepEqual(page.all('.decision-links:not(.decision-parts) li'), [
    'layer 2, head 1 it → tired 75 → 13 %',
    'layer 1, head 2 jump → jump 75 → 50 %',
    'layer 3, head 2 it → dog 75 → 63 %',
  ]);
  const widths = [...page.root.querySelectorAll('.decision-bar rect')].map((each) => each.getAttribute('width'));
  assert.deepEqual(
    widths.slice(0, 2),
    [0.125, 0.5].map((left) => String((100 * left) / 0.75)),
  );
  assert.equal(
    page.all('.hint')[0],
    'All 1,234 links of 3 % and more that can reach the answer were cut, one at a time. These 3 cost dog most. ' +
      'Select one to see it in its map. A link that costs a quarter or more is drawn on the path.',
  );
  assert.deepEqual(page.all('.decision-parts li'), [
    'every word it',
    'layer 1, FFN 0 % 50 %',
    'layer 2, head 2 6.3 % 50 %',
    'layer 3, FFN 13 %',
    'layer 1, head 4 19 % 50 %',
    'layer 2, FFN 25 % 50 %',
    'layer 3, head 2 31 % 50 %',
    'layer 1, FFN 38 % 50 %',
    'layer 2, head 4 44 % 50 %',
    'layer 3, FFN 50 % 50 %',
  ]);
  assert.match(
    page.all('.hint')[1],
    /^What is left of the 75 % of dog with a head or FFN off .* at it alone\. Off, its/,
  );

  await page.click('.decision-links li:nth-of-type(3) button');
  assert.deepEqual(page.set.pop(), {
    decision: null,
    graph: { ...page.state().graph, node: 'attention' },
    selection: { kind: 'encoder', layer: 2, head: 1 },
    cursor: { ...page.state().cursor, row: 9, key: 1 },
    own: { row: true, key: true },
  });
  const part = async (/** @type {number} */ at) => {
    await page.click(`.decision-parts li:nth-of-type(${at + 2}) button`);
    const { decision: still, graph, selection } = page.state();
    return [still, graph.node, selection.layer, selection.head];
  };
  assert.deepEqual(await part(1), [null, 'attention', 1, 1]);
  assert.deepEqual((await part(4)).slice(0, 3), [null, 'ffn', 1]);
  await page.click('.decision-swaps button:nth-of-type(3)');
  assert.deepEqual(page.set.pop(), { swap: `1.${id('fox')}`, interventions: [] });

  const { tried, links, swaps } = FOUND;
  for (const [change, at, says] of /** @type {[object, number, RegExp][]} */ ([
    [
      { tried: { ...tried, links: 50 } },
      0,
      /^Of 1,234 links of 3 % and more, the 50 that add most to dog by themselves, then the strongest, were cut,/,
    ],
    [{ links: links.slice(0, 1) }, 0, / at a time\. This one costs dog most\. Select one to see it in its map\. /],
    [{ links: links.slice(3) }, 0, / at a time\. The answer loses nothing without any of them\.$/],
    [{ tried: { ...tried, parts: 9 } }, 1, / at it alone\. The 9 of 10 that add most by themselves were tried\. Off,/],
  ])) {
    const other = await shown(decisionWhy, { ...FOUND, ...change });
    assert.match(other.all('.hint')[at], says);
  }
  const blanked = await shown(decisionWhy, { ...FOUND, swaps: [...swaps, { row: 6, id: null }] });
  assert.match(blanked.all('.decision-swaps')[0], /Replace by the mean of all words\s*the$/);
  await blanked.click('.decision-swaps button:last-of-type');
  assert.deepEqual(blanked.set.pop(), { swap: '6.', interventions: [] });
});

test('the picture: each vector with its share, its mark, the path and the links; a search goes on', async () => {
  const page = await shown(decision, FOUND);
  const dots = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('.decision-dot')]);
  const marks = dots.map((dot) => [dot.dataset.at, dot.className.slice('head decision-dot '.length), dot.textContent]);
  assert.deepEqual(marks, [
    ['0 2', 'untried', ''],
    ['0 11', 'on', '75'],
    ['1 2', '', ''],
    ['1 11', 'on', '63'],
    ['2 2', 'moved', '19'],
    ['2 11', 'moved', '50'],
    ['3 11', 'moved', '44'],
    ['3 9', 'on', '75'],
  ]);
  const [untried] = dots;
  assert.equal(untried.ariaLabel, 'did, the words: not tried');
  assert.equal(untried.style.gridRow + untried.style.gridColumn, '24');
  assert.deepEqual(
    dots.flatMap((dot) => (dot.tabIndex === 0 ? [dot.dataset.at] : [])),
    ['1 11'],
    'one tab stop',
  );
  assert.deepEqual(
    dots.flatMap((dot) => (dot.ariaDisabled === 'true' ? [dot.dataset.at] : [])),
    ['3 11', '3 9'],
    'the last state is the answer’s',
  );
  assert.deepEqual(page.all('.decision-state'), ['Words', 'Layer 1', 'Layer 2', 'Layer 3']);
  assert.deepEqual(page.all('.decision-word.is-key'), ['tired']);
  assert.deepEqual(page.all('.decision-word.is-query'), ['it']);
  assert.equal(page.all('.decision-answer')[0], 'dog 75 %');
  assert.equal(/** @type {HTMLElement} */ (page.root.querySelector('.decision-answer')).style.gridColumn, '1 / 12');
  assert.equal(
    page.all('.hint')[0],
    'Per cent: how far this one vector, put back alone, brings dog back. Select one to see that state.',
  );
  const paths = [...page.root.querySelectorAll('svg path')].map((each) => each.getAttribute('d'));
  assert.deepEqual(paths, [
    'M11.5 1.5C11.5 2.25 9.5 1.75 9.5 2.5',
    'M4.5 0.5C4.5 1.25 4.5 0.75 4.5 1.5',
    'M1.5 2.5C1.5 3.25 9.5 2.75 9.5 3.5',
    'M0.5 2.5C0.5 3.25 9.5 2.75 9.5 3.5',
    'M11.5 0.5V1.5',
    'M9.5 2.5V3.5',
  ]);
  const wide = [...page.root.querySelectorAll('svg path')].map((each) => Number(each.getAttribute('stroke-width')));
  assert.deepEqual(
    wide.map((each) => each.toFixed(6)),
    [7, 7, 1 + 5 / 6, 1, 7, 7].map((each) => each.toFixed(6)),
    'by the share that the link costs',
  );
  assert.deepEqual(page.all('.decision-lines span'), ['layer 2, head 1', 'layer 1, head 2']);
  const spans = [...page.root.querySelectorAll('.decision-lines span')].map((each) => each.getAttribute('style'));
  assert.deepEqual(
    spans.map((each) => each?.match(/[\d.]+/g)?.map(Number)),
    [
      [(100 * 10.5) / 13, 50],
      [(100 * 4.5) / 13, 25],
    ],
  );
  for (const [keys, from, to] of [
    ['ArrowLeft', '1 11', '1 11'],
    ['ArrowUp', '1 11', '0 11'],
    ['ArrowDown', '1 11', '2 11'],
    ['Control+ArrowDown', '1 11', '1 11'],
    ['Enter', '1 11', '1 11'],
  ]) {
    /** @type {HTMLElement} */ (page.root.querySelector(`[data-at="${from}"]`)).focus();
    await page.press(`[data-at="${from}"]`, keys);
    assert.equal(/** @type {HTMLElement} */ (document.activeElement).dataset.at, to, keys);
  }
  const patch = { what: 'patch', kind: 'encoder', share: 1 };
  const own = page.session.plan().ids;
  const swapped = { ...patch, after: 0, row: 11, from: own.with(11, id('deep')) };
  await page.click('[data-at="1 2"]');
  assert.deepEqual(page.state().interventions, [swapped, { ...patch, after: 1, row: 2, from: own }]);
  assert.equal(page.root.querySelector('[data-at="1 2"]')?.ariaPressed, 'true');
  assert.equal(page.root.querySelector('[data-at="2 2"]')?.ariaPressed, 'false');
  await page.click('[data-at="0 11"]');
  assert.deepEqual(page.state().interventions, [], 'the sentence itself');
  assert.equal(page.root.querySelector('[data-at="0 11"]')?.ariaPressed, 'false');
  const ffn = /** @type {HTMLElement} */ (page.root.querySelector('.decision-ffn'));
  assert.equal(
    ffn.ariaLabel?.replace('\u00a0', ' '),
    'FFN of layer 2 at it, with its output of the other sentence: creek 81 %',
  );
  assert.equal(ffn.style.gridRow + ffn.style.gridColumn, '411', 'beside the state after its layer');
  const given = { what: 'ffnAt', kind: 'encoder', layer: 1, row: 9, to: own.with(11, id('deep')) };
  await page.click('[data-at="1 2"]');
  await page.click('.decision-ffn');
  assert.deepEqual(page.state().interventions, [given], 'one click at a time');
  assert.equal(page.root.querySelector('.decision-ffn')?.ariaPressed, 'true');
  await page.click('.decision-ffn');
  assert.deepEqual(page.state().interventions, []);
  const before = page.set.length;
  await page.click('[data-at="3 9"]');
  assert.equal(page.set.length, before, 'the answer itself');

  for (const [found, text, max] of /** @type {[object, string, string][]} */ ([
    [{ unfinished: true, done: 3, total: 12 }, '3 of 12 passes Cancel', '12'],
    [{ unfinished: true, done: 0, total: 0 }, 'Starting Cancel', '1'],
  ])) {
    const going = await shown(decision, found);
    assert.equal(going.all('#decision')[0], text);
    assert.equal(going.root.querySelector('progress')?.getAttribute('max'), max);
    assert.equal((await shown(decisionWhy, found)).text(), '');
    await going.click('.decision-close');
    assert.equal(going.state().decision, null);
  }
  const none = await shown(decision, null);
  assert.equal(none.text(), 'There is no answer here. Close');
  assert.equal((await shown(decisionWhy, null, 'model=untrained')).text(), '');
});
