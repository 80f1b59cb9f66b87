// Packed projects (.golem), from a file or an address. They are verified and shown before
// anything is written.
import * as store from './store.js'
import { visible } from './diff.jsx'
import { bytes } from './size.js'
import { askYes } from './ask.jsx'
import { count } from './usage.js'

/** The size limit of a packed project, in bytes; the same as in golem. */
const largest = 64 << 20

export const isPack = (name) => /\.golem$/i.test(name)

/** Returns the URL of an address that may be fetched: https, or http of this machine; else null. */
export function address(text) {
  let url
  try {
    url = new URL(text)
  } catch {
    return null
  }
  const own = url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return (url.protocol === 'https:' || own) && !url.username && !url.password ? url : null
}

/** Fetches a packed project once, without cookies; a redirect is an error. */
export async function fetchPack(url) {
  const response = await fetch(url, { redirect: 'error', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' })
    .catch(() => { throw new Error(`${url.host} cannot be reached from a page, redirects, or does not allow other pages to read it (CORS)`) })
  if (!response.ok) throw new Error(`${url.host} answers ${response.status}`)
  const parts = []
  let size = 0
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    if ((size += value.length) > largest) {
      await reader.cancel()
      throw new Error(`it has more than ${bytes(largest)}`)
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

/** Verifies and shows a packed project, and makes a project from it after a yes. called gets its own name and returns the name of the project. */
export async function takePack(called, data) {
  const about = await store.golem.inspectPack(data)
  const name = called(about.name)
  const signed = about.signer ? `It is signed with the key ${about.signer.key} (${visible(about.signer.comment)}).` : 'Nobody signed it: nothing shows who made it.'
  const what = `${visible(`${about.name} ${about.version ?? ''}`.trim())}, ${count(about.files, 'file')}, ${bytes(about.bytes)}, ${about.digest}. ${signed} golem will copy it into this browser as ${visible(name)}. It runs only when you start it, and asks before it reaches beyond its own files.`
  if (!(await askYes('Open this packed project?', what, 'Open it'))) return
  await store.golem.importPack(name, data)
  await store.refresh()
  await store.open(name, 'files')
}
