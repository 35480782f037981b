// Offers changes at a node other than attention: a neuron off or at another value, the embedding of another token, two
// positions swapped, a norm or a sublayer skipped, the answer read after fewer layers.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { valueOf } from '../../kit/controls.js';
import { shortValue } from '../../draw/numbers.js';
import { put, setTo, standingAt } from '../../engine/interventions.js';
import { addsPositions, attention, ffnName, neuronRole, openNode } from '../../engine/plan.js';
import { normName } from '../shared/graph.js';
import { descending } from '../shared/order.js';
import { neuronAt } from '../shared/neuron-at.js';
import { probabilitiesOfRow } from '../shared/answer-row.js';
import { selectedIn, visibleWords } from '../shared/words.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {Pick<Tools, 'get' | 'set'> & {change: (of: Intervention, to: number | 'mean' | null) => void}} Acts
 */

const MOST = 400; // tokens of a vocabulary that a menu can list
const LIKELIEST = 20;

/** @type {import('../index.js').Feature} */
export const nodeTry = {
  name: 'node-try',
  needs({ plan, state }) {
    const { kind, layer } = state.selection;
    return [
      ...(plan.settings.d_ff > 0 ? [ffnName(kind, layer, neuronRole(plan.settings))] : []),
      ...(state.graph?.node === 'norm' ? [normName(/** @type {any} */ (state))] : []),
    ];
  },
  render(context, { get, set }) {
    const { state, result } = context;
    const { rowWords } = selectedIn(result, state);
    if (!rowWords.length) return null;
    const acts = {
      /** A neuron that is off is no more the strongest, so the reader's choice names it. @type {Acts['change']} */
      change: (of, to) =>
        set({
          interventions: setTo(get().interventions, of, to),
          ...(of.what === 'neuron' && { cursor: { ...get().cursor, neuron: of.neuron } }),
        }),
      ...{ get, set },
    };
    const make = CONTROLS[openNode(state)] ?? (state.layout === 'page' ? neuronControls : null);
    const controls = make?.(context, acts);
    return controls ? html`<div class="try-controls" id="try-node">${controls}</div>` : null;
  },
};

/** @type {Partial<Record<string, (context: Context, acts: Acts) => unknown>>} */
const CONTROLS = {
  tokens: embeddingControls,
  embedding: embeddingControls,
  positions: positionControls,
  add: skipControls,
  norm: skipControls,
  ffn: neuronControls,
  transform: exitControls,
  logits: exitControls,
  probabilities: exitControls,
};

/**
 * @param {unknown} label @param {string} spoken @param {Intervention} of @param {Context} context @param {Acts} acts
 */
function offSwitch(label, spoken, of, { state }, { change }) {
  const set = standingAt(state.interventions, of);
  const isOn = !set || !('to' in set) || set.to !== 0;
  return html`<button type="button" class="switch" role="switch" aria-checked=${isOn} aria-label=${spoken}
    @click=${() => change(of, isOn ? 0 : null)}>${label}
    <span class="switch-track"></span> ${isOn ? 'on' : 'off'}</button>`;
}

/** @param {unknown} label @param {unknown} options @param {(value: string) => void} choose */
const chooser = (label, options, choose) => html`<label class="try-choice"><span>${label}</span>
  <select @change=${(/** @type {Event} */ event) => choose(valueOf(event))}>${options}</select></label>`;

/** @param {string} value @param {string} text @param {boolean} selected */
const option = (value, text, selected) => html`<option value=${value} .selected=${live(selected)}>${text}</option>`;

/** @param {Context} context @param {Acts} acts */
function neuronControls(context, acts) {
  const { result, state } = context;
  const { settings } = result.plan;
  const { selection, kind, rowWords, row } = selectedIn(result, state);
  const { layer } = selection;
  const data = result.tensors.get(ffnName(kind, layer, neuronRole(settings)))?.data;
  if (!settings.d_ff || !data) return undefined;
  const neuron = neuronAt(result, state);
  /** @type {Intervention} */
  const of = { what: 'neuron', kind: kind === 'cross' ? 'decoder' : kind, layer, neuron, to: 0 };
  const set = /** @type {{to: number | 'mean'} | undefined} */ (standingAt(state.interventions, of));
  const values = rowWords.map((_, at) => data[at * settings.d_ff + neuron]);
  const most = Math.max(1, ...values.map(Math.abs), typeof set?.to === 'number' ? Math.abs(set.to) / 2 : 0) * 2;
  const low = neuronRole(settings) === 'product' || Math.min(...values) < 0 ? -most : 0;
  return html`${offSwitch(`Neuron ${neuron}`, `Neuron on: layer ${layer + 1}, neuron ${neuron}`, of, context, acts)}
    <label><span>Its value at every token</span>
      <input class="try-neuron" type="range" min=${low} max=${most} step=${most / 200}
        .value=${live(String(values[row]))}
        @input=${(/** @type {any} */ { target }) => acts.change(of, Number(target.valueAsNumber.toPrecision(3)))}>
      <output>${set ? (set.to === 'mean' ? 'average' : shortValue(set.to)) : 'as computed'}</output></label>
    <div class="buttons">
      <button type="button" class="plain" aria-pressed=${set?.to === 'mean'}
        @click=${() => acts.change(of, set?.to === 'mean' ? null : 'mean')}>Replace with average</button>
      <button type="button" class="plain try-computed" ?hidden=${!set}
        @click=${() => acts.change(of, null)}>As computed</button>
    </div>`;
}

/** @param {Context} context @param {Acts} acts */
function embeddingControls({ result, state, modelInfo }, { get, set }) {
  const { plan } = result;
  const { stack, readWords, row } = selectedIn(result, state);
  const tokens = plan.tokens[stack];
  if (!tokens || (stack === 'decoder' && plan.tokens.encoder)) return hint('The model writes these tokens itself.');
  const { ids } = tokens;
  /** @type {import('../../engine/interventions.js').StreamIntervention} */
  const of = { what: 'patch', kind: stack, after: 0, row, from: 'mean', share: 1 };
  const now = /** @type {typeof of | undefined} */ (standingAt(state.interventions, of));
  const shown = now?.from === 'mean' ? 'mean' : String(now ? now.from[row] : ids[row]);
  const vocabulary = modelInfo?.name === plan.model ? visibleWords([...modelInfo.vocabulary]) : [];
  const likeliest = vocabulary.length > MOST && probabilitiesOfRow(result, row);
  /** @type {[number, string][]} */
  const own = [...new Map(ids.map((id, at) => [id, readWords[at]]))];
  /** @type {[number, string][]} */
  const others = likeliest
    ? [...descending(likeliest, likeliest.length, 0).subarray(0, LIKELIEST)].map((id) => [id, vocabulary[id]])
    : vocabulary.length <= MOST
      ? [...vocabulary.entries()].sort(([, a], [, b]) => a.localeCompare(b, 'en'))
      : [];
  const options = (/** @type {[number, string][]} */ list) =>
    list.map(([id, word]) => option(String(id), `${word}${id === ids[row] ? ' (its own)' : ''}`, shown === String(id)));
  /** @param {string} value an id, or 'mean' */
  function choose(value) {
    const rest = get().interventions.filter((each) => each !== standingAt(get().interventions, of));
    const source = value === 'mean' ? value : ids.with(row, Number(value));
    set({ interventions: value === String(ids[row]) ? rest : put(rest, { ...of, from: source }) });
  }
  return chooser(
    html`Give <bdi class="is-query">${readWords[row]}</bdi> the embedding of`,
    html`<optgroup label="In this text">${options(own)}</optgroup>
      ${option('mean', 'the average of the tokens', shown === 'mean')}
      ${
        others.length
          ? html`<optgroup label=${likeliest ? 'Likeliest here' : 'Vocabulary'}>${options(
              others.filter(([id]) => !ids.includes(id)),
            )}</optgroup>`
          : nothing
      }`,
    choose,
  );
}

/** @param {string} text */
const hint = (text) => html`<p class="hint">${text}</p>`;

/** @param {Context} context @param {Acts} acts */
function positionControls({ result, state }, { get, set }) {
  const { stack, readWords, row } = selectedIn(result, state);
  if (!addsPositions(result.plan.settings)) return hint('This model adds no positions to its embeddings.');
  /** @param {number} at @returns {(each: Intervention) => boolean} */
  const isAt = (at) => (each) => each.what === 'swap' && each.kind === stack && (each.row === at || each.to === at);
  const now = /** @type {{row: number, to: number} | undefined} */ (state.interventions.find(isAt(row)));
  const shown = !now ? row : now.row === row ? now.to : now.row;
  /** @param {number} to a token is swapped with one other */
  function choose(to) {
    const rest = get().interventions.filter((each) => !isAt(row)(each) && !isAt(to)(each));
    set({ interventions: to === row ? rest : put(rest, { what: 'swap', kind: stack, row, to }) });
  }
  return chooser(
    html`Swap the position of <bdi class="is-query">${readWords[row]}</bdi> with`,
    readWords.map((word, at) => option(String(at), `${at} ${word}${at === row ? ' (its own)' : ''}`, at === shown)),
    (value) => choose(Number(value)),
  );
}

/** The norm, and the sublayer before it, whose sum it reads. @param {Context} context @param {Acts} acts */
function skipControls(context, acts) {
  const { result, state } = context;
  const { selection, kind, rowWords, row } = selectedIn(result, state);
  const { settings } = result.plan;
  const { layer } = selection;
  const isNorm = openNode(state) === 'norm';
  const found = isNorm ? result.derived.get(normName(state)) : { place: state.graph.sublayer };
  if (!found || 'absent' in found) return found && hint('This model has no norms here.');
  const sublayer = found.place;
  const { stack } = attention(kind);
  const isCross = settings.kind === 'encoder-decoder' && stack === 'decoder';
  const last = isCross ? 3 : 2;
  const isFfn = sublayer === last || (!isCross && sublayer === 2);
  const own = { what: /** @type {const} */ ('skip'), layer, to: /** @type {const} */ (0) };
  const name = isFfn ? 'FFN' : isCross && sublayer === 2 ? 'cross-attention' : 'attention';
  const isOutside = sublayer % 4 === 0;
  const has = !isOutside && (isFfn ? settings.d_ff > 0 : settings.heads > 0);
  const isAddAndNorm = isNorm && settings.norm === 'post' && settings.residual;
  return html`
    ${
      isNorm
        ? offSwitch(
            'Norm',
            isOutside ? 'Norm on: outside the layers' : `Norm on: layer ${layer + 1}, norm ${sublayer}`,
            { ...own, node: 'norm', kind: stack, layer: isOutside ? 0 : layer, sublayer },
            context,
            acts,
          )
        : nothing
    }
    ${
      has && (!isNorm || isAddAndNorm)
        ? offSwitch(
            `What ${name} adds`,
            `Sublayer on: layer ${layer + 1}, ${name}`,
            isFfn
              ? { ...own, node: 'ffn', kind: stack, sublayer: 0 }
              : { ...own, node: 'attention', kind: name === 'attention' ? stack : 'cross', sublayer: 0 },
            context,
            acts,
          )
        : nothing
    }
    ${
      has && isFfn && (!isNorm || isAddAndNorm)
        ? offSwitch(
            html`at <bdi class="is-query">${rowWords[row]}</bdi>`,
            `FFN on at ${rowWords[row]}: layer ${layer + 1}`,
            { what: 'ffnAt', kind: stack, layer, row, to: 0 },
            context,
            acts,
          )
        : nothing
    }`;
}

/** @param {Context} context @param {Acts} acts */
function exitControls({ result, state }, { change }) {
  const { config, hasLogits, tokens, settings } = result.plan;
  if (!hasLogits) return hint('This model has no output table.');
  const kind = tokens.decoder ? 'decoder' : 'encoder';
  const layers = Number(settings.kind === 'encoder-decoder' ? config.decoderLayers : settings.layers);
  /** @type {Intervention} */
  const of = { what: 'exit', kind, to: layers };
  const now = /** @type {{to: number} | undefined} */ (standingAt(state.interventions, of));
  const at = now?.to ?? layers;
  const name = at === 0 ? 'its input' : at === layers ? `layer ${layers}, the last` : `layer ${at}`;
  return html`<label><span>Read the answer after</span>
    <input class="try-exit" type="range" min="0" max=${layers} step="1" .value=${live(String(at))}
      aria-valuetext=${name}
      @input=${(/** @type {any} */ { target: { valueAsNumber: to } }) => change(of, to === layers ? null : to)}>
    <output>${name}</output></label>`;
}
