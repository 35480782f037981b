// Starts the worker, before the page's own script: that is larger, and keeps the main thread busy when it has come.

import { scriptUrl } from './trust.js';

export { scriptUrl };

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
