import { tagOf } from './arrays.js';

/** No name of ours is longer, and a comparison takes the product of the lengths. */
const LONGEST = 99;
/** What other libraries call ours, by its plain form. */
const ALIASES =
  '|ids vectors|targetids targetVectors|vectors ids|targetvectors targetIds|sourceids sourceVectors' +
  '|sourcevectors sourceIds|lr learningRate|nhead heads|dim d_model' +
  '|hiddensize d_model|embeddim d_model|nembd d_model|dimfeedforward d_ff|eos endId' +
  '|attentionmask padding|inputids ids|eostokenid endId|maxnewtokens maxTokens|stopsequences stop|input x' +
  '|workers threads|';

/** What a name of ours is called since, or in an encoder-decoder. */
const RENAMED = /** @type {Record<string, string>} */ ({
  targets: 'labels',
  ids: 'sourceIds',
  vectors: 'sourceVectors',
  typeIds: 'sourceTypeIds',
  padding: 'sourcePadding',
});

/**
 * @param {string} name
 * @param {readonly string[]} known
 * @param {object} given with that name
 * @returns {string | undefined} what to say of a name that is called otherwise here
 */
export function renamed(name, known, given) {
  const now = Object.hasOwn(RENAMED, name) ? RENAMED[name] : '';
  // Of a row it is sourceIds[0].
  if (!known.some((each) => each.split('[')[0] === now)) return undefined;
  if (now === 'labels') return `is ${now}`;
  return `is ${now in given ? now.replace('source', 'target') : now} in an encoder-decoder`;
}

/**
 * Whether these are named arguments: a plain object and no tensor, promise, Map or model.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isNamed(value) {
  return tagOf(value) === 'Object' && !('data' in Object(value) && 'shape' in Object(value));
}

/**
 * The known name that someone may have meant.
 * @param {string} name
 * @param {readonly string[]} known
 * @returns {string | undefined}
 */
export function nearest(name, known) {
  if (name.length > LONGEST) return undefined;
  const wanted = plain(name);
  const alias = new RegExp(`\\|${wanted} (\\w+)`).exec(ALIASES)?.[1] ?? '';
  if (known.includes(alias)) return alias;
  let best;
  let least = 0.5;
  for (const one of known) {
    const far = distance(wanted, plain(one));
    if (far <= least) [best, least] = [one, far - 1e-9];
  }
  return best;
}

/** @param {string} name without the marks and capitals in which names differ most */
const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Letters to insert, delete or replace (Levenshtein 1966), as a share of the longer; a part of the other is near.
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function distance(a, b) {
  const longer = Math.max(a.length, b.length);
  if (a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a))) {
    return Math.abs(a.length - b.length) / longer / 4;
  }
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + Number(a[i] !== b[j])));
    }
    row = next;
  }
  return row[b.length] / longer;
}
