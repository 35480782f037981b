// Facts for a lesson of Explore: the numbers of the shown result at the reader's place, and the state that the lesson
// begins with.

import { openingState, readLink } from '../../app/schema.js';
import { temperatureOf } from '../../engine/interventions.js';
import { PROBABILITIES, attentionPath, headSize } from '../../engine/plan.js';
import { selectedIn } from './words.js';
import { modelOf } from '../../lessons/index.js';
import { Missing } from '../../lessons/numbers.js';

/** @typedef {ReturnType<typeof factsOf>} Facts */

/** @param {Pick<import('../index.js').Context, 'result' | 'state' | 'modelInfo'>} context */
function factsOf({ result, state, modelInfo }) {
  const place = selectedIn(result, state);
  const { selection, kind, stack, columnWords, row } = place;
  const { settings, tokens, interventions } = result.plan;
  const prefix = attentionPath(kind, selection.layer);

  /** @param {string} name */
  function tensor(name) {
    const found = result.tensors.get(name);
    if (!found) throw new Missing(name);
    return found;
  }

  /**
   * A row of a tensor [1, tokens, width] or [tokens, width].
   * @param {string} name @param {number} [at]
   */
  function rowOf(name, at = row) {
    const { data, shape } = tensor(name);
    const width = shape[shape.length - 1];
    return data.subarray(at * width, (at + 1) * width);
  }

  /**
   * A head's row of a tensor [1, heads, tokens, width] of the chosen attention; the mean of all heads' where that is
   * chosen.
   * @param {string} name @param {number} [at] @param {number} [head]
   */
  function headRow(name, at = row, head = selection.head) {
    const { data, shape } = tensor(`${prefix}.${name}`);
    const [, heads, rows, width] = shape;
    const of = (/** @type {number} */ each) => {
      const own = Math.floor((each * heads) / settings.heads); // heads may share keys and values
      const from = (own * rows + at) * width;
      return data.subarray(from, from + width);
    };
    if (!selection.mean || name !== 'weights') return of(head);
    return of(0).map(
      (_, i) => Array.from({ length: heads }, (__, each) => of(each)[i]).reduce((a, b) => a + b) / heads,
    );
  }

  /** The model's answers at a row, the likeliest first. @param {number} [at] */
  function answers(at = row) {
    const probabilities = /** @type {import('../../engine/protocol.js').Tensor | undefined} */ (
      result.derived.get(PROBABILITIES)
    );
    if (!probabilities || !modelInfo) throw new Missing(PROBABILITIES);
    const width = probabilities.shape[probabilities.shape.length - 1];
    const words = modelInfo.outputVocabulary;
    return Array.from(probabilities.data.subarray(at * width, (at + 1) * width), (probability, id) => ({
      id,
      word: words[id],
      probability,
    })).sort((a, b) => b.probability - a.probability);
  }

  /** @param {string} name */
  function derived(name) {
    const found = result.derived.get(name);
    if (!found) throw new Missing(name);
    return found;
  }

  return {
    ...place,
    state,
    settings,
    tokens,
    interventions,
    modelInfo,
    prefix,
    word: place.rowWords[row],
    keyWord: columnWords[place.key],
    ids: tokens[stack]?.ids ?? [],
    size: headSize(settings),
    temperature: temperatureOf(interventions),
    tensor,
    derived,
    rowOf,
    headRow,
    answers,
  };
}

/**
 * The opening state of its model, changed by its link.
 * @param {{id: string, link: string}} lesson
 * @param {import('../../engine/plan.js').ModelInfo | undefined} modelInfo of its model
 * @returns {import('../index.js').State}
 */
export function stateOf(lesson, modelInfo) {
  const opening = { ...openingState(modelOf(lesson), modelInfo), follow: false };
  const { state, refused } = readLink(`#${lesson.link}`, opening, modelInfo);
  if (refused.length) throw new Error(`${lesson.id}: ${refused.join()}`);
  return state;
}

/**
 * The facts that a lesson's judge reads.
 * @param {import('../../lessons/index.js').Lesson} lesson
 * @param {Pick<import('../index.js').Context, 'result' | 'state' | 'modelInfo'>} context
 */
export const factsFor = (lesson, context) => ({ ...factsOf(context), start: stateOf(lesson, context.modelInfo) });
