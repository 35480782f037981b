// The features of a dictionary that fire at the chosen word, and of one of them: where else it fires, what it writes.

import { html, render } from 'lit-html';
import { activeAt, writtenWords } from '../../draw/active-features.js';
import { featureList, firesIn, placeLabel, writesRow } from '../../draw/features.js';
import { GlassformerError } from '../../../src/js/errors.js';
import base from 'elements-parts.css'; // ../parts.css and features.css, made small by src/tools/build.mjs
import own from 'elements-features.css';

/** @typedef {import('glassformer/features').Features} Features */
/** @typedef {import('../part.js').Shown} Shown */
/** @typedef {import('../pass.js').Pass} Pass */
/**
 * A dictionary that is fetched: neither is there before `done`.
 * @typedef {{done: Promise<void>, features?: Features, error?: unknown}} Opening
 */

export const style = base + own;

const MOST = 24; // in the list
const EXAMPLES = 5;

/** By model, then by what names it: all elements of a page share one. @type {WeakMap<object, Map<unknown, Opening>>} */
const dictionaries = new WeakMap();

// The code that opens dictionaries is fetched while the engine and the model are.
import('glassformer/features').catch(() => {}); // `open` tries again

/** Files that were asked for before there was a model, by address. @type {Map<string, Promise<Response>>} */
const early = new Map();

/** @param {HTMLElement} body */
export function create(body) {
  return {
    /** Fetches the file beside the model. @param {{src?: unknown}} own */
    early({ src }) {
      if (typeof src !== 'string' || !src.endsWith('.safetensors') || early.has(addressOf(src))) return;
      const response = fetch(addressOf(src));
      response.catch(() => {});
      early.set(addressOf(src), response);
    },
    /** @param {Shown} shown */
    ready: ({ pass, own: { src } }) =>
      src === undefined || pass.isPair ? undefined : openingOf(pass, src, () => {}).done,
    /**
     * Until there is a dictionary, the text in the element stays.
     * @param {Shown} shown @param {import('../part.js').PartTools} tools
     */
    waits({ pass, own: { src } }, { again }) {
      if (src === undefined) return true;
      if (pass.isPair)
        throw new GlassformerError('unsupported', 'src', src, 'is for a model of one stack, not an encoder–decoder');
      const { features, error } = openingOf(pass, src, again);
      if (error) throw error;
      return !features;
    },
    /** @param {Shown} shown @param {import('../part.js').PartTools} tools */
    update({ pass, choice: { row }, own: { src, feature } }, { choose, again }) {
      const features = /** @type {Features} */ (openingOf(pass, src, again).features);
      const { size } = features;
      const values = pass.once(`features ${idOf(features)}`, () => features.encode(pass.trace()).data);
      const here = activeAt({ values, size }, row);
      const chosen = feature === undefined ? (here[0] ?? 0) : numberOf(feature, size);
      render(
        template(pass, { row, features, values, here, chosen }, (n) => choose({}, { feature: n })),
        body,
      );
    },
    destroy() {},
  };
}

/** @type {WeakMap<object, number>} */
const ids = new WeakMap();
let count = 0;

/** A number for each dictionary, as keys of a pass are texts. @param {Features} features */
function idOf(features) {
  if (!ids.has(features)) ids.set(features, count++);
  return ids.get(features);
}

/**
 * @param {Pass} pass @param {unknown} src @param {() => void} again when it is there, or failed
 * @returns {Opening}
 */
function openingOf({ live }, src, again) {
  const own = dictionaries.get(live) ?? new Map();
  dictionaries.set(live, own);
  const known = own.get(src);
  if (known) {
    if (!known.features && !known.error) known.done.finally(again);
    return known;
  }
  /** @type {Opening} */
  const opening = { done: Promise.resolve() };
  own.set(src, opening);
  opening.done = open(live, src)
    .then(
      (features) => void (opening.features = features),
      (error) => {
        opening.error = error;
        setTimeout(() => own.delete(src)); // the next change tries again
      },
    )
    .finally(again);
  return opening;
}

/** @param {Pass['live']} live @param {any} src @returns {Promise<Features>} */
async function open({ model }, src) {
  if (typeof src?.encode === 'function' && src.size) return src;
  const isAddress = typeof src === 'string';
  if (!isAddress && !ArrayBuffer.isView(src) && !(src instanceof ArrayBuffer))
    throw new GlassformerError('type', 'src', src, 'must be the address of a dictionary, its bytes, or Features');
  const { loadFeatures } = await import('glassformer/features');
  const address = isAddress && addressOf(src);
  const response = address ? await early.get(address)?.catch(() => undefined) : undefined;
  early.delete(address || '');
  return loadFeatures(response?.ok ? response : address || src, { model });
}

/** @param {string} src */
const addressOf = (src) => new URL(src, document.baseURI).href;

/** @param {unknown} feature @param {number} size */
function numberOf(feature, size) {
  const n = Number(feature);
  if (Number.isInteger(n) && n >= 0 && n < size && feature !== '') return n;
  throw new GlassformerError('range', 'feature', feature, `must be 0 to ${size - 1}`);
}

/**
 * The place of a dictionary in words.
 * @param {unknown} at a tensor's name or a selector
 */
function placeOf(at) {
  const { layer, node } = /** @type {any} */ (at ?? {});
  const [, number, part] = /\.layers\.(\d+)\.(out$|ffn\.)/.exec(String(at)) ?? [];
  if (number) return placeLabel({ layer: Number(number), part: part === 'out' ? 'out' : 'ffn' });
  return layer === undefined ? String(at) : placeLabel({ layer, part: node === 'ffn' ? 'ffn' : 'out' });
}

/**
 * @param {Pass} pass
 * @param {{row: number, features: Features, values: Float32Array, here: number[], chosen: number}} found
 * @param {(feature: number) => void} choose
 */
function template(pass, { row, features, values, here, chosen }, choose) {
  const { words } = pass;
  const { size } = features;
  const valueOf = (/** @type {number} */ feature, at = row) => values[at * size + feature];
  const items = here.slice(0, MOST).map((feature) => {
    return { feature, name: `feature ${feature}`, value: valueOf(feature), isOff: false };
  });
  const places = [...words.keys()].filter((at) => valueOf(chosen, at) > 0);
  const examples = places.sort((a, b) => valueOf(chosen, b) - valueOf(chosen, a)).slice(0, EXAMPLES);
  const word = html`<bdi>${words[row]}</bdi>`;
  const title = html`<p>${here.length} of ${size} features at ${word}, ${placeOf(features.at)}</p>`;
  return html`<div part="features">${featureList({ title, items, chosen, choose })}</div>
    <div class="feature-card" part="feature" role="group" aria-label="Feature ${chosen}">
      <p><strong>Feature ${chosen}</strong>${places.includes(row) ? '' : html`, not active at ${word}`}</p>
      ${
        examples.length
          ? firesIn(examples.map((token) => ({ words, token, value: valueOf(chosen, token) })))
          : html`<p class="hint">It fires nowhere in this text.</p>`
      }
      ${places.includes(row) ? written(pass, features, chosen, row) : ''}</div>`;
}

/**
 * The words that become likelier at a word by a feature there: the answer beside that without it.
 * @param {Pass} pass @param {Features} features @param {number} feature @param {number} row
 */
function written(pass, features, feature, row) {
  const { gf } = pass.live;
  const logits = pass.logits(row);
  if (!logits) return '';
  const { wordOf } = pass;
  const words = pass.once(`feature ${idOf(features)} ${feature} ${row}`, () => {
    const without = pass.changed(row, [{ of: features, feature, row, set: 0 }]);
    const [on, off] = [logits, without].map((each) => gf.softmax(each).data);
    return writtenWords(
      on.map((share, id) => Math.log(share + 1e-9) - Math.log(off[id] + 1e-9)),
      wordOf,
    );
  });
  return writesRow({ label: html`writes at <bdi>${pass.words[row]}</bdi>`, ...words, wordOf });
}
