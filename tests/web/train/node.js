// The run that a page is held against, in Node.
import { load } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';

/** @param {import('../../../web/train/run/recipes.js').Settings} settings @param {string} name */
export const nodeRun = async (settings, name = 'reverse') => createRun(await load({ variant: 'simd' }), name, settings);

/** The hash of a run. @param {string} task @param {number} step @param {object} [changes] of its recipe */
export async function hashInNode(task, step, changes = {}) {
  const own = await nodeRun({ ...recipeOf(task), ...changes }, task);
  await own.go(step);
  return hashOf(own.model);
}
