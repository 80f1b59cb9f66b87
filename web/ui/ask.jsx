// The page's own questions to a person: a name, a yes. No has the focus where
// something would be lost; Escape is no.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

const open = signal(null)
let count = 0

const put = (question) => new Promise((resolve) => {
  open.value?.answer(null) // the older one is left
  open.value = { key: ++count, ...question, answer: (a) => { open.value = null; resolve(a) } }
})

/** Asks for a text; null if there is none. */
export const askText = (title, rest) => put({ title, text: true, action: 'OK', ...rest }).then((v) => v?.trim() || null)

/** Asks for a yes. */
export const askYes = (title, why, action, danger = false) => put({ title, why, action, danger }).then((v) => v !== null)

export function Ask() {
  const question = open.value
  return question && <Question key={question.key} question={question} />
}

function Question({ question }) {
  const field = useRef(null)
  const { title, why, label, value, action, danger, text, answer } = question
  return (
    <Dialog title={title} leave={() => answer(null)} submit={() => answer(field.current?.value ?? '')}
      buttons={<button class={`button ${danger ? 'danger' : 'primary'}`} data-first={!text && !danger}>{action}</button>}>
      {why && <p>{why}</p>}
      {text && (
        <div class="field">
          <label for="asked">{label}</label>
          <input id="asked" class="input" ref={field} data-first autocomplete="off" spellcheck={false} defaultValue={value ?? ''} />
        </div>
      )}
    </Dialog>
  )
}

/** A dialog around a form. The focus goes to what is data-first, else to Cancel, and comes back. */
export function Dialog({ title, leave, submit, buttons, children }) {
  const dialog = useRef(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current.showModal()
    const first = dialog.current.querySelector('[data-first=true]') ?? dialog.current.querySelector('[data-leave]')
    first.focus()
    first.select?.()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
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
      <form class="dialog" onSubmit={submitted}>
        <header><h2 id="dialog-title">{title}</h2></header>
        <div class="body">{children}</div>
        <footer><button type="button" class="button" data-leave onClick={leave}>Cancel</button>{buttons}</footer>
      </form>
    </dialog>
  )
}
