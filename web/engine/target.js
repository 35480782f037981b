// The target of an encoder–decoder: as the model writes it, from its beginning or behind tokens that the reader chose,
// or as the reader typed it.

/**
 * `begin`: the token that the decoder reads first; `maxTokens`: that the model writes at most, after `prefix`;
 * `given`: the whole target, of which nothing is left to write.
 * @typedef {{begin: number, end?: number, maxTokens: number, prefix?: number[], given?: number[]}} Generate
 *
 * `rules`, `endIds`: of the model's files.
 * @typedef {Pick<import('./plan.js').ModelInfo, 'rules' | 'endIds'>} Facts
 */

/**
 * The settings of a generation: where the page ends it sooner than the files do, no token is forced at its end.
 * @param {Generate} generate
 * @param {Facts} [facts]
 */
export function settingsOf({ begin, end, maxTokens, prefix = [] }, { rules, endIds } = {}) {
  const { last, ...others } = rules ?? {};
  const isWhole = rules?.maxLength === 1 + prefix.length + maxTokens;
  return {
    targetIds: [begin, ...prefix],
    maxTokens,
    endId: endIds ?? end ?? [],
    rules: isWhole && last ? { ...others, last } : others,
  };
}

/** Whether nothing is left to write. @param {Generate} generate @param {Facts} [facts] */
export const isComplete = ({ end, maxTokens, prefix = [], given }, { endIds = [] } = {}) =>
  given !== undefined || maxTokens <= 0 || (prefix.length > 0 && [end, ...endIds].includes(prefix.at(-1)));

/**
 * The ids of the target, without its beginning: the likeliest ones.
 * @param {import('./worker.js').Model} model
 * @param {number[]} sourceIds
 * @param {Generate} generate
 * @param {Facts} [facts]
 * @returns {number[]}
 */
export function writeTarget(model, sourceIds, generate, facts) {
  const { prefix = [], given } = generate;
  if (isComplete(generate, facts)) return given ?? prefix;
  return [...prefix, ...model.generateSync({ sourceIds, ...settingsOf(generate, facts) }).newIds];
}
