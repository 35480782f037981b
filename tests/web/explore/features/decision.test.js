// "What decided this?" as a reader sees it: a word swapped, vectors put back, links cut. Every number is that of a pass
// in Node with the same patches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trainedState } from '../../../../web/app/schema.js';
import { formatShare } from '../../../../web/draw/numbers.js';
import { loadDerived } from '../../../../web/engine/derived.js';
import { createLiveModels } from '../../../../web/engine/live-models.js';
import { createModelCache } from '../../../../web/engine/model-cache.js';
import { makePlan } from '../../../../web/engine/plan.js';
import { decision as decide_ } from '../../../../web/explore/derived/decision.js';
import { readModel } from '../../../../src/models/measure.mjs';
import { shipped } from '../../in-node.js';
import { creekIn } from '../decided.js';
import { gf, open } from '../table.js';

const { decide } = await import('../../../../web/explore/features/answers.js');
const { decision, decisionWhy } = await import('../../../../web/explore/features/decision.js');

const TIRED = 'The dog did not jump over the creek because it was tired.';
const TOKENS = 'the dog did not jump over the creek because it was tired .';
const ROW = 9;
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

test('a table of states: what is asked for', async () => {
  for (const [link, needs] of /** @type {[string, RegExp][]} */ ([
    [OPEN, /^@decision\/9\/~11\.\d+\/\[\]$/],
    [`${OPEN}&swap=1.7`, /^@decision\/9\/1\.7\/\[\]$/],
    [`model=continue&decision=${encodeURIComponent('[]')}`, /^@decision\/\d+\/[~\d.]*\/\[\]$/],
    [`model=translate&decision=${encodeURIComponent('[]')}`, /^@decision\/\d+\/\/\[\]$/],
    ['model=untrained', /^$/],
  ]))
    assert.match((await open(decision, link)).needs().join(' '), needs, link);
});

/**
 * The result of a search in creek.
 * @param {string} text @param {number} row @param {string} [swap]
 */
async function searched(text, row, swap = '') {
  const { model, config, ids } = shipped(gf, 'creek');
  const context = /** @type {any} */ ({ gf, model, name: 'creek', config, ids: ids(text), interventions: [] });
  let found;
  do found = /** @type {any} */ (await decide_(context, String(row), swap, '[]'));
  while (found.unfinished);
  model.free();
  return found;
}

test('by default the word is swapped that turns the answer most, and not the answer’s own', async () => {
  const { model, vocabulary, ids } = shipped(gf, 'creek');
  const says = (/** @type {number[]} */ of, /** @type {number} */ row) => {
    model.forward({ ids: of, logits: false });
    return gf.softmax({ data: model.logitsAt(row).data, shape: [1, vocabulary.length] }).data;
  };
  const lead = (/** @type {Float32Array} */ p, /** @type {number} */ answer) =>
    p[answer] - Math.max(...p.filter((_, id) => id !== answer));
  for (const [text, row, word, answer, turned] of /** @type {[string, number, string, string, string][]} */ ([
    [TOKENS, 9, 'tired', 'dog', 'creek'],
    [TOKENS.replace('tired', 'hungry'), 9, 'hungry', 'dog', 'creek'],
    [TOKENS.replace('tired', 'deep'), 9, 'deep', 'creek', 'dog'],
    ['the dogs near the creek [MASK] hungry .', 5, 'dogs', 'were', 'was'],
  ])) {
    const own = ids(text);
    const { swap, swaps, swapped, ...found } = await searched(text, row);
    assert.deepEqual(
      [own[swap.row], found.answer, swapped.answer].map((id) => vocabulary[id]),
      [word, answer, turned],
      text,
    );
    const plain = says(own, row);
    /** @param {{row: number, id: number}} each */
    const fallOf = (each) => {
      const now = says(own.with(each.row, each.id), row);
      const isCopy = now[each.id] === Math.max(...now);
      return isCopy ? 0 : lead(plain, found.answer) - lead(now, found.answer);
    };
    for (const each of swaps) assert(fallOf(each) <= fallOf(swap), `${vocabulary[each.id]}: a larger fall`);
    assert(swaps.length > 2 && found.tried.swaps >= swaps.length);
  }
  // Nothing else turns it: the answer's own word, and that is said (below).
  const copied = await searched('the creek was cold and the spunky dog wanted to jump over it .', 12);
  assert.deepEqual([copied.swap.row, copied.swapped.answer], [1, copied.swap.id]);
  model.free();
});

test('trace.decided of the module finds the same swaps', async () => {
  const { model, ids } = shipped(gf, 'creek');
  for (const [text, row] of /** @type {[string, number][]} */ ([
    [TOKENS, 9],
    [TOKENS.replace('tired', 'deep'), 9],
    ['the dogs near the creek [MASK] hungry .', 5],
    ['the creek was cold and the spunky dog wanted to jump over it .', 12],
  ])) {
    const { swap, swapped } = await searched(text, row);
    const found = await model.trace({ ids: ids(text) }).decided(row);
    const { row: at, id, to, probability } = /** @type {NonNullable<typeof found.swap>} */ (found.swap);
    assert.deepEqual({ row: at, id, to }, { ...swap, to: swapped.answer }, text);
    assert(Math.abs(probability - swapped.left) < 1e-6, text);
  }
  model.free();
});

test('each link that costs a quarter stands on the path, whatever is swapped; a weak one carries nothing', async () => {
  const { vocabulary, ids } = shipped(gf, 'creek');
  const own = ids(TOKENS);
  const [deep, horse] = ['deep', 'horse'].map((word) => vocabulary.indexOf(word));
  for (const swap of ['', `~11.${deep}`, `11.${deep}`, `1.${horse}`]) {
    const { links, probability, path, answer } = await searched(TOKENS, 9, swap);
    assert.equal(vocabulary[answer], 'dog');
    for (const { carries, probability: left } of links) assert.equal(carries, probability - left >= probability / 4);
    const reason = links.find((/** @type {any} */ each) => each.layer === 1 && each.head === 1 && each.key === 11);
    assert(
      reason?.carries && Math.abs(reason.probability - 0.0253) < 1e-3,
      `${swap}: it ← tired, ${reason?.probability}`,
    );
    if (swap.includes(`.${deep}`))
      assert.deepEqual(
        path.map((/** @type {any} */ each) => vocabulary[own[each.row]]),
        ['tired', 'tired', 'it', 'it'],
      );
    const weak = links.filter((/** @type {any} */ each) => each.layer === 1 && each.head === 0);
    assert(
      weak.every((/** @type {any} */ each) => !each.carries && each.probability > 0.8),
      'a link of some points',
    );
  }
});

test('heads and FFNs in one list, off at every word and at “it” alone', async () => {
  const { parts, tried } = await searched(TOKENS, 9);
  const node = creekIn(gf);
  assert.deepEqual([parts.length, tried.parts, tried.allParts], [9, 9, 9]);
  const shares = Object.fromEntries(
    parts.map((/** @type {any} */ each) => [
      each.head === null ? `FFN ${each.layer + 1}` : `${each.layer + 1}.${each.head + 1}`,
      each,
    ]),
  );
  for (const [name, everywhere, here] of /** @type {[string, number, number][]} */ ([
    ['FFN 1', 0.004, 0.343],
    ['FFN 2', 0.1, 0.107],
    ['FFN 3', 0.563, 0.563],
    ['2.2', 0.828, 0.137],
    ['3.2', 0.245, 0.245],
  ])) {
    assert(Math.abs(shares[name].everywhere - everywhere) < 1e-3, `${name}: ${shares[name].everywhere}`);
    assert(Math.abs(shares[name].here - here) < 1e-3, `${name} at it: ${shares[name].here}`);
  }
  for (const { layer, head, everywhere, here } of parts) {
    const name = `encoder.layers.${layer}.${head === null ? 'ffn.out' : 'self_attn.head_outputs'}`;
    const index = (/** @type {number | null} */ row) => (head === null ? [0, row, null] : [0, head, row, null]);
    const [all, at] = [null, 9].map((row) => node.answers([{ name, index: index(row), value: 0 }])[node.dog]);
    assert.deepEqual([everywhere, here], [all, at], name);
  }
  const least = parts.map((/** @type {any} */ each) => Math.min(each.everywhere, each.here));
  assert.deepEqual(
    least,
    least.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b),
  );
});

/** The patches that cut a link. @param {any} link */
const cutOf = ({ kind, layer, head, row, key }) => [
  { name: `${kind}.layers.${layer}.self_attn.weights`, index: [0, head, row, key], value: 0 },
];

test('all vectors and links are passes of the module with that vector put back, that weight 0', async () => {
  const { weights, ...known } = readModel('creek');
  const live = createLiveModels(gf, { ...createModelCache(), weights: () => weights });
  const state = { ...trainedState('creek', known.config), text: TIRED };
  const { key, config, ids, targetIds, interventions, model, generate } = makePlan(state, known);
  const node = creekIn(gf);
  const name = `@decision/${ROW}/11.${node.other[11]}/[]`;
  await loadDerived([name]);
  const query = { config, ids, targetIds, interventions, model, generate };
  const asked = { names: [name, 'logits'], maskNames: {}, plans: 1, focus: { layer: 0, row: 0 } };
  const run = () => live.run({ type: 'run', id: 1, key, ...asked, ...query });
  let parts = 0;
  let answer = await run();
  const { logits } = answer.tensors;
  for (; answer.derived[name].unfinished; answer = await run()) parts++;
  assert(parts > 0);
  assert.deepEqual(answer.tensors.logits, logits, 'the model is left as it was');
  const found = answer.derived[name];
  const plain = node.answers();
  assert.deepEqual([found.answer, found.probability], [node.dog, plain[node.dog]]);
  const swapped = node.answers([], node.other);
  assert.deepEqual(found.swap, { row: 11, id: node.other[11] });
  assert.equal(found.swapped.answer, node.wet);
  assert(Math.abs(found.swapped.probability - swapped[node.wet]) < 1e-6);
  assert(Math.abs(found.swapped.left - swapped[node.dog]) < 1e-6);

  const [{ stack, vectors }] = found.stacks;
  assert.deepEqual([found.stacks.length, stack, vectors.length], [1, 'encoder', 3 * 13 + 1]);
  const back = (/** @type {number} */ after, /** @type {number} */ row) => {
    const [{ name: at, index }] = node.patch(after, row, 0); // the sentence's own vector
    const value = node.patch(after, row, 0)[0].value;
    return node.answers([{ name: at, index, value }], node.other)[node.dog];
  };
  vectors.slice(0, -1).forEach((vector, i) => {
    assert.deepEqual([vector.after, vector.row], [Math.floor(i / 13), i % 13]);
    assert(Math.abs(vector.probability - back(vector.after, vector.row)) < 1e-6, JSON.stringify(vector));
  });
  assert.deepEqual(vectors.at(-1), { after: 3, row: ROW, probability: found.probability });
  for (const point of found.path) {
    const same = vectors.filter(({ after }) => after === point.after).map(({ probability }) => probability);
    assert.equal(point.probability, Math.max(...same), 'the best of its state');
    assert(point.probability - found.swapped.left >= (found.probability - found.swapped.left) / 2);
  }

  const { tried, links } = found;
  assert.deepEqual([tried.vectors, tried.links], [tried.allVectors, tried.allLinks], 'of a small model all');
  /** @type {number[]} */
  const all = [];
  const maps = [0, 1, 2].map((layer) => {
    node.answers();
    return node.tensor(`encoder.layers.${layer}.self_attn.weights`);
  });
  maps.forEach(({ data }, layer) =>
    data.forEach((weight, i) => {
      const [head, row, each] = [Math.floor(i / 169), Math.floor(i / 13) % 13, i % 13];
      if (weight < 0.03 || (layer === 2 && row !== ROW)) return;
      all.push(node.answers(cutOf({ kind: 'encoder', layer, head, row, key: each }))[node.dog]);
    }),
  );
  assert.equal(tried.allLinks, all.length);
  const least = all.toSorted((a, b) => a - b).slice(0, 4);
  links.forEach((link, i) => {
    assert.equal(link.probability, node.answers(cutOf(link))[node.dog]);
    if (i < 4) assert.equal(link.probability, least[i]);
    assert.equal(link.weight, maps[link.layer].data[(link.head * 13 + link.row) * 13 + link.key]);
  });
  assert(links.some(({ carries }) => carries) && links.length >= 4);
  assert.deepEqual((await run()).derived[name], found, 'asked again, it is the same');
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

test('of a large model the vectors of two words and the links that add most to the logit, and it says so', async () => {
  const config = { kind: 'decoder', vocabulary: 200_000, d_model: 64, heads: 4, layers: 4, d_ff: 64, head: 'tied' };
  const model = gf.createModel({ ...config, norm: 'pre', seed: 5 });
  const ids = Array.from({ length: 60 }, (_, i) => 7 + i * 11);
  model.forward({ ids, capture: true });
  const context = /** @type {any} */ ({ gf, model, name: null, config, ids, targetIds: null, interventions: [] });
  let found;
  do found = /** @type {any} */ (await decide_(context, '59', '3.9', '[]'));
  while (found.unfinished);
  const { tried, stacks } = found;
  assert.equal(tried.vectors, 4 + 3, 'of the swapped word, and of the answer’s after layers 1 to 3');
  assert(tried.vectors < tried.allVectors && tried.links < tried.allLinks && tried.links >= 10, JSON.stringify(tried));
  const known = stacks[0].vectors.filter(({ row }) => row < 3);
  assert(
    known.every(({ probability }) => probability === found.swapped.left),
    'no swap reaches what stands before',
  );
  assert(stacks[0].vectors.some(({ probability }) => probability === null));
  model.free();
});
