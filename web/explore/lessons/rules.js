// What a puzzle allows, and how changes are counted: from the state of the reader and that of the puzzle's start.

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('./look.js').Look & {start: State}} Look `start`: the puzzle's own state
 * @typedef {(look: Look) => string | null} Rule why the reader's state is refused
 */

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}[\]]+/gu) ?? [];

/** How many words are others than at the start. @param {Look} look */
export function changedWords({ state, start }) {
  const [now, then] = [wordsOf(state.text), wordsOf(start.text)];
  const [long, short] = now.length > then.length ? [now, then] : [then, now];
  return long.filter((word, i) => word !== short[i]).length + state.written.length;
}

/** The names of settings that stand otherwise. @param {Look} look */
const changedSettings = ({ state, start }) =>
  /** @type {(keyof State['settings'])[]} */ (Object.keys(start.settings)).filter(
    (name) => !Object.is(state.settings[name], start.settings[name]),
  );

/** Words, settings and interventions that are not the puzzle's. @param {Look} look */
export const changesOf = (look) => changedWords(look) + changedSettings(look).length + look.state.interventions.length;

/** @param {number} most @returns {Rule} */
export const atMost = (most) => (look) => {
  const count = changesOf(look);
  return count > most ? `That is ${count} changes; only ${most} is allowed.` : null;
};

/** @type {Rule} */
export const sameText = (look) => (changedWords(look) ? 'The text must stay as it is.' : null);

/** @type {Rule} */
export const sameModel = (look) =>
  changesOf(look) > changedWords(look) ? 'The model must stay as it is: take your changes back.' : null;

/** @type {Rule} */
export const headsOnly = (look) =>
  changedSettings(look).length || look.state.interventions.some(({ what }) => what !== 'head')
    ? 'Only whole heads may be changed.'
    : null;

/** Nothing in a layer, nor what acts in every layer. @param {number} layer @returns {Rule} */
export const notInLayer = (layer) => (look) => {
  if (changedSettings(look).length || look.temperature !== 1)
    return `That acts in every layer, so in layer ${layer + 1}, too.`;
  const touches = look.state.interventions.some((change) =>
    change.what === 'weight' ? change.name.includes(`layers.${layer}.`) : 'layer' in change && change.layer === layer,
  );
  return touches ? `You changed layer ${layer + 1}, which is not allowed.` : null;
};
