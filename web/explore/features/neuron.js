// The card of the pinned neuron: its key (words that activate it, in the model's corpus or the reader's own text) and
// its value (tokens that it promotes); and the neurons that are strongest at the pinned token. Its Why (neuron-why.js)
// explains its activation there.

import { html, nothing, svg } from 'lit-html';
import { LONGEST_NAME } from '../../app/schema.js';
import { valueOf } from '../../kit/controls.js';
import { tableOf } from '../../draw/figure.js';
import { formatShare, formatValue, shortValue } from '../../draw/numbers.js';
import { choiceLabel } from '../../engine/model-settings.js';
import { attention, ffnName, neuronRole } from '../../engine/plan.js';
import { figure } from '../../kit/figure.js';
import { BINS, binOf } from '../shared/bins.js';
import { examplesIn, inContext, reading, seesCorpus } from '../shared/examples.js';
import { partNames, neuronAt } from '../shared/neuron-at.js';
import {
  STRONGEST,
  corpusIn,
  corpusNames,
  corpusOf,
  effectName,
  neuronsName,
  saidByNeuron,
} from '../shared/neurons.js';
import { bySize } from '../shared/order.js';
import { tinted } from '../shared/tinted.js';
import { selectedIn, visibleWords } from '../shared/words.js';
import style from './neuron.css';

/**
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../../engine/plan.js').ModelInfo} ModelInfo
 * @typedef {import('../../engine/plan.js').Stack} Stack
 *
 * @typedef {{word: string, value: number}} Said
 * @typedef {import('../shared/examples.js').Example} Place of the corpus
 * @typedef {'top' | 'range' | 'random'} Group
 * @typedef {{
 *   active: number, tokens: number, trained: boolean, sentences: number | null, said: string, writes: boolean,
 *   examples: Record<Group, Place[]>, bins: Uint32Array, unread: number,
 *   contextAt: (place: number) => import('../shared/examples.js').Context,
 * }} Excitation over the corpus; `said`: what its sentences are; `unread`: so many of them were left out
 *
 * `gated`: the network multiplies two; `dies`: what is not above 0 is 0; `parts`: what its numbers are called; `gain`:
 * a norm's gain is applied between the value vector and the words; `silence`: why it promotes none; `value`: what it
 * gives at the token, `here`: at each token. `key`: null until
 * the corpus has been read; `sentences`: null where the corpus is the text itself; `writes`: the rows of the map are
 * labelled by the words that are written, not those that are read.
 * @typedef {{
 *   pinned: number, gated: boolean, dies: boolean, parts: ReturnType<typeof partNames>, normName: string,
 *   promotes: Said[], suppresses: Said[], gain: boolean, silence: string | null,
 *   key: null | {done: number, of: number} | Excitation, value: number, here: Said[],
 * }} CardData
 *
 * @typedef {{neuron: number, value: number, promotes: string | null}} Strong
 */

const WORDS = 5;
const AROUND = 9; // words on either side that give a context
const FEW = 6; // examples over the range

/** @type {Record<Group, string>} */
const GROUPS = { top: 'strongest', range: 'over its range', random: 'at random' };
const READ_WORD = 'The marked token is the decoder’s input; a row of the map is labelled by the token predicted next.';

const count = new Intl.NumberFormat('en');

/** @param {string} place @param {Partial<import('../index.js').State>} state */
const nearestName = (place, { cursor }) => `@nearest/${place}/${cursor?.row ?? 0}/${cursor?.neuron ?? ''}`;

/** @param {Partial<import('../index.js').State>} state */
const isOpen = ({ neuronCard }) => reading.isSeen && (neuronCard ?? true);

/** @type {import('../index.js').Feature} */
export const neuron = {
  name: 'neuron',
  style,
  local: { group: /** @type {Group} */ ('top'), problem: '' },
  needs({ plan, state }) {
    const { kind, layer } = state.selection;
    const place = `${attention(kind).stack}/${layer}`;
    const names = [ffnName(kind, layer, neuronRole(plan.settings)), neuronsName(plan, place, state)];
    const corpus = isOpen(state) ? corpusNames(plan, place) : [];
    const chosen = state.neuronOff && corpus.length && (state.cursor?.neuron ?? null);
    const effect = typeof chosen === 'number' ? [effectName(plan, place, chosen)] : [];
    const near = isOpen(state) ? [nearestName(place, state)] : [];
    return plan.settings.d_ff > 0 ? [...names, ...corpus, ...near, ...effect] : [];
  },
  render({ result, state, modelInfo, local }, { get, set, local: remember, readCorpus }) {
    const { plan, tensors, derived } = result;
    const { settings } = plan;
    const { d_ff, normKind } = settings;
    const { selection, kind, stack, rowWords, row } = selectedIn(result, state);
    const { layer } = selection;
    if (d_ff === 0) return null;
    const given = tensors.get(ffnName(kind, layer, neuronRole(settings)))?.data;
    const gated = neuronRole(settings) === 'product';
    /** @type {import('../derived/neuron.js').NeuronsAnswer | undefined} */
    const neurons = derived.get(neuronsName(plan, `${stack}/${layer}`, state));
    if (!given || !neurons) return undefined;
    const { words, gain } = neurons;
    const vocabulary = modelInfo && plan.model === modelInfo.name ? modelInfo.outputVocabulary : [];
    const said = (/** @type {number} */ n, /** @type {number} */ most) =>
      saidByNeuron(neurons, n, { vocabulary, model: plan.model, most });
    const word = rowWords[row];
    const pinned = neuronAt(result, state);
    const at = row * d_ff;
    // Below 0 a neuron promotes what its value vector suppresses.
    const list = [...bySize(given, d_ff, row).subarray(0, STRONGEST)]
      .map((n) => ({ neuron: n, value: given[at + n] }))
      .filter(({ value }) => value !== 0)
      .map((each) => {
        const { promotes, suppresses } = said(each.neuron, 1);
        return { ...each, promotes: (each.value > 0 ? promotes : suppresses)[0]?.word ?? null };
      });
    const open = isOpen(state);
    /** @type {CardData} */
    const data = {
      pinned,
      gated,
      dies: !gated && settings.activation === 'relu',
      parts: partNames(settings),
      normName: choiceLabel('normKind', normKind),
      ...said(pinned, WORDS),
      gain,
      silence: words ? null : silence(plan, stack),
      key: keyOf(corpusIn(result, `${stack}/${layer}`), pinned, plan, stack, modelInfo),
      value: given[at + pinned],
      here: rowWords.map((each, i) => ({ word: each, value: given[i * d_ff + pinned] })),
    };
    const name = `Strongest neurons at ${word}`;
    const shown = {
      name: open ? `Neuron ${pinned}` : name,
      tables: () => [strongestTable(name, list, gated), ...(open ? cardTables(data) : [])],
    };
    const toggle = (/** @type {Event} */ event) => {
      event.preventDefault(); // only the state opens it, otherwise a result that arrives would undo the click
      set({ neuronCard: !open });
    };
    const pin = (/** @type {number} */ n) => set({ cursor: { ...get().cursor, neuron: n }, neuronCard: true });
    const corpus = corpusOf(plan.model);
    async function readOwn(/** @type {File | undefined} */ file) {
      if (!file) return;
      remember({ problem: '' });
      await readCorpus(file).catch((error) => remember({ problem: error.message }));
    }
    function stop() {
      if (corpus) corpus.isStopped = true;
      set({}); // the part that was read is asked for
    }
    const { called, call } = naming({ stack, layer, neuron: pinned }, state, { get, set });
    function write() {
      pin(pinned); // else it is the strongest of each word
      document.getElementById('text')?.focus();
    }
    const acts = {
      ...local,
      ...{ called, call },
      write: stack === 'decoder' && plan.tokens.encoder ? null : write,
      ...asking(result, state, { place: `${stack}/${layer}`, pinned, vocabulary }, { get, set }),
      ...{ pin, near: derived.get(nearestName(`${stack}/${layer}`, state)) },
      choose: (/** @type {Group} */ group) => remember({ group }),
      readOwn: plan.model && settings.kind !== 'encoder-decoder' ? readOwn : null,
      stop: corpus ? stop : null,
    };
    return html`
      <section class="panel neuron-panel" aria-labelledby="neuron-title">
        <div id="neuron" ${figure(shown)} ${seesCorpus(set)}
          ${tinted({ stack, values: data.here.map((each) => each.value) })}>
          <details class="neuron-card" data-neuron=${pinned} ?open=${open}>
            <summary @click=${toggle}><h2 id="neuron-title" class="view-title">Neuron ${pinned}</h2>${
              called ? html` “<bdi>${called}</bdi>”` : nothing
            }:
              ${excitement(data)}${state.layout === 'page' ? ', which tokens it promotes' : ''}</summary>
            ${open ? card(data, acts, state.layout === 'page') : nothing}
          </details>
        </div>
      </section>
      <section class="panel" aria-labelledby="neurons-title"><div id="neurons">
        ${strongest(word, list, pinned, pin, gated)}
      </div></section>`;
  },
};

/**
 * Asks for what changes over the corpus without a neuron, and has it once it is there.
 * @param {import('../../engine/results.js').Result} result @param {import('../index.js').State} state
 * @param {{place: string, pinned: number, vocabulary: readonly string[]}} of
 * @param {Pick<import('../index.js').Tools, 'get' | 'set'>} tools
 */
function asking({ plan, derived }, { neuronOff: asked }, { place, pinned, vocabulary }, { get, set }) {
  const canAsk = plan.model && plan.settings.kind !== 'encoder-decoder' && plan.hasLogits;
  return {
    asked,
    effect: asked ? derived.get(effectName(plan, place, pinned)) : undefined,
    answers: visibleWords([...vocabulary]),
    askEffect: canAsk
      ? (/** @type {boolean} */ neuronOff) =>
          set({ neuronOff, cursor: { ...get().cursor, neuron: pinned }, neuronCard: true })
      : null,
  };
}

/**
 * The name that the reader gave a neuron, and how it gets another.
 * @param {{stack: Stack, layer: number, neuron: number}} place @param {import('../index.js').State} state
 * @param {Pick<import('../index.js').Tools, 'get' | 'set'>} tools
 */
function naming({ stack, layer, neuron: number }, { neuronNames }, { get, set }) {
  const isIt = (/** @type {import('../../app/schema.js').NeuronName} */ each) =>
    each.stack === stack && each.layer === layer && each.neuron === number;
  return {
    called: neuronNames.find(isIt)?.name ?? '',
    call(/** @type {string} */ given) {
      const name = given.trim().slice(0, LONGEST_NAME);
      const others = get().neuronNames.filter((each) => !isIt(each));
      set({ neuronNames: name ? [...others, { stack, layer, neuron: number, name }] : others });
    },
  };
}

/** Why a neuron promotes no words. @param {Plan} plan @param {Stack} stack */
const silence = ({ settings: { kind }, model }, stack) =>
  kind === 'encoder-decoder' && stack === 'encoder' && model
    ? 'An encoder neuron promotes no tokens directly: only the decoder reaches the output table.'
    : 'This model has no output table, so its neurons promote no tokens.';

/**
 * Finds the tokens that excite a neuron.
 * @param {import('../shared/corpus.js').CorpusAnswer | undefined} corpus
 * @param {number} pinned
 * @param {Plan} plan
 * @param {Stack} stack
 * @param {ModelInfo | undefined} modelInfo
 * @returns {CardData['key']}
 */
function keyOf(corpus, pinned, { model, tokens }, stack, modelInfo) {
  if (!corpus) return null;
  if ('unfinished' in corpus) return { done: corpus.done, of: corpus.of };
  const { ids, starts, active, bins, of } = corpus;
  const { top, examplesOf, contextAt } = examplesIn(corpus, pinned, { model, tokens }, stack, modelInfo);
  const strong = new Set(top.map(({ place }) => place));
  const weaker = examplesOf(corpus.binPlaces, corpus.binValues).filter(({ place }) => !strong.has(place));
  return {
    active: active[pinned],
    tokens: ids.length,
    writes: Boolean(model && stack === 'decoder' && modelInfo?.targetVocabulary),
    trained: Boolean(model),
    sentences: starts.length > 1 ? starts.length : null, // a corpus has many, the text itself is one
    said: corpusOf(model)?.said ?? 'held-out sentences',
    bins: bins.slice(pinned * BINS, (pinned + 1) * BINS),
    unread: of - starts.length,
    contextAt,
    examples: {
      top,
      range: evenly(weaker.reverse(), FEW),
      random: examplesOf(corpus.randomPlaces, corpus.randomValues),
    },
  };
}

/** @template T @param {T[]} list @param {number} most @returns {T[]} of a longer list as many, evenly from all of it */
const evenly = (list, most) =>
  list.length > most
    ? Array.from({ length: most }, (_, i) => list[Math.floor(((i + 0.5) * list.length) / most)])
    : list;

/**
 * @param {string} word @param {Strong[]} list @param {number} pinned @param {(neuron: number) => void} pin
 * @param {boolean} gated
 */
const strongest = (word, list, pinned, pin, gated) => html`
  <div class="neuron-strongest">
    <h2 id="neurons-title">Strongest neurons at <bdi class="quoted">${word}</bdi></h2>
    ${
      list.length
        ? html`<ol>${list.map(
            ({ neuron: n, value, promotes }) => html`<li data-neuron=${n}>
      <button type="button" aria-pressed=${n === pinned} @click=${() => pin(n)}>Neuron ${n}</button>
      <span class="number">${formatValue(value)}</span>
      ${promotes === null ? nothing : html`<span class="neuron-says">promotes <bdi>${promotes}</bdi></span>`}</li>`,
          )}</ol>`
        : html`<p class="hint">Every ${gated ? 'product' : 'activation'} is 0 here.</p>`
    }
  </div>`;

/** @param {string} name @param {Strong[]} list @param {boolean} gated */
const strongestTable = (name, list, gated) =>
  tableOf(
    name,
    [gated ? 'product' : 'activation', 'promotes'],
    list.map(({ neuron: n, value, promotes }) => [`neuron ${n}`, value, promotes ?? '']),
  );

/** @param {Pick<CardData, 'gated'>} data */
const excitement = ({ gated }) => `what ${gated ? 'opens its gate' : 'activates it'}`;

/**
 * `readOwn`, `stop`, `write`, `askEffect`: null where there is nothing of this kind.
 * @typedef {{
 *   near: import('../derived/neuron.js').Nearest | undefined, pin: (neuron: number) => void,
 *   group: Group, problem: string, choose: (group: Group) => void, called: string, call: (name: string) => void,
 *   write: (() => void) | null, asked: boolean, askEffect: ((asks: boolean) => void) | null,
 *   effect: import('../derived/neuron-effect.js').NeuronEffect | {absent: true} | undefined, answers: string[],
 *   readOwn: ((file: File | undefined) => void) | null, stop: (() => void) | null,
 * }} Acts
 */

/** In the workspace Why has the words. @param {CardData} data @param {Acts} acts @param {boolean} isWhole */
const card = (data, acts, isWhole) => html`
  <div class="neuron-sides">
    <section class="neuron-key"><h3>Key: ${excitement(data)}</h3>${key(data, acts)}</section>
    ${
      isWhole
        ? html`<section class="neuron-value"><h3>Value: which tokens it promotes</h3>${value(data)}</section>`
        : nothing
    }
  </div>`;

/** The card's numbers. @param {CardData} data */
const cardTables = ({ pinned, promotes, suppresses, key: known, gated, parts }) => [
  tableOf(
    `Neuron ${pinned}, tokens`,
    ['logit per unit'],
    [...promotes, ...suppresses].map((each) => [each.word, each.value]),
  ),
  ...(known && 'bins' in known
    ? [
        tableOf(
          `Neuron ${pinned}, ${excitement({ gated })}`,
          [gated ? parts.activation : 'activation', 'before', 'after'],
          known.examples.top.map(({ word, value: each, before, after }) => [
            word,
            each,
            before.join(' '),
            after.join(' '),
          ]),
        ),
      ]
    : []),
];

/** Names the strongest token of the reader's text, and leads to the text. @param {CardData} data @param {Acts} acts */
function inText({ here }, { write }) {
  const most = here.reduce((a, b) => (Math.abs(b.value) > Math.abs(a.value) ? b : a), here[0]);
  if (!most) return nothing;
  const size = html`<b class="number" data-number="here">${formatValue(most.value)}</b>`;
  const said = most.value
    ? html`${most.value > 0 ? 'at most' : 'largest'} ${size}, at <bdi class="quoted">${most.word}</bdi>.`
    : '0 at every token.';
  return html`<p class="hint neuron-here"><span>In the text above: ${said}</span>${
    write ? html`<button type="button" class="plain" @click=${write}>Write until it fires</button>` : nothing
  }</p>`;
}

/** The reader's file in place of the corpus. @param {Acts} acts */
const ownText = ({ readOwn, problem }) =>
  readOwn
    ? html`<label class="neuron-own">Read a text of your own<input type="file"
        class="visually-hidden" accept=".txt,.md,.csv,.html,text/*" @change=${(/** @type {any} */ { target }) => {
          readOwn(target.files[0]);
          target.value = '';
        }}></label>${problem ? html`<span role="alert">${problem}</span>` : nothing}`
    : nothing;

/** A bar for each strength, √2 times the one before, and the token's own marked. @param {CardData} data */
function histogram({ key: known, value, parts }) {
  const { bins } = /** @type {Excitation} */ (known);
  const [first, end] = [bins.findIndex(Boolean), bins.findLastIndex(Boolean) + 1];
  if (end - first < 2) return nothing;
  const most = Math.max(...bins);
  const edge = (/** @type {number} */ bin) => shortValue(2 ** ((bin - BINS / 2) / 2));
  const at = value > 0 ? binOf(value) : -1;
  const about = `${parts.activation} over the corpus, from ${edge(first)} to ${edge(end)}`;
  return html`<p class="neuron-histogram"><span class="number">${edge(first)}</span>
    <svg viewBox="0 0 ${end - first} 1" preserveAspectRatio="none" role="img" aria-label=${about}>${Array.from(
      bins.subarray(first, end),
      (count, i) => svg`<rect x=${i + 0.05} width="0.9" y=${1 - count / most} height=${count / most}
        class=${first + i === at ? 'here' : ''}></rect>`,
    )}</svg><span class="number">${edge(end)}</span></p>`;
}

/** @param {CardData} data @param {Acts} acts */
function key(data, acts) {
  const { stop } = acts;
  const { key: known, gated, dies, parts } = data;
  if (!known) return html`<p class="hint">…</p>`;
  if ('done' in known)
    return html`<p class="hint neuron-reading"><progress aria-label="Sentences read" max=${known.of}
      value=${known.done}></progress> Reading the corpus: ${known.done} of ${known.of} sentences.${
        stop && known.done ? html` <button type="button" class="plain" @click=${stop}>Stop</button>` : nothing
      }</p>`;
  const { active, tokens, trained, sentences, said, writes, examples, unread } = known;
  const corpus =
    sentences !== null
      ? `${count.format(sentences)} ${said}`
      : trained
        ? 'the text above, as this model comes without one'
        : 'the text itself (untrained model)';
  const none = dies
    ? 'None: this neuron is never active on the corpus (dead).'
    : `None: ${gated ? parts.activation : 'its activation'} is never above 0 on the corpus.`;
  return html`${examples.top.length ? list(examples, acts) : html`<p>${none}</p>`}
    <p class="hint">${gated ? `${parts.activation} above` : 'Above'} 0 at
      <b class="number" data-number="active">${formatShare(active)}</b> of the ${count.format(tokens)}
      tokens of the corpus: ${corpus}${unread ? `, ${count.format(unread)} others are not read` : ''}.
      ${writes ? READ_WORD : nothing} ${ownText(acts)}</p>
    ${inText(data, acts)}<div class="neuron-corpus">${histogram(data)}
      <label>Your name for it <input class="neuron-name" maxlength=${LONGEST_NAME} .value=${acts.called}
        @change=${(/** @type {Event} */ event) => acts.call(valueOf(event))}></label></div>
    ${nearest(acts)}${effectOf(known, acts)}`;
}

/** The neurons with the most similar keys. @param {Acts} acts */
const nearest = ({ near, pin }) =>
  near?.neurons.length
    ? html`<p class="hint neuron-nearest">Most similar keys: ${near.neurons.map(
        ({ neuron: n, cosine }) => html`<button type="button" class="plain" @click=${() => pin(n)}>neuron ${n}
          <span class="number">${shortValue(cosine)}</span></button>`,
      )}</p>`
    : nothing;

/**
 * Answers of the model that are other ones over the corpus while the neuron is off, where the reader asked for them.
 * @param {Excitation} known @param {Acts} acts
 */
function effectOf({ contextAt }, { asked, askEffect, effect, answers }) {
  if (!askEffect) return nothing;
  if (!asked)
    return html`<button type="button" class="plain neuron-asks" @click=${() => askEffect(true)}
      >What changes over the corpus without it?</button>`;
  if (!effect || 'absent' in effect) return html`<p class="hint">…</p>`;
  const { done, of, tokens, turned, nats, turns, unfinished } = effect;
  return html`<section class="neuron-off"><h3>Off at every token of the corpus</h3>
    <p class="hint" role="status">${
      unfinished
        ? html`<progress aria-label="Sentences read" max=${of} value=${done}></progress> ${done} of ${of} sentences.
            <button type="button" class="plain" @click=${() => askEffect(false)}>Stop</button>`
        : html`The answer is another one at <b class="number" data-number="turned">${count.format(turned)}</b> of
            ${count.format(tokens)} tokens (${formatShare(turned / tokens)}), ${shortValue(nats)} nats on average.`
    }</p>
    <ol>${
      unfinished
        ? nothing
        : turns.map(({ place, from, to, before, after }) => {
            const at = contextAt(place);
            return html`<li>${inContext(at, AROUND)}
              <span><bdi>${answers[from]}</bdi> ${formatShare(before)} → ${formatShare(after)},
              then <bdi>${answers[to]}</bdi></span></li>`;
          })
    }</ol></section>`;
}

/** The examples of a group, in context. @param {Excitation['examples']} examples @param {Acts} acts */
function list(examples, { group, choose }) {
  const tabs = /** @type {[Group, string][]} */ (Object.entries(GROUPS)).map(([each, name]) =>
    examples[each].length
      ? html`<button type="button" class="plain" aria-pressed=${group === each}
          @click=${() => choose(each)}>${name}</button>`
      : nothing,
  );
  return html`<p class="tabs" role="group" aria-label="Examples">${tabs}</p>
    <ol>${examples[examples[group].length ? group : 'top'].map(
      (each) => html`<li><span class="number">${formatValue(each.value)}</span> ${inContext(each, AROUND)}</li>`,
    )}</ol>`;
}

/** @param {CardData} data */
function value({ promotes, suppresses, gain, silence: reason, gated, normName }) {
  if (reason) return html`<p class="hint">${reason}</p>`;
  const through = gain ? `the last ${normName}’s gain and the output table` : 'the output table';
  const norm = `the norm’s ${normName === 'LayerNorm' ? 'centring and ' : ''}division and `;
  return html`<p class="hint">Change of each token’s logit per unit of ${gated ? 'product' : 'activation'}: its value
      through ${through}, without ${gain ? norm : ''}the effect of later layers.</p>
    <div class="neuron-words">${words('Promotes', promotes)}${words('Suppresses', suppresses)}</div>`;
}

/** @param {string} title @param {Said[]} list */
const words = (title, list) =>
  html`<div><h4>${title}</h4><ol>${list.map(
    ({ word, value: each }) => html`<li>
  <bdi>${word}</bdi> <span class="number">${formatValue(each)}</span></li>`,
  )}</ol></div>`;
