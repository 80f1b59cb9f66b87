// Views that load when they are looked at for the first time: the page's first
// script stays small.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** A component whose module is loaded when it is drawn; load gives the component. quiet: nothing stands there meanwhile. */
export function later(load, quiet = false) {
  const made = signal(null)
  const failed = signal('')
  let asked = false
  return function Later(props) {
    useEffect(() => {
      if (asked) return
      asked = true
      load().then((view) => (made.value = view), () => {
        asked = false
        failed.value = 'This part of the page cannot be loaded: check the connection, then open it again.'
      })
    }, [])
    const View = made.value
    if (View) return <View {...props} />
    if (quiet && !failed.value) return null
    return <div class="empty" role={failed.value ? 'alert' : 'status'}>{failed.value || 'loading…'}</div>
  }
}
