// Views that are loaded when they are shown for the first time, so that the page's first
// script stays small.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Returns a component that is loaded when it is drawn for the first time; load resolves to it. With quiet nothing is shown meanwhile. Its function fetched loads it before. */
export function later(load, quiet = false) {
  const made = signal(null)
  const failed = signal('')
  let asked = false
  const fetched = () => {
    if (asked) return
    asked = true
    load().then((view) => (made.value = view), () => {
      asked = false
      failed.value = 'This part of the page cannot be loaded: check the connection, then open it again.'
    })
  }
  function Later(props) {
    useEffect(fetched, [])
    const View = made.value
    if (View) return <View {...props} />
    if (quiet && !failed.value) return null
    return <div class="empty" role={failed.value ? 'alert' : 'status'}>{failed.value || 'loading…'}</div>
  }
  return Object.assign(Later, { fetched })
}
