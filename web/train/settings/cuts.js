// Heads that are cut at a step. In a change: {cut: '1.2 2.1'}. A head is LAYER.HEAD, both counted from 1.

/**
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {{layer: number, head: number}} Head counted from 0
 */

/** @param {Settings} patch of a change @returns {string[]} each 'LAYER.HEAD' */
export const cutsOf = ({ cut = '' }) => String(cut).split(' ').filter(Boolean);

/** @param {Head} head */
export const writeHead = ({ layer, head }) => `${layer + 1}.${head + 1}`;

/** @param {string} text 'LAYER.HEAD' @returns {Head} */
export function readHead(text) {
  const [layer, head] = text.split('.');
  return { layer: Number(layer) - 1, head: Number(head) - 1 };
}

/** A change without its cuts. @param {Settings} patch @returns {Settings} */
export const settingsOf = ({ cut: _, ...settings }) => settings;

/**
 * Whether a run has a head to cut: each is cut once at a step.
 * @param {string} text 'LAYER.HEAD' @param {Settings} settings of the run
 * @param {Settings} patch with earlier cuts of the same step
 */
export function canCut(text, settings, patch) {
  if (!/^[1-9]\.[1-9]$/.test(text)) return false;
  const { layer, head } = readHead(text);
  return layer < Number(settings.layers) && head < Number(settings.heads) && !cutsOf(patch).includes(text);
}

/** The cuts of a step with one head more, or without it. @param {Settings} patch @param {Head} head */
export function withCut(patch, head) {
  const own = writeHead(head);
  const others = cutsOf(patch).filter((each) => each !== own);
  return { cut: [...others, ...(others.length < cutsOf(patch).length ? [] : [own])].join(' ') };
}

/** @param {Head} head */
export const headText = ({ layer, head }) => `layer ${layer + 1}, head ${head + 1}`;
