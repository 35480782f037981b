// The views of the nodes other than attention, in the order of the data's way: one file that is fetched late.

import logitsCss from './logits/logits.css';
import neuronCss from './neuron/neuron.css';
import { addStyle } from '../draw/style.js';
import { embedding, embeddingSum } from './embedding/panel.js';
import { ffn } from './ffn/panel.js';
import { norms } from './layer-norm/panel.js';
import { lens } from './logit-lens/panel.js';
import { logits } from './logits/panel.js';
import { neuron } from './neuron/panel.js';
import positionsCss from './positions/positions.css';
import { positions } from './positions/positions.js';
import { stream, streamAtToken } from './residual-stream/panel.js';

addStyle(logitsCss + neuronCss + positionsCss);

/** @type {(import('./index.js').Placed | import('./index.js').Panel<any>)[]} */
export const views = [ffn, neuron, embedding, embeddingSum, positions, stream, streamAtToken, norms, logits, lens];
