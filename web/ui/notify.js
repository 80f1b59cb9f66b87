// What a person learns of a run while they look elsewhere: the window's title,
// and a notification if they wished for one.
import { effect, signal } from '@preact/signals'
import * as store from './store.js'
import { settings } from './settings.js'

const over = signal(false) // a run ended that nobody has looked at yet

/** Whether this browser can notify at all. */
export const possible = 'Notification' in window

/** Asks the browser for leave; whether notifications come from now on. */
export async function wish(on) {
  const given = on && possible && (await Notification.requestPermission()) === 'granted'
  settings.notify = given
  return given
}

function notify(title, body) {
  if (!document.hidden || !settings.notify || !possible || Notification.permission !== 'granted') return
  try {
    const note = new Notification(title, { body, tag: 'golem' })
    note.onclick = () => {
      window.focus()
      note.close()
    }
  } catch {
    // some phones notify from service workers only
  }
}

/** Keeps the title and tells what happens in the background. */
export function watch() {
  let asked = 0
  let ran = false
  effect(() => {
    const name = store.project.value
    const questions = store.asked.value
    const runs = store.running.value
    if (questions.length > asked) notify(`${name} asks`, questions.at(-1).request.title ?? questions.at(-1).request.tool ?? '')
    if (ran && !runs) {
      over.value = document.hidden
      notify(`${name} is done`, store.run.peek().status === 'waiting' ? 'It is your turn.' : store.run.peek().status)
    }
    asked = questions.length
    ran = runs
    document.title = `${asked ? `(${asked}) ` : over.value ? '✓ ' : ''}${name ? `${name} · ` : ''}golem`
  })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) over.value = false
  })
}
