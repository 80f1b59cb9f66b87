// The functions of the package fs of Deno's standard library that scripts of skills use.
import * as fs from './fs.js'
import {resolve, basename, extname} from './path.js'

export async function exists(path) { return fs.existsSync(path) }
export const existsSync = fs.existsSync
export async function ensureDir(path) { fs.mkdirSync(path) }
export const ensureDirSync = fs.mkdirSync
export async function ensureFile(path) { if (!fs.existsSync(path)) fs.writeFileSync(path, '') }

export function* walkSync(root, {maxDepth = Infinity, includeFiles = true, includeDirs = true, exts, match, skip} = {}) {
  const info = fs.statSync(root), directory = info.isDirectory()
  const fits = (!exts || exts.some((e) => extname(root) === (e.startsWith('.') ? e : '.' + e))) && (!match || match.some((m) => m.test(root)))
  if (skip && skip.some((s) => s.test(root))) return
  if (fits && (directory ? includeDirs : includeFiles)) yield {path: root, name: basename(root), isFile: !directory, isDirectory: directory, isSymlink: false}
  if (!directory || maxDepth < 1) return
  for (const name of fs.readdirSync(root)) yield* walkSync(root.replace(/\/$/, '') + '/' + name, {maxDepth: maxDepth - 1, includeFiles, includeDirs, exts, match, skip})
}
export async function* walk(root, options) { yield* walkSync(root, options) }
export const copy = async (from, to) => fs.writeFileSync(resolve(to), fs.readFileSync(from))
