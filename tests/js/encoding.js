/**
 * The lists of a result of `encode`, without what makes it a list of ids itself.
 * @template {object} T
 * @param {T} encoded
 * @returns {any}
 */
export const listsOf = (encoded) => Object.fromEntries(Object.entries(encoded).filter(([name]) => !/^\d+$/.test(name)));
