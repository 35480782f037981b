// Claims' schema: its initial state, and the part of it that a link contains. '#/claims' is the list,
// '#/claims?card=7&seed=3&neurons=16' a card with its switches, '&predict=1' a card that hides its verdict until the
// reader bets. '#/claims?cards=3,8,21' is the next card of a class, '&view=list' the list of its cards.

import { initialOf, linkOf, parse, partOf, partsOf, readParts } from '../kit/address.js';
import { beginning } from '../kit/letters.js';

/**
 * @typedef {import('../../src/claims/index.js').Params} Params
 * @typedef {import('../../src/claims/index.js').Value} Value
 * @typedef {import('../../src/claims/index.js').Claim} ClaimData
 * @typedef {'list' | 'card' | 'projector' | 'class'} View
 * @typedef {{
 *   view: View, number: number | null, params: Params, predict: boolean, cards?: readonly number[],
 * }} Address `params`: those that differ from the defaults; `cards`: those that a teacher chose, in their order
 */

export const SEEDS = 5;
export const MOST_SEEDS = 20;
const MOST_SEED = 2 ** 31 - MOST_SEEDS;
/** @type {readonly string[]} */
const VIEWS = ['list', 'projector', 'class'];
/** Whether the page shows this place. */
export const isHere = () => /^#\/claims\b/.test(location.hash);

/** The switches of a run: its own, and of a claim with random numbers the seeds. @param {ClaimData} claim */
const defaultsOf = ({ inputs, seeded }) =>
  new Map([
    ...inputs.map((input) => /** @type {[string, Value]} */ ([input.name, input.default])),
    .../** @type {[string, Value][]} */ (
      seeded
        ? [
            ['seed', 0],
            ['seeds', SEEDS],
          ]
        : []
    ),
  ]);

/** A switch as it is. @param {ClaimData} claim @param {Params} params @param {string} name @returns {Value} */
export const valueOf = (claim, params, name) => params[name] ?? /** @type {Value} */ (defaultsOf(claim).get(name));

/**
 * The switches that differ from the defaults, in a fixed order.
 * @param {ClaimData} claim @param {Params} params @returns {Params}
 */
export const changedParams = (claim, params) =>
  Object.fromEntries(
    [...defaultsOf(claim)]
      .filter(([name, value]) => params[name] !== undefined && params[name] !== value)
      .map(([name]) => [name, params[name]]),
  );

/** @param {ClaimData} claim @param {Params} a @param {Params} b */
export const isSame = (claim, a, b) =>
  JSON.stringify(changedParams(claim, a)) === JSON.stringify(changedParams(claim, b));

/**
 * The switch that a text names, or why it cannot be.
 * @param {ClaimData} claim @param {string} name @param {string} text
 * @returns {{value: Value} | {problem: string}}
 */
export function readValue({ inputs }, name, text) {
  const input = inputs.find((each) => each.name === name);
  if (input) {
    const value = input.values.find((each) => String(each) === text);
    return value === undefined ? { problem: `${input.label}: one of ${input.values.join(', ')}` } : { value };
  }
  const [label, least, most] = name === 'seed' ? ['First seed', 0, MOST_SEED] : ['Number of seeds', 1, MOST_SEEDS];
  const value = Number(text);
  const fits = /^\d+$/.test(text) && value >= least && value <= most;
  return fits ? { value } : { problem: `${label}: a whole number from ${least} to ${most.toLocaleString('en')}` };
}

/** The seeds alone: the sentence's own run. @param {Params} params @returns {Params} */
export const seedsIn = (params) =>
  Object.fromEntries(Object.entries(params).filter(([name]) => name === 'seed' || name === 'seeds'));

/** @type {Address} */
const BASE = { view: 'list', number: null, params: {}, predict: false };

/** The defaults of a link: of a card, of a class, or of neither. @param {Partial<Address>} of @returns {Address} */
const baseOf = ({ number = null, cards }) => ({ ...BASE, view: number === null && !cards ? 'list' : 'card' });

const SURE_AT_FIRST = 70; // per cent, of a bet made by one tap

/** The initial state of a card: see the type in state.js. */
export const UNANSWERED = { sure: SURE_AT_FIRST, guess: null, related: null };

/** The state of the place at its beginning. */
export const initialState = () =>
  initialOf(
    Object.entries({
      shuffle: 0,
      groups: [],
      claims: new Map(),
      address: BASE,
      undo: null,
      seen: new Set(),
      ...UNANSWERED,
      revealed: false,
      progress: null,
      soFar: null,
      result: null,
      results: new Map(),
      wrong: null,
      problem: '',
      notices: [],
      query: '',
      focus: null,
    }).map(([path, initial]) => ({ path, initial })),
  );

/** The rows of a card's switches. @param {ClaimData} claim @returns {import('../kit/address.js').Field[]} */
const switchesOf = (claim) =>
  [...defaultsOf(claim).keys()].map((name) => {
    const read = (/** @type {string} */ text) => /** @type {any} */ (readValue(claim, name, text));
    return {
      path: `params.${name}`,
      address: name,
      codec: { write: String, read: (text) => read(text).value },
      why: (text) => `${read(text).problem}, not ${quoted(text)}`,
    };
  });

/** @param {string} text */
const quoted = (text) => `“${beginning(text, 40)}”`;

/**
 * The rows of a link, in its order.
 * @param {import('../kit/address.js').Field[]} switches of its card
 * @param {Partial<Listed> & {claim?: ClaimData, problem?: string}} [read] of the link that is read
 * @returns {import('../kit/address.js').Field[]}
 */
const rowsOf = (switches, { claim, problem = '', cards, refused } = {}) => [
  {
    path: 'cards',
    address: ['cards'],
    bare: true, // its commas stay commas
    group: { write: (all) => (all ? [['cards', all.join(',')]] : []), read: () => ({ value: cards, refused }) },
  },
  {
    path: 'number',
    address: 'card',
    codec: { write: String, read: () => claim?.number ?? (problem ? 0 : undefined) },
    why: (text) => `there is no card ${quoted(text)}`,
    problem: () => problem,
  },
  {
    path: 'view',
    address: 'view',
    codec: {
      write: String,
      read: (text, base) => (VIEWS.includes(text) ? (text === 'projector' && !claim ? base.view : text) : undefined),
    },
    why: (text) => `there is no view ${quoted(text)}`,
  },
  ...switches,
  { path: 'predict', address: 'predict', codec: { write: (asks) => (asks ? '1' : '0'), read: (text) => text === '1' } },
];

/** @param {Partial<Address>} address @param {ClaimData | undefined} [claim] of its card */
export function writeAddress(address, claim) {
  const { params = {} } = address;
  const defaults = claim ? Object.fromEntries(defaultsOf(claim)) : {};
  const names = Object.keys(params);
  const asText = { write: String, read: String };
  const switches = claim
    ? switchesOf(claim)
    : names.map((name) => ({ path: `params.${name}`, address: name, codec: asText }));
  const base = baseOf(address);
  const state = { ...base, ...address, params: { ...defaults, ...params } };
  return linkOf('claims', partsOf(rowsOf(switches), state, { ...base, params: defaults }));
}

/**
 * The cards that a link lists, without those that cannot be.
 * @typedef {{cards: number[], refused: string[]}} Listed
 * @param {string | null} text @param {ReadonlyMap<number, ClaimData>} claims
 * @returns {Listed}
 */
function readCards(text, claims) {
  /** @type {string[]} */
  const refused = [];
  /** @type {Set<number>} */
  const cards = new Set();
  const list = text === null ? [] : text.split(',', claims.size + 1);
  for (const each of list.slice(0, claims.size)) {
    const number = /^\d{1,3}$/.test(each) ? Number(each) : NaN;
    if (!claims.has(number)) refused.push(`“cards” lists ${quoted(each)}, which is no card`);
    else if (cards.has(number)) refused.push(`“cards” lists card ${number} twice`);
    cards.add(number);
  }
  if (list.length > claims.size) refused.push(`“cards” lists more than ${claims.size} cards`);
  return { cards: [...cards].filter((number) => claims.has(number)), refused };
}

/**
 * Reads an address. `refused`: its parts that cannot be used.
 * @param {string} hash
 * @param {ReadonlyMap<number, ClaimData>} claims by number
 * @returns {Address & {refused: string[]}}
 */
export function readAddress(hash, claims) {
  const listed = readCards(partOf(hash, 'cards'), claims);
  const { cards } = listed;
  const named = claims.get(Number(partOf(hash, 'card')));
  const isOther = named && cards.length > 0 && !cards.includes(named.number);
  const claim = isOther ? undefined : named;
  const problem = isOther ? `card ${named.number} is not among the cards of your class` : '';
  const rows = rowsOf(claim ? switchesOf(claim) : [], { ...listed, claim, problem });
  const known = new Set(rows.flatMap(({ address = [] }) => address));
  // Without a card a link has no switches, and some cards have no seeds.
  const parts = parse(hash).parts.filter(
    ([name]) => known.has(name) || (claim && (claim.seeded || !/^seeds?$/.test(name))),
  );
  const base = baseOf({ number: claim?.number, ...(cards.length && { cards }) });
  const { state, refused } = readParts(parts, rows, base);
  const whys = refused.map(({ name, why }) => why || `this card has no switch ${quoted(name)}`);
  const { view, number, predict, params } = state;
  return {
    view,
    number,
    params: claim ? changedParams(claim, params) : {},
    predict,
    ...(cards.length && { cards }),
    refused: whys,
  };
}

/**
 * The switches that differ from the defaults, for a sentence.
 * @param {ClaimData} claim @param {Params} params
 */
export const switchesText = (claim, params) =>
  Object.entries(changedParams(claim, params))
    .map(([name, value]) => `${claim.inputs.find((input) => input.name === name)?.label ?? name}: ${value}`)
    .join(', ');

/** Whether the switches are those of the card's control or boundary. @param {ClaimData} claim @param {Params} params */
export const isContrast = (claim, params) => isSame(claim, params, { ...claim.contrast, ...seedsIn(params) });
