// Explore's address: it follows the state; where the reader changes it (a link, Back, by hand), the state follows.
// Another model is an entry of the browser's history, and so is another node that the reader opens.

import { attention, clampSelection, makePlan, openNode } from '../engine/plan.js';
import { MAX_CHARACTERS } from '../engine/tokens.js';
import { linkOf, parse, partOf, partsOf } from '../kit/address.js';
import { unreadNotice } from '../kit/link.js';
import { isModel } from '../models/catalogue.js';
import { FIELDS, modelOf, openingState, readLink, writeLink } from './schema.js';

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 */

/** The model of an address that names none. @type {ModelName} */
const FIRST = 'creek';
/** Names of models from Train or Claims begin so: they are its links. */
const TRAINED = /^(train|claims)\?/;
/** The names of the reader's own: which file it is, by its bytes and their fingerprint (own/files.js). */
const OWN = /^file\..+\.\d+\.[0-9a-f]{64}$/;

/**
 * @param {object} options
 * @param {() => State} options.state
 * @param {ReturnType<typeof import('../engine/model-loader.js').createModelLoader>} options.loader
 * @param {import('../kit/link.js').Link} options.link
 * @param {() => boolean} options.isPending whether a result may yet move what the state names, as its cell
 * @param {(opening: State, hash: string) => State} [options.bare] what a link that says nothing opens
 * @param {(name: string) => Promise<void>} options.want puts the model that a link names among those to choose from:
 * its file comes from the reader, or it is trained again
 */
export function createRouter({ state, loader, link: page, isPending, bare = (opening) => opening, want }) {
  /** @type {string | null} a link that waits for its model */
  let waiting = null;
  let awaited = ''; // its model
  let refusals = '';
  let damage = ''; // why a link's trail is not played
  let isNewEntry = false; // the next change gets a history entry of its own
  let node = ''; // that the address names
  /** @type {State | undefined} in which a model is left, where that is not the present one */
  let leaving;

  function present() {
    const now = leaving ?? state();
    return writeLink(now, openingState(now.model, loader.info(now.model)));
  }

  const { write, writeSoon } = page.writer({
    place: 'explore',
    address: () => (waiting === null ? present() : null),
    isPending,
    isEntry() {
      const isNext = isNewEntry || (node !== '' && node !== openNode(state()) && !isGuided(state()));
      isNewEntry = false;
      node = openNode(state());
      return isNext;
    },
  });

  /** @param {string} hash */
  function follow(hash) {
    refusals = '';
    if (loader.begun() && /^#\/explore$/.test(hash)) return write(); // back to what was shown, or is awaited
    awaited = damage = '';
    waiting = hash;
    (partOf(hash, 'trail') ? openTrail : open)(hash);
  }

  /** Opens the state of a trail's step. @param {string} hash */
  async function openTrail(hash) {
    const otherwise = loader.begun() && !modelOf(hash) ? present() : withoutTrail(hash);
    const { link, problem } = await stepLink(hash, otherwise);
    if (waiting !== hash) return; // another link was followed meanwhile, or another model chosen
    damage = problem;
    open(link);
  }

  /** @param {string} link */
  function open(link) {
    waiting = link;
    const name = modelOf(link) ?? '';
    const model = /** @type {ModelName} */ (isModel(name) || OWN.test(name) || TRAINED.test(name) ? name : FIRST);
    awaited = model;
    if (isModel(model)) return loader.choose(model);
    want(model).then(
      () => waiting === link && loader.choose(model),
      () => waiting === link && giveUp('This link’s model could not be opened: a part of the page is out of reach.'),
    );
  }

  /** Shows what was shown in place of what a link names. @param {string} [why] for the notices */
  function giveUp(why = '') {
    const isBack = loader.begun();
    waiting = isBack ? null : linkOf('explore', []); // nothing of the rest is meant for another model
    [awaited, damage] = [FIRST, why];
    loader.choose(isBack ? state().model : FIRST);
    if (isBack) [isNewEntry, refusals] = [false, why];
  }

  return {
    follow,
    /**
     * The state in which a model opens: that of the link if it is the link's model.
     * @param {State} opening @param {State} [left] that its entry is to hold; left out, the present one
     */
    restored(opening, left) {
      leaving = left;
      if (waiting === null && loader.begun()) write();
      leaving = undefined;
      const link = waiting;
      waiting = null;
      refusals = node = '';
      isNewEntry = link === null; // the reader chose it on the page
      if (link === null || awaited !== opening.model) return opening;
      const info = loader.info(opening.model);
      const { state: read, refused, cut } = readLink(link, bare(openingState(opening.model, info), link), info);
      const { state: found, beyond } = nearest(read, link, info);
      refusals = refusalsOf({ damage, refused, beyond, cut });
      return found;
    },
    write,
    giveUp,
    /** The whole address of the state as it is now. */
    link: () => new URL(present(), location.href).href,
    /** Writes the address when the state has come to rest. */
    writeSoon,
    /** The parts of the link that could not be read. */
    status: () => refusals,
  };
}

/** Whether a lesson, a trail or another page opens the nodes. @param {State} state */
const isGuided = ({ book, trail, embed }) => book !== null || trail !== '' || embed;

/**
 * The link of a trail's step.
 * @param {string} hash
 * @param {string} otherwise where the trail cannot be read
 * @returns {Promise<{link: string, problem: string}>}
 */
async function stepLink(hash, otherwise) {
  try {
    const { readTrail } = await import('../kit/trail.js');
    return { link: withStep(hash, await readTrail(partOf(hash, 'trail') ?? '')), problem: '' };
  } catch (error) {
    return { link: otherwise, problem: `${/** @type {Error} */ (error).message} The page opens without it.` };
  }
}

/** Parts that belong to a trail. */
const TRAIL = ['trail', 'step'];
const isOfTrail = (/** @type {import('../kit/address.js').Part} */ [name]) => TRAIL.includes(name);

/** A link without its trail. @param {string} hash */
const withoutTrail = (hash) =>
  linkOf(
    'explore',
    parse(hash).parts.filter((each) => !isOfTrail(each)),
  );

/**
 * A trail's link; where it names no state, it gets that of its step.
 * @param {string} hash
 * @param {import('../kit/trail.js').Step[]} steps
 */
function withStep(hash, steps) {
  const at = Math.max(1, Math.min(steps.length, Math.trunc(Number(partOf(hash, 'step'))) || 1));
  const own = modelOf(hash) === null ? [...new URLSearchParams(steps[at - 1].link)] : [];
  const rest = parse(hash).parts.filter((each) => !isOfTrail(each));
  return linkOf('explore', [...own, ...rest, ['trail', partOf(hash, 'trail') ?? ''], ['step', String(at)]]);
}

/** Fields whose values must exist in the model and the text. */
const PLACED = FIELDS.filter(({ address }) => ['attention', 'head', 'row', 'key'].includes(String(address)));

/**
 * The state of a link with the nearest head and words that there are, and what the link says instead.
 * @param {State} state
 * @param {string} hash
 * @param {import('../engine/plan.js').ModelInfo} [modelInfo] of a trained model
 * @returns {{state: State, beyond: string[]}}
 */
function nearest(state, hash, modelInfo) {
  const { tokens, settings } = makePlan(state, modelInfo);
  if (!(settings.heads >= 0)) return { state, beyond: [] };
  const selection = clampSelection(state.selection, settings);
  const { stack, columns } = attention(selection.kind);
  /** @param {number} place @param {import('../engine/plan.js').Tokens | null} of */
  const inside = (place, of) => (of?.words.length ? Math.min(place, of.words.length - 1) : place);
  const { row, key } = state.cursor;
  const cursor = { ...state.cursor, row: inside(row, tokens[stack]), key: inside(key, tokens[columns]) };
  const next = { ...state, selection, cursor };
  const other = new Map(partsOf(PLACED, state, next).map(([name, text]) => [name, text]));
  const beyond = parse(hash).parts.filter(([name, value]) => other.get(name) === value);
  return { state: beyond.length ? next : state, beyond: beyond.map(([name, value]) => `${name} ${value}`) };
}

/**
 * Lists the parts of a link that could not be read, in sentences.
 * @param {{damage: string, refused: string[], beyond: string[], cut: number}} found
 */
function refusalsOf({ damage, refused, beyond, cut }) {
  const [most, all] = [MAX_CHARACTERS, cut].map((count) => count.toLocaleString('en'));
  return [
    damage,
    unreadNotice(refused),
    beyond.length && `This link names what does not exist here (${beyond.join(', ')}): the nearest is shown.`,
    cut && `The text of this link has ${all} characters: the first ${most} are kept.`,
  ]
    .filter(Boolean)
    .join(' ');
}
