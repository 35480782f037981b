// Makes the interventions of a forward pass: patches and temperature. Other numbers among the weights: edit-weights.js.

import { interventionLabel } from './intervention-labels.js';
import { isAtWord, isIntervention, temperatureOf } from './interventions.js';
import { makePatches } from './make-patches.js';
import { inputOf, isPatched } from './part.js';
import { cellsOf, isLater, patchTarget } from './patches.js';

/**
 * @typedef {import('./interventions.js').Intervention} Intervention
 * @typedef {import('./worker.js').Model} Model
 * @typedef {{ids: number[], targetIds?: number[]}} Input
 * @typedef {import('./patches.js').Patched} Patched
 */

/** Whether a forward pass is another for it; an edited weight is the model's. @param {Intervention} change */
export const actsInPass = ({ what }) => what !== 'weight';

/**
 * A forward pass with capture and all interventions but those of the weights.
 * @param {Model} model
 * @param {Input} input
 * @param {readonly Intervention[]} interventions
 * @param {ReturnType<typeof import('./part.js').howToRun>} [how]
 */
export const forwardWithInterventions = (model, input, interventions, how) =>
  pass(model, input, interventions, how, (options) => model.forward(options));

/**
 * The same, of which the numbers are kept until the trace is freed.
 * @param {Model} model
 * @param {Input} input
 * @param {readonly Intervention[]} interventions
 */
export const traceWithInterventions = (model, input, interventions) =>
  pass(model, input, interventions, undefined, (options) => model.trace(options));

/**
 * @template T
 * @param {Model} model
 * @param {Input} input
 * @param {readonly Intervention[]} interventions
 * @param {ReturnType<typeof import('./part.js').howToRun> | undefined} how
 * @param {(options: import('glassformer').ForwardOptions & {logits?: true}) => T} run
 */
function pass(model, input, interventions, how, run) {
  const options = /** @type {import('./make-patches.js').PassOptions & {logits?: true}} */ ({
    ...passOptions(input, interventions),
    ...how,
  });
  const patched = interventions.filter(isPatched);
  if (!patched.length) return run(options);
  try {
    return run({ ...options, patches: makePatches(model, options, patched) });
  } catch (error) {
    throw named(/** @type {import('./protocol.js').Problem} */ (error), patched, model.config);
  }
}

/**
 * The options of a pass besides patches.
 * @param {Input} input @param {readonly Intervention[]} interventions
 * @returns {import('./make-patches.js').PassOptions}
 */
function passOptions(input, interventions) {
  const temperature = temperatureOf(interventions);
  return { ...inputOf(input), capture: true, ...(temperature === 1 ? {} : { temperature }) };
}

/**
 * Names the change that a refusal of the module comes from: a text may have lost a cell, a model a head.
 * @param {import('./protocol.js').Problem & {value?: unknown, change?: Patched}} error `change`: that it comes from
 * @param {readonly Patched[]} patched
 * @param {Record<string, any>} config of the model
 */
function named(error, patched, config) {
  const { code, parameter, value } = error;
  const parts = patched.flatMap((each) => cellsOf(each).map((one) => ({ each, name: patchTarget(one, config).name })));
  const absent = parts.find(({ name }) => name === value)?.each;
  const given = parts.filter(({ each }) => !isLater(each)); // as makePatches orders them
  const change = error.change ?? absent ?? given[Number(/^patches\[(\d+)\]/.exec(parameter)?.[1])]?.each;
  const label = change && interventionLabel(change, () => ({ rowWords: [], columnWords: [] }));
  if (!label) return error;
  const [, path = ''] = /^patches\[\d+\]\.(value|index\[\d+\])/.exec(parameter) ?? [];
  const isOfText = isAtWord(change) && path.startsWith('index') && path !== HEADS_INDEX[change.what];
  /** @param {string} why */
  const refusal = (why) => ({ code, parameter, message: `“${label}”${why}` });
  if (error.change) return refusal(`: ${error.message} Remove it or choose another text.`);
  if (path === 'value') return refusal(': the number is too large. Remove it or choose another one.');
  return isOfText
    ? refusal(' does not exist in this text. Remove it or choose another text.')
    : refusal(' does not exist in this model. Remove it or choose other settings.');
}

/** The index of a patch that is a head, not a token. @type {Record<string, string>} */
const HEADS_INDEX = { cell: 'index[1]', headAt: 'index[1]' };

/** @param {readonly Intervention[]} interventions */
export function checkInterventions(interventions) {
  if (!interventions.every(isIntervention))
    throw { code: 'unknown', parameter: 'interventions', message: 'One of the changes is of an unknown kind.' };
}
