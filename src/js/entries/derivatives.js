/**
 * Derivatives of a model without a trainer: gradients of a loss, and products of a cotangent with the Jacobian, of any
 * tensor that `capture` keeps. An overflow is reported, not thrown.
 *
 * @module glassformer/derivatives
 */
export { gradients, vjp } from '../derivatives/model-derivatives.js';
export { operationVjp } from '../derivatives/operation-derivatives.js';

/** @typedef {import('../derivatives/model-derivatives.js').Cotangents} Cotangents */
/** @typedef {import('../derivatives/model-derivatives.js').Gradients} Gradients */
/** @typedef {import('../derivatives/model-derivatives.js').LogitOptions} LogitOptions */
/** @typedef {import('../derivatives/model-derivatives.js').LossOptions} LossOptions */
/** @typedef {import('../derivatives/model-derivatives.js').NamedFloats} NamedFloats */
/** @typedef {import('../derivatives/model-derivatives.js').Of} Of */
/** @typedef {import('../derivatives/model-derivatives.js').PassOptions} PassOptions */
/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../engine/model.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('../../../dist/generated/settings.js').TrainerOptions} TrainerOptions */
