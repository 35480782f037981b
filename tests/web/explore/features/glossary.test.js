// Explanations: every node of every model has one, a symbol has that of its section; by pointer, focus and Escape.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gf } from '../table.js';

Reflect.set(globalThis, 'innerHeight', 768);
const { NODES, glossary } = await import('../../../../web/explore/features/glossary.js');
const { nodesOf } = await import('../../../../web/explore/shared/graph.js');
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
  for (const model of [...(await Promise.all(shipped)), ...made]) {
    const { encoder, decoder } = nodesOf(model, false);
    for (const { label } of [...(encoder ?? []), ...(decoder ?? [])]) assert(label in NODES, label);
    model.free();
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
