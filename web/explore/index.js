// Explore's features in the order of the page. A new one is a file of features/ and a line here.

import { opened, pointed } from '../kit/feature.js';
import { isOfFeature } from '../engine/interventions.js';
import { canHaveFeatures, openNode } from '../engine/plan.js';
import { entryOf } from '../models/catalogue.js';
import { answers, decide } from './features/answers.js';
import { arcs } from './features/arcs.js';
import { attentionTabs, heatmap } from './features/heatmap.js';
import { examples, layout, models, origin } from './features/bar.js';
import { bookButton, lessons } from './features/lessons.js';
import { modelGraph } from './features/model-graph.js';
import { opening } from './features/opening.js';
import { text } from './features/text.js';
import { decoderTokens, encoderTokens } from './features/tokens.js';
import { trail, trailButton } from './features/trail.js';

/**
 * @typedef {import('../app/schema.js').State} State
 * @typedef {import('../engine/plan.js').Plan} Plan
 * @typedef {import('../engine/plan.js').ModelInfo} ModelInfo
 * @typedef {import('../engine/results.js').Result} Result
 * @typedef {import('../draw/color.js').Scheme} Scheme
 *
 * Arguments of a feature's needs; the selection in `state` exists in the plan's model.
 * @typedef {{plan: Plan, state: Pick<State, 'selection' | 'quantity' | 'ffnQuantity'> & Partial<State>,
 *   modelInfo?: ModelInfo}} Query
 *
 * Arguments of a feature's render. `pinned`: the result of the pinned state, if there is one; `modelInfo`: the file of
 * a trained model; `error`: why the present plan was refused; `chosenModel`: which may have to be fetched yet.
 * @typedef {{
 *   result: Result, state: State, scheme: Scheme, modelInfo: ModelInfo | undefined, pinned: Result | null,
 * }} Context
 * @typedef {Omit<Context, 'result' | 'pinned'> & {
 *   error: import('../engine/protocol.js').Problem | null, chosenModel: import('../models/catalogue.js').ModelName,
 * }} InputContext
 */

/**
 * Functions that a feature may call.
 *
 * `get`, `set`: the state. `moveCursor`: sets a part of the cursor. `plan`: of the present state, or another.
 * `result`: that is shown, which may be an older one while another is on its way; `presentResult`: of the
 * present state, if it has come. `pinned`: the result of the
 * pinned state. `selection`: the one of the state, if it exists in the plan. `modelInfo`: the file of the trained
 * model. `history`: undo and redo. `link`: the address of the state. `saveModel`: gives the reader the model's
 * file. `chooseModel`: shows another model; the present one keeps the state `left`, if given. `openOwn`: asks the
 * reader for one of his own. `readCorpus`: looks for neurons in the reader's own text from now on. `generate`,
 * `stopGenerating`: lets the model continue the text.
 * `viewShown`: when the element with an id is on the page, unless the reader chose another node.
 * @typedef {{
 *   get: () => State, set: (patch: Partial<State>) => void,
 *   moveCursor: (patch: Partial<import('../app/schema.js').Cursor>) => void,
 *   plan: (of?: State) => Plan, result: () => Result | null, presentResult: () => Result | null,
 *   pinned: () => Result | null,
 *   selection: () => import('../app/schema.js').Selection, modelInfo: () => ModelInfo | undefined,
 *   history: ReturnType<typeof import('../kit/store.js').createUndo>,
 *   link: () => string, saveModel: (format: import('../engine/protocol.js').FileFormat) => void,
 *   chooseModel: (name: import('../models/catalogue.js').ModelName, left?: State) => void,
 *   openOwn: () => void, readCorpus: (file: File) => Promise<void>, generate: () => void,
 *   stopGenerating: () => void, viewShown: (id: string) => Promise<void>,
 * }} Tools
 */

/**
 * A feature, as web/kit/feature.js says; `InputFeature`: one with `input: true`.
 * @typedef {import('../kit/feature.js').Feature<Context, Query, Tools>} Feature
 * @typedef {import('../kit/feature.js').Feature<InputContext, Query, Tools>} InputFeature
 * @typedef {import('../kit/feature.js').LateFeature<Feature | InputFeature>} Late
 *
 * The place of a feature that the first opening does without, or of one that stands in such a feature.
 * @typedef {Late & {slot: string, unfolds: true}} Unfolding
 */

/** @param {import('../models/catalogue.js').ModelName} model */
const takesMenus = (model) => entryOf(model)?.input === 'menus';

/** @param {Query & {state: State}} query */
const isDecided = ({ plan, state }) => Boolean(state.decision) && plan.hasLogits;
/** @param {Query & {state: State}} query */
const areHeads = ({ state }) => openNode(state) === 'heads';

/** A feature of instrument.js. @param {string} name @param {string} slot @param {object} [more] @returns {Unfolding} */
const unfolding = (name, slot, more) => ({
  name,
  slot,
  unfolds: true,
  load: async () => /** @type {Feature} */ ((await import('./instrument.js')).instrument.get(name)),
  ...more,
});
const INPUT = { input: true };

/** Whether a node shows its features. @param {Query & {state: State}} query */
const hasFeatures = ({ plan, state }) => state.face === 'features' && canHaveFeatures(plan);
/** @param {Query & {state: State}} query */
const hasNeurons = (query) => query.state.layout === 'page' || !hasFeatures(query);

/** A feature of dictionary.js. @param {string} name @param {string} slot @param {object} [more] @returns {Late} */
const ofDictionary = (name, slot, more) => ({
  ...{ name: `feature-${name}`, slot, nodes: ['ffn', 'add', 'norm'], when: hasFeatures },
  load: async () => /** @type {Feature} */ ((await import('./dictionary.js')).dictionary.get(`feature-${name}`)),
  ...more,
});

/** In the order of the page. @type {(Feature | InputFeature | Late | Unfolding)[]} */
export const features = [
  opening,
  models,
  layout,
  bookButton,
  trailButton,
  trail,
  {
    name: 'embed-live',
    slot: 'bars',
    input: true,
    when: ({ state }) => state.embed,
    load: async () => (await import('./features/embed.js')).embed,
  },
  {
    name: 'sentence-menus',
    slot: 'models',
    input: true,
    // With the model, so that the menus do not come after it and move the rest.
    when: ({ state, chosenModel }) => [state.model, chosenModel].some(takesMenus),
    load: async () => (await import('./features/sentence-menus.js')).menus,
  },
  text,
  encoderTokens,
  decoderTokens,
  {
    name: 'target',
    slot: 'input',
    when: ({ plan }) => Boolean(plan.generate),
    load: async () => (await import('./features/target.js')).target,
  },
  arcs,
  examples,
  origin,
  {
    name: 'generation',
    slot: 'input',
    input: true,
    when: ({ state, modelInfo }) => modelInfo && entryOf(state.model)?.input === 'prompt',
    load: async () => (await import('./features/generation.js')).generation,
  },
  answers,
  decide,
  ofDictionary('wait', 'in-sight', {
    nodes: undefined,
    when: (/** @type {Query & {state: State}} */ { state }) => state.interventions.some(isOfFeature),
  }),
  modelGraph,
  unfolding('sheet', 'why', INPUT),
  unfolding('untrained', 'main'),
  {
    name: 'compare',
    slot: 'main',
    when: ({ state }) => Boolean(state.pinned),
    load: async () => (await import('./features/compare.js')).compare,
  },
  {
    name: 'decision',
    slot: 'main',
    nodes: ['decision'],
    when: isDecided,
    load: async () => (await import('./features/decision.js')).decision,
  },
  {
    name: 'decision-why',
    slot: 'why',
    nodes: ['decision'],
    when: isDecided,
    load: async () => (await import('./features/decision.js')).decisionWhy,
  },
  {
    name: 'all-heads',
    slot: 'main',
    nodes: ['heads'],
    when: areHeads,
    load: async () => (await import('./features/all-heads.js')).allHeads,
  },
  {
    name: 'says',
    slot: 'why',
    nodes: ['heads'],
    when: areHeads,
    load: async () => (await import('./features/all-heads.js')).says,
  },
  {
    name: 'beams',
    slot: 'main',
    nodes: ['beams'],
    when: ({ plan, state }) => openNode(state) === 'beams' && Boolean(plan.generate),
    load: async () => (await import('./features/beams.js')).beams,
  },
  heatmap,
  {
    name: 'lines',
    slot: 'attention',
    nodes: ['attention'],
    when: ({ state }) => state.lines || state.layout === 'page',
    load: async () => (await import('./features/lines.js')).lines,
  },
  attentionTabs,
  unfolding('computation', 'why'),
  unfolding('try', 'why'),
  {
    name: 'node-try',
    slot: 'node-try',
    unfolds: true,
    when: (/** @type {Query & {state: State}} */ query) =>
      hasNeurons(query) && (query.state.layout === 'page' || openNode(query.state) !== 'attention'),
    load: async () => (await import('./features/node-try.js')).nodeTry,
  },
  ofDictionary('try', 'node-try', { unfolds: true }),
  {
    name: 'effect',
    slot: 'effect',
    unfolds: true,
    when: ({ plan }) => plan.base !== null,
    load: async () => (await import('./features/effect.js')).effect,
  },
  unfolding('settings-facts', 'settings-facts', INPUT),
  unfolding('about', 'about', INPUT),
  {
    name: 'model-card',
    slot: 'about',
    aside: true,
    when: ({ modelInfo }) => Boolean(modelInfo),
    load: async () => (await opened('settings-box'), (await import('./features/model-card.js')).modelCard),
  },
  unfolding('controls', 'controls', INPUT),
  unfolding('share', 'end'),
  lessons,
  {
    name: 'glossary',
    async load() {
      const first = await pointed('explore');
      return (await import('./features/glossary.js')).glossary(first);
    },
  },
  // The views of the nodes other than attention, in the order of the data's way.
  ofDictionary('map', 'main'),
  ofDictionary('card', 'why'),
  ofDictionary('strip', 'main'),
  ofDictionary('hold', 'main'),
  {
    name: 'ffn',
    slot: 'main',
    nodes: ['ffn'],
    when: hasNeurons,
    load: async () => (await import('./features/ffn.js')).ffn,
  },
  {
    name: 'neuron-why',
    slot: 'why',
    nodes: ['ffn'],
    when: hasNeurons,
    load: async () => (await import('./features/neuron-why.js')).neuronWhy,
  },
  {
    name: 'neuron',
    slot: 'why',
    nodes: ['ffn'],
    when: hasNeurons,
    load: async () => (await import('./features/neuron.js')).neuron,
  },
  { name: 'words', slot: 'main', nodes: ['tokens'], load: async () => (await import('./features/words.js')).words },
  {
    name: 'embedding',
    slot: 'main',
    nodes: ['embedding'],
    load: async () => (await import('./features/embedding.js')).embedding,
  },
  {
    name: 'embedding-why',
    slot: 'why',
    nodes: ['embedding'],
    load: async () => (await import('./features/stream-why.js')).embeddingWhy,
  },
  {
    name: 'positions',
    slot: 'main',
    nodes: ['positions'],
    load: async () => (await import('./features/positions.js')).positions,
  },
  {
    name: 'positions-why',
    slot: 'why',
    nodes: ['positions'],
    load: async () => (await import('./features/stream-why.js')).positionsWhy,
  },
  {
    name: 'layer-norm',
    slot: 'main',
    nodes: ['norm'],
    when: hasNeurons,
    load: async () => (await import('./features/layer-norm.js')).norms,
  },
  {
    name: 'norm-why',
    slot: 'why',
    nodes: ['norm'],
    when: hasNeurons,
    load: async () => (await import('./features/norm-why.js')).normWhy,
  },
  {
    name: 'residual-stream',
    slot: 'main',
    nodes: ['add', 'norm'],
    when: hasNeurons,
    load: async () => (await import('./features/residual-stream.js')).stream,
  },
  {
    name: 'sum-why',
    slot: 'why',
    nodes: ['add'],
    when: hasNeurons,
    load: async () => (await import('./features/stream-why.js')).sumWhy,
  },
  {
    name: 'residual-token',
    slot: 'why',
    nodes: ['add', 'norm'],
    when: hasNeurons,
    load: async () => (await import('./features/residual-stream.js')).streamAtToken,
  },
  {
    name: 'logit-lens',
    slot: 'main',
    nodes: ['transform', 'logits', 'values'],
    load: async () => (await import('./features/logit-lens.js')).lens,
  },
  {
    name: 'logits',
    slot: 'main',
    nodes: ['transform', 'logits', 'probabilities', 'values'],
    load: async () => (await import('./features/logits.js')).logits,
  },
  {
    name: 'logit-why',
    slot: 'why',
    nodes: ['transform', 'logits', 'probabilities', 'values'],
    load: async () => (await import('./features/logit-why.js')).logitWhy,
  },
];
