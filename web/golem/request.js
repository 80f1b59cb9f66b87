// The forms in which golem.js sends what a page gave it to the web worker.
import { isBytes } from './link.js'

const plain = ({ approve, artifact, attachments, inputs, signal, ...rest }) => rest

/** Returns the options of a method and what the page provides, as the web worker takes them. */
export const given = (options, listed) => ({ options: plain(options), lent: { ...listed, device: 'LanguageModel' in globalThis } })

/** Returns the parameters of a run, and the contents of its attachments. */
export function started({ attachments = [], ...options }, listed, rest) {
  return {
    params: { ...given(options, listed), ...rest, headless: !options.approve, artifacts: !!options.artifact, attachments: attachments.map((a) => a.name) },
    bytes: attachments.length ? attachments.map((a) => a.data) : undefined,
  }
}

/** Returns files by path as texts, and the names and contents of all others. */
export function parted(files) {
  const all = Object.entries(files)
  const data = all.filter(([, v]) => typeof v !== 'string')
  return { texts: Object.fromEntries(all.filter(([, v]) => typeof v === 'string')), names: data.map(([path]) => path), bytes: data.map(([, v]) => v) }
}

/** Returns the names and contents of a library: a zip, or files by path. */
export const library = (files) => (isBytes(files) ? { names: [], bytes: files } : { names: Object.keys(files ?? {}), bytes: Object.values(files ?? {}) })
