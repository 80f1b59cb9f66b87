// The page's own questions to a person: for a text, or for a yes. If a yes would lose
// something, the button No has the focus. Escape is no.
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { framed, tell } from './state.js'

const open = signal(null)
let count = 0

const put = (question) => new Promise((resolve) => {
  open.value?.answer(null) // an older question is answered with no
  open.value = { key: ++count, ...question, answer: (a) => { open.value = null; resolve(a) } }
})

/** Asks for a text. Resolves to the trimmed text, or null if the person cancels; the browser refuses an empty one. */
export const askText = (title, rest) => put({ title, text: true, action: 'OK', ...rest }).then((v) => v?.trim() || null)

/** Asks for a text and for one of choices {label, rows: [{name, about}]}. Resolves to {text, choice} or null. */
export const askChoice = (title, rest) => put({ title, text: true, action: 'OK', ...rest }).then((v) => v?.text.trim() ? { ...v, text: v.text.trim() } : null)

/** Asks a yes-or-no question. Resolves to true for yes; inside another page, which could steal the click, to false (SECURITY 23). */
export const askYes = (title, why, action, danger = false) => (framed ? refuse(title) : put({ title, why, action, danger }).then((v) => v !== null))

/** Does what askYes does, with a view of what the yes is about. The button No has the focus. */
export const askMore = (title, more, action) => (framed ? refuse(title) : put({ title, more, action, danger: true }).then((v) => v !== null))

function refuse(title) {
  tell(`${title} golem asks nothing inside another page: open it in its own tab.`, 'warn')
  return Promise.resolve(false)
}

export function Ask() {
  const question = open.value
  return question && <Question key={question.key} question={question} />
}

function Question({ question }) {
  const field = useRef(null)
  const { title, why, more, label, value, action, danger, text, choices, answer } = question
  const [choice, setChoice] = useState(choices?.rows[0].name)
  const given = () => {
    const typed = field.current?.value ?? ''
    return choices ? { text: typed, choice } : typed
  }
  return (
    <Dialog title={title} leave={() => answer(null)} submit={() => answer(given())}
      buttons={<button class={`button ${danger ? 'danger' : 'primary'}`} data-first={!text && !danger}>{action}</button>}>
      {why && <p>{why}</p>}
      {more}
      {text && (
        <div class="field">
          <label for="asked">{label}</label>
          <input id="asked" class="input" ref={field} data-first autocomplete="off" spellcheck={false} required pattern=".*\S.*" title="a text that is not empty" defaultValue={value ?? ''} />
        </div>
      )}
      {choices && (
        <fieldset class="field choices">
          <legend class="label">{choices.label}</legend>
          {choices.rows.map((row) => (
            <label key={row.name}>
              <input type="radio" name="choice" checked={row.name === choice} onChange={() => setChoice(row.name)} />
              <span>{row.name} <span class="hint">{row.about}</span></span>
            </label>
          ))}
        </fieldset>
      )}
    </Dialog>
  )
}

/** Closes a dialog and gives the focus back to before, with blur and focus: otherwise Chromium does not move the caret with it. */
export function shut(dialog, before = null) {
  dialog?.close()
  let to = before instanceof HTMLElement && before.isConnected ? before : document.activeElement
  to = to.shadowRoot?.activeElement ?? to // the field inside the editor
  to.blur()
  to.focus({ preventScroll: true })
}

/** A dialog around a form. The focus goes to the element with data-first, or else to the button that leaves the dialog; at the end it returns. */
export function Dialog({ title, leave, submit, buttons, children, cancel = 'Cancel' }) {
  const dialog = useRef(null)
  useEffect(() => {
    const before = document.activeElement
    const shown = dialog.current
    shown.showModal()
    const first = shown.querySelector('[data-first=true]') ?? shown.querySelector('[data-leave]')
    first.focus()
    first.select?.()
    return () => shut(shown, before) // while it is open nothing else can have the focus
  }, [])
  const leaving = (e) => {
    e.preventDefault()
    leave()
  }
  const submitted = (e) => {
    e.preventDefault()
    submit()
  }
  return (
    <dialog class="small-dialog" ref={dialog} aria-labelledby="dialog-title" onCancel={leaving}>
      <form class="dialog" onSubmit={submitted} onKeyDown={(e) => e.key === 'Enter' && (e.isComposing || e.keyCode === 229) && e.preventDefault()}>
        <header><h2 id="dialog-title">{title}</h2></header>
        <div class="body">{children}</div>
        <footer><button type="button" class="button" data-leave onClick={leave}>{cancel}</button>{buttons}</footer>
      </form>
    </dialog>
  )
}
