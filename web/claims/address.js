// The address of the place: '#/claims' is the next card, '?view=list' the list, '#/claims?card=7&seed=3&neurons=16'
// a card with its switches, '&predict=1' a card that hides its verdict until the reader bets.
// '&cards=3,8,21' shows only these cards, for a class.

/**
 * @typedef {import('../../src/claims/index.js').Params} Params
 * @typedef {import('../../src/claims/index.js').Value} Value
 * @typedef {import('../../src/claims/index.js').Claim} ClaimData
 * @typedef {'list' | 'card' | 'projector' | 'class'} View
 * @typedef {{
 *   view: View, number: number | null, params: Params, predict: boolean, cards?: readonly number[],
 * }} Address `params`: what differs from the defaults; `cards`: those that a teacher chose, in their order
 */

export const SEEDS = 5;
export const MOST_SEEDS = 20;
const MOST_SEED = 2 ** 31 - MOST_SEEDS;
/** @type {readonly string[]} */
const VIEWS = ['list', 'projector', 'class'];
/** Views that are gone: which one opens, and the notice. @type {Record<string, [View, string]>} */
const GONE = {
  codes: ['class', 'codes of bets are gone: count hands on the projector'],
  print: ['list', 'sheets to print are gone: the browser prints this list and each card'],
  summary: ['list', 'the summary is gone: this list has what you found'],
  own: ['list', 'claims of one’s own are gone: compare runs over seeds in Train'],
  key: ['class', 'the answer key is gone: each card has its verdict once it is run'],
};
/** What is no switch of a card. */
const RESERVED = ['card', 'cards', 'view', 'predict'];

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
 * What of the switches differs from the defaults, in a fixed order.
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

/** @param {Partial<Address>} address @param {ClaimData | undefined} [claim] of its card */
export function writeAddress({ view = 'card', number = null, params = {}, predict = false, cards }, claim) {
  const parts = new URLSearchParams();
  if (number !== null) parts.set('card', String(number));
  if (view !== 'card') parts.set('view', view);
  for (const [name, value] of Object.entries(claim ? changedParams(claim, params) : params))
    parts.set(name, String(value));
  if (predict) parts.set('predict', '1');
  const list = cards ? [`cards=${cards.join(',')}`] : []; // its commas stay commas
  const query = [...list, ...(parts.size ? [String(parts)] : [])].join('&');
  return query ? `#/claims?${query}` : '#/claims';
}

/**
 * The cards that a link lists, without those that cannot be.
 * @param {string | null} text @param {ReadonlyMap<number, ClaimData>} claims @param {string[]} refused
 * @returns {number[]}
 */
function readCards(text, claims, refused) {
  /** @type {Set<number>} */
  const cards = new Set();
  const list = text === null ? [] : text.split(',', claims.size + 1);
  for (const each of list.slice(0, claims.size)) {
    const number = /^\d{1,3}$/.test(each) ? Number(each) : NaN;
    if (!claims.has(number)) refused.push(`“cards” lists “${each.slice(0, 40)}”, which is no card`);
    else if (cards.has(number)) refused.push(`“cards” lists card ${number} twice`);
    cards.add(number);
  }
  if (list.length > claims.size) refused.push(`“cards” lists more than ${claims.size} cards`);
  return [...cards].filter((number) => claims.has(number));
}

/**
 * What an address says, and what of it cannot be.
 * @param {string} hash
 * @param {ReadonlyMap<number, ClaimData>} claims by number
 * @returns {Address & {refused: string[]}}
 */
export function readAddress(hash, claims) {
  const parts = new URLSearchParams(hash.replace(/^[^?]*\??/, ''));
  /** @type {string[]} */
  const refused = [];
  const cards = readCards(parts.get('cards'), claims, refused);
  const card = parts.get('card');
  const named = claims.get(Number(card));
  const claim = named && cards.length && !cards.includes(named.number) ? undefined : named;
  if (card !== null && !named) refused.push(`there is no card “${card.slice(0, 40)}”`);
  else if (named && !claim) refused.push(`card ${named.number} is not among the cards of your class`);
  const asked = parts.has('own') ? 'own' : parts.get('view');
  const needsCard = asked === 'projector' && !claim;
  const gone = Object.hasOwn(GONE, asked ?? '') ? GONE[asked ?? ''] : null;
  if (gone) refused.push(gone[1]);
  else if (asked !== null && !VIEWS.includes(asked)) refused.push(`there is no view “${asked.slice(0, 40)}”`);
  const known = asked !== null && VIEWS.includes(asked) && !needsCard ? /** @type {View} */ (asked) : null;
  /** @type {Params} */
  const params = {};
  if (claim)
    for (const [name, text] of parts) {
      if (RESERVED.includes(name) || (!claim.seeded && /^seeds?$/.test(name))) continue;
      if (!defaultsOf(claim).has(name)) {
        refused.push(`this card has no switch “${name.slice(0, 40)}”`);
        continue;
      }
      const read = readValue(claim, name, text);
      if ('value' in read) params[name] = read.value;
      else refused.push(`${read.problem}, not “${text.slice(0, 40)}”`);
    }
  return {
    view: gone?.[0] ?? known ?? 'card',
    number: claim?.number ?? null,
    params: claim ? changedParams(claim, params) : {},
    predict: parts.get('predict') === '1',
    ...(cards.length && { cards }),
    refused,
  };
}
