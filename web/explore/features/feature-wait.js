// Finds the features again that a link has changed: their dictionary is trained from the same seed to the same bits.

import { html } from 'lit-html';
import { dictionaryOf, isOfFeature } from '../../engine/interventions.js';
import { answerOf, featuresName, isFound, noteFound } from '../shared/dictionary.js';

/** Dictionaries of changes that the worker has not found yet. @param {Partial<import('../index.js').State>} state */
const missing = ({ interventions = [], ready = [] }) =>
  [...new Set(interventions.filter(isOfFeature).map(dictionaryOf))].filter((name) => !ready.includes(name));

/** @type {import('../index.js').Feature} */
export const featureWait = {
  name: 'feature-wait',
  needs: ({ state }) => missing(state).slice(0, 1).map(featuresName),
  render({ result, state }, { get, set }) {
    const [name] = missing(state);
    if (!name) return null;
    const answer = answerOf(result, name);
    if (isFound(answer)) {
      noteFound({ get, set }, name);
      return undefined;
    }
    const { step = 0, steps = 0 } = /** @type {Partial<import('../derived/features.js').Training>} */ (answer ?? {});
    return html`<p class="hint" id="feature-wait" role="status">The change is made once its features are found
      again${step ? `: step ${step.toLocaleString('en')} of ${steps.toLocaleString('en')}` : ''}.</p>`;
  },
};
