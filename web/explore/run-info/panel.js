// What ran, where and how fast.

import * as view from './view.js';
import { section } from './section.js';
import { tokensText } from './tokens.js';

/** @type {import('../index.js').Panel<import('./view.js').FactsData>} */
export const runInfo = {
  name: 'run-info',
  slot: 'end',
  isAside: true,
  section,
  present: ({ result: { facts, plan } }) => ({ ...facts, tokens: tokensText(plan.model) }),
  blank: () => undefined, // what ran last, ran
  create: (root) => view.create(root),
};
