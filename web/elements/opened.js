// Opens models: one engine for a page, and one copy of each model for all elements that name its file.

import { GlassformerError } from '../../src/js/errors.js';
import { drawn } from './element.js';

/**
 * @typedef {import('glassformer').Model} Model
 * A model that is open; `last`: the pass that it ran last, with its trace; `isFed`: the page has it, too.
 * @typedef {{
 *   model: Model, tokenizer: any, targetTokenizer?: any, gf: import('glassformer').Engine,
 *   last: {pass: object, trace: Trace} | null, isFed: boolean,
 * }} Live
 * @typedef {ReturnType<Model['trace']>} Trace
 */

const SHIPPED = ['creek', 'continue', 'translate'];

/** @type {Promise<import('glassformer').Engine> | undefined} */
let engine;
/** @type {Map<unknown, Promise<Live>>} by address, or by the bytes that were given */
const models = new Map();

/** Models that the page has opened itself. @type {WeakMap<object, Promise<Live>>} */
const fed = new WeakMap();

/** Until the models that are being opened are there, or failed, and their parts are drawn. */
export const opened = () => Promise.allSettled(models.values()).then(drawn);

/** The one engine of the page. */
export const engineOf = () => (engine ??= import('glassformer').then(({ load }) => load()));

/**
 * The address of a shipped model, beside this script.
 * @param {string} name
 * @throws {GlassformerError} range
 */
export function addressOf(name) {
  if (!SHIPPED.includes(name))
    throw new GlassformerError('range', 'name', name, `must be ${SHIPPED.join(', ').replace(/, (?=\w+$)/, ' or ')}`);
  const { url } = import.meta; // not as bundlers know it: they would copy every model that fits the pattern
  return new URL(`models/${name}.safetensors`, url).href;
}

/**
 * @param {any} source address of a model's file or of a checkpoint's folder, bytes, or what `loadModel` gives
 * @returns {Promise<Live>} one for the same source; a failure is not kept
 */
export function openModel(source) {
  const own = source.model;
  if (own?.[Symbol.toStringTag] === 'GlassformerModel') {
    const live = fed.get(own) ?? engineOf().then((gf) => liveOf(gf, source, true));
    fed.set(own, live);
    live.catch(() => fed.delete(own));
    return live;
  }
  const known = models.get(source);
  if (known) return known;
  const opening = open(source);
  models.set(source, opening);
  opening.catch(() => models.delete(source));
  return opening;
}

/** A file, not a folder, whose address a page can ask for itself. */
const FILE = /^https?:[^?#]*\.safetensors(?=[?#]|$)/;

/** @param {any} source @returns {Promise<Live>} */
async function open(source) {
  const isAddress = typeof source === 'string';
  const address = isAddress ? new URL(source, document.baseURI).href : source;
  // The file, and what reads it, come beside the engine; where they fail, `loadModel` says so.
  const early = FILE.test(isAddress ? address : '') ? fetch(address) : null;
  early?.catch(() => {});
  if (isAddress) import('../../src/js/files/opening.js').catch(() => {});
  const gf = await engineOf();
  const opened = await gf.loadModel(early ?? address).catch((error) => {
    if (!early || error.code !== 'network') throw error;
    return gf.loadModel(address); // once more, and this goes on where a connection breaks
  });
  return liveOf(gf, { ...opened, source }, false);
}

/** @param {Live['gf']} gf @param {any} opened @param {boolean} isFed @returns {Live} */
function liveOf(gf, { model, tokenizer, targetTokenizer, source = model }, isFed) {
  if (!tokenizer) throw new GlassformerError('missing', 'src', source, 'the file has no vocabulary');
  return { gf, model, tokenizer, targetTokenizer, last: null, isFed };
}
