// What the reader sets: each input shows a part of the state and changes it. They need no picture.

import { examples } from './examples/panel.js';
import { menus } from './sentence-menus/panel.js';
import { models } from './models/panel.js';
import { settings } from './settings/panel.js';
import { text } from './text/panel.js';
import { writer } from './generation/panel.js';

/**
 * What an input may ask and do, beside a panel's tools.
 *
 * `error`: why the present plan was refused. `chosen`, `choose`: the model, though it may have to be
 * fetched. `write`: lets the model go on with the text; `stop`: lets it no more.
 * @typedef {import('./index.js').Tools & {
 *   error: () => import('../engine/worker.js').Problem | null,
 *   chosen: () => import('../models/catalogue.js').ModelName, choose: (name: import('../models/catalogue.js').ModelName) => void,
 *   write: () => void, stop: () => void,
 * }} InputTools
 */

/**
 * `name`: the id of its element; `present`: what its view is given.
 * @template Data
 * @typedef {{
 *   name: string,
 *   present: (state: import('../app/schema.js').State, known: import('../engine/plan.js').Description | undefined, tools: InputTools) => Data | null,
 *   create: (root: HTMLElement, tools: InputTools) => {update: (data: any) => void},
 * }} Input
 */

/** @type {Input<any>[]} */
export const inputs = [models, examples, menus, text, writer, settings];
