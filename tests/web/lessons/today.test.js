// The chapter “2017 → today” without a browser: its numbers beside the module's own passes, and what each switch does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gf } from '../explore/table.js';
import { loadDerived } from '../../../web/engine/derived.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { attentionKinds, attentionName, makePlan } from '../../../web/engine/plan.js';
import { createResults } from '../../../web/engine/results.js';
import { factsFor, stateOf } from '../../../web/explore/shared/facts.js';
import { lessons } from '../../../web/lessons/index.js';
import { progressHere } from '../../../web/lessons/progress.js';

const { createLessons } = await import('../../../web/lessons/runner.js');

const pages = /** @type {any[]} */ (lessons.filter(({ kind }) => kind === 'today'));

/** The switch that a page asks for, and one that is another. @type {Record<string, [object, object]>} */
const SWITCHES = {
  'pre-norm': [{ norm: 'pre' }, { normKind: 'rms' }],
  'rms-norm': [{ normKind: 'rms' }, { norm: 'post' }],
  rotary: [{ positions: 'rotary' }, { positions: 'none' }],
  gated: [{ ffn: 'gated' }, { activation: 'silu' }],
  'grouped-heads': [{ keyValueHeads: 2 }, { keyValueHeads: 4 }],
  stayed: [{ residual: false }, { scoreScale: false }],
};

/**
 * The facts of a state for a page, as the worker computes them, and the module's own model after the same pass.
 * @param {any} page @param {object} [switched] settings
 */
async function at(page, switched = {}) {
  const start = stateOf(page, undefined);
  const state = { ...start, settings: { ...start.settings, ...switched } };
  const plan = makePlan(state, null);
  const names = page.needs({ plan, state });
  await loadDerived(names);
  const live = createLiveModels(
    gf,
    /** @type {any} */ ({ weights: () => undefined, given: () => undefined, info: () => undefined }),
  );
  const kinds = attentionKinds(plan.settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]);
  const request = { names, maskNames: Object.fromEntries(kinds), plans: 1, focus: { layer: 0, row: 0 } };
  const results = createResults();
  results.add(plan, await live.run(/** @type {any} */ ({ type: 'run', id: 1, ...request, ...plan })), undefined);
  const facts = factsFor(page, { result: /** @type {any} */ (results.of(plan)), state, modelInfo: undefined });
  const model = gf.createModel(/** @type {any} */ (plan.config));
  model.forward({ ids: facts.ids, capture: true });
  /** The last axis of a tensor at an index. @param {string} name @param {number[]} index */
  const row = (name, ...index) => {
    const { data, shape } = model.tensor(name.startsWith('decoder') ? name : `decoder.layers.0.${name}`);
    const width = Number(shape.at(-1));
    const from = index.reduce((sum, i, axis) => sum * shape[axis] + i, 0);
    return [...data.subarray(from * width, (from + 1) * width)];
  };
  return { facts, row };
}

/** @param {any} numbers @param {any} facts */
const read = (numbers, facts) =>
  Object.fromEntries(Object.entries(numbers).map(([name, of]) => [name, /** @type {any} */ (of)(facts)]));

const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
const length = (/** @type {number[]} */ values) => Math.sqrt(sum(values.map((x) => x * x)));
const apart = (/** @type {number[]} */ a, /** @type {number[]} */ b) => length(a.map((x, i) => x - b[i]));

/**
 * Checks the numbers at a page's start and once its switch is set, by the module.
 * @type {Record<string, any>}
 */
const WANTED = {
  'pre-norm': (/** @type {any} */ row, /** @type {boolean} */ isSwitched) => {
    const [first, last] = [row('decoder.input', 0, 7), row('decoder.layers.1.out', 0, 7)].map(length);
    // The norm of 2017 is the last step of a layer; in front of the sublayers it leaves the sum as long as it is.
    assert.equal(Math.abs(last - Math.sqrt(32)) < 1e-3, !isSwitched, String(last));
    if (isSwitched) assert.ok(last > first);
    return [
      { word: 'dog', first, layers: 2, last, width: 32 },
      { word: 'dog', layers: 2, last, first },
    ];
  },
  'rms-norm': (/** @type {any} */ row) => {
    const [before, after] = [row('decoder.input', 0, 7), row('norm1.out', 0, 7)];
    const root = Math.sqrt(sum(before.map((/** @type {number} */ x) => x * x)) / 32);
    const rms = before.map((/** @type {number} */ x) => x / root);
    return [
      { word: 'dog', before: sum(before) / 32, square: root, after: 0, length: Math.sqrt(32), width: 32 },
      { word: 'dog', after: sum(rms) / 32, length: length(after) },
    ];
  },
  rotary: (/** @type {any} */ row) => {
    const scores = { first: row('self_attn.scores', 0, 0, 1)[0], second: row('self_attn.scores', 0, 0, 4)[3] };
    const { cos } = gf.rotaryTable({ headWidth: 8, length: 2 });
    const [fast, slow] = Array.from(cos.data.subarray(4, 6), (x) => 4 * Math.acos(x)); // at position 1, times 4
    return [scores, { ...scores, position: 4, fast, slow }];
  },
  gated: (/** @type {any} */ row, /** @type {boolean} */ isSwitched) => {
    const open = row('ffn.activation', 0, 7);
    if (!isSwitched) {
      const active = open.filter((/** @type {number} */ x) => x > 0).length;
      return [{ word: 'dog', active, hidden: 64, count: 2 * 32 * 64 }, null];
    }
    const [gate, up] = [row('ffn.pre_activation', 0, 7), row('ffn.up', 0, 7)];
    const products = open.map((/** @type {number} */ x, /** @type {number} */ i) => x * up[i]);
    const sizes = products.map(Math.abs);
    const n = sizes.indexOf(Math.max(...sizes));
    const at = { gate: gate[n], open: Math.max(0, gate[n]), up: up[n], product: products[n] };
    return [null, { word: 'dog', neuron: n, ...at, count: 3 * 32 * 64 }];
  },
  'grouped-heads': (/** @type {any} */ row, /** @type {boolean} */ isSwitched) => {
    const [one, two] = [0, 1].map((head) => row('self_attn.key', 0, isSwitched ? Math.floor(head / 2) : head, 7));
    const distance = apart(one, two);
    assert.equal(distance === 0, isSwitched);
    return [
      { heads: 4, word: 'dog', apart: distance, kept: 2 * 32 },
      { groups: 2, heads: 4, apart: distance, kept: 2 * 16 },
    ];
  },
  stayed: (/** @type {any} */ row) => {
    const weights = row('self_attn.weights', 0, 0, 7);
    const last = length(row('decoder.layers.1.out', 0, 7));
    return [
      { word: 'dog', sum: sum(weights), later: 0, first: length(row('decoder.input', 0, 7)), layers: 2, last },
      { word: 'dog', layers: 2, last },
    ];
  },
};

/** @param {any} got @param {any} wanted @param {string} name */
function near(got, wanted, name) {
  assert.deepEqual(Object.keys(got).sort(), Object.keys(wanted).sort(), name);
  for (const [key, value] of Object.entries(got)) {
    if (typeof value === 'string') assert.equal(value, wanted[key], `${name} ${key}`);
    else assert.ok(Math.abs(value - wanted[key]) < 1e-4, `${name} ${key}: ${value} for ${wanted[key]}`);
  }
}

test('six pages, each a switch: its numbers are the module’s on both sides, its judge sees it alone', async () => {
  assert.deepEqual(
    pages.map(({ id }) => id),
    Object.keys(SWITCHES),
  );
  for (const page of pages) {
    const [switched, other] = SWITCHES[page.id];
    const before = await at(page);
    assert.deepEqual([page.judge(before.facts), page.holds(before.facts)], [false, true], page.id);
    near(read(page.numbers, before.facts), WANTED[page.id](before.row, false)[0], page.id);
    const after = await at(page, switched);
    assert.deepEqual([page.judge(after.facts), page.holds(after.facts)], [true, false], page.id);
    near(read(page.seen.numbers, after.facts), WANTED[page.id](after.row, true)[1], page.id);
    assert.equal(page.judge((await at(page, other)).facts), false, `${page.id}: another switch`);
  }
});

test('turned, two pairs at one distance have one score to rounding; with added positions they have two', async () => {
  const page = pages.find(({ id }) => id === 'rotary');
  const [added, turned] = [await at(page), await at(page, { positions: 'rotary' })].map(({ facts }) =>
    read(page.numbers, facts),
  );
  assert.ok(Math.abs(added.first - added.second) > 0.1);
  assert.ok(Math.abs(turned.first - turned.second) < 1e-5);
});

test('the panel says it all, and keeps the sentences of before when the switch is set', async () => {
  progressHere().records.clear();
  const parent = document.createElement('div');
  document.body.replaceChildren(parent);
  const book = createLessons(parent, {
    ...{ id: 'book', place: 'explore', mark: 'book', rest: 800, leave() {}, redraw() {}, whenShown: async () => {} },
    read: (facts) => ({ facts, key: JSON.stringify(facts.state) }),
    begin: (_, __, begun) => begun(),
  });
  const text = (/** @type {string} */ part) =>
    (parent.querySelector(part)?.textContent ?? '').replace(/\s+/g, ' ').trim();
  for (const [i, page] of pages.entries()) {
    book.begin(page, true);
    book.draw((await at(page)).facts);
    const said = text('.book-text');
    assert.doesNotMatch(said, /…|NaN|undefined|[{}]|−0\.00/, page.id);
    assert.match(text('.book-task'), /^▢ /, page.id);
    assert.match(text('.book-count'), new RegExp(`^2017 → today: page ${i + 1} of ${pages.length}`));
    assert.ok(parent.querySelector('.book-story'), 'the projector shows it');
    book.draw((await at(page, SWITCHES[page.id][0])).facts);
    assert.equal(text('.book-text'), said, page.id);
    assert.match(text('.book-task'), /^✓/, page.id);
    assert.doesNotMatch(text('.book-seen'), /^$|…|NaN|undefined|[{}]/, page.id);
    assert.match(text('.book-contents'), /2017 → today/);
  }
});
