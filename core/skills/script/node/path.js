// Node's package path, for paths with slashes.
export const sep = '/', delimiter = ':'

export function normalize(path) {
  const absolute = path.startsWith('/')
  const parts = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop()
    else if (part !== '..' || !absolute) parts.push(part)
  }
  return (absolute ? '/' : '') + parts.join('/') || (absolute ? '/' : '.')
}

export const SEPARATOR = sep
export const isAbsolute = (path) => path.startsWith('/')
export const join = (...parts) => normalize(parts.filter((p) => p !== '').join('/') || '.')

export function resolve(...parts) {
  let path = ''
  for (const part of ['/', ...parts]) path = isAbsolute(part) ? part : path + '/' + part
  return normalize(path)
}

export function dirname(path) {
  const at = path.replace(/\/+$/, '').lastIndexOf('/')
  return at < 0 ? '.' : path.slice(0, at) || '/'
}

export function basename(path, suffix = '') {
  const base = path.replace(/\/+$/, '').split('/').pop()
  return suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base
}

export function extname(path) {
  const base = basename(path), at = base.lastIndexOf('.')
  return at > 0 ? base.slice(at) : ''
}

export function relative(from, to) {
  const a = resolve(from).split('/').filter(Boolean), b = resolve(to).split('/').filter(Boolean)
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same++
  return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/')
}

export function parse(path) {
  const base = basename(path), ext = extname(path)
  return {root: isAbsolute(path) ? '/' : '', dir: dirname(path) === '.' ? '' : dirname(path), base, ext, name: base.slice(0, base.length - ext.length)}
}

export const fromFileUrl = (url) => decodeURIComponent(String(url).replace(/^file:\/\//, ''))
export const toFileUrl = (path) => ({href: 'file://' + path, pathname: path, toString: () => 'file://' + path})

const path = {fromFileUrl, toFileUrl, sep, delimiter, normalize, isAbsolute, join, resolve, dirname, basename, extname, relative, parse}
path.posix = path
export default path
