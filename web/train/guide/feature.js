// The guided run as a feature of the page.

import { guide } from './view.js';

/** @type {import('../index.js').Feature} */
export const guidedRun = { name: 'guide', render: ({ state }, tools) => /** @type {any} */ (guide(state, tools)) };
