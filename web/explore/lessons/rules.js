// What a puzzle allows, and how changes are counted: from the state of the reader and that of the puzzle's start.

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('./facts.js').Facts & {start: State}} Facts `start`: the puzzle's own state
 * @typedef {(facts: Facts) => string | null} Rule why the reader's state is refused
 */

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}[\]]+/gu) ?? [];

/** How many words are others than at the start. @param {Facts} facts */
export function changedWords({ state, start }) {
  const [now, then] = [wordsOf(state.text), wordsOf(start.text)];
  const [long, short] = now.length > then.length ? [now, then] : [then, now];
  return long.filter((word, i) => word !== short[i]).length + state.written.length;
}

/** The names of settings that stand otherwise. @param {Facts} facts */
const changedSettings = ({ state, start }) =>
  /** @type {(keyof State['settings'])[]} */ (Object.keys(start.settings)).filter(
    (name) => !Object.is(state.settings[name], start.settings[name]),
  );

/** Words, settings and interventions that are not the puzzle's. @param {Facts} facts */
export const changesOf = (facts) =>
  changedWords(facts) + changedSettings(facts).length + facts.state.interventions.length;

/** @param {number} most @returns {Rule} */
export const atMost = (most) => (facts) => {
  const count = changesOf(facts);
  return count > most ? `That is ${count} changes; only ${most} is allowed.` : null;
};

/** @type {Rule} */
export const sameText = (facts) => (changedWords(facts) ? 'The text must stay as it is.' : null);

/** @type {Rule} */
export const sameModel = (facts) =>
  changesOf(facts) > changedWords(facts) ? 'The model must stay as it is: take your changes back.' : null;

/** @type {Rule} */
export const headsOnly = (facts) =>
  changedSettings(facts).length || facts.state.interventions.some(({ what }) => what !== 'head')
    ? 'Only whole heads may be changed.'
    : null;

/** Nothing in a layer, nor what acts in every layer. @param {number} layer @returns {Rule} */
export const notInLayer = (layer) => (facts) => {
  if (changedSettings(facts).length || facts.temperature !== 1)
    return `That acts in every layer, so in layer ${layer + 1}, too.`;
  const touches = facts.state.interventions.some((change) =>
    change.what === 'weight' ? change.name.includes(`layers.${layer}.`) : 'layer' in change && change.layer === layer,
  );
  return touches ? `You changed layer ${layer + 1}, which is not allowed.` : null;
};
