// How alike the positions are, by their offset from the one that is looked at.

import { positionsName } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { section } from './section.js';

/** @type {import('../index.js').Panel<import('./view.js').CurveData>} */
export const curve = {
  name: 'curve',
  section,
  required: ({
    plan: { settings },
    state: {
      selection: { kind },
    },
  }) => (settings.positions === 'none' ? [] : [positionsName(kind)]),
  present({ result, state }) {
    const { positions: how, d_model } = result.plan.settings;
    const { kind, row, readWords: words } = lookedAt(result, state);
    const tensor = result.tensors.get(positionsName(kind));
    if (how === 'none') return null;
    if (!tensor) return undefined;
    return { position: row, words, points: dots(tensor.data, d_model, row, words.length) };
  },
  create: (root) => view.create(root),
};

/** @param {Float32Array} data rows of `width` @param {number} width @param {number} row @param {number} count */
const dots = (data, width, row, count) =>
  Array.from({ length: count }, (_, other) => {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += data[row * width + i] * data[other * width + i];
    return { x: other - row, y: sum };
  });
