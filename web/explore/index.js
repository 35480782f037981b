// Every view of the picture, in the order of the data's way. A new one is a file beside this, a line
// here, and a section in index.html; main.js knows none of them by name.

import { answers } from './answers/panel.js';
import { changeHead, changeNeuron, changes } from './interventions/panel.js';
import { computation } from './computation/panel.js';
import { curve } from './position-similarity/panel.js';
import { embedding } from './embedding/panel.js';
import { facts } from './run-info/panel.js';
import { ffn } from './ffn/panel.js';
import { heads } from './heads/panel.js';
import { heatmap } from './heatmap/panel.js';
import { keep } from './share/panel.js';
import { later } from './shared/lazy-panel.js';
import { lens } from './logit-lens/panel.js';
import { lines } from './lines/panel.js';
import { logits } from './logits/panel.js';
import { neuron } from './neuron/panel.js';
import { norms } from './layer-norm/panel.js';
import { positions } from './positions/panel.js';
import { route } from './model-graph/panel.js';
import { sheet } from './model-card/panel.js';
import { stream } from './residual-stream/panel.js';
import { decoderTokens, encoderTokens } from './tokens/panel.js';
import { translation } from './translation/panel.js';

/**
 * @typedef {import('../app/schema.js').State} State
 * @typedef {import('../engine/plan.js').Plan} Plan
 * @typedef {import('../engine/plan.js').Description} Description
 * @typedef {import('../engine/results.js').Picture} Picture
 * @typedef {import('../draw/color.js').Scheme} Scheme
 * @typedef {'input' | 'embedding' | 'positions' | 'attention' | 'ffn' | 'stream' | 'output' | 'run'} Part
 */

/**
 * A view of the picture and what it means.
 *
 * `name`: the id of its element; where that lies in a section with `data-optional`, the section is
 * hidden while there is nothing to show. `part`: the station of the model that it belongs to.
 * `wants`: names of tensors of this plan, or '@name/argument' of the lab (web/lab/index.js); the
 * selection in `state` exists. It is asked for the second plan as well, with the state of that one.
 * `present`: what the view is given; null: there is nothing to show; undefined: it is not here
 * yet, the view stays as it was. `known` is the file of a trained model, `second` the picture of
 * the pinned state if there is one. `blank`: the same while the text is empty, or the first picture refused; left out, null.
 * `create`: makes the view, and says what the reader's deeds in it mean for the state.
 * @template Data
 * @typedef {{
 *   name: string, part: Part,
 *   wants: (plan: Plan, state: Wishes) => string[],
 *   present: (picture: Picture, state: State, scheme: Scheme, known: Description | undefined, second: Picture | null) => Data | null | undefined,
 *   blank?: (plan: Plan) => Data | null | undefined,
 *   create: (root: HTMLElement, tools: Tools) => {update: (data: Data | null) => void, destroy: () => void},
 * }} Panel
 */

/**
 * What a view's wishes may depend on.
 * @typedef {Pick<State, 'selection' | 'quantity' | 'ffnQuantity'> & Partial<State>} Wishes
 */

/**
 * What a panel or an input may ask and do.
 *
 * `get`, `set`: the state. `moveCursor`: sets a part of the cursor. `plan`: of the present state.
 * `picture`: that is shown, which may be an older one while an answer is on its way. `pinned`: the
 * picture of the pinned state. `selection`: the one of the state, if it exists in the plan.
 * `description`: the file of the trained model. `scheme`: light or dark. `history`: undo and redo.
 * `link`: the address of the state. `saveModel`: gives the reader the model's file.
 * @typedef {{
 *   get: () => State, set: (patch: Partial<State>) => void, moveCursor: (patch: Partial<import('../app/schema.js').Cursor>) => void,
 *   plan: () => Plan, picture: () => Picture | null, pinned: () => Picture | null,
 *   selection: () => import('../app/schema.js').Selection, description: () => Description | undefined, scheme: () => Scheme,
 *   history: ReturnType<typeof import('../app/history.js').createHistory>,
 *   link: () => string, saveModel: () => void,
 * }} Tools
 */

const brush = later({
  name: 'brush',
  part: 'attention',
  isWanted: (_, state) => Boolean(state.brush?.length),
  fetch: async () => (await import('./late.js')).brush,
});
const compare = later({
  name: 'compare',
  part: 'run',
  isWanted: (_, state) => Boolean(state.pinned),
  fetch: async () => (await import('./late.js')).compare,
});
const effect = later({
  name: 'effect',
  part: 'output',
  isWanted: (plan) => plan.base !== null,
  fetch: async () => (await import('./late.js')).effect,
});

/** @type {Panel<any>[]} */
export const panels = [
  encoderTokens,
  decoderTokens,
  translation,
  answers,
  route,
  sheet,
  heads,
  heatmap,
  lines,
  brush,
  changeHead,
  computation,
  changes,
  effect,
  ffn,
  changeNeuron,
  neuron,
  compare,
  embedding,
  positions,
  curve,
  stream,
  norms,
  logits,
  lens,
  facts,
  keep,
];
