// The state of Explore, and who is notified when it changes.

import { createStore as create } from '../shared/store.js';

/** @param {import('./schema.js').State} initial */
export const createStore = (initial) => create(initial);
