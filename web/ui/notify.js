// Tells the person about a run while the page is in the background: with the window's title,
// and with notifications if the person turned them on.
import { effect, signal } from '@preact/signals'
import * as store from './store.js'
import { settings } from './settings.js'
import { visible } from './visible.js'

const over = signal(false) // a run ended and the person has not looked at the page since

/** Whether this browser has notifications. */
export const possible = 'Notification' in window

/** Turns notifications on or off, and asks the browser for permission. Resolves to whether they are on; the person hears why they are not. */
export async function wish(on) {
  const given = on && possible && (await Notification.requestPermission()) === 'granted'
  if (on && !given) store.tell('The browser does not let this page notify you. Allow notifications in its settings for this site, then choose this again.', 'warn')
  settings.notify = given
  return given
}

function notify(title, body) {
  if (!document.hidden || !settings.notify || !possible || Notification.permission !== 'granted') return
  try {
    const note = new Notification(visible(title), { body: visible(body), tag: 'golem' })
    note.onclick = () => {
      window.focus()
      note.close()
    }
  } catch {
    // on some phones only service workers can notify
  }
}

/** From now on updates the title, and notifies while the page is in the background. */
export function watch() {
  let before = new Map()
  effect(() => {
    const name = store.project.value
    const now = new Map(store.elsewhere.value.map((o) => [o.name, { ...o, runs: true }]))
    const request = store.asked.value.at(-1)?.request
    if (name) now.set(name, { runs: store.running.value, asks: store.asked.value.length, title: request?.title ?? request?.tool ?? '' })
    let asked = 0
    for (const [of, { asks, title }] of now) {
      asked += asks
      if (asks > (before.get(of)?.asks ?? 0)) notify(`${of} asks`, title)
    }
    for (const [of, { runs }] of before) {
      if (!runs || now.get(of)?.runs) continue
      over.value = document.hidden
      const { status } = store.run.peek()
      notify(`${of} is done`, of !== name ? '' : status === 'waiting' ? 'It is your turn.' : status)
    }
    before = now
    document.title = `${asked ? `(${asked}) ` : over.value ? '✓ ' : ''}${name ? `${visible(name)} · ` : ''}golem`
  })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) over.value = false
  })
}
