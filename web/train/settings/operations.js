// What is done once to the weights at a step. In a change: {cut: '1.2 2.1', graft: '1.1@7'}. A head is LAYER.HEAD, both
// counted from 1; a graft puts in its place the same head of the twin with the seed after the @.

/**
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {{layer: number, head: number}} Head counted from 0
 * @typedef {{head: Head, seed: number}} Graft
 */

/** The names of operations in a change; its other names are settings. */
export const OPERATIONS = ['cut', 'graft'];

export const MOST_SEED = 2 ** 32 - 1;

/** @param {Settings[string]} [list] */
const split = (list = '') => String(list).split(' ').filter(Boolean);

/** @param {Settings} patch of a change @returns {string[]} each 'LAYER.HEAD' */
export const cutsOf = ({ cut }) => split(cut);

/** @param {Settings} patch of a change @returns {Graft[]} */
export const graftsOf = ({ graft }) => split(graft).map(readGraft);

/** @param {Head} head */
export const writeHead = ({ layer, head }) => `${layer + 1}.${head + 1}`;

/** @param {string} text 'LAYER.HEAD' @returns {Head} */
export function readHead(text) {
  const [layer, head] = text.split('.');
  return { layer: Number(layer) - 1, head: Number(head) - 1 };
}

/** @param {string} text 'LAYER.HEAD@SEED' @returns {Graft} */
function readGraft(text) {
  const [head, seed] = text.split('@');
  return { head: readHead(head), seed: Number(seed) };
}

/** A change without its operations. @param {Settings} patch @returns {Settings} */
export const settingsOf = ({ cut: _, graft: __, ...settings }) => settings;

/** @param {Settings} patch */
export const operationsOf = (patch) => OPERATIONS.flatMap((name) => split(patch[name]).map((each) => [name, each]));

/**
 * What is wrong with the seed of a twin; '' where nothing is.
 * @param {unknown} seed @param {Settings} settings of the run
 */
export function seedProblem(seed, settings) {
  if (!(Number.isInteger(seed) && Number(seed) >= 0 && Number(seed) <= MOST_SEED))
    return `must be an integer from 0 to ${MOST_SEED.toLocaleString('en')}`;
  return seed === settings.seed ? 'must differ from that of this run' : '';
}

/**
 * Whether an operation fits a run: each head is operated on once at a step.
 * @param {string} name @param {string} text its value @param {Settings} settings of the run
 * @param {Settings} patch with earlier operations of the same step
 */
export function canOperate(name, text, settings, patch) {
  if (!/^[1-9]\.[1-9]$/.test(name === 'graft' ? text.replace(/@(0|[1-9]\d{0,9})$/, '') : text)) return false;
  const { head: at, seed } = readGraft(text);
  const isThere = at.layer < Number(settings.layers) && at.head < Number(settings.heads);
  const isFree = operationsOf(patch).every(([, each]) => each.split('@')[0] !== writeHead(at));
  return isThere && isFree && (name === 'cut' || !seedProblem(seed, settings));
}

/**
 * The operations of a step with another one of a head, or without any of it.
 * @param {Settings} patch @param {Head} head @param {{cut?: boolean, seed?: number}} [wanted] `seed`: of a twin
 */
export function withOperation(patch, head, { cut = false, seed } = {}) {
  const own = writeHead(head);
  const others = (/** @type {string} */ name) => split(patch[name]).filter((each) => each.split('@')[0] !== own);
  return {
    cut: [...others('cut'), ...(cut ? [own] : [])].join(' '),
    graft: [...others('graft'), ...(seed === undefined ? [] : [`${own}@${seed}`])].join(' '),
  };
}

/** @param {Head} head */
export const headText = ({ layer, head }) => `layer ${layer + 1}, head ${head + 1}`;
