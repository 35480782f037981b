// The state of the place Claims, and what the reader's actions make of it.

import { UNANSWERED, changedParams, initialState, isSame, readAddress, readValue, seedsIn } from './schema.js';

/**
 * @typedef {import('./schema.js').Address} Address
 * @typedef {import('./schema.js').Params} Params
 * @typedef {import('./worker.js').ClaimData} ClaimData
 * @typedef {import('./worker.js').Finding & {params: Params}} Result of a run, with its switches
 * @typedef {ReturnType<typeof import('../kit/store.js').createStore<ClaimsState>>} Store
 * @typedef {{selector: string, scroll?: 'top' | 'into'}} Focus where the reader goes on; `scroll`: to the top of the
 * page before, or so that it is seen
 * @typedef {{
 *   groups: import('./worker.js').GroupData[], claims: ReadonlyMap<number, ClaimData>, address: Address,
 *   answers: ReturnType<typeof import('./kept-answers.js').createAnswers>, seen: ReadonlySet<string>,
 *   sure: number, guess: number | null, revealed: boolean, progress: number | null,
 *   soFar: Result | null, result: Result | null, results: ReadonlyMap<number, Result>,
 *   related: import('./related.js').Related | null, undo: (() => void) | null,
 *   wrong: {name: string, text: string, typed: string} | null, problem: string, notices: string[],
 *   query: string, focus: Focus | null, shuffle: number,
 * }} ClaimsState `sure`: of the choice, in per cent; `guess`: its place on the axis; `shuffle`: in which order the
 * choices stand; `seen`: cards whose verdict was seen since the page was opened, by `seenKey`; `revealed`: what is
 * measured may be seen; `progress`: of the run under way, `soFar`: what its finished seeds show; `result`: of the last
 * run of this card, maybe with other switches; `results`: the last of each card since the page was opened; `undo`:
 * brings cleared answers back; `wrong`: a field whose value cannot be; `problem`: why the worker
 * failed; `notices`: what of the link cannot be; `focus`: the last that was asked for
 */

const MOST_NAMED = 3;

/** Where a reader of a view that is fetched when it is shown goes on. */
const LATE_FOCUS = '[tabindex="-1"]';

/**
 * @param {ClaimsState['answers']} answers
 * @param {number} [shuffle] 0 to 1, for this visit
 * @returns {ClaimsState}
 */
export const firstState = (answers, shuffle = 0) => ({ ...initialState(), answers, shuffle });

/** The card that is shown. @param {Pick<ClaimsState, 'claims' | 'address'>} state */
export const claimOf = ({ claims, address }) => claims.get(address.number ?? NaN);

/** The cards that are shown, in their order: those of a class, else all. @param {ClaimsState} state */
export const shownClaims = ({ claims, address: { cards } }) =>
  (cards ?? [...claims.keys()]).flatMap((number) => claims.get(number) ?? []);

/** The same by groups, of which a class has one. @param {ClaimsState} state @returns {ClaimsState['groups']} */
export const shownGroups = (state) =>
  state.address.cards ? [{ title: 'Cards of your class', claims: shownClaims(state) }] : state.groups;

/** Whether the last run had the present switches. @param {ClaimsState} state */
export function isFresh(state) {
  const claim = claimOf(state);
  return Boolean(claim && state.result && isSame(claim, state.result.params, state.address.params));
}

/** A link that asks first also asks readers who have seen the card. @param {Address} address */
const seenKey = ({ number, predict }) => `${number}${predict ? '?' : ''}`;

/**
 * After its prediction, or without one.
 * @param {ClaimsState} state @returns {Partial<ClaimsState>}
 */
export const reveal = ({ seen, address }) => ({
  revealed: true,
  seen: new Set([...seen, seenKey(address)]),
  focus: { selector: '#claims-found' },
});

/** A new prediction of the same card. @param {ClaimsState} state @returns {Partial<ClaimsState>} */
export const forget = ({ seen, address }) => ({
  revealed: false,
  guess: null,
  seen: new Set([...seen].filter((key) => key !== seenKey(address))),
  focus: { selector: '#claims-sentence' },
});

/** @param {ClaimsState} state @param {Params} params @returns {Partial<ClaimsState>} */
function withParams({ claims, address }, params) {
  const claim = claimOf({ claims, address });
  return claim ? { address: { ...address, params: changedParams(claim, params) }, wrong: null } : {};
}

/**
 * @param {ClaimsState} state @param {string} name @param {string} text as it was typed
 * @returns {Partial<ClaimsState>}
 */
export function setSwitch(state, name, text) {
  const claim = claimOf(state);
  if (!claim) return {};
  const read = readValue(claim, name, text);
  if ('problem' in read) return { wrong: { name, text: read.problem, typed: text } };
  return withParams(state, { ...state.address.params, [name]: read.value });
}

/** All switches but the seeds. @param {ClaimsState} state @param {Params} params @returns {Partial<ClaimsState>} */
export const setSwitches = (state, params) => withParams(state, { ...params, ...seedsIn(state.address.params) });

/** @param {ClaimsState} state @param {Result} result @returns {Partial<ClaimsState>} */
export const found = ({ results, address: { number } }, result) => ({
  result,
  results: new Map([...results, [/** @type {number} */ (number), result]]),
  progress: null,
  soFar: null,
});

/**
 * The first card of a class that is not tested.
 * @param {ClaimsState['answers']} answers @param {Address['cards']} cards
 */
function nextOf(answers, cards = []) {
  const all = answers.all();
  return cards.find((number) => !all.get(number)?.verdict) ?? cards[0] ?? null;
}

/**
 * The choices of a card in an order that tells nothing, the same during a visit.
 * @param {ClaimsState} state @param {ClaimData} claim
 */
export const shuffled = ({ shuffle }, { number, choices }) =>
  choices
    .map((choice, index) => ({ choice, index, key: Math.sin(1e4 * (shuffle + number) + 7 * index) % 1e-3 }))
    .sort((a, b) => a.key - b.key);

/** @param {ClaimsState} state @param {string} hash of a link that is followed @returns {Partial<ClaimsState>} */
export function followed({ claims, answers, seen, results, address: last }, hash) {
  const { refused, ...read } = readAddress(hash, claims);
  const address =
    read.view === 'card' && read.number === null ? { ...read, number: nextOf(answers, read.cards) } : read;
  const { number, view, predict } = address;
  const answer = number === null ? null : answers.get(number);
  const isOther = number !== last.number;
  const isLate = view !== last.view && view !== 'card' && view !== 'list';
  const said = refused.slice(0, MOST_NAMED).join('; ');
  /** @type {Focus | null} */
  const focus = isLate
    ? { selector: LATE_FOCUS, scroll: 'top' }
    : isOther && read.number !== null
      ? { selector: '#claims-sentence', scroll: 'top' }
      : isOther && view === 'list'
        ? { selector: `.claims-list [data-card="${last.number}"]`, scroll: 'into' }
        : null;
  return {
    address,
    revealed: number !== null && (seen.has(seenKey(address)) || (Boolean(answer?.verdict) && !predict)),
    result: results.get(number ?? NaN) ?? null,
    ...(isOther ? UNANSWERED : {}),
    wrong: null,
    undo: null,
    problem: '',
    notices: refused.length ? [`Not all of this link can be shown: ${said}.`] : [],
    ...(focus && { focus }),
  };
}
