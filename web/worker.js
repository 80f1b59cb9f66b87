// The worker that golem.wasm runs in. It is started from a blob URL, so that it
// inherits the page's content security policy; build.go puts Go's wasm_exec.js
// and the scripts of sandbox/opfs before it.

// golemTurn resolves once JavaScript has had its turn: messages are taken then.
// A timer would wait for milliseconds.
globalThis.golemTurn = golemReads.turn

// What golem says to the page. Lines of a run's events go together, when golem
// waits, has another message, or says so (golemTold); what logs have gathered is in
// the files before. Then tools' workers that have nothing to do (golemRests) make their
// next instances: on two cores, made earlier they would keep golem from the result.
{
  const lines = new Map() // by the call's number
  const rests = new Set()
  const told = () => {
    golemLogs.flush()
    for (const [id, events] of lines) postMessage({ id, events })
    lines.clear()
    for (const w of rests) w.postMessage({ prepare: true })
    rests.clear()
  }
  globalThis.golemRests = (w) => rests.add(w)
  globalThis.golemEvent = (id, line) => {
    if (lines.size === 0) queueMicrotask(told)
    if (lines.has(id)) lines.get(id).push(line)
    else lines.set(id, [line])
  }
  globalThis.golemTold = told
  globalThis.golemTell = (message, transfer = []) => {
    told()
    postMessage(message, transfer)
  }
}

// golemRoot is the directory of the page's files: the browser's own, or one in
// memory where the browser lends none, in a private window for example.
globalThis.golemRoot = (async () => {
  try {
    return await navigator.storage.getDirectory()
  } catch {
    globalThis.golemForgets = true
    return globalThis.golemMemoryRoot()
  }
})()

let base = ''

/** A script of golem's own, as text. */
globalThis.golemText = (name) => file(name).then((r) => r.text())

/** A program of golem's own, compiled; shipped compressed, unless the server has it so too. */
globalThis.golemProgram = async (name) => {
  const packed = await file(name + '.gz').then((r) => r.arrayBuffer(), () => null)
  let data = new Uint8Array(packed ?? await file(name).then((r) => r.arrayBuffer()))
  if (data[0] === 0x1f && data[1] === 0x8b) data = await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
  return WebAssembly.compile(data)
}

// A Go program that tells when the engine ends it, because its stack or memory is too large: where it
// runs on after a promise, nobody else hears of that, and who waits for it would wait for ever.
const program = (failed) => {
  const go = new Go()
  const resume = go._resume
  go._resume = () => {
    try {
      resume.call(go)
    } catch (e) {
      failed(e)
      throw e
    }
  }
  return go
}

/** Starts another Go program of golem's own in this worker, and resolves with the function that it offers. over is called when it has ended. */
globalThis.golemSecond = async (name, over) => {
  const go = program(over)
  const instance = await WebAssembly.instantiate(await golemProgram(name), go.importObject)
  return new Promise((resolve, reject) => {
    globalThis.golemOffer = resolve
    go.run(instance).catch(() => {}).then(() => {
      over()
      reject(new Error('it has ended')) // without effect once it has offered its function
    })
  })
}

async function file(name) {
  const response = await fetch(new URL(name, base))
  if (!response.ok) throw new Error('HTTP status ' + response.status)
  return response
}

// The number of the form of the messages, as in web/golem/link.js and cmd/wasm.
globalThis.golemForm = 5

onmessage = async ({ data }) => {
  if (!data.wasm) return
  if (data.form !== golemForm) {
    postMessage({ fatal: 'golem.js and golem-worker.js are not of one version', hint: 'put all files of one version of golem side by side, and reload the page' })
    return
  }
  onmessage = null
  base = data.base
  const failed = (e) => postMessage({ fatal: String(e) })
  const go = program(failed)
  try {
    const made = await WebAssembly.instantiate(data.wasm, go.importObject)
    const instance = made.instance ?? made // of bytes, or of a module
    globalThis.golemMemory = () => instance.exports.mem
    go.run(instance).then(() => postMessage({ fatal: 'golem has ended' }), failed)
    onmessage = (m) => globalThis.golemReceive(m.data)
  } catch (e) {
    failed(e)
  }
}
