// Keeps the built page for when there is no network, or one that answers something else: an error, a page to log in.
// The network's page comes first, so that nobody is ever shown old code where there is new. The cache holds one whole
// build or nothing. A page has all its files from one build: the kept one from the cache, another from the network.

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
/**
 * @typedef {Extendable & {request: Request, clientId: string, resultingClientId: string,
 *   respondWith: (response: Promise<Response>) => void}} FetchEvent
 */

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
      .then(() => scope.clients.claim()), // also keeps the requests of this first visit
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
  const isPage = name === 'index.html' && request.mode === 'navigate';
  event.respondWith(isPage ? pageFor(event) : partFor(event, name));
});

/** @param {string} name */
const kept = (name) => caches.match(name, { cacheName: CACHE });

/** @param {BufferSource} bytes */
async function hashOf(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha256-${btoa(String.fromCharCode(...hash))}`;
}

/** The page of the network where it is one of ours, else the kept one. @param {FetchEvent} event */
async function pageFor({ request, resultingClientId }) {
  const own = await kept('index.html');
  if (!own) return fetch(request);
  const response = await fetch(request).catch(() => null);
  const isFile = response?.ok && !response.redirected;
  const bytes = isFile ? await response.clone().arrayBuffer().catch(() => null) : null; // prettier-ignore
  // A page to log in comes with status 200, too. Every build has its own mark.
  const isOurs = bytes && new TextDecoder().decode(bytes).includes('name="glassformer-build"');
  const isNewer = isOurs && (await hashOf(bytes)) !== files['index.html'];
  isOtherPage = Boolean(isNewer);
  if (!response || !isNewer) return own;
  await markOther(resultingClientId);
  return response;
}

/** Whether the page that was opened last is of another build. */
let isOtherPage = false;

/** Where the cache notes that a page, or a worker of it, is of another build. @param {string} client */
const noteOf = (client) => `client/${client}`;

/** @param {string} client */
async function markOther(client) {
  if (client) await (await caches.open(CACHE)).put(noteOf(client), new Response());
}

/** @param {string} client @returns {Promise<boolean>} */
async function isOther(client) {
  if (client && (await kept(noteOf(client)))) return true;
  // Not every browser says which worker a script will be.
  return isOtherPage && (await scope.clients.get(client))?.type !== 'window';
}

/** A file, of the build that its page is of. @param {FetchEvent} event @param {string} name */
async function partFor({ request, clientId, resultingClientId }, name) {
  if (!(await isOther(clientId))) return (await kept(name)) ?? fetch(request);
  await markOther(resultingClientId);
  return fetch(request);
}

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
    if ((await hashOf(bytes)) !== later[name]) return;
    await cache.put(name, new Response(bytes, { headers: response.headers }));
  };
  event.waitUntil(keep().catch(() => {})); // full: it is fetched again
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
