// WASI preview 1, with the same behaviour as wazero's, over files that golem.wasm reads and
// writes (files.js). Links are neither shown nor made.

const memory = () => {
  const { buffer } = box.memory
  if (box.bytes?.buffer !== buffer) {
    box.bytes = new Uint8Array(buffer)
    box.view = new DataView(buffer)
  }
  return box.bytes
}

/** Returns n bytes of the module's memory at an address, not a copy, or null if they are outside. */
const range = (at, n) => {
  const m = memory()
  at >>>= 0
  n >>>= 0
  return at + n <= m.length ? m.subarray(at, at + n) : null
}

const put32 = (at, v) => range(at, 4) ? (box.view.setUint32(at >>> 0, v, true), E.ok) : E.fault
const put64 = (at, v) => range(at, 8) ? (box.view.setBigUint64(at >>> 0, BigInt.asUintN(64, v), true), E.ok) : E.fault

const clock = () => call.clock === null ? 1_000_000_000n : call.clock + BigInt(Math.round((performance.now() - call.meter.begun) * 1e6))

const file = (fd) => box.files[fd]?.closed ? undefined : box.files[fd]

function insert(entry) {
  let fd = 0
  while (box.files[fd]) fd++
  if (fd >= descriptors) return -1
  box.files[fd] = entry
  return fd
}

const openFiles = () => box.files.reduce((n, f) => n + (f && !f.closed && (f.kind === 'file' || f.kind === 'dir' && !f.preopen) ? 1 : 0), 0)

/** Asks golem.wasm for an operation on a path, relative to the descriptor dir. */
function path(op, dir, at, n, more = {}) {
  const name = range(at, n)
  if (!name) return E.fault
  const f = file(dir)
  const wrong = !f ? E.badf : f.kind === 'dir' ? 0 : E.notdir
  return ask({ op, data: name.slice(), dir: f?.preopen ? '' : f?.name ?? '', wrong, ...more })
}

/** Calls next with an answer, or a promise of one, unless the answer is an error number or has one; then it returns that. */
const after = (answer, next) => {
  if (typeof answer === 'number') return answer || next(answer)
  return answer instanceof Promise ? answer.then((a) => after(a, next)) : answer.errno || next(answer)
}

function filestat(at, type, a) {
  const b = range(at, 64)
  if (!b) return E.fault
  const v = new DataView(b.buffer, b.byteOffset, 64)
  b.fill(0)
  v.setBigUint64(0, type === 1 ? 0n : 1n, true)
  v.setBigUint64(8, a.inode ? BigInt(a.inode) : 0n, true)
  v.setBigUint64(16, BigInt(type), true)
  v.setBigUint64(24, 1n, true)
  v.setBigUint64(32, BigInt(a.size ?? 0), true)
  v.setBigUint64(40, BigInt.asUintN(64, BigInt(a.accessed ?? 0)), true)
  for (const i of [48, 56]) v.setBigUint64(i, BigInt.asUintN(64, BigInt(a.modified ?? 0)), true)
  return E.ok
}

function stringList(list, at, buf) {
  const all = list.map((s) => encoder.encode(s + '\0'))
  const total = all.reduce((n, b) => n + b.length, 0)
  if (!range(at, list.length * 4) || !range(buf, total)) return E.fault
  let to = buf >>> 0
  all.forEach((b, i) => {
    put32((at >>> 0) + 4 * i, to)
    range(to, b.length).set(b)
    to += b.length
  })
  return E.ok
}

const sizes = (list, count, size) => put32(count, list.length) || put32(size, list.reduce((n, s) => n + encoder.encode(s).length + 1, 0))

/** Implements random_get. Some random bytes came with the call; golem.wasm gives more. */
function random(at, n) {
  const b = range(at, n)
  if (!b) return E.fault
  if (!call.chance) {
    b.fill(0)
    return E.ok
  }
  if (n >>> 0 > call.chance.length) return more(at, n >>> 0)
  b.set(call.chance.subarray(0, n >>> 0))
  call.chance = call.chance.subarray(n >>> 0)
  return E.ok
}

async function more(at, n) {
  for (let done = 0; done < n;) {
    const size = Math.min(randomPart, n - done)
    const { data } = await ask({ op: 'random', size })
    range((at >>> 0) + done, size).set(data)
    done += size
    call.meter.check()
  }
  return E.ok
}

function poll(from, to, count, result) {
  count >>>= 0
  if (!count) return E.inval
  const given = range(from, Math.imul(count, 48))
  const out = range(to, Math.imul(count, 32))
  if (!given || !out || given.length < count * 48) return E.fault
  const subs = given.slice() // a copy: the module may have made the two ranges overlap
  out.fill(0)
  if (put32(result, count)) return E.fault
  const v = new DataView(subs.buffer)
  let timeout = (1n << 63n) - 1n
  let events = 0
  const input = []
  const event = (i, type, e) => {
    out.set(subs.subarray(i * 48, i * 48 + 8), events * 32)
    out[events * 32 + 8] = e
    out[events * 32 + 10] = type
    events++
  }
  for (let i = 0; i < count; i++) {
    const type = subs[i * 48 + 8]
    const fd = v.getInt32(i * 48 + 16, true)
    if (type === 0) {
      const flags = v.getUint16(i * 48 + 40, true)
      if (flags) return flags === 1 ? E.notsup : E.inval
      const t = v.getBigInt64(i * 48 + 24, true)
      if (t < timeout) timeout = t
      event(i, type, 0)
    } else if (type === 1) {
      if (fd < 0) return E.badf
      if (!file(fd)) event(i, type, E.badf)
      else if (fd && file(fd).nonblock) event(i, type, 0)
      else input.push(i)
    } else if (type === 2) {
      if (fd < 0) return E.badf
      event(i, type, file(fd) ? E.notsup : E.badf)
    } else {
      return E.inval
    }
  }
  if (events === count) {
    if (timeout <= 0n) return E.ok
    return call.meter.sleep(Number(timeout) / 1e6).then(() => E.ok)
  }
  if (!file(0)) return E.badf
  for (const i of input) event(i, 1, 0)
  return E.ok
}

const fileRights = 0x1ffn | 1n << 21n | 1n << 22n | 1n << 23n | 1n << 27n
const dirRights = [0n, 3n, 4n, 9n, 10n, 11n, 12n, 13n, 14n, 15n, 16n, 17n, 18n, 19n, 20n, 21n, 23n, 24n, 25n, 26n].reduce((r, b) => r | 1n << b, 0n)
const types = { dir: 3, file: 4 } // all others are block devices (1)

function fdstat(fd, at) {
  const b = range(at, 24)
  if (!b) return E.fault
  const f = file(fd)
  if (!f) return E.badf
  const v = new DataView(b.buffer, b.byteOffset, 24)
  v.setUint16(0, types[f.kind] ?? 1, true)
  v.setUint16(2, (f.app ? 1 : 0) | (f.nonblock ? 4 : 0), true)
  v.setUint32(4, 0, true)
  v.setBigUint64(8, f.kind === 'dir' ? dirRights : fileRights, true)
  v.setBigUint64(16, f.kind === 'dir' ? dirRights | fileRights : 0n, true)
  return E.ok
}

function setFlags(fd, flags) {
  if (flags & (2 | 8 | 16)) return E.inval
  const f = file(fd)
  if (!f) return E.badf
  if (f.kind === 'dir') return E.isdir
  if (f.kind !== 'file') return flags & 4 ? E.nosys : E.ok
  f.app = (flags & 1) !== 0
  f.nonblock = (flags & 4) !== 0
  return E.ok
}

function fdFilestat(fd, at) {
  if (!range(at, 64)) return E.fault
  const f = file(fd)
  if (!f) return E.badf
  if (f.kind !== 'dir' && f.kind !== 'file') return filestat(at, 1, {})
  return after(statOf(f), (a) => filestat(at, types[f.kind], a))
}

function allocate(fd, offset, n) {
  const f = file(fd)
  if (!f) return E.badf
  const tail = BigInt.asIntN(64, offset + n)
  if (tail < 0n) return E.inval
  if (f.kind !== 'dir' && f.kind !== 'file') return tail === 0n ? E.ok : E.nosys
  return after(statOf(f), (a) => BigInt(a.size) >= tail ? E.ok : truncate(f, tail))
}

/** Moves a descriptor to another number. What has that number is closed first. */
function renumber(from, to) {
  if (to >= descriptors) end(faults.descriptorTooLarge())
  const f = box.files[from]
  if (!f || to < 0) return E.badf
  if (f.preopen || box.files[to]?.preopen) return E.notsup
  return after(box.files[to] ? after(close(to), () => E.ok) : E.ok, () => {
    box.files[from] = undefined
    box.files[to] = from === to ? { kind: f.kind, closed: true } : f
    return E.ok
  })
}

/** Returns the times that the flags of a call ask for, as golem.wasm takes them, or null if they ask for a given time and for now at once. */
function times(flags, atim, mtim) {
  if ((flags & 3) === 3 || (flags & 12) === 12) return null
  const now = flags & 10 ? clock() : 0n
  const of = (set, given) => set & 1 ? given : set & 2 ? now : undefined
  return { accessed: of(flags, atim)?.toString(), modified: of(flags >> 2, mtim)?.toString() }
}

/** Implements fd_filestat_set_times. Changes of the file are written first. */
function setFileTimes(fd, atim, mtim, flags) {
  const f = file(fd)
  if (!f) return E.badf
  const t = times(flags, atim, mtim)
  if (!t) return E.inval
  if (f.kind !== 'dir' && f.kind !== 'file') return E.nosys
  if (f.content?.gone) return E.ok
  return after(f.content ? commit(f.content) : E.ok, () => after(ask({ op: 'ftimes', name: (f.content ?? f).name || '.', ...t }), () => E.ok))
}

/** Implements path_filestat_set_times. Without following links, wazero opens the file for writing. */
function setTimes(dir, follow, at, n, atim, mtim, flags) {
  const t = times(flags, atim, mtim)
  if (!t) return E.inval
  const found = follow & 1 ? path('at', dir, at, n) : path('open', dir, at, n, { oflags: 0, fdflags: 0, rights: 64, open: openFiles(), empty: false })
  return after(found, (a) => {
    const c = box.open.find((o) => !o.gone && o.name === a.name)
    return after(c ? commit(c) : E.ok, () => after(path('times', dir, at, n, t), () => E.ok))
  })
}

function prestat(fd, at) {
  const f = file(fd)
  if (!f || f.kind === 'file' || f.kind === 'dir' && !f.preopen) return E.badf
  return put64(at, f.preopen ? 1n << 32n : 0n)
}

function prestatName(fd, at, n) {
  const f = file(fd)
  if (!f || f.kind === 'file' || f.kind === 'dir' && !f.preopen) return E.badf
  const name = f.preopen ? '/' : ''
  if (name.length < n >>> 0) return E.nametoolong
  const b = range(at, n)
  if (!b) return E.fault
  if (b.length) b[0] = 47
  return E.ok
}

function symlink(from, fromLength, fd, to, toLength) {
  const d = file(fd)
  if (!d) return E.badf
  if (d.kind !== 'dir') return E.notdir
  if (!fromLength || !toLength) return E.inval
  if (!range(from, fromLength)) return E.fault
  return after(path('at', fd, to, toLength), () => E.nosys)
}

function readlink(fd, at, n, buf, length) {
  if (!n || !length) return E.inval
  return after(path('stat', fd, at, n), () => E.inval)
}

/** The imports of wasi_snapshot_preview1: by name the types of parameters and results, the function, and true if it may wait. */
const wasi = {
  args_get: ['ii', 'i', (at, buf) => stringList(call.args, at, buf)],
  args_sizes_get: ['ii', 'i', (count, size) => sizes(call.args, count, size)],
  environ_get: ['ii', 'i', (at, buf) => stringList([], at, buf)],
  environ_sizes_get: ['ii', 'i', (count, size) => sizes([], count, size)],
  clock_res_get: ['ii', 'i', (id, at) => id === 0 || id === 1 ? put64(at, 1000n) : E.inval],
  clock_time_get: ['ili', 'i', (id, _, at) => id === 0 || id === 1 ? put64(at, clock()) : E.inval],
  random_get: ['ii', 'i', random, true],
  sched_yield: ['', 'i', () => E.ok],
  proc_exit: ['i', '', (code) => {
    call.exited = true
    call.code = code
    throw unwound
  }],
  proc_raise: ['i', 'i', () => E.nosys],
  poll_oneoff: ['iiii', 'i', poll, true],

  fd_advise: ['illi', 'i', (fd, _, __, advice) => !file(fd) ? E.badf : (advice & 255) > 5 ? E.inval : E.ok],
  fd_allocate: ['ill', 'i', allocate, true],
  fd_close: ['i', 'i', close, true],
  fd_datasync: ['i', 'i', sync, true],
  fd_sync: ['i', 'i', sync, true],
  fd_fdstat_get: ['ii', 'i', fdstat],
  fd_fdstat_set_flags: ['ii', 'i', setFlags],
  fd_fdstat_set_rights: ['ill', 'i', () => E.nosys],
  fd_filestat_get: ['ii', 'i', fdFilestat, true],
  fd_filestat_set_size: ['il', 'i', (fd, size) => file(fd) ? truncate(file(fd), size) : E.badf, true],
  fd_filestat_set_times: ['illi', 'i', setFileTimes, true],
  fd_pread: ['iiili', 'i', (fd, iovs, count, offset, result) => read(fd, iovs, count, result, offset), true],
  fd_pwrite: ['iiili', 'i', (fd, iovs, count, offset, result) => write(fd, iovs, count, result, offset), true],
  fd_read: ['iiii', 'i', (fd, iovs, count, result) => read(fd, iovs, count, result), true],
  fd_write: ['iiii', 'i', (fd, iovs, count, result) => write(fd, iovs, count, result), true],
  fd_prestat_get: ['ii', 'i', prestat],
  fd_prestat_dir_name: ['iii', 'i', prestatName],
  fd_readdir: ['iiili', 'i', readdir, true],
  fd_renumber: ['ii', 'i', renumber, true],
  fd_seek: ['ilii', 'i', seek, true],
  fd_tell: ['ii', 'i', (fd, result) => seek(fd, 0n, 1, result), true],

  path_create_directory: ['iii', 'i', (fd, at, n) => after(path('mkdir', fd, at, n), () => E.ok), true],
  path_filestat_get: ['iiiii', 'i', (fd, _, at, n, result) => after(path('stat', fd, at, n), (a) => filestat(result, a.dir ? 3 : 4, sized(a))), true],
  path_filestat_set_times: ['iiiilli', 'i', setTimes, true],
  path_link: ['iiiiiii', 'i', (fd, _, at, n, toFd, to, toN) => after(path('at', fd, at, n), () => after(path('at', toFd, to, toN), () => E.nosys)), true],
  path_open: ['iiiiillii', 'i', (fd, _, at, n, oflags, rights, __, fdflags, result) => open(fd, at, n, oflags, rights, fdflags, result), true],
  path_readlink: ['iiiiii', 'i', readlink, true],
  path_remove_directory: ['iii', 'i', (fd, at, n) => remove('rmdir', fd, at, n), true],
  path_rename: ['iiiiii', 'i', (fd, at, n, toFd, to, toN) => after(path('at', fd, at, n), (a) => after(path('at', toFd, to, toN), (b) => move(a.name, b.name, a.slash || b.slash))), true],
  path_symlink: ['iiiii', 'i', symlink, true],
  path_unlink_file: ['iii', 'i', (fd, at, n) => remove('unlink', fd, at, n), true],

  sock_accept: ['iii', 'i', () => E.badf],
  sock_recv: ['iiiiii', 'i', () => E.badf],
  sock_send: ['iiiii', 'i', () => E.badf],
  sock_shutdown: ['ii', 'i', () => E.badf],
}
