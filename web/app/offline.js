// Lets the page open without a network once it has been opened with one.

import { scriptUrl } from './start.js';

/** Registers the service worker; without one the page is as before, but needs the network. */
export function keepOffline() {
  // What the reader waits for comes first; all files are fetched once more for the cache.
  const start = async () => {
    try {
      await navigator.serviceWorker?.register(scriptUrl('service-worker.js'));
    } catch {
      // a frame without an origin, no https, a browser that keeps nothing
    }
  };
  if (document.readyState === 'complete') start();
  else addEventListener('load', start);
}
