// Shows a file that is too large for the editor: its beginning, and more on request.
import { useEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { bytes } from './size.js'

/** The size in bytes above which a file cannot be edited in the page. */
export const LARGE = 1 << 20
const PART = 256 << 10

export function Part({ path, size }) {
  const decoder = useRef(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }))
  const [parts, setParts] = useState([])
  const [at, setAt] = useState(0)
  const [text, setText] = useState(true)
  const more = () => store.attempt(`reading ${path}`, async () => {
    const data = await store.golem.files(store.project.value).read(path, { from: at, size: PART })
    setAt(data.length ? at + data.length : size)
    try {
      const next = decoder.current.decode(data, { stream: true })
      if (next.includes('\0')) throw new TypeError('not text')
      setParts([...parts, next])
    } catch {
      setText(false)
    }
  })
  useEffect(() => void more(), [])
  if (!text) return <p class="empty">This file is not UTF-8 text ({bytes(size)}). Download it to open it.</p>
  return (
    <>
      <div class="scroll grow part" tabIndex={0} role="region" aria-label={`text of ${path}`}>{parts.map((p, i) => <pre key={i}>{p}</pre>)}</div>
      <p class="row note small" role="status">
        <span class="grow">{visible(path)} has {bytes(size)}, and is shown in parts: {bytes(at)} so far. It cannot be edited here.</span>
        {at < size && <button class="button small" onClick={more}>Show more</button>}
      </p>
    </>
  )
}
