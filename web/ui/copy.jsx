// A button that copies a text to the clipboard, and shows whether that worked.
import { useState } from 'preact/hooks'
import { Icon } from './icons.jsx'

/** @param {{text: () => string, name: string}} props name says what is copied, as in "copy the answer" */
export function Copy({ text, name }) {
  const [done, setDone] = useState('')
  const put = () => Promise.resolve().then(() => navigator.clipboard.writeText(text())).then(() => setDone('copied'), () => setDone('not copied: the browser does not allow it'))
  return (
    <button type="button" class="button quiet square copy" aria-label={`copy ${name}${done && `, ${done}`}`} title={done || `copy ${name}`} onClick={put} onBlur={() => setDone('')}>
      <Icon name={done === 'copied' ? 'check' : 'copy'} />
    </button>
  )
}
