// Keeps the page so that it opens without a network. Every file of a build is
// kept together: a page never gets parts of two builds.
const version = VERSION
const files = FILES
const later = LATER // what few need: kept once it was asked for
const mine = `golem ${registration.scope} ` // several golems may lie on one origin
const name = mine + version

addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(name).then(async (cache) => {
      await cache.addAll(['./', ...files].map((f) => new Request(f, { cache: 'no-cache' })))
      await unpack(cache, 'golem.wasm.gz').catch(() => {}) // without room for it, for example, it stays packed
    }).then(() => skipWaiting()),
  )
})

/** Keeps a module unpacked: a page then compiles it right from the response, and has no pieces of it in its own memory. */
async function unpack(cache, file) {
  const [begin, whole] = (await cache.match(file)).body.tee()
  const reader = begin.getReader()
  const first = (await reader.read()).value?.[0]
  reader.cancel()
  if (first !== 0x1f && first !== 0) throw new Error('neither packed nor a module')
  const body = first ? whole.pipeThrough(new DecompressionStream('gzip')) : whole // some servers unpack .gz themselves
  await cache.put(file, new Response(body, { headers: { 'Content-Type': 'application/wasm', 'Golem-Unpacked': '1' } }))
}

addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys()
      // The build before stays: a page that is open still loads parts of it.
      .then((all) => Promise.all(all.filter((n) => n.startsWith(mine) && n !== name).slice(0, -1).map((n) => caches.delete(n))))
      .then(() => clients.claim()),
  )
})

addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  event.respondWith(
    caches.open(name).then((cache) => cache.match(request, { ignoreSearch: true })).then((kept) => kept ?? other(request, url)),
  )
})

/** What this build does not keep: of its own what few need, or a part of the build that an open page is of. */
async function other(request, url) {
  if (!later.some((f) => new URL(f, registration.scope).href === url.href)) {
    return (await caches.match(request, { ignoreSearch: true })) ?? fetch(request)
  }
  const response = await fetch(request)
  if (response.ok) await (await caches.open(name)).put(request, response.clone())
  return response
}
