// Two states side by side as a reader sees them: three numbers at the cursor, each the module's own; first what differs
// most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attentionName, ffnName, pinOf } from '../../../../web/engine/plan.js';
import { namesOfPart } from '../../../../web/engine/part.js';
import { onFigures } from '../../../../web/draw/figure.js';
import { CATALOGUE } from '../../../../web/models/catalogue.js';
import { formatShare, shortValue } from '../../../../web/draw/numbers.js';
import { axisOf, hiddenOn, layOut, nearest } from '../../../../web/explore/shared/laid-over.js';
import { differing, taken } from '../../../../web/explore/derived/taken.js';
import { largest } from '../../../../web/explore/shared/largest.js';
import { assertShown, compute, shipped } from '../../in-node.js';
import { numberOf } from '../../checks.js';
import { gf, open } from '../table.js';

const { compare } = await import('../../../../web/explore/features/compare.js');

/** @typedef {Awaited<ReturnType<typeof open>>} Page */

/** A page whose state is pinned, and then changed. @param {string} link @param {any} patch */
async function pinned(link, patch) {
  const page = await open(compare, link);
  await page.change({ pinned: pinOf(page.state()) });
  assert.match(
    page.text(),
    /^Before and now No attention weight and no neuron differs\.$/,
    'three equal maps say nothing',
  );
  await page.change(patch);
  return page;
}

/**
 * Before, now and the difference, as read below the map and at each.
 * @param {Page} page @param {string} what @param {number} before @param {number} now
 */
function shows(page, what, before, now) {
  const shown = page.all(`.compare-${what} .compare-readout strong`).map(numberOf);
  [before, now, now - before].forEach((value, i) => assertShown(shown[i], value, `${what} ${i}`));
  const own = page.all(`.compare-${what} .map-readout strong`).map(numberOf);
  // Each map says its own in four decimals; the equation has more where four do not make it true.
  [shown[2], shown[0], shown[1]].forEach((each, i) => assert(Math.abs(own[i] - each) <= 0.51e-4, `${own[i]}, ${each}`));
  assert(Math.abs(shown[1] - shown[0] - shown[2]) < 1e-9, `${shown[1]} − ${shown[0]} = ${shown[2]}`);
}

/** @param {Page} page @param {string} what */
const isShown = (page, what) => !(/** @type {HTMLElement} */ (page.root.querySelector(`.compare-${what}`)).hidden);

test('a text that shares no word with the pinned one is not laid over it: it says how long both are', async () => {
  const page = await open(compare, 'model=untrained');
  assert.equal(page.text(), '');
  await page.change({ pinned: pinOf(page.state()) });
  await page.change({ text: 'so they go' });
  assert.match(page.text(), /The texts have 14 and 3 tokens and share no word, so they cannot be compared\./);
  assert.deepEqual([isShown(page, 'head'), isShown(page, 'ffn')], [false, false]);
  await page.change({ pinned: null });
  assert.equal(page.text(), '');
});

test('a text with another word is laid over the pinned one; where they differ, both words are the label', async () => {
  const [[, tired], [, deep]] = CATALOGUE.creek.pair ?? [];
  const page = await pinned(`model=creek&head=1.2&row=11&key=4&text=${encodeURIComponent(tired)}`, { text: deep });
  assert.doesNotMatch(page.text(), /be compared/);
  const [first] = page.all('.compare-most p');
  assert.match(first, /^Weights differ most in layer \d, head \d: /);
  await page.choose('.compared', 'selected');
  assert.deepEqual([isShown(page, 'head'), isShown(page, 'ffn')], [true, true]);
  const { ids, model } = shipped(gf, 'creek');
  const [then, now] = [tired, deep].map((text) => {
    model.forward({ ids: ids(text.toLowerCase()), capture: true });
    return model.tensor(attentionName('encoder', 0, 'weights')).data.slice();
  });
  const at = (/** @type {Float32Array} */ data) => data[(13 + 11) * 13 + 4];
  shows(page, 'head', at(then), at(now));
  assert.deepEqual(page.all('.compare-head .compare-readout bdi'), ['row tired / deep, column jump']);
  assert.deepEqual(
    mapsOf(page).map(({ rowAxis }) => rowAxis.label(11)),
    ['tired / deep', 'tired', 'deep', 'tired / deep', 'tired', 'deep'],
  );
});

test('the FFN is compared in the order that the reader chose for the neurons', async () => {
  const page = await pinned('model=untrained&neurons=token&row=12', {});
  await page.change({ settings: { ...page.state().settings, scoreScale: false } });
  await page.choose('.compared', 'selected');
  const [then, now] = [compute(gf, {}), compute(gf, { scoreScale: false })];
  const name = 'encoder.layers.0.ffn.activation';
  const byValue = Array.from({ length: 256 }, (_, i) => i).sort(
    (a, b) => now.at(name, 0, 12, b) - now.at(name, 0, 12, a) || a - b,
  );
  for (const column of [0, 1, 40]) {
    await page.change({ cursor: { ...page.state().cursor, neuron: byValue[column] } });
    assert.deepEqual(page.all('.compare-ffn .compare-readout bdi'), [`row it, neuron ${byValue[column]}`]);
    shows(page, 'ffn', then.at(name, 0, 12, byValue[column]), now.at(name, 0, 12, byValue[column]));
  }
  await page.press('.compare-ffn .map-cells', 'ArrowRight');
  assert.equal(page.state().cursor.neuron, byValue[41], 'one cursor, whatever the order');
});

test('the largest difference of two tensors: as a search by hand finds it, whatever the numbers', () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const odd = [0, NaN, Infinity, -Infinity, 1];
  for (let round = 0; round < 200; round++) {
    const parts = 1 + Math.floor(random() * 4);
    const size = 1 + Math.floor(random() * 5);
    const draw = () => (random() < 0.2 ? odd[Math.floor(random() * odd.length)] : random() - 0.5);
    const then = Float32Array.from({ length: parts * size }, draw);
    const now = then.map((value) => (random() < 0.5 ? value : draw()));
    const differences = [...now.keys()].map((i) => (now[i] === then[i] ? 0 : Math.abs(now[i] - then[i]) || 0));
    const most = Math.max(...differences);
    const found = largest(now, then, parts);
    if (most === 0) assert.equal(found, null);
    else {
      const at = differences.indexOf(most);
      assert.deepEqual(
        [found?.part, found?.at, found?.difference],
        [Math.floor(at / size), at % size, now[at] - then[at]],
      );
    }
    assert.equal(largest(now, then, parts), found, 'searched for once');
    assert.equal(largest(now, now.slice(), parts)?.difference, undefined, 'nothing differs from its copy');
  }
});

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

/**
 * Creek in Node as trained and with a head off, and where the two differ most.
 * @param {number} layer
 */
function creekWithHeadOff(layer) {
  const both = [
    [],
    [{ name: attentionName('encoder', layer, 'head_outputs'), index: [0, 0, null, null], value: 0 }],
  ].map((patches) => {
    const own = shipped(gf, 'creek');
    own.model.forward({ ids: own.ids(KNOWN), capture: true, patches });
    return own;
  });
  /** @param {(layer: number) => string} nameOf */
  const most = (nameOf) => {
    const all = Array.from({ length: both[0].config.layers }, (_, at) => {
      const [then, now] = both.map(({ model }) => model.tensor(nameOf(at)).data);
      return [...now].map((value, i) => ({ layer: at, i, difference: value - then[i] }));
    }).flat();
    return all.reduce((best, each) => (Math.abs(each.difference) > Math.abs(best.difference) ? each : best));
  };
  return {
    both,
    head: most((at) => attentionName('encoder', at, 'weights')),
    neuron: most((at) => ffnName('encoder', at, 'activation')),
  };
}

const off = (/** @type {number} */ layer) => ({
  interventions: [{ what: 'head', kind: 'encoder', layer, head: 0, to: 0 }],
});

test('opens on the head and the neuron that differ most, and says which; the selected ones are a choice', async () => {
  const words = KNOWN.split(' ');
  const { both, head, neuron } = creekWithHeadOff(0);
  const [then, now] = both;
  assert(head.layer > 0, 'the change shows elsewhere');
  const page = await pinned('model=creek&head=1.1&row=12&key=1&neuron=0&neurons=index', off(0));
  const cell = words.length ** 2;
  const [at, row, column] = [
    Math.floor(head.i / cell),
    Math.floor((head.i % cell) / words.length),
    head.i % words.length,
  ];
  const { d_ff } = then.config;
  const signed = (/** @type {number} */ value) => `${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(4)}`;
  assert.deepEqual(page.all('.compare-most p'), [
    `Weights differ most in layer ${head.layer + 1}, head ${at + 1}: ${words[row]} → ${words[column]} ` +
      `${signed(head.difference)} Select this head`,
    `Neurons differ most in layer ${neuron.layer + 1}: neuron ${neuron.i % d_ff} at ` +
      `${words[Math.floor(neuron.i / d_ff)]} ${signed(neuron.difference)} Select this neuron`,
  ]);
  const weights = attentionName('encoder', head.layer, 'weights');
  shows(page, 'head', then.at(weights, 0, at, 12, 1), now.at(weights, 0, at, 12, 1));
  const activation = ffnName('encoder', neuron.layer, 'activation');
  shows(page, 'ffn', then.at(activation, 0, 12, 0), now.at(activation, 0, 12, 0));
  await page.choose('.compared', 'selected');
  const own = attentionName('encoder', 0, 'weights');
  shows(page, 'head', then.at(own, 0, 0, 12, 1), then.at(own, 0, 0, 12, 1));
  const repinned = pinOf(page.state());
  await page.change({ interventions: [] });
  await page.change({ pinned: repinned });
  assert(page.root.querySelector('.compare-most'), 'what is pinned next opens there again');
  await page.click('.compare-most p:first-child button');
  const { selection, cursor } = page.state();
  assert.deepEqual([selection.layer, selection.head, cursor.row, cursor.key], [head.layer, at, row, column]);
  await page.click('.compare-most p:last-child button');
  assert.deepEqual(
    [page.state().selection.layer, page.state().cursor.row, page.state().cursor.neuron],
    [neuron.layer, Math.floor(neuron.i / d_ff), neuron.i % d_ff],
  );
});

test('where a head of the last layer is off no weight differs: it opens on the FFN', async () => {
  const last = creekWithHeadOff(2);
  assert.equal(last.head.difference, 0);
  const page = await pinned('model=creek&head=3.1&row=12&key=1&neuron=5&neurons=index', off(2));
  assert.match(page.text(), /No attention weight differs\./);
  assert.equal(isShown(page, 'head'), false);
  const name = ffnName('encoder', last.neuron.layer, 'activation');
  shows(page, 'ffn', last.both[0].at(name, 0, 12, 5), last.both[1].at(name, 0, 12, 5));
});

test('of two long texts only the selected layer is compared: nothing is said of those that are not there', async () => {
  const page = await open(compare, 'model=untrained&row=12');
  await page.change({ pinned: pinOf(page.state()) });
  const [plan, own] = [page.result().plan, page.state()];
  /** @param {number | null} part */
  function most(part) {
    const needs = compare.needs?.(/** @type {any} */ ({ plan, state: own })) ?? [];
    const names = new Set(namesOfPart(needs, { layer: 0, row: 0 }));
    const tensors = new Map([...page.result().tensors].filter(([name]) => names.has(name)));
    const result = { ...page.result(), tensors, facts: { part } };
    const context = { result, state: own, scheme: 'light', pinned: result, local: compare.local };
    return compare.render(/** @type {any} */ (context), /** @type {any} */ ({}));
  }
  assert.equal(most(null), undefined, 'a layer has not come yet');
  const { render } = await import('lit-html');
  const root = document.body.appendChild(document.createElement('div'));
  render(most(0), root);
  await new Promise(setImmediate);
  assert.match(String(root.textContent), /difference 0/);
  assert.doesNotMatch(String(root.textContent), /differ most|differs\./);
});

/**
 * The six maps as they are drawn: the difference, before and now of the head, then of the FFN; null: not shown.
 * @param {Page} page
 * @returns {any[]}
 */
function mapsOf(page) {
  const drawn = new Map();
  onFigures((root, { detail }) => drawn.set(root, detail));
  return [...page.root.querySelectorAll('.compare-difference, .compare-maps > div')].map((each) => drawn.get(each));
}

/** The least of 1, 2, 5 · 10^k that holds all of them. @param {Iterable<number>[]} all */
function limitOf(...all) {
  const most = Math.max(
    ...all
      .flatMap((each) => [...each])
      .filter(Number.isFinite)
      .map(Math.abs),
  );
  const limits = Array.from({ length: 12 }, (_, k) => [1, 2, 5].map((each) => each * 10 ** (k - 6))).flat();
  return /** @type {number} */ (limits.find((each) => each >= most * (1 - 1e-6)));
}

test('colours, masks and numbers of the three maps by what they show', async () => {
  const [long, short] = [{ scoreScale: true }, { scoreScale: false }];
  const [masked, free] = [{ causal: true }, { causal: false }];
  const [weights, rooted] = [{ isWeights: true }, { root: true }];
  const signed = { isSigned: true };
  for (const [link, before, now, hides, head, ffn] of /** @type {[string, object, object, any, any, any][]} */ ([
    ['', long, short, [0, 0, 0], { ...weights, ...rooted }, {}],
    ['colours=linear&ffnColours=root', long, short, [0, 0, 0], weights, rooted],
    ['quantity=scaled&ffn=pre_activation', long, short, null, signed, signed],
    [
      'quantity=scaled&colours=root&ffn=pre_activation&ffnColours=root',
      ...[short, long, null, signed],
      { ...signed, ...rooted },
    ],
    ['quantity=masked&activation=gelu', masked, { ...masked, ...short }, [1, 1, 1], signed, signed],
    ['quantity=scores', masked, { ...masked, ...short }, null, signed, {}],
    ['', masked, free, [0, 1, 0], { ...weights, ...rooted }, {}],
    ['', free, masked, [0, 0, 1], { ...weights, ...rooted }, {}],
  ])) {
    const page = await table(`layers=1&${link}`, before, now);
    const { quantity, ffnQuantity, settings } = page.state();
    const sizes = { activation: settings.activation, d_ff: 12, layers: 1 };
    const both = [before, now].map((each) => compute(gf, { ...each, ...sizes }).model);
    const maps = mapsOf(page);
    const names = [attentionName('encoder', 0, quantity), ffnName('encoder', 0, ffnQuantity)];
    [head, ffn].forEach(({ isWeights = false, isSigned = false, root = false }, i) => {
      const three = maps.slice(3 * i, 3 * i + 3);
      const [then, present] = both.map((model) => model.tensor(names[i]).data);
      const limit = isWeights ? 1 : limitOf(then, present);
      assert.deepEqual(
        three.map(({ matrix: { scale } }) => [scale.low, scale.high, scale.root]),
        [-limit, ...Array(2).fill(isSigned ? -limit : 0)].map((low) => [low, limit, root]),
        `${link} ${names[i]}`,
      );
      assert.deepEqual(
        three.map(({ scaleTitle }) => scaleTitle),
        ['Now − before', 'Before', 'Now'],
      );
      const share = (/** @type {any} */ { matrix }) => matrix.hidden?.filter(Boolean).length / ((14 * 13) / 2);
      assert.deepEqual(three.map(share), i || !hides ? [NaN, NaN, NaN] : hides, `${link}: share of the mask`);
      const [data, old, own] = three.map(({ matrix }) => matrix.data);
      assert.equal(data.length, i ? 14 * 12 : 14 * 14);
      assert.deepEqual(
        [old, own],
        [then, present].map((each) => each.slice(0, data.length)),
      );
      assert.deepEqual(
        data,
        own.map((/** @type {number} */ value, /** @type {number} */ at) => (value === old[at] ? 0 : value - old[at])),
      );
    });
  }
});

/** The selected maps of two untrained states. @param {string} link @param {object} before @param {object} now */
async function table(link, before, now) {
  const page = await open(compare, `model=untrained&d_ff=12&head=1.1&${link}`);
  await page.change({ settings: { ...page.state().settings, ...before } });
  await page.change({ pinned: pinOf(page.state()) });
  await page.change({ settings: { ...page.state().settings, ...now } });
  if (page.root.querySelector('.compared')) await page.choose('.compared', 'selected');
  return page;
}

test('where a state lacks the head, the heads or the kind of network, it says so or leaves the map out', async () => {
  for (const [link, before, now, text, shown] of /** @type {[string, object, object, RegExp | null, boolean[]][]} */ ([
    [
      'head=3.1',
      { layers: 3 },
      { layers: 2 },
      /The selected head does not exist in both states \(encoder layer 3, head 1; encoder layer 2, head 1\)\./,
      [false, false],
    ],
    [
      'head=2.4',
      { heads: 4 },
      { heads: 2 },
      /The selected head does not exist in both states \(encoder layer 2, head 4; encoder layer 2, head 2\)\./,
      [false, false],
    ],
    ['', { heads: 4 }, { heads: 0 }, null, [false, true]],
    ['ffn=up', { ffn: 'plain' }, { ffn: 'gated' }, null, [true, false]],
    ['', { d_ff: 0 }, { d_ff: 0, scoreScale: false }, null, [true, false]],
  ])) {
    const page = await table(link, before, now);
    if (text) assert.match(page.text(), text);
    assert.deepEqual([isShown(page, 'head'), isShown(page, 'ffn')], shown, JSON.stringify(now));
  }
  const page = await table('', { heads: 0 }, { heads: 0, activation: 'gelu' });
  await page.choose('.compared', 'most');
  assert.match(page.all('.compare-most p').join('|'), /^Neurons differ most in layer \d: [^|]*$/, 'no word of weights');
  assert.equal(
    page.needs().some((each) => each.includes('attention')),
    false,
  );
  assert.equal(
    (await table('', { d_ff: 0 }, {})).needs().some((each) => each.includes('ffn')),
    false,
  );
});

test('one difference for two maps: made anew for another head, not for another cursor', async () => {
  const page = await table('', {}, { scoreScale: false });
  const [first] = mapsOf(page);
  await page.change({ cursor: { ...page.state().cursor, row: 3 } });
  assert.equal(mapsOf(page)[0].matrix.data, first.matrix.data);
  assert.deepEqual(mapsOf(page)[0].cursor, { row: 3, column: 1 });
  await page.change({ selection: { ...page.state().selection, head: 1 } });
  const [then, now] = [true, false].map((scoreScale) => compute(gf, { scoreScale, d_ff: 12 }));
  const name = attentionName('encoder', 0, 'weights');
  const [, second] = [then, now].map((each) => each.model.tensor(name).data.subarray(196, 392));
  assert.deepEqual([...mapsOf(page)[2].matrix.data], [...second]);
  shows(page, 'head', then.at(name, 0, 1, 3, 1), now.at(name, 0, 1, 3, 1));
  assert.match(page.all('.compare-head .view-title')[0], /layer 1, head 2, weights$/);
  await page.change({ selection: { ...page.state().selection, mean: true } });
  assert.match(page.all('.compare-head .view-title')[0], /layer 1, mean of the heads, weights$/);
  const mean = [0, 1, 2, 3].reduce((sum, head) => sum + now.at(name, 0, head, 3, 1) / 4, 0);
  assert(Math.abs(mapsOf(page)[2].matrix.data[3 * 14 + 1] - mean) < 1e-6);
  const [cells] = page.root.querySelectorAll('.compare-head .compare-maps .map-cells');
  const { MouseEvent } = /** @type {any} */ (document.defaultView);
  const notes = () => page.all('.compare-head .map-note');
  cells.dispatchEvent(new MouseEvent('pointermove', { clientX: 0, clientY: 0 }));
  assert.deepEqual(notes(), Array(3).fill('[0, 0] under the pointer'), 'one cell in all three');
  assert.match(page.all('.compare-head .compare-readout bdi')[0], /^row The, column The$/);
  cells.dispatchEvent(new MouseEvent('pointerleave'));
  assert.deepEqual(notes(), Array(3).fill('[3, 1] pinned'));
});

test('of two stacks: named, lit where they are the selected ones, selected by their cursor elsewhere', async () => {
  const head = (/** @type {string} */ kind, layer = 0) => ({
    interventions: [{ what: 'head', kind, layer, head: 0, to: 0 }],
  });
  for (const [attention, change] of /** @type {[string, any][]} */ ([
    ['cross', head('encoder')],
    ['encoder', head('encoder')],
    ['cross', head('decoder')],
    ['decoder', head('decoder', 1)],
  ])) {
    const page = await open(compare, `model=translate&attention=${attention}&head=1.1&row=2&key=1&neuron=3`);
    await page.change({ pinned: pinOf(page.state()) });
    await page.change(change);
    const most = page.all('.compare-most p');
    const maps = mapsOf(page);
    /** @type {Record<string, string>} */
    const rows = { encoder: 'encoder', decoder: 'decoder', cross: 'decoder' };
    /** @type {Record<string, string>} */
    const columns = { encoder: 'encoder', decoder: 'decoder', cross: 'encoder' };
    const [, named, layer] =
      /differ most in (encoder self-attention|decoder self-attention|cross-attention), layer (\d), head \d: /.exec(
        most[0],
      ) ?? [];
    if (named) {
      const kind = named.split(/[- ]/)[0];
      assert.deepEqual(
        [maps[0].rowAxis.part, maps[0].columnAxis.part],
        [rows[kind] === rows[attention] ? 'row' : null, columns[kind] === columns[attention] ? 'key' : null],
        `${attention} ${most[0]}`,
      );
      await page.press('.compare-head .map-cells', 'ArrowRight');
      const { cursor, selection } = /** @type {any} */ (page.set.at(-1));
      assert.deepEqual([cursor.row, cursor.key, cursor.neuron], [2, 2, 3]);
      if (kind === attention) assert.equal(selection, undefined);
      else assert.deepEqual([selection.kind, selection.layer], [kind, Number(layer) - 1]);
      await page.change({ selection: { ...page.state().selection, kind: attention, layer: 0, head: 0 } });
    } else assert.match(most[0], /^No attention weight differs\.$/);
    const [, stack, at] = /^Neurons differ most in (encoder|decoder), layer (\d): /.exec(most[1]) ?? [];
    const isStack = stack === rows[attention];
    assert.deepEqual(
      [maps[3].rowAxis.part, maps[3].columnAxis.part],
      [isStack ? 'row' : null, isStack && at === '1' ? 'neuron' : null],
      `${attention} ${most[1]}`,
    );
    await page.press('.compare-ffn .map-cells', 'ArrowRight');
    const { cursor, selection } = /** @type {any} */ (page.set.at(-1));
    assert.deepEqual([cursor.row, cursor.neuron], [2, 4]);
    if (isStack) assert.equal(selection, undefined);
    else assert.deepEqual([selection.kind, selection.layer], [stack, Number(at) - 1]);
  }
});

test('neurons that differ: by the difference times the length of what each writes, whatever its sign', () => {
  const [then, now] = [
    [Float32Array.of(1, 0, 2, 5), Float32Array.of(0, 3, 0, 0)],
    [Float32Array.of(2, 0, -1, 5), Float32Array.of(0, 1, 0.5, 0)],
  ];
  const lengths = [
    [4, 9, 1, 1],
    [1, 3, 0.25, 1],
  ];
  assert.deepEqual(
    differing(then, now, (layer) => lengths[layer]),
    [
      { layer: 1, neuron: 1, then: 3, now: 1, size: 6 },
      { layer: 0, neuron: 0, then: 1, now: 2, size: 4 },
      { layer: 0, neuron: 2, then: 2, now: -1, size: 3 },
      { layer: 1, neuron: 2, then: 0, now: 0.5, size: 0.125 },
    ],
  );
});

const [[, TIRED], [, DEEP]] = CATALOGUE.creek.pair ?? [];

/**
 * The lines of the two lists as the module gives them: each head and FFN at a row of a text with what it gives at a row
 * of another, and the neurons of both.
 * @param {string} before @param {string} after @param {[then: number, now: number]} rows
 */
function effectsOf(before, after, [from, row]) {
  const { model, ids, config, vocabulary } = shipped(gf, 'creek');
  const places = [0, 1, 2].flatMap((layer) => [
    ...[0, 1].map((head) => ({
      label: `layer ${layer + 1}, head ${head + 1}`,
      name: attentionName('encoder', layer, 'head_outputs'),
      at: (/** @type {number} */ each) => [0, head, each],
    })),
    {
      label: `layer ${layer + 1}, FFN`,
      name: `encoder.layers.${layer}.ffn.out`,
      at: (/** @type {number} */ r) => [0, r],
    },
  ]);
  /** @param {string} name @param {number[]} index */
  function read(name, index) {
    const { data, shape } = model.tensor(name);
    const width = shape[shape.length - 1];
    const at = index.reduce((sum, each, i) => sum * shape[i] + each, 0);
    return data.slice(at * width, (at + 1) * width);
  }
  const answer = () => gf.softmax({ data: read('logits', [0, row]), shape: [1, vocabulary.length] }).data;
  const neurons = (/** @type {number} */ at) =>
    [0, 1, 2].map((layer) => read(ffnName('encoder', layer, 'activation'), [0, at]));
  model.forward({ ids: ids(before.toLowerCase()), capture: true });
  const values = places.map(({ name, at }) => read(name, at(from)));
  const then = neurons(from);
  model.forward({ ids: ids(after.toLowerCase()), capture: true });
  const now = neurons(row);
  const whole = answer();
  const id = whole.indexOf(Math.max(...whole));
  const parts = places.map(({ label, name, at }, i) => {
    model.forward({
      ids: ids(after.toLowerCase()),
      capture: true,
      patches: [{ name, index: [...at(row), null], value: values[i] }],
    });
    const all = answer();
    const to = all.indexOf(Math.max(...all));
    const turned = to === id ? '' : `, then ${vocabulary[to]} ${formatShare(all[to])}`;
    return { effect: Math.abs(all[id] - whole[id]), text: `${label}${formatShare(all[id])}${turned}` };
  });
  const columns = [0, 1, 2].map((layer) => {
    const { data } = model.tensor(`encoder.layers.${layer}.linear2.weight`);
    return (/** @type {number} */ n) =>
      Math.hypot(...Array.from({ length: config.d_model }, (_, i) => data[i * config.d_ff + n]));
  });
  const differ = now.flatMap((all, layer) =>
    [...all].map((value, n) => ({
      effect: Math.abs(value - then[layer][n]) * columns[layer](n),
      text: `layer ${layer + 1}, neuron ${n}${shortValue(then[layer][n])} → ${shortValue(value)}`,
    })),
  );
  const first = (/** @type {{effect: number, text: string}[]} */ all) =>
    all.toSorted((a, b) => b.effect - a.effect).slice(0, 6);
  return [first(parts), first(differ)].map((all) => all.map(({ text }) => text.replace(/\u00a0/g, ' ')));
}

/** Both lists as a reader sees them. @param {Page} page */
const listed = (page) => [1, 2].map((i) => page.all(`.compare-effects > :nth-child(${i}) li`));

test('heads and FFNs by what the answer has with each as before, neurons by what they add: each opens', async () => {
  const page = await pinned(`model=creek&head=1.1&row=9&text=${encodeURIComponent(TIRED)}`, { text: DEEP });
  const wanted = effectsOf(TIRED, DEEP, [9, 9]);
  assert.deepEqual(listed(page), wanted);
  assert.match(page.text(), /At it, before: dog \d+ %, now: creek \d+ %\./);
  const isOf = (/** @type {string} */ line) => Number(/layer (\d)/.exec(line)?.[1]) - 1;
  const [heads, ffns] = [/head/, /FFN/].map((each) => wanted[0].findIndex((line) => each.test(line)));
  await page.click(`.compare-effects > :first-child li:nth-child(${heads + 1}) button`);
  const { selection, graph } = page.state();
  const head = Number(/head (\d)/.exec(wanted[0][heads])?.[1]) - 1;
  assert.deepEqual([graph.node, selection], ['attention', { kind: 'encoder', layer: isOf(wanted[0][heads]), head }]);
  assert.match(page.all('.compare-head .view-title')[0], new RegExp(`layer ${selection.layer + 1}, head ${head + 1},`));
  await page.click(`.compare-effects > :first-child li:nth-child(${ffns + 1}) button`);
  assert.deepEqual([page.state().graph.node, page.state().selection.layer], ['ffn', isOf(wanted[0][ffns])]);
  await page.click('.compare-effects > :last-child li:first-child button');
  const { cursor, graph: after, selection: there } = page.state();
  assert.deepEqual(
    [after.node, `layer ${there.layer + 1}, neuron ${cursor.neuron}`, cursor.row],
    ['ffn', wanted[1][0].slice(0, `layer 1, neuron ${cursor.neuron}`.length), 9],
  );
  await page.change({ cursor: { ...cursor, row: 11 } });
  assert.deepEqual(listed(page), effectsOf(TIRED, DEEP, [11, 11]), 'at another token');
});

test('a part that is off gives its answer back as before; two models or edited weights have no list', async () => {
  const page = await pinned('model=creek&row=12', off(2));
  const [first] = listed(page)[0];
  const [, share] = /before: \S+ (\d+ %), now/.exec(page.text().replace(/\u00a0/g, ' ')) ?? [];
  assert.equal(first, `layer 3, head 1${share}`);
  const weight = { what: 'weight', name: 'encoder.layers.0.linear1.bias', row: 0, column: 0, value: 1 };
  await page.change({ interventions: [weight] });
  assert.deepEqual(listed(page), [[], []]);
  await page.change({ interventions: [], settings: { ...page.state().settings, scoreScale: false } });
  assert.deepEqual(listed(page), [[], []]);
});

test('another text that is refused leaves no list, and the next one has its own', async () => {
  const { ids, model } = shipped(gf, 'creek');
  const context = { gf, name: 'creek', config: model.config, ids: ids(DEEP.toLowerCase()), targetIds: null };
  /** @param {any[]} interventions of the other text */
  function from(interventions) {
    const other = { row: 9, ids: ids(TIRED.toLowerCase()), interventions };
    const build = () => shipped(gf, 'creek').model;
    return taken(/** @type {any} */ ({ ...context, interventions: [], build }), '9', JSON.stringify(other));
  }
  assert.deepEqual(from([{ what: 'headAt', kind: 'encoder', layer: 0, head: 0, row: 99, to: 0 }]), { absent: true });
  let found;
  do found = /** @type {any} */ (await from([]));
  while (found.unfinished);
  assert.deepEqual([found.parts.length, found.neurons.length], [9, 12]);
  assert.throws(() => from(/** @type {any} */ ([null])), TypeError, 'a fault of its own is none of the text');
});

test('two texts on one axis: word on word, as many others side by side, what one has alone by itself', () => {
  const pairs = (/** @type {string} */ then, /** @type {string} */ now) => {
    const both = [then, now].map((text) => text.split(' ').filter(Boolean));
    const axis = axisOf(both[0], both[1]);
    return axis && axis.then.map((at, i) => `${both[0][at] ?? ''}|${both[1][axis.now[i]] ?? ''}`).join(' ');
  };
  for (const [then, now, wanted] of [
    ['the dog was tired .', 'the dog was deep .', null],
    ['the dog was tired .', 'the old dog was tired .', 'the|the |old dog|dog was|was tired|tired .|.'],
    ['the old dog was tired .', 'the dog was deep .', 'the|the old| dog|dog was|was tired|deep .|.'],
    ['it was tired .', 'it was deep and cold .', 'it|it was|was tired| |deep |and |cold .|.'],
    ['a b', 'c d e', 'a| b| |c |d |e'],
    ['a', 'b a a', '|b |a a|a'],
    ['a b c', '', 'a| b| c|'],
  ])
    assert.equal(pairs(String(then), String(now)), wanted, `${then} | ${now}`);
});

test('matrices on places: those of each text, nothing where it has no word', () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  const [rows, columns] = [
    [0, -1, 1],
    [-1, 0, 1],
  ];
  const [made, lines] = [layOut(data, rows, columns, [2, 2]), layOut(data.slice(), rows, undefined, [2, 2])];
  assert.deepEqual([...made], [NaN, 1, 2, NaN, NaN, NaN, NaN, 3, 4, NaN, 5, 6, NaN, NaN, NaN, NaN, 7, 8]);
  assert.deepEqual([...lines], [1, 2, NaN, NaN, 3, 4, 5, 6, NaN, NaN, 7, 8]);
  assert.equal(layOut(data, rows, columns, [2, 2]), made, 'made once');
  assert.equal(layOut(data, undefined, undefined, [2, 2]), data);
  assert.deepEqual(
    [...(hiddenOn(Uint8Array.of(0, 1, 0, 0), rows, columns, [2, 2]) ?? [])],
    [2, 0, 1, 2, 2, 2, 2, 0, 0],
  );
  assert.deepEqual([...(hiddenOn(null, rows, undefined, [2, 2]) ?? [])], [0, 0, 2, 2, 0, 0]);
  const axis = [-1, 0, -1, -1, 1, -1];
  assert.deepEqual(
    [
      [2, 1],
      [3, 4],
      [0, 1],
      [5, 4],
      [4, 1],
    ].map(([to, from]) => nearest(axis, to, from)),
    [1, 0, 0, 1, 1],
    'over what is not there; at an end it stays',
  );
});

const LONGER = 'The spunky dog did not jump over the cold creek because it was tired.';

test('a text with more words: compared where both have one, its own words named and left empty', async () => {
  const page = await pinned(`model=creek&head=2.1&row=9&key=1&text=${encodeURIComponent(TIRED)}`, { text: LONGER });
  await page.change({ cursor: { ...page.state().cursor, row: 11, key: 2 } });
  const { ids, model, config } = shipped(gf, 'creek');
  const { d_ff } = config;
  const [then, now] = [TIRED, LONGER].map((text) => {
    model.forward({ ids: ids(text.toLowerCase()), capture: true });
    return [0, 1, 2].map((layer) => [
      model.tensor(attentionName('encoder', layer, 'weights')).data.slice(),
      model.tensor(ffnName('encoder', layer, 'activation')).data.slice(),
    ]);
  });
  const at = (/** @type {number} */ i) => i + (i > 0 ? 1 : 0) + (i > 6 ? 1 : 0); // spunky at 1, cold at 8
  const cells = [...Array(13).keys()].flatMap((row) => [...Array(13).keys()].map((key) => [row, key]));
  const differences = [0, 1, 2].flatMap((layer) =>
    [0, 1].flatMap((head) =>
      cells.map(([row, key]) => {
        const before = then[layer][0][(head * 13 + row) * 13 + key];
        return { layer, head, row, key, by: now[layer][0][(head * 15 + at(row)) * 15 + at(key)] - before };
      }),
    ),
  );
  const most = differences.reduce((a, b) => (Math.abs(b.by) > Math.abs(a.by) ? b : a));
  const words = TIRED.replace('.', ' .').split(' ');
  assert.equal(
    page.all('.compare-most p')[0],
    `Weights differ most in layer ${most.layer + 1}, head ${most.head + 1}: ${words[most.row]} → ${words[most.key]} ` +
      `${most.by > 0 ? '+' : '−'}${Math.abs(most.by).toFixed(4)} Select this head`,
  );
  await page.choose('.compared', 'selected');
  const maps = mapsOf(page);
  assert.deepEqual(
    maps.map(({ rowAxis }) => [1, 2, 8].map(rowAxis.label).join()),
    [0, 1, 2, 3, 4, 5].map((i) => (i % 3 < 2 ? '+ spunky,dog,+ cold' : 'spunky,dog,cold')),
  );
  assert.deepEqual(maps[0].cursor, { row: 11, column: 2 });
  const [difference] = maps;
  for (const [row, key] of cells) {
    const place = at(row) * 15 + at(key);
    const wanted = now[1][0][place] - then[1][0][row * 13 + key];
    assert(Math.abs(difference.matrix.data[place] - wanted) < 1e-6, `${row} ${key}`);
  }
  const empty = [...Array(225).keys()].filter((i) =>
    [Math.floor(i / 15), i % 15].some((each) => each === 1 || each === 8),
  );
  for (const [i, wanted] of [empty, empty, []].entries())
    assert.deepEqual(
      [...maps[i].matrix.hidden.keys()].filter((each) => maps[i].matrix.hidden[each] === 2),
      wanted,
    );
  shows(page, 'head', then[1][0][9 * 13 + 1], now[1][0][11 * 15 + 2]);
  assert.deepEqual([maps[3].cursor.row, maps[3].matrix.rows], [11, 15]);
  const place = maps[3].cursor.column;
  const neuron = Number(maps[3].columnAxis.value(place));
  assert(Math.abs(maps[4].matrix.data[11 * d_ff + place] - then[1][1][9 * d_ff + neuron]) < 1e-6, 'the row of it');
  await page.press('.compare-head .map-cells', 'ArrowLeft');
  assert.equal(page.state().cursor.key, 1, 'a word of the present text alone is one of its own');
  assert.deepEqual(page.all('.compare-head .compare-readout'), [
    `row it, column + spunky: before –, now ${now[1][0][11 * 15 + 1].toFixed(4)}, difference –`,
  ]);
  assert.deepEqual(listed(page), effectsOf(TIRED, LONGER, [9, 11]));
  await page.change({ cursor: { ...page.state().cursor, row: 8 } });
  assert.deepEqual(listed(page), [[], []], 'cold has nothing before');
  const shorter = await pinned(`model=creek&row=11&key=2&text=${encodeURIComponent(LONGER)}`, { text: TIRED });
  await shorter.change({ cursor: { ...shorter.state().cursor, row: 9, key: 1 } });
  assert.equal(mapsOf(shorter)[0].rowAxis.label(1), '− spunky');
  await shorter.press('.compare-head .map-cells', 'ArrowLeft');
  assert.equal(shorter.state().cursor.key, 0, 'over a word that is gone');
  assert.deepEqual(listed(shorter), effectsOf(LONGER, TIRED, [11, 9]));
});
