// How alike the positions are, by their offset from the one that is looked at.

import { attention } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { section } from './section.js';

/** @param {import('../../engine/plan.js').AttentionKind} kind */
const dotsName = (kind) => `@position-dots/${attention(kind).stack}`;

/** @type {import('../index.js').Panel<import('./view.js').CurveData>} */
export const positionSimilarity = {
  name: 'position-similarity',
  slot: 'why',
  nodes: ['positions'],
  section,
  required: ({ plan, state }) => (plan.settings.positions === 'none' ? [] : [dotsName(state.selection.kind)]),
  present({ result, state }) {
    if (result.plan.settings.positions === 'none') return null;
    const { kind, row, readWords: words } = lookedAt(result, state);
    const dots = result.derived.get(dotsName(kind));
    if (!dots) return undefined;
    const [count] = dots.shape;
    const points = words.map((_, other) => ({ x: other - row, y: dots.data[row * count + other] }));
    return { position: row, words, points };
  },
  create: (root) => view.create(root),
};
