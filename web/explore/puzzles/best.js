// The best results of the puzzles, kept in the browser where that is allowed.

import { readKept, writeKept } from '../../shared/kept.js';

const NAME = 'glassformer-puzzles';

/** @param {readonly {id: string}[]} puzzles @returns {Map<string, number>} by id */
export function readBest(puzzles) {
  const kept = readKept(NAME);
  return new Map(puzzles.flatMap(({ id }) => (Number.isInteger(kept[id]) && kept[id] > 0 ? [[id, kept[id]]] : [])));
}

/** @param {Map<string, number>} best */
export const writeBest = (best) => writeKept(NAME, Object.fromEntries(best));
