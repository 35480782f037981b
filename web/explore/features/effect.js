// The effect of all changes at every token: where the most probable token changes, by how much, and the text that the
// model then writes. Folded in Try.

import { formatValue } from '../../draw/numbers.js';
import { html, nothing } from 'lit-html';
import { PROBABILITIES } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import { beforeName, turned } from '../shared/before.js';
import { selectedIn, visibleWords } from '../shared/words.js';
import style from './effect.css';

/** @type {import('../index.js').Feature} */
export const effect = {
  name: 'effect',
  style,
  local: { isOpen: false },
  needs: ({ plan }) =>
    plan.base ? [beforeName(plan), ...(plan.hasLogits ? ['logits', PROBABILITIES] : ['output'])] : [],
  render(context, tools) {
    const { result, modelInfo, local } = context;
    const { plan, derived, tensors } = result;
    if (!plan.base || result.facts.part !== null) return null;
    const before = derived.get(beforeName(plan));
    const after = tensors.get(plan.hasLogits ? 'logits' : 'output');
    if (!before || !after) return undefined;
    const toggle = (/** @type {Event} */ { target }) =>
      tools.local({ isOpen: /** @type {HTMLDetailsElement} */ (target).open });
    return html`<details class="try-effect" ?open=${local.isOpen} @toggle=${toggle}>
      <summary>Effect at every token</summary>
      <div id="effect">${
        plan.hasLogits && modelInfo ? answers(context, modelInfo, before, tools) : vector(context, before)
      }</div>
    </details>`;
  },
};

/**
 * Of a model without output words, only the change of its output vectors can be measured.
 * @param {import('../index.js').Context} context
 * @param {{distances: Float32Array, lengths: Float32Array}} before
 */
function vector({ result, state }, { distances, lengths }) {
  const { stack, rowWords, row } = selectedIn(result, state);
  const inStack = !result.plan.tokens.decoder || stack === 'decoder'; // the output is the decoder's, if there is one
  return html`<p>This model predicts no tokens.
    ${
      inStack
        ? html`Its output vector at <bdi class="quoted">${rowWords[row]}</bdi> changed by
          <strong class="effect-moved number">${formatValue(distances[row])}</strong>;
          its length was ${formatValue(lengths[row])}.`
        : 'Choose a target token to see how much its output vector changes.'
    }</p>`;
}

/**
 * @param {import('../index.js').Context} context
 * @param {import('../index.js').ModelInfo} modelInfo
 * @param {any} before what '@before/' answers
 * @param {import('../index.js').Tools} tools
 */
function answers({ result, state }, { outputVocabulary: outWords }, before, { get, set, moveCursor, plan: planNow }) {
  const { plan, derived } = result;
  const { stack, row } = selectedIn(result, state);
  const rows = visibleWords((plan.tokens.decoder ?? plan.tokens.encoder)?.words ?? []);
  const at = plan.generate && stack === 'encoder' ? null : row; // a source word has no answer
  const others = turned(before.probabilities.data, derived.get(PROBABILITIES).data, outWords.length);
  /** @param {number} each */
  function choose(each) {
    moveCursor({ row: each });
    const { selection } = get();
    if (planNow().generate && selection.kind === 'encoder') set({ selection: { ...selection, kind: 'cross' } });
  }
  /** @param {number[] | null} ids */
  const text = (ids) =>
    (ids ?? [])
      .map((id) => outWords[id])
      .filter((word) => word !== '[EOS]')
      .join(entryOf(/** @type {any} */ (plan.model))?.joint ?? ' ') || '(nothing)';
  return html`
    ${
      at === null
        ? html`<p>Choose a token of the output to see the predictions there.</p>`
        : html`<p>Predictions at <bdi class="quoted">${rows[at]}</bdi>. The distribution changes by
        <strong class="effect-nats number">${formatValue(before.nats[at])}</strong> nats (Kullback–Leibler divergence).
        </p>`
    }
    ${
      others.length
        ? html`<p>The most probable token changes at ${others.length} of ${rows.length} tokens:</p>
          <ul class="effect-turned">${others.map(
            ({ row: each, from, to }) => html`<li>
            <button type="button" @click=${() => choose(each)}><bdi>${rows[each]}</bdi></button>
            <span><bdi>${outWords[from.id]}</bdi> ${formatValue(from.probability)} →
            <bdi>${outWords[to.id]}</bdi> ${formatValue(to.probability)} (${formatValue(before.nats[each])} nats)</span>
            </li>`,
          )}</ul>`
        : html`<p>The most probable token changes at none of the ${rows.length} tokens.</p>`
    }
    ${
      plan.generate
        ? html`<p>Output before: <bdi class="effect-before">${text(before.written)}</bdi></p>
          <p>Output after: <bdi class="effect-after">${text(before.rewritten)}</bdi></p>
          <p class="hint">Maps and predictions are those of one forward pass over the output shown above, which was
            generated with changed switches and weights only; changes of temperature, heads, neurons and cells apply to
            that pass. “Output after” is generated token by token with all changes.</p>`
        : nothing
    }
    ${
      plan.settings.kind === 'decoder'
        ? html`<p class="hint">This is one forward pass over this text. “Generate” applies changed switches and
          weights only: generate() of the module has no softmax temperature and sets no head, neuron or cell.</p>`
        : nothing
    }`;
}
