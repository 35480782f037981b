// Other views of a card, for its worker: its own model as Explore takes it, and the state of Explore or Train that
// matches its switches.

import { openOwnModel, settingsOfOne } from '../../src/claims/shared/own-model.js';
import { linkOf as linkTo } from '../kit/address.js';
import { switchesText, writeAddress } from './schema.js';

/**
 * @typedef {import('./worker.js').WholeClaim} WholeClaim
 * @typedef {import('./schema.js').Params} Params
 * @typedef {{
 *   ownModel: {hint: string} | null, matching: {place: 'Explore' | 'Train', href: string, note: string} | null,
 * }} Related `hint`: which model, and where it opens
 */

/**
 * The address of what a claim describes, in which flags are 0 and 1.
 * @param {import('../../src/claims/shared/explore.js').Matching} matching
 */
function linkOf({ place, state, note }) {
  const values = Object.entries(place === 'Explore' ? inExplore(state) : state);
  /** @type {import('../kit/address.js').Part[]} */
  const parts = values.map(([name, value]) => [name, String(typeof value === 'boolean' ? Number(value) : value)]);
  return { place, href: linkTo(place.toLowerCase(), parts), note };
}

/** By the names of Explore's address. @param {import('../../src/claims/shared/explore.js').Matching['state']} state */
const inExplore = ({ node, shows, query, ...settings }) => ({
  model: 'untrained',
  ...settings,
  ...(node && { part: node }),
  ...(shows && { [node === 'add' ? 'stream' : 'embedding']: shows }),
  ...(query !== undefined && { row: query }),
});

/** @param {WholeClaim} module @param {Params} params @returns {Related} */
export function related({ claim, ownModel, matching }, params) {
  const settings = settingsOfOne(claim, params);
  const state = matching?.(settings);
  const isUsed = ownModel?.isUsed?.(settings) ?? true;
  const trained = ownModel?.isTrained ? `the model of seed ${settings.seed}, trained again, ` : '';
  return {
    ownModel: ownModel && isUsed ? { hint: `${trained}${ownModel.where}` } : null,
    matching: state ? linkOf(state) : null,
  };
}

const SHORT = 12; // words of a text that is its own name

/** @param {string[]} words @param {string} joint @param {number} index */
const nameOf = (words, joint, index) =>
  words.length > SHORT ? `${words.length} words` : joint ? words.join(joint) : `Held-out row ${index + 1}`;

/**
 * @param {import('glassformer').Engine} gf
 * @param {WholeClaim} module
 * @param {Params} params
 * @param {(share: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<import('../models/catalogue.js').GivenModel>}
 */
export async function givenModel(gf, module, params, onProgress, signal) {
  const { model, task, rows, cell } = await openOwnModel(gf, module, params, onProgress, signal);
  try {
    const { vocabulary, outputVocabulary } = task;
    const file = /** @type {Uint8Array<ArrayBuffer>} */ (await model.save({ vocabulary, outputVocabulary }));
    const words = rows.map((ids) => ids.map((id) => vocabulary.words[id]));
    return { ...describe(module, params, words, cell), file };
  } finally {
    model.free();
  }
}

/**
 * @param {WholeClaim} module
 * @param {Params} params
 * @param {string[][]} rows the words of inputs
 * @param {import('../../src/claims/shared/explore.js').Cell} cell
 */
function describe({ claim, ownModel }, { seeds: _seeds, ...given }, rows, { kind, head, ...cursor }) {
  const { isTrained, text } = /** @type {import('../../src/claims/shared/explore.js').OwnModel} */ (ownModel);
  const settings = settingsOfOne(claim, given);
  const { token, joint, does, goal, hint, node, shows = 'norms' } = text(settings);
  const { number, name, seeded } = claim;
  const texts = rows.map((words) => words.join(joint));
  const at = switchesText(claim, given);
  const of = `claim ${number} of Claims${at ? ` (${at})` : ''}`;
  return {
    name: writeAddress({ number, params: given }, claim).replace('#/', ''),
    label: { label: 'From Claims', does },
    entry: {
      input: /** @type {const} */ ('text'),
      joint,
      token,
      text: texts[0],
      examples: Object.fromEntries(texts.map((each, i) => [nameOf(rows[i], joint, i), each])),
      longest: Math.max(...rows.map((words) => words.length)),
      about: isTrained ? `trained by ${of}. Task: ${goal} ${hint}` : `the layer of ${of}: ${goal} ${hint}`,
      more:
        (isTrained
          ? 'It knows nothing but its task, and has no corpus: what views show of its neurons is measured on the ' +
            'text above. '
          : 'Its words stand for the claim’s vectors. It has no positions, no LayerNorm, no residual connection ' +
            'and no output head. ') +
        'Its link names the card and its switches; whoever opens it ' +
        `${isTrained ? 'trains' : 'makes'} the same weights again.`,
      why: '',
      facts: [
        { name: 'Claim', value: `${number}. ${name}` },
        ...(seeded ? [{ name: 'Seed', value: String(settings.seed) }] : []),
      ],
      opening: {
        selection: { kind, layer: 0, head },
        cursor: { ...cursor, dimension: 0 },
        graph: { node, sublayer: 1, embedding: 'input', stream: shows, stage: 0 },
        follow: false,
      },
    },
  };
}
