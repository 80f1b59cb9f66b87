// A worker that runs guarded modules on the browser's own engine, one call at
// a time. cmd/wasm/toolcall_js.go is the other side: it posts {call}, answers
// what a call asks for, has what is left open written by {flush}, and ends the
// worker where a call goes on too long. web/build puts twin.js, kernel.js,
// wasi.js and files.js before it.

/** Standard output: what is beyond the limit ends the call. */
class Output {
  data = new Uint8Array(1024)
  size = 0

  constructor(keep) {
    this.keep = keep // the end is kept, of stderr; else it is bounded by the call
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

/** A host function that may wait: the module is suspended meanwhile. */
function waits(f) {
  if (suspends) return new WebAssembly.Suspending(f)
  return (...args) => {
    const r = f(...args)
    if (!(r instanceof Promise)) return r
    r.catch(() => {}) // nobody waits for it
    cannotSuspend()
  }
}

const own = {
  golem: { tick: ['l', 'l', (left) => call.meter.tick(left)] },
  'extism:host/env': extism,
  'extism:host/user': extismUser,
  wasi_snapshot_preview1: wasi,
}

/** The imports of a module. What it wants otherwise than we have it ends the call that calls it. */
function imports(list) {
  const out = Object.create(null)
  let waiting = false
  for (const { module, name, type } of list) {
    const have = Object.hasOwn(own, module) && Object.hasOwn(own[module], name) ? own[module][name] : null
    let f
    if (have && have[0] + ':' + have[1] === type) {
      // A call whose time is over ends at every host function: fuel counts
      // calls, and one can move 60 MiB.
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

/** A fresh instance of it that nothing has run in, made ahead: {instance, waiting}. */
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
}

/** Makes an instance for the next call, if this worker has nothing to do. A module runs nothing when it is instantiated: the guard made its start section an export. */
function prepare() {
  if (call || spare || !last) return
  try {
    spare = made()
    if ((spare.instance.exports['golem:memory']?.buffer.byteLength ?? 0) > large) spare = null
  } catch {
    spare = null // the next call finds out why
  }
}

/** Whether stack or memory ended: V8 and JavaScriptCore say RangeError, SpiderMonkey InternalError. */
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
    call.trap = words.hostFailed // its own words are about golem
    return
  }
  call.trap = e.message.split('\n')[0] || 'it failed' // Go says it in golem's words
}

/** Calls into the module; false if that was the end. */
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
      if (outOfRoom(e)) call.retry = true // memory of earlier instances is not free yet
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
    if (!m.granted) forget('.') // what an earlier call could see
    enter()
  }
  if (m.contract) {
    call.contract = true // told by who knows what the module exports
    return
  }
  if ((await invoke(box.exports[m.export], [])) && m.result) call.code = call.result | 0
}

/** Begins the account of the call in its instance. */
function enter() {
  box.exports['golem:fuel'].value = 0n
  box.exports['golem:flags'].value = 0
  box.kernel.reset()
  call.inputAt = 0n
  call.inputSize = BigInt(call.input.length)
  if (call.input.length) call.inputAt = box.kernel.put(call.input)
}

/** Writes what the module left open; whether all of it could be. */
async function flush() {
  for (const c of box?.open ?? []) {
    if (await commit(c)) return false
  }
  return true
}

/** What an instance may leave to the collector, in bytes: one that held more goes with its worker. */
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
  const output = m.command ? call.stdout.bytes() : box?.kernel.data ? box.kernel.range(call.outputAt, call.outputSize).slice() : none
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

/** Leaves the instance to the collector. */
function drop() {
  box = null
  call = null
  waiting.clear()
}

const broke = () => postMessage({ broke: true })

onmessageerror = broke
postMessage({ here: true }) // or golem starts another worker

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
