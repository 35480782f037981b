// The lessons without a browser: the list, the judges on results that the engine computes here, what the panel says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectors } from 'glassformer/features';
import { creek as creekTask, placeLabels } from 'glassformer/tasks';
import { gf } from '../explore/table.js';
import { openingState, readLink } from '../../../web/app/schema.js';
import { loadDerived } from '../../../web/engine/derived.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { PROBABILITIES, attentionKinds, attentionName, hasTensor, makePlan } from '../../../web/engine/plan.js';
import { createResults } from '../../../web/engine/results.js';
import { formatShare } from '../../../web/draw/numbers.js';
import { factsFor, stateOf } from '../../../web/explore/shared/facts.js';
import { KINDS, lessonAt, lessons, modelOf } from '../../../web/lessons/index.js';
import { puzzles } from '../../../web/lessons/puzzles.js';
import { readModel } from '../../../src/models/measure.mjs';
import { creekFeatures, file, shipped } from '../in-node.js';

const { createLessons } = await import('../../../web/lessons/runner.js');

test('pages are data: each link is read to the end, each number stands in a sentence, ids are unique', () => {
  const pages = /** @type {any[]} */ (lessons.filter(({ kind }) => kind === 'start' || kind === 'page'));
  assert.equal(new Set(pages.map(({ id }) => id)).size, pages.length);
  for (const page of pages) {
    const name = modelOf(page);
    const info = /** @type {any} */ (readModel(/** @type {any} */ (name)));
    const state = stateOf(page, info);
    assert.equal(state.model, name);
    assert.equal(state.follow, false);
    const named = page.text.flatMap((sentence) => [...sentence.matchAll(/\{(\w+)[%#]?\}/g)].map(([, each]) => each));
    assert.deepEqual([...new Set(named)].sort(), Object.keys(page.numbers).sort(), page.id);
    const { text = '', numbers = {} } = page.seen ?? {};
    const seen = [...text.matchAll(/\{(\w+)[%#]?\}/g)].map(([, each]) => each);
    assert.deepEqual(seen.sort(), Object.keys(numbers).sort(), page.id);
    assert(page.text.length <= 3 && page.title.length < 40, page.id);
  }
});

const counted = (/** @type {string} */ of) => lessons.filter(({ kind }) => kind === of).length;

test('the output of the page’s model is tied, as it says', () => {
  const [logits] = lessons.filter(({ id }) => id === 'logits');
  assert.match(logits.text?.join(' ') ?? '', /output is tied: the rows are the words’ embeddings/);
  assert.equal(readModel(/** @type {any} */ (modelOf(logits))).config.head, 'tied');
});

test('a page added later moves the address of no other', () => {
  const numbers = lessons.map(({ number }) => number);
  assert.equal(new Set(numbers).size, numbers.length);
  const at = (/** @type {string} */ id) => lessons.find((each) => each.id === id)?.number;
  assert.deepEqual(
    ['rms-norm', 'rotary', 'gated', 'grouped-heads', 'stayed', 'pre-norm'].map(at),
    [51, 52, 53, 54, 55, 56],
  );
});

const head = (layer, head, kind = 'encoder') => ({ what: 'head', kind, layer, head, to: 0 });
const cell = (layer, head, row, key, to) => ({ what: 'cell', kind: 'encoder', layer, head, row, key, to });
const changed = (...interventions) => ({ interventions });
const setting = (name, value) => (state) => ({ settings: { ...state.settings, [name]: value } });
const text = (from, to) => (state) => ({ text: state.text.replace(from, to) });
const both = (one, two) => (state) => ({ ...one(state), ...two });
const at = (row) => (state) => ({ cursor: { ...state.cursor, row } });
const FFN = 96;
const FROIDE = 86; // its id in translate's French
const neuronOff = (i) => ({ what: 'neuron', kind: 'encoder', layer: Math.floor(i / FFN), neuron: i % FFN, to: 0 });
const ffnOff = (layer, row) => ({ what: 'ffnAt', kind: 'encoder', layer, row, to: 0 });
const featureAt = (layer, feature, row, to = 0) => ({
  ...{ what: 'feature', kind: 'encoder', layer, part: 'out', seed: 0 },
  ...{ feature, row, to },
});
const neuronAt = (layer, neuron) => (state) => ({
  selection: { ...state.selection, layer },
  cursor: { ...state.cursor, neuron },
});
const selected = (layer, head) => (state) => ({ selection: { ...state.selection, layer, head } });

/**
 * The solution of each, the tries that it took, and wrong tries with the page's answer. `find`: where a try is found by
 * the engine.
 */
const KNOWN = {
  reason: {
    solution: text('deep', 'tired'),
    took: 1,
    wrong: [
      [text('deep', 'muddy'), /says pond/, ''],
      [text('it', 'he'), /The text has no “it”/, ''],
      [text('because it was deep', 'because it was tired today'), /./, 'Change one word only.'],
      [both(text('deep', 'tired'), changed(head(0, 0))), /fox/, /model must stay/],
    ],
  },
  open: { find: at, count: 11, wrong: [[both(at(6), { written: [5] }), /bits/, /text must stay/]] },
  link: {
    find: (i) => selected(i >> 1, i % 2),
    count: 6,
    wrong: [[both(selected(2, 1), changed(head(0, 1))), /Without layer 3/, /model must stay/]],
  },
  first: {
    solution: setting('causal', true),
    took: 1,
    wrong: [
      [setting('positions', 'none'), /first word gives itself/, ''],
      [both(setting('causal', true), { text: 'one' }), /100\s%/, /text must stay/],
    ],
  },
  gender: {
    solution: text('creek', 'river'),
    took: 1,
    wrong: [
      [text('creek', 'wall'), /mur était froid/, ''],
      [text('creek was cold', 'river was green'), /rivière était verte/, 'Change one word only.'],
      [() => ({ written: [FROIDE] }), /^It writes: froide/, /Change the English/],
    ],
  },
  twins: {
    solution: setting('positions', 'none'),
    took: 1,
    wrong: [
      [setting('positions', 'learned'), /apart/, ''],
      [text('the dog', 'a dog'), /has no “the”/, ''],
      [both(setting('positions', 'none'), { text: 'the cat the' }), /less than 0.001/, /text must stay/],
    ],
  },
  queen: {
    solution: changed(head(0, 3, 'decoder')),
    took: 1,
    wrong: [
      [changed(head(1, 3, 'decoder')), /boy/, ''],
      [changed({ what: 'temperature', value: 4 }), /end/, /Only whole heads/],
    ],
  },
  prune: {
    solution: changed(head(0, 1), head(1, 0), head(1, 1), head(2, 0)),
    took: 4,
    wrong: [
      [changed(head(0, 0), head(0, 1), head(1, 0), head(1, 1)), /4 of 6/, ''],
      [changed(head(0, 1), head(1, 0), head(1, 1)), /3 of 6/, ''],
    ],
  },
  dog: {
    solution: changed(cell(1, 1, 12, 8, 1)),
    took: 1,
    wrong: [
      [changed(cell(2, 1, 12, 7, 1)), /creek|it/, ''],
      [changed(cell(1, 1, 12, 8, 1), cell(1, 1, 12, 7, 0)), /dog/, /2 changes; only 1/],
      [text('creek', 'dog'), /./, /text must stay/],
    ],
  },
  agreement: {
    solution: changed(cell(1, 0, 1, 1, 1)),
    took: 1,
    wrong: [
      [changed(head(2, 1)), /was/, /You changed layer 3/],
      [changed({ what: 'temperature', value: 4 }), /was/, /every layer/],
      [changed(head(0, 0)), /were/, ''],
    ],
  },
  pronouns: {
    solution: neuronAt(1, 23),
    wrong: [
      [neuronAt(1, 10), /neuron 10: 1.84 at “they”, 2.77 at “them”, at most 0.00/, ''],
      [neuronAt(0, 84), /Layer 1, neuron 84: 2.94 at “they”, 3.39 at “them”, at most 1.05/, ''],
      [text('them', 'cats'), /The text has no “them”/, ''],
      [both(neuronAt(1, 23), changed(head(0, 0))), /neuron 23/, /model must stay/],
    ],
  },
  wake: {
    solution: { text: 'The creek was deep so the fox jumped over it.' },
    wrong: [
      [text('hungry', 'deep'), /largest at “was”, with 1.21/, ''],
      [{ text: 'The cake was fresh so the fox ate it.' }, /largest at “it”/, ''],
      [{ text: 'The dog did not jump over the creek because it was tired.' }, /largest at “it”, with 2.08/, ''],
      [
        both(() => ({ text: 'The creek was deep so the fox jumped over it.' }), changed(head(0, 0))),
        /Neuron 53/,
        /model must stay/,
      ],
    ],
  },
  'neuron-off': {
    solution: changed(neuronOff(84)),
    took: 1,
    wrong: [
      [changed(neuronOff(54)), /says dog/, ''],
      [changed(neuronOff(46)), /says cat/, ''],
      [changed(neuronOff(84), neuronOff(54)), /says it/, /2 changes; only 1/],
      [changed(ffnOff(0, 7)), /./, 'Only neurons may be switched off.'],
      [changed({ ...neuronOff(84), to: 0.1 }), /./, 'Only neurons may be switched off.'],
    ],
  },
  'ffn-here': {
    find: (i) => changed(ffnOff(Math.floor(i / 13), i % 13)),
    count: 3 * 13,
    took: 1,
    wrong: [
      [changed(ffnOff(1, 9)), /says it \(85/, ''],
      [changed(ffnOff(2, 9)), /says dog/, ''],
      [changed(ffnOff(0, 11), ffnOff(1, 11)), /./, /2 changes; only 1/],
      [changed({ ...head(1, 1), what: 'headAt', row: 9 }), /./, /Only an FFN/],
      [changed({ ...ffnOff(0, 11), to: 'mean' }), /./, /Only an FFN/],
    ],
  },
  'feature-off': {
    solution: changed(featureAt(1, 207, 9)),
    took: 1,
    wrong: [
      [changed(featureAt(1, 228, 9)), /says dog/, ''],
      [changed(featureAt(1, 207, 9), featureAt(1, 210, 1)), /./, /2 changes; only 1/],
      [changed(featureAt(1, 207, 9, 0.1)), /says pond/, /Only a feature at one word/],
      [changed(ffnOff(0, 11)), /says pond/, /Only a feature at one word/],
    ],
  },
  'feature-plural': {
    solution: changed(featureAt(0, 8, 1)),
    took: 1,
    wrong: [
      [changed(featureAt(0, 57, 1)), /says were/, ''],
      [changed(cell(1, 0, 1, 1, 1)), /says was/, /Only a feature at one word/],
    ],
  },
  'feature-tips': {
    solution: changed(featureAt(1, 207, 9, 0.2)),
    took: 1,
    wrong: [
      [changed(featureAt(1, 207, 9)), /says creek .* × 0 of the feature is left/, ''],
      [changed(featureAt(1, 207, 9, 0.15)), /says creek/, ''],
      [changed(featureAt(1, 207, 9, 0.25)), /says dog .* × 0.25 of the feature/, ''],
      [changed(featureAt(1, 207, 9, 2)), /./, /Only a feature at “it”/],
      [changed(head(2, 1)), /./, /Only a feature at “it”/],
    ],
  },
};

/** @param {import('../../../web/lessons/index.js').Lesson} puzzle */
const infoOf = (puzzle) =>
  modelOf(puzzle) === 'untrained' ? undefined : readModel(/** @type {any} */ (modelOf(puzzle)));

/** The features that are active at a word after a layer, as the page finds them. @type {Map<number, Promise<any>>} */
const dictionaries = new Map();

/** @param {number} layer */
function dictionaryOf(layer) {
  const name = `encoder.${layer}.out.0`;
  const find = async () => {
    const puzzle = puzzles.find(({ id }) => id === 'feature-off');
    for (;;) {
      const { facts } = await resultAt(puzzle, {}, [`@features/${name}`]);
      const answer = facts.derived(`@features/${name}`);
      if (answer.scores) return answer;
    }
  };
  if (!dictionaries.has(layer)) dictionaries.set(layer, find());
  return dictionaries.get(layer);
}

/** @param {any} puzzle @param {any} change */
function changedState(puzzle, change) {
  const state = stateOf(puzzle, /** @type {any} */ (infoOf(puzzle)));
  return { ...state, ...(typeof change === 'function' ? change(state) : change) };
}

/** The facts of a state for a lesson, as the worker computes them. @param {any} puzzle @param {any} [change] */
async function factsAt(puzzle, change = {}) {
  const state = changedState(puzzle, change);
  if (state.found) await dictionaryOf(1);
  for (const { what, layer } of state.interventions) if (what === 'feature') await dictionaryOf(layer);
  return (await resultAt(puzzle, change)).facts;
}

/** @param {any} puzzle @param {any} change @param {string[]} [more] */
async function resultAt(puzzle, change, more = []) {
  const info = /** @type {any} */ (infoOf(puzzle));
  const ready = [...dictionaries.keys()].map((layer) => `encoder.${layer}.out.0`);
  const state = { ...changedState(puzzle, change), ready };
  const plan = makePlan(state, info ?? null);
  const needed = (puzzle.needs?.({ plan, state }) ?? []).filter((/** @type {string} */ name) =>
    hasTensor(name, plan.settings),
  );
  const names = [...needed, ...more, ...(plan.hasLogits ? [PROBABILITIES] : [])];
  await loadDerived(names);
  const cache = { weights: () => info?.weights, given: () => undefined, corpus: () => null, info: () => info };
  const live = createLiveModels(gf, /** @type {any} */ (cache));
  const maskNames = Object.fromEntries(
    attentionKinds(plan.settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]),
  );
  const results = createResults();
  results.add(
    plan,
    await live.run({ type: 'run', id: 1, names, maskNames, plans: 1, focus: { layer: 0, row: 0 }, ...plan }),
    info,
  );
  const result = /** @type {any} */ (results.of(plan));
  return { result, facts: factsFor(puzzle, { result, state, modelInfo: info }) };
}

/** @param {any} puzzle @param {any} [change] */
const judged = async (puzzle, change) => puzzle.judge(await factsAt(puzzle, change));

/** @type {Map<string, any[]>} */
const found = new Map();

/** The changes of a state that solve a puzzle: known, or found by the engine. @param {any} puzzle */
async function solutionsOf(puzzle) {
  const { solution, find, count = 0 } = KNOWN[puzzle.id];
  if (solution) return [solution];
  if (!found.has(puzzle.id)) {
    const all = await Promise.all(Array.from({ length: count }, (__, i) => judged(puzzle, find(i))));
    found.set(
      puzzle.id,
      all.flatMap(({ isMet }, i) => (isMet ? [find(i)] : [])),
    );
  }
  return found.get(puzzle.id) ?? [];
}

test('puzzles are data: each has its solution in this file', () => {
  assert.deepEqual(
    puzzles.map(({ id }) => id),
    Object.keys(KNOWN),
  );
});

for (const puzzle of puzzles)
  test(`puzzle ${puzzle.id}: not solved at its start, solved at par, tries are refused`, async () => {
    const start = await judged(puzzle);
    assert.deepEqual([start.isMet, start.refused, start.score ?? 0], [false, '', 0]);
    const solutions = await solutionsOf(puzzle);
    assert.equal(solutions.length, 1, 'one is found');
    const solved = await judged(puzzle, solutions[0]);
    assert.deepEqual([solved.isMet, solved.refused], [true, ''], solved.says);
    const { took, wrong } = KNOWN[puzzle.id];
    if (took) assert.deepEqual([solved.score, puzzle.par], [took, took]);
    for (const [change, says, refused] of wrong) {
      const verdict = await judged(puzzle, change);
      assert.equal(verdict.isMet, false, verdict.says);
      assert.match(verdict.says, says);
      if (refused instanceof RegExp) assert.match(verdict.refused, refused);
      else assert.equal(verdict.refused, refused);
    }
  });

test('a lesson’s number is its address; links from before the list open their puzzle', () => {
  assert.equal(new Set(lessons.map((each) => each.number)).size, lessons.length);
  assert.equal(new Set(lessons.map((each) => each.id)).size, lessons.length, 'progress is kept by id');
  const opening = openingState('creek', /** @type {any} */ (infoOf(puzzles[0])));
  for (const [i, { id }] of puzzles.entries()) {
    const { state, refused } = readLink(`#/explore?model=creek&puzzle=${i + 1}`, opening);
    assert.deepEqual([lessonAt(Number(state.book)).id, refused], [id, []]);
  }
  assert.equal(readLink('#/explore?puzzle=0', opening).state.book, 101);
  assert.deepEqual(
    [1, 24, 30, 44, 50, 199].map((at) => lessonAt(at).number),
    [1, 24, 24, 44, 24, 100 + puzzles.length],
    'the nearest before',
  );
  assert.deepEqual(readLink('#/explore?puzzle=x', opening).refused, ['puzzle']);
});

test('what is found agrees with the module’s own passes', async () => {
  const [open, link] = puzzles.filter(({ unit }) => unit);
  const creek = shipped(gf, 'creek');
  const ids = creek.ids('the creek was cold and the spunky dog wanted to jump over it .');
  const width = creek.vocabulary.length;
  const said = (/** @type {object[]} */ ablate) => {
    const { data } = gf.softmax(creek.model.forward({ ids, ablate }).logits);
    return data.slice(12 * width, 13 * width)[creek.vocabulary.indexOf('creek')];
  };
  const left = Array.from({ length: 6 }, (__, i) => said([{ layer: i >> 1, head: i % 2 }]));
  const most = left.indexOf(Math.min(...left));
  for (const [i, share] of left.entries()) {
    const verdict = await judged(link, selected(i >> 1, i % 2));
    assert.equal(verdict.isMet, i === most);
    assert.match(verdict.says, new RegExp(`from ${formatShare(said([]))} to ${formatShare(share)}`));
  }
  const story = shipped(gf, 'continue');
  story.model.forward({ ids: story.ids('one day a hungry fox saw a red ball . the'), capture: true });
  const { data } = story.probabilities();
  const words = story.vocabulary.length;
  const bits = Array.from({ length: 11 }, (__, row) =>
    data
      .subarray(row * words, (row + 1) * words)
      .reduce((/** @type {number} */ sum, /** @type {number} */ p) => sum - (p ? p * Math.log2(p) : 0), 0),
  );
  for (const [row, entropy] of bits.entries()) {
    const verdict = await judged(open, at(row));
    assert.equal(verdict.isMet, entropy === Math.max(...bits));
    assert(verdict.says.endsWith(`is ${entropy.toFixed(1)} bits.`), verdict.says);
  }
});

/** @param {{says: string}} verdict */
const said = ({ says }) => says.replace(/\s+/g, ' ').trim();

/** A panel that is shown facts, and what it says of them. */
function createPanel() {
  /** The choices by a task's switch. @type {any[]} */
  const chosen = [];
  const parent = document.createElement('div');
  document.body.replaceChildren(parent);
  const book = createLessons(parent, {
    ...{ id: 'book', place: 'explore', mark: 'book', rest: 800, leave() {}, redraw() {}, whenShown: async () => {} },
    read: (facts) => ({ facts, key: JSON.stringify(facts.state) }),
    begin: (_, __, begun) => begun(),
    choose: (...given) => void chosen.push(given),
  });
  const text = (/** @type {string} */ part) =>
    (parent.querySelector(part)?.textContent ?? '').replace(/\s+/g, ' ').trim();
  return { book, text, root: parent, chosen };
}

test('what puzzles say of neurons holds in the held-out sentences and in other texts', () => {
  const creek = shipped(gf, 'creek');
  /** @param {string} text @param {object[]} [patches] */
  function passed(text, patches = []) {
    const ids = creek.ids(text);
    creek.model.forward({ ids, capture: true, patches });
    const { data } = creek.probabilities();
    const width = creek.vocabulary.length;
    const at = ids.indexOf(creek.vocabulary.indexOf('it'));
    const row = data.subarray(at * width, (at + 1) * width);
    return { words: text.split(/ |(?=[.])/), at, answer: creek.vocabulary[row.indexOf(Math.max(...row))] };
  }
  const { sentences } = JSON.parse(String(file('creek.corpus.json')));
  /** Of neuron 23 by word, of neuron 53 at "it" by answer. */
  const [most, read] = [new Map(), new Map()];
  for (const sentence of sentences) {
    const { words, at, answer } = passed(sentence);
    const value = (/** @type {number} */ row, /** @type {number} */ neuron) =>
      creek.at('encoder.layers.1.ffn.activation', 0, row, neuron);
    for (const [row, word] of words.filter(Boolean).entries())
      most.set(word, Math.max(most.get(word) ?? 0, value(row, 23)));
    if (at >= 0) read.set(answer, [...(read.get(answer) ?? []), value(at, 53)]);
  }
  const [[first, they], [second, them], [, third]] = [...most].sort(([, a], [, b]) => b - a);
  assert.deepEqual([first, second], ['they', 'them']);
  assert(third < Math.min(they, them) / 2, `${they} ${them} ${third}`);
  const mean = (/** @type {string} */ word) =>
    read.get(word).reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + each, 0) /
    read.get(word).length;
  for (const word of ['creek', 'pond', 'puddle']) assert(mean(word) > 3, word);
  for (const word of ['cat', 'fox', 'goat']) assert(mean(word) < 1, word);
  const RUG = 'the dog sat on the rug because it was tired .';
  assert.equal(passed(RUG).at, 7);
  const atIt = (/** @type {number} */ neuron) => creek.at('encoder.layers.0.ffn.activation', 0, 7, neuron);
  const strongest = [...Array(FFN).keys()].sort((a, b) => atIt(b) - atIt(a)).slice(0, 3);
  assert(strongest.includes(84), `${strongest}`);
  const without = (/** @type {string} */ text) =>
    [...Array(3 * FFN).keys()].map((i) => {
      const name = `encoder.layers.${Math.floor(i / FFN)}.ffn.activation`;
      return passed(text, [{ name, index: [0, null, i % FFN], value: 0 }]).answer;
    });
  assert.deepEqual(
    without(RUG).flatMap((word, i) => (word === 'it' ? [i] : [])),
    [84],
  );
  passed('the dog did not jump over the pond because it was sleepy .');
  const weights = Array.from({ length: 13 }, (_, key) => creek.at('encoder.layers.1.self_attn.weights', 0, 1, 9, key));
  assert.equal(weights.indexOf(Math.max(...weights)), 11, 'a head of layer 2 brings “sleepy” to “it”');
  const tired = without('the dog did not jump over the creek because it was tired .');
  assert.deepEqual([...new Set(tired)], ['dog']);
});

test('one neuron of all layers answers to “they” and “them” as its puzzle asks', async () => {
  const puzzle = /** @type {any} */ (puzzles.find(({ id }) => id === 'pronouns'));
  const met = [];
  for (const layer of [0, 1, 2]) {
    const facts = await factsAt(puzzle, neuronAt(layer, 0));
    for (let neuron = 0; neuron < FFN; neuron++) {
      const state = { ...facts.state, cursor: { ...facts.state.cursor, neuron } };
      if (puzzle.judge({ ...facts, state }).isMet) met.push([layer, neuron]);
    }
  }
  assert.deepEqual(met, [[1, 23]]);
});

test('what puzzles say of features: each one at each word, and each neuron at one word and at all', async () => {
  const creek = shipped(gf, 'creek');
  const width = creek.vocabulary.length;
  const first = (/** @type {number[]} */ ids, /** @type {number} */ row, /** @type {object[]} */ patches) => {
    const { data } = creek.model.forward({ ids, patches }).logits;
    const own = data.subarray(row * width, (row + 1) * width);
    return creek.vocabulary[own.indexOf(Math.max(...own))];
  };
  const dog = 'the dog did not jump over the pond because it was sleepy .';
  const dogs = 'the dogs near the creek [MASK] hungry .';
  for (const [text, row, answer] of /** @type {[string, number, string][]} */ ([
    [dog, 9, 'dog'],
    [dogs, 5, 'were'],
  ])) {
    const ids = creek.ids(text);
    const places = [null, ...ids.keys()];
    for (const i of Array(3 * FFN).keys()) {
      const name = `encoder.layers.${Math.floor(i / FFN)}.ffn.activation`;
      for (const at of places)
        assert.equal(first(ids, row, [{ name, index: [0, at, i % FFN], value: 0 }]), answer, `${i} at ${at}`);
    }
  }
  /** Those that give another answer. @param {string} id @param {number} layer @param {string} wanted */
  async function turning(id, layer, wanted) {
    const puzzle = puzzles.find((each) => each.id === id);
    await dictionaryOf(layer);
    const name = `encoder.${layer}.out.0`;
    const { facts } = await resultAt(puzzle, {}, [`@features/${name}`]);
    const { values, size } = facts.derived(`@features/${name}`);
    /** @type {string[]} */
    const all = [];
    for (const [i, value] of values.entries()) {
      if (!value) continue;
      const [row, feature] = [Math.floor(i / size), i % size];
      const { says } = await judged(puzzle, changed(featureAt(layer, feature, row)));
      if (says.includes(`says ${wanted} `)) all.push(`${feature} at ${facts.readWords[row]}`);
    }
    return all;
  }
  assert.deepEqual(await turning('feature-off', 1, 'pond'), ['210 at dog', '207 at it']);
  assert.deepEqual(await turning('feature-plural', 0, 'was'), ['8 at dogs']);
  assert.deepEqual(await turning('feature-plural', 1, 'was'), []);
  const [after1, after2] = await Promise.all([dictionaryOf(0), dictionaryOf(1)]);
  assert.deepEqual([after2.scores[207].label, after2.scores[210].label], ['pronoun for animal', 'word dog']);
  const { label, f1 } = after1.scores[8];
  assert(label === 'word cats' && f1 > 0.5 && f1 < 0.7, `≈ “cats”: ${label} ${f1}`);
  const plural = puzzles.find(({ id }) => id === 'feature-plural');
  for (const word of ['dogs', 'cats', 'kings']) {
    const { facts } = await resultAt(plural, text('dogs', word), ['@features/encoder.0.out.0']);
    const { values, size } = facts.derived('@features/encoder.0.out.0');
    assert(values[size + 8] >= after1.scores[8].threshold, `${word} ${values[size + 8]}`);
  }
  const tips = puzzles.find(({ id }) => id === 'feature-tips');
  const shares = async (/** @type {number} */ to) => {
    const facts = await factsAt(tips, changed(featureAt(1, 207, 9, to)));
    return facts
      .answers(9)
      .slice(0, 3)
      .map(({ word, probability }) => ({ word, probability }));
  };
  const [most] = await shares(0.4);
  assert(most.word === 'dog' && most.probability > 0.5);
  const even = await shares(0.2);
  assert.deepEqual(
    even.map(({ word }) => word),
    ['creek', 'it', 'dog'],
  );
  assert(even[0].probability - even[2].probability < 0.15, 'nearly even');
});

test('the panel says what each page says of its own result, every number there', async () => {
  const { book, text } = createPanel();
  const pages = lessons.filter(({ kind }) => kind === 'start' || kind === 'page');
  for (const page of pages) {
    book.begin(page, true);
    assert.equal(text('h2'), page.title);
    book.draw(await factsAt(page));
    assert.doesNotMatch(text('.book-text'), /…|NaN|undefined|[{}]/, page.id);
    if (page.task) assert.match(text('.book-task'), page.tool ? /^[▢✓] .*\w$/ : /^[▢✓] .* Show where$/, page.id);
    assert(text('.book-task').includes(page.task ?? ''), page.id);
    const [at, of] = page.kind === 'start' ? [page.number - 40, counted('start')] : [page.number, counted('page')];
    assert.match(text('.book-count'), new RegExp(`age ${at} of ${of}`));
    assert.match(text('.book-doubt'), page.doubt ? new RegExp(`^True or false\\? “.*” ${page.doubt.verdict}`) : /^$/);
  }
});

test('the panel accepts what the judge accepts, in all puzzles, and refuses what it refuses', async () => {
  const { book, text } = createPanel();
  for (const [i, puzzle] of lessons.filter(({ kind }) => kind === 'puzzle').entries()) {
    book.begin(puzzle, true);
    const show = async (/** @type {any} */ change) => book.draw(await factsAt(puzzle, change));
    await show({});
    assert.equal(text('.puzzle-says'), said(await judged(puzzle)), puzzle.id);
    assert.equal(text('.puzzle-solved'), '');
    const [change, , refused] = KNOWN[puzzle.id].wrong.at(-1);
    await show(change);
    assert.equal(text('.puzzle-says'), said(await judged(puzzle, change)), puzzle.id);
    if (refused) assert.match(text('.puzzle-refused'), refused instanceof RegExp ? refused : new RegExp(refused));
    assert.equal(text('.puzzle-solved'), '');
    await show((await solutionsOf(puzzle))[0]);
    assert.match(text('.puzzle-solved'), new RegExp(`^✓ Solved in .* \\(par ${puzzle.par}\\)\\.`), puzzle.id);
    assert(text('.puzzle-solved').endsWith(String(puzzle.shows)), puzzle.id);
    assert.match(text('.book-count'), new RegExp(`^Puzzle ${i + 1} of ${puzzles.length}, ${i + 1} solved`));
  }
});

test('“Neurons and features”: what its pages say is what the module computes, before and after the task', async () => {
  const pages = /** @type {any[]} */ (lessons.filter(({ kind }) => kind === 'features'));
  assert.deepEqual(
    pages.map(({ number }) => number),
    [61, 62, 63, 64, 65],
  );
  const { book, text } = createPanel();
  const creek = shipped(gf, 'creek');
  const ids = creek.ids('the dog did not jump over the creek because it was tired .');
  const width = creek.vocabulary.length;
  const answer = (/** @type {object[]} */ patches) => {
    const { data } = gf.softmax(creek.model.forward({ ids, patches }).logits);
    const row = data.slice(9 * width, 10 * width);
    const best = row.indexOf(Math.max(...row));
    return { answer: creek.vocabulary[best], p: row[best] };
  };
  const off = (/** @type {number} */ neuron) => ({
    ...{ name: 'encoder.layers.1.ffn.activation', index: [0, null, neuron] },
    value: 0,
  });
  creek.model.forward({ ids, capture: true });
  const own = [...creek.model.tensor('encoder.layers.1.ffn.activation').data.slice(9 * FFN, 10 * FFN)];
  const { scores, size, unexplained } = await dictionaryOf(1);
  const [it, telling] = [228, 207];
  const { made } = await creekFeatures(gf);
  const without = { of: made, feature: telling, row: 9, set: 0 };
  const here = made.encode(creek.model.tensor('encoder.layers.1.out')).data.subarray(9 * size, 10 * size);
  const { precision, recall, f1 } = scores[telling];
  const feature = (/** @type {number} */ n) => (state) => ({ cursor: { ...state.cursor, feature: n } });
  /** The numbers at its start; what the reader does and what is no solution; the numbers then. @type {any} */
  const WANTED = {
    'mute-neurons': [
      { hidden: FFN, active: own.filter((value) => value > 0).length, word: 'it', ...answer([]) },
      changed(neuronOff(FFN + 4)),
      changed(ffnOff(1, 9)),
      answer([off(4)]),
    ],
    dictionary: [
      { width: 48 },
      { found: 'encoder.1.out.0' },
      { found: 'encoder.1.ffn.0' },
      { size, here: here.filter((value) => value > 0).length, word: 'it', rebuilt: 1 - unexplained },
    ],
    'find-feature': [{ word: 'it' }, feature(telling), feature(it), { precision, recall, f1 }],
    'flip-feature': [
      answer([]),
      changed(featureAt(1, telling, 9)),
      changed(featureAt(1, telling, 9, 0.5)),
      answer([without]),
    ],
    detecting: [
      { word: 'it', value: own[88], ...answer([]) },
      changed(neuronOff(FFN + 88)),
      changed(neuronOff(FFN + 4)),
      answer([off(88)]),
    ],
  };
  const near = (
    /** @type {any} */ numbers,
    /** @type {any} */ facts,
    /** @type {any} */ wanted,
    /** @type {any} */ id,
  ) => {
    assert.deepEqual(Object.keys(numbers), Object.keys(wanted), id);
    for (const [name, of] of Object.entries(numbers)) {
      const [found, known] = [/** @type {any} */ (of)(facts), wanted[name]];
      if (typeof known === 'number') assert(Math.abs(found - known) < 1e-4, `${id} ${name}: ${found} ${known}`);
      else assert.equal(found, known, `${id} ${name}`);
    }
  };
  for (const page of pages) {
    const { id, numbers, seen } = page;
    const [start, done, other, after] = WANTED[id];
    book.begin(page, true);
    const before = await factsAt(page);
    near(numbers, before, start, id);
    book.draw(before);
    assert.doesNotMatch(text('.book-text'), /…|NaN|undefined|[{}]/, id);
    assert.equal(text('.book-seen'), '', `${id}: not done`);
    book.draw(await factsAt(page, other));
    assert.equal(text('.book-seen'), '', `${id}: another change`);
    const facts = await factsAt(page, done);
    near(seen.numbers, facts, after, id);
    book.draw(facts);
    assert.match(text('.book-seen'), /\d/, id);
    assert.doesNotMatch(text('.book-seen'), /…|NaN|undefined|[{}]/, id);
  }
  assert.equal(answer([without]).answer, 'creek');
  assert.equal(answer([off(88)]).answer, 'dog');
  assert.deepEqual([scores[it].label, scores[telling].label], ['word it', 'pronoun for animal']);
  for (const i of Array(3 * FFN).keys()) {
    const name = `encoder.layers.${Math.floor(i / FFN)}.ffn.activation`;
    for (const at of [null, 9])
      assert.equal(answer([{ name, index: [0, at, i % FFN], value: 0 }]).answer, 'dog', `${i} at ${at}`);
  }
  const { sentences } = creekTask.heldOut(readModel('creek').recipe.dataSeed, { limit: 1 });
  const rows = sentences.flatMap(({ tokens }) => {
    creek.model.forward({ ids: creekTask.vocabulary.ids(tokens.map(({ word }) => word)), capture: true });
    return [...creek.model.tensor('encoder.layers.1.ffn.activation').data];
  });
  const shape = [made.places.text.length, FFN];
  const neurons = detectors({ data: Float32Array.from(rows), shape }, placeLabels(sentences), made.places);
  const fair = neurons[88];
  assert(fair?.label === 'pronoun for animal' && fair.f1 > 0.8, JSON.stringify(fair));
});

test('“Superposition”: the arrows learn before the reader, an input comes back, each end is there', async () => {
  const { book, root } = createPanel();
  const [toy, own] = /** @type {any[]} */ (lessons.filter(({ kind }) => kind === 'superposition'));
  const shown = (/** @type {string} */ part) =>
    [...root.querySelectorAll(part)].map((each) => each.textContent.replace(/\s+/g, ' ').trim());
  const until = async (/** @type {() => boolean} */ isSo) => {
    for (let i = 0; !isSo() && i < 2000; i++) await new Promise((resolve) => void setTimeout(resolve, 10));
    assert(isSo());
  };
  book.begin(toy, true);
  book.draw(await factsAt(toy));
  await until(() => /step 3,000, 84\s% rebuilt/.test(shown('.toy-run span')[0] ?? ''));
  assert.equal(root.querySelectorAll('.toy-plane text').length, 5);
  const outputs = () => [...root.querySelectorAll('.toy-out')].map((each) => Number(each.ariaLabel.split(' ').at(-1)));
  const [, alone] = outputs();
  assert(alone > 0.6 && outputs().filter((value) => value > 0.3).length === 1, 'B alone');
  const input = /** @type {any} */ (root.querySelector('.toy-through input'));
  Object.defineProperty(input, 'valueAsNumber', { value: 0.8, configurable: true });
  input.dispatchEvent(new input.ownerDocument.defaultView.Event('input', { bubbles: true }));
  assert(outputs()[0] > 0.3, 'A as well');
  await until(() => !shown('.toy-ends b').includes('…'));
  assert.deepEqual(shown('.toy-ends b'), ['2 kept', '4 kept', '4 kept', '5 kept', '5 kept']);
  /** @type {any} */ (root.querySelector('.toy-ends button')).click();
  await until(() => /step 3,000/.test(shown('.toy-run span')[0]));
  assert.equal(root.querySelectorAll('.toy-plane text').length, 2);
  book.begin(own, true);
  assert.equal(root.querySelector('.toy'), null);
  const before = await factsAt(own);
  assert.equal(own.numbers.hidden(before), FFN);
  assert.equal(own.judge(before), false);
  assert.deepEqual(own.needs({ state: { found: 'encoder.1.ffn.0' } }), ['@features/encoder.1.ffn.0']);
});

/** Choices that are no solution by themselves: something else has to be selected first. */
const SELECTED = {
  which: selected(2, 1),
  queen: selected(0, 3),
  prune: both(selected(2, 0), changed(head(0, 1), head(1, 0), head(1, 1))),
  'neuron-off': both(neuronAt(0, 84), changed(neuronOff(54))),
  'ffn-here': both(selected(0, 0), { cursor: { row: 11, key: 1, neuron: null, dimension: 0 } }),
};

test('a task’s switch stands in the task: what it shows is the state, and its other choice does the task', async () => {
  const all = lessons.filter(({ kind }) => KINDS[kind].place === 'explore');
  const folded = /#set-|#change|#try|select|quantity|#models/; // parts that a fold or a menu hides
  for (const { id, task, tool, control = '', par } of all) {
    assert.doesNotMatch(control, folded, id);
    assert.equal(Boolean(task && !par), Boolean(tool || control) && !par, `${id}: where the task is done`);
    assert(!(tool && control), id);
  }
  const { book, root, chosen } = createPanel();
  for (const lesson of all.filter(({ tool }) => tool)) {
    const before = await factsAt(lesson, SELECTED[lesson.id]);
    book.begin(lesson, true);
    book.draw(before);
    const buttons = [...root.querySelectorAll('.book-tool button')];
    assert.equal(buttons.length, lesson.id === 'which' ? 3 : 2, `${lesson.id}: a third one to compare`);
    const states = buttons.map((each) => each.getAttribute('aria-pressed')).sort();
    assert.deepEqual(states, [...Array(buttons.length - 1).fill('false'), 'true'], lesson.id);
    assert.equal(root.querySelector('.book-tool').getAttribute('aria-labelledby'), 'book-tool');
    assert.doesNotMatch(root.querySelector('#book-tool').textContent, /…|NaN|undefined/, lesson.id);
    const other = buttons.find((each) => each.getAttribute('aria-pressed') === 'false');
    other.click();
    const [choice, facts] = chosen.pop();
    assert.equal(facts, before);
    const patch = choice(before.state, before);
    if (patch.model) continue; // the page fetches another model
    const after = await factsAt(lesson, { ...before.state, ...patch });
    const verdict = lesson.judge(after);
    assert.equal(verdict.isMet ?? verdict, true, `${lesson.id}: ${verdict.says}`);
    book.draw(after);
    assert.equal(other.getAttribute('aria-pressed'), 'true', lesson.id);
    assert.equal(root.querySelector('.book-task').dataset.done, 'true', lesson.id);
    assert.doesNotMatch(root.querySelector('.book-seen')?.textContent ?? '', /…|NaN|undefined|[{}]/, lesson.id);
  }
});

test('“What is this?” comes first and says what the module computes: answers, arcs and each head', async () => {
  const pages = /** @type {any[]} */ (lessons.slice(0, 4));
  assert.deepEqual([...new Set(pages.map(({ kind }) => kind))], ['start']);
  const creek = shipped(gf, 'creek');
  const width = creek.vocabulary.length;
  /** @param {string} last word @param {object[]} [ablate] */
  function passed(last, ablate = []) {
    creek.model.forward({
      ids: creek.ids(`the dog did not jump over the creek because it was ${last} .`),
      ...{ ablate, capture: true },
    });
    const row = creek.probabilities().data.slice(9 * width, 10 * width);
    const arc = creek.model
      .tensor('encoder.layers.2.self_attn.weights')
      .data.slice(13 * 13 + 9 * 13, 13 * 13 + 10 * 13);
    const best = row.indexOf(Math.max(...row));
    return { answer: creek.vocabulary[best], p: row[best], row, arc };
  }
  const near = (/** @type {number} */ a, /** @type {number} */ b) => assert(Math.abs(a - b) < 1e-4, `${a} ${b}`);
  const read = (/** @type {any} */ { numbers }, /** @type {any} */ facts) =>
    Object.fromEntries(Object.entries(numbers).map(([name, of]) => [name, /** @type {any} */ (of)(facts)]));
  const [what, arc, flip, which] = pages;
  const tired = passed('tired');
  for (const page of [what, flip, which]) {
    const { answer, p } = read(page, await factsAt(page));
    assert.equal(answer, tired.answer);
    near(p, tired.p);
  }
  const { word, other, weight } = read(arc, await factsAt(arc));
  assert.deepEqual([word, other], ['it', 'dog']);
  near(weight, tired.arc[1]);
  const deep = passed('deep');
  const flipped = read(flip.seen, await factsAt(flip, text('tired', 'deep')));
  assert.deepEqual([flipped.answer, flipped.other], [deep.answer, 'creek']);
  near(flipped.p, deep.p);
  // Off at “it” alone, off everywhere, its average, one link cut: four experiments. The page counts what it says.
  const dog = creek.vocabulary.indexOf('dog');
  const tiredIds = creek.ids('the dog did not jump over the creek because it was tired .');
  /** @param {string} name @param {(number | null)[]} index @param {number | 'mean'} [value] */
  const left = (name, index, value = 0) => {
    creek.model.forward({ ids: tiredIds, capture: true, patches: [{ name: `encoder.layers.${name}`, index, value }] });
    return creek.probabilities().data[9 * width + dog];
  };
  const heads = [0, 1, 2, 3, 4, 5].map((i) => ({ layer: i >> 1, head: i % 2 }));
  const outputs = (/** @type {number} */ layer) => `${layer}.self_attn.head_outputs`;
  const every = heads.map(({ layer, head: at }) => left(outputs(layer), [0, at, null, null]));
  const here = heads.map(({ layer, head: at }) => left(outputs(layer), [0, at, 9, null]));
  const below = (/** @type {number[]} */ list) => list.flatMap((p, i) => (p < 0.5 ? [i] : []));
  assert.deepEqual([below(every), below(here)], [[5], [3, 5]], 'one head by one experiment, two by the other');
  const shares = [every[5], every[3], here[3], left('1.self_attn.weights', [0, 1, 9, 11])];
  const means = [left(outputs(2), [0, 1, null, null], 'mean'), left(outputs(1), [0, 1, null, null], 'mean')];
  [0.245, 0.828, 0.137, 0.025].forEach((p, i) => assert(Math.abs(shares[i] - p) < 5e-4, `${shares}`));
  [0.583, 0.615].forEach((p, i) => assert(Math.abs(means[i] - p) < 5e-4, `${means}`));
  const counted = read(which, await factsAt(which));
  assert.deepEqual([counted.every, counted.here], [1, 2]);
  [0, 1, 2].forEach((layer) => near(counted[`f${layer + 1}`], left(`${layer}.ffn.out`, [0, null, null])));
  for (const [i, { layer, head: at }] of heads.entries()) {
    const off = { what: 'headAt', kind: 'encoder', layer, head: at, row: 9, to: 0 };
    const facts = await factsAt(which, both(selected(layer, at), changed(off)));
    near(read(which.seen, facts).p, here[i]);
    assert.equal(which.judge(facts), here[i] < 0.5, `layer ${layer + 1}, head ${at + 1}: ${here[i]}`);
    const all = await factsAt(which, both(selected(layer, at), changed(head(layer, at))));
    assert.equal(which.judge(all), false, 'the task is off at “it”');
  }
});
