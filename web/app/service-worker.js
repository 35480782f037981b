// Keeps the built page for when there is no network. The network comes first, so that nobody is
// ever shown old code where there is new; the cache holds one whole build or nothing.

/* global FILES, LATER, VERSION -- the build fills them in; see precache.mjs */

/** The built files with the hash of each. @type {Record<string, string>} */
// @ts-expect-error FILES
const files = FILES;
/** Large ones with the hash of each, kept once they were asked for. @type {Record<string, string>} */
// @ts-expect-error LATER
const later = LATER;
const FOLDER = new URL('.', location.href).pathname;
const PREFIX = `glassformer ${FOLDER} `;
// @ts-expect-error VERSION
const CACHE = `${PREFIX}${VERSION}`;
const KEPT = [CACHE, ...Object.values(later).map((hash) => PREFIX + hash)];

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
          names.filter((name) => name.startsWith(PREFIX) && !KEPT.includes(name)).map((name) => caches.delete(name)),
        ),
      )
      .then(() => scope.clients.claim()), // what this first visit asks for is kept, too
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
    !(Object.hasOwn(files, name) || Object.hasOwn(later, name))
  )
    return;
  if (Object.hasOwn(later, name)) return event.respondWith(large(request, name));
  event.respondWith(
    fetch(request).catch(async (error) => {
      const kept = await (await caches.open(CACHE)).match(name);
      if (kept) return kept;
      throw error;
    }),
  );
});

/**
 * A large file: what is kept is known by its hash, so it is never old.
 * @param {Request} request @param {string} name
 */
async function large(request, name) {
  const cache = await caches.open(PREFIX + later[name]);
  const kept = await cache.match(name);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) cache.put(name, response.clone()).catch(() => {}); // no room: it is fetched again
  return response;
}

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
