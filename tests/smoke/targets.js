// Where the packed file must work.
import { bundlers } from './bundlers.js';
import { checkers } from './checkers.js';
import { pages } from './pages.js';
import { runtimes } from './runtimes.js';

/**
 * @typedef {object} Target
 * @property {string} name
 * @property {() => string | Promise<string>} version of what it runs in, asked after it has run
 * @property {string} what runs there
 * @property {Record<string, string>} [files] of its project
 * @property {(folder: string) => Promise<{answers?: import('./check.js').Answer[], bytes?: number}>} run gives what the
 *   program gave there; throws what is wrong
 * @property {boolean} [sample] whether it needs no tools but the project's own
 */

/** @type {Target[]} */
export const targets = [...runtimes, ...bundlers, ...pages, ...checkers];
