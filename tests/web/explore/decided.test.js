// The search behind "What decided this?": every number is that of a pass in Node with the same patches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trainedState } from '../../../web/app/schema.js';
import { loadDerived } from '../../../web/engine/derived.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { makePlan } from '../../../web/engine/plan.js';
import { decision as decide } from '../../../web/explore/derived/decision.js';
import { readModel } from '../../../src/models/measure.mjs';
import { shipped } from '../in-node.js';
import { creekIn, cutOf } from './decided.js';
import { gf, open } from './table.js';

const { decision } = await import('../../../web/explore/features/decision.js');

const TIRED = 'The dog did not jump over the creek because it was tired.';
const TOKENS = 'the dog did not jump over the creek because it was tired .';
const ROW = 9;
const OPEN = `model=creek&head=3.2&row=9&text=${encodeURIComponent(TIRED)}&decision=${encodeURIComponent('[]')}`;

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
  do found = /** @type {any} */ (await decide(context, String(row), swap, '[]'));
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

test('of a large model the vectors of two words and the links that add most to the logit, and it says so', async () => {
  const config = { kind: 'decoder', vocabulary: 200_000, d_model: 64, heads: 4, layers: 4, d_ff: 64, head: 'tied' };
  const model = gf.createModel({ ...config, norm: 'pre', seed: 5 });
  const ids = Array.from({ length: 60 }, (_, i) => 7 + i * 11);
  model.forward({ ids, capture: true });
  const context = /** @type {any} */ ({ gf, model, name: null, config, ids, targetIds: null, interventions: [] });
  let found;
  do found = /** @type {any} */ (await decide(context, '59', '3.9', '[]'));
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
