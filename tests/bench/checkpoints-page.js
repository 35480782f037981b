// Uses the checkpoint that stands open in a page.
import { model } from './checkpoints-open.js';
import { use } from './checkpoints-use.js';

/** @param {{tokens: number}} options */
export default ({ tokens }) => use(/** @type {import('glassformer').Model} */ (model), tokens);
