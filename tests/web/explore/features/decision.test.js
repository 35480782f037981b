// "What decided this?" as a reader sees it: a word swapped, vectors put back, links cut. Every number is that of a pass
// in Node with the same patches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../../web/draw/numbers.js';
import { creekIn, cutOf } from '../decided.js';
import { gf, open } from '../table.js';

const { decide } = await import('../../../../web/explore/features/answers.js');
const { decision, decisionWhy } = await import('../../../../web/explore/features/decision.js');

const TIRED = 'The dog did not jump over the creek because it was tired.';
const LINK = `model=creek&head=3.2&row=9&text=${encodeURIComponent(TIRED)}`;
const OPEN = `${LINK}&decision=${encodeURIComponent('[]')}`;

test('the button is there where the answer is a word, and opens and closes', async () => {
  const page = await open(decide, LINK);
  assert.deepEqual([page.text(), page.needs()], ['What decided this?', []]);
  await page.click('#decide');
  assert.deepEqual(page.state().decision, []);
  assert.equal(page.root.querySelector('button')?.getAttribute('aria-expanded'), 'true');
  await page.click('#decide');
  assert.equal(page.state().decision, null);
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
  const links = page.all('.decision-steps li').slice(2);
  assert(links.length >= 2, 'the reason and the noun');
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
  const off = [null, 9].map((row) => [{ name: 'encoder.layers.0.ffn.out', index: [0, row, null], value: 0 }]);
  const shares = off.map((patches) => share(node.answers(patches)[node.dog]));
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
