// The part of Node's package fs that scripts of skills use. Paths below /skill are the files of
// the skill, which nobody can write; all others are the files of the worker.
import {resolve} from './path.js'

const {call, files} = golem
const root = '/skill/'

// bytesOf encodes a text as UTF-8. The result's toString is the text, as that of a Buffer is.
function bytesOf(text) {
  const out = []
  for (const c of text) {
    const code = c.codePointAt(0)
    if (code < 0x80) out.push(code)
    else if (code < 0x800) out.push(0xc0 | code >> 6, 0x80 | code & 63)
    else if (code < 0x10000) out.push(0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63)
    else out.push(0xf0 | code >> 18, 0x80 | code >> 12 & 63, 0x80 | code >> 6 & 63, 0x80 | code & 63)
  }
  return withText(new Uint8Array(out), () => text)
}

const withText = (bytes, text) => Object.defineProperty(bytes, 'toString', {value: text})
const encodingOf = (options) => (typeof options === 'string' ? options : options && options.encoding)
const textOf = (data) => (typeof data === 'string' || data instanceof Uint8Array ? data : String(data))

function missing(operation, path) {
  const e = new Error(`ENOENT: no such file or directory, ${operation} '${path}'`)
  e.code = 'ENOENT'
  return e
}

// inSkill returns the name of a path in the skill's directory; undefined for other paths.
const inSkill = (path) => (path === '/skill' ? '.' : path.startsWith(root) ? path.slice(root.length) : undefined)

function own(name, operation, path) {
  const found = call('file', {name})
  if (found.missing) throw missing(operation, path)
  return found
}

export function readFileSync(path, options) {
  const at = resolve(String(path)), name = inSkill(at)
  if (name !== undefined) {
    const {text} = own(name, 'open', at)
    return encodingOf(options) ? text : bytesOf(text)
  }
  if (!files.exists(at)) throw missing('open', at)
  return encodingOf(options) ? files.read(at) : withText(files.readBytes(at), () => files.read(at))
}

function changing(path) {
  const at = resolve(String(path))
  if (inSkill(at) !== undefined) throw new Error(`EROFS: ${at} is a file of the skill, which a script cannot change`)
  return at
}

export function writeFileSync(path, data) {
  files.write(changing(path), textOf(data))
}

export function appendFileSync(path, data) {
  const at = changing(path)
  files.write(at, (files.exists(at) ? files.read(at) : '') + textOf(data))
}

export function existsSync(path) {
  const at = resolve(String(path)), name = inSkill(at)
  return name === undefined ? files.exists(at) : !call('file', {name, look: true}).missing
}

export function statSync(path) {
  const at = resolve(String(path)), name = inSkill(at)
  const info = name === undefined ? files.info(at) : own(name, 'stat', at).info
  if (!info) throw missing('stat', at)
  const directory = info.kind === 'directory'
  return {size: info.size, isFile: () => !directory, isDirectory: () => directory, isSymbolicLink: () => false}
}

export function readdirSync(path, options) {
  const at = resolve(String(path)), name = inSkill(at)
  const names = name === undefined ? files.list(at).map((n) => n.replace(/\/$/, '')) : own(name, 'scandir', at).names
  if (!(options && options.withFileTypes)) return names
  return names.map((n) => ({name: n, parentPath: at, ...statSync(resolve(at, n))}))
}

export function mkdirSync(path) {
  const at = changing(path)
  if (!files.exists(at)) files.makeDirectory(at)
}

export function unlinkSync(path) {
  files.remove(changing(path))
}

export function rmSync(path, options) {
  const at = changing(path)
  if (!files.exists(at)) {
    if (options && options.force) return
    throw missing('rm', at)
  }
  if (options && options.recursive && statSync(at).isDirectory()) for (const name of readdirSync(at)) rmSync(resolve(at, name), options)
  files.remove(at)
}

export function accessSync(path) {
  if (!existsSync(path)) throw missing('access', path)
}

export const lstatSync = statSync
const promised = (f) => async (...args) => f(...args)
export const promises = {
  readFile: promised(readFileSync), writeFile: promised(writeFileSync), appendFile: promised(appendFileSync), stat: promised(statSync), lstat: promised(statSync),
  readdir: promised(readdirSync), mkdir: promised(mkdirSync), unlink: promised(unlinkSync), rm: promised(rmSync), access: promised(accessSync),
}
export const {readFile, writeFile, appendFile, stat, lstat, readdir, mkdir, unlink, rm, access} = promises
export const constants = {F_OK: 0, R_OK: 4, W_OK: 2}
export default {
  readFileSync, writeFileSync, appendFileSync, existsSync, statSync, lstatSync, readdirSync, mkdirSync, unlinkSync, rmSync, accessSync, promises, constants,
  readFile, writeFile, appendFile, stat, lstat, readdir, mkdir, unlink, rm, access,
}
