// The parts behind the difference between the pinned state and the present one, by their effect on the answer: each
// head and FFN with its output taken from before; and the neurons that differ most.

import { html, nothing } from 'lit-html';
import { formatShare, shortValue } from '../../draw/numbers.js';
import { attentionKinds, makePlan, pinnedState } from '../../engine/plan.js';
import { axesOf } from './laid-over.js';
import { selectedIn, visibleWords } from './words.js';

/**
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../index.js').State} State
 * @typedef {import('../derived/taken.js').Taken} Taken
 */

const LISTED = 6;

/**
 * The name of the value, of one model and two passes; null: it has no answer, or the two are not of one model.
 * @param {Plan} now @param {Plan} then @param {Pick<State, 'cursor'>} state
 */
function nameOf(now, then, { cursor }) {
  const isOne =
    now.key !== then.key && now.model === then.model && JSON.stringify(now.config) === JSON.stringify(then.config);
  const isEdited = [now, then].some(({ interventions }) => interventions.some(({ what }) => what === 'weight'));
  if (!isOne || isEdited || !now.hasLogits || now.targetIds || now.generate || then.isWaiting) return null;
  const { ids, interventions } = then;
  const at = Math.min(cursor.row, now.ids.length - 1);
  const { rows } = axesOf({ plan: then }, { plan: now }, attentionKinds(now.settings)[0].kind);
  const row = rows ? rows.then[rows.now.indexOf(at)] : at;
  return row < 0 ? null : `@taken/${at}/${JSON.stringify({ row, ids, interventions })}`;
}

/** @param {import('../index.js').Query} query @returns {string[]} */
export function namesOfEffects({ plan, state, modelInfo }) {
  const own = /** @type {State} */ (state);
  const second = pinnedState(own);
  if (!second || second.model !== plan.model || !modelInfo) return [];
  return [nameOf(plan, makePlan(second, modelInfo), own) ?? []].flat();
}

/**
 * @param {import('../index.js').Context} context
 * @param {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} tools
 */
export function effects({ result, pinned, state, modelInfo }, tools) {
  const name = pinned && nameOf(result.plan, pinned.plan, state);
  const found = /** @type {Taken | import('../derived/taken.js').Absent | undefined} */ (
    name && result.derived.get(name)
  );
  if (!found || 'absent' in found) return nothing;
  const { stack, rowWords, row } = selectedIn(result, state);
  const words = visibleWords(/** @type {string[]} */ (modelInfo?.outputVocabulary ?? []));
  const quoted = (/** @type {string} */ word) => html`<bdi class="quoted">${word}</bdi>`;
  const [here, answer] = [quoted(rowWords[row]), quoted(words[found.id])];
  /** Opens it, and its own maps of the difference. @param {Partial<State>} patch */
  function open(patch) {
    tools.set(patch);
    tools.local({ of: state.pinned, choice: 'selected' });
  }
  const { graph, cursor } = state;
  const atFfn = (/** @type {number} */ layer) => ({
    graph: { ...graph, node: /** @type {const} */ ('ffn') },
    selection: { ...tools.selection(), kind: stack, layer },
  });
  const { sorted, rest } = byEffect(found);
  const several = `${rest.length} other part${rest.length === 1 ? ' changes' : 's change'} it`;
  return html`<div class="compare-effects">
    <div><h3>One part as before</h3>
      <p>At ${here}, before: ${quoted(words[found.then.id])} ${formatShare(found.then.share)}, now: ${answer}
        ${formatShare(found.share)}.</p>
      <ul>${sorted.map(({ kind, layer, head, left, to, share }) => {
        const patch = () =>
          head === null
            ? atFfn(layer)
            : { graph: { ...graph, node: /** @type {const} */ ('attention') }, selection: { kind, layer, head } };
        const then = html`, then ${quoted(words[to])} ${formatShare(share)}`;
        return line(
          `layer ${layer + 1}, ${head === null ? 'FFN' : `head ${head + 1}`}`,
          html`${formatShare(left)}${to === found.id ? nothing : then}`,
          () => open(patch()),
        );
      })}</ul>
      <p class="hint">${
        found.unfinished
          ? html`${found.parts.length} of ${found.of} parts are tried.`
          : html`${answer} with one head or FFN giving at ${here} what it gave before, and all after it computed again.
              The largest change comes first.${
                rest.length ? html` ${several} by ${shortValue(100 * rest[0].effect)} points or less.` : nothing
              }`
      }</p></div>
    ${
      found.neurons.length
        ? html`<div><h3>Neurons at ${here}</h3>
            <ul>${found.neurons
              .slice(0, LISTED)
              .map(({ layer, neuron, then, now }) =>
                line(
                  `layer ${layer + 1}, neuron ${neuron}`,
                  `${shortValue(then)} → ${shortValue(now)}`,
                  () => open({ ...atFfn(layer), cursor: { ...cursor, row, neuron } }),
                ),
              )}</ul>
            <p class="hint">Before → now, sorted by the difference times the length of the neuron's value vector.</p>
          </div>`
        : nothing
    }</div>`; // prettier-ignore
}

/** @param {unknown} name @param {unknown} value @param {() => void} open */
const line = (name, value, open) =>
  html`<li><button type="button" class="head" @click=${open}><span>${name}</span><span class="number">${value}</span>
    </button></li>`;

/**
 * The parts by how much the answer's probability changes with each, and those that are not listed.
 * @param {Pick<Taken, 'parts' | 'share'>} found
 */
export function byEffect({ parts, share: whole }) {
  const all = parts
    .map((part) => ({ ...part, effect: Math.abs(whole - part.left) }))
    .sort((a, b) => b.effect - a.effect);
  return { sorted: all.slice(0, LISTED), rest: all.slice(LISTED) };
}
