// Starts the worker, before the page's own script: that is larger, and keeps the main thread busy when it has come.

import { scriptUrl } from './trust.js';

export { scriptUrl };

// As the address has it (schema.js), before anything is shown that the other layout would move.
if (/[?&]layout=page\b/.test(location.hash)) document.documentElement.dataset.layout = 'page';
if (/[?&]embed=1\b/.test(location.hash)) document.documentElement.dataset.embed = '';

/** Null where the page may have none: in a frame without an origin. @type {Worker | null} */
export let worker = null;
/** Whether it has failed already. */
export let isLost = false;

try {
  worker = new Worker(scriptUrl('worker.js'), { type: 'module' });
  worker.addEventListener('error', () => (isLost = true), { once: true });
} catch {
  isLost = true;
}
