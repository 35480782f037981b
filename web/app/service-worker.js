// Keeps the built page for when there is no network. The network comes first, so that nobody is
// ever shown old code where there is new; the cache holds one whole build or nothing.

/* global FILES, VERSION -- the build fills them in; see precache.mjs */

/** The built files with the hash of each. @type {Record<string, string>} */
// @ts-expect-error FILES
const files = FILES;
const FOLDER = new URL('.', location.href).pathname;
const PREFIX = `glassformer ${FOLDER} `;
// @ts-expect-error VERSION
const CACHE = `${PREFIX}${VERSION}`;

/** @typedef {Event & {waitUntil: (promise: Promise<unknown>) => void}} Extendable */
/** @typedef {Extendable & {request: Request, respondWith: (response: Promise<Response>) => void}} FetchEvent */

const scope = /** @type {any} */ (self);

scope.addEventListener('install', (/** @type {Extendable} */ event) => {
  scope.skipWaiting();
  event.waitUntil(fill());
});

scope.addEventListener('activate', (/** @type {Extendable} */ event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
        ),
      ),
  );
});

scope.addEventListener('fetch', (/** @type {FetchEvent} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const name = pathname.slice(FOLDER.length) || 'index.html';
  if (
    request.method !== 'GET' ||
    origin !== location.origin ||
    !pathname.startsWith(FOLDER) ||
    !Object.hasOwn(files, name)
  )
    return;
  event.respondWith(
    fetch(request).catch(async (error) => {
      const kept = await (await caches.open(CACHE)).match(name);
      if (kept) return kept;
      throw error;
    }),
  );
});

/** Fetches the whole build; a file that is not of this build, as while another is put in place, makes it fail. */
async function fill() {
  const cache = await caches.open(CACHE);
  try {
    await cache.addAll(
      Object.entries(files).map(([name, integrity]) => new Request(name, { integrity, cache: 'no-cache' })),
    );
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
}
