// The part of Node's package fs that scripts of skills use. Paths below /skill are the files of
// the skill, which nobody can write; all others are the files of the worker.
import {encode} from './text.js'
import {resolve} from './path.js'

const {call, files} = golem
const root = '/skill/'

// bytesOf encodes a text. The result's toString is the text, as that of a Buffer is.
const bytesOf = (text) => withText(encode(text), () => text)

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
  const at = resolve(String(path).replace(/^file:\/\//, '')), name = inSkill(at)
  if (name !== undefined) {
    const {text} = own(name, 'open', at)
    return encodingOf(options) ? text : bytesOf(text)
  }
  if (!files.exists(at)) throw missing('open', at)
  return encodingOf(options) ? files.read(at) : withText(files.readBytes(at), () => files.read(at))
}

function changing(path) {
  const at = resolve(String(path).replace(/^file:\/\//, ''))
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
  const at = resolve(String(path).replace(/^file:\/\//, '')), name = inSkill(at)
  return name === undefined ? files.exists(at) : !call('file', {name, look: true}).missing
}

export function statSync(path) {
  const at = resolve(String(path).replace(/^file:\/\//, '')), name = inSkill(at)
  const info = name === undefined ? files.info(at) : own(name, 'stat', at).info
  if (!info) throw missing('stat', at)
  const directory = info.kind === 'directory'
  return {size: info.size, isFile: () => !directory, isDirectory: () => directory, isSymbolicLink: () => false}
}

export function readdirSync(path, options) {
  const at = resolve(String(path).replace(/^file:\/\//, '')), name = inSkill(at)
  const names = name === undefined ? files.list(at).map((n) => n.replace(/\/$/, '')) : own(name, 'scandir', at).names
  if (!(options && options.withFileTypes)) return names
  return names.map((n) => ({name: n, parentPath: at, ...statSync(resolve(at, n))}))
}

// mkdirSync makes a directory with those above it, whether or not options.recursive says so.
export function mkdirSync(path) {
  let at = ''
  for (const part of changing(path).split('/').filter(Boolean)) {
    at += '/' + part
    if (!files.exists(at)) files.makeDirectory(at)
  }
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

export const copyFileSync = (from, to) => writeFileSync(to, readFileSync(from))

export function renameSync(from, to) {
  copyFileSync(from, to)
  unlinkSync(from)
}

export function accessSync(path) {
  if (!existsSync(path)) throw missing('access', path)
}

export const lstatSync = statSync
const promised = (f) => async (...args) => f(...args)
export const promises = {
  readFile: promised(readFileSync), writeFile: promised(writeFileSync), appendFile: promised(appendFileSync), stat: promised(statSync), lstat: promised(statSync),
  readdir: promised(readdirSync), mkdir: promised(mkdirSync), unlink: promised(unlinkSync), copyFile: promised(copyFileSync), rename: promised(renameSync), rm: promised(rmSync), access: promised(accessSync),
}
export const {readFile, writeFile, appendFile, stat, lstat, readdir, mkdir, unlink, copyFile, rename, rm, access} = promises
export const constants = {F_OK: 0, R_OK: 4, W_OK: 2}
export default {
  readFileSync, writeFileSync, appendFileSync, existsSync, statSync, lstatSync, readdirSync, mkdirSync, unlinkSync, copyFileSync, renameSync, rmSync, accessSync, promises, constants,
  readFile, writeFile, appendFile, stat, lstat, readdir, mkdir, unlink, copyFile, rename, rm, access,
}
