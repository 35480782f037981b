// Explore's features in the order of the page. A new one is a file of features/ and a line here.

import { opened, pointed } from '../kit/when.js';
import { entryOf } from '../models/catalogue.js';
import { answers } from './features/answers.js';
import { arcs } from './features/arcs.js';
import { attentionTabs } from './features/attention-tabs.js';
import { computation } from './features/computation.js';
import { decide } from './features/decide.js';
import { embed } from './features/embed.js';
import { examples } from './features/examples.js';
import { heatmap } from './features/heatmap.js';
import { layout } from './features/layout.js';
import { bookButton, lessons } from './features/lessons.js';
import { modelGraph } from './features/model-graph.js';
import { models } from './features/models.js';
import { about, settings, settingsFacts } from './features/settings.js';
import { share } from './features/share.js';
import { sheet } from './features/sheet.js';
import { text } from './features/text.js';
import { decoderTokens, encoderTokens } from './features/tokens.js';
import { trailButton } from './features/trail.js';
import { translation } from './features/translation.js';
import { untrained } from './features/untrained.js';
import { trying } from './features/try.js';

/**
 * @typedef {import('../app/schema.js').State} State
 * @typedef {import('../engine/plan.js').Plan} Plan
 * @typedef {import('../engine/plan.js').ModelInfo} ModelInfo
 * @typedef {import('../engine/results.js').Result} Result
 * @typedef {import('../draw/color.js').Scheme} Scheme
 *
 * What a feature's needs may depend on; the selection in `state` exists in the plan's model.
 * @typedef {{plan: Plan, state: Pick<State, 'selection' | 'quantity' | 'ffnQuantity'> & Partial<State>,
 *   modelInfo?: ModelInfo}} Query
 *
 * What a feature is shown by. `pinned`: the result of the pinned state, if there is one; `modelInfo`: the file of a
 * trained model; `error`: why the present plan was refused; `chosenModel`: which may have to be fetched yet.
 * @typedef {{
 *   result: Result, state: State, scheme: Scheme, modelInfo: ModelInfo | undefined, pinned: Result | null,
 * }} Context
 * @typedef {Omit<Context, 'result' | 'pinned'> & {
 *   error: import('../engine/protocol.js').Problem | null, chosenModel: import('../models/catalogue.js').ModelName,
 * }} InputContext
 */

/**
 * What a feature may ask and do.
 *
 * `get`, `set`: the state. `moveCursor`: sets a part of the cursor. `plan`: of the present state, or another.
 * `result`: that is shown, which may be an older one while another is on its way; `presentResult`: of the
 * present state, if it has come. `pinned`: the result of the
 * pinned state. `selection`: the one of the state, if it exists in the plan. `modelInfo`: the file of the trained
 * model. `history`: undo and redo. `link`: the address of the state. `saveModel`: gives the reader the model's
 * file. `chooseModel`: shows another model; `openOwn`: asks the reader for one of his own. `generate`,
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
 *   chooseModel: (name: import('../models/catalogue.js').ModelName) => void,
 *   openOwn: () => void, generate: () => void, stopGenerating: () => void, viewShown: (id: string) => Promise<void>,
 * }} Tools
 */

/**
 * A feature, as web/kit/feature.js says; `InputFeature`: one with `input: true`.
 * @typedef {import('../kit/feature.js').Feature<Context, Query, Tools>} Feature
 * @typedef {import('../kit/feature.js').Feature<InputContext, Query, Tools>} InputFeature
 * @typedef {import('../kit/feature.js').LateFeature<Feature | InputFeature>} Late
 */

/** @param {import('../models/catalogue.js').ModelName} model */
const takesMenus = (model) => entryOf(model)?.input === 'menus';

/** In the order of the page. @type {(Feature | InputFeature | Late)[]} */
export const features = [
  models,
  layout,
  bookButton,
  trailButton,
  embed,
  {
    name: 'sentence-menus',
    slot: 'models',
    input: true,
    // With the model, so that the menus do not come after it and move the rest.
    when: ({ state, chosenModel }) => [state.model, chosenModel].some(takesMenus),
    load: async () => (await import('./features/sentence-menus.js')).menus,
  },
  text,
  translation,
  encoderTokens,
  decoderTokens,
  arcs,
  examples,
  {
    name: 'generation',
    slot: 'input',
    input: true,
    when: ({ state, modelInfo }) => modelInfo && entryOf(state.model)?.input === 'prompt',
    load: async () => (await import('./features/generation.js')).generation,
  },
  answers,
  decide,
  modelGraph,
  sheet,
  untrained,
  {
    name: 'compare',
    slot: 'main',
    when: ({ state }) => Boolean(state.pinned),
    load: async () => (await import('./features/compare.js')).compare,
  },
  {
    name: 'decision',
    slot: 'main',
    when: ({ plan, state }) => Boolean(state.decision) && plan.hasLogits,
    load: async () => (await import('./features/decision.js')).decision,
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
  computation,
  trying,
  {
    name: 'effect',
    slot: 'effect',
    when: ({ plan }) => plan.base !== null,
    load: async () => (await import('./features/effect.js')).effect,
  },
  settingsFacts,
  about,
  {
    name: 'model-card',
    slot: 'about',
    aside: true,
    when: ({ modelInfo }) => Boolean(modelInfo),
    load: async () => (await opened('settings-box'), (await import('./features/model-card.js')).modelCard),
  },
  settings,
  share,
  lessons,
  {
    name: 'glossary',
    async load() {
      const first = await pointed('explore');
      return (await import('./features/glossary.js')).glossary(first);
    },
  },
  // The views of the nodes other than attention, in the order of the data's way.
  { name: 'ffn', slot: 'main', nodes: ['ffn'], load: async () => (await import('./features/ffn.js')).ffn },
  { name: 'neuron', slot: 'why', nodes: ['ffn'], load: async () => (await import('./features/neuron.js')).neuron },
  {
    name: 'embedding',
    slot: 'main',
    nodes: ['tokens', 'embedding'],
    load: async () => (await import('./features/embedding.js')).embedding,
  },
  {
    name: 'embedding-sum',
    slot: 'why',
    nodes: ['tokens', 'embedding'],
    load: async () => (await import('./features/embedding.js')).embeddingSum,
  },
  {
    name: 'positions',
    slot: 'main',
    nodes: ['positions'],
    load: async () => (await import('./features/positions.js')).positions,
  },
  {
    name: 'residual-stream',
    slot: 'main',
    nodes: ['add', 'norm'],
    load: async () => (await import('./features/residual-stream.js')).stream,
  },
  {
    name: 'residual-token',
    slot: 'why',
    nodes: ['add', 'norm'],
    load: async () => (await import('./features/residual-stream.js')).streamAtToken,
  },
  {
    name: 'layer-norm',
    slot: 'why',
    nodes: ['norm'],
    load: async () => (await import('./features/layer-norm.js')).norms,
  },
  {
    name: 'logits',
    slot: 'main',
    nodes: ['logits', 'probabilities'],
    load: async () => (await import('./features/logits.js')).logits,
  },
  {
    name: 'logit-lens',
    slot: 'why',
    nodes: ['logits', 'probabilities'],
    load: async () => (await import('./features/logit-lens.js')).lens,
  },
];
