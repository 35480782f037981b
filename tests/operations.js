/** The tensors that an operation takes, in their order. @type {Record<string, string[]>} */
export const TENSORS = {
  matmul: ['a', 'b'],
  linear: ['x', 'weight', 'bias'],
  add: ['a', 'b'],
  mul: ['a', 'b'],
  klDivergence: ['p', 'q'],
  dot: ['a', 'b'],
  cosine: ['a', 'b'],
  rmsNorm: ['x'],
  activation: ['x', 'activation'],
  embedding: ['ids', 'table'],
  positionalEncoding: [],
  rotaryTable: [],
  rotary: ['x'],
  attention: ['query', 'key', 'value'],
  crossEntropy: ['logits', 'labels'],
  softmaxBackward: ['output', 'gradient'],
  layerNormBackward: ['x', 'gradient'],
  rmsNormBackward: ['x', 'gradient'],
  activationBackward: ['x', 'gradient', 'activation'],
  attentionBackward: ['query', 'key', 'value', 'gradient'],
  crossEntropyBackward: ['logProbabilities', 'labels'],
  optimizerStep: ['parameters', 'gradients'],
};

/**
 * The arguments of an operation, of all that it is given by name.
 * @param {string} operation
 * @param {Record<string, any>} named
 * @returns {any[]}
 */
export function argumentsOf(operation, named) {
  const names = TENSORS[operation] ?? ['x'];
  const others = Object.entries(named).filter(([name]) => !names.includes(name));
  return [...names.map((name) => named[name]), ...(others.length > 0 ? [Object.fromEntries(others)] : [])];
}

/**
 * Calls an operation by names.
 * @param {any} gf
 * @param {string} operation
 * @param {Record<string, any>} named
 */
export const perform = (gf, operation, named) => gf[operation](...argumentsOf(operation, named));
