// Try, its effect at every token: where the most probable token changes, by how much, and what the model then writes.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import { beforeName } from '../shared/before.js';
import { strongest } from '../shared/choose.js';
import { selectedIn, visibleWords } from '../shared/words.js';

/** @type {import('../index.js').Panel<EffectData>} */
export const effect = {
  name: 'effect',
  required: ({ plan }) =>
    plan.base ? [beforeName(plan), ...(plan.hasLogits ? ['logits', PROBABILITIES] : ['output'])] : [],
  present({ result, state, modelInfo }) {
    const { plan, derived, tensors } = result;
    if (!plan.base || result.facts.part !== null) return null;
    const before = derived.get(beforeName(plan));
    const after = tensors.get(plan.hasLogits ? 'logits' : 'output');
    if (!before || !after) return undefined;
    const { stack, rowWords, row } = selectedIn(result, state);
    const width = after.shape[2];
    if (!plan.hasLogits || !modelInfo) {
      const inStack = !plan.tokens.decoder || stack === 'decoder'; // the output is the decoder's, if there is one
      return {
        words: null,
        vector: inStack ? { word: rowWords[row], distance: before.distances[row], length: before.lengths[row] } : null,
      };
    }
    const own = plan.tokens.decoder ?? plan.tokens.encoder;
    const outWords = modelInfo.outputVocabulary;
    const rows = visibleWords(own?.words ?? []);
    const at = plan.generate && stack === 'encoder' ? null : row; // a source word has no answer
    const probabilities = derived.get(PROBABILITIES);
    const [one, two] = [before.probabilities.data, probabilities.data];
    /** @param {number[] | null} ids */
    const text = (ids) =>
      ids &&
      ids
        .map((id) => outWords[id])
        .filter((word) => word !== '[EOS]')
        .join(entryOf(/** @type {any} */ (plan.model))?.joint ?? ' ');
    return {
      vector: null,
      words: {
        at: at === null ? null : { word: rows[at], nats: before.nats[at] },
        rows: rows.length,
        turned: turned(one, two, width).map(({ row: each, from, to }) => ({
          row: each,
          word: rows[each],
          nats: before.nats[each],
          from: { ...from, word: outWords[from.id] },
          to: { ...to, word: outWords[to.id] },
        })),
        written: plan.generate ? { before: text(before.written) ?? '', after: text(before.rewritten) ?? '' } : null,
        continues: plan.settings.kind === 'decoder',
      },
    };
  },
  create: (root, { moveCursor, get, set, plan }) =>
    create(root, {
      onRow(row) {
        moveCursor({ row });
        const { selection } = get();
        if (plan().generate && selection.kind === 'encoder') set({ selection: { ...selection, kind: 'cross' } });
      },
    }),
};

/**
 * @typedef {{word: string, probability: number}} Said
 * `nats`: the Kullback-Leibler divergence of the answers after from those before. `written`: what
 * the model writes; `continues`: it can generate a continuation, but not under every intervention.
 * @typedef {{
 *   at: {word: string, nats: number, } | null, rows: number,
 *   turned: {row: number, word: string, nats: number, from: Said, to: Said}[],
 *   written: {before: string, after: string} | null, continues: boolean,
 * }} Words
 * Of a model without output words, only the change of its output vectors can be measured.
 * @typedef {{words: Words | null, vector: {word: string, distance: number, length: number} | null}} EffectData
 */

/**
 * @param {HTMLElement} root
 * @param {{onRow: (row: number) => void}} options a place was chosen
 */
function create(root, { onRow }) {
  /** @param {Words} words */
  const answers = ({ at, rows, turned, written, continues }) => html`
    ${
      at
        ? html`
      <p>Predictions at <bdi class="quoted">${at.word}</bdi>. The distribution changes by
        <strong class="effect-nats number">${formatValue(at.nats)}</strong> nats (Kullback–Leibler divergence).</p>`
        : html`<p>Choose a token of the output to see the predictions there.</p>`
    }
    ${
      turned.length
        ? html`<p>The most probable token changes at ${turned.length} of ${rows} tokens:</p>
      <ul class="effect-turned">${turned.map(
        ({ row, word, nats, from, to }) => html`<li>
        <button type="button" @click=${() => onRow(row)}><bdi>${word}</bdi></button>
        <span><bdi>${from.word}</bdi> ${formatValue(from.probability)} →
        <bdi>${to.word}</bdi> ${formatValue(to.probability)} (${formatValue(nats)} nats)</span></li>`,
      )}</ul>`
        : html`<p>The most probable token changes at none of the ${rows} tokens.</p>`
    }
    ${
      written
        ? html`<p>Output before: <bdi class="effect-before">${written.before || '(nothing)'}</bdi></p>
      <p>Output after: <bdi class="effect-after">${written.after || '(nothing)'}</bdi></p>
      <p class="hint">Maps and predictions are those of one forward pass over the output shown above, which was
        generated with changed switches and weights only; changes of temperature, heads, neurons and cells apply to
        that pass. “Output after” is generated token by token with all changes.</p>`
        : nothing
    }
    ${
      continues
        ? html`<p class="hint">This is one forward pass over this text. “Generate” applies changed switches and
      weights only: generate() of the module has no softmax temperature and sets no head, neuron or cell.</p>`
        : nothing
    }`;

  return {
    /** @param {EffectData | null} data */
    update(data) {
      if (!data) return render(nothing, root);
      const { words, vector } = data;
      render(
        words
          ? answers(words)
          : html`<p>This model predicts no tokens.
        ${
          vector
            ? html`Its output vector at <bdi class="quoted">${vector.word}</bdi> changed by
          <strong class="effect-moved number">${formatValue(vector.distance)}</strong>;
          its length was ${formatValue(vector.length)}.`
            : 'Choose a target token to see how much its output vector changes.'
        }</p>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/**
 * The rows whose first answer is another.
 * @param {Float32Array} before probabilities, [T, V]
 * @param {Float32Array} after
 * @param {number} width
 */
export function turned(before, after, width) {
  const rows = Array.from({ length: before.length / width }, (_, row) => ({
    row,
    from: first(before, row, width),
    to: first(after, row, width),
  }));
  return rows.filter(({ from, to }) => from.id !== to.id);
}

/** @param {Float32Array} data @param {number} row @param {number} width */
function first(data, row, width) {
  const own = data.subarray(row * width, (row + 1) * width);
  const id = strongest(own);
  return { id, probability: own[id] };
}
