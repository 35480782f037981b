// The place Explore: puts the features on the page, and shows each what it presents.

import { html, render } from 'lit-html';
import { features } from './index.js';
import { isEmpty } from '../engine/plan.js';
import { followAnswer } from './shared/answers.js';
import { describeModel, describeSettings } from './shared/explain.js';

/**
 * @typedef {import('./index.js').Panel<any>} Panel
 * @typedef {import('./index.js').Input<any>} Input
 * @typedef {ReturnType<typeof import('../engine/session.js').createSession>} Session
 * @typedef {import('../engine/plan.js').Plan} Plan
 */

/** @param {import('./index.js').Placed} feature @returns {feature is Panel} */
const isPanel = (feature) => 'present' in feature;
/** @param {import('./index.js').Placed} feature @returns {feature is Input} */
const isInput = (feature) => 'input' in feature;

/**
 * The names that panels require of a plan, each once.
 * @param {readonly Pick<Panel, 'required'>[]} panels
 * @param {import('./index.js').Query} query
 */
export const requiredBy = (panels, query) => [...new Set(panels.flatMap((panel) => panel.required?.(query) ?? []))];

/**
 * @param {HTMLElement} root with the slots `models` and `page`
 * @param {import('./index.js').Tools} tools
 */
export function createExplore(root, tools) {
  for (const feature of features) mount(root, feature);
  /** @param {string} name */
  const elementOf = (name) => /** @type {HTMLElement} */ (root.querySelector(`#${name}`));
  const inputs = features.filter(isInput).map((input) => ({ input, view: input.create(elementOf(input.name), tools) }));
  const panels = features.filter(isPanel).map((panel) => {
    const element = elementOf(panel.name);
    const optional = /** @type {HTMLElement | null} */ (element.closest('[data-optional]'));
    return { panel, view: panel.create(element, tools), optional };
  });

  /**
   * Gives each panel its data; one that is undefined leaves its view as it was.
   * @param {(panel: Panel) => any} dataOf
   */
  function update(dataOf) {
    for (const { panel, view, optional } of panels) {
      const data = dataOf(panel);
      if (data === undefined) continue;
      if (optional) optional.hidden = data === null; // before the view measures its room
      view.update(data);
    }
  }

  /** While there is nothing to compute, or the first result was refused. @param {Plan} plan */
  function showBlank(plan) {
    describeSettings(plan.settings);
    update((panel) => (panel.blank ? panel.blank({ plan }) : null));
  }

  return {
    /** The tensors and derived values that the panels need. @param {import('./index.js').Query} query */
    required: (query) =>
      requiredBy(
        panels.map(({ panel }) => panel),
        query,
      ),
    /**
     * Shows the state in the inputs, and the result in the panels; what has not arrived yet is left as it was.
     * @param {{
     *   scheme: import('../draw/color.js').Scheme, session: Session, begun: boolean,
     *   chosenModel: import('../models/catalogue.js').ModelName,
     * }} page
     */
    show({ scheme, session, begun, chosenModel }) {
      const state = tools.get();
      const modelInfo = tools.modelInfo();
      const error = session.error();
      for (const { input, view } of inputs) view.update(input.input({ state, scheme, modelInfo, error, chosenModel }));
      if (!begun) return;
      describeModel(state.model);
      const plan = session.plan();
      if (isEmpty(plan) || (error && !session.result())) return showBlank(plan);
      session.keepShown();
      const result = session.result();
      if (!result || session.isPending()) return;
      describeSettings(result.plan.settings);
      update((panel) => panel.present({ result, state, scheme, modelInfo, pinned: session.pinned() }));
    },
    /** Once the result is there, moves to where the text asks something. */
    followAnswer() {
      const state = tools.get();
      const modelInfo = tools.modelInfo();
      const result = state.follow && modelInfo ? tools.presentResult() : null;
      if (result && modelInfo) tools.set(followAnswer(result, state, modelInfo));
    },
  };
}

/** @param {HTMLElement} root @param {import('./index.js').Placed} feature */
function mount(root, { name, slot = 'page', section = html`<div id=${name}></div>` }) {
  const place = root.querySelector(`[data-slot="${slot}"]`);
  if (!place) throw new Error(`no feature before ${name} has the slot ${slot}`);
  const fragment = document.createDocumentFragment();
  render(section, fragment);
  place.append(fragment);
}
