// Explore's one menu "Save the figure last used": it offers what the page shows now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM(`<!doctype html><header><button id="header">More</button></header>
  <main id="main" tabindex="-1"><div id="explore">
    <section class="panel" id="graph"><button id="node">FFN</button></section>
    <div class="workspace">
      <div class="main-pane">
        <section class="panel" id="attention"><div id="map"><div id="cells" tabindex="0"></div></div></section>
        <section class="panel" id="ffn" data-away>
          <h2 id="ffn-title" tabindex="-1">FFN</h2><div id="neurons"></div>
        </section>
      </div>
      <div class="why-pane"><section class="panel" id="why"><button id="step">Step</button></section></div>
    </div>
    <section class="panel"><div id="menu"></div><button id="csv">CSV</button></section>
  </div></main>`);
for (const name of ['window', 'document', 'Node', 'Element', 'HTMLElement', 'CustomEvent'])
  Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });
const { announceDrawn, announceFigure } = await import('../../../web/draw/figure.js');
const { putFeet } = await import('../../../web/export/feet.js');

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id @param {string} name */
const drawMap = (id, name) => announceDrawn(at(id), 'mapchange', { name, matrix: {} });
/** @param {string} id */
const drawFigure = (id) => announceFigure(at(id), { name: id, element: at(id), tables: () => [] });
/** @param {boolean} isFfn */
function show(isFfn) {
  at('attention').toggleAttribute('data-away', isFfn);
  at('ffn').toggleAttribute('data-away', !isFfn);
  drawFigure('graph');
}
/** @param {string} id */
const click = (id) => at(id).dispatchEvent(new window.Event('click', { bubbles: true }));
/** @param {string} id */
const focus = (id) => at(id).focus();
const offered = () => at('menu').querySelector('summary span')?.textContent?.slice(2);

drawFigure('graph');
drawMap('map', 'attention');
drawFigure('why');
putFeet({ result: () => null, pinned: () => null }, at('menu'));

test('it offers the view until another figure is used, and a figure of the view last used', () => {
  assert.equal(offered(), 'attention');
  click('step');
  assert.equal(offered(), 'why');
  focus('cells');
  assert.equal(offered(), 'attention');
  click('graph');
  assert.equal(offered(), 'graph', 'a click that leads nowhere is for the graph itself');
});

test('a click outside of a figure’s panel changes nothing', () => {
  click('cells');
  for (const id of ['header', 'main', 'csv']) {
    focus(id);
    click(id);
    assert.equal(offered(), 'attention', id);
  }
});

test('a node’s view takes the place of the graph that led there, whenever its figure comes', () => {
  for (const isLate of [true, false]) {
    click('node');
    show(true);
    if (isLate) focus('ffn-title');
    drawMap('neurons', 'neurons');
    if (!isLate) focus('ffn-title');
    assert.equal(offered(), 'neurons');
    click('node');
    show(false);
    drawMap('map', 'attention');
    assert.equal(offered(), 'attention');
  }
});
