// What ran, where and how fast.

import * as view from './view.js';
import { section } from './section.js';

/** @type {import('../index.js').Panel<import('./view.js').FactsData>} */
export const runInfo = {
  name: 'run-info',
  slot: 'end',
  isAside: true,
  section,
  present: ({ result }) => result.facts,
  blank: () => undefined, // what ran last, ran
  create: (root) => view.create(root),
};
