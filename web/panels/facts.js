// What ran, where and how fast.

import * as view from '../views/facts.js';

/** @type {import('./index.js').Panel<import('../views/facts.js').FactsData>} */
export const facts = {
  name: 'facts',
  part: 'run',
  wants: () => [],
  present: (picture) => picture.facts,
  blank: () => undefined, // what ran last, ran
  create: (root) => view.create(root),
};
