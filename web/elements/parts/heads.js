// All heads and FFNs of the model as small maps, each with a bar for what it adds to the answer at the chosen word.

import { html, nothing, render } from 'lit-html';
import { paintParts, partsGrid, signed } from '../../draw/parts-grid.js';
import { createLate } from './late.js';
import { addedAt } from './numbers.js';
import base from 'elements-parts.css'; // ../parts.css and heads.css, made small by src/tools/build.mjs
import own from 'elements-heads.css';

/** @typedef {import('./numbers.js').Added | null} Added */

export const style = base + own;

/** @param {HTMLElement} body */
export function create(body) {
  /** @type {() => void} */
  let paint = () => {};
  let frame = 0;
  /** In the next frame: all elements stand in the page by then, which is laid out once. */
  function paintSoon() {
    if (!globalThis.ResizeObserver) return; // jsdom
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => paint());
  }
  const sizes = globalThis.ResizeObserver && new ResizeObserver(paintSoon);
  sizes?.observe(body);
  /** @type {{shown: import('../part.js').Shown, tools: import('../part.js').PartTools}} */
  let last;
  const bars = createLate(
    (/** @type {Added | undefined} */ added = null) => {
      const { shown, tools } = last;
      const grid = gridOf(shown, tools, added);
      render(template(grid, shown.pass.words[shown.choice.row], added), body);
      paint = () => paintParts(/** @type {Element} */ (body.querySelector('.all-heads')), grid);
      paintSoon();
    },
    (error) => last.tools.report(error),
  );
  return {
    /** @param {import('../part.js').Shown} shown */
    ready: ({ pass, choice }) => addedAt(pass, choice.row),
    /** @param {import('../part.js').Shown} shown @param {import('../part.js').PartTools} tools */
    update(shown, tools) {
      last = { shown, tools };
      const { pass, choice } = shown;
      bars.update(pass, choice.row, () => addedAt(pass, choice.row));
    },
    destroy: () => sizes?.disconnect(),
  };
}

/**
 * @param {import('../part.js').Shown} shown @param {import('../part.js').PartTools} tools @param {Added} added
 */
function gridOf({ pass, choice }, { scheme, choose }, added) {
  const { words, heads, layers, neurons, hidden } = pass;
  const isKind = (/** @type {import('glassformer').Attribution['parts'][number]} */ part) =>
    part.attention === undefined || (part.attention === 'cross') === (pass.attention === 'cross');
  const partOf = (/** @type {number} */ layer, /** @type {number | undefined} */ head) =>
    added?.parts.find((part) => part.layer === layer && part.head === head && isKind(part));
  return {
    ...{ title: pass.title, heads, neurons, hidden, scheme, isRoot: true, hasFfn: neurons > 0 },
    size: { rows: words.length, columns: pass.columnWords.length },
    layers: Array.from({ length: layers }, (_, layer) => ({
      layer,
      data: pass.weights(layer),
      activations: neurons > 0 ? pass.activations(layer) : null,
      parts: Array.from({ length: heads }, (_, head) => partOf(layer, head)),
      ffn: partOf(layer, undefined),
    })),
    kinds: { count: 1, rows: layers },
    selected: choice,
    most: added?.parts.reduce((most, { value }) => Math.max(most, Math.abs(value)), 0) ?? 0,
    said: (/** @type {{value: number}} */ { value }) => signed(value),
    open(/** @type {number} */ layer, /** @type {number | null} */ head) {
      if (head === null) choose({ neuron: `${layer + 1}.${strongest(pass, layer, choice.row)}` });
      else choose({ head: pass.headName(layer, head), key: null });
    },
  };
}

/**
 * The most active neuron at a word.
 * @param {import('../pass.js').Pass} pass @param {number} layer @param {number} row
 */
function strongest(pass, layer, row) {
  const own = pass.activations(layer).subarray(row * pass.neurons, (row + 1) * pass.neurons);
  return own.indexOf(own.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)));
}

/** @param {ReturnType<typeof gridOf>} grid @param {string} word @param {Added} added */
const template = (grid, word, added) => html`<div class="grid" part="heads">${partsGrid(grid)}</div>
  <p class="hint">A row is a layer: a map for each head, and the neurons of its FFN.${
    added
      ? html` Its bar: what it adds for <bdi>${added.word}</bdi> at <bdi>${word}</bdi> (to the right) or against it.`
      : nothing
  }</p>`;
