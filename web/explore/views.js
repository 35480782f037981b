// The views of the nodes other than attention, in the order of the data's way: one file that is fetched late.

import logitsCss from './logits/logits.css';
import neuronCss from './neuron/neuron.css';
import similarityCss from './position-similarity/position-similarity.css';
import { addStyle } from '../draw/style.js';
import { embedding, embeddingSum } from './embedding/panel.js';
import { ffn } from './ffn/panel.js';
import { norms } from './layer-norm/panel.js';
import { lens } from './logit-lens/panel.js';
import { logits } from './logits/panel.js';
import { neuron } from './neuron/panel.js';
import { positionSimilarity } from './position-similarity/panel.js';
import { positions } from './positions/panel.js';
import { stream, streamAtToken } from './residual-stream/panel.js';

addStyle(logitsCss + neuronCss + similarityCss);

/** @type {(import('./index.js').Placed | import('./index.js').Panel<any>)[]} */
export const views = [
  ffn,
  neuron,
  embedding,
  embeddingSum,
  positions,
  positionSimilarity,
  stream,
  streamAtToken,
  norms,
  logits,
  lens,
];
