// A web worker that runs guarded modules on the browser's own engine, one call at a time.
// cmd/wasm/toolcall_js.go is the other side: it posts {call}, answers what a call asks for,
// posts {flush} to have changed files written, and terminates the worker if a call takes too
// long. web/build puts twin.js, kernel.js, wasi.js and files.js before it.

/** Standard output or standard error of a call. Too much standard output ends the call; of standard error only the end is kept. */
class Output {
  data = new Uint8Array(1024)
  size = 0

  constructor(keep) {
    this.keep = keep // for stderr: how many bytes at its end are kept; 0 for stdout
  }

  add(b) {
    if (!this.keep && this.size + b.length > call.outputLimit) tooMuch()
    if (this.keep && b.length > this.keep) b = b.subarray(b.length - this.keep)
    if (this.keep && this.size + b.length > 2 * this.keep) {
      this.data.copyWithin(0, this.size - this.keep, this.size)
      this.size = this.keep
    }
    if (this.size + b.length > this.data.length) {
      const grown = new Uint8Array(Math.max(this.size + b.length, 2 * this.data.length))
      grown.set(this.data.subarray(0, this.size))
      this.data = grown
    }
    this.data.set(b, this.size)
    this.size += b.length
  }

  bytes() {
    return this.data.slice(this.keep ? Math.max(0, this.size - this.keep) : 0, this.size)
  }
}

/** Wraps a host function that may wait, so that the module is suspended meanwhile. If the browser cannot do that, waiting ends the call. */
function waits(f) {
  if (suspends) return new WebAssembly.Suspending(f)
  return (...args) => {
    const r = f(...args)
    if (!(r instanceof Promise)) return r
    r.catch(() => {}) // the promise is not used: no unhandled rejection
    cannotSuspend()
  }
}

const own = {
  golem: { tick: ['l', 'l', (left) => call.meter.tick(left)] },
  'extism:host/env': extism,
  'extism:host/user': extismUser,
  wasi_snapshot_preview1: wasi,
}

/** Returns the import object for a module, and whether any of its imports may wait. An import that does not exist, or has another type, ends the call that calls it. */
function imports(list) {
  const out = Object.create(null)
  let waiting = false
  for (const { module, name, type } of list) {
    const have = Object.hasOwn(own, module) && Object.hasOwn(own[module], name) ? own[module][name] : null
    let f
    if (have && have[0] + ':' + have[1] === type) {
      // Every host function ends a call whose time is over. Fuel does not limit the time
      // in host functions: it counts only their calls, and one call can copy 60 MiB.
      const timed = (...args) => {
        call.meter.check()
        return have[2](...args)
      }
      f = module === 'golem' ? have[2] : have[3] ? waits(timed) : timed
      waiting ||= have[3] === true
    } else {
      f = () => {
        call.missing = { module, name }
        throw unwound
      }
    }
    ;(out[module] ??= Object.create(null))[name] = f
  }
  return { out, waiting }
}

/** The module of the last call: {module, imports}. */
let last = null

/** A new instance of it for the next call, made in advance, in which nothing has run: {instance, waiting}. */
let spare = null

function made() {
  const { out, waiting } = imports(last.imports)
  return { instance: new WebAssembly.Instance(last.module, out), waiting }
}

function instantiate(m) {
  if (m.module) {
    last = { module: m.module, imports: m.imports }
    spare = null
  }
  const { instance, waiting } = spare ?? made()
  spare = null
  box = { kernel: new Kernel(), waits: waiting && suspends, open: [], held: 0, files: [{ kind: 'in', data: call.stdin, size: call.stdin.length, pos: 0n }, { kind: 'out' }, { kind: 'err' }, { kind: 'dir', name: '', preopen: true }] }
  box.exports = instance.exports
  box.memory = instance.exports['golem:memory']
  if (m.fill.length) new Uint8Array(box.memory.buffer).set(m.fill, m.fillAt)
}

/** Makes an instance for the next call, if this worker is idle. This runs no code of the module: the guard made its start section an export. */
function prepare() {
  if (call || spare || !last) return
  try {
    spare = made()
    if ((spare.instance.exports['golem:memory']?.buffer.byteLength ?? 0) > large) spare = null
  } catch {
    spare = null // the next call will report the error
  }
}

/** Reports whether an error means that stack or memory is used up: V8 and JavaScriptCore throw RangeError, SpiderMonkey InternalError. */
const outOfRoom = (e) => e instanceof RangeError || e?.name === 'InternalError' || e === 'out of memory'

/** Notes why the module did not return. */
function trapped(e) {
  if (e === unwound) return
  if (outOfRoom(e)) {
    if (/call stack|recursion|stack overflow/i.test(e.message)) call.fault ??= faults.tooDeep()
    else call.fault ??= faults.noMemoryLeft()
    return
  }
  if (!(e instanceof WebAssembly.RuntimeError)) {
    call.trap = words.hostFailed // its own message is about golem's code, not the module
    return
  }
  call.trap = e.message.split('\n')[0] || 'it failed' // Go translates it to golem's message
}

/** Calls an export of the module. It returns false if that ended the call. */
async function invoke(f, args) {
  try {
    const result = box.waits ? await WebAssembly.promising(f)(...args) : f(...args)
    call.result = result
    return true
  } catch (e) {
    trapped(e)
    return false
  }
}

async function run(m) {
  if (!box) {
    try {
      instantiate(m)
    } catch (e) {
      box = null
      if (outOfRoom(e)) call.retry = true // earlier instances may still use memory
      return trapped(e)
    }
    enter()
    for (const s of m.starts) {
      if (s.imported) {
        call.handedOn = s.name
        return
      }
      if (s.refused) {
        call.trap = words.takesParameters(s.name)
        return
      }
      const zeros = [...s.params].map((p) => (p === 'l' ? 0n : 0))
      if (!(await invoke(box.exports[s.name], zeros))) return
    }
  } else {
    if (!m.granted) forget('.') // this call may not write the files of an earlier call
    enter()
  }
  if (m.contract) {
    call.contract = true // golem.wasm knows the exports and makes the message
    return
  }
  if ((await invoke(box.exports[m.export], [])) && m.result) call.code = call.result | 0
}

/** Resets fuel, flags and kernel of the instance for the call, and puts its input into the kernel. */
function enter() {
  box.exports['golem:fuel'].value = 0n
  box.exports['golem:flags'].value = 0
  box.kernel.reset()
  call.inputAt = 0n
  call.inputSize = BigInt(call.input.length)
  if (call.input.length) call.inputAt = box.kernel.put(call.input)
}

/** Writes the changed files that the module left open. It returns false if one could not be written. */
async function flush() {
  for (const c of box?.open ?? []) {
    if (await commit(c)) return false
  }
  return true
}

/** A limit in bytes: if an instance uses more memory, its worker is ended with it, instead of waiting for the garbage collector. */
const large = 32 << 20

async function begin(m) {
  postMessage({ begins: true })
  if (m.fresh) box = null
  call = {
    meter: new Meter(m.fuel, m.limit, m.limitWords), input: m.input, args: m.args, stdin: m.stdin, config: new Map(m.config), outputLimit: m.output,
    clock: m.clock === null ? null : BigInt(m.clock), chance: m.chance, logs: m.logs, lines: 0,
    ...blank, fault: null, trap: '', exited: false, code: 0, status: 0, headers: 0n, stdout: new Output(0), stderr: new Output(mostStderr),
  }
  try {
    await run(m)
  } catch (e) {
    trapped(e)
  }
  const left = box?.exports ? BigInt(box.exports['golem:fuel'].value) : 0n
  const written = m.command ? call.stdout.bytes() : none // a command may be a plug-in that sets its output
  const output = written.length || !box?.kernel.data ? written : box.kernel.range(call.outputAt, call.outputSize).slice()
  const stderr = call.stderr.bytes()
  const dirty = !!box?.open.some((c) => c.dirty && !c.gone)
  const dropped = m.drops && !dirty
  postMessage({
    done: true, fault: call.fault ?? undefined, atHost: call.atHost === true, missing: call.missing, contract: call.contract === true, handedOn: call.handedOn, retry: call.retry === true,
    trap: call.trap, exited: call.exited, code: call.code, flags: box?.exports ? box.exports['golem:flags'].value : 0, left: String(left), fuel: String(call.meter.granted - left),
    output, stderr, message: message(), dirty, dropped, heldTooMuch: call.heldTooMuch === true,
    large: !!box?.exports && (box.memory?.buffer.byteLength ?? 0) + box.kernel.data.length + box.held > large,
  })
  if (dropped) drop()
}

/** Drops the instance; the garbage collector frees it. */
function drop() {
  box = null
  call = null
  waiting.clear()
}

const broke = () => postMessage({ broke: true })

onmessageerror = broke
postMessage({ here: true }) // without this message golem starts another worker

onmessage = ({ data }) => {
  if (data.answer !== undefined) {
    const f = waiting.get(data.answer)
    waiting.delete(data.answer)
    f?.(data)
  } else if (data.call) {
    begin(data).catch(broke)
  } else if (data.flush) {
    flush().then((whole) => postMessage({ flushed: true, whole }), () => postMessage({ flushed: true, whole: false }))
  } else if (data.drop) {
    drop()
  } else if (data.prepare) {
    prepare()
  }
}
