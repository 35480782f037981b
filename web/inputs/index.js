// What the reader sets: each input shows a part of the state and changes it. They need no picture.

import { examples } from './examples.js';
import { menus } from './menus.js';
import { models } from './models.js';
import { settings } from './settings.js';
import { text } from './text.js';
import { writer } from './writer.js';

/**
 * What an input may ask and do, beside a panel's tools.
 *
 * `error`: why the present plan was refused. `chosen`, `choose`: the model, though it may have to be
 * fetched. `write`: lets the model go on with the text; `stop`: lets it no more.
 * @typedef {import('../panels/index.js').Tools & {
 *   error: () => import('../worker.js').Problem | null,
 *   chosen: () => import('../catalogue.js').ModelName, choose: (name: import('../catalogue.js').ModelName) => void,
 *   write: () => void, stop: () => void,
 * }} InputTools
 */

/**
 * `name`: the id of its element; `present`: what its view is given.
 * @template Data
 * @typedef {{
 *   name: string,
 *   present: (state: import('../state.js').State, known: import('../plan.js').Description | undefined, tools: InputTools) => Data | null,
 *   create: (root: HTMLElement, tools: InputTools) => {update: (data: any) => void},
 * }} Input
 */

/** @type {Input<any>[]} */
export const inputs = [models, examples, menus, text, writer, settings];
