// The lines of attention and the views of the other nodes: one file that is fetched late.

export { embedding, embeddingSum } from './features/embedding.js';
export { ffn } from './features/ffn.js';
export { norms } from './features/layer-norm.js';
export { lines } from './features/lines.js';
export { lens } from './features/logit-lens.js';
export { logits } from './features/logits.js';
export { neuron } from './features/neuron.js';
export { positions } from './features/positions.js';
export { stream, streamAtToken } from './features/residual-stream.js';
