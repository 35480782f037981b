// The challenges as a feature of the page.

import { html } from 'lit-html';
import { component } from '../../kit/component.js';
import { createChallenges } from './panel.js';

const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

const panel = component((root, { tools }) => {
  /** @param {string} task */
  function onChallenge(task) {
    tools.onTask(task);
    find('.train-head').scrollIntoView({ block: 'start' });
    find('.train-play').focus({ preventScroll: true });
  }
  return createChallenges(root, find('.train-challenge'), { onChallenge }, tools.state);
});

/** @type {import('../index.js').Feature} */
export const challenges = { name: 'challenges', render: ({ state }, tools) => html`${panel(state, { tools })}` };
