// Explanations: every node of every model has one, a symbol has that of its section; by pointer, focus and Escape.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gf, open, openFolder } from '../table.js';

Reflect.set(globalThis, 'innerHeight', 768);
const { NODES, glossary } = await import('../../../../web/explore/features/glossary.js');
const { nodesOf } = await import('../../../../web/explore/shared/graph.js');
const { features } = await import('../../../../web/explore/index.js');
const { placeFeature } = await import('../../../../web/kit/feature.js');

test('each node of every model has its explanation', async () => {
  const shipped = ['creek', 'translate', 'continue', 'austen'].map(
    async (name) => (await gf.loadModel(readFileSync(`web/models/${name}.safetensors`))).model,
  );
  const made = /** @type {const} */ (['post', 'pre', 'none']).flatMap((norm) =>
    /** @type {const} */ (['encoder', 'decoder', 'encoder-decoder']).map((kind) =>
      gf.createModel({ kind, norm, vocabulary: 9, d_model: 8, heads: 2, layers: 1, d_ff: 8, maxLength: 8 }),
    ),
  );
  const head = /** @type {const} */ ({ vocabulary: 9, head: 'tied', finalNorm: true, headTransform: true });
  const small = { d_model: 8, heads: 2, layers: 1, d_ff: 8, maxLength: 8 };
  const others = [
    { kind: 'encoder', embeddingNorm: true, ...head },
    { kind: 'decoder', normKind: 'rms', ffn: 'gated', activation: 'silu', norm: 'pre', ...head },
    { kind: 'encoder', normKind: 'rms', inputWidth: 2, outputWidth: 1 },
  ].map((each) => gf.createModel(/** @type {any} */ ({ ...small, ...each })));
  const met = new Set();
  for (const model of [...(await Promise.all(shipped)), ...made, ...others]) {
    const { encoder, decoder } = nodesOf(model, false);
    for (const { label } of [...(encoder ?? []), ...(decoder ?? [])]) met.add(label);
    model.free();
  }
  assert.deepEqual([...met].sort(), Object.keys(NODES).sort());
  assert(Object.values(NODES).every((each) => /^[A-Z].{20,}\.$/.test(each)));
});

/** Each with a link in which its formulas differ. @type {[feature: string, ...links: string[]][]} */
const FORMULAS = [
  ['heatmap', 'creek&row=12'],
  ['computation', 'creek&row=12'],
  ['residual-token', 'creek&row=12'],
  ['layer-norm', 'creek&row=12', 'untrained&normKind=rms'],
  ['ffn', 'creek&row=12', 'untrained&network=gated&activation=silu'],
  ['positions', 'creek&row=12'],
  ['logits', 'bert-2l&row=2'],
  ['logit-lens', 'bert-2l&row=2'],
  ['embedding-why', 'creek&embedding=input', 'bert-2l&row=2&embedding=input'],
  ['positions-why', 'untrained&positions=learned'],
  ['norm-why', 'creek&row=12&part=norm', 'untrained&normKind=rms&part=norm'],
  ['sum-why', 'creek&row=1&stage=1', 'creek&row=1&stage=2'],
  ['neuron-why', 'creek&row=12', 'untrained&network=gated&activation=silu'],
  ['logit-why', 'bert-2l&row=2'],
];

test('each symbol of each formula has its explanation', async () => {
  await openFolder('bert-2l');
  const { Event, MouseEvent, KeyboardEvent } = /** @type {any} */ (document.defaultView);
  const main = document.createElement('div');
  main.id = 'explore';
  document.body.replaceChildren(main);
  placeFeature(glossary(new Event('focusin')), main, {}, async () => {});
  const tip = document.getElementById('tip') ?? assert.fail();
  for (const [name, ...links] of FORMULAS) {
    const row = /** @type {any} */ (features.find((each) => each.name === name));
    const feature = row.load ? await row.load() : row;
    for (const link of links) {
      const page = await open(feature, `model=${link}`);
      document.body.append(main, tip);
      main.replaceChildren(page.root);
      const symbols = [...page.root.querySelectorAll('.formula mi')];
      assert(symbols.length > 0, `${name} ${link}`);
      for (const symbol of symbols) {
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
        const touch = new MouseEvent('pointerdown', { bubbles: true });
        symbol.dispatchEvent(Object.assign(touch, { pointerType: 'touch' }));
        const what = `${name}, ${link}: ${symbol.closest('msub')?.textContent ?? symbol.textContent}`;
        assert.equal(tip.hidden, false, what);
        assert.match(String(tip.textContent), /^\S+: .{8,}$/, what);
      }
    }
  }
});

test('what is pointed at first is explained, then what has the focus; Escape takes it away', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  document.body.innerHTML = `<div id="explore">
    <section aria-labelledby="ffn-title">
      <p class="formula"><msub><mi>W</mi><mi>1</mi></msub><mi>x</mi></p></section>
    <section aria-labelledby="logits-title"><p class="formula"><mi>w</mi><mi>ж</mi></p></section>
    <button data-term="FFN" data-measure="length at “it”" aria-label="FFN of layer 1">
      <b class="model-graph-number">2.5</b></button>
    <b class="legend-swatch">masked</b><b class="legend-scale"></b></div>`;
  const root = /** @type {HTMLElement} */ (document.getElementById('explore'));
  const [ffn, logits] = root.querySelectorAll('.formula');
  const [W, , x, w, unknown] = root.querySelectorAll('mi');
  const [node, swatch, scale] = ['button', '.legend-swatch', '.legend-scale'].map(
    (each) => /** @type {HTMLElement} */ (root.querySelector(each)),
  );
  const { Event, KeyboardEvent } = /** @type {any} */ (document.defaultView);
  const over = (/** @type {Element} */ on) => {
    const event = new Event('pointerover', { bubbles: true });
    on.dispatchEvent(event);
    return event;
  };
  const placed = placeFeature(glossary(over(node)), root, {}, async () => {});
  const tip = /** @type {HTMLElement} */ (document.getElementById('tip'));
  const rest = () => context.mock.timers.tick(400);
  assert.equal(tip.hidden, true, 'the pointer rests first');
  rest();
  assert.deepEqual(
    [tip.role, tip.textContent, node.getAttribute('aria-describedby')],
    ['tooltip', `FFN of layer 1: ${NODES.FFN}length at “it”: 2.5`, 'tip'],
  );
  for (const [on, says] of /** @type {const} */ ([
    [W, /^W1: the first matrix/],
    [x, /^x: a token’s vector$/],
    [w, /^w: the token$/],
    [swatch, /^masked: The mask hides/],
    [scale, /^Scale: The colours/],
  ])) {
    over(on);
    rest();
    assert.match(tip.textContent ?? '', says);
    assert.equal(tip.hidden, false);
  }
  assert.equal(node.hasAttribute('aria-describedby'), false);
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  assert.equal(tip.hidden, true);
  over(unknown);
  rest();
  assert.equal(tip.hidden, true, 'nothing is said of what has no meaning here');

  placed.show({});
  for (const formula of [ffn, logits])
    assert.deepEqual(
      ['tabindex', 'role', 'aria-label'].map((name) => formula.getAttribute(name)),
      ['0', 'group', 'Formula'],
    );
});

test('the tooltip follows pointer, finger, focus and scrolling, and stands where there is space', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  document.body.innerHTML = `<div id="explore"><section aria-labelledby="ffn-title">
      <p class="formula" id="known"><msub><mi>W</mi><mi>1</mi></msub><mi>x</mi><mi>x</mi><mi>ж</mi></p>
      <p class="formula" id="unknown"><mi>ж</mi></p></section>
    <button data-term="FFN"><b>FFN</b></button><p data-term="Add" tabindex="0">Add</p>
    <b class="legend-swatch"> unheard </b><i>aside</i></div>`;
  const root = /** @type {HTMLElement} */ (document.getElementById('explore'));
  const one = (/** @type {string} */ each) => /** @type {HTMLElement} */ (root.querySelector(each));
  const { Event, MouseEvent, KeyboardEvent } = /** @type {any} */ (document.defaultView);
  /** @param {Element | Document} on @param {string} type @param {string} [pointerType] */
  function send(on, type, pointerType = 'mouse') {
    const bubbles = !/^pointer(enter|leave)$/.test(type);
    const event = Object.assign(new (/^pointer/.test(type) ? MouseEvent : Event)(type, { bubbles }), { pointerType });
    on.dispatchEvent(event);
    return event;
  }
  const [known, unknown, button, add, swatch, aside] = [
    '#known',
    '#unknown',
    'button',
    'p[data-term]',
    'b.legend-swatch',
    'i',
  ].map(one);
  const placed = placeFeature(glossary(send(aside, 'focusin')), root, {}, async () => {});
  const tip = /** @type {HTMLElement} */ (document.getElementById('tip'));
  const wait = (/** @type {number} */ ms) => context.mock.timers.tick(ms);
  const says = () => (tip.hidden ? null : tip.textContent);
  const FFN = `FFN: ${NODES.FFN}`;
  const ADD = `Add: ${NODES.Add}`;
  wait(1000);
  assert.equal(says(), null, 'nothing to say of what came first');

  // The pointer rests, leaves, and may go to the tooltip.
  send(button.firstElementChild ?? button, 'pointerover');
  wait(299);
  assert.equal(says(), null);
  wait(1);
  assert.equal(says(), FFN);
  send(button, 'pointerout');
  wait(199);
  assert.equal(says(), FFN);
  send(button, 'pointerover'); // back on the same
  wait(1000);
  assert.equal(says(), FFN);
  send(button, 'pointerout');
  send(tip, 'pointerenter');
  wait(1000);
  assert.equal(says(), FFN, 'it stays while the pointer is on it');
  send(tip, 'pointerleave');
  wait(200);
  assert.equal(says(), null);
  send(button, 'pointerover');
  wait(100);
  send(button, 'pointerout');
  wait(1000);
  assert.equal(says(), null, 'the pointer went on before');
  send(button, 'pointerover');
  wait(200);
  send(add, 'pointerover');
  wait(200);
  assert.equal(says(), null, 'it rests anew');
  wait(100);
  assert.equal(says(), ADD);
  assert.equal(add.getAttribute('aria-describedby'), 'tip');
  send(swatch, 'pointerover');
  wait(1000);
  assert.equal(says(), ADD, 'a legend without words changes nothing');
  send(add, 'pointerdown');
  assert.deepEqual([says(), add.hasAttribute('aria-describedby')], [null, false]);

  // A finger: a tap explains, on a button a long press.
  send(add, 'pointerover', 'touch');
  wait(1000);
  assert.equal(says(), null);
  send(add, 'pointerdown', 'touch');
  assert.equal(says(), ADD);
  send(add, 'pointerup', 'touch');
  send(add, 'pointerout', 'touch');
  wait(1000);
  assert.equal(says(), ADD, 'it stays when the finger is gone');
  send(aside, 'pointerdown', 'touch');
  assert.equal(says(), null);
  send(button, 'pointerdown', 'touch');
  wait(499);
  assert.equal(says(), null);
  send(button, 'pointerup', 'touch');
  wait(1000);
  assert.equal(says(), null, 'a short tap is the button’s');
  send(button, 'pointerdown', 'touch');
  wait(500);
  assert.equal(says(), FFN);
  send(button, 'pointercancel', 'touch');
  wait(1000);
  assert.equal(says(), FFN);

  // The focus: of a formula all symbols, each once.
  placed.show({});
  assert.deepEqual([known.tabIndex, unknown.hasAttribute('tabindex')], [0, false]);
  const matches = /** @type {any} */ (known).matches;
  Object.assign(known, {
    matches: (/** @type {string} */ each) => each === ':focus-visible' || matches.call(known, each),
  });
  send(known, 'focusin');
  assert.match(says() ?? '', /^W1: the first matrix[^:]*; its rows are what the neurons look forx: a token’s vector$/);
  assert.equal(tip.querySelectorAll('sub').length, 1);
  send(known, 'focusout');
  assert.equal(says(), null);
  send(aside, 'focusin');
  assert.equal(says(), null, 'the focus of a click');
  Object.assign(add, { matches: (/** @type {string} */ each) => each === ':focus-visible' });
  send(add, 'focusin');
  assert.equal(says(), ADD);

  // Escape is the tooltip's while it is shown, else another's.
  let escapes = 0;
  add.addEventListener('keydown', () => escapes++);
  const press = (/** @type {string} */ key) => add.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  press('a');
  assert.deepEqual([says(), escapes], [ADD, 1]);
  press('Escape');
  assert.deepEqual([says(), escapes], [null, 1]);
  press('Escape');
  assert.equal(escapes, 2);

  // Below its part, above it at the foot of the window, never beyond an edge; gone with its part.
  const size = { offsetWidth: 300, offsetHeight: 100 };
  for (const [name, value] of Object.entries(size)) Object.defineProperty(tip, name, { value });
  Object.defineProperty(document.documentElement, 'clientWidth', { value: 1024, configurable: true });
  let box = { left: 50, top: 80, bottom: 100 };
  add.getBoundingClientRect = () => /** @type {any} */ (box);
  const at = () => [tip.style.left, tip.style.top];
  send(add, 'focusin');
  assert.deepEqual(at(), ['50px', '106px']);
  for (const [moved, place] of /** @type {[typeof box, string[]][]} */ ([
    [{ left: 900, top: 641, bottom: 661 }, ['720px', '667px']],
    [{ left: -20, top: 642, bottom: 662 }, ['4px', '536px']],
    [{ left: 4, top: 50, bottom: 700 }, ['4px', '0px']],
    [{ left: 9, top: -20, bottom: 0 }, ['9px', '6px']],
    [{ left: 9, top: 768, bottom: 788 }, ['9px', '662px']],
  ])) {
    box = moved;
    send(document, 'scroll');
    assert.deepEqual([says(), at()], [ADD, place], JSON.stringify(moved));
  }
  for (const away of [
    { left: 9, top: -21, bottom: -1 },
    { left: 9, top: 769, bottom: 789 },
  ]) {
    box = away;
    send(document, 'scroll');
    assert.equal(says(), null, JSON.stringify(away));
    send(document, 'scroll');
    box = { left: 50, top: 80, bottom: 100 };
    send(add, 'focusin');
    assert.equal(says(), ADD);
  }
  Reflect.deleteProperty(document.documentElement, 'clientWidth');
});
