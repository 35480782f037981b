// The place Claims: its state, what it asks the worker, its address, what the reader's actions mean, its view.

import { createActions } from './actions.js';
import { createAnswers } from './answers.js';
import css from './claims.css';
import { createLink } from './link.js';
import { createRuns } from './runs.js';
import { firstState } from './state.js';
import { createView } from './view.js';
import { addStyle } from '../draw/style.js';
import { createClient } from '../kit/client.js';
import { createStore } from '../kit/store.js';

/** @typedef {import('../kit/client.js').Client<import('./worker.js').Methods>} ClaimsClient */

/**
 * Begins the place, and from then on follows the address.
 * @param {HTMLElement} root
 * @param {(name: string) => string} scriptUrl
 * @param {(model: import('../models/catalogue.js').GivenModel) => Promise<void>} explore opens it there
 */
export async function begin(root, scriptUrl, explore) {
  addStyle(css);
  const client = connected(scriptUrl);
  if (!client) return void root.append(noWorker());
  const store = createStore(firstState(createAnswers(), Math.random()));
  const runs = createRuns(store, client);
  const link = createLink(store, runs, client);
  const view = createView(root, {
    ...createActions(store, runs, link, client),
    onCell: client.cell,
    onModel: client.model,
    onExplore: explore,
  });
  store.subscribe(view.update);
  store.get().answers.all(); // what cannot be read is said from the start
  addEventListener('hashchange', link.follow);
  await link.open();
}

/** @param {(name: string) => string} scriptUrl @returns {ClaimsClient | null} */
function connected(scriptUrl) {
  try {
    return createClient(() => new Worker(scriptUrl('claims.js'), { type: 'module' }));
  } catch {
    return null; // this frame or browser allows no worker
  }
}

const noWorker = () =>
  Object.assign(document.createElement('p'), {
    className: 'notices',
    role: 'status',
    textContent: 'The experiments need a worker, which this frame or browser does not allow.',
  });
