// The service worker: the page works without a network once it was visited.
//
// - Files with a hash in their names never change: from the cache first.
// - The document comes from the network, or from the cache where the network takes more than two seconds.
// - Responses are kept and given as they came: a response that is put together anew loses the compiled code that browsers keep with it.
// - A new version waits until no page of the old one is open. Nothing is taken away from a running session.

// The build writes the names of this version's files here: those that the page starts with, and the others.
const FILES = { page: [], rest: [] };

const CACHE = "planarium-files";
const PATIENCE_MS = 2_000;
const absolute = (name) => new URL(name, self.registration.scope).href;
const DOCUMENT = absolute("./");
/** The same page as a frame of other documents. */
const FRAME = absolute("./embed.html");

/** Keeps those files that are not there yet. The browser has most of them from the page's own visit. */
async function keep(names) {
  const cache = await caches.open(CACHE);
  for (const url of names.map(absolute)) {
    if (await cache.match(url)) continue;
    const response = await fetch(url, { cache: "force-cache" });
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    await cache.put(url, response);
  }
}

async function install() {
  const cache = await caches.open(CACHE);
  const response = await fetch(DOCUMENT, { cache: "no-cache" });
  if (!response.ok) throw new Error(`the page: ${response.status}`);
  await keep(FILES.page);
  await cache.put(DOCUMENT, response);
}

/** Removes the files of versions that no page uses any more. */
async function tidy() {
  const wanted = new Set([DOCUMENT, FRAME, ...[...FILES.page, ...FILES.rest].map(absolute)]);
  const cache = await caches.open(CACHE);
  for (const request of await cache.keys()) {
    if (!wanted.has(request.url)) await cache.delete(request);
  }
  await self.clients.claim();
}

/** The texts of an example or a lesson, out of the file of all of them, which is kept in their place. */
async function fromAll(cache, url) {
  const [, before, name, hash] = /^(.*\/texts\/)(.+)(-[0-9a-f]{16}\.json)$/.exec(url) ?? [];
  const all = name && (await cache.match(`${before}all${hash}`));
  const texts = all && (await all.json())[name];
  return texts && Response.json(texts);
}

async function fromCacheFirst(request) {
  const cache = await caches.open(CACHE);
  const kept = (await cache.match(request.url)) ?? (await fromAll(cache, request.url));
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request.url, response.clone());
  return response;
}

/** A document from the network; the kept one where that fails or takes too long. */
async function documentFor(event, key) {
  const cache = await caches.open(CACHE);
  const network = fetch(event.request).then(async (response) => {
    if (response.ok) await cache.put(key, response.clone());
    return response;
  });
  event.waitUntil(network.catch(() => undefined));
  const late = new Promise((done) => setTimeout(done, PATIENCE_MS));
  const first = await Promise.race([network.catch(() => undefined), late]);
  return first ?? (await cache.match(key)) ?? network;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(tidy()));
self.addEventListener("message", (event) => {
  // What is missing then comes when it is used.
  if (event.data === "rest") event.waitUntil(keep(FILES.rest).catch(() => undefined));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const inside = new URL(DOCUMENT).pathname;
  const isPage = [inside, `${inside}index.html`].includes(pathname);
  const isFrame = [`${inside}embed`, `${inside}embed.html`].includes(pathname);
  if (request.mode === "navigate" && (isPage || isFrame)) {
    event.respondWith(documentFor(event, isFrame ? FRAME : DOCUMENT));
  } else if (/-[0-9a-f]{16}(_bg)?\.\w+$/.test(pathname)) {
    event.respondWith(fromCacheFirst(request));
  }
});
