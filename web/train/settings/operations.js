// What is done once to the weights at a step: heads are cut. In a change: {cut: '1.2 2.1'}, LAYER.HEAD counted from 1.

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

/** @param {string} text 'LAYER.HEAD' @param {Settings} settings of the run @param {Settings} patch with earlier cuts */
export function canCut(text, { layers, heads }, patch) {
  const { layer, head } = readHead(text);
  const fits = /^[1-9]\.[1-9]$/.test(text) && layer < Number(layers) && head < Number(heads);
  return fits && !cutsOf(patch).includes(text);
}

/** A patch in which a head is cut, or if it was, no more. @param {Settings} patch @param {Head} head */
export function withCut(patch, head) {
  const cuts = cutsOf(patch);
  const own = writeHead(head);
  return { cut: (cuts.includes(own) ? cuts.filter((each) => each !== own) : [...cuts, own]).join(' ') };
}

/** @param {Head} head */
export const headText = ({ layer, head }) => `layer ${layer + 1}, head ${head + 1}`;
