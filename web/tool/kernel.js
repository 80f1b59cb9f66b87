// The kernel of Extism: what a module shares with its host beside its own memory. It has
// blocks of bytes, named by handles that are multiples of 8 (0 is none), and variables. It
// does what kernel.go, session.go and meter.go of core/wasmtool do, for calls that run in
// their own web worker. Limits, numbers and messages are in twin.js, which web/twin
// generates from Go.

/** Host functions throw this to end the call; call.fault or another field of call says why. */
const unwound = Symbol('the call was ended')

/** The current call, and the state of its instance. */
let call = null
let box = null

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const none = new Uint8Array(0)

/** Ends the call with a fault. If it has one already, that one stays. */
function end(fault) {
  call.fault ??= fault
  throw unwound
}

const suspends = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function'

function cannotSuspend() {
  end(faults.cannotSuspend())
}

const unsigned = (n) => BigInt.asUintN(64, BigInt(n))

/** Rounds a block's size up: to a multiple of 8 up to 64 bytes, and by an eighth at most above. */
function roomFor(n) {
  const step = n > 64 ? 2 ** (28 - Math.clz32(n - 1)) : 8
  return Math.ceil(n / step) * step
}

class Kernel {
  vars = new Map() // by name, in which each character is one byte
  room = 0

  reset() {
    if (!this.data || this.data.length > kernelKept) this.data = new Uint8Array(1 << 12)
    this.length = 8
    this.data.fill(0, 0, 8)
    this.sizes = new Map()
    this.free = new Map()
  }

  /** Allocates a block of size bytes, all zero, and returns its handle, a number. */
  alloc(size) {
    const n = Number(size)
    if (n === 0) return 0
    const room = n > 0 && n <= kernelBytes ? roomFor(n) : -1
    const list = this.free.get(room)
    if (room < 0 || (room > kernelBytes - this.length && !list?.length) || this.sizes.size >= kernelBlocks) {
      end(faults.noRoom(unsigned(size)))
    }
    if (list?.length) {
      const at = list.pop()
      this.data.fill(0, at, at + room)
      this.sizes.set(at, n)
      return at
    }
    const at = this.length
    if (at + room > this.data.length) {
      const grown = new Uint8Array(Math.min(kernelBytes, Math.max(at + room, 2 * this.data.length)))
      grown.set(this.data.subarray(0, at))
      this.data = grown
    }
    this.data.fill(0, at, at + room)
    this.length += room
    this.sizes.set(at, n)
    return at
  }

  put(bytes) {
    const at = this.alloc(bytes.length)
    this.data.set(bytes, at)
    return BigInt(at)
  }

  drop(handle) {
    const at = Number(handle)
    const n = this.sizes.get(at)
    if (n === undefined) return
    this.sizes.delete(at)
    const room = roomFor(n)
    if (!this.free.has(room)) this.free.set(room, [])
    this.free.get(room).push(at)
  }

  size(handle) {
    return this.sizes.get(Number(handle)) ?? 0
  }

  /** Returns a block's content, not a copy. */
  bytes(handle) {
    const at = Number(handle)
    const n = this.sizes.get(at)
    return n === undefined ? none : this.data.subarray(at, at + n)
  }

  range(at, n) {
    if (at < 0n || n < 0n || at > BigInt(this.length) || n > BigInt(this.length) - at) {
      end(faults.outside(unsigned(n), unsigned(at)))
    }
    return this.data.subarray(Number(at), Number(at + n))
  }

  load(at, size) {
    const b = this.range(at, size)
    return size === 1n ? b[0] : new DataView(b.buffer, b.byteOffset, 8).getBigUint64(0, true)
  }

  store(at, size, v) {
    const b = this.range(at, size)
    if (size === 1n) b[0] = Number(v) & 255
    else new DataView(b.buffer, b.byteOffset, 8).setBigInt64(0, v, true)
  }

  setVar(name, value) {
    const old = this.vars.get(name)
    let grown = this.room - (old?.length ?? 0) - (old ? name.length : 0)
    if (!value) {
      this.vars.delete(name)
    } else {
      grown += name.length + value.length
      if (grown > kernelVars) end(faults.varsTooLarge())
      this.vars.set(name, value)
    }
    this.room = grown
  }
}

const slices = { first: BigInt(firstSlice), most: BigInt(mostSlice), least: BigInt(firstSlice) / 4n }

/** Counts the fuel and the time of a call. */
class Meter {
  constructor(fuel, limit, words) {
    this.budget = BigInt(fuel)
    this.limit = limit // milliseconds; 0: none
    this.words = words // the limit as people read it
    this.granted = 0n
    this.slice = slices.first
    this.away = 0
    this.begun = this.last = performance.now()
  }

  /** Implements the import tick of the guard, which returns more fuel or ends the call. It never waits. */
  tick(left) {
    this.check()
    const debt = left < 0n ? -left : 0n
    const rest = this.budget - this.granted
    if (rest < debt) {
      end(faults.outOfFuel(this.budget))
    }
    this.adapt()
    const grant = this.slice < rest - debt ? this.slice + debt : rest
    this.granted += grant
    return grant
  }

  adapt() {
    const now = performance.now()
    const took = now - this.last
    if (this.granted === 0n) {
      // The first slice says nothing yet.
    } else if (took < sliceTime / 2) {
      this.slice = this.slice * 2n < slices.most ? this.slice * 2n : slices.most
    } else if (took > sliceTime * 2) {
      this.slice = this.slice / 2n > slices.least ? this.slice / 2n : slices.least
    }
    this.last = now
  }

  check() {
    if (this.limit > 0 && this.left() <= 0) {
      end(faults.tooLate(this.words))
    }
  }

  left() {
    return this.limit > 0 ? this.limit - (performance.now() - this.begun - this.away) : 86_400_000
  }

  /** Waits for ms milliseconds, but ends the call when its time is over. */
  async sleep(ms) {
    const until = performance.now() + ms
    for (;;) { // timers may be early
      this.last = performance.now()
      this.check()
      if (this.last >= until) return
      const rest = Math.min(until - this.last, this.left(), 1 << 30)
      await new Promise((f) => setTimeout(f, Math.ceil(rest)))
    }
  }
}

let asked = 0
const waiting = new Map()

/** Sends golem.wasm a question, and returns a promise of the answer, which comes as a message. */
function ask(question, transfer = []) {
  if (!suspends) cannotSuspend() // before the question has any effect
  const id = ++asked
  postMessage({ ...question, ask: id }, transfer)
  return new Promise((f) => waiting.set(id, f)).then((a) => {
    if (a.ended) {
      call.meter.check() // a call that is too late fails with that, not with the host's fault
      call.atHost = true // golem.wasm keeps the fault
      throw unwound
    }
    return a
  })
}

const oneByOne = new TextDecoder('latin1')

/** Returns bytes as a text with one character for each byte: a module's names need not be UTF-8. */
const characters = (bytes) => oneByOne.decode(bytes)

function log(level) {
  return ['l', '', (at) => {
    const b = box.kernel.bytes(at)
    if (call.logs && b.length && call.lines++ < logLines) postMessage({ log: level, text: b.slice(0, mostLogged) })
    box.kernel.drop(at)
  }]
}

/** The fields of call for input, output and error before the module has set any. inputAt, outputAt and failed are handles. */
const blank = { inputAt: 0n, inputSize: 0n, outputAt: 0n, outputSize: 0n, failed: 0n, said: none }

/** Returns the text of the error that the module set: the block's content at the end of the call or, if the block was freed, its content when it was set. */
function message() {
  if (call.failed === 0n) return none
  const b = box.kernel.sizes.has(Number(call.failed)) ? box.kernel.bytes(call.failed) : call.said
  return b.length ? b.slice(0, mostStderr) : encoder.encode(words.noMessage)
}

/** The imports of extism:host/env: by name the types of parameters and results (i = i32, l = i64), the function, and true if it may wait. */
const extism = {
  alloc: ['l', 'l', (n) => BigInt(box.kernel.alloc(n))],
  free: ['l', '', (at) => {
    if (at === call.inputAt) call.inputSize = 0n
    box.kernel.drop(at)
  }],
  length: ['l', 'l', (at) => BigInt(box.kernel.size(at))],
  length_unsafe: ['l', 'l', (at) => BigInt(box.kernel.size(at))],
  load_u8: ['l', 'i', (at) => box.kernel.load(at, 1n)],
  load_u64: ['l', 'l', (at) => box.kernel.load(at, 8n)],
  store_u8: ['li', '', (at, v) => box.kernel.store(at, 1n, v)],
  store_u64: ['ll', '', (at, v) => box.kernel.store(at, 8n, v)],
  memory_bytes: ['', 'l', () => BigInt(box.kernel.length)],
  reset: ['', '', () => {
    box.kernel.reset()
    Object.assign(call, blank)
  }],

  input_length: ['', 'l', () => call.inputSize],
  input_offset: ['', 'l', () => call.inputAt],
  input_load_u8: ['l', 'i', (at) => inputLoad(at, 1n)],
  input_load_u64: ['l', 'l', (at) => inputLoad(at, 8n)],
  input_set: ['ll', '', (at, n) => {
    box.kernel.range(at, n)
    call.inputAt = at
    call.inputSize = n
  }],
  output_set: ['ll', '', (at, n) => {
    if (n > BigInt(call.outputLimit)) tooMuch()
    box.kernel.range(at, n)
    call.outputAt = at
    call.outputSize = n
  }],
  output_length: ['', 'l', () => call.outputSize],
  output_offset: ['', 'l', () => call.outputAt],

  error_set: ['l', '', (at) => {
    call.failed = at
    call.said = box.kernel.bytes(at).slice(0, mostStderr)
  }],
  error_get: ['', 'l', () => call.failed],
  config_get: ['l', 'l', (key) => {
    const v = call.config.get(decoder.decode(box.kernel.bytes(key)))
    const at = v === undefined ? 0n : box.kernel.put(encoder.encode(v))
    box.kernel.drop(key) // last: some plug-ins free the key, too, and would free a value in the same block
    return at
  }],
  var_get: ['l', 'l', (key) => {
    const v = box.kernel.vars.get(characters(box.kernel.bytes(key)))
    const at = box.kernel.put(v ?? none)
    box.kernel.drop(key)
    return at
  }],
  var_set: ['ll', '', (key, value) => {
    const v = value === 0n ? null : box.kernel.bytes(value).slice()
    box.kernel.setVar(characters(box.kernel.bytes(key)), v)
    box.kernel.drop(key)
    box.kernel.drop(value)
  }],

  http_request: ['ll', 'l', (request, body) => {
    call.status = 0
    call.headers = 0n
    const raw = box.kernel.bytes(request).slice(0, mostAsked)
    const content = body === 0n ? none : box.kernel.bytes(body).slice(0, mostBody)
    return ask({ op: 'http', data: raw, body: content, left: call.meter.left() }, [raw.buffer, ...(content.length ? [content.buffer] : [])]).then((a) => {
      call.meter.check()
      call.status = a.status
      call.headers = box.kernel.put(a.head)
      const at = box.kernel.put(a.data)
      box.kernel.drop(request)
      box.kernel.drop(body)
      return at
    })
  }, true],
  http_status_code: ['', 'i', () => call.status],
  http_headers: ['', 'l', () => call.headers],

  get_log_level: ['', 'i', () => 2],
  log_trace: log('trace'),
  log_debug: log('debug'),
  log_info: log('info'),
  log_warn: log('warn'),
  log_error: log('error'),
}

const extismUser = {
  golem_call: ['ll', 'l', (name, args) => {
    const who = box.kernel.bytes(name).slice(0, mostName)
    const what = box.kernel.bytes(args).slice(0, mostArgs)
    const start = performance.now()
    return ask({ op: 'call', name: who, data: what }).then((a) => {
      call.meter.last = performance.now()
      call.meter.away += call.meter.last - start
      call.meter.check()
      return box.kernel.put(a.data)
    })
  }, true],
}
for (const [name, [takes, gives, answer]] of Object.entries(idle)) {
  extismUser[name] = [takes, gives, () => (gives ? box.kernel.put(encoder.encode(answer)) : undefined)]
}

function inputLoad(at, size) {
  if (at < 0n || size > call.inputSize || at > call.inputSize - size) {
    end(faults.inputOutside(unsigned(at), call.inputSize))
  }
  return box.kernel.load(call.inputAt + at, size)
}

function tooMuch() {
  end(faults.outputTooLarge(call.outputLimit))
}
