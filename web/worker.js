// The worker that golem.wasm runs in. It is started from a blob URL, so that it
// inherits the page's content security policy; build.go puts Go's wasm_exec.js
// and the scripts of sandbox/opfs before it.

// golemTurn returns a promise that resolves after the event loop had a turn, in which
// messages are received. A timer would wait for milliseconds.
globalThis.golemTurn = golemReads.turn

// Messages from golem to the page. The lines of a run's events are sent together: when golem
// waits, sends another message, or calls golemTold. Before that the logs are written to
// their files. After that the idle workers of tools (golemRests) make their next instances:
// if they did this earlier, on two cores they would delay the result.
{
  const lines = new Map() // by the call's id
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

// golemRoot is a promise of the directory of the page's files: that of the browser, or one in
// memory if the browser gives none, for example in a private window.
globalThis.golemRoot = (async () => {
  try {
    return await navigator.storage.getDirectory()
  } catch {
    globalThis.golemForgets = true
    return globalThis.golemMemoryRoot()
  }
})()

let base = ''

// The files that load later have a digest of their content in their names, so that an open page
// never gets those of another build. web/build puts the names in place of LATE.
const late = LATE

/** Loads one of golem's own scripts, as text. */
globalThis.golemText = (name) => file(name).then((r) => r.text())

/** Loads one of golem's own files as a Uint8Array: NAME.gz, decompressed, if the server has it, else NAME. */
globalThis.golemBytes = async (name) => {
  const packed = await file(name + '.gz').then((r) => r.arrayBuffer(), () => null)
  const data = new Uint8Array(packed ?? await file(name).then((r) => r.arrayBuffer()))
  return data[0] === 0x1f && data[1] === 0x8b ? new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()) : data
}

/** Loads and compiles one of golem's own programs. */
globalThis.golemProgram = async (name) => WebAssembly.compile(await golemBytes(name))

// Returns a Go object that calls failed when the engine ends its program, because stack or memory is
// too large. After a promise the error would be lost otherwise, and who waits for the program would wait for ever.
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

/** Starts another of golem's own Go programs in this worker, and resolves with the function that it passes to golemOffer. over is called when the program has ended. */
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
  const response = await fetch(new URL(late[name] ?? name, base))
  if (!response.ok) throw new Error('HTTP status ' + response.status)
  return response
}

// The version of the messages. web/golem/link.js and cmd/wasm have the same number.
globalThis.golemForm = 6

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
