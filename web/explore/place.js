// The place Explore: puts the features on the page, and gives each the values that it presents.

import { features } from './index.js';
import { keepingFocus } from '../draw/keys.js';
import { hasTensor, isEmpty, openNode } from '../engine/plan.js';
import { placeFeature } from '../kit/feature.js';
import { frameShown, turnOfOthers } from '../kit/turn.js';
import { followAnswer } from './shared/answers.js';
import { keepOpened } from './shared/opening.js';

export { goesOn, openingOf, opensFirst } from './shared/opening.js';

/**
 * @typedef {ReturnType<typeof import('../engine/session.js').createSession>} Session
 * @typedef {import('../engine/plan.js').Plan} Plan
 * @typedef {import('../kit/feature.js').PlacedFeature} PlacedFeature
 */

const POINTING = ['pointermove', 'focusin'];

/** Whether there is a result in it, or something said of one. @param {PlacedFeature} placed */
const isPanel = ({ feature }) => !feature.input;

/**
 * The names that features need of a plan, each once.
 * @param {readonly Pick<import('./index.js').Feature, 'needs'>[]} all
 * @param {import('./index.js').Query} query
 */
export const requiredBy = (all, query) =>
  [...new Set(all.flatMap(({ needs }) => needs?.(query) ?? []))].filter((name) => hasTensor(name, query.plan.settings));

/**
 * @param {HTMLElement} root with the slots `models` and `page`
 * @param {Omit<import('./index.js').Tools, 'viewShown'>} given
 * @param {boolean} isFirst whether the page opens for the first time, and the instrument unfolds later
 */
export async function createExplore(root, given, isFirst) {
  /** @type {PlacedFeature[]} */
  const placed = [];
  const { viewShown, answer } = createWaiting(given.get);
  const tools = { ...given, viewShown };
  /** @type {import('./index.js').Context | null} what the panels were last shown by */
  let shown = null;
  /** @type {unknown[]} what the inputs were last shown by */
  let inputs = [];
  /** @type {Promise<void> | null} */
  let refreshing = null;
  /** Asks for what features need whose code has come, once for all that came together, and shows it. */
  const refresh = () =>
    (refreshing ??= turnOfOthers().then(() => {
      refreshing = shown = null;
      tools.set({});
    }));
  // One after the other, as a feature may stand in a slot of another one.
  /** @type {Place} */
  const place = (row, slot, before) => void placed.push(placeFeature(row, slot, tools, refresh, before));
  const instrument = createInstrument({ root, place, refresh, isFirst });
  await inParts(features, (row) => ('unfolds' in row ? instrument.keep(row) : place(row, slotOf(root, row))));
  if (!isFirst) instrument.unfold();
  const top = /** @type {HTMLElement} */ (root.querySelector('.top'));
  const drawing = createDrawing(root, placed, isHere);

  /** Whether a feature is shown by the layout. @param {PlacedFeature} placed */
  function isHere({ feature: { nodes } }) {
    const state = tools.get();
    if (!nodes || nodes.includes(openNode(state))) return true;
    const isOfAttention = nodes.every((/** @type {string} */ each) => each === 'attention');
    return state.layout === 'page' && !(isOfAttention && state.settings.heads === 0);
  }

  /** While there is nothing to compute, or the first result was refused. @param {Plan} plan */
  function showBlank(plan) {
    // Everything below the text keeps its place until the next text has a result.
    if (shown) top.style.minHeight = `${top.offsetHeight}px`;
    shown = null;
    return drawing.update((/** @type {PlacedFeature} */ each) => each.blank({ plan }));
  }

  return {
    /** Whether all that is shown first is on the page, and knows what it needs. */
    isReady: () => isFirst || instrument.isWhole(),
    /** The tensors and derived values that the panels need. @param {import('./index.js').Query} query */
    required: (query) =>
      requiredBy(
        placed.filter((each) => isPanel(each) && isHere(each)),
        query,
      ),
    /**
     * Shows the state in the inputs, and the result in the panels; what has not arrived yet is left as it was.
     * @param {{
     *   scheme: import('../draw/color.js').Scheme, session: Session, begun: boolean,
     *   chosenModel: import('../models/catalogue.js').ModelName, gradually: boolean,
     * }} page `gradually`: what the reader sees first, the rest after the frame that shows it
     * @returns {Promise<void> | undefined} when all of it is shown
     */
    show({ scheme, session, begun, chosenModel, gradually }) {
      drawing.stop(); // the rest of an update would show an outdated state
      const state = tools.get();
      const modelInfo = tools.modelInfo();
      const error = session.error();
      if (begun) {
        markPage(state);
        if (state.opening !== 'flip') instrument.unfold();
      }
      // A result that comes is none of what they read, so mostly there is nothing to draw before its map.
      const next = [state, scheme, modelInfo, error, chosenModel, tools.plan()];
      const isNew = !gradually || next.some((each, i) => each !== inputs[i]);
      inputs = next;
      for (const each of placed) {
        each.hide(!isHere(each));
        if (isNew && each.feature.input) each.show({ state, scheme, modelInfo, error, chosenModel });
      }
      if (!begun) return;
      const plan = session.plan();
      if (isEmpty(plan) || (error && !session.result())) return showBlank(plan);
      session.keepShown();
      const result = session.result();
      if (!result || session.isPending()) return;
      const context = { result, state, scheme, modelInfo, pinned: session.pinned() };
      const onlyText = drawing.isWhole() && shown !== null && differsInText(shown, context);
      if (!shown) top.style.minHeight = '';
      shown = context;
      const drawn = drawing.update((each) => each.show(context), { onlyText, gradually });
      drawn.then(answer);
      return drawn;
    },
    /** Once the result is there, moves to where the text asks something. @returns {boolean} whether it has moved */
    followAnswer() {
      const state = tools.get();
      const result = state.follow ? tools.presentResult() : null;
      if (!result) return false;
      tools.set(followAnswer(result, state, tools.modelInfo())); // which shows it
      return true;
    },
  };
}

/** @typedef {(row: any, slot: HTMLElement, before?: Node | null) => void} Place puts a feature on the page */

const fetchInstrument = () => import('./instrument.js');

/**
 * The parts that the first opening omits: their places stay reserved, and fill once the code is here.
 * @param {{root: HTMLElement, place: Place, refresh: () => Promise<void>, isFirst: boolean}} options
 */
function createInstrument({ root, place, refresh, isFirst }) {
  // Beside what comes first; `unfold` says so where it fails.
  if (!isFirst) fetchInstrument().catch(() => {});
  else document.documentElement.dataset.opening = 'flip'; // before anything of the instrument can be seen
  /** @type {{row: any, mark: Comment}[]} */
  const folded = [];
  let isWhole = false;
  /** @type {Promise<void> | null} */
  let coming = null;

  /** @param {Awaited<ReturnType<typeof fetchInstrument>>} code */
  function fill({ instrument }) {
    for (const { row, mark } of folded) {
      const slot = mark.parentElement ?? slotOf(root, row); // which a feature before it has brought
      place(instrument.get(row.name) ?? row, slot, mark.parentElement && mark);
    }
    isWhole = true;
    keepOpened();
    return refresh();
  }
  /** @param {unknown} error */
  async function goWithout(error) {
    isWhole = true;
    await refresh();
    coming = null; // the next update tries again
    throw error;
  }

  return {
    isWhole: () => isWhole,
    /** Keeps a feature's place. @param {{name: string, slot?: string}} row */
    keep(row) {
      const mark = document.createComment(row.name);
      root.querySelector(`[data-slot="${row.slot}"]`)?.append(mark);
      folded.push({ row, mark });
    },
    unfold: () => (coming ??= fetchInstrument().then(fill, goWithout)),
  };
}

/** Sets the state that style sheets read. @param {import('./index.js').State} state */
function markPage({ layout, embed, opening }) {
  const page = document.documentElement;
  page.dataset.layout = layout; // until then it is the address's (app/start.js)
  page.toggleAttribute('data-embed', embed);
  page.dataset.opening = opening;
}

/** Waits for an element that a feature has yet to show. @param {() => import('./index.js').State} get */
function createWaiting(get) {
  /** @type {{id: string, node: string, resolve: () => void} | null} */
  let waiting = null;
  function answer() {
    if (!waiting || !document.getElementById(waiting.id)) return;
    if (waiting.node === openNode(get())) waiting.resolve(); // else the reader has chosen another node
    waiting = null;
  }
  /** @param {string} id @returns {Promise<void>} */
  const viewShown = (id) =>
    new Promise((resolve) => {
      waiting = { id, node: openNode(get()), resolve };
      answer();
    });
  return { viewShown, answer };
}

/**
 * Draws the panels, and takes the outline away with the first of them.
 * @param {HTMLElement} root
 * @param {PlacedFeature[]} placed
 * @param {(placed: PlacedFeature) => boolean} isHere whether the layout shows it
 */
function createDrawing(root, placed, isHere) {
  let isBlank = true; // the outline stands where the views will
  let turn = 0; // of the latest update: what is left of one before is not drawn
  let isWhole = true; // nothing of it is left

  /** @type {ReturnType<typeof import('./highlight.js').createHighlight> | null} */
  let highlight = null;
  /** Fetches what lights the same everywhere, when the reader first points at something. @param {Event} first */
  async function fetchHighlight(first) {
    for (const event of POINTING) root.removeEventListener(event, fetchHighlight);
    const { createHighlight } = await import('./highlight.js');
    highlight = createHighlight(root);
    const Again = /** @type {typeof Event} */ (first.constructor);
    first.target?.dispatchEvent(new Again(first.type, first)); // which lights what it points at
  }
  for (const event of POINTING) root.addEventListener(event, fetchHighlight);

  /** Takes the outline away, once there is something to show. */
  function endBlank() {
    isBlank = false;
    root.querySelector('#blank')?.remove();
    for (const name of ['aria-busy', 'inert']) root.querySelector('#page')?.removeAttribute(name);
  }

  /**
   * Draws each feature that shows a result.
   * @param {(placed: PlacedFeature) => void} draw
   * @param {object} [how]
   * @param {boolean} [how.onlyText] only those that show the text as it is typed
   * @param {boolean} [how.gradually] those that the reader sees first; then the rest, in parts
   */
  async function update(draw, { onlyText = false, gradually = false } = {}) {
    const isOpening = isBlank; // a panel that arrived later could then shift the map
    /** @param {PlacedFeature} placed */
    const isLate = ({ feature: { first, aside } }) => gradually && (isOpening ? aside : !first);
    if (isOpening) endBlank();
    const mine = ++turn;
    /** @type {PlacedFeature[][]} */
    const [first, later] = [[], []];
    for (const each of placed) {
      if (!isPanel(each) || !isHere(each) || (onlyText && !each.feature.typing)) continue;
      (isLate(each) ? later : first).push(each);
    }
    first.forEach((each) => draw(each));
    highlight?.refresh();
    isWhole = !later.length;
    if (isWhole) return;
    await frameShown();
    await inParts(later, (each) => mine === turn && keepingFocus(() => draw(each)));
    if (mine !== turn) return;
    isWhole = true;
    highlight?.refresh();
  }

  return { update, isWhole: () => isWhole, stop: () => void turn++ };
}

/**
 * Whether two contexts differ in nothing but the text as it is typed: a word that the model does not know changes no
 * number and no token, so there is nothing to draw but the text.
 * @param {import('./index.js').Context} a
 * @param {import('./index.js').Context} b
 */
function differsInText(a, b) {
  /** @param {import('./index.js').Context} context */
  const rest = ({ state, result: { plan } }) =>
    JSON.stringify([{ ...state, text: '' }, plan.key, plan.tokens.encoder?.words, plan.tokens.decoder?.words]);
  return (
    a.result.tensors === b.result.tensors &&
    a.result.derived === b.result.derived &&
    a.scheme === b.scheme &&
    a.modelInfo === b.modelInfo &&
    a.pinned === b.pinned &&
    a.state.text !== b.state.text &&
    rest(a) === rest(b)
  );
}

const PART = 12; // ms

/**
 * Does something with each. Meanwhile others have their turn: the worker cannot start while this thread is busy.
 * @template T
 * @param {T[]} all
 * @param {(one: T) => void} action
 */
async function inParts(all, action) {
  let end = performance.now() + PART;
  for (const one of all) {
    action(one);
    if (performance.now() < end) continue;
    await turnOfOthers();
    end = performance.now() + PART;
  }
}

/**
 * @param {HTMLElement} root
 * @param {{name: string, slot?: string}} feature
 * @returns {HTMLElement}
 */
function slotOf(root, { name, slot = 'page' }) {
  const selector = `[data-slot="${slot}"]`;
  const found = root.querySelector(selector) ?? document.querySelector(selector); // the bar stands outside
  if (!found) throw new Error(`no feature before ${name} has the slot ${slot}`);
  return /** @type {HTMLElement} */ (found);
}
