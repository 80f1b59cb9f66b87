// Open files for WASI. A file is read whole at its first use, and written whole when it is
// closed or synced, or when the call ends well. After a rename an open file has the new name;
// all handles of a file share its content. core/wasmtool/wazeroengine does the same.

/** Returns the shared content of an open file for one more handle. */
function hold(name) {
  let c = box.open.find((o) => !o.gone && o.name === name)
  if (!c) {
    c = { name, data: null, size: 0, dirty: false, gone: false, used: 0 }
    box.open.push(c)
  }
  c.used++
  return c
}

function release(c) {
  if (--c.used) return
  box.open.splice(box.open.indexOf(c), 1)
  box.held -= c.size
}

/** Counts a content's new size; all open files together have a limit. */
function account(c, size) {
  if (box.held + size - c.size > mostHeld) {
    call.heldTooMuch = true
    return E.io
  }
  box.held += size - c.size
  return E.ok
}

/** Reads the content of an open file. It returns null if it is already loaded, else a promise of an error number. */
function load(c) {
  if (c.data) return null
  if (c.gone) return Promise.resolve(E.noent)
  return ask({ op: 'read', name: c.name }).then((a) => {
    const e = a.errno || account(c, a.data.length)
    if (e) return e
    c.data = a.data
    c.size = a.data.length
    return E.ok
  })
}

/** Calls next when the content of an open file is loaded: at once if it is already. */
const loaded = (c, next) => {
  const p = load(c)
  return p ? p.then((e) => e || next()) : next()
}

/** Writes the content of an open file if it has changed. It returns an error number or a promise of one. */
function commit(c) {
  if (!c.dirty || c.gone) return E.ok
  const data = c.data.slice(0, c.size)
  return ask({ op: 'write', name: c.name, data }, [data.buffer]).then((a) => {
    if (!a.errno) c.dirty = false
    return a.errno
  })
}

function resize(c, size) {
  const e = account(c, size)
  if (e) return e
  c.data ??= none
  if (size > c.data.length) {
    const grown = new Uint8Array(Math.min(fileSize, Math.max(size, 2 * c.data.length)))
    grown.set(c.data.subarray(0, c.size))
    c.data = grown
  }
  if (size < c.size) c.data.fill(0, size, c.size)
  c.size = size
  c.dirty = true
  return E.ok
}

const within = (name, dir) => dir === '.' || name === dir || name.startsWith(dir + '/')

/** Marks the open files at or below a name that was removed or replaced: they are not written any more. */
function forget(name) {
  for (const c of box.open) if (within(c.name, name)) c.gone = true
}

/** Renames a file or directory, and the open files in it. It first writes their changes. */
async function move(from, to, slash) {
  for (const c of box.open) {
    const e = within(c.name, from) && await commit(c)
    if (e) return e
  }
  const a = await ask({ op: 'move', from, name: to, slash })
  if (a.errno || from === to) return a.errno
  forget(to)
  for (const c of box.open) if (!c.gone && within(c.name, from)) c.name = to + c.name.slice(from.length)
  return E.ok
}

/** Removes a file or directory: op is unlink or rmdir. */
const remove = (op, fd, at, n) => after(path(op, fd, at, n), (a) => {
  forget(a.name)
  return E.ok
})

/**
 * Returns an iterable of the buffers of an I/O vector, or null if the vector is outside the
 * memory. It reads each entry only when its turn comes, because data that is read may
 * overwrite the vector itself.
 */
function vectors(at, count) {
  const size = (count << 3) >>> 0
  if (!range(at, size)) return null
  return {
    * [Symbol.iterator]() {
      for (let i = at >>> 0; i < (at >>> 0) + size; i += 8) {
        memory()
        yield [box.view.getUint32(i, true), box.view.getUint32(i + 4, true)]
      }
    },
  }
}

/** Implements fd_read and, with an offset, fd_pread. */
function read(fd, iovs, count, result, offset) {
  const f = file(fd)
  if (!f) return E.badf
  const list = vectors(iovs, count)
  if (!list) return E.fault
  if (f.kind === 'dir' || f.kind === 'out' || f.kind === 'err' || f.kind === 'in' && offset !== undefined) {
    for (const [at, n] of list) {
      if (n) return !range(at, n) ? E.fault : f.kind === 'dir' ? E.isdir : E.badf
    }
    return put32(result, 0)
  }
  const fill = () => {
    const c = f.content ?? f // standard input has its own
    let pos = Number(offset ?? f.pos)
    let total = 0
    for (const [at, n] of list) {
      if (!n) continue
      const b = range(at, n)
      if (!b) return E.fault
      if (f.kind === 'file' && !f.read) return E.badf
      if (pos < 0) return E.inval
      const part = c.data.subarray(Math.min(pos, c.size), Math.min(pos + n, c.size))
      b.set(part)
      pos += part.length
      total += part.length
      if (offset === undefined) f.pos += BigInt(part.length)
      if (part.length < n) break
    }
    return put32(result, total)
  }
  for (const [, n] of list) {
    if (n) return f.kind === 'in' ? fill() : loaded(f.content, fill)
  }
  return put32(result, 0)
}

/** Implements fd_write and, with an offset, fd_pwrite. */
function write(fd, iovs, count, result, offset) {
  const f = file(fd)
  if (!f) return E.badf
  const list = vectors(iovs, count)
  if (!list) return E.fault
  if (f.kind === 'out' || f.kind === 'err') {
    let total = 0
    for (const [at, n] of list) {
      const b = range(at, n)
      if (!b) return E.fault
      if (offset !== undefined && n) return E.badf
      call.meter.check() // one call may write millions of times
      if (f.kind === 'out') call.stdout.add(b)
      else call.stderr.add(b)
      total += n
    }
    return put32(result, total)
  }
  if (f.kind !== 'file') {
    for (const [at, n] of list) {
      if (!range(at, n)) return E.fault
      if (n) return f.kind === 'dir' ? E.isdir : E.badf
    }
    return put32(result, 0)
  }
  const take = () => {
    const c = f.content
    let pos = Number(offset)
    let total = 0
    for (const [at, n] of list) {
      const b = range(at, n)
      if (!b) return E.fault
      if (!n) continue
      if (offset === undefined) pos = f.app ? c.size : Number(f.pos)
      if (!f.write) return E.badf
      if (pos < 0 || pos > fileSize || pos + n > fileSize) return E.inval
      const e = pos + n > c.size ? resize(c, pos + n) : E.ok
      if (e) return e
      c.dirty = true
      c.data.set(b, pos)
      pos += n
      total += n
      if (offset === undefined) f.pos = BigInt(pos)
    }
    return put32(result, total)
  }
  return count ? loaded(f.content, take) : put32(result, 0)
}

function truncate(f, size) {
  if (f.kind !== 'file') return f.kind === 'dir' ? E.isdir : E.nosys
  if (!f.write) return E.inval
  return loaded(f.content, () => size < 0n || size > BigInt(fileSize) ? E.inval : resize(f.content, Number(size)))
}

function seek(fd, offset, whence, result) {
  const f = file(fd)
  if (!f) return E.badf
  if (f.kind === 'dir') return E.isdir
  if (f.kind !== 'file') return E.nosys
  return loaded(f.content, () => {
    if (whence >>> 0 > 2) return E.inval
    const to = BigInt.asIntN(64, offset + BigInt([0, f.pos, f.content.size][whence]))
    if (to < 0n) return E.inval
    f.pos = to
    return put64(result, to)
  })
}

/** Returns the state of an open file or directory. It asks golem.wasm by the name; the size is that of the loaded content. */
function statOf(f) {
  const c = f.content
  if (c?.gone) return { errno: E.ok, size: c.size }
  const asked = ask({ op: 'fstat', name: (c ?? f).name || '.', directory: f.kind === 'dir' })
  return asked.then((a) => a.errno ? a : { ...a, size: c?.data ? c.size : a.size })
}

/** Replaces the size in an answer by that of the loaded content, if the file is open. */
function sized(a) {
  const c = box.open.find((o) => !o.gone && o.name === a.name)
  return c?.data ? { ...a, size: c.size } : a
}

function readdir(fd, buf, length, cookie, used) {
  length >>>= 0
  if (length < 24) return E.inval
  const d = file(fd)
  if (d?.kind !== 'dir') return E.badf
  const from = BigInt.asUintN(64, cookie)
  if (from > BigInt(d.entries?.length ?? 0)) return E.noent
  const emit = () => {
    let left = length
    let to = buf >>> 0
    let filled = false
    for (let i = Number(from); i < d.entries.length && !filled && left > 0; i++) {
      const e = d.entries[i]
      const name = encoder.encode(e.name)
      const head = new DataView(new ArrayBuffer(24))
      head.setBigUint64(0, BigInt(i + 1), true)
      head.setBigUint64(8, BigInt(e.inode), true)
      head.setUint32(16, name.length, true)
      head.setUint32(20, e.dir ? 3 : 4, true)
      filled = 24 + name.length > left
      const part = filled && left < 24 ? left : filled ? 24 : 24 + name.length
      const b = range(to, part)
      if (!b) return E.fault
      if (part >= 24) {
        b.set(new Uint8Array(head.buffer))
        if (!filled) b.set(name, 24)
      }
      to += part
      left -= part
    }
    return put32(used, filled ? length : length - left)
  }
  if (from > 0n) return emit()
  return ask({ op: 'readdir', name: d.name || '.' }).then((a) => {
    if (a.errno) return a.errno
    d.entries = [{ name: '.', inode: a.inode, dir: true }, { name: '..', inode: 0, dir: true }, ...a.entries]
    return emit()
  })
}

function open(dir, at, n, oflags, rights, fdflags, result) {
  const more = { oflags: oflags & 0xffff, fdflags: fdflags & 0xffff, rights: Number(BigInt.asUintN(32, rights)), open: openFiles(), empty: n === 0 }
  return after(path('open', dir, at, n, more), (a) => {
    let entry = { kind: 'dir', name: a.name }
    if (!a.dir) {
      const content = hold(a.name)
      entry = { kind: 'file', content, read: a.read, write: a.write, app: a.app, nonblock: (fdflags & 4) !== 0, pos: 0n }
      if (a.empty) {
        resize(content, 0)
        content.dirty = !a.made // a new file is there already
      }
    }
    const fd = insert(entry)
    if (fd < 0) return E.badf
    const e = put32(result, fd)
    return e ? after(close(fd), () => e) : E.ok
  })
}

function close(fd) {
  const f = box.files[fd]
  if (!f) return E.badf
  box.files[fd] = undefined
  if (f.kind !== 'file' || f.closed) return E.ok
  const e = commit(f.content)
  if (typeof e === 'number') {
    release(f.content)
    return e
  }
  return e.finally(() => release(f.content))
}

function sync(fd) {
  const f = file(fd)
  if (!f) return E.badf
  return f.kind === 'file' ? commit(f.content) : E.ok
}
