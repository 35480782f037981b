// Keeps the built page for when there is no network. The network comes first, so that nobody is
// ever shown old code where there is new; the cache holds one whole build or nothing.

/* global FILES, LATER, VERSION -- the build fills them in; see precache.mjs */

/** The built files with the hash of each. @type {Record<string, string>} */
// @ts-expect-error FILES
const files = FILES;
/** Large files and their hashes: each is kept after the reader first opens it. @type {Record<string, string>} */
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
  if (Object.hasOwn(later, name)) return large(event, name);
  event.respondWith(
    fetch(request).catch(async (error) => {
      const kept = await (await caches.open(CACHE)).match(name);
      if (kept) return kept;
      throw error;
    }),
  );
});

/**
 * A large file: it is kept if its bytes have the hash of this build, and taken from there the next time.
 * @param {FetchEvent} event @param {string} name
 */
function large(event, name) {
  const opened = caches.open(PREFIX + later[name]);
  const answer = opened.then(async (cache) => (await cache.match(name)) ?? fetch(event.request, { cache: 'no-cache' }));
  const copy = answer.then((response) => response.clone());
  event.respondWith(Promise.all([answer, copy]).then(([response]) => response));
  const keep = async () => {
    const [cache, response] = await Promise.all([opened, copy]);
    if (!response.ok || (await cache.match(name))) return;
    const bytes = await response.arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    if (`sha256-${btoa(String.fromCharCode(...hash))}` !== later[name]) return;
    await cache.put(name, new Response(bytes, { headers: response.headers }));
  };
  event.waitUntil(keep().catch(() => {})); // no room: it is fetched again
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
