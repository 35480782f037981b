// What ran, where and how fast.

import * as view from './view.js';

/** @type {import('../index.js').Panel<import('./view.js').FactsData>} */
export const facts = {
  name: 'facts',
  part: 'run',
  wants: () => [],
  present: (picture) => picture.facts,
  blank: () => undefined, // what ran last, ran
  create: (root) => view.create(root),
};
