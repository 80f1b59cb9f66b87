// Fetches a tool module from an address, with the limits and the messages of golem tool add.
import { visible } from './diff.jsx'

/** The size limit of a module, in bytes; the same as in golem. */
export const largest = 32 << 20

/** Returns an error with a code and a hint, like those of golem. */
export const fault = (code, message, hint) => Object.assign(new Error(message), { code, hint })

const byHand = 'download the file, and choose it here as a file of this computer'

/** Fetches a module, without cookies. A redirect is an error, because a page cannot see where it leads before the browser follows it. */
export async function fetchModule(url, signal) {
  const late = AbortSignal.timeout(300_000)
  const failed = (e) => {
    signal.throwIfAborted()
    throw late.aborted ? fault('E_TIMEOUT', 'the module was not fetched within 5m0s') : e.code && typeof e.code === 'string' ? e
      : fault('E_NETWORK', `${url.host} cannot be reached, or does not let other pages read the file (CORS)`, byHand)
  }
  try {
    const response = await fetch(url, { redirect: 'manual', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', signal: AbortSignal.any([signal, late]) })
    if (response.type === 'opaqueredirect') throw fault('E_NETWORK', `${url.host} redirects, and a page cannot see where to`, `use the last address, or ${byHand}`)
    if (response.status !== 200) throw fault('E_NETWORK', `${url.host} answers ${response.status} ${visible(response.statusText)}`.trim(), 'check the address')
    const data = await whole(response, url.host)
    if (new TextDecoder('latin1').decode(data.subarray(0, 4)) === '\0asm') return data
    const kind = response.headers.get('Content-Type')
    throw fault('E_TOOL_MODULE', `what ${url.host} sent${kind ? ` (${visible(kind)})` : ''} is not a WebAssembly module`, 'use the address of the .wasm file itself')
  } catch (e) {
    return failed(e)
  }
}

async function whole(response, host) {
  const parts = []
  let size = 0
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read()
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer())
    parts.push(value)
    if ((size += value.length) > largest) {
      await reader.cancel()
      throw fault('E_NETWORK', `the answer of ${host} has more than ${largest} bytes`)
    }
  }
}
