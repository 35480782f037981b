// The model graph from left to right: a button for each node, with its number at the pinned token.

import { html, nothing, render } from 'lit-html';
import { paintMatrix } from '../../draw/canvas.js';
import { placeByKey } from '../../draw/arrow-keys.js';

/**
 * `around`: the node lies under its sublayer's residual connection; the nodes of a sublayer share layer and
 * place. `feeds`: the stack's output goes to the cross-attention of the other stack.
 * @typedef {{
 *   index: number, layer: number | null, place: number, label: string, number: string, value: number,
 *   around: boolean, cross: boolean, current: boolean,
 *   thumbnail: import('../../draw/canvas.js').Matrix | null, onPath: boolean,
 * }} GraphNode
 * @typedef {{stack: 'encoder' | 'decoder', word: string, feeds: boolean, nodes: GraphNode[]}} StackNodes
 * @typedef {{stacks: StackNodes[], opened: {cell: string, words: string[]}}} ModelGraphData
 * `thumbnail`: of the node's tensor; `onPath`: it lies on the way from the tokens to the open weight.
 * `opened`: which weight that is, in which text.
 */

/** The line to the other stack. */
const FEEDS = html`<span class="model-graph-feeds"><span
  class="visually-hidden">to the decoder’s cross-attention</span></span>`;

/** @param {number} layer */
const caption = (layer) => html`<span class="model-graph-caption" aria-hidden="true">layer ${layer + 1}</span>`;

/**
 * @param {HTMLElement} root
 * @param {{onGo: (place: {stack: 'encoder' | 'decoder', index: number}) => void}} options
 */
export function create(root, { onGo }) {
  root.setAttribute('role', 'toolbar');
  root.ariaLabel = 'Model graph';
  let stop = ''; // the node that the tab key reaches
  let currentBefore = '';

  const buttons = () => /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll('button')]);

  /** One tab stop: the current node, until arrow keys choose another. @param {ModelGraphData} data */
  function moveStop({ stacks }) {
    const all = stacks.flatMap(({ stack, nodes }) =>
      nodes.map(({ index, current }) => ({ key: `${stack} ${index}`, current })),
    );
    const current = all.find((each) => each.current)?.key ?? '';
    const moved = current !== currentBefore;
    if (moved || !all.some(({ key }) => key === stop)) stop = current || all[0]?.key;
    currentBefore = current;
    return moved;
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const all = buttons();
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const target = placeByKey(event, at, all.length - 1);
    if (at < 0 || target === undefined) return;
    event.preventDefault();
    const next = all[target];
    if (!next) return;
    all[at].tabIndex = -1;
    next.tabIndex = 0;
    stop = String(next.dataset.step);
    next.focus();
  }
  root.addEventListener('keydown', onKey);

  const unhint = hintSides(root);

  /** @param {StackNodes} of @param {GraphNode} step */
  const button = (
    { stack },
    { index, label, number, cross, current, layer, thumbnail, onPath },
  ) => html`<button type="button"
    class=${`model-graph-node${cross ? ' cross' : ''}${onPath ? ' on-path' : ''}`} data-step="${stack} ${index}"
    .tabIndex=${stop === `${stack} ${index}` ? 0 : -1} aria-current=${current ? 'step' : nothing}
    @click=${() => onGo({ stack, index })}><span class="visually-hidden">${
      layer === null ? '' : `Layer ${layer + 1}: `
    }</span><span>${label}</span> <span class="model-graph-number">${number}</span>${
      thumbnail ? html`<canvas class="model-graph-thumbnail" aria-hidden="true"></canvas>` : nothing
    }</button>`;

  /** @param {StackNodes} of @param {boolean} fed by the other stack's output */
  function stackTemplate(of, fed) {
    const name = of.stack === 'encoder' ? 'Encoder' : 'Decoder';
    const sublayer = (/** @type {GraphNode[]} */ nodes) => html`<div
      class=${nodes[0].around ? 'model-graph-sublayer around' : 'model-graph-sublayer'}>${nodes.map((step) =>
        button(of, step),
      )}</div>`;
    return html`<div class="model-graph-stack" role="group" aria-label=${name}>
        <p class="model-graph-title">${name} at <bdi class="quoted">${of.word}</bdi>: vector lengths</p>
        <div class=${fed ? 'model-graph-nodes fed' : 'model-graph-nodes'}>
          ${byLayer(of.nodes).map(
            ({ layer, groups }) => html`<div class=${layer === null ? 'model-graph-group' : 'model-graph-layer'}>
            ${layer === null ? nothing : caption(layer)}
            ${groups.map(sublayer)}
          </div>`,
          )}
          ${of.feeds ? FEEDS : nothing}
        </div></div>`;
  }

  /** @type {ModelGraphData['opened'] | null} */
  let opened = null;
  /** The way to another cell of the same text lights up node by node. @param {ModelGraphData['opened']} now */
  function lightPath(now) {
    const isOther = opened && opened.words === now.words && opened.cell !== now.cell;
    opened = now;
    if (isOther && !matchMedia('(prefers-reduced-motion: reduce)').matches) light(root);
  }

  return {
    /** @param {ModelGraphData | null} data */
    update(data) {
      const moved = data && moveStop(data);
      const stacks = data?.stacks ?? [];
      render(
        stacks.map((of) => stackTemplate(of, stacks.length > 1 && !of.feeds)),
        root,
      );
      paint(root, stacks);
      if (data) lightPath(data.opened);
      if (moved) revealCurrent(root);
    },
    destroy() {
      root.removeEventListener('keydown', onKey);
      unhint();
      root.replaceChildren();
    },
  };
}

/**
 * What scrolls tells at which sides it goes on.
 * @param {HTMLElement} root
 * @returns {() => void} ends that
 */
function hintSides(root) {
  const scroller = /** @type {HTMLElement} */ (root.parentElement);
  const hint = () => {
    const rest = scroller.scrollWidth - scroller.clientWidth - scroller.scrollLeft;
    scroller.classList.toggle('more-before', scroller.scrollLeft > 2);
    scroller.classList.toggle('more-after', rest > 2);
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(hint));
  for (const each of [scroller, root]) observer.observe(each);
  scroller.addEventListener('scroll', hint, { passive: true });
  return () => {
    scroller.removeEventListener('scroll', hint);
    observer.disconnect();
  };
}

/** @param {HTMLElement} root @param {StackNodes[]} stacks */
function paint(root, stacks) {
  const canvases = root.querySelectorAll('canvas');
  const thumbnails = stacks.flatMap(({ nodes }) => nodes.flatMap(({ thumbnail }) => thumbnail ?? []));
  thumbnails.forEach((thumbnail, i) => paintMatrix(canvases[i], thumbnail));
}

/** Lights the nodes of the way, one after the other. @param {HTMLElement} root */
function light(root) {
  root.querySelectorAll('.on-path').forEach((node, i) => {
    const lit = { backgroundColor: 'var(--accent-soft)', boxShadow: '0 0 0 2px var(--accent)', offset: 0.5 };
    node.animate([lit], { duration: 400, delay: 60 * i });
  });
}

/** Scrolls the graph, not the page, to the current node. @param {HTMLElement} root */
function revealCurrent(root) {
  requestAnimationFrame(() => {
    const part = /** @type {HTMLElement | null} */ (root.querySelector('[aria-current]'));
    const scroller = root.parentElement;
    if (!part || !scroller) return;
    const [inner, outer] = [part, scroller].map((each) => each.getBoundingClientRect());
    if (inner.left < outer.left || inner.right > outer.right)
      scroller.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  });
}

/**
 * Steps in a row by their layer, and in a layer by their sublayer.
 * @param {GraphNode[]} nodes
 */
function byLayer(nodes) {
  /** @type {{layer: number | null, groups: GraphNode[][]}[]} */
  const layers = [];
  for (const step of nodes) {
    const last = layers.at(-1);
    if (!last || last.layer !== step.layer || step.layer === null) layers.push({ layer: step.layer, groups: [[step]] });
    else if (last.groups.at(-1)?.[0].place === step.place) last.groups.at(-1)?.push(step);
    else last.groups.push([step]);
  }
  return layers;
}
