// The place Explore: puts the features on the page, and shows each what it presents.

import { html, render } from 'lit-html';
import { features, loadViews } from './index.js';
import { keepingFocus } from '../draw/focus.js';
import { hasTensor, isEmpty, openNode } from '../engine/plan.js';
import { frameShown, turnOfOthers } from '../shared/turn.js';
import { followAnswer } from './shared/answers.js';
import { describeModel, describeSettings } from './shared/explain.js';

/**
 * @typedef {import('./index.js').Panel<any>} Panel
 * @typedef {import('./index.js').Input<any>} Input
 * @typedef {ReturnType<typeof import('../engine/session.js').createSession>} Session
 * @typedef {import('../engine/plan.js').Plan} Plan
 * @typedef {ReturnType<typeof put>} PlacedFeature
 */

const POINTING = ['pointermove', 'focusin'];

/** @param {import('./index.js').Placed} feature @returns {feature is Panel} */
const isPanel = (feature) => 'present' in feature;
/** @param {import('./index.js').Placed} feature @returns {feature is Input} */
const isInput = (feature) => 'input' in feature;

/**
 * The names that panels require of a plan, each once.
 * @param {readonly Pick<Panel, 'required'>[]} panels
 * @param {import('./index.js').Query} query
 */
export const requiredBy = (panels, query) =>
  [...new Set(panels.flatMap((panel) => panel.required?.(query) ?? []))].filter((name) =>
    hasTensor(name, query.plan.settings),
  );

/**
 * @param {HTMLElement} root with the slots `models` and `page`
 * @param {Omit<import('./index.js').Tools, 'viewsShown'>} given
 */
export async function createExplore(root, given) {
  /** @type {Promise<void> | null} */
  let loading = null;
  const tools = { ...given, viewsShown: () => loading ?? Promise.resolve() };
  /** @type {PlacedFeature[]} */
  const placed = [];
  /** @type {import('./index.js').Context | null} what the panels were last shown by */
  let shown = null;
  // One after the other, as a feature may stand in a slot of another one.
  await inParts(features, (feature) => placed.push(put(root, tools, feature)));
  const top = /** @type {HTMLElement} */ (root.querySelector('.top'));
  const drawing = createDrawing(root, placed, isHere);

  /** Whether a feature is shown by the layout. @param {import('./index.js').Placed} feature */
  function isHere({ nodes }) {
    const state = tools.get();
    if (!nodes || nodes.includes(openNode(state))) return true;
    const isOfAttention = nodes.every((each) => each === 'attention');
    return state.layout === 'page' && !(isOfAttention && state.settings.heads === 0);
  }

  /** Fetches the views of other nodes when one of them is chosen. */
  function loadWanted() {
    const state = tools.get();
    if (loading || (state.layout === 'workspace' && openNode(state) === 'attention')) return;
    loading = loadViews().then((views) => {
      for (const feature of views) placed.push(put(root, tools, feature));
      shown = null;
      tools.set({}); // what they require is asked for, and shown
    });
  }

  /** While there is nothing to compute, or the first result was refused. @param {Plan} plan */
  function showBlank(plan) {
    // What stands below the text stays where it is until the next text has a result.
    if (shown) top.style.minHeight = `${top.offsetHeight}px`;
    shown = null;
    describeSettings(plan.settings);
    return drawing.update((panel) => (panel.blank ? panel.blank({ plan }) : null));
  }

  return {
    /** The tensors and derived values that the panels need. @param {import('./index.js').Query} query */
    required: (query) =>
      requiredBy(
        placed.flatMap(({ feature }) => (isPanel(feature) && isHere(feature) ? [feature] : [])),
        query,
      ),
    /**
     * Shows the state in the inputs, and the result in the panels; what has not arrived yet is left as it was.
     * @param {{
     *   scheme: import('../draw/color.js').Scheme, session: Session, begun: boolean,
     *   chosenModel: import('../models/catalogue.js').ModelName, gradually: boolean,
     * }} page `gradually`: what the reader looks at first, the rest after the frame that shows it
     * @returns {Promise<void> | undefined} when all of it is shown
     */
    show({ scheme, session, begun, chosenModel, gradually }) {
      drawing.stop(); // what is left of an update shows a state that is no longer
      const state = tools.get();
      const modelInfo = tools.modelInfo();
      const error = session.error();
      if (begun) {
        document.documentElement.dataset.layout = state.layout; // until then it is the address's (app/start.js)
        document.documentElement.toggleAttribute('data-embed', state.embed);
        loadWanted();
      }
      for (const { feature, elements, input } of placed) {
        for (const element of elements) element.toggleAttribute('data-away', !isHere(feature));
        if (isInput(feature)) input?.update(feature.input({ state, scheme, modelInfo, error, chosenModel }));
      }
      if (!begun) return;
      describeModel(state.model);
      const plan = session.plan();
      if (isEmpty(plan) || (error && !session.result())) return showBlank(plan);
      session.keepShown();
      const result = session.result();
      if (!result || session.isPending()) return;
      describeSettings(result.plan.settings);
      const context = { result, state, scheme, modelInfo, pinned: session.pinned() };
      const onlyText = drawing.isWhole() && shown !== null && differsInText(shown, context);
      if (!shown) top.style.minHeight = '';
      shown = context;
      return drawing.update((panel) => panel.present(context), { onlyText, gradually });
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

/**
 * Puts a feature on the page.
 * @param {HTMLElement} root @param {import('./index.js').Tools} tools @param {import('./index.js').Placed} feature
 */
function put(root, tools, feature) {
  const elements = mount(root, feature);
  const element = /** @type {HTMLElement} */ (document.getElementById(feature.name));
  return {
    feature,
    elements,
    input: isInput(feature) ? feature.create(element, tools) : null,
    panel: isPanel(feature) ? feature.create(element, tools) : null,
    optional: /** @type {HTMLElement | null} */ (element?.closest('[data-optional]')),
  };
}

/**
 * Draws the panels, and takes the outline away with the first of them.
 * @param {HTMLElement} root
 * @param {PlacedFeature[]} placed
 * @param {(feature: import('./index.js').Placed) => boolean} isHere whether the layout shows it
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
   * Gives each panel its data; one that is undefined leaves its view as it was.
   * @param {(panel: Panel) => any} dataOf
   * @param {object} [how]
   * @param {boolean} [how.onlyText] only those that show the text as it is typed
   * @param {boolean} [how.gradually] those that the reader looks at first; then the rest, in parts
   */
  async function update(dataOf, { onlyText = false, gradually = false } = {}) {
    const isOpening = isBlank; // what came later then could push the map about
    /** @param {Panel} feature */
    const isLate = ({ isFirst, isAside }) => gradually && (isOpening ? isAside : !isFirst);
    if (isOpening) endBlank();
    const mine = ++turn;
    /** @type {PlacedFeature[][]} */
    const [first, later] = [[], []];
    for (const each of placed) {
      const { feature } = each;
      if (!isPanel(feature) || !isHere(feature) || (onlyText && !feature.showsTyping)) continue;
      (isLate(feature) ? later : first).push(each);
    }
    /** @param {PlacedFeature} each */
    const draw = ({ feature, panel, optional }) => {
      const data = isPanel(feature) ? dataOf(feature) : undefined;
      if (data === undefined) return;
      if (optional) optional.hidden = data === null; // before the view measures its room
      panel?.update(data);
    };
    first.forEach(draw);
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
 * @param {import('./index.js').Placed} feature
 * @returns {Element[]} its elements
 */
function mount(root, { name, slot = 'page', section = html`<div id=${name}></div>` }) {
  const selector = `[data-slot="${slot}"]`;
  const place = root.querySelector(selector) ?? document.querySelector(selector); // the bar stands outside
  if (!place) throw new Error(`no feature before ${name} has the slot ${slot}`);
  const fragment = document.createDocumentFragment();
  render(section, fragment);
  const elements = [...fragment.children];
  place.append(fragment);
  return elements;
}
