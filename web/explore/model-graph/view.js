// The model graph from left to right, on a line, the residual stream: a button for each node, a map for each head.

import { html, nothing, render } from 'lit-html';
import { paintMatrix } from '../../draw/canvas.js';
import { hueOf, probabilityScale } from '../../draw/color.js';
import { indexByKey } from '../../draw/arrow-keys.js';

/**
 * The weights of all heads of one attention, [heads, rows, columns] flat; null: they are not computed now. `marks`: one
 * word about each head that is set by hand.
 * @typedef {{
 *   kind: string, title: string, marks: (string | null)[], rows: number, columns: number, data: Float32Array | null,
 *   hidden: Uint8Array, rowWords: string[], columnWords: string[],
 * }} Heads
 *
 * `measure`: what `number` is of the token; `onPath`: it lies on the way from the tokens to the open weight;
 * `decisive`: the answer hangs on it; of an attention on that head.
 * @typedef {{
 *   index: number, kind: import('../shared/graph.js').NodeKind, layer: number | null, label: string,
 *   measure: string, number: string, value: number, heads: Heads | null, current: boolean, onPath: boolean,
 *   decisive?: number | boolean,
 * }} GraphNode
 * @typedef {{stack: 'encoder' | 'decoder', word: string, nodes: GraphNode[]}} StackNodes
 *
 * `mean`: the mean of the layer's heads is shown instead of the one head. `opened`: which weight is open, in which
 * text; `unit`: what a token is called.
 * @typedef {{
 *   stacks: StackNodes[], selected: {kind: string, layer: number, head: number, mean?: boolean},
 *   colours: 'linear' | 'root', scheme: import('../../draw/color.js').Scheme, opened: {cell: string, words: string[]},
 *   unit: 'word' | 'token',
 * }} ModelGraphData
 *
 * `stop`: the button that the tab key reaches.
 * @typedef {(place: {stack: 'encoder' | 'decoder', index: number, head?: number}) => void} Go
 * @typedef {ModelGraphData & {stop: string, dense: boolean, onGo: Go}} Drawing
 */

/** What a node is called here. @param {string} label @param {Drawing['unit']} unit */
const shownLabel = (label, unit) =>
  label === 'Probabilities' ? 'Answer' : label === 'Tokens' && unit === 'word' ? 'Words' : label;

/** The marks for screen readers. @type {Record<string, string>} */
const SPOKEN = { off: 'off', mean: 'replaced by its average' };

/** How a node is drawn. @param {GraphNode} node @param {boolean} dense */
function shapeOf({ kind }, dense) {
  if (kind === 'ffn') return 'round';
  const isDot = kind === 'add' || kind === 'norm' || (dense && (kind === 'embedding' || kind === 'positions'));
  return isDot ? 'dot' : 'text';
}

/** @param {string} text */
const caption = (text) => html`<span class="model-graph-caption" aria-hidden="true">${text}</span>`;

/** Whether tiles must be small and in two rows to fit a laptop. @param {StackNodes[]} stacks */
function isDense(stacks) {
  const attentions = stacks.flatMap(headsOf);
  return stacks.length > 1 || attentions.length * (2.75 * (attentions[0]?.marks.length ?? 0) + 9.5) > 57; // rem
}

/**
 * @param {HTMLElement} root
 * @param {{onGo: Go}} options
 */
export function create(root, { onGo }) {
  root.setAttribute('role', 'toolbar');
  root.ariaLabel = 'Model graph';
  let stop = ''; // the button that the tab key reaches
  let currentBefore = '';

  const buttons = () => /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll('button')]);

  /** One tab stop: the current node or head, until arrow keys choose another. @param {ModelGraphData} data */
  function moveStop({ stacks, selected }) {
    const all = stacks.flatMap(({ stack, nodes }) =>
      nodes.flatMap(({ index, current, heads }) => {
        const key = `${stack} ${index}`;
        return heads
          ? heads.marks.map((_, head) => ({ key: `${key} ${head}`, current: current && head === selected.head }))
          : { key, current };
      }),
    );
    const current = all.find((each) => each.current)?.key ?? '';
    const moved = current !== currentBefore;
    if (moved || !all.some(({ key }) => key === stop)) stop = current || all[0]?.key;
    currentBefore = current;
    return moved;
  }

  /** The same head of the layer before or after. @param {HTMLElement} from @param {string} key */
  function headBeside({ dataset }, key) {
    const [kind, layer, head] = dataset.head?.split(' ') ?? [];
    const step = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
    return /** @type {HTMLElement | null} */ (
      root.querySelector(`[data-head="${kind} ${Number(layer) + step} ${head}"]`)
    );
  }

  /** Left and right only move the focus; up and down choose a head. @param {KeyboardEvent} event */
  function onKey(event) {
    const all = buttons();
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const target = indexByKey(event, at, all.length - 1);
    if (at < 0 || target === undefined) return;
    event.preventDefault();
    const isUpOrDown = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    const next = isUpOrDown ? headBeside(all[at], event.key) : all[target];
    if (!next) return;
    all[at].tabIndex = -1;
    next.tabIndex = 0;
    stop = String(next.dataset.step);
    next.focus();
    if (isUpOrDown) next.click();
  }
  root.addEventListener('keydown', onKey);

  const unhint = hintSides(root);
  /** @type {ModelGraphData | null} */
  let shown = null;
  const resized = new ResizeObserver(() => requestAnimationFrame(() => shown && paint(root, shown)));
  resized.observe(root);

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
      shown = data;
      if (!data) return render(nothing, root);
      const { stacks } = data;
      const moved = moveStop(data);
      const dense = isDense(stacks);
      root.classList.toggle('dense', dense);
      render(
        stacks.map((of) => stackTemplate(of, { ...data, stop, dense, onGo })),
        root,
      );
      paint(root, data);
      lightPath(data.opened);
      if (moved) revealStop(root);
    },
    destroy() {
      root.removeEventListener('keydown', onKey);
      unhint();
      resized.disconnect();
      root.replaceChildren();
    },
  };
}

/** @param {StackNodes} of @param {GraphNode} node @param {Drawing} drawing */
function button({ stack, word }, node, { stop, dense, unit, onGo }) {
  const { index, layer, label, measure, number, current, onPath, decisive } = node;
  const step = `${stack} ${index}`;
  const shape = shapeOf(node, dense);
  return html`<button type="button" data-step=${step} data-term=${label} data-measure=${`${measure} at “${word}”`}
    class=${`model-graph-node ${shape}${onPath ? ' on-path' : ''}${decisive ? ' decisive' : ''}`}
    .tabIndex=${stop === step ? 0 : -1} aria-current=${current ? 'step' : nothing}
    @click=${() => onGo({ stack, index })}><span class="visually-hidden">${
      layer === null ? '' : `Layer ${layer + 1}: `
    }</span><span class=${shape === 'dot' ? 'visually-hidden' : ''}>${shownLabel(label, unit)}</span><span
      class="visually-hidden">, ${measure} <span class="model-graph-number">${number}</span></span></button>`;
}

/** @param {StackNodes} of @param {GraphNode} node @param {Heads} heads @param {Drawing} drawing */
function tiles({ stack }, { index, layer, label, current, onPath, decisive }, heads, drawing) {
  const { selected, scheme, stop, onGo } = drawing;
  const isHere = heads.kind === selected.kind && layer === selected.layer;
  const cross = heads.kind === 'cross' ? ' cross' : '';
  const columns = `--columns: ${Math.ceil(heads.marks.length / 2)}`;
  return html`<div class=${`model-graph-heads${cross}${onPath ? ' on-path' : ''}`} role="radiogroup"
    aria-label=${heads.title} .style=${columns}><canvas></canvas>${heads.marks.map((mark, head) => {
      const step = `${stack} ${index} ${head}`;
      const isSelected = isHere && head === selected.head && !selected.mean;
      const name = `${heads.title}, head ${head + 1}${mark ? `, ${SPOKEN[mark] ?? mark}` : ''}`;
      const { color, style } = hueOf(scheme, head);
      const inMean = isHere && selected.mean;
      const classes = { empty: !heads.data, off: mark === 'off', 'in-mean': inMean, decisive: head === decisive };
      const given = Object.entries(classes).flatMap(([each, is]) => (is ? [each] : []));
      return html`<button type="button" class=${['head', ...given].join(' ')} data-step=${step} data-term=${label}
          data-head="${heads.kind} ${layer} ${head}" role="radio" aria-checked=${String(isSelected)} aria-label=${name}
          aria-current=${current && isSelected ? 'step' : nothing} .tabIndex=${stop === step ? 0 : -1}
          .style=${`border-bottom: 4px ${style} ${color}`} @click=${() => onGo({ stack, index, head })}
          ><span class="head-map"></span><span class="head-mark" aria-hidden="true">${mark ?? nothing}</span></button>`;
    })}</div>`;
}

/** @param {StackNodes} of @param {Drawing} drawing */
function stackTemplate(of, drawing) {
  const { stacks, dense } = drawing;
  const isFed = of.stack === 'decoder' && stacks.length > 1;
  return html`<div class=${`model-graph-nodes${isFed ? ' fed' : ''}`} role="group"
    aria-label=${of.stack === 'encoder' ? 'Encoder' : 'Decoder'}>${byLayer(of.nodes).map(
      ({ layer, nodes }) =>
        html`<div class=${layer === null ? 'model-graph-group' : 'model-graph-layer'}>${
          layer === null ? nothing : caption(`${dense ? 'L' : 'Layer '}${layer + 1}`)
        }${nodes.map((node) => (node.heads ? tiles(of, node, node.heads, drawing) : button(of, node, drawing)))}</div>`,
    )}${isFed ? html`<span class="visually-hidden">fed by the encoder’s output</span>` : nothing}</div>`;
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

/** @param {HTMLElement} root @param {ModelGraphData} data */
function paint(root, { stacks, scheme, colours }) {
  const groups = root.querySelectorAll('.model-graph-heads');
  stacks.flatMap(headsOf).forEach((heads, i) => paintHeads(groups[i], heads, scheme, colours === 'root'));
}

/** What each canvas shows. @type {WeakMap<HTMLCanvasElement, {key: string, buffer?: ArrayBufferLike}>} */
const painted = new WeakMap();

/**
 * All maps of an attention in one canvas, which lies under their buttons: the browser's compositor took longer over a
 * canvas for each of 144 heads than all else took.
 * @param {Element} group
 * @param {Heads} heads
 * @param {import('../../draw/color.js').Scheme} scheme
 * @param {boolean} root
 */
function paintHeads(group, { rows, columns, data, hidden, marks }, scheme, root) {
  const canvas = /** @type {HTMLCanvasElement} */ (group.querySelector('canvas'));
  const all = canvas.getBoundingClientRect();
  const places = [...group.querySelectorAll('.head-map')].map((each) => each.getBoundingClientRect());
  if (!all.width) return; // not in sight
  const size = places[0].width * devicePixelRatio;
  const cells = Math.max(rows, columns);
  const isShrunk = cells > size; // a pixel is the mean of several cells
  const scale = (isShrunk ? size : Math.ceil(size / cells) * cells) / places[0].width;
  const key = [rows, columns, scheme, root, marks, scale, all.width, all.height, data?.byteOffset].join();
  const last = painted.get(canvas);
  if (last && last.key === key && last.buffer === data?.buffer) return;
  painted.set(canvas, { key, buffer: data?.buffer });
  canvas.width = Math.round(all.width * scale);
  canvas.height = Math.round(all.height * scale);
  const context = canvas.getContext('2d');
  if (!context || !data) return;
  const one = document.createElement('canvas');
  context.imageSmoothingEnabled = isShrunk;
  context.imageSmoothingQuality = 'high';
  places.forEach(({ left, top, width, height }, head) => {
    const own = data.subarray(head * rows * columns, (head + 1) * rows * columns);
    paintMatrix(one, { rows, columns, scale: probabilityScale(scheme, root), scheme, hidden, data: own });
    context.globalAlpha = marks[head] === 'off' ? 0.2 : marks[head] ? 0.5 : 1;
    const [x, y] = [left - all.left, top - all.top].map((each) => Math.round(each * scale));
    context.drawImage(one, x, y, Math.round(width * scale), Math.round(height * scale));
  });
}

/** @param {StackNodes} stack */
const headsOf = ({ nodes }) => nodes.flatMap(({ heads }) => heads ?? []);

/** Lights the nodes of the way, one after the other. @param {HTMLElement} root */
function light(root) {
  root.querySelectorAll('.on-path').forEach((node, i) => {
    const lit = { backgroundColor: 'var(--accent-soft)', boxShadow: '0 0 0 2px var(--accent)', offset: 0.5 };
    node.animate([lit], { duration: 400, delay: 60 * i });
  });
}

/** Scrolls the graph, not the page, to the tab stop. @param {HTMLElement} root */
function revealStop(root) {
  requestAnimationFrame(() => {
    const part = /** @type {HTMLElement | null} */ (root.querySelector('[tabindex="0"]'));
    const scroller = root.parentElement;
    if (!part || !scroller) return;
    const [inner, outer] = [part, scroller].map((each) => each.getBoundingClientRect());
    if (inner.left < outer.left || inner.right > outer.right)
      scroller.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  });
}

/** Neighbours of one layer together. @param {GraphNode[]} nodes */
function byLayer(nodes) {
  /** @type {{layer: number | null, nodes: GraphNode[]}[]} */
  const layers = [];
  for (const node of nodes) {
    const last = layers.at(-1);
    if (last && last.layer === node.layer && node.layer !== null) last.nodes.push(node);
    else layers.push({ layer: node.layer, nodes: [node] });
  }
  return layers;
}
