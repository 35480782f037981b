// The model graph as a reader sees it: which nodes, what their numbers are, what is marked, where clicks and keys lead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberOf } from '../../checks.js';
import { TARGET, compute } from '../../in-node.js';
import { stream } from '../../../../web/explore/derived/residual-stream.js';
import { nodesOf } from '../../../../web/explore/shared/graph.js';
import { gf, open } from '../table.js';

/** The parts that were lit. @type {string[]} */
const lit = [];
Element.prototype.animate = /** @type {any} */ (
  function (/** @type {any} */ ..._all) {
    lit.push(/** @type {HTMLElement} */ (/** @type {unknown} */ (this)).dataset.term ?? 'heads');
  }
);
const { modelGraph, pathTo } = await import('../../../../web/explore/features/model-graph.js');
/** @typedef {Awaited<ReturnType<typeof open>>} Page */

/** @param {string[]} steps @param {string} way */
const labels = (steps, way) => assert.equal(steps.join(' '), way);

test('the order of a model’s parts, in every arrangement', () => {
  const order = (/** @type {any} */ settings) => {
    const { model } = compute(
      gf,
      { layers: 1, ...settings },
      settings.kind === 'encoder-decoder' ? { target: 'der Hund' } : {},
    );
    const { encoder, decoder } = nodesOf(model);
    for (const { tensor, stream } of [...(encoder ?? []), ...(decoder ?? [])])
      assert(!stream || model.tensor(String(tensor)));
    model.free();
    return [encoder, decoder].map((steps) => steps?.map((step) => step.label) ?? []);
  };
  const begin = 'Tokens Embedding + Positions';
  labels(order({})[0], `${begin} Attention Add & norm FFN Add & norm`);
  labels(order({ norm: 'pre', finalNorm: true })[0], `${begin} Norm Attention Add Norm FFN Add Final norm`);
  labels(order({ norm: 'none', positions: 'none' })[0], 'Tokens Embedding Attention Add FFN Add');
  labels(order({ residual: false })[0], `${begin} Attention Norm FFN Norm`);
  labels(order({ residual: false, norm: 'none', d_ff: 0 })[0], `${begin} Attention`);
  labels(
    order({ kind: 'decoder', head: 'tied' })[1],
    `${begin} Attention Add & norm FFN Add & norm Logits Probabilities`,
  );
  const [encoder, decoder] = order({ kind: 'encoder-decoder', decoderLayers: 1 });
  labels(encoder, `${begin} Attention Add & norm FFN Add & norm Final norm`);
  labels(decoder, `${begin} Attention Add & norm Cross-attention Add & norm FFN Add & norm Final norm`);
});

test('the way to a weight: its stack up to the attention, and all of an encoder that it reads', () => {
  const { model } = compute(gf, { kind: 'encoder-decoder' }, { target: TARGET });
  const graph = stream(/** @type {any} */ ({ gf, model }));
  const labels = (/** @type {any} */ selection) => {
    const way = pathTo(graph, selection);
    return [graph.encoder, graph.decoder].map((own, i) => own?.nodes[(i ? way.decoder : way.encoder) - 1]?.label);
  };
  assert.deepEqual(labels({ kind: 'encoder', layer: 0 }), ['Attention', undefined]);
  assert.deepEqual(labels({ kind: 'cross', layer: 1 }), ['Final norm', 'Cross-attention']);
  assert.deepEqual(pathTo(graph, /** @type {any} */ ({ kind: 'decoder', layer: 0 })), { encoder: 0, decoder: 4 });
  model.free();
});

/** The L2 norm of one row. @param {{tensor: (name: string) => any}} model @param {string} name @param {number} row */
function norm(model, name, row) {
  const { data, shape } = model.tensor(name);
  const width = shape.at(-1);
  return Math.hypot(...data.subarray(row * width, (row + 1) * width));
}

/** The buttons that are no heads: what each is called, and its number. @param {Page} page */
const shown = (page) =>
  [...page.root.querySelectorAll('.model-graph-node')].map((node) => ({
    label: node.children[1].textContent,
    number: numberOf(String(node.querySelector('.model-graph-number')?.textContent)),
  }));

/** @param {number} number @param {number} computed */
const near = (number, computed) =>
  assert(Math.abs(number - computed) < 0.00501 + 1e-5 * computed, `shown ${number}, computed ${computed}`);

test('each part shows its number at the selected token', async () => {
  const page = await open(modelGraph, 'model=untrained&row=12');
  assert.deepEqual(page.needs(), [
    '@stream',
    'encoder.layers.0.self_attn.weights',
    'encoder.layers.1.self_attn.weights',
  ]);
  const { model } = compute(gf, {});
  const layer = (/** @type {number} */ i) =>
    ['norm1.out', 'ffn.out', 'norm2.out'].map((name) => `encoder.layers.${i}.${name}`);
  const names = ['encoder.embedding', 'encoder.input', ...layer(0), ...layer(1)];
  const numbers = () => shown(page).slice(1);
  assert.equal(numbers().length, names.length);
  numbers().forEach(({ number }, i) => near(number, norm(model, names[i], 12)));
  await page.change({ cursor: { ...page.state().cursor, row: 3 } });
  numbers().forEach(({ number }, i) => near(number, norm(model, names[i], 3)));
  await page.change({ settings: { ...page.state().settings, norm: 'pre' } });
  const pre = compute(gf, { norm: 'pre' });
  assert.deepEqual(
    shown(page)
      .slice(3, 8)
      .map(({ label }) => label),
    ['Norm', 'Add', 'Norm', 'FFN', 'Add'],
  );
  near(shown(page)[7].number, norm(pre.model, 'encoder.layers.0.residual2', 3));
});

/** @param {Page} page */
const way = (page) =>
  [...page.root.querySelectorAll('.on-path')].map(
    (each) => /** @type {HTMLElement} */ (each).dataset.term ?? each.getAttribute('aria-label'),
  );

test('the way follows the selected layer; another node than attention has none in the workspace', async () => {
  lit.length = 0;
  const page = await open(modelGraph, 'model=untrained');
  const first = ['Tokens', 'Embedding', '+ Positions', 'Encoder self-attention, layer 1'];
  assert.deepEqual(way(page), first);
  await page.click('[data-head="encoder 1 2"]');
  assert.deepEqual(page.state().selection, { kind: 'encoder', layer: 1, head: 2 });
  assert.deepEqual(way(page), [...first, 'Add & norm', 'FFN', 'Add & norm', 'Encoder self-attention, layer 2']);
  assert.equal(page.root.querySelector('[aria-checked=true]')?.getAttribute('data-head'), 'encoder 1 2');
  assert.deepEqual(lit, [], 'another head is no other cell');
  await page.change({ cursor: { ...page.state().cursor, row: 7, key: 3 } });
  assert.deepEqual(lit, [...first.slice(0, 3), 'heads', 'Add & norm', 'FFN', 'Add & norm', 'heads']);
  await page.click('.model-graph-node.ffn');
  assert.deepEqual([page.state().graph.node, page.state().selection.layer, way(page)], ['ffn', 0, []]);
  assert.equal(page.root.querySelectorAll('[aria-current=step]').length, 1);
  assert.match(String(page.root.querySelector('[aria-current=step]')?.textContent), /^Layer 1:\s*FFN/);
});

test('a node is of its stack and layer, and each sum has its own state of the residual stream', async () => {
  const page = await open(modelGraph, 'model=translate');
  const groups = page.root.querySelectorAll('[role=group]');
  assert.deepEqual(
    [...groups].map((each) => each.getAttribute('aria-label')),
    ['Encoder', 'Decoder'],
  );
  const grids = [...page.root.querySelectorAll('.model-graph-heads')];
  const stacks = { Encoder: ['Encoder self-attention'], Decoder: ['Decoder self-attention', 'Cross-attention'] };
  assert.deepEqual(
    grids.map((each) => each.getAttribute('aria-label')),
    Object.values(stacks).flatMap((kinds) => [1, 2].flatMap((layer) => kinds.map((kind) => `${kind}, layer ${layer}`))),
  );
  await page.click('[data-head="cross 1 0"]');
  assert.deepEqual(page.state().selection, { kind: 'cross', layer: 1, head: 0 });
  await page.click('[data-step="encoder 2"]');
  assert.deepEqual([page.state().graph.node, page.state().selection.kind], ['positions', 'encoder']);
  const seen = [];
  for (const sum of page.root.querySelectorAll('[data-step^=decoder].dot:is([data-term^=Add], [data-term$=orm])')) {
    await page.click(`[data-step="${/** @type {HTMLElement} */ (sum).dataset.step}"]`);
    const { graph, selection } = page.state();
    assert.equal(selection.kind === 'encoder', false);
    assert.equal(page.root.querySelectorAll('.dot[aria-current]').length, 1, 'it alone is current');
    seen.push(graph.stage);
  }
  assert.deepEqual(
    seen,
    seen.map((_, i) => i + 2),
    'one state each, in their order, behind the embedding and the positions',
  );
});

test('one tab stop, which the keys move; up and down choose a head', async () => {
  const page = await open(modelGraph, 'model=untrained');
  const name = () =>
    document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.children[1].textContent;
  const stops = () => [...page.root.querySelectorAll('#model-graph button')].filter(({ tabIndex }) => tabIndex === 0);
  stops()[0].focus();
  for (const [key, label] of [
    ...[2, 3, 4].map((head) => ['ArrowRight', `Encoder self-attention, layer 1, head ${head}`]),
    ['ArrowRight', 'Add & norm'],
    ['ArrowRight', 'FFN'],
    ['ArrowDown', 'FFN'],
    ['ArrowLeft', 'Add & norm'],
    ['Home', 'Words'],
    ['ArrowLeft', 'Words'],
    ['End', 'Add & norm'],
  ]) {
    await page.press(`[data-step="${/** @type {HTMLElement} */ (document.activeElement).dataset.step}"]`, key);
    assert.equal(name(), label, key);
    assert.deepEqual(stops(), [document.activeElement]);
  }
  assert.deepEqual(page.set, [], 'left and right choose nothing');
  await page.press('[data-head="encoder 0 1"]', 'ArrowDown');
  assert.deepEqual(page.state().selection, { kind: 'encoder', layer: 1, head: 1 });
});

test('a head that is off or replaced says so, to the eye and to the ear', async () => {
  const head = { what: 'head', kind: 'encoder', layer: 0, head: 1, to: 0 };
  const changes = encodeURIComponent(
    JSON.stringify([
      head,
      { ...head, layer: 1, head: 0, to: 'mean' },
      { ...head, what: 'headAt', layer: 2, row: 3 },
      { ...head, what: 'cell', layer: 2, head: 0, row: 3, key: 1, to: 0.5 }, // a weight is not the head
    ]),
  );
  const page = await open(modelGraph, `model=creek&changes=${changes}`);
  assert.deepEqual(
    [...page.root.querySelectorAll('.head')].map((each) => [
      each.getAttribute('aria-label')?.split(', head ')[1],
      each.textContent,
      each.classList.contains('off'),
    ]),
    [
      ['1', '', false],
      ['2, off', 'off', true],
      ['1, replaced by its average', 'mean', false],
      ['2', '', false],
      ['1', '', false],
      ['2, off', 'off', true],
    ],
  );
  assert.match(page.all('.model-graph-node').at(-1) ?? '', /^Answer, largest 0\.\d\d$/);
});

const PANELS = {
  ...{ tokens: 'words', embedding: 'embedding', positions: 'positions', attention: 'heatmap', add: 'residual-stream' },
  ...{ norm: 'layer-norm', ffn: 'ffn', logits: 'logit-lens', probabilities: 'logits' },
};

/** Where a panel stands, and how far the page of 768 px scrolls to it. @type {[number, number, number | null][]} */
const BOXES = [
  [0, 768, null],
  [-1, 100, -9],
  [700, 900, 140],
  [700, 1600, 692],
];

test('a click on a node or a head opens it, and brings its panel into sight', async () => {
  /** @type {[number, string][]} */
  const scrolled = [];
  const { scrollBy } = globalThis;
  Object.assign(globalThis, { scrollBy: (/** @type {any} */ { top, behavior }) => scrolled.push([top, behavior]) });
  for (const link of ['model=creek&head=2.1&row=12', 'model=translate&attention=decoder&head=1.1&row=1']) {
    const page = await open(modelGraph, link);
    const graph = page.result().derived.get('@stream');
    for (const stack of ['encoder', 'decoder'])
      for (const [index, node] of (graph[stack]?.nodes ?? []).entries()) {
        const { kind, layer, attention, sublayer } = node;
        const panel = PANELS[/** @type {keyof typeof PANELS} */ (kind)] ?? assert.fail(kind);
        const [top, bottom, by] = BOXES[index % BOXES.length];
        const section = document.createElement('section');
        section.innerHTML = `<h2>Panel</h2><div id="${panel}"></div><table></table>`;
        const box = () => /** @type {any} */ ({ top, bottom });
        Object.assign(section, { getBoundingClientRect: box, checkVisibility: () => true });
        const table = section.querySelector('table');
        Object.assign(/** @type {object} */ (table), { getBoundingClientRect: box, checkVisibility: () => true });
        document.body.append(section);
        scrolled.length = 0;
        if (kind === 'attention') {
          const { length } = page.root.querySelectorAll(`[data-step^="${stack} ${index} "]`);
          assert(length > 1);
          await page.change({ graph: { ...page.state().graph, node: 'ffn' } });
          await page.click(`[data-step="${stack} ${index} ${length - 1}"]`);
          assert.deepEqual(page.state().selection, { kind: attention, layer, head: length - 1 });
        } else {
          const { selection: before } = page.state();
          await page.click(`[data-step="${stack} ${index}"]`);
          const { graph: now, selection } = page.state();
          const stays = (before.kind === 'encoder') === (stack === 'encoder');
          assert.deepEqual([selection.kind, selection.layer], [stays ? before.kind : attention, layer ?? before.layer]);
          if (kind === 'add' || kind === 'norm') {
            const states = graph[stack].nodes.slice(0, index + 1).filter((/** @type {any} */ each) => each.stream);
            assert.deepEqual([now.sublayer, now.stage], [sublayer, Math.max(0, states.length - 1)]);
          }
        }
        assert.equal(page.state().graph.node, kind);
        assert.deepEqual(scrolled, by === null ? [] : [[by, 'smooth']], `${kind} ${top} ${bottom}`);
        assert.equal(document.activeElement === section.querySelector('h2'), kind !== 'attention', kind);
        section.remove();
      }
  }
  Object.assign(globalThis, { scrollBy });
});

test('nodes by their shape, name and mark; heads by what they are', async () => {
  const names = (/** @type {Awaited<ReturnType<typeof open>>} */ page, /** @type {string} */ shape) => [
    ...new Set(
      [...page.root.querySelectorAll(`.model-graph-node.${shape}`)].map(
        (each) => /** @type {HTMLElement} */ (each).dataset.term,
      ),
    ),
  ];
  for (const [link, dense, text, dot, ffn] of /** @type {[string, boolean, string[], string[], string[]][]} */ ([
    ['model=creek', false, ['Tokens', 'Embedding', '+ Positions', 'Logits', 'Probabilities'], ['Add & norm'], ['FFN']],
    [
      'model=translate',
      true,
      ['Tokens', 'Logits', 'Probabilities'],
      ['Embedding', '+ Positions', 'Add & norm'],
      ['FFN'],
    ],
    ['model=untrained&norm=pre', false, ['Tokens', 'Embedding', '+ Positions'], ['Norm', 'Add'], ['FFN']],
    [
      'model=untrained&normKind=rms&network=gated&activation=silu',
      true,
      ['Tokens', 'Add & RMSNorm'],
      ['Embedding', '+ Positions'],
      ['Gated FFN'],
    ],
  ])) {
    const page = await open(modelGraph, link);
    assert.equal(page.root.querySelectorAll('.model-graph.dense').length, Number(dense), link);
    assert.deepEqual([names(page, 'text'), names(page, 'dot'), names(page, 'ffn')], [text, dot, ffn], link);
    assert.equal(page.all('.model-graph-layer .model-graph-caption')[0], dense ? 'L1' : 'Layer 1');
    assert.deepEqual(
      page.all('.fed > .visually-hidden'),
      link.endsWith('translate') ? ['fed by the encoder’s output'] : [],
    );
    assert.equal(page.root.querySelectorAll('[role=radiogroup].cross').length, link.endsWith('translate') ? 2 : 0);
  }
  const page = await open(modelGraph, 'model=creek&head=3.2&row=12');
  assert.deepEqual(
    [...page.root.querySelectorAll('[role=radio][aria-checked=true]')].map(
      (each) => /** @type {HTMLElement} */ (each).dataset.head,
    ),
    ['encoder 2 1'],
  );
  assert.equal(page.root.querySelectorAll('[aria-current=step]').length, 1);
  const stop = /** @type {HTMLElement | null} */ (page.root.querySelector('#model-graph [tabindex="0"]'));
  assert.equal(stop?.dataset.head, 'encoder 2 1', 'the tab key reaches the selected head');
  await page.change({ selection: { kind: 'encoder', layer: 2, head: 1, mean: true } });
  assert.equal(page.root.querySelectorAll('.head.in-mean').length, 2);
  assert.equal(page.root.querySelectorAll('[aria-checked=true]').length, 0);
  assert.equal((await open(modelGraph, 'model=untrained&heads=0')).root.querySelectorAll('.head').length, 0);
});

test('All parts opens them, and leads back to the head; it scrolls there, and leaves the focus', async () => {
  const tops = /** @type {number[]} */ ([]);
  const { scrollBy } = globalThis;
  Object.assign(globalThis, { scrollBy: (/** @type {any} */ { top }) => tops.push(top) });
  const page = await open(modelGraph, 'model=creek&head=3.2&row=12');
  await page.change({ decision: [] });
  const [heads, map] = ['all-heads', 'heatmap'].map((id, i) => {
    const section = document.createElement('section');
    section.innerHTML = `<h2>Panel</h2><div id="${id}"></div>`;
    const box = () => ({ top: 800 + 100 * i, bottom: 900 + 100 * i });
    Object.assign(section, { getBoundingClientRect: box, checkVisibility: () => true });
    document.body.append(section);
    return section;
  });
  const button = /** @type {HTMLButtonElement} */ (page.root.querySelector('#open-heads'));
  button.focus();
  for (const [node, pressed, top] of /** @type {const} */ ([
    ['heads', 'true', 900 + 8 - 768],
    ['attention', 'false', 1000 + 8 - 768],
  ])) {
    await page.click('#open-heads');
    assert.deepEqual([page.state().graph.node, page.state().decision], [node, null]);
    assert.equal(button.getAttribute('aria-pressed'), pressed);
    assert.deepEqual([tops.pop(), document.activeElement], [top, button]);
  }
  assert.deepEqual(page.state().selection, { kind: 'encoder', layer: 2, head: 1 });
  // The rail's Try comes into sight too; what is hidden does not count.
  for (const [isSeen, top] of /** @type {const} */ ([
    [true, 1200 + 8 - 768],
    [false, 900 + 8 - 768],
  ])) {
    const rail = document.createElement('div');
    rail.id = 'try';
    Object.assign(rail, { getBoundingClientRect: () => ({ bottom: 1200 }), checkVisibility: () => isSeen });
    document.body.append(rail);
    await page.change({ graph: { ...page.state().graph, node: 'ffn' } });
    await page.click('#open-heads');
    assert.equal(tops.pop(), top);
    rail.remove();
  }
  assert.equal((await open(modelGraph, 'model=untrained&heads=0')).root.querySelector('#open-heads'), null);
  for (const each of [heads, map]) each.remove();
  Object.assign(globalThis, { scrollBy });
});

test('a graph wider than the window says where it goes on, and keeps the current node in sight', async () => {
  const page = await open(modelGraph, 'model=creek&head=1.1&row=12');
  const scroller = /** @type {HTMLElement} */ (page.root.querySelector('.map-scroll'));
  Object.defineProperties(scroller, { scrollWidth: { value: 1000 }, clientWidth: { value: 400 } });
  for (const [left, sides] of /** @type {[number, string[]][]} */ ([
    [0, ['more-after']],
    [2, ['more-after']],
    [3, ['more-before', 'more-after']],
    [597, ['more-before', 'more-after']],
    [598, ['more-before']],
    [600, ['more-before']],
  ])) {
    scroller.scrollLeft = left;
    scroller.dispatchEvent(new document.defaultView.Event('scroll'));
    const shown = ['more-before', 'more-after'].filter((each) => scroller.classList.contains(each));
    assert.deepEqual(shown, sides, `${left}`);
  }
  const box = (/** @type {number} */ left, /** @type {number} */ width) => () =>
    /** @type {any} */ ({ left, right: left + width, width });
  scroller.getBoundingClientRect = box(50, 400);
  for (const [at, to] of /** @type {[number, number][]} */ ([
    [60, 100], // in sight: the graph stays
    [410, 100],
    [411, 100 + 361 - 180], // to the middle
    [49, 100 - 1 - 180],
  ])) {
    await page.change({ graph: { ...page.state().graph, node: 'ffn' } });
    await new Promise(requestAnimationFrame);
    scroller.scrollLeft = 100;
    for (const each of page.root.querySelectorAll('button')) each.getBoundingClientRect = box(at, 40);
    await page.change({ graph: { ...page.state().graph, node: 'embedding' } });
    await new Promise(requestAnimationFrame);
    assert.equal(scroller.scrollLeft, to, `${at}`);
  }
});

test('each FFN has a picture: of 40 columns, of neighbours the largest magnitude, at each token', async () => {
  for (const [link, stack, layers, role, neurons] of /** @type {[string, string, number, string, number][]} */ ([
    ['model=creek', 'encoder', 3, 'activation', 96],
    ['model=translate&attention=cross', 'decoder', 2, 'activation', 96],
    ['model=untrained&network=gated&d_ff=24', 'encoder', 2, 'product', 24],
  ])) {
    const names = Array.from({ length: layers }, (_, layer) => `${stack}.layers.${layer}.ffn.${role}`);
    const own = {
      ...modelGraph,
      needs: (/** @type {any} */ query) => [...(modelGraph.needs?.(query) ?? []), ...names],
    };
    const page = await open(/** @type {any} */ (own), link);
    const { tensors, derived, plan } = page.result();
    const ffns = derived.get('@stream')[stack].nodes.filter((/** @type {any} */ { kind }) => kind === 'ffn');
    assert.equal(plan.settings.d_ff, neurons);
    for (const [layer, { neurons: small }] of ffns.entries()) {
      const { data, shape } = tensors.get(names[layer]);
      const columns = Math.min(40, neurons);
      const largest = Array.from({ length: shape[1] * columns }, () => 0);
      for (const [i, value] of data.entries()) {
        const column = Math.floor(((i % neurons) * columns) / neurons);
        const at = Math.floor(i / neurons) * columns + column;
        if (Math.abs(value) > Math.abs(largest[at])) largest[at] = value;
      }
      assert.equal(small.columns, columns);
      assert(
        small.data.every((/** @type {number} */ value, /** @type {number} */ i) => value === largest[i]),
        `${link}, layer ${layer + 1}`,
      );
      assert.equal(small.data.length, largest.length);
    }
    const stacks = page.root.querySelectorAll('.model-graph-nodes').length;
    assert.equal(page.root.querySelectorAll('.model-graph-node.ffn canvas').length, layers * stacks);
  }
});

test('what decided the answer is marked: its heads, and its FFN', async () => {
  const tired = encodeURIComponent('The dog did not jump over the creek because it was tired.');
  const page = await open(modelGraph, `model=creek&row=9&head=3.2&text=${tired}`);
  const link = { kind: 'encoder', layer: 2, head: 0, row: 9, key: 1, weight: 1, probability: 0.1, carries: true };
  const ffn = { stack: 'encoder', layer: 1, row: 9, off: 0.1, turned: 0.9 };
  page.result().derived.set('@decision/9//[]', { unfinished: false, links: [link], ffns: [ffn] });
  await page.change({ decision: [] });
  const marked = [...page.root.querySelectorAll('.decisive')].map((each) => each.textContent?.trim() || each.ariaLabel);
  assert.deepEqual(
    marked.map((each) => each?.replace(/\s+/g, ' ').replace(/, vector length.*/, '')),
    ['Layer 2: FFN', 'Encoder self-attention, layer 3, head 1'],
  );
});
