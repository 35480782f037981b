// Beam search as a tree: a column for each step, branches that go on in ink, those that were cut pale, scores at the
// ends; greedy beside it, and where they part. A click on a branch makes it the target.

import { html, nothing, svg } from 'lit-html';
import { classMap } from 'lit-html/directives/class-map.js';
import { live } from 'lit-html/directives/live.js';
import { tableOf } from '../../draw/figure.js';
import { withMinus } from '../../draw/numbers.js';
import { figure } from '../../kit/figure.js';
import { placed, shared, sharedStart } from '../shared/beam-tree.js';
import { textOfTarget } from '../shared/target-text.js';
import { visibleWords } from '../shared/words.js';
import style from './beams.css';

/**
 * @typedef {import('../derived/beams.js').Beams} Beams
 * @typedef {import('../derived/beams.js').Sequence} Sequence
 * @typedef {import('../shared/beam-tree.js').Placed} Placed
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} Tools
 */

const WIDEST = 8; // beams
const PACE = 700; // ms from step to step
const [ROW, FINGER, LETTER, NUMBER, GAP] = [28, 44, 9.4, 46, 30]; // px: a row, by finger, a letter, a number, a branch
const PENALTIES = { min: -1, max: 3, step: 0.1 };
let timer = 0; // of the next step
/** The search that is shown until the next one has ended. @type {{of: string, found: Beams} | null} */
let last = null;

/**
 * The width and the penalty of the search: those of the model's files, until the reader chooses.
 * @param {import('../index.js').Query} query
 */
function askedOf({ state, modelInfo }) {
  const { width, penalty } = state.beams ?? {};
  const { beams = 4, lengthPenalty = 1 } = modelInfo?.rules ?? {};
  return { width: width ?? Math.min(beams, WIDEST), penalty: penalty ?? lengthPenalty };
}

/** @param {import('../index.js').Query} query */
const nameOf = (query) => `@beams/${Object.values(askedOf(query)).join('/')}`;

/** @type {import('../index.js').Feature} */
export const beams = {
  name: 'beams',
  style,
  local: { grown: null, plays: false, focus: null }, // so many steps are shown, null: all; the node of the tab stop
  needs: (query) => (query.plan.generate ? [nameOf(query)] : []),
  render(context, tools) {
    const { result, state, modelInfo, local } = context;
    if (!result.plan.generate) return null;
    const query = { plan: result.plan, state, modelInfo };
    const { width, penalty } = askedOf(query);
    const of = result.plan.ids.join();
    const now = /** @type {Beams | undefined} */ (result.derived.get(nameOf(query)));
    if (now) last = { of, found: now };
    const found = last?.of === of ? last.found : undefined;
    const words = visibleWords(/** @type {string[]} */ (modelInfo?.outputVocabulary ?? []));
    return html`<section class="panel picture beams" aria-labelledby="beams-title">
      <div class="view-head"><h2 id="beams-title" tabindex="-1">Beam search</h2>
        ${slider('Width', width, { min: 1, max: WIDEST, step: 1 }, (value) => change(tools, { width: value }))}
        ${slider('Length penalty', penalty, PENALTIES, (value) => change(tools, { penalty: value }))}
        <button type="button" class="primary" ?disabled=${!found}
          @click=${() => (local.plays ? stop(tools) : play(found, tools))}>${local.plays ? 'Stop' : 'Play'}</button>
        <button type="button" class="plain" @click=${() => close(tools)}>Close</button></div>
      <div id="beams">${
        found ? shownOf(context, found, { width, penalty, words }, tools) : html`<p role="status">Searching…</p>`
      }</div>
    </section>`;
  },
};

/** @param {Tools} tools @param {Partial<import('../index.js').State['beams']>} beams */
function change(tools, beams) {
  stop(tools);
  tools.set({ beams: { ...tools.get().beams, ...beams } });
}

/** @param {Tools} tools */
function close(tools) {
  stop(tools);
  tools.set({ graph: { ...tools.get().graph, node: 'attention' } });
  document.getElementById('open-beams')?.focus();
}

/**
 * @param {string} label @param {number} value
 * @param {{min: number, max: number, step: number}} range @param {(value: number) => void} set
 */
const slider = (label, value, { min, max, step }, set) => html`<label class="beams-slider">${label}
  <input type="range" min=${min} max=${max} step=${step} .value=${live(String(value))}
    @change=${(/** @type {any} */ { target }) => set(Number(target.value))}>
  <output class="number">${withMinus(String(value))}</output></label>`;

/** @param {Beams | undefined} found @param {Tools} tools */
function play(found, tools) {
  stop(tools);
  const steps = found?.tree.at(-1)?.step ?? 0;
  const next = (/** @type {number} */ grown) => {
    if (grown > steps) return stop(tools);
    tools.local({ grown, plays: true });
    timer = setTimeout(next, PACE, grown + 1);
  };
  next(1);
}

/** @param {Tools} tools */
function stop({ local }) {
  clearTimeout(timer);
  local({ grown: null, plays: false });
}

/** Makes a sequence the target. @param {readonly number[]} ids @param {Tools} tools */
const take = (ids, { set }) => set({ written: [...ids], targetText: '', grown: null, follow: true });

/** @param {number} value */
const twoDigits = (value) => withMinus(value.toFixed(2));

/**
 * @param {Context & {local: {grown: number | null, focus: number | null}}} context @param {Beams} found
 * @param {{width: number, penalty: number, words: string[]}} asked @param {Tools} tools
 */
function shownOf({ result, state, local }, { tree, beams, greedy }, { width, penalty, words }, tools) {
  const [best] = beams;
  const textOf = (/** @type {readonly number[]} */ ids) => textOfTarget(state.model, ids, words);
  const first = textOf(best.ids);
  const all = placed(tree, { best: best.ids, greedy: greedy.ids });
  const same = shared(best.ids, greedy.ids);
  const isSame = same === best.ids.length && same === greedy.ids.length;
  const rank = (/** @type {string} */ name, /** @type {Sequence} */ each, /** @type {boolean} */ wins) => html`<li
    class=${classMap({ wins })}><span class="beams-name">${name}</span>
    <button type="button" class="plain" title="Make it the target" @click=${() => take(each.ids, tools)}>${
      wins ? html`<bdi>${first || '(nothing)'}</bdi>` : sequence(textOf(each.ids), first)
    }</button> <span class="number">${twoDigits(each.sum)} ÷ ${each.ids.length}<sup>${withMinus(
      String(penalty),
    )}</sup> = <strong>${twoDigits(each.score)}</strong></span></li>`;
  const isGreedy = (/** @type {Sequence} */ each) => String(each.ids) === String(greedy.ids);
  const tables = () => [
    tableOf('Candidates', ['step', 'log-probability', 'sum', 'score'], all.nodes.map((each) => [
      each.path.map((id) => words[id]).join(' '),
      each.step + 1,
      each.logProbability,
      each.sum,
      each.score ?? NaN,
    ])),
  ]; // prettier-ignore
  const isChanged = result.plan.interventions.length > 0;
  return html`<ol class="beams-ends" ?data-later=${local.grown !== null}>${beams.map((each, i) =>
    rank(`${width > 1 ? `beam ${i + 1}` : ''}${isGreedy(each) ? ' greedy' : ''}`, each, i === 0),
  )}${beams.some(isGreedy) ? nothing : rank('greedy', greedy, false)}</ol>
    <p class="hint" ?data-later=${local.grown !== null}>${
      width < 2
        ? 'One beam takes the likeliest token each time: greedy.'
        : isSame
          ? 'Greedy finds the same.'
          : html`They part ${
              same ? html`after <bdi class="quoted">${words[best.ids[same - 1]]}</bdi>` : 'at the first token'
            }: greedy takes <bdi class="quoted">${words[greedy.ids[same]]}</bdi>, the best beam
              <bdi class="quoted">${words[best.ids[same]]}</bdi>.`
    } A score is the sum of log-probabilities ÷ length<sup>penalty</sup>. Click a branch to make it the target.${
      isChanged ? ' Your changes are not in the search.' : ''
    }</p>
    <div class="beams-scroll" ${figure({ name: 'Beam search', select: '.beams-tree', tables })}>${drawing(
      all,
      words,
      local,
      tools,
    )}</div>`;
}

/** A sequence that begins as the best does, for the eyes from there on. @param {string} text @param {string} best */
function sequence(text, best) {
  const cut = sharedStart(text, best);
  if (!cut) return html`<bdi>${text || '(nothing)'}</bdi>`;
  return html`<span class="visually-hidden"><bdi>${text}</bdi></span
    ><bdi aria-hidden="true">… ${text.slice(cut)}</bdi>`;
}

/**
 * @param {ReturnType<typeof placed>} all @param {string[]} words
 * @param {{grown: number | null, focus: number | null}} local @param {Tools} tools
 */
function drawing({ nodes, rows, steps }, words, { grown, focus }, tools) {
  const widths = Array.from({ length: steps }, (_, step) =>
    nodes.reduce((most, node) => (node.step === step ? Math.max(most, widthOf(node, words)) : most), 0),
  );
  const lefts = widths.reduce((all, width) => [...all, all[all.length - 1] + width + GAP], [GAP]);
  const space = matchMedia('(pointer: coarse)').matches ? FINGER : ROW;
  const middle = (/** @type {Pick<Placed, 'y'>} */ { y }) => (y + 0.5) * space;
  const first = nodes.filter(({ parent }) => parent === null);
  const root = { y: first.reduce((sum, { y }) => sum + y / first.length, 0) };
  const isShown = (/** @type {Placed} */ { step }) => grown === null || step < grown;
  const stop = nodes[focus ?? -1] ?? nodes.find(({ wins }) => wins) ?? nodes[0];
  const height = rows * space;
  const size = { width: lefts[steps] ?? 0, height };
  const way = (/** @type {Placed} */ node) => {
    const parent = node.parent === null ? null : nodes[node.parent];
    const x = parent ? lefts[parent.step] + widthOf(parent, words) : 8;
    const [y, to] = [middle(parent ?? root), { x: lefts[node.step] - 4, y: middle(node) }];
    const bend = lefts[node.step] - GAP / 2;
    return `M${x} ${y}H${Math.max(x, lefts[node.step] - GAP)}C${bend} ${y} ${bend} ${to.y} ${to.x} ${to.y}`;
  };
  return html`<div class="beams-tree" role="group" aria-label="Candidates" @keydown=${(
    /** @type {KeyboardEvent} */ event,
  ) => move(event, nodes, tools)} .style=${`width: ${size.width}px; height: ${size.height}px`}>
    <svg width=${size.width} height=${size.height} aria-hidden="true">
      <circle cx="6" cy=${middle(root)} r="5"></circle>${inFront(nodes)
        .filter(isShown)
        .map((node) => svg`<path class=${kindOf(node)} d=${way(node)}></path>`)}</svg>
    ${nodes.map(
      (node) => html`<button type="button" class="beams-node ${kindOf(node)}" data-at=${node.at}
        ?hidden=${!isShown(node)} .tabIndex=${node === stop ? 0 : -1}
        .style=${`left: ${lefts[node.step]}px; top: ${middle(node) - space / 2}px; height: ${space}px`}
        @click=${() => (tools.local({ focus: node.at }), take(node.path, tools))}
        ><span class="visually-hidden">${before(node, words)} </span><bdi>${words[node.id]}</bdi>
        <span class="number">${twoDigits(node.logProbability)}</span>${
          node.score === undefined ? nothing : html` <strong class="number">${twoDigits(node.score)}</strong>`
        }${node.isGreedy && node.endedBy ? html` <span class="beams-greedy">greedy</span>` : nothing}${
          node.lives ? nothing : html`<span class="visually-hidden">, cut</span>`
        }</button>`,
    )}</div>`;
}

/** The words before a candidate. @param {Placed} node @param {string[]} words */
const before = ({ path }, words) =>
  path
    .slice(0, -1)
    .map((id) => words[id])
    .join(' ');

/** The winner's line above the others. @param {Placed[]} nodes */
const inFront = (nodes) =>
  nodes.toSorted((a, b) => Number(a.wins) - Number(b.wins) || Number(a.lives) - Number(b.lives));

/** @param {Placed} node */
const kindOf = ({ lives, wins, isGreedy }) => (wins ? 'wins' : lives ? (isGreedy ? 'lives greedy' : 'lives') : 'cut');

/** The width of a label in px. @param {Placed} node @param {string[]} words */
const widthOf = ({ id, score, isGreedy, endedBy }, words) =>
  LETTER * Math.min(24, words[id].length) +
  NUMBER +
  (score === undefined ? 0 : NUMBER) +
  (isGreedy && endedBy ? NUMBER : 0);

/**
 * Arrow keys: to what goes on, back, and among the candidates of the step.
 * @param {KeyboardEvent} event @param {Placed[]} nodes @param {Tools} tools
 */
function move(event, nodes, { local }) {
  const from = nodes[Number(/** @type {HTMLElement} */ (event.target).dataset.at)];
  if (!from || event.altKey || event.ctrlKey || event.metaKey) return;
  const column = nodes.filter(({ step }) => step === from.step).toSorted((a, b) => a.y - b.y);
  const at = column.indexOf(from);
  const to = {
    ArrowRight: nodes[from.children[0]],
    ArrowLeft: from.parent === null ? undefined : nodes[from.parent],
    ArrowUp: column[at - 1],
    ArrowDown: column[at + 1],
  }[event.key];
  if (!to) return;
  event.preventDefault();
  local({ focus: to.at });
  const tree = /** @type {HTMLElement} */ (event.currentTarget);
  /** @type {HTMLElement | null} */ (tree.querySelector(`[data-at="${to.at}"]`))?.focus();
}
