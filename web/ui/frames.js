// When the page draws while events of a run arrive.
import { tick } from './state.js'

const { port1, port2 } = new MessageChannel()

/** Resolves in a task of its own, after the browser could draw and take keys. A timer would wait long in a tab that is not shown. */
export const turn = () => new Promise((resolve) => {
  port1.onmessage = resolve
  port2.postMessage(0)
})

/** Draws the run at once: the end of an exchange waits for no frame. */
export function draw() {
  cancelAnimationFrame(due)
  due = 0
  tick.value++
}

let due = 0
/** Draws the run again in the next frame, once for any number of events. */
export function schedule() {
  if (due) return
  due = requestAnimationFrame(draw)
}
