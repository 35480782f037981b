// The place Claims: the card or list that is shown, what the reader predicts and switches, and its address.

import { createAnswers } from './answers.js';
import { changedParams, isSame, readAddress, readValue, writeAddress } from './address.js';
import css from './cards.css';
import { isFlipped } from './switches.js';
import { connectClaims } from './client.js';
import { LATE_FOCUS } from './late.js';
import { createView } from './view.js';
import { addStyle } from '../draw/style.js';
import { spoken } from './words.js';

/**
 * @typedef {import('./address.js').Address} Address
 * @typedef {import('./address.js').Params} Params
 * @typedef {import('./worker.js').ClaimData} ClaimData
 * @typedef {import('./worker.js').Finding & {params: Params}} Result of a run, with its switches
 * @typedef {{
 *   groups: import('./worker.js').GroupData[], claims: ReadonlyMap<number, ClaimData>, address: Address,
 *   choice: number | null, revealed: boolean, share: number | null, result: Result | null,
 *   related: import('./related.js').Related | null,
 *   wrong: {name: string, text: string, typed: string} | null, problem: string, notice: string, link: string,
 *   query: string, results: Map<number, Result>, figures: number,
 *   answers: ReturnType<typeof createAnswers>,
 * }} CardsState `revealed`: what is measured may be seen; `share`: of the run under way; `result`: of the last run of
 * this card, maybe with other switches; `results`: the last of each card since the page was opened; `figures`: how many
 * are still to be computed for print; `wrong`: a field whose value cannot be; `problem`: why the worker failed
 */

const KEPT = {
  refused: 'This browser keeps nothing for this page: predictions last until it is closed.',
  full: 'This browser’s storage is full: predictions last until the page is closed.',
  damaged: 'Some of the predictions that this browser kept could not be read.',
};

const MOST_NAMED = 3;
const NOTHING_FOUND = { verdict: null, comparisons: [], seconds: null, when: null };

/**
 * Begins the place, and from then on follows the address.
 * @param {HTMLElement} root
 * @param {(name: string) => string} scriptUrl
 * @param {(model: import('../models/catalogue.js').GivenModel) => Promise<void>} explore opens it there
 */
export async function begin(root, scriptUrl, explore) {
  addStyle(css);
  const isHere = () => /^#\/claims\b/.test(location.hash);
  /** @type {ReturnType<typeof connectClaims>} */
  let client;
  /** @type {CardsState} */
  const state = {
    groups: [],
    claims: new Map(),
    address: { view: 'course', number: null, params: {}, predict: false },
    choice: null,
    revealed: false,
    share: null,
    result: null,
    related: null,
    wrong: null,
    problem: '',
    notice: '',
    link: '',
    query: '',
    results: new Map(),
    figures: 0,
    answers: createAnswers(undefined, (problem) => (keeping = KEPT[problem])),
  };
  /** Cards whose verdict was seen since the page was opened, by `seenKey`. @type {Set<string>} */
  const seen = new Set();
  /** A link that asks first asks also who has seen the card before. @param {Address} address */
  const seenKey = ({ number, predict }) => `${number}${predict ? '?' : ''}`;
  /** @type {AbortController | null} of the run under way */
  let running = null;
  let keeping = ''; // what is to be known of the browser's storage
  let refusal = ''; // what of the link cannot be
  let known = ''; // the address as it was last followed or written

  const claimOf = () => state.claims.get(state.address.number ?? NaN);
  const view = createView(root, {
    onChoice: (choice) => set({ choice }),
    onPredict: predict,
    onReveal: reveal,
    onForget: forget,
    onSwitch: setSwitch,
    onFlip: flip,
    onRun: run,
    onCancel: cancel,
    onModel: (request) => client.model(request),
    onExplore: explore,
    onAgain: again,
    onFigures: compute,
    onSearch: (query) => set({ query }),
    onClear: clear,
  });

  /** @param {Partial<CardsState>} patch */
  function set(patch) {
    Object.assign(state, patch, { notice: [refusal, keeping].filter(Boolean).join(' ') });
    state.link = new URL(writeAddress(state.address, claimOf()), location.href).href;
    view.update(state);
  }

  /** @param {Address['params']} params */
  function setParams(params) {
    const claim = /** @type {ClaimData} */ (claimOf());
    set({ address: { ...state.address, params: changedParams(claim, params) }, wrong: null });
    relate();
    if (!isHere() || location.hash !== known) return; // another address waits for its event
    history.replaceState(null, '', writeAddress(state.address, claim));
    known = location.hash;
  }

  /** What else shows the card at its switches. */
  async function relate() {
    const { number, params } = state.address;
    if (number === null) return;
    const related = await client.related({ number, params }).catch(() => null);
    if (state.address.number === number && state.address.params === params) set({ related });
  }

  function predict() {
    const { address, choice, answers } = state;
    if (choice === null || address.number === null) return;
    const { number, params } = address;
    answers.set(number, { ...NOTHING_FOUND, params, predicted: choice });
    reveal();
  }

  function reveal() {
    if (state.address.number === null) return;
    seen.add(seenKey(state.address));
    set({ revealed: true });
    view.focus('#claims-found');
    if (!isFresh()) return run();
    keep();
    set({});
  }

  /** A new prediction of the same card. */
  function forget() {
    const { number } = state.address;
    if (number === null) return;
    cancel();
    seen.delete(seenKey(state.address));
    state.answers.set(number, { ...NOTHING_FOUND, params: {}, predicted: null });
    set({ revealed: false, choice: null });
    view.focus('.claims-question legend');
  }

  /** All cards ask again; what is given back undoes it. */
  function clear() {
    const before = [...seen];
    const undo = state.answers.clear();
    seen.clear();
    return () => {
      undo();
      for (const number of before) seen.add(number);
    };
  }

  /** Whether the last run had these switches. */
  function isFresh() {
    const claim = claimOf();
    return Boolean(claim && state.result && isSame(claim, state.result.params, state.address.params));
  }

  /** Keeps what was found, beside the prediction if that was of these switches. */
  function keep() {
    const { answers, result } = state;
    const claim = claimOf();
    if (!claim || !result) return;
    const { verdict: last, params } = answers.get(claim.number);
    const { verdict, comparisons, seconds } = result;
    if (last && !isSame(claim, params, result.params)) return;
    answers.set(claim.number, { params: result.params, verdict, comparisons, seconds, when: Date.now() });
  }

  async function run() {
    const claim = claimOf();
    if (!claim) return;
    running?.abort();
    const own = (running = new AbortController());
    const { params } = state.address;
    set({ share: 0, problem: '' });
    const onProgress = (/** @type {number} */ share) => own === running && set({ share });
    try {
      const finding = await client.run({ number: claim.number, params, signal: own.signal, onProgress });
      if (own !== running) return;
      const result = { ...finding, params };
      state.results.set(claim.number, result);
      running = null;
      state.result = result;
      keep();
      set({ share: null });
    } catch (error) {
      if (own !== running) return;
      running = null;
      set({ share: null, problem: /** @type {Error} */ (error).message });
    }
  }

  function cancel() {
    running?.abort();
    running = null;
    set({ share: null });
  }

  /** @param {string} name @param {string} text */
  function setSwitch(name, text) {
    const claim = claimOf();
    if (!claim) return;
    const read = readValue(claim, name, text);
    if ('problem' in read) return set({ wrong: { name, text: read.problem, typed: text } });
    setParams({ ...state.address.params, [name]: read.value });
    afterSwitch(!claim.long);
  }

  function flip() {
    const claim = claimOf();
    if (!claim?.flip) return;
    const { seed, seeds } = state.address.params;
    const own = isFlipped(claim, state.address.params) ? {} : claim.flip.params;
    setParams({ ...own, ...(seed === undefined ? {} : { seed }), ...(seeds ? { seeds } : {}) });
    afterSwitch(true);
  }

  /** Cards whose figure was computed for print, or cannot be. @type {Set<number>} */
  const computed = new Set();

  /** Figures, for print, of what an earlier visit found: of the quick cards, as long ones wait to be asked for. */
  async function compute() {
    if (state.figures) return;
    const left = [...state.answers.all().values()].filter(({ number, verdict }) => {
      const claim = state.claims.get(number);
      return claim && !claim.long && verdict && !state.results.has(number) && !computed.has(number);
    });
    if (left.length === 0) return;
    state.figures = left.length;
    await null; // it is asked for while the page is drawn
    for (const { number, params } of left) {
      if (state.address.view !== 'print') break;
      const { signal } = new AbortController();
      try {
        const finding = await client.run({ number, params, signal, onProgress: () => {} });
        if (!state.results.has(number)) state.results.set(number, { ...finding, params });
      } catch {
        // the verdict stands without its figure, as that of a long card
      }
      computed.add(number);
      set({ figures: state.figures - 1 });
    }
    set({ figures: 0 });
  }

  /** After other switches: what runs is of the former ones. @param {boolean} atOnce */
  function afterSwitch(atOnce) {
    if (atOnce && !isFresh()) return run();
    cancel();
  }

  /** With another worker, where the former failed. */
  function again() {
    client.restart();
    return state.claims.size ? run() : open();
  }

  function followAddress() {
    if (!isHere()) return;
    const back = known === location.hash;
    known = location.hash;
    if (back && state.claims.size) return; // to what was shown
    const { refused, ...address } = readAddress(known, state.claims);
    const { number: last } = state.address;
    const isOther = address.number !== last;
    const isLate = address.view !== state.address.view && address.view !== 'card' && address.view !== 'course';
    if (isOther) cancel();
    const said = refused.slice(0, MOST_NAMED).join('; ');
    refusal = refused.length ? `Not all of this link can be shown: ${said}.` : '';
    const answer = address.number === null ? null : state.answers.get(address.number);
    const isAnswered = Boolean(answer?.verdict) && !address.predict;
    set({
      address,
      revealed: address.number !== null && (seen.has(seenKey(address)) || isAnswered),
      result: state.results.get(address.number ?? NaN) ?? null,
      ...(isOther ? { choice: null, related: null } : {}),
      wrong: null,
      problem: '',
    });
    relate();
    document.title = [spoken(claimOf()?.name ?? ''), 'Claims', 'Glassformer'].filter(Boolean).join(' · ');
    if (isOther && address.view === 'course')
      view.focus(`.claims-list [href="${writeAddress({ number: last })}"]`, false);
    if (isOther && address.number !== null) {
      scrollTo(0, 0);
      view.focus('#claims-sentence');
      client.prepare().catch(() => {}); // the run says why
    }
    if (isLate) {
      scrollTo(0, 0);
      view.focus(LATE_FOCUS);
    }
    if (state.revealed && !isFresh() && !claimOf()?.long && address.view === 'card') run();
  }

  /** The arrow keys turn to the next card and the one before. @param {KeyboardEvent} event */
  function turn({ key, target, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented }) {
    const rel = { ArrowRight: 'next', ArrowLeft: 'prev' }[key];
    if (!rel || !isHere() || defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
    if (target !== document.body && !(target instanceof Element && target.closest('.claims'))) return;
    if (target instanceof Element && target.closest('input, select, textarea, [role=application]')) return;
    view.turn(rel);
  }

  async function open() {
    set({ problem: '' });
    try {
      const groups = await client.course();
      const claims = groups
        .flatMap((group) => group.claims)
        .map((claim) => /** @type {const} */ ([claim.number, claim]));
      Object.assign(state, { groups, claims: new Map(claims) });
    } catch (error) {
      return set({ problem: /** @type {Error} */ (error).message });
    }
    followAddress();
  }

  state.answers.all(); // what cannot be read is said from the start
  try {
    client = connectClaims(scriptUrl);
  } catch {
    refusal = 'The experiments need a worker, which this frame or browser does not allow.';
    return set({});
  }
  addEventListener('hashchange', followAddress);
  addEventListener('keydown', turn);
  await open();
}
